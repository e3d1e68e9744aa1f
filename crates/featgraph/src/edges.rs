//! Node pairs, feature differences `g` and signal distances `d`.

mod builder;
mod tiles;

pub use builder::{EdgesBuilder, Missing};

use crate::error::EdgesError;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use tiles::Differences;

/// Edges per tile: what the fused pass keeps in the nearest cache at once.
pub(crate) const TILE: usize = 128;

/// Differences beyond this are shortened along their direction: their weight is zero for every
/// admissible metric, and squares must not overflow.
const LARGEST_DIFFERENCE: f64 = 1e70;

/// The edges of a graph as learning sees them: for each edge the difference `g` of its ends'
/// feature vectors and the distance `d` of its ends' signal values.
///
/// A pass sees them in tiles of columns (128 values of feature 0, 128 of feature 1, …), the last
/// tile padded with edges of distance zero, so that it runs over contiguous memory without a
/// special case at the end. Built from nodes, edges keep the features of the nodes and gather the
/// differences of a tile when a pass comes to it: memory goes with nodes times K, not edges times K.
///
/// ```
/// use featgraph::edges::Edges;
///
/// // Three nodes with two features each and one signal value each.
/// let edges = Edges::builder(3)
///     .feature_rows(2, &[0.0, 1.0, 0.5, 1.5, 2.0, 0.0])
///     .signal(&[1.0, 1.5, 3.0])
///     .pairs(vec![(0, 1), (1, 2)])
///     .build()?;
/// assert_eq!(edges.len(), 2);
/// assert_eq!(edges.difference(0), vec![-0.5, -0.5]);
/// assert_eq!(edges.distances(), &[0.25, 2.25]);
/// # Ok::<(), featgraph::error::EdgesError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Edges {
    pairs: Vec<(u32, u32)>,
    count: usize,
    features: usize,
    /// Features per tile: `features`, rounded up to an even number with zero columns.
    padded: usize,
    differences: Differences,
    distances: Vec<f64>,
    total: f64,
}

impl Edges {
    /// Starts building edges from node features and signals.
    #[must_use]
    pub fn builder<'a>(nodes: usize) -> EdgesBuilder<'a> {
        EdgesBuilder::new(nodes)
    }

    /// Edges from columns that exist already: one column of differences per feature, and the
    /// signal distances. `pairs` may be empty when the edges serve learning only.
    ///
    /// # Errors
    /// When lengths differ, a difference is not finite, or a distance is not finite or negative.
    pub fn from_columns(
        pairs: Vec<(u32, u32)>,
        columns: Vec<Vec<f64>>,
        distances: Vec<f64>,
    ) -> Result<Self, EdgesError> {
        if columns.is_empty() {
            return Err(EdgesError::NoFeatures);
        }
        let count = distances.len();
        for (feature, column) in columns.iter().enumerate() {
            check_length(column.len(), count, || format!("feature column {feature}"))?;
        }
        if !pairs.is_empty() {
            check_length(pairs.len(), count, || "the list of pairs".into())?;
        }
        for (feature, column) in columns.iter().enumerate() {
            if let Some(row) = column.iter().position(|v| !v.is_finite()) {
                return Err(EdgesError::Feature { feature, row, value: column[row] });
            }
        }
        let differences = Differences::Stored(tiles::from_columns(count, &columns));
        Self::checked(pairs, columns.len(), differences, distances)
    }

    /// Edges of the signal-dependent regularizer (Eq. 3), where the signal itself is the only
    /// feature: with the metric `1 / sigma^2` the weights are `exp(-(z_i - z_j)^2 / sigma^2)`.
    ///
    /// # Errors
    /// When a signal value is not finite or a pair names a node that does not exist.
    pub fn signal_dependent(signal: &[f64], pairs: Vec<(u32, u32)>) -> Result<Self, EdgesError> {
        Self::builder(signal.len()).feature_column(signal).signal(signal).pairs(pairs).build()
    }

