//! Quality on folders of clean and noisy clouds, shape by shape.

use std::error::Error;
use std::path::{Path, PathBuf};

use pellucid_cloud::quality::{self, UnitSphere};
use pellucid_cloud::{PointCloud, vec3};
use pellucid_denoise::methods::auto::with_tuning;
use pellucid_denoise::registry;
use pellucid_denoise::{Run, install};
use rayon::prelude::*;

/// What to measure.
#[derive(clap::Args)]
pub struct Args {
    /// The folder: with `clean`, `noisy_*` and maybe `meshes`, or with `*_GT.ply` and `noisy`.
    data: PathBuf,
    /// The levels of noise, as in the names of folders and files.
    #[arg(long, value_delimiter = ',')]
    levels: Vec<String>,
    /// Shapes, all by default.
    #[arg(long, value_delimiter = ',')]
    shapes: Vec<String>,
    /// The method.
    #[arg(long, default_value = "auto")]
    method: String,
    /// Parameters of the method, as JSON.
    #[arg(long, default_value = "{}")]
    set: String,
    /// Constants of the default method that differ, as JSON.
    #[arg(long)]
    tuning: Option<String>,
    /// A folder to write the results to, as `<shape>_<level>.ply`.
    #[arg(long)]
    keep: Option<PathBuf>,
}

type Measures = Vec<(&'static str, f64)>;

/// Measures and prints.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let shapes = if args.data.join("clean").is_dir() { shapes(args)? } else { models(args) };
    let all = registry::find(&args.method)?;
    let parameters = serde_json::from_str(&args.set)?;
    let mut cells = Vec::new();
    for level in &args.levels {
        for shape in &shapes {
            cells.push((shape.clone(), level.clone()));
        }
    }
    let measured: Vec<Result<Measures, String>> = cells
        .par_iter()
        .with_max_len(1)
        .map(|(shape, level)| {
            let method = match &args.tuning {
                Some(t) => with_tuning(
                    serde_json::from_str(&args.set).map_err(|e| e.to_string())?,
                    serde_json::from_str(t).map_err(|e| e.to_string())?,
                ),
                None => all.build(None, &parameters).map_err(|e| e.to_string())?,
            };
            install(Some(1), || {
                cell(args, shape, level, &*method).map_err(|e| format!("{shape} {level}: {e}"))
            })
        })
        .collect();
    let mut rows = std::collections::BTreeMap::<(&str, &str), Vec<f64>>::new();
    for ((_, level), m) in cells.iter().zip(measured) {
        for (name, value) in m? {
            rows.entry((name, level)).or_default().push(value);
        }
    }
    println!(
        "{:>14} {:>5} {:>8}  {}",
        "",
        "",
        "mean",
        shapes.iter().map(|s| format!("{:>9.9}", s)).collect::<String>()
    );
    for ((name, level), values) in rows {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let each: String = values.iter().map(|v| format!("{v:>9.4}")).collect();
        println!("{name:>14} {level:>5} {mean:>8.4}  {each}");
    }
    Ok(())
}

fn shapes(args: &Args) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(args.data.join("clean"))? {
        let path = entry?.path();
        names.extend(path.file_stem().map(|s| s.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(chosen(args, names))
}

fn models(args: &Args) -> Vec<String> {
    chosen(args, ["anchor", "daratech", "dc", "gargoyle", "lordquas"].map(String::from).to_vec())
}

fn chosen(args: &Args, mut names: Vec<String>) -> Vec<String> {
    names.retain(|n| args.shapes.is_empty() || args.shapes.contains(n));
    names
}

fn existing(paths: &[PathBuf]) -> PathBuf {
    paths.iter().find(|p| p.is_file()).unwrap_or(&paths[0]).clone()
}

fn cell(
    args: &Args,
    shape: &str,
    level: &str,
    method: &dyn pellucid_denoise::Denoiser,
) -> Result<Measures, Box<dyn Error>> {
    let data = &args.data;
    if data.join("clean").is_dir() {
        let of = |folder: &str| {
            let file = |e: &str| data.join(folder).join(format!("{shape}.{e}"));
            existing(&[file("xyz"), file("ply")])
        };
        let (clean, noisy) = (read(&of("clean"))?, read(&of(&format!("noisy_{level}")))?);
        let denoised = method.denoise(&noisy, &mut Run::default())?;
        let report = &denoised.report;
        let mut result = denoised.cloud;
        if let Some(folder) = &args.keep {
            let path = folder.join(format!("{shape}_{level}.ply"));
            pellucid_io::write(&path, &result.clone().into(), &Default::default())?;
        }
        let pairs = clean.positions().iter().zip(noisy.positions());
        let true2 = pairs.map(|(a, b)| vec3::distance2(*a, *b)).sum::<f64>() / 3.0;
        let true_noise = (true2 / clean.len() as f64).sqrt();
        let frame = UnitSphere::of(clean.positions()).ok_or("no two points differ")?;
        let chamfer =
            quality::chamfer(&frame.apply(result.positions()), &frame.apply(clean.positions()))?;
        let apart = (report.volume_points + report.line_points) as f64 / noisy.len() as f64;
        let mut measures = vec![("chamfer", 1e4 * chamfer), ("no surface %", 100.0 * apart)];
        if let (Some(noise), Some(spacing)) = (report.noise, report.spacing) {
            measures
                .extend([("noise/true", noise / true_noise), ("noise/spacing", noise / spacing)]);
        }
        let mesh = data.join("meshes").join(format!("{shape}.off"));
        if mesh.is_file() {
            let mut mesh = pellucid_io::read_mesh(&mesh)?;
            let to = UnitSphere::of(&mesh.vertices).ok_or("an empty mesh")?;
            mesh.vertices = to.apply(&mesh.vertices);
            result = result.with_positions(to.apply(result.positions()))?;
            let two = quality::point_to_mesh_two_way(result.positions(), &mesh)?;
            measures.push(("mesh", 1e4 * two));
        }
        return Ok(measures);
    }
    let original = data.join(format!("{shape}_gaussian_noise_{level}.ply"));
    let noisy =
        existing(&[data.join("noisy").join(format!("{shape}_{level}.ply")), original.clone()]);
    let noisy = if original.is_file() { original } else { noisy };
    let (clean, noisy) = (read(&data.join(format!("{shape}_GT.ply")))?, read(&noisy)?);
    let result = method.denoise(&noisy, &mut Run::default())?.cloud;
    Ok(vec![("mse", quality::paper_mse(result.positions(), clean.positions())?)])
}

fn read(path: &Path) -> Result<PointCloud, Box<dyn Error>> {
    let cloud = pellucid_io::read(path)?.cloud;
    Ok(PointCloud::new(cloud.positions().to_vec()))
}
