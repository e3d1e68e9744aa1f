//! Where the clouds are.

use std::fs;
use std::path::{Path, PathBuf};

use pellucid::PointCloud;
use pellucid::cloud::quality::TriangleMesh;
use pellucid::cloud::synth::{NoiseModel, add_noise, paper_sigma};
use pellucid::io::{self, Document, Format, WriteOptions};
use serde::{Deserialize, Serialize};

use super::published;
use pellucid_cli::failure::{Failure, naming};

/// What kind of folder it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// The paper's benchmark models.
    Paper,
    /// Shapes of the learned denoisers' evaluations, in a unit sphere, with meshes.
    Shapes,
}

/// A folder of clean and noisy clouds.
#[derive(Debug)]
pub struct DataSet {
    pub kind: Kind,
    root: PathBuf,
    pub models: Vec<String>,
    pub levels: Vec<f64>,
}

/// Where noisy clouds are made.
#[derive(Debug, Clone)]
pub struct Generate {
    pub folder: PathBuf,
    pub seed: u64,
}

/// One model at one level.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Subject {
    pub model: String,
    pub level: f64,
    pub clean: PathBuf,
    pub noisy: PathBuf,
    pub mesh: Option<PathBuf>,
    /// The noisy file, as it stands in the results.
    pub input: String,
    pub kind: Kind,
}

/// What a cell works on.
pub struct Loaded {
    pub noisy: PointCloud,
    pub clean: PointCloud,
    pub mesh: Option<TriangleMesh>,
}

/// A level as it stands in file names.
pub fn level_name(level: f64) -> String {
    let short = format!("{level:.2}");
    if short.parse() == Ok(level) { short } else { level.to_string() }
}

impl DataSet {
    /// Looks what is there; `models` and `levels` limit it.
    pub fn open(root: &Path, models: &[String], levels: &[f64]) -> Result<Self, Failure> {
        let (kind, all_models, all_levels) = if root.join("clean").is_dir() {
            (Kind::Shapes, shapes(root)?, shape_levels(root)?)
        } else if root.join("srb").is_dir() {
            let models = published::MODELS.map(str::to_owned).to_vec();
            (Kind::Paper, models, published::LEVELS.to_vec())
        } else {
            let fault =
                "holds neither a folder srb (the paper's models) nor a folder clean (shapes)";
            return Err(Failure::input(naming(root, fault)));
        };
        let models = if models.is_empty() {
            all_models
        } else {
            models.iter().map(|m| file_name_of(m)).collect()
        };
        let levels = if levels.is_empty() { all_levels } else { levels.to_vec() };
        Ok(DataSet { kind, root: root.to_owned(), models, levels })
    }

    /// One cloud; an error that names the file if one is missing.
    pub fn subject(
        &self,
        model: &str,
        level: f64,
        generate: Option<&Generate>,
    ) -> Result<Subject, Failure> {
        let name = level_name(level);
        let (clean, mut noisy, mesh) = match self.kind {
            Kind::Paper => {
                let srb = self.root.join("srb");
                let original = srb.join(format!("{model}_gaussian_noise_{name}.ply"));
                let noisy = srb.join("noisy").join(format!("{model}_{name}.ply"));
                let noisy = if original.is_file() { original } else { noisy };
                (srb.join(format!("{model}_GT.ply")), noisy, None)
            }
            Kind::Shapes => {
                let mesh =
                    find(&self.root.join("meshes"), model, |e| io::MESH_EXTENSIONS.contains(&e));
                let clean = self.shape(&self.root.join("clean"), model);
                (clean, self.shape(&self.root.join(format!("noisy_{name}")), model), mesh)
            }
        };
        present(&clean, "the clean cloud")?;
        let mut input = noisy.strip_prefix(&self.root).unwrap_or(&noisy).display().to_string();
        match generate {
            None => present(&noisy, "the noisy cloud (--generate makes one)")?,
            Some(g) => {
                noisy = g.folder.join("noisy").join(format!("{model}_{name}_seed{}.ply", g.seed));
                input = format!("generated noisy/{model}_{name}_seed{}.ply", g.seed);
                make(&clean, &noisy, level, g.seed)?;
            }
        }
        let kind = self.kind;
        Ok(Subject { model: model.to_owned(), level, clean, noisy, mesh, input, kind })
    }

