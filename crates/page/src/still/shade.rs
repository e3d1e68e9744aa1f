//! Light.

use rayon::prelude::*;

use super::camera::Camera;
use super::image::Image;
use super::raster::Surface;

/// Directions to the lights in the eye's axes (right, up, toward the viewer is negative depth),
/// and their linear colors.
const LIGHTS: [([f32; 3], [f32; 3]); 3] = [
    ([-0.55, 0.65, -0.53], [1.05, 1.02, 0.96]),
    ([0.85, 0.15, -0.50], [0.27, 0.30, 0.35]),
    ([0.10, -0.80, -0.30], [0.06, 0.055, 0.05]),
];
/// Light from above and from below.
const SKY: [f32; 3] = [0.30, 0.32, 0.35];
const GROUND: [f32; 3] = [0.17, 0.16, 0.15];
/// Background at the top and at the bottom.
const TOP: [f32; 3] = [0.945, 0.95, 0.955];
const BOTTOM: [f32; 3] = [0.80, 0.82, 0.84];
/// Rings and spokes of the search for nearer surroundings.
const SPOKES: usize = 8;
const RINGS: [f32; 3] = [0.012, 0.03, 0.06];
/// Outlines (eye-dome lighting, Boucheny 2009): how far around in pixels, and how dark.
const OUTLINE: (f32, f32) = (1.3, 45.0);

pub(super) fn shade(surface: &Surface, camera: &Camera, (width, height): (usize, usize)) -> Image {
    let scale = camera.scale(height) as f32;
    let spokes: Vec<(f32, f32)> =
        (0..SPOKES).map(|s| (s as f32 / SPOKES as f32 * std::f32::consts::TAU).sin_cos()).collect();
    let mut pixels = vec![[0; 3]; width * height];
    pixels.par_chunks_mut(width.max(1)).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            let i = y * width + x;
            let z = surface.depth[i];
            let light = if z.is_finite() {
                let n = unit(surface.normal[i]);
                let open = openness(surface, (x, y), (width, height), &spokes, scale);
                let line = outline(surface, (x, y), (width, height), &spokes);
                lit(n, surface.color[i], open).map(|v| tone(v * line))
            } else {
                let t = y as f32 / height as f32;
                [0, 1, 2].map(|c| TOP[c] + (BOTTOM[c] - TOP[c]) * t)
            };
            *pixel = light.map(|v| (v.clamp(0.0, 1.0) * 255.0).round() as u8);
        }
    });
    Image::from_pixels(width, height, pixels)
}

fn lit(n: [f32; 3], albedo: [f32; 3], open: f32) -> [f32; 3] {
    let up = 0.5 + 0.5 * n[1];
    let mut out = [0.0; 3];
    for c in 0..3 {
        out[c] = (GROUND[c] + (SKY[c] - GROUND[c]) * up) * open * albedo[c];
    }
    for (toward, color) in LIGHTS {
        let d = unit(toward);
        let cos = dot(n, d).max(0.0);
        // Half-way vector to a viewer straight ahead: a faint gloss shows the surface's waves.
        let gloss = dot(n, unit([d[0], d[1], d[2] - 1.0])).max(0.0).powi(32) * 0.10;
        let shade = 0.45 + 0.55 * open;
        for c in 0..3 {
            out[c] += color[c] * shade * (cos * albedo[c] + gloss * cos);
        }
    }
    out
}

/// How much of the sky a sample sees, from the depths around it: between 0 and 1.
fn openness(
    surface: &Surface,
    (x, y): (usize, usize),
    (width, height): (usize, usize),
    spokes: &[(f32, f32)],
    scale: f32,
) -> f32 {
    let z = surface.depth[y * width + x];
    let mut closed = 0.0;
    for &(sin, cos) in spokes {
        let mut horizon = 0.0_f32;
        for ring in RINGS {
            let pixels = ring * height as f32;
            let (px, py) = (x as f32 + cos * pixels, y as f32 + sin * pixels);
            if px < 0.0 || py < 0.0 || px >= width as f32 || py >= height as f32 {
                continue;
            }
            let other = surface.depth[py as usize * width + px as usize];
            if !other.is_finite() {
                continue;
            }
            let across = pixels / scale * z;
            let rise = (z - other) / across;
            // Something far in front is another object, not a wall around this place.
            let near = 1.0 / (1.0 + (0.25 * rise).powi(4));
            horizon = horizon.max(rise * near);
        }
        closed += horizon / (1.0 + horizon * horizon).sqrt();
    }
    (1.0 - 0.85 * closed / spokes.len() as f32).clamp(0.0, 1.0)
}

/// How bright a sample is beside something nearer: between 0.25 and 1.
fn outline(
    surface: &Surface,
    (x, y): (usize, usize),
    (width, height): (usize, usize),
    spokes: &[(f32, f32)],
) -> f32 {
    let z = surface.depth[y * width + x];
    let reach = OUTLINE.0 * super::SAMPLES as f32;
    let mut step = 0.0;
    for &(sin, cos) in spokes {
        let (px, py) = (x as f32 + cos * reach, y as f32 + sin * reach);
        if px < 0.0 || py < 0.0 || px >= width as f32 || py >= height as f32 {
            continue;
        }
        let other = surface.depth[py as usize * width + px as usize];
        if other < z {
            step += (z / other).ln();
        }
    }
    (-OUTLINE.1 * step / spokes.len() as f32).exp().max(0.25)
}

/// From linear light to the screen, with soft highlights.
fn tone(v: f32) -> f32 {
    let v = v * 1.18;
    let soft = v * (1.0 + v * 0.12) / (1.0 + v * 0.35);
    soft.max(0.0).powf(1.0 / 2.2)
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(v: [f32; 3]) -> [f32; 3] {
    let length = dot(v, v).sqrt();
    if length > 0.0 { v.map(|x| x / length) } else { [0.0, 0.0, -1.0] }
}
