//! A pipeline in memory: make a scan, choose parameters, watch the run, judge the result.
//!
//! ```text
//! cargo run --release -p pellucid --example own_pipeline
//! ```

use std::error::Error;

use pellucid::Run;
use pellucid::cloud::noise::estimate_noise;
use pellucid::cloud::quality::compare;
use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid::denoise::{Control, Observer, Progress, registry};

/// Says which step begins.
struct Steps(String);

impl Observer for Steps {
    fn progress(&mut self, progress: &Progress) -> Control {
        if self.0 != progress.step {
            self.0 = progress.step.to_owned();
            eprintln!("{:>4.0} %  {}", 100.0 * progress.fraction, progress.step);
        }
        Control::Continue
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let clean = Shape::Torus.sample(10_000, 1);
    let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.02, 2)?.without_attributes();
    eprintln!("estimated noise: {:.4}", estimate_noise(noisy.positions()).sigma);

    for method in registry::methods() {
        let denoiser = method.build(None, &Default::default())?;
        let mut run = Run::default().with_seed(7).with_observer(Steps(String::new()));
        let result = denoiser.denoise(&noisy, &mut run)?;
        let before = compare(&noisy, &clean, None)?.paper_mse;
        let after = compare(&result.cloud, &clean, None)?.paper_mse;
        eprintln!("{}: mean distance {before:.4} -> {after:.4}", method.name);
    }
    Ok(())
}
