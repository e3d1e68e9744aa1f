//! Fits constants of the default method on generated shapes: a search along one constant after the
//! other, as long as it helps.

mod shapes;

use std::error::Error;

use pellucid_cloud::synth::{NoiseModel, add_noise};
use pellucid_cloud::{PointCloud, quality, vec3};
use pellucid_denoise::methods::auto::{Tuning, with_tuning};
use pellucid_denoise::{Run, install};
use rayon::prelude::*;
use serde_json::{Map, Value};
use shapes::Body;

/// Points and noise (in sides of the square that a point has on the surface) of the clouds of a
/// shape.
const CLOUDS: [(usize, f64); 4] = [(3_000, 0.4), (6_000, 0.9), (8_000, 1.5), (12_000, 2.5)];

/// What to fit.
#[derive(clap::Args)]
pub struct Args {
    /// Constants to fit, by name; all numbers by default.
    #[arg(long, value_delimiter = ',')]
    constants: Vec<String>,
    /// Constants to start from that differ from the default, as JSON.
    #[arg(long, default_value = "{}")]
    tuning: String,
    /// First factor that constants are changed by.
    #[arg(long, default_value_t = 1.25)]
    factor: f64,
    /// Passes over the constants; 0 only measures.
    #[arg(long, default_value_t = 1)]
    passes: usize,
    /// Seed of the clouds.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A folder to write the clouds to.
    #[arg(long)]
    keep: Option<std::path::PathBuf>,
    /// Print the loss of every cloud.
    #[arg(long)]
    each: bool,
}

struct Cloud {
    name: String,
    body: Body,
    clean: PointCloud,
    noisy: PointCloud,
    /// Mean squared distance to the surface and Chamfer distance of the noisy cloud.
    before: [f64; 2],
}

impl Cloud {
    /// Mean squared distance to the surface, and Chamfer distance to the clean points.
    fn errors(&self, cloud: &PointCloud) -> Result<[f64; 2], String> {
        let off = |p: &_| vec3::distance2(*p, self.body.foot(*p));
        let sum: f64 = cloud.positions().iter().map(off).sum();
        let chamfer = quality::chamfer(cloud.positions(), self.clean.positions());
        Ok([sum / cloud.len() as f64, chamfer.map_err(|e| e.to_string())?])
    }

    /// The mean logarithm of both errors over those of the noisy cloud.
    fn loss(&self, tuning: &Tuning) -> Result<f64, String> {
        let method = with_tuning(Default::default(), tuning.clone());
        let done = install(Some(1), || method.denoise(&self.noisy, &mut Run::default()));
        let after = self.errors(&done.map_err(|e| e.to_string())?.cloud)?;
        Ok(0.5 * (0..2).map(|k| (after[k] / self.before[k]).ln()).sum::<f64>())
    }
}

fn clouds(seed: u64) -> Result<Vec<Cloud>, Box<dyn Error>> {
    let mut clouds = Vec::new();
    for (b, body) in Body::ALL.into_iter().enumerate() {
        for (c, (count, noise)) in CLOUDS.into_iter().enumerate() {
            let seed = seed + 100 * b as u64 + c as u64;
            let even = (b + c).is_multiple_of(2);
            let (clean, h) = body.sample(count, even, seed);
            let noisy = add_noise(&clean, NoiseModel::Gaussian, noise * h, seed + 1)?;
            let name = format!("{body:?} {count} {noise} {}", if even { "even" } else { "random" });
            let mut cloud = Cloud { name, body, clean, noisy, before: [1.0; 2] };
            cloud.before = cloud.errors(&cloud.noisy)?;
            clouds.push(cloud);
        }
    }
    Ok(clouds)
}

fn losses(clouds: &[Cloud], tuning: &Tuning) -> Result<Vec<f64>, Box<dyn Error>> {
    let all: Result<Vec<f64>, String> =
        clouds.par_iter().with_max_len(1).map(|c| c.loss(tuning)).collect();
    Ok(all?)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The same constants with one of them changed by a factor; whole numbers by at least one.
fn changed(of: &Map<String, Value>, name: &str, factor: f64) -> Option<Map<String, Value>> {
    let mut new = of.clone();
    let value = new.get_mut(name)?;
    *value = match value.as_u64() {
        Some(n) => {
            let step = (n as f64 * factor - n as f64).round();
            let step = if step == 0.0 { (factor - 1.0).signum() } else { step };
            Value::from((n as f64 + step).max(0.0) as u64)
        }
        None => Value::from(value.as_f64()? * factor),
    };
    Some(new)
}

/// Fits and prints.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let clouds = clouds(args.seed)?;
    if let Some(folder) = &args.keep {
        for cloud in &clouds {
            let name = cloud.name.replace(' ', "_");
            pellucid_io::write(
                &folder.join(format!("{name}.ply")),
                &cloud.noisy.clone().into(),
                &Default::default(),
            )?;
        }
    }
    let tuning: Tuning = serde_json::from_str(&args.tuning)?;
    let Value::Object(mut best) = serde_json::to_value(&tuning)? else {
        return Err("constants are no table".into());
    };
    let first = losses(&clouds, &tuning)?;
    let mut least = mean(&first);
    println!("loss {least:.4}");
    if args.each {
        for (cloud, loss) in clouds.iter().zip(&first) {
            println!("{loss:>8.4} {}", cloud.name);
        }
    }
    let mut factor = args.factor;
    for _ in 0..args.passes {
        let names: Vec<String> = match args.constants.is_empty() {
            true => best.keys().cloned().collect(),
            false => args.constants.clone(),
        };
        for name in &names {
            for f in [factor, 1.0 / factor] {
                let mut helped = false;
                while let Some(new) = changed(&best, name, f) {
                    let loss = mean(&losses(
                        &clouds,
                        &serde_json::from_value(Value::Object(new.clone()))?,
                    )?);
                    println!("{loss:.4} {name} = {}", new[name]);
                    if loss >= least - 1e-4 {
                        break;
                    }
                    (least, best, helped) = (loss, new, true);
                }
                if helped {
                    break;
                }
            }
        }
        println!("loss {least:.4} with {}", serde_json::to_string(&best)?);
        factor = factor.sqrt();
    }
    Ok(())
}
