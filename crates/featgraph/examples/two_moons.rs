//! Labels on two moons with nuisance features: learned metrics against plain Gaussian weights.
//!
//! `cargo run -p featgraph --example two_moons`
#![allow(clippy::print_stdout)]

#[path = "shared/two_moons.rs"]
mod two_moons;

use two_moons::{FRESH, LABELLED, NODES, NUISANCE, TUNING};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{NODES} nodes, {LABELLED} labelled, 2 + {NUISANCE} features");
    for (name, seeds) in [("seeds the settings were chosen on", TUNING), ("fresh seeds", FRESH)] {
        println!("{name} ({} to {})       accuracy  trace on nuisance", seeds.start, seeds.end - 1);
        let found = two_moons::run(seeds)?;
        for (metric, score) in [
            ("plain Gaussian weights", found.plain),
            ("learned, alternate", found.alternate),
            ("learned, diagonal", found.diagonal),
            ("learned, full", found.full),
            ("without the nuisance", found.moons_only),
        ] {
            println!("  {metric:26} {:.3}  {:.3}", score.accuracy, score.nuisance_share);
        }
    }
    Ok(())
}
