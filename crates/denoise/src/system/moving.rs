//! Patches relative to their center points, where these are points of the result themselves.

use featgraph::laplacian::{Csr, Duplicate, Graph, GraphError, Isolated, Kind};
use featgraph::solve::{LinearOperator, TransposeOperator};
use pellucid_cloud::{Point, vec3};
use rayon::prelude::*;

use super::{Laplacian, PATCHES, WeightedGraph};
use crate::patch::Patches;

/// `A = (T-S)'L(T-S)`: T selects the point of each node, S the center point of its patch.
///
/// With such origins V = (T-S)Y, and Eq. (50) is least at `(I + γA) Y = P`. An edge between point p
/// of the patch around c and point q of the patch around d adds `w b b'` with
/// `b = e_p - e_c - e_q + e_d`.
pub struct MovingCenters<'a> {
    patches: &'a Patches,
    laplacian: Csr,
    diagonal: Vec<f64>,
}

impl<'a> MovingCenters<'a> {
    /// The matrix of a graph over a cloud of so many points.
    pub fn new(weighted: &WeightedGraph<'a>, points: usize) -> Result<Self, GraphError> {
        let patches = weighted.patches;
        let (mut pairs, mut weights) = (Vec::new(), Vec::new());
        let mut diagonal = vec![0.0; points];
        let center = |s: usize| patches.centers()[s] as usize;
        weighted.for_each_edge(0..patches.len(), |_, i, j, w| {
            pairs.push((i.node as u32, j.node as u32));
            weights.push(w);
            let (f, g) = (weighted.factor(i.node), weighted.factor(j.node));
            let b = [(i.point, f), (center(i.patch), -f), (j.point, -g), (center(j.patch), g)];
            add_squares(&b, w, &mut diagonal);
        });
        let nodes = patches.points_of_nodes().len();
        let graph = Graph::from_pairs(nodes, &pairs, &weights, Duplicate::Add)?;
        let kind = match weighted.laplacian {
            Laplacian::Combinatorial => Kind::Combinatorial,
            Laplacian::Normalized => Kind::Normalized(Isolated::KeepOne),
        };
        if weighted.laplacian == Laplacian::Normalized {
            for (node, &point) in patches.points_of_nodes().iter().enumerate() {
                if graph.degrees()[node] == 0.0 {
                    let b = [(point as usize, 1.0), (center(node / patches.size()), -1.0)];
                    add_squares(&b, 1.0, &mut diagonal);
                }
            }
        }
        Ok(MovingCenters { patches, laplacian: graph.laplacian(kind), diagonal })
    }
}

/// Adds the diagonal of `w b b'`; points may repeat in `b`.
fn add_squares(b: &[(usize, f64)], w: f64, diagonal: &mut [f64]) {
    for (n, &(p, _)) in b.iter().enumerate() {
        if b[..n].iter().all(|&(q, _)| q != p) {
            let sum: f64 = b.iter().filter(|&&(q, _)| q == p).map(|&(_, f)| f).sum();
            diagonal[p] += w * sum * sum;
        }
    }
}

impl LinearOperator<3> for MovingCenters<'_> {
    fn rows(&self) -> usize {
        self.diagonal.len()
    }

    fn columns(&self) -> usize {
        self.rows()
    }

    fn apply(&self, x: &[Point], y: &mut [Point]) {
        let size = self.patches.size();
        let of = self.patches.points_of_nodes();
        let mut v = vec![[0.0; 3]; of.len()];
        v.par_chunks_mut(size).with_min_len(PATCHES).enumerate().for_each(|(s, v)| {
            let origin = x[self.patches.centers()[s] as usize];
            for (v, &p) in v.iter_mut().zip(self.patches.members(s)) {
                *v = vec3::sub(x[p as usize], origin);
            }
        });
        let mut lv = vec![[0.0; 3]; of.len()];
        self.laplacian.apply(&v, &mut lv);
        y.fill([0.0; 3]);
        for (s, lv) in lv.chunks_exact(size).enumerate() {
            let mut sum = [0.0; 3];
            for (&u, &p) in lv.iter().zip(self.patches.members(s)) {
                y[p as usize] = vec3::add(y[p as usize], u);
                sum = vec3::add(sum, u);
            }
            let c = self.patches.centers()[s] as usize;
            y[c] = vec3::sub(y[c], sum);
        }
    }

    fn diagonal(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.diagonal);
    }
}

impl TransposeOperator<3> for MovingCenters<'_> {
    fn apply_transpose(&self, x: &[Point], y: &mut [Point]) {
        self.apply(x, y);
    }
}
