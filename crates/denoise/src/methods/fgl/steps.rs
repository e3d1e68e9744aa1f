//! The steps of Algorithm 1 in the form that the parameters ask for.

use featgraph::exp::exp;
use featgraph::learn::{self, AlternateParams, LearnParams};
use featgraph::metric::Metric;
use featgraph::solve::{CgParams, LinearOperator, LsqrParams, Shifted, TransposeOperator};
use featgraph::solve::{conjugate_gradient, lsqr};
use pellucid_cloud::{KdTree, NeighborTable, Point, PointCloud, normals as normal, sample, vec3};

use super::params::{Fgl, MetricRule, NormalSign, Sampling, Schedule, Solver, StopRule};
use crate::frame::LocalFrame;
use crate::graph::{self, FeatureColumns, LearningSample, Weighting};
use crate::patch::{self, Apart, PatchGraph, Patches};
use crate::system::{Damped, MovingCenters, WeightedGraph, Weights};
use crate::{DenoiseError, Iteration};

/// Weights by the published code's habit of naming b: rises by one every five iterations.
const PUBLISHED_PERIOD: usize = 5;

/// The nearest neighbors of every point, wide enough for normals and patches.
pub fn nearest(y: &[Point], p: &Fgl) -> NeighborTable {
    KdTree::new(y).knn_table(p.normal_neighbors.max(p.patch_size))
}

/// Normals of `y` (Algorithm 1, line 3).
pub fn normals(y: &[Point], nearest: &NeighborTable, p: &Fgl) -> Vec<Point> {
    let mut n = normal::estimate_normals(y, nearest);
    match p.normal_sign {
        NormalSign::Consistent => normal::orient_consistently(y, &mut n, nearest),
        NormalSign::Sheets => {
            normal::orient_consistently(y, &mut n, nearest);
            normal::orient_on_sheets(y, &mut n, nearest);
        }
        NormalSign::Outward => {
            let sum = y.iter().fold([0.0; 3], |sum, &y| vec3::add(sum, y));
            let middle = vec3::scale(sum, 1.0 / y.len() as f64);
            for (n, &y) in n.iter_mut().zip(y) {
                if vec3::dot(*n, vec3::sub(y, middle)) < 0.0 {
                    *n = vec3::scale(*n, -1.0);
                }
            }
        }
    }
    n
}

/// Patch centers of iteration `i` (Algorithm 1, line 4).
pub fn centers(
    y: &[Point],
    nearest: &NeighborTable,
    p: &Fgl,
    frame: &LocalFrame,
    i: usize,
    seed: u64,
) -> Vec<u32> {
    match p.sampling {
        Sampling::Farthest => {
            let count = ((p.patch_share * y.len() as f64).round() as usize).clamp(1, y.len());
            sample::farthest_points(y, count, frame.first())
        }
        Sampling::Poisson => patch::poisson_centers(y, nearest, p.patch_share, frame, i, seed),
    }
}

/// How far apart points are when normals count.
pub fn apart<'a>(normals: &'a [Point], p: &Fgl) -> Option<Apart<'a>> {
    (p.normal_distance > 0.0).then_some(Apart {
        normals,
        sided: None,
        per_normal: p.normal_distance,
    })
}

/// Feature columns of every point.
pub fn features(
    p: &Fgl,
    cloud: &PointCloud,
    frame: &LocalFrame,
    y: &[Point],
    normals: &[Point],
) -> Result<FeatureColumns, DenoiseError> {
    FeatureColumns::build(&p.features, cloud, frame, y, normals, p.position_scale)
}

/// Strength of the regularizer in iteration `i`; `noise` in local units.
pub fn gamma(p: &Fgl, i: usize, noise: f64) -> f64 {
    let e = std::f64::consts::E;
    match p.schedule {
        Schedule::Constant => p.gamma,
        Schedule::Text => 0.2_f64.powi(i as i32) * (e - 1.0).powi(1 - i as i32),
        Schedule::Published => {
            let b = ((i - 1) / PUBLISHED_PERIOD + 1) as f64;
            1.0 / (25.0 * (exp(b / 20.0) - 1.0))
        }
        Schedule::Noise => p.gamma * 2.0 * noise * noise,
    }
}

/// The weighted graph (Algorithm 1, lines 20 and 21).
pub fn weigh<'a>(
    p: &Fgl,
    patches: &'a Patches,
    graph: &'a PatchGraph,
    features: &FeatureColumns,
    normals: &[Point],
    metric: Option<&Vec<f64>>,
    seed: u64,
) -> WeightedGraph<'a> {
    let agreement = p.normal_agreement.then(|| graph::patch_normals(patches, normals));
    let how = Weighting {
        metric: metric.map(Vec::as_slice),
        coordinates: p.weight_coordinates,
        patch_normals: agreement.as_deref(),
        floor: p.weight_floor,
        seed,
    };
    let weights = Weights::OfEdges(graph::weights(patches, graph, features, &how));
    WeightedGraph::new(patches, graph, weights, p.laplacian)
}

/// Where the rule to stop asks for it: Eq. (50) at the noisy cloud and one γ, so that iterations
/// compare.
pub fn record_objective(
    p: &Fgl,
    weighted: &WeightedGraph,
    next: &[Point],
    observed: &[Point],
    gamma: f64,
    record: &mut Iteration,
) {
    if p.stop == StopRule::Objective {
        record.energy_observed = Some(weighted.energy(next, observed, gamma));
    }
}

