//! What takes part: a method, perhaps a preset, perhaps some parameters of its own.

use std::fmt;

use pellucid::denoise::Denoiser;
use pellucid::denoise::registry::{self, Method, ParameterMap};
use serde_json::Value;

use pellucid_cli::failure::Failure;
use pellucid_cli::parameters::assignment;

/// Outer iterations that the oracle allows, as in the published runs.
pub const ORACLE_LIMIT: usize = 30;

/// A method with preset and parameters, checked.
#[derive(Clone)]
pub struct Item {
    pub method: &'static Method,
    pub preset: Option<String>,
    /// What differs from the preset, or from the defaults.
    pub changes: ParameterMap,
}

/// An item as it is sent to another process: method, preset, changes.
pub type ItemOrder = (String, Option<String>, ParameterMap);

impl Item {
    /// For another process.
    pub fn order(&self) -> ItemOrder {
        (self.method.name.to_owned(), self.preset.clone(), self.changes.clone())
    }

    /// From what another process sent.
    pub fn from_order((method, preset, changes): ItemOrder) -> Result<Self, Failure> {
        Item::new(&method, preset.as_deref(), changes)
    }

    /// `NAME`, `NAME:PRESET` or `NAME:PRESET{KEY=VALUE,…}`.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let fault = |why: &str| Failure::input(format!("--methods {text}: {why}"));
        let (name, inner) = match text.split_once('{') {
            None => (text, None),
            Some((name, rest)) => {
                let inner = rest.strip_suffix('}').ok_or_else(|| fault("the } is missing"))?;
                (name, Some(inner))
            }
        };
        let (name, preset) = match name.split_once(':') {
            None => (name, None),
            Some((_, "")) => return Err(fault("a preset must follow the colon")),
            Some((name, preset)) => (name, Some(preset.trim())),
        };
        let mut changes = ParameterMap::new();
        for one in inner.map(split).unwrap_or_default() {
            let (key, value) = assignment(&one)?;
            changes.insert(key, value);
        }
        Item::new(name.trim(), preset, changes)
    }

    /// Checks that the method exists and takes the parameters.
    pub fn new(name: &str, preset: Option<&str>, changes: ParameterMap) -> Result<Self, Failure> {
        let method = registry::find(name)?;
        method.build(preset, &changes)?;
        Ok(Item { method, preset: preset.map(str::to_owned), changes })
    }

    /// The items of a list; commas inside brackets do not divide it.
    pub fn list(text: &str) -> Result<Vec<Self>, Failure> {
        split(text).iter().map(|one| Item::parse(one)).collect()
    }

    /// The same with more parameters changed.
    pub fn with(&self, more: &ParameterMap) -> Result<Self, Failure> {
        let mut changes = self.changes.clone();
        changes.extend(more.clone());
        Item::new(self.method.name, self.preset.as_deref(), changes)
    }

    /// Every parameter.
    pub fn values(&self) -> Result<ParameterMap, Failure> {
        let mut values = self.method.values(self.preset.as_deref())?;
        values.extend(self.changes.clone());
        Ok(values)
    }

    /// The method, ready to run.
    pub fn build(&self, more: &ParameterMap) -> Result<Box<dyn Denoiser>, Failure> {
        let mut changes = self.changes.clone();
        changes.extend(more.clone());
        Ok(self.method.build(self.preset.as_deref(), &changes)?)
    }

    /// How the method ends its own iterations, if it has a choice.
    pub fn own_stop(&self) -> Result<Option<OwnStop>, Failure> {
        let values = self.values()?;
        let rule = values.get("stop").and_then(Value::as_str);
        let limit = values.get("iterations").and_then(Value::as_u64);
        Ok(match (rule, limit) {
            (Some(rule), Some(limit)) => {
                Some(OwnStop { by_movement: rule == "movement", limit: limit as usize })
            }
            _ => None,
        })
    }
}

/// A method's own rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnStop {
    /// By the estimated noise: a run without a rule tells when this one would have ended it.
    pub by_movement: bool,
    /// Most iterations.
    pub limit: usize,
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&label(self.method.name, self.preset.as_deref(), &self.changes))
    }
}

/// An item as it is typed.
pub fn label(method: &str, preset: Option<&str>, changes: &ParameterMap) -> String {
    let mut out = method.to_owned();
    if let Some(p) = preset {
        out += &format!(":{p}");
    }
    if !changes.is_empty() {
        let all: Vec<String> = changes.iter().map(|(k, v)| format!("{k}={v}")).collect();
        out += &format!("{{{}}}", all.join(","));
    }
    out
}

/// Divides at commas outside brackets and quotes; empty parts are left out.
fn split(text: &str) -> Vec<String> {
    let (mut depth, mut quoted) = (0_i32, false);
    let mut parts = vec![String::new()];
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.iter().map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}
