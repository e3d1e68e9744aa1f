//! What must hold for the default method whatever others do.

use std::error::Error;

use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{Point, vec3};
use rayon::prelude::*;

use super::clouds::{Case, Sampling, side};
use super::{Args, denoised};

/// Measures and prints them.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let cases = args.cases();
    let lines: Vec<Result<Law, String>> =
        cases.par_iter().with_max_len(1).map(|case| law(args, case)).collect();
    println!(
        "{:>9} {:>8} {:>5} {:>12} {:>11}",
        "shape", "sampling", "noise", "4 x points", "second run"
    );
    let (mut more_is_worse, mut moves_again) = (0, 0);
    for (case, law) in cases.iter().zip(lines) {
        let Law { more, again } = law?;
        more_is_worse += usize::from(more > 1.0);
        moves_again += usize::from(again > 0.1);
        let noise = case.sigma / side(case.shape, case.points);
        let (shape, sampling) = (case.shape.name(), case.sampling.to_string());
        println!("{shape:>9} {sampling:>8} {noise:>5.1} {more:>12.3} {again:>11.3}");
    }
    println!(
        "four times the points at the same noise are worse in {more_is_worse} of {} cells; a second \
         run moves points by more than a tenth of the first in {moves_again}",
        cases.len()
    );
    for &sampling in &Sampling::ALL {
        for noise in [0.4, 0.8, 1.6, 3.2] {
            let sigma = noise * side(Shape::Sphere, args.points);
            let (points, seed) = (args.points, args.seed);
            let case = Case { shape: Shape::Sphere, sampling, points, sigma, seed };
            let (bias, slide) = sphere(args, &case)?;
            println!(
                "sphere, {sampling}, noise {noise}: mean signed error {bias:.3} sigma; with noise along \
                 the normal, rms movement along the surface {slide:.3} sigma"
            );
        }
    }
    Ok(())
}

struct Law {
    /// Error with four times the points over the error.
    more: f64,
    /// Root mean square movement of a second run over that of the first.
    again: f64,
}

fn law(args: &Args, case: &Case) -> Result<Law, String> {
    let method = args.build("auto").map_err(|e| e.to_string())?;
    let noisy = case.noisy().map_err(|e| e.to_string())?;
    let once = denoised(&*method, &noisy)?.cloud;
    let twice = denoised(&*method, &once)?.cloud;
    let dense = Case { points: 4 * case.points, ..*case };
    let of_dense = denoised(&*method, &dense.noisy().map_err(|e| e.to_string())?)?.cloud;
    let first = movement(noisy.positions(), once.positions());
    let second = movement(once.positions(), twice.positions());
    Ok(Law {
        more: case.error(of_dense.positions()) / case.error(once.positions()),
        again: if first > 0.0 { second / first } else { 0.0 },
    })
}

fn movement(from: &[Point], to: &[Point]) -> f64 {
    let sum: f64 = from.iter().zip(to).map(|(a, b)| vec3::distance2(*a, *b)).sum();
    (sum / from.len() as f64).sqrt()
}

/// On a sphere, the mean signed error, and with noise along the normal the movement along the
/// surface; both in units of the noise.
fn sphere(args: &Args, case: &Case) -> Result<(f64, f64), Box<dyn Error>> {
    let method = args.build("auto")?;
    let noisy = case.noisy()?;
    let result = denoised(&*method, &noisy)?.cloud;
    let signed = result.positions().iter().map(|p| vec3::dot(*p, *p).sqrt() - 1.0).sum::<f64>();
    let mut clean = case.clean();
    let normals = clean.positions().iter().flatten().copied().collect();
    let values = pellucid_cloud::Values::F64(normals);
    clean.set_attribute(pellucid_cloud::Attribute::vector("normal", 3, values))?;
    let noisy = add_noise(&clean, NoiseModel::Normal, case.sigma, case.seed + 1)?;
    let moved = denoised(&*method, &noisy)?.cloud;
    let pairs = noisy.positions().iter().zip(moved.positions()).zip(clean.positions());
    let along = pairs.map(|((from, to), &n)| {
        let step = vec3::sub(*to, *from);
        vec3::dot(step, step) - vec3::dot(step, n).powi(2)
    });
    let slide = (along.sum::<f64>() / clean.len() as f64).sqrt();
    Ok((signed / clean.len() as f64 / case.sigma, slide / case.sigma))
}
