//! Values that completions offer: methods, presets and colors.

use clap::Arg;
use clap::Command;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use pellucid::denoise::parameters::Range;
use pellucid::denoise::registry;

/// A method's name, in any case.
pub fn method() -> impl TypedValueParser<Value = String> {
    let names = registry::methods().iter().map(|m| PossibleValue::new(m.name).help(m.summary));
    PossibleValuesParser::new(names).map(|name| name.to_ascii_lowercase())
}

/// A preset's name; whether the method has it is checked with the method.
pub fn preset() -> impl TypedValueParser<Value = String> {
    let mut names: Vec<&'static str> =
        registry::methods().iter().flat_map(|m| m.presets).map(|p| p.name).collect();
    names.sort_unstable();
    names.dedup();
    Open(names)
}

/// What colors of a picture mean; any attribute may be named.
pub fn color() -> impl TypedValueParser<Value = String> {
    let fixed = ["auto", "plain", "original", "normal", "displacement", "distance", "x", "y", "z"];
    let usual = ["intensity", "classification", "time", "return_number", "scan"];
    Open(fixed.into_iter().chain(usual).collect())
}

/// Any text; completions offer some.
#[derive(Clone)]
struct Open(Vec<&'static str>);

impl TypedValueParser for Open {
    type Value = String;

    fn parse_ref(
        &self,
        cmd: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|name| PossibleValue::new(*name))))
    }
}

/// A strength within the range of the default method's parameter.
pub fn strength(text: &str) -> Result<f64, String> {
    let row = registry::find(registry::DEFAULT)
        .ok()
        .and_then(|method| method.parameters.iter().find(|p| p.name == "strength"));
    let range = row.map_or(Range::ANY, |p| p.range);
    match text.trim().parse::<f64>() {
        Ok(x) if range.contains(x) => Ok(x),
        _ => Err(format!("give a number {range}; 1 is automatic, lower values keep more detail")),
    }
}

/// A noise above 0, in file units.
pub fn noise(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("give a number above 0: the standard deviation of the noise, in file units; \
                  without --noise it is estimated"
            .into()),
    }
}
