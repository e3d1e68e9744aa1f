//! From a raw scan to a clean cloud, step by step: what pipeline files are made of.
//!
//! A [`Pipeline`] names files and [`Step`]s. The program runs it with `pellucid run`, Python with
//! `pellucid.run`, and both do what [`Pipeline::apply`] does.
//!
//! ```
//! use pellucid::cloud::synth::Shape;
//! use pellucid::io::Document;
//! use pellucid::Run;
//! use pellucid::steps::Pipeline;
//!
//! let text = r#"
//!     [[step]]
//!     do = "thin"
//!     voxel = 0.2
//!
//!     [[step]]
//!     do = "normals"
//! "#;
//! let pipeline = Pipeline::from_toml(text)?;
//! let mut document = Document::from(Shape::Sphere.sample(1_000, 1));
//! let done = pipeline.apply(&mut document, None, &mut Run::default())?;
//! assert_eq!(done.len(), 2);
//! assert!(document.cloud.len() < 1_000 && document.cloud.normals().is_some());
//! # Ok::<(), pellucid::steps::StepError>(())
//! ```

mod denoise;
pub mod label;
pub mod normals;
mod parse;
pub mod thin;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use pellucid_cloud::outliers;
use pellucid_denoise::registry::ParameterMap;
use pellucid_denoise::{DenoiseError, Run};
use pellucid_io::{Document, Format};
use serde::{Deserialize, Serialize};

pub use parse::{OneOrMany, toml_to_json};

/// Files, and what is done with them one step after the other.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Pipeline {
    /// What is read: files, or folders that stand for the clouds in them.
    pub read: Vec<PathBuf>,
    /// What is written: a file, or a folder if several are read.
    pub write: Option<PathBuf>,
    /// Whether files that exist are replaced.
    pub overwrite: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// The steps, in order.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

/// One thing that is done with a cloud.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Step {
    /// Remove or label points that belong to no surface.
    Outliers(Outliers),
    /// Move points onto the surface they were measured from.
    Denoise(Denoise),
    /// Estimate normals and turn them.
    Normals(Normals),
    /// Keep fewer points.
    Thin(Thin),
    /// Keep each place once.
    Dedup(Dedup),
}

/// What is done with outliers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// They are left out.
    #[default]
    Remove,
    /// They get the flag "withheld" in LAS, else the attribute "outlier".
    Label,
}

/// Finding outliers; parameters are those of the rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Outliers {
    /// What is done with them.
    pub action: Action,
    /// The rule that finds them.
    pub method: Option<String>,
    /// Parameters of the rule that differ from the defaults.
    pub parameters: ParameterMap,
}

/// Denoising; the defaults are those of the program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Denoise {
    /// The method.
    pub method: Option<String>,
    /// A named set of its parameters.
    pub preset: Option<String>,
    /// Denoising strength from 0 to 2, of the methods that have it.
    pub strength: Option<f64>,
    /// Parameters that differ from the preset or the defaults.
    pub parameters: ParameterMap,
    /// Whether points move along lines of sight only.
    pub along_ray: bool,
    /// Where the scanner stood, if the file does not say.
    pub viewpoint: Option<[f64; 3]>,
}

/// Estimating normals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Normals {
    /// Nearest points that a normal is estimated from.
    pub neighbors: usize,
    /// The place that they are turned to, if not to the scanner that the file names.
    pub viewpoint: Option<[f64; 3]>,
}

impl Default for Normals {
    fn default() -> Self {
        Normals { neighbors: normals::NEIGHBORS, viewpoint: None }
    }
}

/// Keeping fewer points: one of the three.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thin {
    /// One point in each cube of this side.
    pub voxel: Option<f64>,
    /// Points at least this far apart.
    pub poisson: Option<f64>,
    /// This many points, or this share if below one.
    pub random: Option<f64>,
}

/// Keeping each place once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dedup {
    /// Also points nearer than this to one that is kept are left out.
    pub within: Option<f64>,
}

/// Why a pipeline cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The file is no pipeline.
    #[error("{0}")]
    File(String),
    /// A step, counted from one, does not fit the cloud or is given wrongly.
    #[error("step {step} ({name}): {fault}")]
    Step {
        /// Which, from one.
        step: usize,
        /// What it does.
        name: &'static str,
        /// What is wrong.
        fault: String,
    },
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// What a step did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Done {
    /// The step.
    pub name: &'static str,
    /// What it did, in words.
    pub said: String,
    /// How many points there are after it.
    pub points: usize,
}

/// What goes wrong in a step.
enum Fault {
    Said(String),
    Cancelled,
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Fault::Said(text)
    }
}

