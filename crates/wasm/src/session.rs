//! One file at a time: opened, shown, denoised, saved.

use std::path::Path;

use pellucid::cloud::{Point, vec3};
use pellucid::denoise::registry::{self, ParameterMap};
use pellucid::denoise::{self, Control, Observer};
use pellucid::io::{self, Document, Format, WriteOptions};
use pellucid::{PointCloud, Run};
use pellucid_page::{Group, Layer, metric_in_words};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a page shows at most.
const POINTS: usize = 1_000_000;
const BYTES: usize = 64_000_000;

/// Hears how far a run has come: the share that is done, and the step.
pub trait Progress: Fn(f64, &str) + Send {}
impl<F: Fn(f64, &str) + Send> Progress for F {}

/// What the page wants.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wishes {
    method: String,
    preset: Option<String>,
    parameters: ParameterMap,
    seed: u64,
}

impl Default for Wishes {
    fn default() -> Self {
        Wishes {
            method: registry::DEFAULT.to_owned(),
            preset: None,
            parameters: ParameterMap::new(),
            seed: 0,
        }
    }
}

/// The file, and what came of it.
#[derive(Default)]
pub struct Session {
    name: String,
    document: Option<Document>,
    denoised: Option<PointCloud>,
}

impl Session {
    /// Reads a file's bytes. The answer is a group to show, or an error.
    pub fn open(&mut self, name: &str, bytes: &[u8]) -> String {
        *self = Session::default();
        let format = match Format::from_path(Path::new(name)).or(Format::from_content(bytes)) {
            Some(format) => format,
            None => return failure("the format of this file is not known"),
        };
        match io::read_bytes(bytes, format, name) {
            Ok(document) => {
                let group = Group::pack(name, &[Layer::new(name, &document.cloud)], POINTS, BYTES);
                self.name = name.to_owned();
                self.document = Some(document);
                shown(group, &Value::Null)
            }
            Err(e) => failure(&e.to_string()),
        }
    }

    /// Denoises the file. The answer is a group to show, or an error.
    pub fn denoise(&mut self, wishes: &str, progress: impl Progress) -> String {
        match self.run(wishes, progress) {
            Ok(answer) => answer,
            Err(message) => failure(&message),
        }
    }

    fn run(&mut self, wishes: &str, progress: impl Progress) -> Result<String, String> {
        let Some(document) = &self.document else { return Err("open a file first".to_owned()) };
        let wishes: Wishes = serde_json::from_str(wishes).map_err(|e| e.to_string())?;
        let method = registry::find(&wishes.method).map_err(|e| e.to_string())?;
        let built = method.build(wishes.preset.as_deref(), &wishes.parameters);
        let denoiser = built.map_err(|e| e.to_string())?;
        let noisy = &document.cloud;
        let mut run = Run::default().with_seed(wishes.seed).with_observer(Teller(progress));
        let result = denoiser.denoise(noisy, &mut run).map_err(|e| e.to_string())?;
        let layers =
            [Layer::new("Before", noisy), Layer::new("After", &result.cloud).moved_from(0)];
        let mut group = Group::pack(&self.name, &layers, POINTS, BYTES);
        let report = &result.report;
        let words = match &report.metric {
            Some(m) => metric_in_words(m, &report.features),
            None => Vec::new(),
        };
        let facts = json!({
            "input": self.name,
            "output": null,
            "method": method.name,
            "preset": wishes.preset,
            "parameters": wishes.parameters,
            "seed": wishes.seed,
            "threads": 1,
            "points": noisy.len(),
            "stop": result.stop,
            "iterations": result.iterations,
            "seconds": null,
            "displacement": displacement(noisy.positions(), result.cloud.positions()),
            "attributes": [],
            "part": null,
            "report": report,
        });
        group.meta.insert("words".to_owned(), json!(words));
        group.meta.insert("run".to_owned(), facts.clone());
        self.denoised = Some(result.cloud);
        Ok(shown(group, &facts))
    }

    /// The denoised cloud in the format in which it came.
    pub fn save(&self) -> Result<Vec<u8>, String> {
        let (Some(document), Some(cloud)) = (&self.document, &self.denoised) else {
            return Err("there is nothing to save yet".to_owned());
        };
        let format = document.source.format().ok_or("the format is not known")?;
        let document = Document { cloud: cloud.clone(), source: document.source.clone() };
        io::write_bytes(&document, format, &WriteOptions::default()).map_err(|e| e.to_string())
    }
}

/// How far points moved, as the report of the program tells it.
fn displacement(before: &[Point], after: &[Point]) -> Value {
    let displacement = |(a, b): (&Point, &Point)| vec3::norm(vec3::sub(*b, *a));
    let mut all: Vec<f64> =
        before.iter().zip(after).map(displacement).filter(|d| d.is_finite()).collect();
    all.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| {
        let k = (all.len() as f64 * share).ceil() as usize;
        all.get(k.saturating_sub(1)).copied().unwrap_or(0.0)
    };
    json!({
        "moved": all.iter().filter(|d| **d > 0.0).count(),
        "mean": all.iter().sum::<f64>() / all.len().max(1) as f64,
        "median": at(0.5),
        "p95": at(0.95),
        "max": at(1.0),
    })
}

struct Teller<P>(P);

impl<P: Progress> Observer for Teller<P> {
    fn progress(&mut self, p: &denoise::Progress) -> Control {
        (self.0)(p.fraction, p.step);
        Control::Continue
    }
}

fn failure(message: &str) -> String {
    json!({ "error": message }).to_string()
}

fn shown(group: Group, facts: &Value) -> String {
    let blocks: serde_json::Map<String, Value> =
        group.blocks.into_iter().map(|b| (b.id, Value::String(b.text))).collect();
    json!({ "meta": group.meta, "blocks": blocks, "facts": facts }).to_string()
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
