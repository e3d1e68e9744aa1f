//! What holds for every method and preset of the registry.

mod clouds;
mod control;
mod degenerate;
mod geometry;
mod identity;

use pellucid_cloud::PointCloud;
use pellucid_denoise::registry::{self, Method, ParameterMap, Properties};
use pellucid_denoise::{Denoised, Denoiser, Run};

/// A row of the registry with its defaults or one of its presets.
struct Variant {
    method: &'static Method,
    preset: Option<&'static str>,
    properties: Properties,
    denoiser: Box<dyn Denoiser>,
}

impl Variant {
    fn run(&self, cloud: &PointCloud) -> Denoised {
        self.denoiser
            .denoise(cloud, &mut Run::default().with_seed(1))
            .unwrap_or_else(|e| panic!("{self}: {e}"))
    }
}

impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.method.name, self.preset.unwrap_or("default"))
    }
}

fn variants() -> impl Iterator<Item = Variant> {
    registry::methods().iter().flat_map(|method| {
        let presets = method.presets.iter().map(|p| (Some(p.name), p.properties));
        std::iter::once((None, method.properties)).chain(presets).map(
            move |(preset, properties)| {
                let denoiser = method
                    .build(preset, &ParameterMap::new())
                    .unwrap_or_else(|e| panic!("{} {preset:?}: {e}", method.name));
                Variant { method, preset, properties, denoiser }
            },
        )
    })
}
