//! What can be wrong with a request or a run.

/// A parameter that cannot run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// No method of that name.
    #[error("there is no method \"{name}\"; known methods: {known}")]
    UnknownMethod {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// No preset of that name.
    #[error("method \"{method}\" has no preset \"{preset}\"; it has: {known}")]
    UnknownPreset {
        /// The method.
        method: String,
        /// What was asked for.
        preset: String,
        /// The presets there are.
        known: String,
    },
    /// No parameter of that name.
    #[error("method \"{method}\" has no parameter \"{name}\"; it has: {known}")]
    UnknownParameter {
        /// The method.
        method: String,
        /// What was given.
        name: String,
        /// The parameters there are.
        known: String,
    },
    /// A value of the wrong type or spelling.
    #[error("method \"{method}\": {detail}")]
    Type {
        /// The method.
        method: String,
        /// What the parser said, naming the field where it can.
        detail: String,
    },
    /// A value outside its range.
    #[error("parameter \"{name}\" is {value}, but it must be {rule}")]
    Range {
        /// The field.
        name: &'static str,
        /// What was given.
        value: String,
        /// What holds for every valid value.
        rule: String,
    },
}

impl ParameterError {
    /// `Ok` if `holds`, else a [`ParameterError::Range`] that names the field and the rule.
    pub fn check(
        holds: bool,
        name: &'static str,
        value: impl std::fmt::Display,
        rule: impl Into<String>,
    ) -> Result<(), ParameterError> {
        if holds {
            Ok(())
        } else {
            Err(ParameterError::Range { name, value: value.to_string(), rule: rule.into() })
        }
    }

    /// `Ok` unless both parameters are given, of which one takes the place of the other.
    pub(crate) fn one_of<T: std::fmt::Display, U>(
        (name, value): (&'static str, Option<T>),
        (other, given): (&'static str, Option<U>),
    ) -> Result<(), ParameterError> {
        match (value, given) {
            (Some(value), Some(_)) => {
                ParameterError::check(false, name, value, format!("null when {other} is given"))
            }
            _ => Ok(()),
        }
    }
}

/// Why a run gave no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DenoiseError {
    /// Fewer usable points than the method needs.
    #[error(
        "the cloud has {finite} usable points ({rows} rows; those that repeat others or are not \
         finite do not count), but {method} needs at least {needed}"
    )]
    TooFewPoints {
        /// The method.
        method: &'static str,
        /// Distinct rows with finite coordinates, without those that take no part.
        finite: usize,
        /// Rows in the cloud.
        rows: usize,
        /// The least number of points.
        needed: usize,
    },
    /// An attribute that the parameters name is missing or has the wrong shape.
    #[error("attribute \"{name}\" {fault}")]
    Attribute {
        /// The attribute.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
    /// No point to move.
    #[error("none of the {rows} points is selected; widen the selection")]
    EmptySelection {
        /// Rows in the cloud.
        rows: usize,
    },
    /// A selection that was made for another cloud.
    #[error(
        "the selection mask has {given} entries, the cloud has {rows} points; give one entry for each point"
    )]
    SelectionLength {
        /// Entries of the selection mask.
        given: usize,
        /// Rows in the cloud.
        rows: usize,
    },
    /// Positions or numbers that do not belong to the points that they are given for.
    #[error("{given} {what} were given for {rows} points; give one for each point")]
    Length {
        /// What was given.
        what: &'static str,
        /// How many.
        given: usize,
        /// Points that they are for.
        rows: usize,
    },
    /// A graph whose edges cannot be numbered.
    #[error(
        "the graph has room for {edges} edges, more than 2^32; denoise the cloud in parts, or with smaller \
         patches or fewer neighbors of patches"
    )]
    TooManyEdges {
        /// Edges that it has room for.
        edges: usize,
    },
    /// Nowhere to look from.
    #[error("no scanner position is known; give one")]
    NoViewpoint,
    /// Parameters that do not fit this cloud.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The observer asked to give up.
    #[error("cancelled")]
    Cancelled,
    /// A numerical routine failed.
    #[error("{step} failed: {detail}")]
    Numerical {
        /// The step.
        step: &'static str,
        /// What happened.
        detail: String,
    },
}
