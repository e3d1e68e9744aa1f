//! `pellucid compare`.

use pellucid::cloud::quality::{self, Comparison, QualityError};
use pellucid::{denoise, io};

use super::streams;
use crate::args::Compare;
use crate::failure::{Failure, naming};
use crate::output;
use crate::progress::Show;

pub fn run(args: &Compare) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    let in_format = args.stdin.in_format.as_deref();
    let streamed = [&args.result, &args.truth].map(|p| streams::is_stream(p));
    if streamed == [true, true] {
        return Err(Failure::input("only one of the clouds can come from stdin; name a file"));
    }
    if streamed == [false, false] {
        streams::check_input(&args.result, in_format)?;
    }
    let result = streams::read(&args.result, in_format, show)?.cloud;
    let truth = streams::read(&args.truth, in_format, show)?.cloud;
    let mesh = match &args.mesh {
        Some(path) => Some(show.busy("reading the mesh", || io::read_mesh(path))?),
        None => None,
    };
    let comparison = show.busy("comparing", || {
        denoise::install(args.threads, || quality::compare(&result, &truth, mesh.as_ref()))
    });
    let comparison = comparison
        .map_err(|e| Failure::input(naming(streams::source_name(fault_of(args, &e)), e)))?;
    if args.json { output::print_json(&comparison) } else { output::print(&table(&comparison)) }
}

/// The file that a fault is in.
fn fault_of<'a>(args: &'a Compare, error: &QualityError) -> &'a std::path::Path {
    match (error, &args.mesh) {
        (QualityError::EmptyResult { .. }, _) => &args.result,
        (
            QualityError::EmptyMesh
            | QualityError::MeshIndex { .. }
            | QualityError::MeshVertex { .. },
            Some(mesh),
        ) => mesh,
        _ => &args.truth,
    }
}

fn table(c: &Comparison) -> String {
    let mut rows = Vec::new();
    let mut push = |name: &str, value: Option<f64>, about: &str| {
        if let Some(v) = value {
            rows.push((name.to_owned(), format!("{:<12} {about}", number(v))));
        }
    };
    push("paper_mse", Some(c.paper_mse), "mean distance to the nearest, both ways");
    push("paper_snr", c.paper_snr, "10 ln(mean norm / paper_mse)");
    push("chamfer", Some(c.chamfer), "squared distances, both ways");
    push("point_to_plane", c.point_to_plane, "along the truth's normals");
    push("point_to_mesh", c.point_to_mesh, "to the true surface");
    push("point_to_mesh_two_way", c.point_to_mesh_two_way, "and back");
    push("hausdorff", Some(c.hausdorff), "largest distance, both ways");
    push("hausdorff95", Some(c.hausdorff95), "95 % are nearer");
    push("uniformity", c.uniformity, "variation of the spacing: lower is more even");
    push("uniformity_truth", c.uniformity_truth, "the same of the truth");
    rows.push(("points".to_owned(), format!("{} against {}", c.result_points, c.truth_points)));
    if c.result_ignored + c.truth_ignored > 0 {
        let ignored = format!("{} and {} rows are not finite", c.result_ignored, c.truth_ignored);
        rows.push(("ignored".to_owned(), ignored));
    }
    super::columns(&rows)
}

/// Five digits that count, without an exponent where that is readable.
fn number(v: f64) -> String {
    if v == 0.0 || (1e-4..1e6).contains(&v.abs()) {
        let digits = 4 - v.abs().max(1e-4).log10().floor() as i32;
        format!("{v:.*}", digits.clamp(0, 8) as usize)
    } else {
        format!("{v:.4e}")
    }
}
