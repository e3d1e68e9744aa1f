mod discs;
mod extremes;
mod projections;
mod rays;
mod smooth;
mod solvers;

use crate::edges::Edges;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

pub(super) fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

pub(super) fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    let (u, v): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Features with pairwise correlation `rho`; the signal follows a random direction of them.
pub(super) fn problem(k: usize, count: usize, rho: f64, seed: u64) -> Edges {
    let mut random = generator(seed);
    let direction: Vec<f64> = (0..k).map(|_| normal(&mut random)).collect();
    let mut columns = vec![vec![]; k];
    let mut distances = vec![];
    for _ in 0..count {
        let common = normal(&mut random);
        let mut along = 0.0;
        for (column, w) in columns.iter_mut().zip(&direction) {
            let g = rho.sqrt() * common + (1.0 - rho).sqrt() * normal(&mut random);
            along += w * g;
            column.push(g);
        }
        distances.push((along / (k as f64).sqrt() + 0.3 * normal(&mut random)).powi(2));
    }
    Edges::from_columns(vec![], columns, distances).unwrap()
}
