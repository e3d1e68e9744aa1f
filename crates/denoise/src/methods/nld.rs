//! Non-local denoising (Deschaud & Goulette 2010): points whose local surfaces look alike share
//! what they know.

use featgraph::exp::exp;
use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{Around, KdTree, PointCloud};

use crate::local::{Moments, Quadric, QuadricFit, SIGN_NEIGHBORS, estimate_oriented};
use crate::parameters::{Checked, Parameters, above, between, choices, parameters};
use crate::passes::Passes;
use crate::registry::{Method, Preset, Properties};
use crate::{DenoiseError, Denoised, Run};

const NAME: &str = "nld";
const MIN_POINTS: usize = 4;
/// Most points in an automatic neighborhood, whatever the noise estimate says.
const MOST_NEIGHBORS: usize = 80;
/// Noise taken for granted, in spacings, where a width must not vanish.
const LEAST_NOISE: f64 = 0.1;
/// A surface this many times the noise away hardly counts: it is that of another sheet or face.
const FAR: f64 = 3.0;
/// Share of the slopes in the difference of descriptors: they turn with the normals, which the
/// noise disturbs most.
const SLOPE: f64 = 0.3;
/// Normals whose cosine is below this belong to another face.
const FACING: f64 = 0.2;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    presets: &[Preset {
        name: "paper",
        about: "descriptors in each point's own frame, compared over a wide search without fall-off",
        properties: Properties::USUAL,
    }],
    ..Method::new::<Nld>(
        NAME,
        "averages the local surfaces of points that have similar ones",
        "Deschaud & Goulette 2010, Point cloud non local denoising using local surface descriptor \
         similarity",
        None,
    )
};

choices! {
    /// What similar points share.
    pub enum Mean {
        /// The surfaces of near points, compared as they lie in space.
        Surfaces = "surfaces",
        /// The heights of surfaces over their planes, compared in frames of their own.
        Heights = "heights",
    }
}

