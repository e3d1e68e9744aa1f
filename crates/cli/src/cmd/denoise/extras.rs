//! `--attributes`: what the run says of each point, as attributes of its own.

use pellucid::PointCloud;
use pellucid::cloud::{Attribute, CloudError, Values};
use pellucid::denoise::Denoised;

use crate::args::Extra;

/// Adds what is wanted; an attribute of the same name gives way.
pub fn add(wanted: &[Extra], noisy: &PointCloud, result: &mut Denoised) -> Result<(), CloudError> {
    for extra in wanted {
        let values = match extra {
            Extra::Displacement => result.displacement(noisy),
            Extra::Uncertainty => result.uncertainty(noisy),
        };
        // Seven digits are more than there are to know.
        let values = values.into_iter().map(|v| v as f32).collect();
        result.cloud.set_attribute(Attribute::scalar(extra.name(), Values::F32(values)))?;
    }
    Ok(())
}
