//! Image denoising: a learned metric against bilateral weights with hand-set σ's (Eq. 4–5).
//!
//! `cargo run -p featgraph --example image_denoising`
#![allow(clippy::print_stdout)]

#[path = "shared/image_denoising.rs"]
mod image_denoising;

use image_denoising::{COARSE, FINE, FRESH, NOISE, SEAMS, SIDE, TUNING};

fn main() -> Result<(), image_denoising::Failure> {
    println!("planks of {SIDE} by {SIDE} pixels, noise {NOISE}; PSNR in dB, mean of the images");
    for (name, scene, seeds) in [
        ("fine grain, the images the settings were chosen on", FINE, TUNING),
        ("fine grain, fresh images", FINE, FRESH),
        ("coarse grain, fresh images", COARSE, FRESH),
        ("strong seams, fresh images", SEAMS, FRESH),
    ] {
        let found = image_denoising::run(scene, seeds.clone())?;
        println!("{name} (seeds {} to {})", seeds.start, seeds.end - 1);
        println!("  noisy                                 {:.2}", found.noisy);
        println!("  bilateral, rule of thumb              {:.2}", found.rule_of_thumb);
        println!("  bilateral, best σ's chosen with truth {:.2}", found.best_by_truth);
        println!("  learned                               {:.2}", found.learned);
        println!("  learned, diagonal only                {:.2}", found.diagonal);
    }
    Ok(())
}
