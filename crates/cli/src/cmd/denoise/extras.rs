//! `--attributes`: what the run says of each point, as attributes of its own.

use pellucid::PointCloud;
use pellucid::cloud::{Attribute, CloudError, Values};
use pellucid::denoise::Denoised;

use crate::args::Extra;

/// Adds what is wanted; an attribute of the same name gives way.
pub fn add(wanted: &[Extra], noisy: &PointCloud, result: &mut Denoised) -> Result<(), CloudError> {
    for extra in wanted {
        // Seven digits are more than there are to know.
        let lengths = |v: Vec<f64>| Values::F32(v.into_iter().map(|v| v as f32).collect());
        let values = match extra {
            Extra::Displacement => lengths(result.displacement(noisy)),
            Extra::Uncertainty => lengths(result.uncertainty(noisy)),
            Extra::Surface => Values::U8(surface(result)),
        };
        result.cloud.set_attribute(Attribute::scalar(extra.name(), values))?;
    }
    Ok(())
}

/// 1 for the points of a surface; that is all of them for methods that do not decide it.
fn surface(result: &Denoised) -> Vec<u8> {
    match &result.report.surface {
        Some(flags) => flags.iter().map(|f| u8::from(*f)).collect(),
        None => vec![1; result.cloud.len()],
    }
}
