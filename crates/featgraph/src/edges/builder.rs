//! Edges from node features and signals.

use super::tiles::{Differences, Nodes};
use super::{Edges, check_length, check_pairs};
use crate::error::EdgesError;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What a NaN among the node features means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Missing {
    /// It is a mistake: building fails.
    #[default]
    Refuse,
    /// The value is missing. An edge uses the features that both its ends have: the others
    /// count as equal, and the difference is multiplied by `sqrt(K / present)`, so that `g' M g`
    /// is `K / present` times what the present features contribute. An edge without any common
    /// feature has difference zero (weight one).
    ByEdge,
}

/// Collects node features, signals and pairs; see [`Edges::builder`].
#[derive(Debug, Clone)]
pub struct EdgesBuilder<'a> {
    nodes: usize,
    columns: Vec<Cow<'a, [f64]>>,
    rows: Option<(usize, &'a [f64])>,
    signals: Vec<&'a [f64]>,
    pairs: Vec<(u32, u32)>,
    missing: Missing,
}

impl<'a> EdgesBuilder<'a> {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            nodes,
            columns: Vec::new(),
            rows: None,
            signals: Vec::new(),
            pairs: Vec::new(),
            missing: Missing::default(),
        }
    }

    /// Adds one feature, given by its value at every node.
    #[must_use]
    pub fn feature_column(mut self, column: &'a [f64]) -> Self {
        self.columns.push(Cow::Borrowed(column));
        self
    }

    /// Sets `features` features, given node by node (row-major). They come before any column.
    #[must_use]
    pub fn feature_rows(mut self, features: usize, rows: &'a [f64]) -> Self {
        self.rows = Some((features, rows));
        self
    }

    /// Adds an observation of the signal: one value per node. Several observations add up in
    /// `d`; a vector-valued signal is one observation per component.
    #[must_use]
    pub fn signal(mut self, values: &'a [f64]) -> Self {
        self.signals.push(values);
        self
    }

    /// Sets the edges.
    #[must_use]
    pub fn pairs(mut self, pairs: Vec<(u32, u32)>) -> Self {
        self.pairs = pairs;
        self
    }

    /// Says what NaN among the features means.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// Computes the distances and puts the features in order; differences are gathered in passes.
    ///
    /// # Errors
    /// When lengths do not match the number of nodes, a pair names a node that does not exist,
    /// or a value is not finite (NaN features are allowed under [`Missing::ByEdge`]).
    pub fn build(self) -> Result<Edges, EdgesError> {
        let columns = self.all_columns()?;
        if columns.is_empty() {
            return Err(EdgesError::NoFeatures);
        }
        for (feature, column) in columns.iter().enumerate() {
            check_length(column.len(), self.nodes, || format!("feature {feature}"))?;
            for (row, &value) in column.iter().enumerate() {
                let allowed = value.is_nan() && self.missing == Missing::ByEdge;
                if !value.is_finite() && !allowed {
                    return Err(EdgesError::Feature { feature, row, value });
                }
            }
        }
        check_pairs(&self.pairs, self.nodes)?;
        let distances = self.distances()?;
        let features = columns.len();
        let differences = Differences::Gathered(Nodes::new(self.nodes, &columns));
        drop(columns);
        Edges::checked(self.pairs, features, differences, distances)
    }

    fn all_columns(&self) -> Result<Vec<Cow<'a, [f64]>>, EdgesError> {
        let Some((features, rows)) = self.rows else {
            return Ok(self.columns.clone());
        };
        let expected = self.nodes.saturating_mul(features);
        check_length(rows.len(), expected, || "the feature matrix".into())?;
        let column = |k: usize| rows.iter().skip(k).step_by(features).copied().collect();
        let mut columns: Vec<Cow<'a, [f64]>> =
            (0..features).map(|k| Cow::Owned(column(k))).collect();
        columns.extend(self.columns.iter().cloned());
        Ok(columns)
    }

    /// d_ij: the sum over observations of the squared difference.
    fn distances(&self) -> Result<Vec<f64>, EdgesError> {
        let mut distances = vec![0.0; self.pairs.len()];
        for (observation, signal) in self.signals.iter().enumerate() {
            check_length(signal.len(), self.nodes, || format!("signal {observation}"))?;
            if let Some(row) = signal.iter().position(|v| !v.is_finite()) {
                let value = signal[row];
                return Err(EdgesError::Signal { row, value });
            }
            for (d, &(i, j)) in distances.iter_mut().zip(&self.pairs) {
                let step = signal[i as usize] - signal[j as usize];
                *d += step * step;
            }
        }
        Ok(distances)
    }
}
