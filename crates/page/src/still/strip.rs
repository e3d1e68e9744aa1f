//! Several clouds in one picture, seen from one place.

use super::{Align, Camera, Image, Rgb, Splats, draw_text, render};
use crate::look::maps::Map;
use crate::look::{Numbers, Range};

/// The line below a panel, and the gap between panels.
const CAPTION: usize = 44;
const GAP: usize = 4;
const PAPER: Rgb = [250, 250, 250];
const INK: Rgb = [52, 56, 62];
/// Height of tall letters.
const LETTERS: f64 = 17.0;
const NO_NUMBER: Rgb = [128, 128, 128];
/// The bar of a legend.
const BAR: (usize, usize) = (220, 12);

/// What the colors mean.
pub struct Legend {
    /// What is shown.
    pub title: String,
    /// From number to color.
    pub map: Map,
    /// The numbers at its ends.
    pub range: Range,
}

/// One cloud and the words below it.
pub struct Panel<'a> {
    /// What is drawn.
    pub splats: Splats<'a>,
    /// What it is; nothing leaves the line out, if all are nothing.
    pub caption: String,
}

/// How panels are put together.
pub struct Strip {
    /// Width and height of one panel.
    pub panel: (usize, usize),
    /// Panels in a row.
    pub columns: usize,
}

impl Strip {
    /// Draws the panels as `camera` sees them, each with its caption, and the legend below.
    pub fn draw(&self, panels: &[Panel], camera: &Camera, legend: Option<&Legend>) -> Image {
        let columns = self.columns.clamp(1, panels.len().max(1));
        let rows = panels.len().div_ceil(columns);
        let (w, h) = self.panel;
        let caption = if panels.iter().any(|p| !p.caption.is_empty()) { CAPTION } else { 0 };
        let foot = if legend.is_some() { CAPTION } else { 0 };
        let width = columns * w + (columns - 1) * GAP;
        let mut out = Image::new(width, rows * (h + caption) + foot, PAPER);
        for (i, panel) in panels.iter().enumerate() {
            let (left, top) = (i % columns * (w + GAP), i / columns * (h + caption));
            out.paste(&render(&panel.splats, camera, self.panel), left, top);
            let at = ((left + w / 2) as f64, (top + h + caption / 2 + 6) as f64);
            draw_text(&mut out, &panel.caption, at, LETTERS, Align::Center, INK);
        }
        if let Some(legend) = legend {
            legend.draw(&mut out, rows * (h + caption));
        }
        out
    }
}

impl Legend {
    /// The colors of numbers; gray where there is none.
    pub fn colors(&self, numbers: &Numbers) -> Vec<Rgb> {
        let color = |&v: &f64| {
            if v.is_finite() { self.map.at(self.range.share(v)) } else { NO_NUMBER }
        };
        numbers.values.iter().map(color).collect()
    }

    /// Title, lowest number, bar, highest number: centered below `top`.
    fn draw(&self, image: &mut Image, top: usize) {
        let words = format!("{}  {}", self.title, number(self.range.lo));
        let baseline = (top + CAPTION / 2 + 6) as f64;
        let left = (image.width() / 2).saturating_sub(BAR.0 / 2 - 40);
        draw_text(image, &words, (left as f64 - 14.0, baseline), LETTERS, Align::Right, INK);
        for x in 0..BAR.0 {
            let color = self.map.at((x as f64 + 0.5) / BAR.0 as f64);
            for y in 0..BAR.1 {
                image.set(left + x, top + (CAPTION - BAR.1) / 2 + y, color);
            }
        }
        let right = ((left + BAR.0) as f64 + 14.0, baseline);
        draw_text(image, &number(self.range.hi), right, LETTERS, Align::Left, INK);
    }
}

/// Three digits that count.
fn number(v: f64) -> String {
    if v == 0.0 || (1e-3..1e5).contains(&v.abs()) {
        let digits = 2 - v.abs().max(1e-3).log10().floor() as i32;
        format!("{v:.*}", digits.clamp(0, 5) as usize)
    } else {
        format!("{v:.2e}")
    }
}
