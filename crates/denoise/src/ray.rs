//! Moving points along their lines of sight only.
//!
//! A scanner knows directions far better than ranges, so its noise lies along the line of sight.
//! Whatever the method, a point may then move on the line from the scanner through it: to where
//! that line meets the surface on which the method put the point.

use pellucid_cloud::normals::estimate_normals_k;
use pellucid_cloud::{DistinctRows, Point, PointCloud, vec3};

use crate::{DenoiseError, Denoised, Denoiser, Run};

/// The attribute that says which viewpoint a point was seen from.
const SCAN: &str = "scan";

/// Points that the surface around a moved point is estimated from.
const NEIGHBORS: usize = 16;

/// Sine of the angle between line of sight and surface below which a point is no longer taken
/// all the way (14.5 degrees).
const GRAZING: f64 = 0.25;

/// A method whose points move along their lines of sight only.
///
/// ```
/// use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
/// use pellucid_cloud::vec3;
/// use pellucid_denoise::{AlongRay, Denoiser, Run, registry};
///
/// let noisy = add_noise(&Shape::Plane.sample(2_000, 1), NoiseModel::Gaussian, 0.02, 2)?;
/// let method = registry::find("mls")?.build(None, &Default::default())?;
/// let scanner = [0.0, 0.0, 5.0];
/// let result = AlongRay::new(&*method, &[scanner]).denoise(&noisy, &mut Run::default())?;
/// for (p, q) in noisy.positions().iter().zip(result.cloud.positions()) {
///     let off = vec3::cross(vec3::sub(*q, scanner), vec3::sub(*p, scanner));
///     assert!(vec3::norm(off) < 1e-12);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AlongRay<'a> {
    method: &'a dyn Denoiser,
    viewpoints: &'a [Point],
}

impl<'a> AlongRay<'a> {
    /// `method` for points seen from `viewpoints`; of several, the attribute `scan` of a point
    /// says which, counted from zero.
    pub fn new(method: &'a dyn Denoiser, viewpoints: &'a [Point]) -> Self {
        AlongRay { method, viewpoints }
    }

    /// The viewpoint of each row.
    fn eyes(&self, cloud: &PointCloud) -> Result<Vec<Point>, DenoiseError> {
        match self.viewpoints {
            [] => return Err(DenoiseError::NoViewpoint),
            [one] => return Ok(vec![*one; cloud.len()]),
            _ => {}
        }
        let fault = |fault: String| DenoiseError::Attribute { name: SCAN.to_owned(), fault };
        let n = self.viewpoints.len();
        let scans = cloud.attribute(SCAN).and_then(|a| a.component(0));
        let scans = scans.ok_or_else(|| {
            fault(format!("must say which of the {n} scanner positions each point was seen from"))
        })?;
        let eye = |(row, &s): (usize, &f64)| {
            match s.fract() == 0.0 && s >= 0.0 {
                true => self.viewpoints.get(s as usize).copied(),
                false => None,
            }
            .ok_or_else(|| fault(format!("is {s} in row {row}; there are {n} scanner positions")))
        };
        scans.iter().enumerate().map(eye).collect()
    }
}

impl Denoiser for AlongRay<'_> {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        let eyes = self.eyes(noisy)?;
        let threads = run.threads();
        let to_rays = |moved: Vec<Point>| {
            crate::install(threads, || along_rays(noisy.positions(), moved, &eyes))
        };
        let mut result = self.method.denoise(noisy, &mut run.through(&to_rays))?;
        let moved = to_rays(std::mem::take(&mut result.cloud).into_positions());
        // The number of points is the same, so this cannot fail.
        result.cloud = noisy.with_positions(moved).unwrap_or_else(|_| noisy.clone());
        let from = match self.viewpoints.len() {
            1 => "one scanner position".to_owned(),
            n => format!("{n} scanner positions"),
        };
        result.report.notes.push(format!("points moved along their lines of sight from {from}"));
        Ok(result)
    }
}

/// Points between `start` and `moved` on the lines of sight of `start`.
fn along_rays(start: &[Point], mut moved: Vec<Point>, eyes: &[Point]) -> Vec<Point> {
    let normals = normals(&moved);
    for (((q, &p), &eye), &n) in moved.iter_mut().zip(start).zip(eyes).zip(&normals) {
        if *q == p || !vec3::is_finite(p) {
            // Also keeps the bits of what is not a number.
            *q = p;
            continue;
        }
        let Some(ray) = vec3::normalized(vec3::sub(p, eye)) else {
            *q = p;
            continue;
        };
        *q = vec3::add(p, vec3::scale(ray, distance_along(vec3::sub(*q, p), ray, n)));
    }
    moved
}

/// The normal at each row, zero where there is none; rows at the same place count once.
fn normals(points: &[Point]) -> Vec<Point> {
    let distinct = DistinctRows::of(points);
    let mut normals = vec![[0.0; 3]; points.len()];
    let found = estimate_normals_k(&distinct.pick(points), NEIGHBORS);
    for (&row, n) in distinct.rows.iter().zip(found) {
        normals[row as usize] = n;
    }
    for &(copy, first) in &distinct.copies {
        normals[copy as usize] = normals[first as usize];
    }
    normals
}

/// How far to go along the unit vector `ray` for the displacement `d` to a surface with normal `n`.
///
/// The plane through `p + d` with normal n meets the line p + t r at t = d·n / r·n. The mere
/// projection t = d·r falls short of it by the factor (r·n)² for displacements along the normal:
/// at 45 degrees half of the noise would stay. Near grazing incidence, however, r·n is small and
/// its error, that of the estimated normal, is not: there t is taken as d·n r·n / c² for
/// |r·n| < c, which goes on continuously and leaves points alone that are seen edge-on.
fn distance_along(d: Point, ray: Point, n: Point) -> f64 {
    let length = vec3::norm(n);
    if !(length > 0.0 && length.is_finite()) {
        // No plane around it: what the displacement has along the ray.
        return vec3::dot(d, ray);
    }
    let (dn, rn) = (vec3::dot(d, n) / length, vec3::dot(ray, n) / length);
    dn * rn / (rn * rn).max(GRAZING * GRAZING)
}
