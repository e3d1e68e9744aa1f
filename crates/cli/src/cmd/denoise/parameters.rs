//! Method and parameters, from the command line and a parameter file.

use std::fs;
use std::io::Read;
use std::path::Path;

use pellucid::cloud::Point;
use pellucid::denoise::registry::{self, Method, ParameterMap};
use pellucid::denoise::{AlongRay, DenoiseError, Denoised, Denoiser, OnlySelected};
use pellucid::steps::toml_to_json;
use pellucid::{PointCloud, Run};
use serde_json::Value;

use crate::args::{Denoise, Normals};
use crate::failure::{Failure, naming};

/// Parameter files longer than this are something else.
const LONGEST_FILE: u64 = 1 << 20;

/// The method that runs, with its parameters.
pub struct ChosenMethod {
    pub method: &'static Method,
    pub preset: Option<String>,
    /// What differs from the preset, or from the defaults.
    pub changes: ParameterMap,
    pub denoiser: Box<dyn Denoiser>,
}

impl ChosenMethod {
    /// The command line goes before the file, the file before the defaults.
    pub fn new(args: &Denoise) -> Result<Self, Failure> {
        let mut file = match &args.params {
            Some(path) => read(path)?,
            None => ParameterMap::new(),
        };
        let method = args.method.clone().or(name(&mut file, "method", args.params.as_deref())?);
        let preset = args.preset.clone().or(name(&mut file, "preset", args.params.as_deref())?);
        let method = method.map(|m| m.to_ascii_lowercase());
        let method = registry::find(method.as_deref().unwrap_or(registry::DEFAULT))?;
        let mut changes = file;
        for text in &args.set {
            let (key, value) = assignment(text)?;
            changes.insert(key, value);
        }
        if let Some(strength) = args.strength {
            needs(method, "strength", "--strength")?;
            changes.insert("strength".to_owned(), strength.into());
        }
        if let Some(noise) = args.noise {
            needs(method, "noise", "--noise")?;
            changes.insert("noise".to_owned(), noise.into());
        }
        if args.normals == Normals::File {
            use_file_normals(method, &mut changes)?;
        }
        let denoiser = method.build(preset.as_deref(), &changes)?;
        Ok(ChosenMethod { method, preset, changes, denoiser })
    }

    /// The method, for a selection of points and along lines of sight if these are given.
    pub fn restricted<'a>(
        &'a self,
        part: Option<&'a [bool]>,
        alone: bool,
        viewpoints: Option<&'a [Point]>,
    ) -> Restricted<'a> {
        Restricted { method: &*self.denoiser, part, alone, viewpoints }
    }
}

/// A method with the restrictions of the command line.
pub struct Restricted<'a> {
    method: &'a dyn Denoiser,
    part: Option<&'a [bool]>,
    alone: bool,
    viewpoints: Option<&'a [Point]>,
}

impl Denoiser for Restricted<'_> {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        let along = self.viewpoints.map(|eyes| AlongRay::new(self.method, eyes));
        let method = along.as_ref().map_or(self.method, |a| a as &dyn Denoiser);
        match self.part {
            Some(part) if self.alone => OnlySelected::new(method, part).alone().denoise(noisy, run),
            Some(part) => OnlySelected::new(method, part).denoise(noisy, run),
            None => method.denoise(noisy, run),
        }
    }
}

/// An error for `flag` if the method lacks the parameter behind it.
fn needs(method: &Method, parameter: &str, flag: &str) -> Result<(), Failure> {
    let has = |m: &Method| m.defaults().contains_key(parameter);
    if has(method) {
        return Ok(());
    }
    let able = registry::methods().iter().filter(|m| has(m)).map(|m| m.name);
    Err(Failure::input(format!(
        "{flag}: method \"{}\" has no such parameter; these do: {}",
        method.name,
        able.collect::<Vec<_>>().join(", ")
    )))
}

/// `--normals file` is the parameter `normals` of the methods that have it.
fn use_file_normals(method: &Method, changes: &mut ParameterMap) -> Result<(), Failure> {
    needs(method, "normals", "--normals file")?;
    match changes.insert("normals".to_owned(), "file".into()) {
        Some(other) if other != "file" => Err(Failure::input(format!(
            "--normals file contradicts normals = {other}; give one of them"
        ))),
        _ => Ok(()),
    }
}

/// The text of a parameter file; no more is read of one that may have no end.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let fault = |e: &dyn std::fmt::Display| Failure::input(naming(path, e));
    let mut text = String::new();
    let file = fs::File::open(path).map_err(|e| fault(&e))?;
    file.take(LONGEST_FILE + 1).read_to_string(&mut text).map_err(|e| fault(&e))?;
    if text.len() as u64 > LONGEST_FILE {
        return Err(fault(&"is too long for a parameter file (more than 1 MB)"));
    }
    Ok(text)
}

fn read(path: &Path) -> Result<ParameterMap, Failure> {
    let fault = |e: &dyn std::fmt::Display| Failure::input(naming(path, e));
    let text = read_text(path)?;
    let table: toml::Table = toml::from_str(&text).map_err(|e| fault(&e))?;
    table
        .into_iter()
        .map(|(key, value)| match toml_to_json(&value) {
            Some(v) => Ok((key, v)),
            None => Err(fault(&format!("{key} = {value} is not a number, text, list or table"))),
        })
        .collect()
}

/// Takes a name out of the parameters of a file.
fn name(map: &mut ParameterMap, key: &str, file: Option<&Path>) -> Result<Option<String>, Failure> {
    match map.remove(key) {
        None => Ok(None),
        Some(Value::String(s)) => Ok(Some(s)),
        Some(v) => {
            let fault = format!("{key} = {v}, but it must be a name in quotes");
            Err(Failure::input(naming(file.unwrap_or(Path::new("")), fault)))
        }
    }
}

/// `key=value`; the value is JSON or TOML, or else text.
pub fn assignment(text: &str) -> Result<(String, Value), Failure> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(Failure::input(format!("--set {text}: give it as KEY=VALUE")));
    };
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() {
        return Err(Failure::input(format!("--set {text}: the name before = is missing")));
    }
    let toml = || {
        let table: toml::Table = toml::from_str(&format!("v = {value}")).ok()?;
        // Line breaks in the value could make more than one entry.
        (table.len() == 1).then(|| toml_to_json(table.get("v")?))?
    };
    let parsed = serde_json::from_str(value).ok().or_else(toml);
    Ok((key.to_owned(), parsed.unwrap_or_else(|| Value::String(value.to_owned()))))
}
