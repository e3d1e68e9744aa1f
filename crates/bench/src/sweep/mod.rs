//! Every method on generated clouds: shapes, samplings and noise from a tenth of a spacing to five.

mod clouds;
mod laws;

use std::error::Error;

use clouds::{Case, Sampling, side};
use pellucid_cloud::PointCloud;
use pellucid_cloud::synth::Shape;
use pellucid_denoise::methods::auto::{Tuning, with_tuning};
use pellucid_denoise::{Denoised, Denoiser, Run, install, registry};
use rayon::prelude::*;

/// The noise, in sides of the square that a point has on the surface.
const NOISES: [f64; 7] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0];
const SHAPES: [Shape; 6] =
    [Shape::Sphere, Shape::Torus, Shape::Cube, Shape::Cylinder, Shape::Bracket, Shape::Relief];
/// How much worse than the best method is as good as the best, and how much is bad.
const AS_GOOD: f64 = 1.05;
const BAD: f64 = 1.2;

/// What to run.
#[derive(clap::Args)]
pub struct Args {
    /// Points of a cloud.
    #[arg(long, default_value_t = 8000)]
    points: usize,
    /// Methods, all by default.
    #[arg(long, value_delimiter = ',')]
    methods: Vec<String>,
    /// Noises in sides of the square that a point has on the surface.
    #[arg(long, value_delimiter = ',')]
    noises: Vec<f64>,
    /// Shapes.
    #[arg(long, value_delimiter = ',')]
    shapes: Vec<Shape>,
    /// Seed of the clouds.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Constants of the default method that differ, as JSON.
    #[arg(long, default_value = "{}")]
    tuning: String,
    /// Measure also what holds without any other method: more points are no worse, a second run
    /// has little to do, a sphere keeps its size, points do not slide.
    #[arg(long)]
    laws: bool,
}

impl Args {
    fn cases(&self) -> Vec<Case> {
        let shapes = if self.shapes.is_empty() { &SHAPES[..] } else { &self.shapes };
        let noises = if self.noises.is_empty() { &NOISES[..] } else { &self.noises };
        let mut cases = Vec::new();
        for &shape in shapes {
            for sampling in Sampling::ALL {
                for noise in noises {
                    let sigma = noise * side(shape, self.points);
                    let (points, seed) = (self.points, self.seed);
                    cases.push(Case { shape, sampling, points, sigma, seed });
                }
            }
        }
        cases
    }

    fn methods(&self) -> Vec<&str> {
        if self.methods.is_empty() {
            return registry::methods().iter().map(|m| m.name).collect();
        }
        self.methods.iter().map(String::as_str).collect()
    }

    fn build(&self, name: &str) -> Result<Box<dyn Denoiser>, Box<dyn Error>> {
        if name == registry::DEFAULT {
            return Ok(with_tuning(
                Default::default(),
                serde_json::from_str::<Tuning>(&self.tuning)?,
            ));
        }
        Ok(registry::find(name)?.build(None, &Default::default())?)
    }
}

/// A method on a cloud, in one thread.
fn denoised(method: &dyn Denoiser, noisy: &PointCloud) -> Result<Denoised, String> {
    install(Some(1), || method.denoise(noisy, &mut Run::default())).map_err(|e| e.to_string())
}

/// What came of one cloud.
struct Cell {
    /// Errors of the input and of every method.
    input: f64,
    errors: Vec<f64>,
    /// The noise as the default method estimates it, over what it is.
    noise: f64,
}

/// Runs the sweep and prints it.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let names = args.methods();
    for name in &names {
        args.build(name)?;
    }
    let of_case = |case: &Case| -> Result<Cell, String> {
        let noisy = case.noisy().map_err(|e| e.to_string())?;
        let input = case.error(noisy.positions());
        let mut cell = Cell { input, errors: Vec::new(), noise: f64::NAN };
        for name in &names {
            let method = args.build(name).map_err(|e| e.to_string())?;
            let done = denoised(&*method, &noisy)?;
            cell.errors.push(case.error(done.cloud.positions()));
            if *name == registry::DEFAULT {
                cell.noise = done.report.noise.unwrap_or(0.0) / case.sigma;
            }
        }
        Ok(cell)
    };
    let cases = args.cases();
    let measured: Vec<_> = cases.par_iter().with_max_len(1).map(of_case).collect();
    println!(
        "rms distance to the surface over that of the input; the best method first\n\
         {:>9} {:>8} {:>5} {:>7} {:>10} {:>7}  auto / best  noise as estimated over true",
        "shape", "sampling", "noise", "auto", "best", ""
    );
    let (mut worse, mut good, mut bad) = (0, 0, 0);
    for (case, result) in cases.iter().zip(measured) {
        let Cell { input, errors, noise } = result?;
        let of_auto =
            names.iter().position(|n| *n == registry::DEFAULT).map_or(f64::NAN, |i| errors[i]);
        let best = (0..names.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
        let ratio = of_auto / errors[best];
        worse += usize::from(of_auto > input);
        good += usize::from(ratio <= AS_GOOD);
        bad += usize::from(ratio > BAD);
        println!(
            "{:>9} {:>8} {:>5.1} {:>7.3} {:>10} {:>7.3}  {:.2} {noise:>6.2}{}",
            case.shape.name(),
            case.sampling.to_string(),
            case.sigma / side(case.shape, case.points),
            of_auto / input,
            names[best],
            errors[best] / input,
            ratio,
            if of_auto > input { " worse than the input" } else { "" }
        );
    }
    println!(
        "auto is worse than the input in {worse} of {} cells, within 5 % of the best in {good}, \
         more than 20 % behind in {bad}",
        cases.len()
    );
    if args.laws {
        laws::run(args)?;
    }
    Ok(())
}
