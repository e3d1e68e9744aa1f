//! Parameters of methods. Each is written once, as a row of `parameters!` with its name, type, default, range,
//! unit and help; the check, the program's help, Python, C and the tables of the docs follow from it.

use std::fmt;
use std::ops::{Bound, Deref, RangeBounds};

use pellucid_cloud::PointCloud;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};

use crate::{DenoiseError, Denoised, Denoiser, ParameterError, Run};

/// What is known about a parameter; [`Method::defaults`](crate::registry::Method::defaults) has the default.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Parameter {
    /// The field of the method's type, and the key in JSON.
    pub name: &'static str,
    /// What kind of value it takes.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Whether it may be null (`None` in Rust), so that the method decides.
    pub optional: bool,
    /// The names it chooses from; empty if it is no choice.
    pub choices: &'static [&'static str],
    /// The values it may have.
    pub range: Range,
    /// `spacings`, `points`, `iterations` …; empty for a pure number or a choice.
    pub unit: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// Kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A finite number.
    Number,
    /// A whole number from 0 on.
    Count,
    /// True or false.
    Switch,
    /// One of several names.
    Choice,
    /// A list of names.
    Names,
}

/// An interval of numbers that may be open at either end; serialized in words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range(Bound<f64>, Bound<f64>);

/// From `least` to `most`, both included.
pub(crate) const fn between(least: f64, most: f64) -> Range {
    Range(Bound::Included(least), Bound::Included(most))
}

/// `least` or more.
pub(crate) const fn at_least(least: f64) -> Range {
    Range(Bound::Included(least), Bound::Unbounded)
}

/// More than `limit`.
pub(crate) const fn above(limit: f64) -> Range {
    Range(Bound::Excluded(limit), Bound::Unbounded)
}

impl Range {
    /// Every finite number.
    pub const ANY: Range = Range(Bound::Unbounded, Bound::Unbounded);

    /// The same, but `most` is the largest value.
    pub(crate) const fn up_to(self, most: f64) -> Range {
        Range(self.0, Bound::Included(most))
    }

    /// The same, but all values are less than `limit`.
    pub(crate) const fn below(self, limit: f64) -> Range {
        Range(self.0, Bound::Excluded(limit))
    }

    /// The range that a row gives, if it gives one.
    pub(crate) const fn of_row(given: &[Range]) -> Range {
        if given.is_empty() { Range::ANY } else { given[0] }
    }

    /// Whether it has this number.
    pub fn contains(&self, number: f64) -> bool {
        number.is_finite() && (self.0, self.1).contains(&number)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.0, self.1) {
            (Bound::Unbounded, Bound::Unbounded) => return f.write_str("a finite number"),
            (Bound::Included(a), Bound::Included(b)) => return write!(f, "from {a} to {b}"),
            (Bound::Included(a), _) => write!(f, "at least {a}")?,
            (Bound::Excluded(a), _) => write!(f, "above {a}")?,
            (Bound::Unbounded, _) => {}
        }
        let and = if matches!(self.0, Bound::Unbounded) { "" } else { " and " };
        match self.1 {
            Bound::Included(b) => write!(f, "{and}at most {b}"),
            Bound::Excluded(b) => write!(f, "{and}below {b}"),
            Bound::Unbounded => Ok(()),
        }
    }
}

impl Serialize for Range {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            &Range::ANY => serializer.serialize_none(),
            range => serializer.collect_str(range),
        }
    }
}

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Given<'a> {
    /// `None`: the method decides.
    Null,
    /// See [`Kind::Number`].
    Number(f64),
    /// See [`Kind::Count`].
    Count(usize),
    /// See [`Kind::Switch`].
    Switch(bool),
    /// See [`Kind::Choice`].
    Choice(&'static str),
    /// See [`Kind::Names`].
    Names(&'a [String]),
}

impl fmt::Display for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Given::Null => f.write_str("null"),
            Given::Number(x) => write!(f, "{x}"),
            Given::Count(n) => write!(f, "{n}"),
            Given::Switch(on) => write!(f, "{on}"),
            Given::Choice(name) => write!(f, "\"{name}\""),
            Given::Names(names) => write!(f, "{names:?}"),
        }
    }
}

impl Parameter {
    /// What every valid value is, in words: a range, or the names to choose from.
    pub fn rule(&self) -> String {
        let null = if self.optional { ", or null" } else { "" };
        match self.kind {
            Kind::Switch => "true or false".to_owned(),
            Kind::Choice => self.choices.join(", "),
            Kind::Names => format!("a list of names whose length is {}", self.range),
            Kind::Number | Kind::Count => format!("{}{null}", self.range),
        }
    }

    /// An error that names the parameter and the rule, if the value is out of its range.
    pub(crate) fn check(&self, value: Given) -> Result<(), ParameterError> {
        let holds = match value {
            Given::Null | Given::Switch(_) | Given::Choice(_) => true,
            Given::Number(x) => self.range.contains(x),
            Given::Count(n) => self.range.contains(n as f64),
            Given::Names(names) => self.range.contains(names.len() as f64),
        };
        ParameterError::check(holds, self.name, value, self.rule())
    }
}

