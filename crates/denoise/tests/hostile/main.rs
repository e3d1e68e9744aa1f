//! Every method and preset on clouds of hostile numbers, and on clouds with repeated rows.

mod clouds;
mod repeated;

use pellucid_cloud::PointCloud;
use pellucid_cloud::vec3::{self, Point};
use pellucid_denoise::registry::{self, Method, ParameterMap};
use pellucid_denoise::{DenoiseError, Denoised, Run};

/// Methods whose reports do not tell about rows yet.
const UNREPORTED: &[&str] = &["auto"];

/// Most rows that are far from all others, where only a few are.
const FEW: usize = 20;

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

/// What is wrong with a result: a count, a coordinate or a distance.
fn fault(before: &[Point], after: &[Point]) -> Option<String> {
    if after.len() != before.len() {
        return Some(format!("{} of {} rows", after.len(), before.len()));
    }
    let size = largest_displacement(before);
    let rows = before.iter().zip(after).enumerate();
    let mut faults = rows.filter_map(|(row, (&a, &b))| {
        let same = a.map(f64::to_bits) == b.map(f64::to_bits);
        let way = vec3::sub(b, a).map(|c| c / size);
        let ok = same || (vec3::is_finite(a) && vec3::is_finite(b) && vec3::norm(way) <= 1.0);
        (!ok).then(|| format!("row {row}: {a:?} -> {b:?} of {size:e}"))
    });
    faults.next()
}

/// The diagonal of the box around the points, without the few that are far from all others.
fn largest_displacement(points: &[Point]) -> f64 {
    let finite: Vec<Point> = points.iter().copied().filter(|&p| vec3::is_finite(p)).collect();
    let side = |c: usize| {
        let mut values: Vec<f64> = finite.iter().map(|p| p[c]).collect();
        values.sort_unstable_by(f64::total_cmp);
        let width = |left_out: usize| {
            let kept = values.len() - left_out;
            values.windows(kept).map(|v| v[kept - 1] - v[0]).fold(f64::INFINITY, f64::min)
        };
        let all = width(0);
        [1, FEW].map(width).into_iter().find(|w| *w * 1e9 < all).unwrap_or(all)
    };
    if finite.len() <= FEW {
        return 0.0;
    }
    let sides = [side(0), side(1), side(2)].map(|s| s.min(f64::MAX / 4.0));
    let most = sides.into_iter().fold(f64::MIN_POSITIVE, f64::max);
    most * vec3::norm(sides.map(|s| s / most))
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
                Ok(Ok(out)) => faults
                    .extend(fault(points, out.cloud.positions()).map(|f| format!("{name}: {f}"))),
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
