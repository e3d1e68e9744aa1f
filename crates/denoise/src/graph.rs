//! Patches and feature columns become weighted edges.

use featgraph::edges::Edges;
use featgraph::exp::exp;
use pellucid_cloud::{Point, PointCloud, attribute::names, vec3};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::DenoiseError;
use crate::frame::LocalFrame;
use crate::parameters::choices;
use crate::patch::{PatchGraph, Patches};

/// The features of every point, as columns: K follows from the list of names.
#[derive(Debug, Clone)]
pub struct FeatureColumns {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// For each column, the coordinate it holds, if it is one.
    axis: Vec<Option<usize>>,
    /// First columns of the features that are vectors in space.
    triples: Vec<usize>,
    scale: f64,
}

impl FeatureColumns {
    /// Columns for the features of these names: `position`, `normal`, or an attribute of `cloud`.
    ///
    /// Positions are multiplied by `scale`. Attributes are scaled to unit variance, so that one
    /// trace limit suits them all.
    pub fn build(
        features: &[String],
        cloud: &PointCloud,
        frame: &LocalFrame,
        points: &[Point],
        normals: &[Point],
        scale: f64,
    ) -> Result<FeatureColumns, DenoiseError> {
        let mut out = FeatureColumns {
            names: Vec::new(),
            columns: Vec::new(),
            axis: Vec::new(),
            triples: Vec::new(),
            scale,
        };
        for name in features {
            match name.as_str() {
                "position" => out.push_axes(name, points, scale, true),
                names::NORMAL => out.push_axes(name, normals, 1.0, false),
                _ => out.push_attribute(name, cloud, frame)?,
            }
        }
        Ok(out)
    }

    fn push_axes(&mut self, name: &str, values: &[Point], scale: f64, is_position: bool) {
        self.triples.push(self.columns.len());
        for (c, letter) in ["x", "y", "z"].iter().enumerate() {
            self.names.push(format!("{name} {letter}"));
            self.columns.push(values.iter().map(|v| v[c] * scale).collect());
            self.axis.push(is_position.then_some(c));
        }
    }

    fn push_attribute(
        &mut self,
        name: &str,
        cloud: &PointCloud,
        frame: &LocalFrame,
    ) -> Result<(), DenoiseError> {
        let fault = |fault: String| DenoiseError::Attribute { name: name.to_owned(), fault };
        let attribute = cloud.attribute(name).ok_or_else(|| {
            let known: Vec<&str> = cloud.attributes().map(|a| a.name()).collect();
            fault(format!(
                "is asked for as a feature, but the cloud has only: {}",
                known.join(", ")
            ))
        })?;
        for c in 0..attribute.width() {
            let values = attribute
                .component(c)
                .ok_or_else(|| fault("holds text or lists, which cannot be a feature".into()))?;
            let column = frame.pick(&values);
            if column.iter().any(|v| !v.is_finite()) {
                return Err(fault("has values that are not finite".into()));
            }
            self.columns.push(standardized(column));
            self.names.push(if attribute.width() == 1 {
                name.into()
            } else {
                format!("{name} {c}")
            });
            self.axis.push(None);
        }
        Ok(())
    }

    /// How many features there are: K.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// `metric`, which is for features along the local `axes`, for the same along the file's.
    pub fn metric_in_file(&self, metric: &[f64], axes: &[Point; 3]) -> Vec<Vec<f64>> {
        let k = self.len();
        let first = |c: usize| self.triples.iter().copied().find(|&t| (t..t + 3).contains(&c));
        let entry = |row: usize, column: usize| match first(column) {
            // B of g_local = B g_file is the axes on the blocks of vectors, else the identity.
            Some(t) => (row >= t && row < t + 3).then(|| axes[row - t][column - t]),
            None => (row == column).then_some(1.0),
        };
        let b: Vec<Vec<f64>> = (0..k)
            .map(|row| (0..k).map(|column| entry(row, column).unwrap_or(0.0)).collect())
            .collect();
        let term = |i: usize, j: usize| -> f64 {
            let inner = |a: usize| (0..k).map(|c| metric[a * k + c] * b[c][j]).sum::<f64>();
            (0..k).filter(|&a| b[a][i] != 0.0).map(|a| b[a][i] * inner(a)).sum()
        };
        (0..k).map(|i| (0..k).map(|j| term(i, j)).collect()).collect()
    }

    /// What each feature is called.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The difference g of two points' features; `shift` is taken from that of the positions.
    #[inline]
    fn difference(&self, i: usize, j: usize, shift: Point, g: &mut [f64]) {
        for ((g, column), axis) in g.iter_mut().zip(&self.columns).zip(&self.axis) {
            *g = column[i] - column[j];
            if let Some(c) = axis {
                *g -= self.scale * shift[*c];
            }
        }
    }
}

