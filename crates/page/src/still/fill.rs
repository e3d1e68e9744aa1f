//! Closes small gaps through which one sees what is behind the surface.

use rayon::prelude::*;

use super::raster::Surface;

/// Directions looked in, as steps of samples.
const DIRECTIONS: [(isize, isize); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
/// A gap has something nearer in at least so many of them; a rim has it in fewer.
const AROUND: usize = 7;
/// Gaps are at most so many radii of a typical disk wide, to each side.
const REACH: f64 = 2.0;

/// One sample of a surface.
#[derive(Clone, Copy)]
struct Sample {
    depth: f32,
    normal: [f32; 3],
    color: [f32; 3],
}

/// Fills every sample that lies behind the samples around it. `radius` is that of a typical disk,
/// in the cloud's units and in samples.
pub(super) fn fill(surface: &mut Surface, width: usize, radius: (f64, f64)) {
    let reach = (REACH * radius.1).ceil().clamp(1.0, 40.0) as isize;
    let behind = 2.0 * radius.0 as f32;
    let found: Vec<Vec<(usize, Sample)>> = (0..surface.depth.len() / width.max(1))
        .into_par_iter()
        .map(|y| {
            (0..width)
                .filter_map(|x| Some((y * width + x, gap(surface, width, (x, y), reach, behind)?)))
                .collect()
        })
        .collect();
    for (i, s) in found.into_iter().flatten() {
        surface.depth[i] = s.depth;
        surface.normal[i] = s.normal;
        surface.color[i] = s.color;
    }
}

/// What belongs at a sample that is a gap.
fn gap(
    surface: &Surface,
    width: usize,
    (x, y): (usize, usize),
    reach: isize,
    behind: f32,
) -> Option<Sample> {
    let height = surface.depth.len() / width;
    let limit = surface.depth[y * width + x] - behind;
    let mut sum = Sample { depth: 0.0, normal: [0.0; 3], color: [0.0; 3] };
    let (mut weight, mut around) = (0.0, 0);
    for (k, (dx, dy)) in DIRECTIONS.into_iter().enumerate() {
        let nearer = (1..=reach).find_map(|s| {
            let (px, py) = (x as isize + dx * s, y as isize + dy * s);
            let inside = px >= 0 && py >= 0 && px < width as isize && py < height as isize;
            let i = inside.then(|| py as usize * width + px as usize)?;
            (surface.depth[i] < limit).then_some((i, s))
        });
        let Some((i, s)) = nearer else {
            if k + 1 - around > DIRECTIONS.len() - AROUND {
                return None;
            }
            continue;
        };
        around += 1;
        let w = 1.0 / s as f32;
        weight += w;
        sum.depth += w * surface.depth[i];
        let n = surface.normal[i];
        let length = n.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        for c in 0..3 {
            sum.normal[c] += w * n[c] / length;
            sum.color[c] += w * surface.color[i][c];
        }
    }
    sum.depth /= weight;
    sum.color = sum.color.map(|c| c / weight);
    Some(sum)
}
