//! What the cloud says, and what follows from it.

use pellucid_cloud::KdTree;
use pellucid_cloud::noise::{Layers, noise_of_layers};

use crate::frame::LocalFrame;
use crate::methods::fgl::{FglParameters, NormalSign};
use crate::{Denoised, Report, Stop};

/// Noise below this many spacings is left alone: no patch can tell it from the surface.
const NEGLIGIBLE: f64 = 0.125;
/// Movement of an iteration, in spacings, that is only shuffling along the surface.
const AT_REST: f64 = 0.12;
/// Part of the noise that points may move along their normals. More than all of it, since the
/// estimate may be low and rest comes first on most clouds.
const WHOLE: f64 = 1.1;
/// The same where the noise is as wide as walls are thick: from here on walls collapse.
const THIN: f64 = 0.65;
/// Tails (see [`Layers`]) between which the one turns into the other.
const TAILS: [f64; 2] = [-0.1, -0.2];

/// What was found in a cloud, in spacings.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    layers: Layers,
}

/// Looks at the cloud.
pub fn look(frame: &LocalFrame) -> Found {
    let points = frame.points_by_row();
    Found { layers: noise_of_layers(&points, &KdTree::new(&points), &frame.noise()) }
}

impl Found {
    /// Noise in spacings.
    pub fn sigma(&self) -> f64 {
        self.layers.noise.sigma
    }

    /// How thin walls are for the noise: 0 not, 1 very.
    fn thinness(&self) -> f64 {
        ((TAILS[0] - self.layers.tails) / (TAILS[0] - TAILS[1])).clamp(0.0, 1.0)
    }

    /// The findings as sentences.
    pub fn in_words(&self) -> Vec<String> {
        let mut words = vec![format!("noise of {:.2} spacings", self.sigma())];
        if self.thinness() > 0.0 {
            words.push("walls about as thin as the noise: it stops before they collapse".into());
        }
        if self.sigma() < NEGLIGIBLE {
            words.push("too little noise to tell from the surface".into());
        }
        words
    }

    /// Parameters for this cloud; `None` if it is best left alone.
    pub fn choose(&self, strength: f64) -> Option<FglParameters> {
        let sigma = self.sigma();
        if sigma < NEGLIGIBLE || strength == 0.0 {
            return None;
        }
        Some(FglParameters {
            // The two sides of a wall, and of an edge, are told apart by their normals.
            normal_sign: NormalSign::Sheets,
            normal_distance: 1.0,
            noise: Some(sigma),
            stop_noise: strength * (WHOLE + (THIN - WHOLE) * self.thinness()),
            stop_movement: AT_REST / strength,
            ..FglParameters::default()
        })
    }
}

/// What was learned and why it ended, in words.
pub fn ending(out: &Denoised, position_scale: f64) -> Vec<String> {
    let why = match out.stop {
        Stop::Converged => "points hardly moved any more",
        Stop::NoiseRemoved => "points had moved by as much as the noise",
        Stop::IterationLimit => "it does no more than that",
        _ => "it was asked to",
    };
    let mut words = vec![format!("stopped after {} rounds because {why}", out.iterations)];
    if let Some(length) = normal_in_spacings(&out.report, position_scale) {
        words.push(format!(
            "learned: two normals that differ by 1 count as much as points {length:.1} spacings apart"
        ));
    }
    words
}

/// The distance in spacings that weighs as much as a difference of one between normals.
fn normal_in_spacings(report: &Report, position_scale: f64) -> Option<f64> {
    let m = report.metric.as_ref()?;
    let trace = |name: &str| -> f64 {
        let of = |(i, f): (usize, &String)| f.starts_with(name).then(|| m[i][i]);
        report.features.iter().enumerate().filter_map(of).sum()
    };
    let (position, normal) = (trace("position"), trace("normal"));
    (position > 0.0).then(|| (normal / position).sqrt() / position_scale)
}
