//! Node pairs, feature differences `g` and signal distances `d`.

mod builder;

pub use builder::{EdgesBuilder, Missing};

use crate::error::EdgesError;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Edges per tile: what the fused pass keeps in the nearest cache at once.
pub(crate) const TILE: usize = 128;

/// Differences beyond this are shortened along their direction: their weight is zero for every
/// admissible metric, and squares must not overflow.
const LARGEST_DIFFERENCE: f64 = 1e70;

/// The edges of a graph as learning sees them: for each edge the difference `g` of its ends'
/// feature vectors and the distance `d` of its ends' signal values.
///
/// Stored in tiles of columns (128 values of feature 0, 128 of feature 1, …), the last tile
/// padded with edges of distance zero, so that a pass runs over contiguous memory without a
/// special case at the end.
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
    tiles: Vec<f64>,
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
        let mut edges = Self::zeroed(pairs, columns.len(), distances)?;
        for (feature, column) in columns.into_iter().enumerate() {
            for (edge, value) in column.into_iter().enumerate() {
                if !value.is_finite() {
                    return Err(EdgesError::Feature { feature, row: edge, value });
                }
                let at = edges.position(edge, feature);
                edges.tiles[at] = value;
            }
        }
        edges.shorten();
        Ok(edges)
    }

    /// Edges of the signal-dependent regulariser (Eq. 3), where the signal itself is the only
    /// feature: with the metric `1 / sigma^2` the weights are `exp(-(z_i - z_j)^2 / sigma^2)`.
    ///
    /// # Errors
    /// When a signal value is not finite or a pair names a node that does not exist.
    pub fn signal_dependent(signal: &[f64], pairs: Vec<(u32, u32)>) -> Result<Self, EdgesError> {
        Self::builder(signal.len()).feature_column(signal).signal(signal).pairs(pairs).build()
    }

    /// All differences zero; distances checked and padded.
    fn zeroed(
        pairs: Vec<(u32, u32)>,
        features: usize,
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
        let tiles = count.div_ceil(TILE);
        distances.resize(tiles * TILE, 0.0);
        Ok(Self {
            pairs,
            count,
            features,
            padded,
            tiles: vec![0.0; tiles * TILE * padded],
            distances,
            total,
        })
    }

    /// Shortens differences too long to square.
    fn shorten(&mut self) {
        for edge in 0..self.count {
            let at = self.position(edge, 0);
            let column = self.tiles[at..].iter().step_by(TILE).take(self.features);
            let longest = column.fold(0.0_f64, |m, v| m.max(v.abs()));
            if longest > LARGEST_DIFFERENCE {
                for feature in 0..self.features {
                    self.tiles[at + feature * TILE] *= LARGEST_DIFFERENCE / longest;
                }
            }
        }
    }

    /// Where the difference of a feature over an edge is stored.
    fn position(&self, edge: usize, feature: usize) -> usize {
        ((edge / TILE) * self.padded + feature) * TILE + edge % TILE
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
        (0..self.features).map(|feature| self.tiles[self.position(edge, feature)]).collect()
    }

    /// Features per tile, zero columns included.
    pub(crate) fn padded_features(&self) -> usize {
        self.padded
    }

    /// The tiles: `padded_features` columns of `TILE` differences each.
    pub(crate) fn tiles(&self) -> &[f64] {
        &self.tiles
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
        let tiles = kept.len().div_ceil(TILE);
        distances.resize(tiles * TILE, 0.0);
        let mut part = Self {
            pairs,
            count: kept.len(),
            features: self.features,
            padded: self.padded,
            tiles: vec![0.0; tiles * TILE * self.padded],
            distances,
            total,
        };
        for (new, &old) in kept.iter().enumerate() {
            let (to, from) = (part.position(new, 0), self.position(old, 0));
            for feature in 0..self.features {
                part.tiles[to + feature * TILE] = self.tiles[from + feature * TILE];
            }
        }
        part
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

fn check_pairs(pairs: &[(u32, u32)], nodes: usize) -> Result<(), EdgesError> {
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
