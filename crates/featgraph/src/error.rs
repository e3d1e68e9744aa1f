//! Errors of building edges, metrics and of learning.

use thiserror::Error;

/// What can be wrong with the data of an edge set.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EdgesError {
    /// No features were given.
    #[error("there are no features: give at least one column")]
    NoFeatures,
    /// A column, a signal or a list has the wrong length.
    #[error("{what} has {found} values where {expected} are needed")]
    Length {
        /// What was measured.
        what: String,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// A pair names a node that does not exist.
    #[error("edge {edge} names node {node}, but there are {nodes} nodes")]
    Node {
        /// Position of the edge.
        edge: usize,
        /// The node it names.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A feature value is NaN or infinite.
    #[error(
        "feature {feature} at row {row} is {value}: remove the row, or mark missing values with NaN and choose `Missing::ByEdge`"
    )]
    Feature {
        /// Index of the feature.
        feature: usize,
        /// Node (or edge, when differences were given).
        row: usize,
        /// The value found.
        value: f64,
    },
    /// A signal value is NaN or infinite.
    #[error("signal value at node {row} is {value}: leave such nodes out of the edges")]
    Signal {
        /// Node.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// A signal distance is negative, NaN or infinite.
    #[error("the signal distance of edge {edge} is {value}: it must be finite and not negative")]
    Distance {
        /// Position of the edge.
        edge: usize,
        /// The value found.
        value: f64,
    },
    /// The signal distances add up beyond what a double can hold.
    #[error("the signal distances add up to more than a double can hold: rescale the signal")]
    TotalDistance,
    /// A sampling fraction is outside (0, 1].
    #[error("the sampled fraction is {0}: it must be above 0 and at most 1")]
    Fraction(f64),
}

/// What can be wrong with a matrix offered as a metric.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MetricError {
    /// The matrix is not K x K with K at least 1.
    #[error("a metric over {features} features needs {expected} values, got {found}")]
    Shape {
        /// Number of features.
        features: usize,
        /// K * K.
        expected: usize,
        /// Number of values given.
        found: usize,
    },
    /// An entry is NaN or infinite.
    #[error("entry ({row}, {column}) of the metric is {value}")]
    NotFinite {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// The value found.
        value: f64,
    },
    /// The matrix is not symmetric.
    #[error("the metric is not symmetric at ({row}, {column})")]
    NotSymmetric {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
    },
    /// Cholesky's factorization met a pivot that is not positive.
    #[error("the metric is not positive definite: pivot {pivot} of its Cholesky factor is {value}")]
    NotPositiveDefinite {
        /// Index of the pivot.
        pivot: usize,
        /// Its value before the square root.
        value: f64,
    },
    /// The trace is above its limit.
    #[error("the trace of the metric is {trace}, above its limit {limit}")]
    Trace {
        /// The trace.
        trace: f64,
        /// The limit.
        limit: f64,
    },
    /// The trace limit is not a positive finite number.
    #[error("the trace limit is {0}: it must be positive and finite")]
    TraceLimit(f64),
}

/// Why learning could not start or finish.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LearnError {
    /// A parameter breaks its rule.
    #[error("{field} is {value}: {rule}")]
    Parameter {
        /// The field's name.
        field: &'static str,
        /// The value found.
        value: String,
        /// What it must satisfy.
        rule: &'static str,
    },
    /// There is nothing to learn from.
    #[error("there are no edges to learn from")]
    NoEdges,
    /// The start metric has another number of features than the edges.
    #[error("the start metric has {found} features, the edges have {expected}")]
    StartFeatures {
        /// Features of the metric.
        found: usize,
        /// Features of the edges.
        expected: usize,
    },
    /// The edges were refused.
    #[error(transparent)]
    Edges(#[from] EdgesError),
    /// The resulting matrix was refused.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// An eigenvalue decomposition did not converge.
    #[error("the eigenvalue decomposition of a {0} x {0} matrix did not converge")]
    Eigen(usize),
}
