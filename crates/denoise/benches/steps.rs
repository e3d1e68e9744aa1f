//! Each step of a method, in units of a search for 16 nearest neighbors of the same cloud in the
//! same run: the best of some runs in turn, so that other programs disturb it little.
//!
//! `cargo bench -p pellucid-denoise --bench steps [-- POINTS [RUNS [METHOD[:PRESET]…]]]`
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{KdTree, PointCloud, SpatialOrder};
use pellucid_denoise::{Run, registry};

const NEIGHBORS: usize = 16;

/// Seconds of every step, the whole, and the unit: the least of all runs.
type Least = BTreeMap<String, f64>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Cargo hands the program `--bench` as well.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let number =
        |i: usize, default: usize| arguments.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (points, runs) = (number(0, 200_000), number(1, 5));
    let mut methods: Vec<&str> = arguments.iter().skip(2).map(String::as_str).collect();
    if methods.is_empty() {
        methods = vec!["auto", "fgl:reference"];
    }
    // Noise of one spacing: the torus has an area of about 12.
    let noise = (12.0 / points as f64).sqrt();
    let cloud = add_noise(&Shape::Torus.sample(points, 1), NoiseModel::Gaussian, noise, 2)?;
    let mut least: Vec<Least> = vec![Least::new(); methods.len()];
    for _ in 0..runs {
        for (method, least) in methods.iter().zip(&mut least) {
            measure(method, &cloud, least)?;
        }
    }
    for (method, least) in methods.iter().zip(&least) {
        let unit = least["unit"];
        println!("{method}, {points} points, unit {unit:.3} s");
        for (step, seconds) in least.iter().filter(|(step, _)| *step != "unit") {
            println!("  {step:14} {:8.2} units", seconds / unit);
        }
    }
    Ok(())
}

/// One run of a method and of the unit.
fn measure(
    method: &str,
    cloud: &PointCloud,
    least: &mut Least,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut note = |step: &str, seconds: f64| {
        let entry = least.entry(step.to_owned()).or_insert(f64::INFINITY);
        *entry = entry.min(seconds);
    };
    let points = SpatialOrder::new(cloud.positions()).sort(cloud.positions());
    let start = Instant::now();
    black_box(KdTree::new(&points).knn_table(NEIGHBORS));
    note("unit", start.elapsed().as_secs_f64());
    let (name, preset) = method.split_once(':').map_or((method, None), |(n, p)| (n, Some(p)));
    let denoiser = registry::find(name)?.build(preset, &Default::default())?;
    let start = Instant::now();
    let denoised = denoiser.denoise(cloud, &mut Run::default())?;
    note("all", start.elapsed().as_secs_f64());
    for (step, seconds) in &denoised.report.seconds {
        note(step, *seconds);
    }
    Ok(())
}