/// A type that a parameter can have.
pub trait Setting {
    /// The kind of its values.
    const KIND: Kind;
    /// Whether a value may be null.
    const OPTIONAL: bool = false;
    /// The names to choose from.
    const CHOICES: &'static [&'static str] = &[];

    /// The value as a parameter's.
    fn given(&self) -> Given<'_>;
}

macro_rules! settings {
    ($($type:ty, $kind:ident, $self:ident => $value:expr;)+) => {$(
        impl Setting for $type {
            const KIND: Kind = Kind::$kind;

            fn given(&$self) -> Given<'_> {
                Given::$kind($value)
            }
        }
    )+};
}

settings! {
    f64, Number, self => *self;
    usize, Count, self => *self;
    bool, Switch, self => *self;
    Vec<String>, Names, self => self;
}

impl<T: Setting> Setting for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;
    const CHOICES: &'static [&'static str] = T::CHOICES;

    fn given(&self) -> Given<'_> {
        self.as_ref().map_or(Given::Null, T::given)
    }
}

/// The rows and values of a method's parameters; `parameters!` writes it.
pub trait ParameterTable: Sized {
    /// One row a field.
    const ROWS: &'static [Parameter];

    /// The values, in the order of the rows.
    fn values(&self) -> Vec<Given<'_>>;
}

/// The parameters of a method: plain data with defaults.
pub trait Parameters:
    ParameterTable + Default + Serialize + DeserializeOwned + Send + Sync
{
    /// The parameters of a preset, if there is one of that name.
    fn preset(_name: &str) -> Option<Self> {
        None
    }

    /// Checks what the ranges of single parameters cannot say.
    fn check_together(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    /// Runs the method.
    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError>;

    /// A denoiser with these parameters, or an error that names the one that is out of its range.
    fn denoiser(self) -> Result<Checked<Self>, ParameterError> {
        for (row, value) in Self::ROWS.iter().zip(self.values()) {
            row.check(value)?;
        }
        self.check_together()?;
        Ok(Checked(self))
    }
}

/// Parameters that were checked: only these can run. [`Parameters::denoiser`] makes it.
#[derive(Debug, Clone)]
pub struct Checked<P>(P);

impl<P> Deref for Checked<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.0
    }
}

impl<P: Parameters> Checked<P> {
    /// Denoises a cloud, as [`Denoiser::denoise`] does, which need not be imported for it.
    pub fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        Denoiser::denoise(self, noisy, run)
    }
}

impl<P: Parameters> Denoiser for Checked<P> {
    /// Runs the method on the threads that the run asks for; its progress goes from 0 to 1.
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        crate::install(run.threads(), || {
            run.progress("start", 0, 0.0)?;
            let result = P::apply(self, noisy, run)?;
            // The result is complete, so a request to cancel comes too late.
            let _ = run.progress("done", result.iterations, 1.0);
            Ok(result)
        })
    }
}

/// Defines the type of a method's parameters, one row a parameter:
/// `/// help`, `name: type = default, in range, unit "unit";` where range and unit may be left out.
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(
                $(#[doc = $about:literal])+
                $field:ident: $type:ty = $default:expr $(, in $range:expr)? $(, unit $unit:literal)?;
            )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[doc = $about])+ pub $field: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)+ }
            }
        }

        impl $crate::parameters::ParameterTable for $name {
            const ROWS: &'static [$crate::parameters::Parameter] = &[$(
                $crate::parameters::Parameter {
                    name: stringify!($field),
                    kind: <$type as $crate::parameters::Setting>::KIND,
                    optional: <$type as $crate::parameters::Setting>::OPTIONAL,
                    choices: <$type as $crate::parameters::Setting>::CHOICES,
                    range: $crate::parameters::Range::of_row(&[$($range)?]),
                    unit: concat!($($unit)?),
                    about: concat!($($about),+).trim_ascii(),
                },
            )+];

            fn values(&self) -> Vec<$crate::parameters::Given<'_>> {
                vec![$($crate::parameters::Setting::given(&self.$field),)+]
            }
        }
    };
}
pub(crate) use parameters;

/// Defines an enum that a parameter chooses from, each variant with the name that people type.
macro_rules! choices {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$about:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$about])* #[serde(rename = $text)] $variant,)+
        }

        impl $crate::parameters::Setting for $name {
            const KIND: $crate::parameters::Kind = $crate::parameters::Kind::Choice;
            const CHOICES: &'static [&'static str] = &[$($text,)+];

            fn given(&self) -> $crate::parameters::Given<'_> {
                $crate::parameters::Given::Choice(match self {
                    $($name::$variant => $text,)+
                })
            }
        }
    };
}
pub(crate) use choices;

#[cfg(test)]
#[path = "parameters_tests.rs"]
mod tests;