    /// Distances checked and padded.
    fn checked(
        pairs: Vec<(u32, u32)>,
        features: usize,
        differences: Differences,
        mut distances: Vec<f64>,
    ) -> Result<Self, EdgesError> {
        for (edge, &value) in distances.iter().enumerate() {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(EdgesError::Distance { edge, value });
            }
        }
        let total: f64 = distances.iter().sum();
        if !total.is_finite() {
            return Err(EdgesError::TotalDistance);
        }
        let count = distances.len();
        let padded = features.next_multiple_of(2);
        distances.resize(count.next_multiple_of(TILE), 0.0);
        Ok(Self { pairs, count, features, padded, differences, distances, total })
    }

    /// Number of edges.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no edges.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of features K.
    #[must_use]
    pub fn features(&self) -> usize {
        self.features
    }

    /// The node pairs (empty when the edges were made from columns without them).
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The signal distances `d`.
    #[must_use]
    pub fn distances(&self) -> &[f64] {
        &self.distances[..self.count]
    }

    /// The sum of the signal distances: the objective of a metric that sees no difference.
    #[must_use]
    pub fn total_distance(&self) -> f64 {
        self.total
    }

    /// The feature difference `g` of one edge.
    ///
    /// # Panics
    /// When there is no such edge.
    #[must_use]
    pub fn difference(&self, edge: usize) -> Vec<f64> {
        assert!(edge < self.count);
        match &self.differences {
            Differences::Gathered(nodes) => nodes.difference(self.pairs[edge]),
            Differences::Stored(tiles) => {
                let at = |feature: usize| tiles[tiles::position(self.padded, edge, feature)];
                (0..self.features).map(at).collect()
            }
        }
    }

    /// Features per tile, zero columns included.
    pub(crate) fn padded_features(&self) -> usize {
        self.padded
    }

    /// Memory for [`Edges::tile`] to work in.
    pub(crate) fn scratch(&self) -> Vec<f64> {
        match &self.differences {
            Differences::Gathered(_) => vec![0.0; self.padded * TILE],
            Differences::Stored(_) => Vec::new(),
        }
    }

    /// Tile `n`: `padded_features` columns of `TILE` differences each.
    #[inline(always)]
    pub(crate) fn tile<'a>(&'a self, n: usize, scratch: &'a mut [f64]) -> &'a [f64] {
        match &self.differences {
            Differences::Stored(tiles) => &tiles[n * self.padded * TILE..][..self.padded * TILE],
            Differences::Gathered(nodes) => {
                let end = self.count.min((n + 1) * TILE);
                nodes.gather(&self.pairs[n * TILE..end], scratch);
                scratch
            }
        }
    }

    /// The distances, padded with zeros to whole tiles.
    pub(crate) fn padded_distances(&self) -> &[f64] {
        &self.distances
    }

    /// A seeded sample of the edges, in their order: `fraction` of them, at least one. For
    /// learning from a part of the observation.
    ///
    /// # Errors
    /// When the fraction is not above 0 and at most 1.
    pub fn sample_edges(&self, fraction: f64, seed: u64) -> Result<Self, EdgesError> {
        let chosen = sample(self.count, fraction, seed)?;
        Ok(self.select(|edge| chosen[edge]))
    }

    /// The edges whose both ends are in `observed` (one flag per node): a signal known on some
    /// nodes only.
    ///
    /// # Errors
    /// When the edges carry no pairs, or a pair names a node beyond `observed`.
    pub fn between_nodes(&self, observed: &[bool]) -> Result<Self, EdgesError> {
        check_length(self.pairs.len(), self.count, || "the list of pairs".into())?;
        check_pairs(&self.pairs, observed.len())?;
        Ok(self.select(|edge| {
            let (i, j) = self.pairs[edge];
            observed[i as usize] && observed[j as usize]
        }))
    }

    /// The edges whose both ends are in a seeded sample of the nodes.
    ///
    /// # Errors
    /// As for [`Edges::sample_edges`] and [`Edges::between_nodes`].
    pub fn sample_nodes(&self, nodes: usize, fraction: f64, seed: u64) -> Result<Self, EdgesError> {
        self.between_nodes(&sample(nodes, fraction, seed)?)
    }

    fn select(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.count).filter(|&edge| keep(edge)).collect();
        let with_pairs = !self.pairs.is_empty();
        let pairs = if with_pairs { kept.iter().map(|&e| self.pairs[e]).collect() } else { vec![] };
        let mut distances: Vec<f64> = kept.iter().map(|&e| self.distances[e]).collect();
        let total = distances.iter().sum();
        let count = kept.len();
        distances.resize(count.next_multiple_of(TILE), 0.0);
        let (features, padded) = (self.features, self.padded);
        let differences = match &self.differences {
            Differences::Gathered(nodes) => Differences::Gathered(nodes.clone()),
            Differences::Stored(tiles) => {
                let column = |f: usize| {
                    let at = |&edge: &usize| tiles[tiles::position(padded, edge, f)];
                    kept.iter().map(at).collect()
                };
                let columns: Vec<Vec<f64>> = (0..features).map(column).collect();
                Differences::Stored(tiles::from_columns(count, &columns))
            }
        };
        Self { pairs, count, features, padded, differences, distances, total }
    }
}

/// Marks `fraction` of `count` items, at least one, each subset of that size equally likely
/// (selection sampling: one walk, no sorting).
fn sample(count: usize, fraction: f64, seed: u64) -> Result<Vec<bool>, EdgesError> {
    if !(fraction > 0.0 && fraction <= 1.0) {
        return Err(EdgesError::Fraction(fraction));
    }
    let mut wanted = ((count as f64 * fraction).round() as usize).clamp(1.min(count), count);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let chosen = (0..count).map(|i| {
        let take = random.random::<f64>() * ((count - i) as f64) < wanted as f64;
        wanted -= usize::from(take);
        take
    });
    Ok(chosen.collect())
}

pub(crate) fn check_length(
    found: usize,
    expected: usize,
    what: impl FnOnce() -> String,
) -> Result<(), EdgesError> {
    if found == expected {
        return Ok(());
    }
    Err(EdgesError::Length { what: what(), found, expected })
}

pub(crate) fn check_pairs(pairs: &[(u32, u32)], nodes: usize) -> Result<(), EdgesError> {
    for (edge, &(i, j)) in pairs.iter().enumerate() {
        let node = i.max(j);
        if node as usize >= nodes {
            return Err(EdgesError::Node { edge, node, nodes });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
