//! Every method and preset on clouds of hostile numbers, and on clouds with repeated rows.

mod clouds;
mod repeated;

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{DistinctRows, PointCloud};
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

/// What is wrong with a result: a count, a coordinate or a displacement.
fn fault(before: &[Point], after: &[Point]) -> Option<String> {
    if after.len() != before.len() {
        return Some(format!("{} of {} rows", after.len(), before.len()));
    }
    let bounds = largest_displacements(before);
    let rows = before.iter().zip(after).zip(bounds).enumerate();
    let mut faults = rows.filter_map(|(row, ((&a, &b), most))| {
        let same = a.map(f64::to_bits) == b.map(f64::to_bits);
        let moved = vec3::sub(b, a).map(|c| c / most);
        let ok = same || (vec3::is_finite(a) && vec3::is_finite(b) && vec3::norm(moved) <= 1.0);
        (!ok).then(|| format!("row {row}: {a:?} -> {b:?}, more than {most:e}"))
    });
    faults.next()
}

/// For each row the diagonal of the box around the other points that take part; zero for a row that does not.
fn largest_displacements(points: &[Point]) -> Vec<f64> {
    let mut distinct = DistinctRows::of(points);
    distinct.drop_far(points);
    let sorted = [0, 1, 2].map(|c| {
        let mut values: Vec<f64> = distinct.rows.iter().map(|&r| points[r as usize][c]).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    });
    // Without the row itself: the next value where it is the first or the last.
    let side = |values: &[f64], own: f64| {
        let last = values.len() - 1;
        let low = values[usize::from(values[0] == own)];
        let high = values[last - usize::from(values[last] == own)];
        (high - low).clamp(0.0, f64::MAX / 4.0)
    };
    let bound = |p: Point| {
        let sides = [0, 1, 2].map(|c| side(&sorted[c], p[c]));
        let most = sides.into_iter().fold(f64::MIN_POSITIVE, f64::max);
        most * vec3::norm(sides.map(|s| s / most))
    };
    let mut bounds = vec![0.0; points.len()];
    if distinct.rows.len() > 1 {
        let copies = distinct.copies.iter().map(|&(copy, _)| copy);
        for row in distinct.rows.iter().copied().chain(copies) {
            bounds[row as usize] = bound(points[row as usize]);
        }
    }
    bounds
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
