//! The table of methods. Program help, Python, docs and the conformance tests iterate over it.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::methods;
use crate::parameters::{Parameter, Parameters};
use crate::{Denoiser, ParameterError};

/// Parameter values by name, as JSON values.
pub type ParameterMap = Map<String, Value>;

/// Makes a denoiser of a row from a preset and changed parameters.
pub(crate) type Build =
    fn(&Method, Option<&str>, &ParameterMap) -> Result<Box<dyn Denoiser>, ParameterError>;

/// One method: a row of the table.
pub struct Method {
    /// The name people type.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// The reference's DOI, if it has one.
    pub doi: Option<&'static str>,
    /// Fewest usable points it can work with.
    pub min_points: usize,
    /// What can be relied on.
    pub properties: Properties,
    /// Named sets of parameters.
    pub presets: &'static [Preset],
    /// What is known about each parameter.
    pub parameters: &'static [Parameter],
    pub(crate) defaults: fn() -> Value,
    pub(crate) preset_values: fn(&str) -> Option<Value>,
    pub(crate) build: Build,
}

/// What can be relied on, beyond what holds for every method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Properties {
    /// Points may wander along the surface, so a point is no longer where it was measured.
    pub redistributes: bool,
    /// Turning the cloud turns the result.
    pub rotation_invariant: bool,
    /// Moving and uniformly scaling the cloud does the same to the result.
    pub scale_invariant: bool,
    /// Kept to compare with, not to use: it may leave most of the noise.
    pub for_the_record: bool,
}

impl Properties {
    /// What holds for most methods.
    pub const USUAL: Properties = Properties {
        redistributes: false,
        rotation_invariant: true,
        scale_invariant: true,
        for_the_record: false,
    };
}

/// A named set of parameters.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Preset {
    /// The name people type.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What can be relied on with it.
    pub properties: Properties,
}

impl Method {
    /// A row for a method with parameters `P`.
    pub const fn new<P: Parameters + 'static>(
        name: &'static str,
        summary: &'static str,
        reference: &'static str,
        doi: Option<&'static str>,
    ) -> Method {
        Method {
            name,
            summary,
            reference,
            doi,
            min_points: 1,
            properties: Properties::USUAL,
            presets: &[],
            parameters: P::ROWS,
            defaults: || serde_json::to_value(P::default()).unwrap_or_default(),
            preset_values: |name| serde_json::to_value(P::preset(name)?).ok(),
            build: build::<P>,
        }
    }

    /// The default parameters.
    pub fn defaults(&self) -> ParameterMap {
        match (self.defaults)() {
            Value::Object(map) => map,
            _ => ParameterMap::new(),
        }
    }

    /// Every parameter of a preset, or of the defaults for `None`.
    pub fn values(&self, preset: Option<&str>) -> Result<ParameterMap, ParameterError> {
        let Some(name) = preset else { return Ok(self.defaults()) };
        match (self.preset_values)(name) {
            Some(Value::Object(map)) => Ok(map),
            _ => Err(self.unknown_preset(name)),
        }
    }

    fn unknown_preset(&self, preset: &str) -> ParameterError {
        ParameterError::UnknownPreset {
            method: self.name.to_owned(),
            preset: preset.to_owned(),
            known: join(self.presets.iter().map(|p| p.name)),
        }
    }

    /// A denoiser from a preset (or the defaults) with some parameters changed.
    pub fn build(
        &self,
        preset: Option<&str>,
        changes: &ParameterMap,
    ) -> Result<Box<dyn Denoiser>, ParameterError> {
        (self.build)(self, preset, changes)
    }
}

impl Serialize for Method {
    /// The row as the program, Python and C show it, with the defaults and whether it is the default method.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Method", 10)?;
        row.serialize_field("name", self.name)?;
        row.serialize_field("default", &(self.name == DEFAULT))?;
        row.serialize_field("summary", self.summary)?;
        row.serialize_field("reference", self.reference)?;
        row.serialize_field("doi", &self.doi)?;
        row.serialize_field("min_points", &self.min_points)?;
        row.serialize_field("properties", &self.properties)?;
        row.serialize_field("presets", self.presets)?;
        row.serialize_field("parameters", self.parameters)?;
        row.serialize_field("defaults", &self.defaults())?;
        row.end()
    }
}

fn build<P: Parameters + 'static>(
    method: &Method,
    preset: Option<&str>,
    changes: &ParameterMap,
) -> Result<Box<dyn Denoiser>, ParameterError> {
    let base = match preset {
        None => P::default(),
        Some(name) => P::preset(name).ok_or_else(|| method.unknown_preset(name))?,
    };
    let wrong_type = |e: serde_json::Error| ParameterError::Type {
        method: method.name.to_owned(),
        detail: e.to_string(),
    };
    let mut value = serde_json::to_value(base).map_err(wrong_type)?;
    if let Value::Object(fields) = &mut value {
        for (name, change) in changes {
            let Some(field) = fields.get_mut(name) else {
                return Err(ParameterError::UnknownParameter {
                    method: method.name.to_owned(),
                    name: name.clone(),
                    known: join(fields.keys().map(String::as_str)),
                });
            };
            *field = change.clone();
            // Parse after each change, so that the message can name the field at fault.
            serde_json::from_value::<P>(Value::Object(fields.clone())).map_err(|e| {
                ParameterError::Type {
                    method: method.name.to_owned(),
                    detail: format!("parameter \"{name}\" = {change}: {e}"),
                }
            })?;
        }
    }
    let parameters = serde_json::from_value::<P>(value).map_err(wrong_type)?;
    Ok(Box::new(parameters.denoiser()?))
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = names.collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

/// Every method, in the order in which they are listed.
pub fn methods() -> &'static [Method] {
    static METHODS: &[Method] = &[
        methods::auto::METHOD,
        methods::mls::METHOD,
        methods::lop::METHOD,
        methods::wlop::METHOD,
        methods::awlop::METHOD,
        methods::nld::METHOD,
        methods::apss::METHOD,
        methods::rimls::METHOD,
        methods::bilateral::METHOD,
        methods::mrpca::METHOD,
        methods::lr::METHOD,
        methods::glr::METHOD,
        methods::fgl::METHOD,
    ];
    METHODS
}

/// The method that runs when none is named.
pub const DEFAULT: &str = "auto";

/// The method of that name.
pub fn find(name: &str) -> Result<&'static Method, ParameterError> {
    methods().iter().find(|m| m.name == name).ok_or_else(|| ParameterError::UnknownMethod {
        name: name.to_owned(),
        known: join(methods().iter().map(|m| m.name)),
    })
}
