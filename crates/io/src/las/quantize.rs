//! Coordinates as the integers that the file stores.

use las::raw::Header;
use pellucid_cloud::Point;
use rayon::prelude::*;

use crate::error::WriteFault;
use crate::rows::CHUNK;
use crate::scalar::ScalarType;

/// Scale and offset of a header.
pub(super) fn of(header: &Header) -> ([f64; 3], [f64; 3]) {
    (
        [header.x_scale_factor, header.y_scale_factor, header.z_scale_factor],
        [header.x_offset, header.y_offset, header.z_offset],
    )
}

#[inline]
pub(super) fn decode(k: i32, scale: f64, offset: f64) -> f64 {
    f64::from(k) * scale + offset
}

/// The nearest integer, not yet checked to fit.
#[inline]
pub(super) fn encode(x: f64, scale: f64, offset: f64) -> f64 {
    ((x - offset) / scale).round()
}

#[inline]
pub(super) fn fits(k: f64) -> bool {
    k >= f64::from(i32::MIN) && k <= f64::from(i32::MAX)
}

/// Refuses positions, of which the first has the number `from`, that scale and offset cannot reach.
pub(super) fn check(
    points: &[Point],
    from: usize,
    scale: [f64; 3],
    offset: [f64; 3],
) -> Result<(), WriteFault> {
    for axis in 0..3 {
        let reach = [i32::MIN, i32::MAX].map(|k| decode(k, scale[axis], offset[axis]));
        if !points.is_empty() && !reach.iter().all(|x| x.is_finite()) {
            let fault = "the coordinates are too large for LAS; write another format".to_owned();
            return Err(WriteFault::Unfit(fault));
        }
    }
    let bad = |p: &Point| (0..3).find(|&a| !fits(encode(p[a], scale[a], offset[a])));
    let first = points
        .par_chunks(CHUNK)
        .enumerate()
        .filter_map(|(c, chunk)| {
            chunk.iter().enumerate().find_map(|(i, p)| Some((c * CHUNK + i, bad(p)?)))
        })
        .min();
    let Some((i, axis)) = first else { return Ok(()) };
    let (x, name, i) = (points[i][axis], ["x", "y", "z"][axis], from + i);
    if !x.is_finite() {
        return Err(WriteFault::Unfit(format!(
            "point {i} has {name} = {x:?}, but LAS holds finite coordinates only; remove such points \
             or write another format"
        )));
    }
    let reach = [i32::MIN, i32::MAX].map(|k| decode(k, scale[axis], offset[axis]));
    Err(WriteFault::Unfit(format!(
        "point {i} has {name} = {x:?}, but the scale {} and offset {} of this file reach only from \
         {} to {}; choose a coarser scale (--las-scale) or write another format",
        scale[axis], offset[axis], reach[0], reach[1]
    )))
}

/// A scale and offset for points from elsewhere: the coarsest power of ten that holds every
/// coordinate to the last bits of its type, or else the finest whose steps reach over all.
pub(super) fn choose(points: &[Point], position: [ScalarType; 3]) -> ([f64; 3], [f64; 3]) {
    let (mut scale, mut offset) = ([1e-3; 3], [0.0; 3]);
    let Some((lo, hi)) = pellucid_cloud::bounds(points) else { return (scale, offset) };
    for a in 0..3 {
        let single = position[a] == ScalarType::F32;
        let middle = lo[a] / 2.0 + hi[a] / 2.0;
        let half = (hi[a] / 2.0 - lo[a] / 2.0).abs();
        // A round number keeps decimal coordinates decimal.
        let unit = power_of_ten(if half > 0.0 { half.log10().floor() as i32 } else { 0 });
        let origin = (middle / unit).round() * unit;
        offset[a] = if lo[a].abs().max(hi[a].abs()) <= 1e3 * half { 0.0 } else { origin };
        let reach = (lo[a] - offset[a]).abs().max((hi[a] - offset[a]).abs());
        let magnitude = lo[a].abs().max(hi[a].abs());
        if magnitude == 0.0 || !magnitude.is_finite() {
            continue;
        }
        // Steps below the last bit of a double tell nothing.
        let finest = (reach / f64::from(i32::MAX)).max(magnitude * f64::EPSILON);
        let finest = (finest.log10().ceil() as i32).max(-300);
        let coarsest = (magnitude.log10().ceil() as i32).min(0).max(finest);
        let exact = |e: &i32| {
            let s = power_of_ten(*e);
            points.par_chunks(CHUNK).all(|chunk| {
                chunk.iter().all(|p| {
                    let k = encode(p[a], s, offset[a]);
                    let back = k * s + offset[a];
                    let near = (back - p[a]).abs() <= 4.0 * f64::EPSILON * magnitude;
                    fits(k) && (near || single && back as f32 == p[a] as f32)
                })
            })
        };
        let found = (finest..=coarsest).rev().find(exact).unwrap_or(finest);
        scale[a] = power_of_ten(found);
    }
    (scale, offset)
}

/// A power of ten no coarser than a ten-thousandth of the mean spacing, if its steps reach over
/// all points, or else the finest whose steps do.
pub(super) fn fine_step(points: &[Point]) -> f64 {
    let Some((lo, hi)) = pellucid_cloud::bounds(points) else { return 1e-3 };
    let widest = (0..3).map(|a| hi[a] / 2.0 - lo[a] / 2.0).fold(0.0, f64::max);
    // Offsets are rounded to about a tenth of the extent.
    let finest = (2.0 * widest / f64::from(i32::MAX)).log10().ceil();
    let fine = (1e-4 * pellucid_cloud::spacing::spacing_of(points)).log10().floor();
    power_of_ten(fine.max(finest).clamp(-300.0, 300.0) as i32)
}

/// These steps, with the offsets as they are where the steps reach over all points from there.
pub(super) fn with_step(
    points: &[Point],
    scale: [f64; 3],
    mut offset: [f64; 3],
) -> ([f64; 3], [f64; 3]) {
    let Some((lo, hi)) = pellucid_cloud::bounds(points) else { return (scale, offset) };
    for a in 0..3 {
        if ![lo[a], hi[a]].iter().all(|x| fits(encode(*x, scale[a], offset[a]))) {
            let half = (hi[a] / 2.0 - lo[a] / 2.0).abs();
            let unit = power_of_ten(if half > 0.0 { half.log10().floor() as i32 } else { 0 });
            offset[a] = ((lo[a] / 2.0 + hi[a] / 2.0) / unit).round() * unit;
        }
    }
    (scale, offset)
}

/// The double nearest to a power of ten.
fn power_of_ten(e: i32) -> f64 {
    // Parsing rounds correctly; `powi` does not.
    format!("1e{e}").parse().unwrap_or(1.0)
}