parameters! {
    /// Parameters of non-local denoising.
    pub struct Nld {
        /// What similar points share: the surfaces where they meet a point's normal, or the heights of
        /// surfaces over their planes.
        mean: Mean = Mean::Surfaces;
        /// Number of points that a surface is fitted to, the point included; null: from the
        /// estimated noise.
        neighbors: Option<usize> = None, in between(8.0, 10_000.0), unit "points";
        /// Number of nearest points among which similar surfaces are searched; null: twice `neighbors`.
        search: Option<usize> = None, in between(8.0, 10_000.0), unit "points";
        /// Difference of similar surfaces at the rim of a neighborhood, in units of the noise.
        similarity: f64 = 2.0, in above(0.0);
        /// Number of passes; each starts from the previous result.
        iterations: usize = 1, in between(1.0, 1000.0), unit "iterations";
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Nld {
    fn preset(name: &str) -> Option<Self> {
        let paper = Nld { mean: Mean::Heights, search: Some(300), ..Self::default() };
        (name == "paper").then_some(paper)
    }

    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        let mut passes = Passes::begin(noisy, NAME, MIN_POINTS, checked.noise, run)?;
        if checked.neighbors.is_none() && passes.is_clean() {
            return Ok(passes.leave_alone());
        }
        let sigma = passes.noise.sigma;
        let k = checked.neighbors.unwrap_or_else(|| automatic_neighbors(sigma));
        let search = checked.search.unwrap_or(2 * k);
        passes.note(format!("{k} neighbors, for noise of {sigma:.2} spacings"));
        let sigma = sigma.max(LEAST_NOISE);
        let far = (FAR * sigma).powi(-2);
        passes.run(run, checked.iterations, |pass, points, run| {
            let tree = KdTree::new(points);
            let signs = estimate_oriented(points, &tree, &tree.knn_table(SIGN_NEIGHBORS), k);
            let mut local = vec![Descriptor::default(); points.len()];
            pass.fill(
                [0.0, 0.5],
                &mut local,
                run,
                || tree.around(points),
                |around, i, d| {
                    around.nearest(points[i], k);
                    *d = Descriptor::of(around, signs[i]);
                },
            )?;
            // The residual noise halves with each pass, roughly.
            let left = (sigma * 0.5_f64.powi(pass.index as i32 - 1)).max(LEAST_NOISE);
            let spread = (checked.similarity * left).powi(-2);
            let mut moved = points.to_vec();
            pass.fill(
                [0.5, 1.0],
                &mut moved,
                run,
                || tree.around(points),
                |around, i, x| {
                    around.nearest(*x, search);
                    let me = &local[i];
                    let n = me.normal;
                    if checked.mean == Mean::Heights {
                        let others = around.indices().iter().map(|&j| &local[j as usize]);
                        let t = me.foot - me.rise + me.mean_rise(others, spread);
                        *x = vec3::add(*x, vec3::scale(n, t));
                        return;
                    }
                    let t = mean_height(me, *x, around, points, &local, [spread, far]);
                    *x = vec3::add(*x, vec3::scale(n, t.unwrap_or(0.0)));
                },
            )?;
            Ok(moved)
        })
    }
}

/// The mean height at which the surfaces around `x` meet the line through it along its normal, weighted by
/// how similar they are to its own surface and how near; `None` where there is none.
fn mean_height(
    me: &Descriptor,
    x: Point,
    around: &Around,
    points: &[Point],
    local: &[Descriptor],
    [spread, far]: [f64; 2],
) -> Option<f64> {
    let (mut sum, mut total) = (0.0, 0.0);
    let r2 = around.distances2().iter().copied().fold(1e-300, f64::max);
    for (&j, &d2) in around.indices().iter().zip(around.distances2()) {
        let j = j as usize;
        let other = &local[j];
        if vec3::dot(me.normal, other.normal) <= FACING {
            continue;
        }
        let fall = -d2 / r2;
        let t = other.height(vec3::sub(x, points[j]), me.normal);
        let w = exp(fall - me.difference2(other) * spread - t * t * far);
        sum += w * t;
        total += w;
    }
    (total > 0.0).then(|| sum / total)
}

/// Neighbors for noise of `sigma` spacings: more than a quadric alone would need, since
/// similar surfaces are averaged but the descriptors must be sure.
fn automatic_neighbors(sigma: f64) -> usize {
    ((20.0 + 14.0 * sigma * sigma).round() as usize).min(MOST_NEIGHBORS)
}

/// The local surface of a point, by the coefficients of a quadric over its plane.
#[derive(Debug, Clone, Copy, Default)]
struct Descriptor {
    /// Unit normal of the plane, on the same side as the neighbors'.
    normal: Point,
    /// Foot of the point on its surface, relative to the point, along the normal.
    foot: f64,
    /// Gradient of the surface over the plane.
    slope: Point,
    /// Second derivatives as a symmetric matrix in space, `[xx, xy, xz, yy, yz, zz]`.
    bend: [f64; 6],
    /// Squared radius of the neighborhood.
    radius2: f64,
    /// Height of the surface over the plane, under the point.
    rise: f64,
    /// Slopes, whatever their sign, and second derivatives along the directions in which the surface
    /// bends most and least: the same however the surface lies in space.
    shape: [f64; 4],
}

impl Descriptor {
    /// For the point that was asked for the points around it; `sign` is on the side to be on.
    fn of(around: &Around, sign: Point) -> Descriptor {
        let radius2 = around.distances2().iter().copied().fold(0.0, f64::max);
        let moments = Moments::of(around.offsets());
        let Some(mut plane) = moments.plane() else { return Descriptor::default() };
        if vec3::dot(plane.normal, sign) < 0.0 {
            plane.normal = vec3::scale(plane.normal, -1.0);
        }
        let mut out = Descriptor {
            normal: plane.normal,
            foot: -plane.offset([0.0; 3]),
            radius2,
            ..Descriptor::default()
        };
        if radius2 > 0.0 {
            let scale = radius2.sqrt();
            let mut fit = QuadricFit::new(&plane, [0.0; 3], scale);
            around.points().for_each(|x| fit.add(x, 1.0));
            if let Some(quadric) = fit.solve() {
                let jet = quadric.jet();
                out.foot += jet.height;
                out.slope = jet.slope;
                out.bend = jet.bend;
                out.rise = jet.height;
                out.shape = out.in_own_frame(&quadric);
            }
        }
        out
    }

    /// How differently two surfaces bend, as a height at the rim of the neighborhood.
    #[inline]
    fn difference2(&self, other: &Descriptor) -> f64 {
        let s = vec3::sub(self.gradient(), other.gradient());
        let b: [f64; 6] = std::array::from_fn(|c| self.bend[c] - other.bend[c]);
        let diagonal = b[0] * b[0] + b[3] * b[3] + b[5] * b[5];
        let rest = b[1] * b[1] + b[2] * b[2] + b[4] * b[4];
        self.radius2 * (SLOPE * vec3::dot(s, s) + 0.25 * self.radius2 * (diagonal + 2.0 * rest))
    }

    /// Slopes and second derivatives along the principal directions.
    fn in_own_frame(&self, quadric: &Quadric) -> [f64; 4] {
        let any = || vec3::tangents(self.normal).0;
        let u = quadric.strongest_curvature().unwrap_or_else(any);
        let v = vec3::cross(self.normal, u);
        let [a, b] = [u, v].map(|t| vec3::dot(self.slope, t).abs());
        [a, b, self.bent(u), self.bent(v)]
    }

    /// The mean height of surfaces over their planes, weighted by how much they are like this one:
    /// non-local means, without regard to where they are.
    fn mean_rise<'a>(&self, others: impl Iterator<Item = &'a Descriptor>, spread: f64) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for other in others {
            let d: [f64; 4] = std::array::from_fn(|c| self.shape[c] - other.shape[c]);
            let slopes = SLOPE * (d[0] * d[0] + d[1] * d[1]);
            let bends = 0.25 * self.radius2 * (d[2] * d[2] + d[3] * d[3]);
            let w = exp(-self.radius2 * (slopes + bends) * spread);
            sum += w * other.rise;
            total += w;
        }
        if total > 0.0 { sum / total } else { self.rise }
    }

    /// Second derivative along `d`, times its squared length.
    #[inline]
    fn bent(&self, d: Point) -> f64 {
        let b = &self.bend;
        let turned = [
            b[0] * d[0] + b[1] * d[1] + b[2] * d[2],
            b[1] * d[0] + b[3] * d[1] + b[4] * d[2],
            b[2] * d[0] + b[4] * d[1] + b[5] * d[2],
        ];
        vec3::dot(d, turned)
    }

    fn gradient(&self) -> Point {
        vec3::sub(self.normal, self.slope)
    }

    /// How far from `d` (relative to this point) along `n` this surface is, to second order.
    #[inline]
    fn height(&self, d: Point, n: Point) -> f64 {
        let z = vec3::dot(d, self.normal);
        let flat = vec3::sub(d, vec3::scale(self.normal, z));
        let height = self.foot + vec3::dot(self.slope, flat) + 0.5 * self.bent(flat);
        (height - z) / vec3::dot(n, self.normal)
    }
}

#[cfg(test)]
#[path = "nld_tests.rs"]
mod tests;
