//! Moving least squares (Alexa et al. 2001): each point moves onto a surface fitted to its
//! neighbours.

use std::sync::atomic::{AtomicBool, Ordering};

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, Neighbor, PointCloud};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::frame::{LocalFrame, Unit};
use crate::local::{Kernel, Moments, QuadricFit};
use crate::registry::{Method, Parameter, Parameters, Preset, Properties};
use crate::{
    DenoiseError, Denoised, Denoiser, Iteration, ParameterError, Report, Run, Snapshot, Stop,
};

const NAME: &str = "mls";
const MIN_POINTS: usize = 4;

/// Noise below this many spacings is left alone: a fit would add more error than it removes.
const NEGLIGIBLE_NOISE: f64 = 0.02;
/// Most points in an automatic neighbourhood, whatever the noise estimate says.
const MOST_NEIGHBORS: usize = 60;
/// Points handled between two reports of progress, and by one parallel task.
const BLOCK: usize = 1 << 16;
const CHUNK: usize = 256;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    presets: &[Preset {
        name: "jet",
        about: "one pass of quadric fits, as in jet smoothing; keeps curved detail at low noise",
        properties: Properties::USUAL,
    }],
    parameters: &[
        Parameter {
            name: "surface",
            unit: "",
            about: "what is fitted to the neighbours: plane or quadric",
        },
        Parameter {
            name: "neighbors",
            unit: "points",
            about: "size of a neighbourhood, the point included; null: from the estimated noise",
        },
        Parameter {
            name: "radius",
            unit: "spacings",
            about: "take all neighbours within this distance instead of a number of them",
        },
        Parameter {
            name: "kernel",
            unit: "",
            about: "how weights fall with distance: flat, biweight or gaussian",
        },
        Parameter {
            name: "iterations",
            unit: "iterations",
            about: "passes, each over the points as the one before left them",
        },
        Parameter {
            name: "reach",
            unit: "spacings",
            about: "a point this far from its fitted surface is an outlier and stays; null: from \
                    the estimated noise",
        },
    ],
    ..Method::new::<MlsParameters>(
        NAME,
        "projects each point on a locally fitted plane or quadric",
        "Alexa et al. 2001, Point set surfaces",
        Some("10.1109/VISUAL.2001.964489"),
    )
};

/// What is fitted to a neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    /// The plane of least squared distance.
    Plane,
    /// A quadric height field over that plane.
    Quadric,
}

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MlsParameters {
    /// What is fitted.
    pub surface: Surface,
    /// Points in a neighbourhood; `None`: from the noise.
    pub neighbors: Option<usize>,
    /// Radius of a neighbourhood in spacings, instead of a number of points.
    pub radius: Option<f64>,
    /// Weights by distance.
    pub kernel: Kernel,
    /// Passes.
    pub iterations: usize,
    /// Largest move in spacings; `None`: from the noise.
    pub reach: Option<f64>,
}

impl Default for MlsParameters {
    fn default() -> Self {
        MlsParameters {
            surface: Surface::Plane,
            neighbors: None,
            radius: None,
            kernel: Kernel::Flat,
            iterations: 2,
            reach: None,
        }
    }
}

impl Parameters for MlsParameters {
    fn preset(name: &str) -> Option<Self> {
        (name == "jet").then(|| MlsParameters {
            surface: Surface::Quadric,
            iterations: 1,
            ..MlsParameters::default()
        })
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        let positive = |x: Option<f64>| x.is_none_or(|x| x > 0.0 && x.is_finite());
        let few = self.neighbors.is_none_or(|k| (3..=10_000).contains(&k));
        ParameterError::check(few, "neighbors", self.neighbors, "between 3 and 10000, or null")?;
        ParameterError::check(positive(self.radius), "radius", self.radius, "above 0, or null")?;
        let one = self.radius.is_none() || self.neighbors.is_none();
        ParameterError::check(one, "radius", self.radius, "null when neighbors is given")?;
        let passes = (1..=1000).contains(&self.iterations);
        ParameterError::check(passes, "iterations", self.iterations, "between 1 and 1000")?;
        ParameterError::check(positive(self.reach), "reach", self.reach, "above 0, or null")?;
        Ok(Box::new(Mls(self)))
    }
}

struct Mls(MlsParameters);

impl Denoiser for Mls {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        let mut report = Report::default();
        run.progress("prepare", 1, 0.0)?;
        let (frame, noise) = Run::timed(&mut report, "prepare", || {
            let frame = LocalFrame::enter(noisy, Unit::Spacing, NAME, MIN_POINTS)?;
            let noise = frame.noise();
            Ok::<_, DenoiseError>((frame, noise))
        })?;
        report.spacing = Some(frame.unit());
        report.noise = Some(noise.sigma * frame.unit());
        report.skipped_rows = noisy.len() - frame.rows().len();

        let fit = self.fit(noise.sigma, &mut report);
        let mut points = frame.points().to_vec();
        let mut stop = Stop::IterationLimit;
        if self.is_automatic() && noise.reliable && noise.sigma < NEGLIGIBLE_NOISE {
            report.notes.push("the cloud shows no noise; nothing was moved".to_owned());
            stop = Stop::NothingToDo;
        } else {
            for pass in 1..=self.0.iterations {
                let start = std::time::Instant::now();
                let moved = self.pass(&fit, &points, pass, run)?;
                *report.seconds.entry("project".to_owned()).or_default() +=
                    start.elapsed().as_secs_f64();
                let record = record(pass, frame.unit(), &points, &moved);
                points = moved;
                report.history.push(record);
                let positions = || frame.leave(noisy, &points);
                let record = &report.history[pass - 1];
                if run.iteration(&Snapshot { record, positions: &positions })? {
                    stop = Stop::Observer;
                    break;
                }
            }
        }
        let cloud = noisy.clone();
        let cloud = cloud.with_positions(frame.leave(noisy, &points)).unwrap_or(cloud);
        Ok(Denoised { cloud, iterations: report.history.len(), stop, report })
    }
}

