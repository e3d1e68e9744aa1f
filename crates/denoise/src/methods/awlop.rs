//! Anisotropic weighted locally optimal projection (Huang et al. 2013, edge-aware resampling):
//! points move along smoothed normals, and only by those neighbors that lie on their side of an
//! edge.

use featgraph::exp::exp;
use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{Around, KdTree, PointCloud};

use super::lop::PROPERTIES;
use crate::frame::Unit;
use crate::local::NormalSource;
use crate::local::projection::{Push, Theta, automatic_radius};
use crate::parameters::{Checked, Parameters, above, between, choices, parameters};
use crate::passes::{Pass, Passes};
use crate::registry::{Method, Preset, Properties};
use crate::{DenoiseError, Denoised, Run};

const NAME: &str = "awlop";
const MIN_POINTS: usize = 4;
/// Passes of the bilateral filter over the normals of the data.
const SMOOTHINGS: usize = 4;
/// The paper's σ_p in units of the noise: neighbors much higher than that lie on another sheet.
const HEIGHT: f64 = 5.0;
/// Noise taken for granted, in spacings, where a width must not vanish.
const LEAST_NOISE: f64 = 0.1;
/// Distances below this part of the support radius count as this much, as in public code for it.
const LEAST_DISTANCE: f64 = 1e-3;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    properties: PROPERTIES,
    presets: &[Preset {
        name: "paper",
        about: "the projection as published: whole vectors, weighted by height over the tangent plane",
        properties: Properties { for_the_record: true, ..PROPERTIES },
    }],
    ..Method::new::<Awlop>(
        NAME,
        "projects along smoothed normals by neighbors on the same side of edges",
        "Huang et al. 2013, Edge-aware point set resampling",
        Some("10.1145/2421636.2421645"),
    )
};

choices! {
    /// How the data move a point.
    pub enum Pull {
        /// Along the normal, to the mean height of the neighbors on the same side of an edge.
        Heights = "heights",
        /// By whole vectors to the weighted median of the neighbors, as published.
        Vectors = "vectors",
    }
}