/// Minimizes Eq. (50) around `anchor`, which the result stays close to: Eq. (51), or with origins
/// that move, `(I + γ (T-S)'L(T-S)) Y = P`.
pub fn solve(
    p: &Fgl,
    weighted: &WeightedGraph,
    anchor: &[Point],
    y: &[Point],
    gamma: f64,
    record: &mut Iteration,
) -> Result<Vec<Point>, DenoiseError> {
    let mut delta: Vec<Point> = y.iter().zip(anchor).map(|(&y, &a)| vec3::sub(y, a)).collect();
    record.solver_iterations = if weighted.patches.moving_origins() {
        let system =
            MovingCenters::new(weighted, anchor.len()).map_err(|e| failed_system(e.to_string()))?;
        let mut right = vec![[0.0; 3]; anchor.len()];
        system.apply(anchor, &mut right);
        right.iter_mut().for_each(|r| *r = vec3::scale(*r, -gamma));
        displace(p, &Shifted { shift: 1.0, scale: gamma, operator: &system }, &right, &mut delta)?
    } else {
        let system = weighted.assemble(anchor)?;
        let right: Vec<Point> = system.pull().iter().map(|&f| vec3::scale(f, gamma)).collect();
        displace(p, &Damped { system: &system, gamma }, &right, &mut delta)?
    };
    let next: Vec<Point> = delta.iter().zip(anchor).map(|(&d, &a)| vec3::add(a, d)).collect();
    record.edges = weighted.len();
    record.gamma = Some(gamma);
    record.energy_before = Some(weighted.energy(y, anchor, gamma));
    record.energy_after = Some(weighted.energy(&next, anchor, gamma));
    Ok(next)
}

fn failed_system(detail: String) -> DenoiseError {
    DenoiseError::Numerical { step: "the linear system", detail }
}

/// Solves for the displacement, from `delta` where the solver can start anywhere; gives the
/// solver's iterations.
fn displace(
    p: &Fgl,
    operator: &impl TransposeOperator<3>,
    right: &[Point],
    delta: &mut Vec<Point>,
) -> Result<usize, DenoiseError> {
    let tolerance = p.solver_tolerance;
    match p.solver {
        Solver::Cg => {
            let params = CgParams { tolerance, ..CgParams::default() };
            conjugate_gradient(operator, right, delta, &params)
                .map(|info| info.iterations)
                .map_err(|e| failed_system(e.to_string()))
        }
        Solver::Lsqr => {
            let params = LsqrParams { tolerance, ..LsqrParams::default() };
            let (x, info) =
                lsqr(operator, right, &params).map_err(|e| failed_system(e.to_string()))?;
            *delta = x;
            Ok(info.iterations)
        }
    }
}

/// Notes how far points moved, in file units.
pub fn record_movement(record: &mut Iteration, from: &[Point], to: &[Point], unit: f64) {
    let mut sum = 0.0;
    let mut largest = 0.0_f64;
    for (&a, &b) in from.iter().zip(to) {
        let d = vec3::distance2(a, b).sqrt() * unit;
        sum += d;
        largest = largest.max(d);
    }
    record.mean_displacement = sum / from.len().max(1) as f64;
    record.max_displacement = largest;
}

/// Learns the metric of each iteration.
pub struct Learner<'a> {
    p: &'a Fgl,
    seed: u64,
    params: LearnParams,
}

impl<'a> Learner<'a> {
    /// A learner that draws its samples from this seed.
    pub fn new(p: &'a Fgl, seed: u64) -> Self {
        let base = LearnParams { trace_limit: p.trace_limit, ..LearnParams::default() };
        let params = match p.metric {
            MetricRule::Alternate => {
                LearnParams { solver: learn::Solver::Alternate(AlternateParams::default()), ..base }
            }
            MetricRule::Published => {
                LearnParams { trace_limit: p.trace_limit, ..LearnParams::published() }
            }
            MetricRule::Diagonal => LearnParams { solver: learn::Solver::Diagonal, ..base },
            // To the last digits, so that turning the cloud turns the metric.
            MetricRule::Full => LearnParams {
                solver: learn::Solver::Full,
                tolerance: 1e-13,
                max_passes: 100,
                ..base
            },
            MetricRule::Fixed | MetricRule::Random => {
                LearnParams { solver: learn::Solver::Fixed, ..base }
            }
        };
        Learner { p, seed, params }
    }

    /// The metric, row after row, or `None` for drawn weights (Algorithm 1, lines 13 to 19).
    pub fn learn(
        &self,
        y: &[Point],
        frame: &LocalFrame,
        patches: &Patches,
        graph: &PatchGraph,
        features: &FeatureColumns,
        record: &mut Iteration,
    ) -> Result<Option<Vec<f64>>, DenoiseError> {
        let p = self.p;
        if p.metric == MetricRule::Random {
            return Ok(None);
        }
        let failed = |detail: String| DenoiseError::Numerical { step: "learning", detail };
        let k = features.len();
        let sample =
            LearningSample { edges: p.learn_edges, points: p.learn_points, seed: self.seed };
        let edges = match p.metric {
            MetricRule::Fixed => None,
            _ => Some(graph::learning_edges(
                y,
                frame.ordinals(),
                patches,
                graph,
                features,
                p.learn_coordinates,
                sample,
            )?),
        };
        let metric = match edges.filter(|e| !e.is_empty()) {
            None => Metric::identity_scaled(k, p.trace_limit).map_err(|e| failed(e.to_string()))?,
            Some(edges) => {
                let learned =
                    learn::learn(&edges, &self.params).map_err(|e| failed(e.to_string()))?;
                record.objective_before = learned.info.history.first().copied();
                record.objective_after = Some(learned.info.objective);
                record.learning_passes = learned.info.passes;
                record.step_size = Some(learned.info.step_size);
                learned.metric
            }
        };
        record.metric = Some(features.metric_in_file(metric.values(), frame.axes()));
        Ok(Some(metric.values().to_vec()))
    }
}