/// The neighbourhoods of a run, in local units.
struct Fit {
    surface: Surface,
    kernel: Kernel,
    extent: Extent,
    reach2: f64,
}

enum Extent {
    Neighbors(usize),
    Radius(f64),
}

impl Mls {
    fn is_automatic(&self) -> bool {
        self.0.neighbors.is_none() && self.0.radius.is_none()
    }

    /// What to fit to how many points, for noise of `sigma` spacings.
    fn fit(&self, sigma: f64, report: &mut Report) -> Fit {
        let extent = match (self.0.neighbors, self.0.radius) {
            (_, Some(radius)) => Extent::Radius(radius),
            (Some(k), None) => Extent::Neighbors(k),
            (None, None) => {
                let k = automatic_neighbors(self.0.surface, sigma);
                report.notes.push(format!("{k} neighbours, for noise of {sigma:.2} spacings"));
                Extent::Neighbors(k)
            }
        };
        let reach = self.0.reach.unwrap_or(1.0 + 6.0 * sigma);
        Fit { surface: self.0.surface, kernel: self.0.kernel, extent, reach2: reach * reach }
    }

    /// All points projected once onto the surfaces of their neighbourhoods.
    fn pass(
        &self,
        fit: &Fit,
        points: &[Point],
        pass: usize,
        run: &mut Run,
    ) -> Result<Vec<Point>, DenoiseError> {
        let tree = KdTree::new(points);
        let mut moved = points.to_vec();
        let done = |n: usize| {
            let share = n as f64 / points.len().max(1) as f64;
            (pass as f64 - 1.0 + share) / self.0.iterations as f64
        };
        for (b, block) in moved.chunks_mut(BLOCK).enumerate() {
            run.progress("project", pass, done(b * BLOCK))?;
            let cancelled: &AtomicBool = run.cancel_flag();
            block.par_chunks_mut(CHUNK).for_each_init(Scratch::default, |scratch, chunk| {
                if cancelled.load(Ordering::Relaxed) {
                    return;
                }
                for q in chunk {
                    *q = fit.project(points, &tree, *q, scratch);
                }
            });
        }
        run.progress("project", pass, done(points.len()))?;
        Ok(moved)
    }
}

/// Neighbours for noise of `sigma` spacings. A neighbourhood must reach past the noise, so its
/// radius grows with sigma and its number of points with sigma squared, from the fewest that fix
/// the surface.
fn automatic_neighbors(surface: Surface, sigma: f64) -> usize {
    let k = match surface {
        Surface::Plane => 6.0 + 9.0 * sigma * sigma,
        Surface::Quadric => 14.0 + 11.0 * sigma * sigma,
    };
    (k.round() as usize).min(MOST_NEIGHBORS)
}

/// Buffers of one worker.
#[derive(Default)]
struct Scratch {
    found: Vec<Neighbor>,
    /// Neighbours relative to the query.
    near: Vec<Point>,
}

impl Fit {
    fn project(&self, points: &[Point], tree: &KdTree, q: Point, scratch: &mut Scratch) -> Point {
        let Scratch { found, near } = scratch;
        match self.extent {
            Extent::Neighbors(k) => tree.knn_into(q, k, found),
            Extent::Radius(r) => tree.radius_into(q, r, found),
        }
        let radius2 = match self.extent {
            Extent::Neighbors(_) => found.last().map_or(0.0, |n| n.distance2),
            Extent::Radius(r) => r * r,
        };
        if found.len() < 3 || radius2 <= 0.0 {
            return q;
        }
        near.clear();
        near.extend(found.iter().map(|n| vec3::sub(points[n.index as usize], q)));
        let weight = |n: &Neighbor| self.kernel.weight(n.distance2 / radius2);

        let mut moments = Moments::default();
        for (&x, n) in near.iter().zip(found.iter()) {
            moments.add(x, weight(n));
        }
        let Some(plane) = moments.plane() else { return q };
        let mut step = plane.project([0.0; 3]);
        if self.surface == Surface::Quadric {
            let mut fit = QuadricFit::new(&plane, [0.0; 3], radius2.sqrt());
            for (&x, n) in near.iter().zip(found.iter()) {
                fit.add(x, weight(n));
            }
            if let Some(quadric) = fit.solve() {
                step = quadric.project([0.0; 3]);
            }
        }
        let length2 = vec3::dot(step, step);
        // Not `length2 > …`: a step that is no number is no step.
        if length2 <= self.reach2 { vec3::add(q, step) } else { q }
    }
}

/// What a pass did, in file units.
fn record(index: usize, unit: f64, before: &[Point], after: &[Point]) -> Iteration {
    let (mut sum, mut most) = (0.0, 0.0_f64);
    for (&a, &b) in before.iter().zip(after) {
        let d = vec3::distance2(a, b).sqrt();
        sum += d;
        most = most.max(d);
    }
    Iteration {
        index,
        mean_displacement: unit * sum / before.len().max(1) as f64,
        max_displacement: unit * most,
        ..Iteration::default()
    }
}
