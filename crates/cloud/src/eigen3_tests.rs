use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

fn size(m: &[f64; 6]) -> f64 {
    m.iter().fold(0.0, |s: f64, x| s.max(x.abs()))
}

/// Everything that must hold, with the matrix scaled so that the bounds mean something.
fn check(m: [f64; 6]) {
    let s = size(&m);
    let e = symmetric_eigen(m);
    let a = if s > 0.0 { m.map(|x| x / s) } else { m };
    let l = if s > 0.0 { e.values.map(|x| x / s) } else { e.values };
    assert!(l[0] <= l[1] && l[1] <= l[2], "{m:?} {l:?}");
    let reference = jacobi(a);
    for i in 0..3 {
        assert!(residual(&a, e.vectors[i], l[i]) <= 2e-14, "{m:?} {e:?}");
        assert!((l[i] - reference.values[i]).abs() <= 2e-14, "{m:?} {e:?} {reference:?}");
        for j in 0..3 {
            let expected = if i == j { 1.0 } else { 0.0 };
            let dot = vec3::dot(e.vectors[i], e.vectors[j]);
            assert!((dot - expected).abs() <= 4e-15, "{m:?} {e:?}");
        }
    }
    // Reconstruction: sum of λ v v'.
    for (k, (r, c)) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate() {
        let sum: f64 = (0..3).map(|i| l[i] * e.vectors[i][r] * e.vectors[i][c]).sum();
        assert!((sum - a[k]).abs() <= 4e-14, "{m:?} {e:?}");
    }
    let v = smallest_eigenvector(m);
    assert!((vec3::norm(v) - 1.0).abs() <= 4e-15);
    assert!(residual(&a, v, l[0]) <= 3e-14, "{m:?} {v:?}");
}

fn rng() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(7)
}

/// Q diag(l) Q' for a random rotation Q.
fn rotated(l: [f64; 3], rng: &mut Xoshiro256PlusPlus) -> [f64; 6] {
    let mut random = || [0; 3].map(|_: i32| rng.random_range(-1.0..1.0));
    let u = vec3::normalized(random()).unwrap();
    let w = vec3::normalized(vec3::cross(u, random())).unwrap();
    let q = [u, w, vec3::cross(u, w)];
    [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
        .map(|(r, c)| (0..3).map(|i| l[i] * q[i][r] * q[i][c]).sum())
}

#[test]
fn random_matrices() {
    let mut rng = rng();
    for _ in 0..20_000 {
        check([0; 6].map(|_| rng.random_range(-1.0..1.0)));
    }
}

#[test]
fn diagonal_zero_and_identity() {
    for d in
        [[0.0; 3], [1.0; 3], [3.0, -1.0, 2.0], [0.0, 0.0, 5.0], [0.0, -2.0, 0.0], [1.0, 1.0, 0.0]]
    {
        check([d[0], 0.0, 0.0, d[1], 0.0, d[2]]);
    }
    assert_eq!(smallest_eigenvector([0.0; 6]), [0.0, 0.0, 1.0]);
}

#[test]
fn repeated_and_nearly_repeated_values() {
    let mut rng = rng();
    for gap in [0.0, 1e-18, 1e-16, 1e-15, 1e-12, 1e-8, 1e-4] {
        for _ in 0..500 {
            check(rotated([1.0, 1.0 + gap, 3.0], &mut rng));
            check(rotated([-4.0, 1.0, 1.0 + gap], &mut rng));
            check(rotated([1.0, 1.0 + gap, 1.0 + 2.0 * gap], &mut rng));
            check(rotated([0.0, gap, 1.0], &mut rng));
            check(rotated([gap, 1.0, 1.0], &mut rng));
        }
    }
}

#[test]
fn rank_one() {
    let mut rng = rng();
    for _ in 0..1000 {
        let v: Point = [0; 3].map(|_| rng.random_range(-1.0..1.0));
        check([v[0] * v[0], v[0] * v[1], v[0] * v[2], v[1] * v[1], v[1] * v[2], v[2] * v[2]]);
    }
}

#[test]
fn huge_and_tiny() {
    let mut rng = rng();
    for factor in [1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e300] {
        for _ in 0..200 {
            check([0; 6].map(|_| rng.random_range(-1.0..1.0) * factor));
            check(rotated([1e-14 * factor, factor, factor], &mut rng));
        }
    }
    let e = symmetric_eigen([5e-324, 0.0, 5e-324, 0.0, 5e-324, 0.0]);
    assert!(e.values.iter().chain(e.vectors.iter().flatten()).all(|x| x.is_finite()), "{e:?}");
    let e = symmetric_eigen([f64::MAX, -f64::MAX, f64::MAX, f64::MAX, 0.0, -f64::MAX]);
    assert!(e.values.iter().chain(e.vectors.iter().flatten()).all(|x| !x.is_nan()), "{e:?}");
}

#[test]
fn known_values() {
    // The second difference matrix of three nodes: 2 - 2 cos(kπ/4).
    let e = symmetric_eigen([2.0, -1.0, 0.0, 2.0, -1.0, 2.0]);
    for (k, value) in e.values.iter().enumerate() {
        let expected = 2.0 - 2.0 * (std::f64::consts::FRAC_PI_4 * (k + 1) as f64).cos();
        assert!((value - expected).abs() < 1e-15);
    }
}

#[test]
fn not_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let e = symmetric_eigen([1.0, bad, 0.0, 1.0, 0.0, 1.0]);
        assert!(e.values.iter().all(|v| v.is_nan()));
        assert_eq!(e.vectors, AXES);
        assert_eq!(smallest_eigenvector([1.0, bad, 0.0, 1.0, 0.0, 1.0]), AXES[2]);
    }
}
