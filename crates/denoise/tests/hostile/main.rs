//! Every method and preset on clouds of hostile numbers, and on clouds with repeated rows.

mod clouds;
mod repeated;
mod rule;

use pellucid_cloud::PointCloud;
use pellucid_cloud::vec3::Point;
use pellucid_denoise::registry::{self, Method, ParameterMap};
use pellucid_denoise::{DenoiseError, Denoised, Run};

/// Runs a method with a preset or its defaults.
fn denoise(
    method: &Method,
    preset: Option<&str>,
    points: &[Point],
) -> Result<Denoised, DenoiseError> {
    let denoiser = method.build(preset, &ParameterMap::new()).unwrap();
    denoiser.denoise(&PointCloud::new(points.to_vec()), &mut Run::default().with_seed(1))
}

fn variants() -> impl Iterator<Item = (&'static Method, Option<&'static str>)> {
    registry::methods().iter().flat_map(|m| {
        std::iter::once((m, None)).chain(m.presets.iter().map(move |p| (m, Some(p.name))))
    })
}

#[test]
fn hostile_clouds_do_no_harm() {
    let mut faults = Vec::new();
    let clouds = clouds::all();
    assert!(clouds.len() >= 60, "{}", clouds.len());
    for (what, points) in &clouds {
        for (method, preset) in variants() {
            let name = format!("{}/{} on {what}", method.name, preset.unwrap_or("default"));
            let run = std::panic::catch_unwind(|| denoise(method, preset, points));
            match run {
                Err(_) => faults.push(format!("{name}: panicked")),
                Ok(Err(_)) => {}
                Ok(Ok(out)) => faults.extend(
                    rule::fault(points, out.cloud.positions()).map(|f| format!("{name}: {f}")),
                ),
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn results_go_with_any_scale() {
    let points = clouds::sphere(600);
    for (method, preset) in variants() {
        let of = |name: &&str| method.presets.iter().find(|p| p.name == *name);
        let properties = preset.as_ref().and_then(of).map_or(method.properties, |p| p.properties);
        if !properties.scale_invariant {
            let small = denoise(method, preset, &clouds::scaled(&points, 1e-160));
            assert!(matches!(small, Err(DenoiseError::Parameter(_))), "{preset:?}: {small:?}");
            continue;
        }
        let one = denoise(method, preset, &points).unwrap().cloud.into_positions();
        assert_ne!(one, points);
        for power in [-960, -560, -500, 500, 1000] {
            let by = 2.0_f64.powi(power);
            let out = denoise(method, preset, &clouds::scaled(&points, by)).unwrap().cloud;
            let name = format!("{}/{preset:?} at 2^{power}", method.name);
            assert_eq!(out.positions(), clouds::scaled(&one, by), "{name}");
        }
    }
}