    fn shape(&self, folder: &Path, model: &str) -> PathBuf {
        let is_cloud = |e: &str| Format::from_path(Path::new(&format!("a.{e}"))).is_some();
        find(folder, model, is_cloud).unwrap_or_else(|| folder.join(format!("{model}.xyz")))
    }
}

impl Subject {
    /// Reads the files; the noisy cloud is bare positions.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let noisy = io::read(&self.noisy)?.cloud.without_attributes();
        let clean = io::read(&self.clean)?.cloud;
        let mesh = self.mesh.as_deref().map(io::read_mesh).transpose()?;
        Ok(Loaded { noisy, clean, mesh })
    }

    /// Sizes of the files, so that other data under the same name is seen to be other data.
    pub fn sizes(&self) -> [u64; 2] {
        [&self.noisy, &self.clean].map(|f| fs::metadata(f).map_or(0, |m| m.len()))
    }
}

/// Printed names stand for file names.
fn file_name_of(model: &str) -> String {
    let known = published::PRINTED.iter().position(|p| p.eq_ignore_ascii_case(model));
    known.map_or(model, |i| published::MODELS[i]).to_owned()
}

fn present(path: &Path, what: &str) -> Result<(), Failure> {
    if path.is_file() {
        return Ok(());
    }
    Err(Failure::input(naming(path, format!("there is no such file; it should be {what}"))))
}

/// Makes a noisy cloud by the paper's rule, unless it is there already.
fn make(clean: &Path, noisy: &Path, level: f64, seed: u64) -> Result<(), Failure> {
    if noisy.is_file() {
        return Ok(());
    }
    let cloud = io::read(clean)?.cloud.without_attributes();
    let sigma = paper_sigma(cloud.positions(), level);
    let made = add_noise(&cloud, NoiseModel::Gaussian, sigma, seed)
        .map_err(|e| Failure::input(naming(clean, e)))?;
    if let Some(folder) = noisy.parent() {
        fs::create_dir_all(folder)
            .map_err(|e| Failure::work(naming(folder, format!("cannot be made: {e}"))))?;
    }
    io::write(noisy, &Document::from(made), &WriteOptions::default())?;
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fault = |e| Failure::input(naming(folder, format!("cannot be listed: {e}")));
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        all.push(entry.map_err(fault)?.path());
    }
    all.sort();
    Ok(all)
}

/// The file `stem.*` in a folder with an extension that will do.
fn find(folder: &Path, stem: &str, will_do: impl Fn(&str) -> bool) -> Option<PathBuf> {
    entries(folder).ok()?.into_iter().find(|p| {
        p.file_stem().is_some_and(|s| s == stem)
            && p.extension().and_then(|e| e.to_str()).is_some_and(&will_do)
    })
}

fn shapes(root: &Path) -> Result<Vec<String>, Failure> {
    let clean = entries(&root.join("clean"))?;
    let clouds = clean.iter().filter(|p| Format::from_path(p).is_some());
    let stem = |p: &PathBuf| Some(p.file_stem()?.to_str()?.to_owned());
    let names: Vec<String> = clouds.filter_map(stem).collect();
    if names.is_empty() {
        return Err(Failure::input(naming(&root.join("clean"), "holds no point cloud")));
    }
    Ok(names)
}

fn shape_levels(root: &Path) -> Result<Vec<f64>, Failure> {
    let level = |p: PathBuf| p.file_name()?.to_str()?.strip_prefix("noisy_")?.parse().ok();
    let mut levels: Vec<f64> = entries(root)?.into_iter().filter_map(level).collect();
    levels.sort_by(f64::total_cmp);
    if levels.is_empty() {
        return Err(Failure::input(naming(root, "holds no folder noisy_<level>")));
    }
    Ok(levels)
}
