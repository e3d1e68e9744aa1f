//! `pellucid compare`.

use std::path::Path;

use pellucid::cloud::quality::{self, Comparison, QualityError, TriangleMesh};
use pellucid::{denoise, io};
use serde::Serialize;

use super::jobs;
use super::streams;
use crate::args::Compare;
use crate::failure::{Failure, naming};
use crate::output;
use crate::progress::Show;

/// The comparison of one file of a folder.
#[derive(Serialize)]
struct Named {
    result: String,
    truth: String,
    #[serde(flatten)]
    comparison: Comparison,
}

pub fn run(args: &Compare) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    let mesh = match &args.mesh {
        Some(path) => Some(show.busy("reading the mesh", || io::read_mesh(path))?),
        None => None,
    };
    if args.result.is_dir() {
        return folders(args, mesh.as_ref());
    }
    let in_format = args.stdin.in_format.as_deref();
    let streamed = [&args.result, &args.truth].map(|p| streams::is_stream(p));
    if streamed == [true, true] {
        return Err(Failure::input("only one of the clouds can come from stdin; name a file"));
    }
    if streamed == [false, false] {
        streams::check_input(&args.result, in_format)?;
    }
    let comparison = one(args, &args.result, &args.truth, mesh.as_ref())?;
    if args.json { output::print_json(&comparison) } else { output::print(&table(&comparison)) }
}

/// Every cloud of a folder against that of the same name in another, or against one cloud.
fn folders(args: &Compare, mesh: Option<&TriangleMesh>) -> Result<(), Failure> {
    let results = jobs::files(std::slice::from_ref(&args.result), false, args.quiet)?;
    let mut all = Vec::new();
    let outcome = jobs::each(&results, |result| {
        let truth = match args.truth.is_dir() {
            true => args.truth.join(result.file_name().unwrap_or_default()),
            false => args.truth.clone(),
        };
        let comparison = one(args, result, &truth, mesh)?;
        let (result, truth) = (result.display().to_string(), truth.display().to_string());
        if !args.json {
            let gap = if all.is_empty() { "" } else { "\n" };
            output::print(&format!("{gap}{result} against {truth}\n{}", table(&comparison)))?;
        }
        all.push(Named { result, truth, comparison });
        Ok(())
    });
    if args.json {
        output::print_json(&all)?;
    }
    outcome
}

fn one(
    args: &Compare,
    result: &Path,
    truth: &Path,
    mesh: Option<&TriangleMesh>,
) -> Result<Comparison, Failure> {
    let show = Show::new(args.quiet);
    let in_format = args.stdin.in_format.as_deref();
    let clouds = [result, truth].map(|path| streams::read(path, in_format, show));
    let [a, b] = clouds;
    let (a, b) = (a?.cloud, b?.cloud);
    let comparison = show
        .busy("comparing", || denoise::install(args.threads, || quality::compare(&a, &b, mesh)));
    let fault = |e: QualityError| {
        let file = match (&e, &args.mesh) {
            (QualityError::EmptyResult { .. }, _) => result,
            (
                QualityError::EmptyMesh
                | QualityError::MeshIndex { .. }
                | QualityError::MeshVertex { .. },
                Some(mesh),
            ) => mesh,
            _ => truth,
        };
        Failure::input(naming(streams::source_name(file), e))
    };
    comparison.map_err(fault)
}

fn table(c: &Comparison) -> String {
    let mut rows = Vec::new();
    let mut push = |name: &str, value: Option<f64>, about: &str| {
        if let Some(v) = value {
            rows.push((name.to_owned(), format!("{:<12} {about}", number(v))));
        }
    };
    push("mean_distance", Some(c.mean_distance), "to the nearest point, both ways; file units");
    push("rms_distance", Some(c.rms_distance), "root of the mean square, both ways; file units");
    push("max_distance", Some(c.hausdorff), "largest, both ways (Hausdorff); file units");
    push("p95_distance", Some(c.hausdorff95), "95 % are nearer; file units");
    push("to_plane", c.point_to_plane, "along the truth's normals; file units");
    push("to_mesh", c.point_to_mesh, "mean distance to the true surface; file units");
    let both_ways = c.point_to_mesh_two_way.map(f64::sqrt);
    push("to_mesh_two_way", both_ways, "root of the mean squares there and back; file units");
    push("chamfer", Some(c.chamfer), "sum of the mean squares, both ways; file units squared");
    push("paper_mse", Some(c.paper_mse), "mean_distance by its name in the paper");
    push("paper_snr", c.paper_snr, "10 ln(mean norm / paper_mse)");
    push("uniformity", c.uniformity, "variation of the spacing; lower is more even");
    push("uniformity_truth", c.uniformity_truth, "the same for the truth");
    rows.push(("points".to_owned(), format!("{} against {}", c.result_points, c.truth_points)));
    if c.result_ignored + c.truth_ignored > 0 {
        let ignored = format!("{} and {} rows are not finite", c.result_ignored, c.truth_ignored);
        rows.push(("ignored".to_owned(), ignored));
    }
    super::columns(&rows)
}

/// Five digits that count, without an exponent where that is readable.
pub fn number(v: f64) -> String {
    if v == 0.0 || (1e-4..1e6).contains(&v.abs()) {
        let digits = 4 - v.abs().max(1e-4).log10().floor() as i32;
        format!("{v:.*}", digits.clamp(0, 8) as usize)
    } else {
        format!("{v:.4e}")
    }
}
