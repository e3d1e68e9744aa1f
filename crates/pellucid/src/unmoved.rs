//! Why a method moved no point, in words.

use pellucid_denoise::registry::ParameterMap;
use pellucid_denoise::{Report, Stop};

use crate::numbers::three_digits;

/// Why a run with these parameters moved no point.
///
/// ```
/// use pellucid::cloud::synth::Shape;
///
/// let result = pellucid::denoise(&Shape::Sphere.sample(1_000, 1))?;
/// let why = pellucid::unmoved::reason(result.stop, &result.report, &Default::default());
/// assert!(why.contains("too little to tell from the surface"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reason(stop: Stop, report: &Report, parameters: &ParameterMap) -> String {
    if parameters.get("strength").is_some_and(|s| s.as_f64() == Some(0.0)) {
        return "the strength is 0".to_owned();
    }
    let volume = match report.volume_points {
        0 => None,
        n => Some(format!("{n} points belong to no surface, such as leaves")),
    };
    let given = if parameters.contains_key("noise") { "given" } else { "estimated" };
    match (report.noise, report.spacing, volume) {
        (Some(noise), Some(spacing), volume) if spacing > 0.0 && stop == Stop::NothingToDo => {
            let volume = volume.map(|v| format!(" ({v})")).unwrap_or_default();
            let size = format!("{} or {:.2} spacings", three_digits(noise), noise / spacing);
            format!("the {given} noise, {size}, is too little to tell from the surface{volume}")
        }
        (_, _, Some(volume)) => format!("{volume}, and the others are where they should be"),
        _ => match report.notes.last() {
            Some(note) => note.replace("; nothing was moved", ""),
            None => "every point is where it should be".to_owned(),
        },
    }
}