parameters! {
    /// Parameters of anisotropic weighted locally optimal projection.
    pub struct Awlop {
        /// Support radius h, in the unit that `units` names; weights fall as exp(-(4r/h)²); null: from
        /// the estimated noise.
        radius: Option<f64> = None, in above(0.0), unit "spacings";
        /// Strength with which points push each other apart.
        repulsion: f64 = 0.3, in between(0.0, 0.5);
        /// Number of steps of the projection.
        iterations: usize = 3, in between(1.0, 1000.0), unit "iterations";
        /// How neighbors move a point: along its normal by their heights, or by whole vectors.
        pull: Pull = Pull::Heights;
        /// Angle between normals from which neighbors count as points of another face.
        angle: f64 = 30.0, in above(0.0).up_to(180.0), unit "degrees";
        /// Where normals come from: estimated from the points, or those of the file.
        normals: NormalSource = NormalSource::Estimate;
        /// Unit of `radius`: mean spacings, or units of the file.
        units: Unit = Unit::Spacing;
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Awlop {
    fn preset(name: &str) -> Option<Self> {
        let paper = Awlop { pull: Pull::Vectors, ..Self::default() };
        (name == "paper").then_some(paper)
    }

    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        let mut passes = Passes::begin(noisy, NAME, MIN_POINTS, checked.noise, run)?;
        if checked.radius.is_none() && passes.is_clean() {
            return Ok(passes.leave_alone());
        }
        let sigma = passes.noise.sigma;
        let h = match checked.radius {
            Some(h) => passes.frame.length(h, checked.units),
            None => automatic_radius(sigma),
        };
        passes.note(format!("support radius {h:.2} spacings"));
        let theta = Theta::new(h);
        let sides = Sides::new(checked.angle, HEIGHT * sigma.max(LEAST_NOISE));
        let data = passes.frame.points().to_vec();
        let tree = KdTree::new(&data);
        let whole = checked.pull == Pull::Vectors;
        let v = whole.then(|| theta.densities(&data, &tree));
        let mut given = checked.normals.normals(noisy, &passes.frame, sigma)?;
        let mut normals = vec![];
        passes.run(run, checked.iterations, |pass, points, run| {
            if pass.index == 1 {
                sides.smooth(&theta, &mut given, &data, &tree, pass, run)?;
                normals = given.clone();
            }
            let own = KdTree::new(points);
            let w = theta.densities(points, &own);
            let mut moved: Vec<(Point, Point)> =
                points.iter().copied().zip(normals.iter().copied()).collect();
            let start = if pass.index == 1 { 0.5 } else { 0.0 };
            let around = || (tree.around(&data), own.around(points));
            pass.fill([start, 1.0], &mut moved, run, around, |(of_data, of_own), _, (x, n)| {
                theta.near(*x, of_data);
                if let Some(v) = &v {
                    // Points keep their normals, and push each other in all directions.
                    let least = (pass.index > 1).then_some(LEAST_DISTANCE * h);
                    let pull = median(&theta, *n, v, least, of_data);
                    theta.near(*x, of_own);
                    let away = Push::Even.away(&theta, Some(&w), of_own);
                    *x = vec3::add(*x, vec3::add(pull, vec3::scale(away, checked.repulsion)));
                    return;
                }
                *n = sides.normal(&theta, *n, &given, of_data);
                let t = sides.offset(&theta, *n, &given, of_data);
                theta.near(*x, of_own);
                let away = Push::Even.away(&theta, Some(&w), of_own);
                let flat = vec3::sub(away, vec3::scale(*n, vec3::dot(away, *n)));
                let step = vec3::add(vec3::scale(*n, t), vec3::scale(flat, checked.repulsion));
                *x = vec3::add(*x, step);
            })?;
            normals = moved.iter().map(|m| m.1).collect();
            Ok(moved.into_iter().map(|m| m.0).collect())
        })
    }
}

/// The way from a point with normal `n` to the weighted median of the data around it:
/// `Σ d α / Σ α` with `α = φ / (r v)`, where `φ = θ(n·d)` falls with the height over the tangent
/// plane alone and `v` are the densities of the data. Distances count as `least` or more; without
/// it `1 / r` is left out, as in the first step of the papers on this projection.
#[inline]
fn median(theta: &Theta, n: Point, v: &[f64], least: Option<f64>, around: &Around) -> Point {
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    for ((d, &d2), &j) in around.points().zip(around.distances2()).zip(around.indices()) {
        let height = vec3::dot(n, d);
        let mut alpha = theta.weight(height * height) / v[j as usize];
        if let Some(least) = least {
            alpha /= d2.sqrt().max(least);
        }
        sum = vec3::add(sum, vec3::scale(d, alpha));
        total += alpha;
    }
    if total > 0.0 { vec3::scale(sum, 1.0 / total) } else { [0.0; 3] }
}

/// Which neighbors lie on the same side of an edge.
struct Sides {
    /// `1 / (1 - cos σ_n)`.
    turn: f64,
    /// `1 / σ_p²`.
    height: f64,
}

impl Sides {
    fn new(angle: f64, sigma_p: f64) -> Sides {
        let turn = 1.0 / (1.0 - angle.to_radians().cos());
        Sides { turn, height: 1.0 / (sigma_p * sigma_p) }
    }

    /// The paper's ψ: how much two normals agree.
    #[inline]
    fn psi(&self, a: Point, b: Point) -> f64 {
        let s = (1.0 - vec3::dot(a, b)) * self.turn;
        exp(-s * s)
    }

    /// Filters the normals of the data; it is the first half of the pass.
    fn smooth(
        &self,
        theta: &Theta,
        normals: &mut Vec<Point>,
        data: &[Point],
        tree: &KdTree,
        pass: &Pass,
        run: &mut Run,
    ) -> Result<(), DenoiseError> {
        for k in 0..SMOOTHINGS {
            let share = [k, k + 1].map(|k| 0.5 * k as f64 / SMOOTHINGS as f64);
            let mut next = normals.clone();
            let around = || tree.around(data);
            pass.fill(share, &mut next, run, around, |around, i, n| {
                theta.near(data[i], around);
                *n = self.normal(theta, *n, normals, around);
            })?;
            *normals = next;
        }
        Ok(())
    }

    /// The bilateral mean of normals around a point with normal `n`.
    #[inline]
    fn normal(&self, theta: &Theta, n: Point, normals: &[Point], around: &Around) -> Point {
        let mut sum = [0.0; 3];
        for (&j, &d2) in around.indices().iter().zip(around.distances2()) {
            let m = normals[j as usize];
            let w = theta.weight(d2) * self.psi(n, m);
            sum = vec3::add(sum, vec3::scale(m, w));
        }
        vec3::normalized(sum).unwrap_or(n)
    }

    /// How far to go from `x` along `n`: the mean of the neighbors' heights.
    ///
    /// A height is taken across the mean of both normals, `(n + m)·(p - x - t n) = 0`: on a
    /// circular arc that is exact, where heights over the tangent plane would draw `x` inwards.
    #[inline]
    fn offset(&self, theta: &Theta, n: Point, normals: &[Point], around: &Around) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for ((d, &d2), &j) in around.points().zip(around.distances2()).zip(around.indices()) {
            let m = normals[j as usize];
            let c = vec3::dot(n, m);
            if c <= 0.0 {
                continue;
            }
            let t = vec3::dot(vec3::add(n, m), d) / (1.0 + c);
            let w = theta.weight(d2) * self.psi(n, m) * exp(-t * t * self.height);
            sum += w * t;
            total += w;
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }
}

#[cfg(test)]
#[path = "awlop_tests.rs"]
mod tests;