fn standardized(mut column: Vec<f64>) -> Vec<f64> {
    let n = column.len().max(1) as f64;
    let mean = column.iter().sum::<f64>() / n;
    let deviation = (column.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
    let factor = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
    column.iter_mut().for_each(|v| *v = (*v - mean) * factor);
    column
}

/// Which edges the metric is learned from.
#[derive(Debug, Clone, Copy)]
pub struct LearningSample {
    /// Share of the edges.
    pub edges: f64,
    /// Share of the points; an edge counts if both its ends do.
    pub points: f64,
    /// Seed of both draws.
    pub seed: u64,
}

choices! {
    /// Whether positions, as features, are those in space or those relative to the patch.
    pub enum Coordinates {
        /// As they are.
        Absolute = "absolute",
        /// Relative to the origin of the patch, as in the patch signal itself.
        Relative = "relative",
    }
}

fn shift(patches: &Patches, s: usize, t: usize, coordinates: Coordinates) -> Point {
    match coordinates {
        Coordinates::Absolute => [0.0; 3],
        Coordinates::Relative => vec3::sub(patches.origins()[s], patches.origins()[t]),
    }
}

/// The edges that learning sees: differences g, and d of Eq. (52).
pub fn learning_edges(
    points: &[Point],
    numbers: &[u32],
    patches: &Patches,
    graph: &PatchGraph,
    features: &FeatureColumns,
    coordinates: Coordinates,
    sample: LearningSample,
) -> Result<Edges, DenoiseError> {
    let chosen = |a: u64, b: u64, share: f64| {
        share >= 1.0 || (scramble(a ^ scramble(b ^ sample.seed)) as f64) < share * 2.0_f64.powi(64)
    };
    let mut columns = vec![Vec::new(); features.len()];
    let mut distances = Vec::new();
    let mut g = vec![0.0; features.len()];
    for edge in 0..graph.capacity() {
        let Some((i, j)) = graph.edge(patches, edge) else { continue };
        // By the points' numbers in the cloud, so that the order of points leaves no trace.
        let (a, b) = (u64::from(numbers[i.point]), u64::from(numbers[j.point]));
        let both = || chosen(a, 1 << 40, sample.points) && chosen(b, 1 << 40, sample.points);
        if chosen(a, b << 1, sample.edges) && both() {
            let by = shift(patches, i.patch, j.patch, coordinates);
            features.difference(i.point, j.point, by, &mut g);
            columns.iter_mut().zip(&g).for_each(|(column, &g)| column.push(g));
            distances.push(vec3::distance2(points[i.point], points[j.point]));
        }
    }
    Edges::from_columns(Vec::new(), columns, distances)
        .map_err(|e| DenoiseError::Numerical { step: "collecting edges", detail: e.to_string() })
}

/// A number that looks random and is different for every `x` (the finaliser of SplitMix64,
/// Steele et al. 2014, doi:10.1145/2660193.2660195).
pub fn scramble(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// How edges get their weights.
pub struct Weighting<'a> {
    /// The metric, row after row; `None` for weights drawn between 0 and 1.
    pub metric: Option<&'a [f64]>,
    /// Positions in space or relative to the patch.
    pub coordinates: Coordinates,
    /// Multiply by the absolute cosine between the mean normals of the two patches.
    pub patch_normals: Option<&'a [Point]>,
    /// Weights below this become zero.
    pub floor: f64,
    /// Seed of drawn weights.
    pub seed: u64,
}

/// The weight of every directed edge, `exp(-g'Mg)`; zero where the reverse edge stands for both.
pub fn weights(
    patches: &Patches,
    graph: &PatchGraph,
    features: &FeatureColumns,
    how: &Weighting,
) -> Vec<f64> {
    let per_patch = graph.per_patch();
    let mut w = vec![0.0; graph.capacity()];
    let scratch = || vec![0.0; features.len()];
    w.par_chunks_mut(per_patch).enumerate().for_each_init(scratch, |g, (s, w)| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(
            how.seed ^ (s as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        );
        for (slot, w) in w.iter_mut().enumerate() {
            let drawn = if how.metric.is_none() { rng.random::<f64>() } else { 0.0 };
            let edge = s * per_patch + slot;
            let Some((i, j)) = graph.edge(patches, edge) else { continue };
            if graph.is_repeated(edge) {
                continue;
            }
            *w = match how.metric {
                None => drawn,
                Some(m) => {
                    let by = shift(patches, i.patch, j.patch, how.coordinates);
                    features.difference(i.point, j.point, by, g);
                    exp(-quadratic_form(m, g))
                }
            };
            if let Some(n) = how.patch_normals {
                *w *= vec3::dot(n[i.patch], n[j.patch]).abs();
            }
            if *w < how.floor {
                *w = 0.0;
            }
        }
    });
    w
}

/// `g'Mg` (Eq. 6).
#[inline]
fn quadratic_form(m: &[f64], g: &[f64]) -> f64 {
    let k = g.len();
    let mut sum = 0.0;
    for (a, row) in m.chunks_exact(k).enumerate() {
        let mut inner = 0.0;
        for (x, y) in row.iter().zip(g) {
            inner += x * y;
        }
        sum += g[a] * inner;
    }
    sum
}

/// The mean normal of each patch, of length one where it is not zero.
pub fn patch_normals(patches: &Patches, normals: &[Point]) -> Vec<Point> {
    (0..patches.len())
        .into_par_iter()
        .map(|s| {
            let sum = patches
                .members(s)
                .iter()
                .fold([0.0; 3], |sum, &p| vec3::add(sum, normals[p as usize]));
            vec3::normalized(sum).unwrap_or_default()
        })
        .collect()
}
