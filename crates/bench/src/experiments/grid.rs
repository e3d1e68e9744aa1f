//! Parameter values to try, as data.

use std::path::Path;

use pellucid::denoise::registry::ParameterMap;
use serde_json::Value;

use super::item::Item;
use pellucid::steps::toml_to_json;
use pellucid_cli::failure::{Failure, naming};
use pellucid_cli::parameters::read_text;

/// More combinations than this are a mistake.
const MOST_COMBINATIONS: usize = 1000;

/// A parameter and its values.
type Axis = (String, Vec<Value>);

/// Lists of values by method and parameter, from a TOML file.
#[derive(Debug, Default)]
pub struct Grid {
    methods: Vec<(String, Vec<Axis>)>,
}

impl Grid {
    /// Reads a file of `[method]` tables with `parameter = [values]`; a table may be named
    /// `"method:preset"`. Methods that do not take part are ignored.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let fault = |e: &dyn std::fmt::Display| Failure::input(naming(path, e));
        let text = read_text(path)?;
        Grid::parse(&text).map_err(|e| fault(&e))
    }

    /// The same from text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: toml::Table = toml::from_str(text).map_err(|e| e.to_string())?;
        let mut methods = Vec::new();
        for (method, table) in file {
            let toml::Value::Table(table) = table else {
                return Err(format!("{method}: give a table [{method}] of lists"));
            };
            let mut axes = Vec::new();
            for (name, list) in table {
                let values = match toml_to_json(&list) {
                    Some(Value::Array(values)) if !values.is_empty() => values,
                    _ => return Err(format!("{method}.{name}: give a list of values")),
                };
                axes.push((name, values));
            }
            let combinations = axes.iter().try_fold(1_usize, |n, a| n.checked_mul(a.1.len()));
            if combinations.is_none_or(|n| n > MOST_COMBINATIONS) {
                return Err(format!("{method}: more than {MOST_COMBINATIONS} combinations"));
            }
            methods.push((method, axes));
        }
        Ok(Grid { methods })
    }

    /// Every combination of the values for an item; none if the grid does not name it.
    pub fn of(&self, item: &Item) -> Vec<ParameterMap> {
        let full = match &item.preset {
            Some(p) => format!("{}:{p}", item.method.name),
            None => item.method.name.to_owned(),
        };
        let Some((_, axes)) = self.methods.iter().find(|m| m.0 == full) else {
            return Vec::new();
        };
        let mut all = vec![ParameterMap::new()];
        for (name, values) in axes {
            let longer = |map: &ParameterMap| {
                let map = map.clone();
                values.iter().map(move |v| {
                    let mut longer = map.clone();
                    longer.insert(name.clone(), v.clone());
                    longer
                })
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }
}
