//! Seeded normal noise for the examples.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A standard normal value (Box and Muller, doi:10.1214/aoms/1177706645).
pub fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
    let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
}
