//! Missing values of a graph signal from the known ones.

use crate::laplacian::Csr;
use crate::solve::channels::{LANES, by_lanes};
use crate::solve::{CgParams, LinearOperator, SolveError, conjugate_gradient};

/// Fills in the values of nodes that are not `known`, for a signal of `channels` values a node, node
/// after node; what stands at unknown nodes is ignored.
///
/// With `smoothing` zero known values stay and all others are the weighted means of their neighbors
/// (harmonic: Zhu, Ghahramani and Lafferty 2003). With γ above zero the result minimizes
/// `sum over known of |x - z|² + γ x'Lx`, for values that are noisy. Parts of the graph without a
/// known value get zero.
///
/// ```
/// use featgraph::laplacian::{Duplicate, Graph, Kind};
/// use featgraph::{solve::CgParams, spectrum::interpolate};
///
/// let graph = Graph::from_pairs(4, &[(0, 1), (1, 2), (2, 3)], &[1.0; 3], Duplicate::Add)?;
/// let l = graph.laplacian(Kind::Combinatorial);
/// let known = [true, false, false, true];
/// let x = interpolate(&l, &known, 1, &[0.0, f64::NAN, f64::NAN, 3.0], 0.0, &CgParams::default())?;
/// assert!((x[1] - 1.0).abs() < 1e-5 && (x[2] - 2.0).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When lengths differ, a known value is not finite, or γ is negative or not finite.
pub fn interpolate(
    laplacian: &Csr,
    known: &[bool],
    channels: usize,
    values: &[f64],
    smoothing: f64,
    params: &CgParams,
) -> Result<Vec<f64>, SolveError> {
    if !(smoothing >= 0.0 && smoothing.is_finite()) {
        let rule = "must be finite and not negative";
        return Err(SolveError::Parameter { field: "smoothing", rule });
    }
    let nodes = laplacian.rows();
    check(known.len() == nodes, "known", "must have one flag for each node")?;
    check(
        nodes.checked_mul(channels) == Some(values.len()),
        "values",
        "must have one value for each node and channel",
    )?;
    let operator = Masked { laplacian, known, smoothing };
    by_lanes(channels, values, |z| {
        let pick = |(z, &known): (&[f64; LANES], &bool)| if known { *z } else { [0.0; LANES] };
        let given: Vec<[f64; LANES]> = z.iter().zip(known).map(pick).collect();
        let mut right = given.clone();
        if smoothing == 0.0 {
            let mut pull = vec![[0.0; LANES]; nodes];
            laplacian.apply(&given, &mut pull);
            for ((right, pull), _) in right.iter_mut().zip(&pull).zip(known).filter(|(_, k)| !**k) {
                *right = pull.map(|p| -p);
            }
        }
        let mut x = given;
        conjugate_gradient(&operator, &right, &mut x, params)?;
        Ok(x)
    })
}

fn check(holds: bool, field: &'static str, rule: &'static str) -> Result<(), SolveError> {
    if holds { Ok(()) } else { Err(SolveError::Parameter { field, rule }) }
}

/// Identity on known nodes and L among unknown ones, or, with smoothing, their sum.
struct Masked<'a> {
    laplacian: &'a Csr,
    known: &'a [bool],
    smoothing: f64,
}

impl LinearOperator<LANES> for Masked<'_> {
    fn rows(&self) -> usize {
        self.known.len()
    }

    fn columns(&self) -> usize {
        self.rows()
    }

    fn apply(&self, x: &[[f64; LANES]], y: &mut [[f64; LANES]]) {
        let nodes = x.iter().zip(self.known);
        if self.smoothing > 0.0 {
            self.laplacian.apply(x, y);
            for (y, (x, &known)) in y.iter_mut().zip(nodes) {
                let own = f64::from(u8::from(known));
                (0..LANES).for_each(|l| y[l] = self.smoothing * y[l] + own * x[l]);
            }
            return;
        }
        let free: Vec<[f64; LANES]> =
            nodes.map(|(x, &known)| if known { [0.0; LANES] } else { *x }).collect();
        self.laplacian.apply(&free, y);
        for ((y, x), _) in y.iter_mut().zip(x).zip(self.known).filter(|(_, k)| **k) {
            *y = *x;
        }
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        LinearOperator::<LANES>::diagonal(self.laplacian, diagonal);
        for (d, &known) in diagonal.iter_mut().zip(self.known) {
            *d = match (known, self.smoothing > 0.0) {
                (known, true) => self.smoothing * *d + f64::from(u8::from(known)),
                (true, false) => 1.0,
                (false, false) => *d,
            };
            // A node without edges and value.
            if *d <= 0.0 {
                *d = 1.0;
            }
        }
    }
}
