//! How linked patches pull their points together: the linear system of Eq. (51), never written out.
//!
//! Every link goes both ways, so that what one point is pulled by, the other is pulled back by, and
//! points do not gather. The system is solved by a fixed number of sweeps whose coefficients do
//! not depend on the cloud: a piece of it gets what the whole would, and few sweeps are a better
//! regularizer than many.

use pellucid_cloud::{Point, vec3};
use rayon::prelude::*;

use crate::patch::{NONE, PatchGraph, Patches};

/// Bound on the spectrum of the Jacobi iteration that the sweeps are made for. Components beyond
/// it are damped less but never grow.
const RHO: f64 = 0.85;
/// Patches and points a task.
const PATCHES: usize = 64;
const POINTS: usize = 1024;

/// The sum of weights, and of what they weigh.
type Sums = [f64; 4];

/// Numbers that belong to each of some others, list after list.
struct Lists {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    /// For each of `owners`, the places at which it stands in `of`.
    fn inverse(of: &[u32], owners: usize) -> Lists {
        let mut starts = vec![0u32; owners + 1];
        of.iter().filter(|o| **o != NONE).for_each(|&o| starts[o as usize + 1] += 1);
        for i in 0..owners {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut entries = vec![0; starts[owners] as usize];
        for (place, &o) in of.iter().enumerate().filter(|(_, o)| **o != NONE) {
            entries[next[o as usize] as usize] = place as u32;
            next[o as usize] += 1;
        }
        Lists { starts, entries }
    }

    fn of(&self, owner: usize) -> &[u32] {
        &self.entries[self.starts[owner] as usize..self.starts[owner + 1] as usize]
    }
}

/// Linked patches with the weight of every link of two points.
pub struct Pull<'a> {
    patches: &'a Patches,
    graph: &'a PatchGraph,
    weights: Vec<f32>,
    /// Links that lead to each patch.
    incoming: Lists,
    /// Nodes of each point.
    nodes: Lists,
}

impl<'a> Pull<'a> {
    /// `weights` has one for each point of each link.
    pub fn new(
        points: usize,
        patches: &'a Patches,
        graph: &'a PatchGraph,
        weights: Vec<f32>,
    ) -> Self {
        let incoming = Lists::inverse(graph.links().0, patches.len());
        let nodes = Lists::inverse(patches.points_of_nodes(), points);
        Pull { patches, graph, weights, incoming, nodes }
    }

    /// For every node, the sum of its weights and of `w (x_q + o - x_p)` over its links, where `o`
    /// is between the origins of the patches if these count, else zero.
    fn sums(&self, x: &[Point], origins: bool, nodes: &mut Vec<Sums>) {
        let (patches, size) = (self.patches, self.patches.size());
        let (links, degree) = self.graph.links();
        nodes.resize(patches.points_of_nodes().len(), [0.0; 4]);
        nodes.par_chunks_mut(size).enumerate().with_min_len(PATCHES).for_each(|(s, nodes)| {
            nodes.fill([0.0; 4]);
            let own = patches.members(s);
            let shift = |t: usize| match origins {
                true => vec3::sub(patches.origins()[s], patches.origins()[t]),
                false => [0.0; 3],
            };
            let mut add = |a: usize, w: f32, q: u32, o: Point| {
                let (w, xp, xq) = (f64::from(w), x[own[a] as usize], x[q as usize]);
                let node = &mut nodes[a];
                node[0] += w;
                // Not in single precision: that makes a difference in the last bit, as between
                // platforms, grow to eight digits from round to round.
                for c in 0..3 {
                    node[c + 1] += w * (xq[c] + o[c] - xp[c]);
                }
            };
            for link in s * degree..(s + 1) * degree {
                if links[link] != NONE {
                    let t = links[link] as usize;
                    let (o, other) = (shift(t), patches.members(t));
                    let weights = &self.weights[link * size..][..size];
                    for (a, (&slot, &w)) in self.graph.slots(link).iter().zip(weights).enumerate() {
                        add(a, w, other[slot as usize], o);
                    }
                }
            }
            for &link in self.incoming.of(s) {
                let t = link as usize / degree;
                let o = shift(t);
                let weights = &self.weights[link as usize * size..][..size];
                let slots = self.graph.slots(link as usize).iter().zip(weights);
                for (&q, (&slot, &w)) in patches.members(t).iter().zip(slots) {
                    add(slot as usize, w, q, o);
                }
            }
        });
    }

    /// The sums of the nodes of point `i`.
    fn of_point(&self, i: usize, nodes: &[Sums]) -> [f64; 4] {
        self.nodes.of(i).iter().fold([0.0; 4], |sum, &node| {
            let v = nodes[node as usize];
            std::array::from_fn(|c| sum[c] + v[c])
        })
    }

    /// Where points go: `(I + γA) Δ = γ pull` by Chebyshev's semi-iteration (Golub & Varga 1961,
    /// doi:10.1007/BF01386013), started at rest.
    pub fn solve(&self, y: &[Point], gamma: f64, sweeps: usize) -> Vec<Point> {
        let mut nodes = Vec::new();
        self.sums(y, true, &mut nodes);
        let points = (0..y.len()).into_par_iter().with_min_len(POINTS);
        let pull: Vec<[f64; 4]> = points.map(|i| self.of_point(i, &nodes)).collect();
        let mut before = vec![[0.0; 3]; y.len()];
        let first = |s: &[f64; 4]| {
            let step = gamma / (1.0 + gamma * s[0]);
            [step * s[1], step * s[2], step * s[3]]
        };
        let mut x: Vec<Point> = pull.par_iter().with_min_len(POINTS).map(first).collect();
        let mut omega = 2.0;
        for _ in 1..sweeps {
            omega = 1.0 / (1.0 - 0.25 * RHO * RHO * omega);
            self.sums(&x, false, &mut nodes);
            before.par_iter_mut().enumerate().with_min_len(POINTS).for_each(|(i, before)| {
                let around = self.of_point(i, &nodes);
                let step = 1.0 / (1.0 + gamma * pull[i][0]);
                for c in 0..3 {
                    let residual = gamma * (pull[i][c + 1] + around[c + 1]) - x[i][c];
                    let jacobi = x[i][c] + step * residual;
                    before[c] += omega * (jacobi - before[c]);
                }
            });
            std::mem::swap(&mut before, &mut x);
        }
        x.iter_mut().zip(y).for_each(|(x, &y)| *x = vec3::add(y, *x));
        x
    }
}

#[cfg(test)]
#[path = "pull_tests.rs"]
mod tests;