impl From<DenoiseError> for Fault {
    fn from(e: DenoiseError) -> Self {
        match e {
            DenoiseError::Cancelled => Fault::Cancelled,
            e => Fault::Said(e.to_string()),
        }
    }
}

impl Step {
    /// What it does, in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Step::Outliers(_) => "outliers",
            Step::Denoise(_) => "denoise",
            Step::Normals(_) => "normals",
            Step::Thin(_) => "thin",
            Step::Dedup(_) => "dedup",
        }
    }

    /// An error if a value of it cannot be used with any cloud.
    fn check(&self) -> Result<(), String> {
        let positive = |name: &str, x: Option<f64>| match x {
            Some(x) if !(x > 0.0 && x.is_finite()) => Err(format!("{name} = {x} must be above 0")),
            _ => Ok(()),
        };
        match self {
            Step::Outliers(o) => o.rule().map(|_| ()),
            Step::Denoise(d) => d.denoiser().map(|_| ()),
            Step::Normals(n) if !(3..=1000).contains(&n.neighbors) => {
                Err(format!("neighbors = {} must be between 3 and 1000", n.neighbors))
            }
            Step::Normals(_) => Ok(()),
            Step::Thin(t) => {
                let all = [("voxel", t.voxel), ("poisson", t.poisson), ("random", t.random)];
                all.iter().try_for_each(|(name, x)| positive(name, *x))?;
                match all.iter().filter(|(_, x)| x.is_some()).count() {
                    1 => Ok(()),
                    _ => Err("give one of voxel, poisson and random".to_owned()),
                }
            }
            Step::Dedup(d) => positive("within", d.within),
        }
    }

    /// Does it; `target` is the format that the cloud will have. Says what was done.
    fn apply(
        &self,
        document: &mut Document,
        target: Option<Format>,
        run: &mut Run,
    ) -> Result<String, Fault> {
        let rows = match self {
            Step::Outliers(o) => return Ok(o.apply(document, target)?),
            Step::Denoise(d) => return d.apply(document, run),
            Step::Normals(n) => return Ok(normals::add(document, n.neighbors, n.viewpoint)?),
            Step::Thin(t) => thin::rows(&document.cloud, t, run.seed),
            Step::Dedup(d) => thin::distinct(&document.cloud, d.within),
        };
        keep(document, &rows)?;
        Ok(format!("{} points kept", rows.len()))
    }
}

/// Leaves only these rows, of which there must be some.
fn keep(document: &mut Document, rows: &[usize]) -> Result<(), String> {
    if rows.is_empty() {
        return Err("no point would be left".to_owned());
    }
    if rows.len() < document.cloud.len() {
        document.cloud = document.cloud.select(rows);
    }
    Ok(())
}

impl Outliers {
    /// The rule with its parameters.
    pub fn rule(&self) -> Result<outliers::Rule, String> {
        let name = self.method.as_deref().unwrap_or(outliers::Rule::NAMES[0]);
        let given = serde_json::json!({ name: self.parameters });
        if !outliers::Rule::NAMES.contains(&name) {
            let known = outliers::Rule::NAMES.join(", ");
            return Err(format!("there is no method \"{name}\"; known are {known}"));
        }
        let rule: outliers::Rule = serde_json::from_value(given).map_err(|e| e.to_string())?;
        rule.check().map_err(|e| e.to_string())?;
        Ok(rule)
    }

    fn apply(&self, document: &mut Document, target: Option<Format>) -> Result<String, String> {
        let found = outliers::find(document.cloud.positions(), &self.rule()?);
        let found = found.map_err(|e| e.to_string())?;
        let count = found.count();
        let done = match self.action {
            Action::Remove => {
                keep(document, &found.kept())?;
                "removed".to_owned()
            }
            Action::Label => {
                let format = target.or(document.source.format());
                label::mark(&mut document.cloud, &found.flags, format)?.to_owned()
            }
        };
        Ok(format!("{} {done}", label::counted(count)))
    }
}

impl Pipeline {
    /// Does all steps, one after the other; `target` is the format that the cloud will be written
    /// in, if not that of its file. Tells what each did.
    pub fn apply(
        &self,
        document: &mut Document,
        target: Option<Format>,
        run: &mut Run,
    ) -> Result<Vec<Done>, StepError> {
        let mut done = Vec::new();
        for (k, step) in self.steps.iter().enumerate() {
            let name = step.name();
            let said = step.apply(document, target, run).map_err(|fault| match fault {
                Fault::Cancelled => StepError::Cancelled,
                Fault::Said(fault) => StepError::Step { step: k + 1, name, fault },
            })?;
            done.push(Done { name, said, points: document.cloud.len() });
        }
        Ok(done)
    }
}
