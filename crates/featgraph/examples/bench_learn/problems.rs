//! Random edges to learn from.

use featgraph::edges::Edges;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::normal::normal;

/// Edges whose features have pairwise correlation `rho`, and whose signal distance grows along
/// a random direction of the features, with noise.
pub fn problem(k: usize, count: usize, rho: f64, seed: u64) -> Edges {
    with_nuisance(k, 0, count, rho, seed)
}

/// The same with `nuisance` features, as correlated, that the signal knows nothing of.
pub fn with_nuisance(k: usize, nuisance: usize, count: usize, rho: f64, seed: u64) -> Edges {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let telling = k - nuisance;
    let scale = 1.0 / (telling as f64).sqrt();
    let mut direction: Vec<f64> = (0..telling).map(|_| normal(&mut random)).collect();
    direction.resize(k, 0.0);
    let mut columns = vec![Vec::with_capacity(count); k];
    let mut distances = Vec::with_capacity(count);
    for _ in 0..count {
        let common = normal(&mut random);
        let mut along = 0.0;
        for (column, w) in columns.iter_mut().zip(&direction) {
            let g = rho.sqrt() * common + (1.0 - rho).sqrt() * normal(&mut random);
            along += w * g * scale;
            column.push(g);
        }
        let noise = 0.5 * normal(&mut random);
        distances.push((along + noise).powi(2));
    }
    Edges::from_columns(vec![], columns, distances).unwrap()
}

/// Nodes with random features, each joined to some that come soon after it, and a signal.
pub fn nodes(k: usize, count: usize, degree: usize) -> (Vec<f64>, Vec<f64>, Vec<(u32, u32)>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let rows: Vec<f64> = (0..count * k).map(|_| 0.5 * normal(&mut random)).collect();
    let signal = rows.chunks(k).map(|row| row[0] + 0.3 * normal(&mut random)).collect();
    let pairs = (0..(count * degree) as u32)
        .map(|e| {
            let i = e / degree as u32;
            (i, (i + 1 + random.random_range(0..2000)) % count as u32)
        })
        .collect();
    (rows, signal, pairs)
}
