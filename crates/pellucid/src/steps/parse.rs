//! Pipeline files as text.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::{Pipeline, Step, StepError};

/// A path, or a list of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(PathBuf),
    /// Several.
    Many(Vec<PathBuf>),
}

/// A file as it stands; steps are read one by one, so that messages name the one at fault.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Raw {
    read: Option<OneOrMany>,
    write: Option<PathBuf>,
    overwrite: bool,
    seed: u64,
    step: Vec<Value>,
}

/// The names of all steps.
const STEPS: [&str; 5] = ["outliers", "denoise", "normals", "thin", "dedup"];

impl Pipeline {
    /// A pipeline from the text of a TOML file, with every value checked.
    pub fn from_toml(text: &str) -> Result<Pipeline, StepError> {
        let raw: Raw = toml::from_str(text).map_err(|e| StepError::File(e.to_string()))?;
        Pipeline::from_raw(raw)
    }

    /// A pipeline from JSON of the same structure, with every value checked.
    pub fn from_json(text: &str) -> Result<Pipeline, StepError> {
        let raw: Raw = serde_json::from_str(text).map_err(|e| StepError::File(e.to_string()))?;
        Pipeline::from_raw(raw)
    }

    fn from_raw(raw: Raw) -> Result<Pipeline, StepError> {
        let steps = raw.step.into_iter().enumerate().map(|(k, value)| step(k + 1, value));
        let read = match raw.read {
            None => Vec::new(),
            Some(OneOrMany::One(path)) => vec![path],
            Some(OneOrMany::Many(paths)) => paths,
        };
        let steps: Vec<Step> = steps.collect::<Result<_, _>>()?;
        if steps.is_empty() {
            let fault = "there are no steps; begin one with [[step]] and a line such as \
                         do = \"denoise\"";
            return Err(StepError::File(fault.to_owned()));
        }
        Ok(Pipeline { read, write: raw.write, overwrite: raw.overwrite, seed: raw.seed, steps })
    }
}

fn step(number: usize, value: Value) -> Result<Step, StepError> {
    let fault = |text: String| StepError::File(format!("step {number}: {text}"));
    let known = STEPS.join(", ");
    let name = match value.get("do") {
        None => return Err(fault(format!("say what to do: do = one of {known}"))),
        Some(name) => name.as_str().unwrap_or_default().to_owned(),
    };
    if !STEPS.contains(&name.as_str()) {
        return Err(fault(format!("there is no step \"{name}\"; known are {known}")));
    }
    let step: Step = serde_json::from_value(value).map_err(|e| fault(format!("{name}: {e}")))?;
    step.check().map_err(|e| fault(format!("{name}: {e}")))?;
    Ok(step)
}

/// A value of TOML as one of JSON; `None` for what that cannot hold: infinite numbers and dates.
pub fn toml_to_json(value: &toml::Value) -> Option<Value> {
    Some(match value {
        toml::Value::String(s) => Value::String(s.clone()),
        toml::Value::Integer(i) => Value::from(*i),
        toml::Value::Float(f) => Value::Number(serde_json::Number::from_f64(*f)?),
        toml::Value::Boolean(b) => Value::Bool(*b),
        toml::Value::Datetime(_) => return None,
        toml::Value::Array(a) => Value::Array(a.iter().map(toml_to_json).collect::<Option<_>>()?),
        toml::Value::Table(t) => Value::Object(
            t.iter().map(|(k, v)| Some((k.clone(), toml_to_json(v)?))).collect::<Option<_>>()?,
        ),
    })
}
