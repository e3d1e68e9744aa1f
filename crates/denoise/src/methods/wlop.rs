//! Weighted locally optimal projection (Huang et al. 2009): the projection of `lop` with weights
//! by local density, so that the result is evenly spread.

use pellucid_cloud::PointCloud;
use serde::{Deserialize, Serialize};

use super::lop::{ITERATIONS, LopParameters, PROPERTIES, RADIUS, REPULSION, project};
use crate::frame::{NOISE, UNITS};
use crate::local::projection::Push;
use crate::registry::{Method, Parameters};
use crate::{DenoiseError, Denoised, Denoiser, ParameterError, Run};

const NAME: &str = "wlop";

/// The registry row.
pub const METHOD: Method = Method {
    min_points: 4,
    properties: PROPERTIES,
    parameters: &[RADIUS, REPULSION, ITERATIONS, UNITS, NOISE],
    ..Method::new::<WlopParameters>(
        NAME,
        "moves points to local medians, weighted by density, and spreads them evenly",
        "Huang et al. 2009, Consolidation of unorganized point clouds for surface reconstruction",
        Some("10.1145/1618452.1618522"),
    )
};

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WlopParameters(pub LopParameters);

impl Default for WlopParameters {
    /// Weights by density count points off the surface in full, so that it takes a step more.
    fn default() -> Self {
        WlopParameters(LopParameters { iterations: 4, ..LopParameters::default() })
    }
}

impl Parameters for WlopParameters {
    fn preset(_: &str) -> Option<Self> {
        None
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        self.0.valid()?;
        Ok(Box::new(Wlop(self.0)))
    }
}

struct Wlop(LopParameters);

impl Denoiser for Wlop {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        project(NAME, &self.0, Push::Even, noisy, run)
    }
}
