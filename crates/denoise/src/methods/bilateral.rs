//! The bilateral filter on points (Fleishman et al. 2003; Digne & de Franchis 2017): each point
//! moves along its normal to the mean height of its neighbors, those at other heights counting
//! less.

use featgraph::exp::exp;
use pellucid_cloud::PointCloud;
use pellucid_cloud::vec3::{self, Point};

use crate::frame::Unit;
use crate::local::{
    Neighborhood, NormalSource, Support, SurfacePasses,
    lanes::{Pair, dot},
    normal_neighbors,
};
use crate::parameters::{Checked, Parameters, above, between, parameters};
use crate::passes::Passes;
use crate::registry::Method;
use crate::{DenoiseError, Denoised, Run};

const NAME: &str = "bilateral";
const MIN_POINTS: usize = 4;
/// Fewest points within a support that say anything about the surface.
const FEWEST: usize = 4;
/// The support ends at this many distance bandwidths.
const CUT: f64 = 3.0;
/// The automatic height bandwidth in standard deviations of the noise.
const HEIGHT: f64 = 2.0;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    ..Method::new::<Bilateral>(
        NAME,
        "moves points along their normals to the height of neighbors at a similar height",
        "Digne & de Franchis 2017, The bilateral filter for point clouds",
        Some("10.5201/ipol.2017.179"),
    )
};

parameters! {
    /// Parameters of the bilateral filter.
    pub struct Bilateral {
        /// Standard deviation of the weight by distance, the same for all points; null: from the
        /// estimated noise and the local density.
        distance_bandwidth: Option<f64> = None, in above(0.0), unit "spacings";
        /// Standard deviation of the weight by height over the tangent plane; null: from the
        /// estimated noise.
        height_bandwidth: Option<f64> = None, in above(0.0), unit "spacings";
        /// Unit of the bandwidths: mean spacings, or units of the file.
        units: Unit = Unit::Spacing;
        /// Number of passes; each starts from the previous result.
        iterations: usize = 2, in between(1.0, 1000.0), unit "iterations";
        /// Where normals come from: estimated from the points, or those of the file.
        normals: NormalSource = NormalSource::Estimate;
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Bilateral {
    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        let p = checked;
        let mut work = Passes::begin(noisy, NAME, MIN_POINTS, checked.noise, run)?;
        let sigma = work.noise.sigma;
        let support = match p.distance_bandwidth {
            Some(d) => Support::Fixed(CUT * work.frame.length(d, p.units)),
            None if work.is_clean() && p.height_bandwidth.is_none() => {
                return Ok(work.leave_alone());
            }
            None => {
                let d = automatic_bandwidth(sigma);
                work.note(format!("bandwidth {d:.2}, for noise of {sigma:.2} spacings"));
                Support::Local(CUT * d)
            }
        };
        let height =
            p.height_bandwidth.map_or(HEIGHT * sigma.max(0.1), |h| work.frame.length(h, p.units));
        let supply = p.normals.supply(noisy, &work.frame, normal_neighbors(sigma))?;
        let surface = SurfacePasses { support, supply, cut2: 1.0 };
        surface.run(work, run, p.iterations, |near, at| {
            near.collect(at.position, at.radius);
            let step = height_step(near, at.radius, at.normal, height).unwrap_or(0.0);
            vec3::add(at.position, vec3::scale(at.normal, step))
        })
    }
}

/// The distance bandwidth, in local spacings, for noise of `sigma` spacings.
fn automatic_bandwidth(sigma: f64) -> f64 {
    0.7 + 0.4 * sigma.min(1.5)
}

/// The weighted mean height of the neighbors over the tangent plane of the query.
#[inline]
fn height_step(near: &Neighborhood, radius: f64, normal: Point, bandwidth: f64) -> Option<f64> {
    let normal = normal.map(Pair::both);
    let by_distance = Pair::both(0.5 * CUT * CUT);
    let by_height = Pair::both(0.5 / (bandwidth * bandwidth));
    let ([weights, heights], count) = near.sum(radius, |x, _, t2| {
        let h = dot(x, normal);
        let w = (-by_distance * t2 - by_height * h * h).map(exp);
        [w, w * h]
    });
    (count >= FEWEST && weights > 0.0).then(|| heights / weights)
}
