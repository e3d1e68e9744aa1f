//! Robust implicit moving least squares (Öztireli, Guennebaud & Gross 2009): points are projected
//! on the zero set of a height function regressed with weights that ignore what lies across a
//! feature.

use featgraph::exp::exp;
use pellucid_cloud::PointCloud;
use pellucid_cloud::vec3::{self, Point};

use crate::frame::Unit;
use crate::local::lanes::{Pair, dot};
use crate::local::{Neighborhood, NormalSource, onto};
use crate::parameters::{Checked, Parameters, above, between, parameters};
use crate::registry::Method;
use crate::{DenoiseError, Denoised, ParameterError, Run};

const NAME: &str = "rimls";
const MIN_POINTS: usize = 4;
/// Fewest points within a support that say anything about the surface.
const FEWEST: usize = 4;
/// A projection has arrived when it moves a point by less than this many spacings.
const ARRIVED: f64 = 1e-3;
/// Widest automatic support.
const LARGEST_SCALE: f64 = 5.5;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    ..Method::new::<Rimls>(
        NAME,
        "projects points on a robustly regressed surface that keeps edges",
        "Öztireli, Guennebaud & Gross 2009, Feature preserving point set surfaces based on \
         non-linear kernel regression",
        Some("10.1111/j.1467-8659.2009.01388.x"),
    )
};

parameters! {
    /// Parameters of robust implicit moving least squares.
    pub struct Rimls {
        /// Radius of the support of a point; null: from the estimated noise.
        filter_scale: Option<f64> = None, in above(0.0).up_to(100.0), unit "local spacings";
        /// Radius of the support of every point, instead of one that follows the local spacing.
        radius: Option<f64> = None, in above(0.0), unit "spacings";
        /// Unit of `radius` and `reach`: mean spacings, or units of the file.
        units: Unit = Unit::Spacing;
        /// Height at which a neighbor loses weight: that of its plane over the surface.
        height_bandwidth: f64 = 0.5, in above(0.0), unit "radii";
        /// Difference of normals at which a neighbor loses weight; small values keep edges, large ones
        /// smooth.
        normal_bandwidth: f64 = 0.75, in above(0.0);
        /// Number of fits per projection; each uses the weights of the previous fit.
        refits: usize = 3, in between(1.0, 1000.0), unit "fits";
        /// Largest number of projections of a point within a pass.
        projections: usize = 3, in between(1.0, 1000.0), unit "projections";
        /// Number of passes; each starts from the previous result.
        iterations: usize = 1, in between(1.0, 1000.0), unit "iterations";
        /// Where normals come from: estimated from the points, or those of the file.
        normals: NormalSource = NormalSource::Estimate;
        /// Distance to the surface from which a point is an outlier and is not moved;
        /// null: from the estimated noise.
        reach: Option<f64> = None, in above(0.0), unit "spacings";
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Rimls {
    fn check_together(&self) -> Result<(), ParameterError> {
        ParameterError::one_of(("radius", self.radius), ("filter_scale", self.filter_scale))
    }

    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        onto!(checked).denoise(noisy, run, automatic_scale, |q, radius, near| {
            let most = checked.projections;
            near.walk(q, radius, most, ARRIVED, |near| checked.step(near, radius))
        })
    }
}

/// The radius of a support, in local spacings, for noise of `sigma` spacings.
fn automatic_scale(sigma: f64) -> f64 {
    (3.0 + 2.0 * sigma).min(LARGEST_SCALE)
}

impl Rimls {
    /// From the query along the gradient to the surface, or `None` where there is none.
    #[inline]
    fn step(&self, near: &Neighborhood, radius: f64) -> Option<Point> {
        let (f, gradient) = self.potential(near, radius)?;
        Some(vec3::scale(gradient, -f / vec3::dot(gradient, gradient)))
    }

    /// The height of the query above the surface, and the gradient of that height.
    #[inline]
    fn potential(&self, near: &Neighborhood, radius: f64) -> Option<(f64, Point)> {
        let p = self;
        let (height, normal) = (p.height_bandwidth * radius, p.normal_bandwidth);
        let (height2, normal2) = (1.0 / (height * height), 1.0 / (normal * normal));
        let (height2, normal2) = (Pair::both(height2), Pair::both(normal2));
        let slope = Pair::both(8.0 / (radius * radius));
        let mut found: Option<(f64, Point)> = None;
        for _ in 0..p.refits {
            let (sums, count) = near.sum(radius, |x, n, t2| {
                // Height of the query over the neighbor's plane.
                let h = -dot(x, n);
                let u = Pair::both(1.0) - t2;
                let mut u3 = u * u * u;
                if let Some((f, g)) = found {
                    let dh = h - Pair::both(f);
                    let dn = [0, 1, 2].map(|c| n[c] - Pair::both(g[c]));
                    u3 = u3 * (-dh * dh * height2 - dot(dn, dn) * normal2).map(exp);
                }
                let w = u3 * u;
                // Derivative of (1 - t²)⁴ by the query; `x` points from it.
                let slope = slope * u3;
                let [a, b, c] = [slope * x[0], slope * x[1], slope * x[2]];
                [w, a, b, c, w * h, a * h, b * h, c * h, w * n[0], w * n[1], w * n[2]]
            });
            let [w, a, b, c, f, fa, fb, fc, l, m, n] = sums;
            if count < FEWEST || w <= f64::MIN_POSITIVE {
                return found;
            }
            let f = f / w;
            let g = vec3::add(vec3::sub([fa, fb, fc], vec3::scale([a, b, c], f)), [l, m, n]);
            let g = vec3::scale(g, 1.0 / w);
            if !(f.is_finite() && vec3::dot(g, g) > 1e-6) {
                return found;
            }
            found = Some((f, g));
        }
        found
    }
}
