//! Every method and preset on small clouds of hostile numbers.

use pellucid_cloud::{Point, PointCloud, vec3};
use pellucid_denoise::Run;
use pellucid_denoise::registry::{self, Method, ParameterMap};

use crate::guarded_whole;

/// Most points of a cloud, and seconds for it.
const POINTS: usize = 64;
const SECONDS: f64 = 10.0;

/// Every method with its defaults and with each of its presets.
fn variants() -> Vec<(&'static Method, Option<&'static str>)> {
    let of = |m: &'static Method| {
        std::iter::once((m, None)).chain(m.presets.iter().map(move |p| (m, Some(p.name))))
    };
    registry::methods().iter().flat_map(of).collect()
}

/// The first byte is the method and its preset, two for each coordinate follow.
pub fn run(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let variants = variants();
    let (method, preset) = variants[usize::from(*first) % variants.len()];
    let mut numbers: Vec<f64> = Vec::new();
    for pair in rest.chunks_exact(2).take(3 * POINTS) {
        numbers.push(number(pair[0], pair[1], &numbers));
    }
    let points: Vec<Point> = numbers.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
    guarded_whole(bytes.len(), SECONDS, || {
        let Ok(denoiser) = method.build(preset, &ParameterMap::new()) else { return };
        let cloud = PointCloud::new(points.clone());
        if let Ok(out) = denoiser.denoise(&cloud, &mut Run::default().with_seed(1)) {
            let name = format!("{}/{}", method.name, preset.unwrap_or("default"));
            check(&name, &points, out.cloud.positions());
        }
    });
}

/// Mostly small numbers, some of any size, some that were there before.
fn number(kind: u8, value: u8, before: &[f64]) -> f64 {
    let x = f64::from(value);
    match kind % 16 {
        0 => [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, 0.0, -0.0, 5e-324, 1e-160]
            [usize::from(value) % 8],
        1 => 2.0_f64.powi(8 * (i32::from(value) - 128)),
        2 => -(2.0_f64.powi(8 * (i32::from(value) - 128))),
        3 | 4 if !before.is_empty() => before[usize::from(value) % before.len()],
        5 => 1e8 + x,
        k => f64::from(k) + x / 256.0,
    }
}

/// Rows keep their number and stay finite, and none moves farther than the cloud is wide.
fn check(method: &str, before: &[Point], after: &[Point]) {
    assert_eq!(after.len(), before.len(), "{method}");
    let finite = || before.iter().filter(|p| vec3::is_finite(**p));
    let side = |c: usize| {
        let low = finite().map(|p| p[c]).fold(f64::MAX, f64::min);
        (finite().map(|p| p[c]).fold(f64::MIN, f64::max) - low).clamp(0.0, f64::MAX / 4.0)
    };
    let sides = [side(0), side(1), side(2)];
    let most = sides.into_iter().fold(f64::MIN_POSITIVE, f64::max);
    let diagonal = most * vec3::norm(sides.map(|s| s / most));
    for (a, b) in before.iter().zip(after) {
        let same = a.map(f64::to_bits) == b.map(f64::to_bits);
        let moved = vec3::norm(vec3::sub(*b, *a).map(|c| c / diagonal.max(f64::MIN_POSITIVE)));
        assert!(same || vec3::is_finite(*b) && moved <= 1.0, "{method}: {a:?} -> {b:?}");
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let of = |method: usize| {
        let pairs = (0..120 * 3).flat_map(|i: usize| [6 + (i * 7 % 10) as u8, (i * 89) as u8]);
        std::iter::once(method as u8).chain(pairs).collect()
    };
    (0..variants().len()).map(of).collect()
}
