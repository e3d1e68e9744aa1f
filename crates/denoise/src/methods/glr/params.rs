//! What can be set, and the preset of the paper.

use serde::{Deserialize, Serialize};

use super::{Glr, MIN_POINTS, NAME};
use crate::frame::{NOISE, check_noise};
use crate::registry::{Method, Parameter, Parameters, Preset, Properties};
use crate::{Denoiser, ParameterError};

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    presets: &[Preset {
        name: "paper",
        about: "the authors' program, in units of the file; moves little where noise is high",
        properties: Properties {
            scale_invariant: false,
            for_the_record: true,
            ..Properties::USUAL
        },
    }],
    parameters: &[
        Parameter { name: "form", unit: "", about: "which graph and strength: revised, published" },
        Parameter {
            name: "patch_size",
            unit: "points",
            about: "points per patch, the centre included; null: from the estimated noise",
        },
        Parameter { name: "patch_share", unit: "", about: "patches per point" },
        Parameter {
            name: "patch_neighbors",
            unit: "patches",
            about: "neighbour patches of each patch",
        },
        Parameter {
            name: "width",
            unit: "",
            about: "width of the weights, in root mean square patch distances; with the form \
                    published a factor on its widths",
        },
        Parameter {
            name: "gamma",
            unit: "",
            about: "strength of the regularizer: 1/mu; with the form published a factor on its \
                    strengths",
        },
        Parameter { name: "iterations", unit: "iterations", about: "most iterations" },
        Parameter {
            name: "stop_steady",
            unit: "",
            about: "share of the movement of the iteration before at which movement no longer falls \
                    and it is enough",
        },
        Parameter {
            name: "stop_movement",
            unit: "spacings",
            about: "mean movement per iteration at which it is enough",
        },
        Parameter {
            name: "stop_noise",
            unit: "",
            about: "part of the estimated noise after whose removal it is enough, too",
        },
        NOISE,
    ],
    ..Method::new::<GlrParameters>(
        NAME,
        "pulls patches together that look alike in each other's tangent planes",
        "Zeng et al. 2020, 3D point cloud denoising using graph Laplacian regularization of a low \
         dimensional manifold model",
        Some("10.1109/TIP.2019.2961429"),
    )
};

/// Which graph is made of the patches, and how strongly it pulls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// New patches in each iteration, weights as wide as the patches differ, one strength.
    Revised,
    /// That of the authors' program.
    Published,
}

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GlrParameters {
    /// Which graph and strength.
    pub form: Form,
    /// Points per patch: k + 1; `None`: from the noise.
    pub patch_size: Option<usize>,
    /// Patches per point: M / N.
    pub patch_share: f64,
    /// Neighbour patches of each patch: K.
    pub patch_neighbors: usize,
    /// ε in root mean square patch distances.
    pub width: f64,
    /// Strength of the regulariser.
    pub gamma: f64,
    /// Most iterations.
    pub iterations: usize,
    /// Movement over that of the iteration before that ends the run.
    pub stop_steady: f64,
    /// Mean movement that ends the run.
    pub stop_movement: f64,
    /// Share of the noise whose removal ends the run.
    pub stop_noise: f64,
    /// The noise in file units; `None`: estimated.
    pub noise: Option<f64>,
}

impl Default for GlrParameters {
    fn default() -> Self {
        GlrParameters {
            form: Form::Revised,
            patch_size: None,
            patch_share: 0.3,
            patch_neighbors: 10,
            width: 0.45,
            gamma: 0.2,
            iterations: 12,
            stop_steady: 0.97,
            stop_movement: 0.06,
            stop_noise: 1.0,
            noise: None,
        }
    }
}

impl Parameters for GlrParameters {
    fn preset(name: &str) -> Option<Self> {
        (name == "paper").then(|| GlrParameters {
            form: Form::Published,
            patch_size: Some(30),
            patch_share: 0.5,
            patch_neighbors: 15,
            width: 1.0,
            gamma: 1.0,
            iterations: 20,
            // Its strength falls from iteration to iteration, which makes movement no measure.
            stop_movement: 0.0,
            stop_noise: 0.9,
            ..Self::default()
        })
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        for (holds, name, value, expected) in self.rules() {
            ParameterError::check(holds, name, value, expected)?;
        }
        check_noise(self.noise)?;
        Ok(Box::new(Glr(self)))
    }
}

impl GlrParameters {
    /// Whether each rule holds, with the parameter, its value and what is expected.
    #[rustfmt::skip]
    fn rules(&self) -> [(bool, &'static str, &dyn std::fmt::Debug, &'static str); 9] {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let size = self.patch_size.is_none_or(|k| (3..=255).contains(&k));
        let share = self.patch_share > 0.0 && self.patch_share <= 1.0;
        let movement = self.stop_movement >= 0.0 && self.stop_movement.is_finite();
        macro_rules! row {
            ($holds:expr, $name:ident, $expected:expr) => {
                ($holds, stringify!($name), &self.$name, $expected)
            };
        }
        [
            row!(size, patch_size, "3 to 255, or null"),
            row!(share, patch_share, "above 0, at most 1"),
            row!((1..=255).contains(&self.patch_neighbors), patch_neighbors, "1 to 255"),
            row!(positive(self.width), width, "above 0"),
            row!(positive(self.gamma), gamma, "above 0"),
            row!((1..=1000).contains(&self.iterations), iterations, "between 1 and 1000"),
            row!(positive(self.stop_steady), stop_steady, "above 0"),
            row!(movement, stop_movement, "at least 0"),
            row!(positive(self.stop_noise), stop_noise, "above 0"),
        ]
    }
}
