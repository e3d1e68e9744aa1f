//! Denoising a selection of points.
//!
//! The rule, for every method alike: the selected points go where the method takes them when
//! it sees them with their surroundings; every other point keeps its bits. The surroundings are
//! all points within [three times the distance to the 32nd neighbor](REACH) of a selected point,
//! which is some three hundred points deep, more than the neighborhoods of any method. So
//! the work is proportional to the size of the selection, not of the cloud, and the selection comes out
//! as it would if all were denoised. During the run the surroundings move as well, since an iterative
//! method would otherwise pull the selection back to noise; at the end they are put back.
//! Spacing and noise are those of the selection with its surroundings.

use pellucid_cloud::{DistinctRows, KdTree, Point, PointCloud, bounds};

use crate::{DenoiseError, Denoised, Denoiser, Run};

/// Neighbors by which the reach of a point is measured, itself included.
const NEIGHBORS: usize = 33;

/// How far the surroundings reach, in distances to the last of [`NEIGHBORS`].
const REACH: f64 = 3.0;

/// A method that moves selected points only; the rest serves as neighbors.
///
/// ```
/// use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
/// use pellucid_denoise::{Denoiser, OnlySelected, Run, registry};
///
/// let noisy = add_noise(&Shape::Torus.sample(2_000, 1), NoiseModel::Gaussian, 0.02, 2)?;
/// let selected: Vec<bool> = noisy.positions().iter().map(|p| p[0] > 0.0).collect();
/// let method = registry::find("mls")?.build(None, &Default::default())?;
/// let result = OnlySelected::new(&*method, &selected).denoise(&noisy, &mut Run::default())?;
/// for (row, is_selected) in selected.iter().enumerate() {
///     assert!(*is_selected || result.cloud.positions()[row] == noisy.positions()[row]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OnlySelected<'a> {
    method: &'a dyn Denoiser,
    selected: &'a [bool],
    alone: bool,
}

impl<'a> OnlySelected<'a> {
    /// `method` on the rows whose entry in `selected` is true.
    pub fn new(method: &'a dyn Denoiser, selected: &'a [bool]) -> Self {
        OnlySelected { method, selected, alone: false }
    }

    /// The same as if there were no other points: trees beside the ground are no neighbors of it.
    pub fn alone(self) -> Self {
        OnlySelected { alone: true, ..self }
    }

    /// The rows that the method sees, and how many others are no points.
    fn rows(&self, points: &[Point]) -> (Vec<usize>, usize) {
        if self.alone {
            return ((0..points.len()).filter(|&row| self.selected[row]).collect(), 0);
        }
        let distinct = DistinctRows::of(points);
        let rows = with_surroundings(points, &distinct, self.selected);
        (rows, distinct.not_finite + distinct.missing)
    }
}

impl Denoiser for OnlySelected<'_> {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        if self.selected.len() != noisy.len() {
            let (given, rows) = (self.selected.len(), noisy.len());
            return Err(DenoiseError::SelectionLength { given, rows });
        }
        run.progress("surroundings", 0, 0.0)?;
        let (rows, skipped) = crate::install(run.threads(), || self.rows(noisy.positions()));
        let moving = rows.iter().filter(|&&row| self.selected[row]).count();
        if moving == 0 {
            return Err(DenoiseError::EmptySelection { rows: noisy.len() });
        }
        let put_back = |moved: Vec<Point>| {
            let mut all = noisy.positions().to_vec();
            for (&row, p) in rows.iter().zip(moved) {
                if self.selected[row] {
                    all[row] = p;
                }
            }
            all
        };
        let mut result = self.method.denoise(&noisy.select(&rows), &mut run.through(&put_back))?;
        let report = &mut result.report;
        report.skipped_rows += skipped;
        // Nothing was said of the other rows.
        report.surface = report.surface.take().map(|surface| {
            let mut all = vec![true; noisy.len()];
            rows.iter().zip(surface).for_each(|(&row, s)| all[row] = s);
            all
        });
        report.notes.push(format!(
            "{moving} of {} points were denoised; {} around them served as neighbors",
            noisy.len(),
            rows.len() - moving
        ));
        let moved = put_back(std::mem::take(&mut result.cloud).into_positions());
        // The number of points is the same, so this cannot fail.
        result.cloud = noisy.with_positions(moved).unwrap_or_else(|_| noisy.clone());
        Ok(result)
    }
}

/// The selected rows and those of the surroundings, in order, without those that take no part. Rows
/// at the same place count once, and come together.
fn with_surroundings(points: &[Point], distinct: &DistinctRows, selected: &[bool]) -> Vec<usize> {
    let mut is_inner = selected.to_vec();
    for &(copy, first) in &distinct.copies {
        is_inner[first as usize] |= selected[copy as usize];
    }
    let all = KdTree::new(&distinct.pick(points));
    let (inner, outer): (Vec<u32>, Vec<u32>) =
        distinct.rows.iter().partition(|&&row| is_inner[row as usize]);
    let pick = |rows: &[u32]| -> Vec<Point> { rows.iter().map(|&r| points[r as usize]).collect() };
    let places = pick(&inner);
    let neighbors = all.knn_of(&places, NEIGHBORS);
    let reach: Vec<f64> = (0..places.len())
        .map(|i| REACH * neighbors.distances2(i).last().map_or(0.0, |d| d.sqrt()))
        .collect();
    // Most points of a large cloud are out of reach of all.
    let most = reach.iter().copied().fold(0.0, f64::max);
    let Some((lo, hi)) = bounds(&places) else { return Vec::new() };
    let near = |p: Point| (0..3).all(|c| p[c] >= lo[c] - most && p[c] <= hi[c] + most);
    let outer: Vec<u32> = outer.into_iter().filter(|&row| near(points[row as usize])).collect();
    let nearest = KdTree::new(&places).nearest_of(&pick(&outer));
    for (&row, n) in outer.iter().zip(&nearest) {
        let reach = reach.get(n.index as usize);
        is_inner[row as usize] = reach.is_some_and(|reach| n.distance2.sqrt() <= *reach);
    }
    let firsts = distinct.rows.iter().copied();
    let copies = distinct.copies.iter().filter(|(_, first)| is_inner[*first as usize]);
    let mut rows: Vec<usize> = firsts
        .filter(|&row| is_inner[row as usize])
        .chain(copies.map(|(copy, _)| *copy))
        .map(|row| row as usize)
        .collect();
    rows.sort_unstable();
    rows
}
