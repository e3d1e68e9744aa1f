//! What can be set, and the preset of the paper.

use pellucid_cloud::PointCloud;

use super::{MIN_POINTS, NAME};
use crate::parameters::{Checked, Parameters, above, at_least, between, choices, parameters};
use crate::registry::{Method, Preset, Properties};
use crate::{DenoiseError, Denoised, Run};

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
    ..Method::new::<Glr>(
        NAME,
        "pulls patches together that look alike in each other's tangent planes",
        "Zeng et al. 2020, 3D point cloud denoising using graph Laplacian regularization of a low \
         dimensional manifold model",
        Some("10.1109/TIP.2019.2961429"),
    )
};

choices! {
    /// Which graph is made of the patches, and how strongly it pulls.
    pub enum Form {
        /// New patches in each iteration, weights as wide as the patches differ, one strength.
        Revised = "revised",
        /// That of the authors' program.
        Published = "published",
    }
}

parameters! {
    /// Parameters of graph Laplacian regularization.
    pub struct Glr {
        /// Which graph and strength.
        form: Form = Form::Revised;
        /// Number of points in a patch, the center included (k + 1); null: from the estimated noise.
        patch_size: Option<usize> = None, in between(3.0, 255.0), unit "points";
        /// Number of patches per point (M / N).
        patch_share: f64 = 0.3, in above(0.0).up_to(1.0);
        /// Number of neighbor patches of each patch (K).
        patch_neighbors: usize = 10, in between(1.0, 255.0), unit "patches";
        /// Width of the weights (ε), in root mean square patch distances; with `published` a factor on
        /// its widths.
        width: f64 = 0.45, in above(0.0);
        /// Strength of the regularizer (1 / µ); with `published` a factor on its strengths.
        gamma: f64 = 0.2, in above(0.0);
        /// Largest number of iterations.
        iterations: usize = 12, in between(1.0, 1000.0), unit "iterations";
        /// Stop when the mean displacement of an iteration is at least this share of the previous one's.
        stop_steady: f64 = 0.97, in above(0.0);
        /// Stop when the mean displacement of an iteration is below this.
        stop_movement: f64 = 0.06, in at_least(0.0), unit "spacings";
        /// Stop when points have moved along their normals by this share of the estimated noise.
        stop_noise: f64 = 1.0, in above(0.0);
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Glr {
    fn preset(name: &str) -> Option<Self> {
        (name == "paper").then(|| Glr {
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

    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        super::denoise(checked, noisy, run)
    }
}
