//! Parameter files: whatever they hold, a method is built or a message says why not.

use pellucid_denoise::registry::{self, ParameterMap};
use serde_json::Value;

use crate::{SECONDS, guarded_whole};

/// The text of a TOML file, or of JSON.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    guarded_whole(bytes.len(), SECONDS, || {
        let parsed = match text.starts_with('{') {
            true => serde_json::from_str::<ParameterMap>(text).ok(),
            false => toml::from_str::<ParameterMap>(text).ok(),
        };
        let Some(mut changes) = parsed else { return };
        let word = |v: Option<Value>| v.and_then(|v| v.as_str().map(str::to_owned));
        let preset = word(changes.remove("preset"));
        let named = word(changes.remove("method")).and_then(|name| registry::find(&name).ok());
        for method in named.map_or(registry::methods(), std::slice::from_ref) {
            if let Err(e) = method.build(preset.as_deref(), &changes) {
                assert!(!e.to_string().is_empty());
            }
        }
    });
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for method in registry::methods() {
        let mut map = method.defaults();
        map.insert("method".to_owned(), method.name.into());
        seeds.extend(serde_json::to_vec(&map));
        map.retain(|_, v| !v.is_null());
        seeds.extend(toml::to_string(&map).map(String::into_bytes));
        for preset in method.presets {
            seeds.push(format!("method = {:?}\npreset = {:?}\n", method.name, preset.name).into());
        }
    }
    seeds
}
