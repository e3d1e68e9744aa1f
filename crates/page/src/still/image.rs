//! Pixels, and their PNG file.

use std::io;

pub use crate::look::Rgb;

/// A picture, row after row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

impl Image {
    /// A picture of one color.
    pub fn new(width: usize, height: usize, color: Rgb) -> Self {
        Image { width, height, pixels: vec![color; width * height] }
    }

    /// The picture of these pixels; missing ones are black, more are left out.
    pub(super) fn from_pixels(width: usize, height: usize, mut pixels: Vec<Rgb>) -> Self {
        pixels.resize(width * height, [0; 3]);
        Image { width, height, pixels }
    }

    /// Pixels across.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels down.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The color at a place, if it is inside.
    pub fn get(&self, x: usize, y: usize) -> Option<Rgb> {
        (x < self.width).then(|| self.pixels.get(y * self.width + x).copied())?
    }

    /// Paints one pixel; outside, nothing happens.
    pub fn set(&mut self, x: usize, y: usize, color: Rgb) {
        if x < self.width
            && let Some(p) = self.pixels.get_mut(y * self.width + x)
        {
            *p = color;
        }
    }

    /// Mixes `share` of a color into one pixel.
    pub fn blend(&mut self, x: usize, y: usize, color: Rgb, share: f64) {
        if let Some(old) = self.get(x, y) {
            let mix = |c: usize| f64::from(old[c]) * (1.0 - share) + f64::from(color[c]) * share;
            self.set(x, y, [0, 1, 2].map(|c| mix(c).round() as u8));
        }
    }

    /// Copies another picture in, its upper left corner at (`x`, `y`).
    pub fn paste(&mut self, other: &Image, x: usize, y: usize) {
        for (row, line) in other.pixels.chunks(other.width.max(1)).enumerate() {
            for (column, &color) in line.iter().enumerate() {
                self.set(x + column, y + row, color);
            }
        }
    }

    /// Averages blocks of `factor` by `factor` pixels.
    pub fn shrink(&self, factor: usize) -> Image {
        let mut out = Image::new(self.width / factor, self.height / factor, [0; 3]);
        let half = (factor * factor / 2) as u32;
        for y in 0..out.height {
            for x in 0..out.width {
                let mut sum = [half; 3];
                for dy in 0..factor {
                    let start = (y * factor + dy) * self.width + x * factor;
                    for p in &self.pixels[start..start + factor] {
                        for c in 0..3 {
                            sum[c] += u32::from(p[c]);
                        }
                    }
                }
                out.set(x, y, sum.map(|s| (s / (factor * factor) as u32) as u8));
            }
        }
        out
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)?;
        Ok(bytes)
    }
}
