//! Denoising a part of a cloud.
//!
//! The rule, for every method alike: the points of the part go where the method takes them when
//! it sees them with their surroundings; every other point keeps its bits. The surroundings are
//! all points within [three times the distance to the 32nd neighbour](REACH) of a point of the
//! part, which is some three hundred points deep, more than the neighbourhoods of any method. So
//! the work goes by the size of the part, not of the cloud, and the part comes out as it would
//! if all were denoised. During the run the surroundings move as well, since a method that goes
//! on from where it has come would otherwise pull the part back to noise; at the end they are put back.
//! Spacing and noise are those of the part with its surroundings.

use pellucid_cloud::{KdTree, Point, PointCloud, bounds, vec3};

use crate::{DenoiseError, Denoised, Denoiser, Run};

/// Neighbours by which the reach of a point is measured, itself included.
const NEIGHBORS: usize = 33;

/// How far the surroundings reach, in distances to the last of [`NEIGHBORS`].
const REACH: f64 = 3.0;

/// A method that moves the points of a part only; the rest serves as neighbours.
///
/// ```
/// use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
/// use pellucid_denoise::{Denoiser, OnlyPart, Run, registry};
///
/// let noisy = add_noise(&Shape::Torus.sample(2_000, 1), NoiseModel::Gaussian, 0.02, 2)?;
/// let part: Vec<bool> = noisy.positions().iter().map(|p| p[0] > 0.0).collect();
/// let method = registry::find("mls")?.build(None, &Default::default())?;
/// let result = OnlyPart::new(&*method, &part).denoise(&noisy, &mut Run::default())?;
/// for (row, in_part) in part.iter().enumerate() {
///     assert!(*in_part || result.cloud.positions()[row] == noisy.positions()[row]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OnlyPart<'a> {
    method: &'a dyn Denoiser,
    part: &'a [bool],
}

impl<'a> OnlyPart<'a> {
    /// `method` on the rows whose entry in `part` is true.
    pub fn new(method: &'a dyn Denoiser, part: &'a [bool]) -> Self {
        OnlyPart { method, part }
    }
}

impl Denoiser for OnlyPart<'_> {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        if self.part.len() != noisy.len() {
            let (given, rows) = (self.part.len(), noisy.len());
            return Err(DenoiseError::PartLength { given, rows });
        }
        run.progress("surroundings", 0, 0.0)?;
        let in_part = |&row: &usize| self.part[row] && vec3::is_finite(noisy.positions()[row]);
        let moving = (0..noisy.len()).filter(in_part).count();
        if moving == 0 {
            return Err(DenoiseError::EmptyPart { rows: noisy.len() });
        }
        let rows =
            crate::install(run.threads(), || with_surroundings(noisy.positions(), self.part));
        let put_back = |moved: Vec<Point>| {
            let mut all = noisy.positions().to_vec();
            for (&row, p) in rows.iter().zip(moved) {
                if self.part[row] {
                    all[row] = p;
                }
            }
            all
        };
        let mut result = self.method.denoise(&noisy.select(&rows), &mut run.through(&put_back))?;
        let report = &mut result.report;
        report.skipped_rows = noisy.len() - noisy.finite_rows().len();
        report.notes.push(format!(
            "{moving} of {} points were denoised; {} around them served as neighbours",
            noisy.len(),
            rows.len() - moving
        ));
        let moved = put_back(std::mem::take(&mut result.cloud).into_positions());
        // The number of points is the same, so this cannot fail.
        result.cloud = noisy.with_positions(moved).unwrap_or_else(|_| noisy.clone());
        Ok(result)
    }
}

/// The finite points of the part and of its surroundings, in order.
fn with_surroundings(points: &[Point], part: &[bool]) -> Vec<usize> {
    let all = KdTree::new(points);
    let inner: Vec<Point> = points
        .iter()
        .zip(part)
        .filter(|(p, i)| **i && vec3::is_finite(**p))
        .map(|x| *x.0)
        .collect();
    let neighbors = all.knn_of(&inner, NEIGHBORS);
    let reach: Vec<f64> = (0..inner.len())
        .map(|i| REACH * neighbors.distances2(i).last().map_or(0.0, |d| d.sqrt()))
        .collect();
    // Most points of a large cloud are out of reach of all.
    let most = reach.iter().copied().fold(0.0, f64::max);
    let Some((lo, hi)) = bounds(&inner) else { return Vec::new() };
    let near = |p: Point| (0..3).all(|c| p[c] >= lo[c] - most && p[c] <= hi[c] + most);
    let outer: Vec<usize> =
        (0..points.len()).filter(|&row| !part[row] && near(points[row])).collect();
    let queries: Vec<Point> = outer.iter().map(|&row| points[row]).collect();
    let nearest = KdTree::new(&inner).nearest_of(&queries);
    let mut rows: Vec<usize> =
        (0..points.len()).filter(|&row| part[row] && vec3::is_finite(points[row])).collect();
    rows.extend(outer.iter().zip(&nearest).filter_map(|(&row, n)| {
        let reach = reach.get(n.index as usize)?;
        (n.distance2.sqrt() <= *reach).then_some(row)
    }));
    rows.sort_unstable();
    rows
}
