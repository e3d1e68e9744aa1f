use super::super::project::*;
use super::{generator, normal};
use crate::metric::cholesky;
use rand::RngExt;

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn trace_projection_agrees_with_bisection() {
    let mut random = generator(1);
    for trial in 0..2000 {
        let k = 1 + trial % 9;
        let v: Vec<f64> = (0..k).map(|_| 3.0 * normal(&mut random)).collect();
        let lower: Vec<f64> = (0..k).map(|_| 0.3 * random.random::<f64>()).collect();
        let limit = lower.iter().sum::<f64>() + 2.0 * random.random::<f64>();
        let mut x = v.clone();
        assert!(onto_trace(&mut x, &lower, limit));
        let at =
            |a: f64| -> Vec<f64> { v.iter().zip(&lower).map(|(v, l)| (v - a).max(*l)).collect() };
        let (mut low, mut high) = (0.0, 100.0);
        if at(0.0).iter().sum::<f64>() > limit {
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                let above = at(middle).iter().sum::<f64>() > limit;
                if above { low = middle } else { high = middle }
            }
        }
        for (x, y) in x.iter().zip(at(low)) {
            assert!((x - y).abs() < 1e-10);
        }
        let again = x.clone();
        onto_trace(&mut x, &lower, limit);
        assert!(distance(&x, &again) < 1e-14 * limit.max(1.0));
    }
}

#[test]
fn empty_set_is_reported_and_leaves_the_point_alone() {
    let mut v = vec![1.0, 2.0];
    assert!(!onto_trace(&mut v, &[1.5, 1.6], 3.0));
    assert_eq!(v, vec![1.0, 2.0]);
}

#[test]
fn no_random_feasible_point_is_closer() {
    let mut random = generator(2);
    let k = 4;
    let v: Vec<f64> = vec![2.0, -0.5, 1.4, 0.3];
    let lower = [0.1, 0.2, 0.0, 0.4];
    let limit = 2.0;
    let mut x = v.clone();
    onto_trace(&mut x, &lower, limit);
    let mut b = v.clone();
    onto_ball(&mut b, 1.1);
    let mut a: Vec<f64> = (0..k * k).map(|_| normal(&mut random)).collect();
    for i in 0..k {
        for j in 0..i {
            a[i * k + j] = a[j * k + i];
        }
    }
    let mut s = a.clone();
    onto_spectrum(&mut s, k, 0.05, limit).unwrap();
    let mut tried = 0;
    while tried < 10_000 {
        // A feasible diagonal: bounds plus shares of a random fraction of the rest.
        let spare = limit - lower.iter().sum::<f64>();
        let shares: Vec<f64> = (0..k).map(|_| random.random::<f64>()).collect();
        let part = spare * random.random::<f64>() / shares.iter().sum::<f64>();
        let y: Vec<f64> = lower.iter().zip(&shares).map(|(l, s)| l + part * s).collect();
        assert!(distance(&y, &v) >= distance(&x, &v) - 1e-12);
        // A point of the ball.
        let mut y: Vec<f64> = (0..k).map(|_| normal(&mut random)).collect();
        let length = distance(&y, &[0.0; 4]);
        let to = 1.1 * random.random::<f64>() / length;
        y.iter_mut().for_each(|y| *y *= to);
        assert!(distance(&y, &v) >= distance(&b, &v) - 1e-12);
        // A matrix margin I + R R' of bounded trace.
        let root: Vec<f64> = (0..k * k).map(|_| normal(&mut random)).collect();
        let norm: f64 = root.iter().map(|r| r * r).sum();
        let scale = (limit - 0.05 * 4.0) * random.random::<f64>() / norm;
        let mut y = vec![0.0; k * k];
        for i in 0..k {
            for j in 0..k {
                y[i * k + j] = (0..k).map(|l| root[i * k + l] * root[j * k + l] * scale).sum();
            }
            y[i * k + i] += 0.05;
        }
        assert!(distance(&y, &a) >= distance(&s, &a) - 1e-12);
        tried += 1;
    }
}

#[test]
fn spectrum_projection_is_feasible_and_idempotent() {
    let mut random = generator(3);
    for k in [1, 2, 3, 6, 20, 60] {
        let mut m = vec![0.0; k * k];
        for i in 0..k {
            for j in 0..=i {
                m[i * k + j] = 2.0 * normal(&mut random);
                m[j * k + i] = m[i * k + j];
            }
        }
        onto_spectrum(&mut m, k, 1e-6, 3.0).unwrap();
        let trace: f64 = (0..k).map(|i| m[i * k + i]).sum();
        assert!(trace <= 3.0 * (1.0 + 1e-13));
        assert!(cholesky(&m, k, 0.99e-6).is_ok());
        let before = m.clone();
        onto_spectrum(&mut m, k, 1e-6, 3.0).unwrap();
        assert!(distance(&m, &before) < 1e-12);
    }
}

#[test]
fn ball_projection_handles_huge_and_tiny_vectors() {
    let mut v = vec![3e200, 4e200];
    onto_ball(&mut v, 5.0);
    assert!((v[0] - 3.0).abs() < 1e-14 && (v[1] - 4.0).abs() < 1e-14);
    let mut v = vec![3e-200, 4e-200];
    onto_ball(&mut v, 5.0);
    assert_eq!(v, vec![3e-200, 4e-200]);
    onto_ball(&mut v, 0.0);
    assert_eq!(v, vec![0.0, 0.0]);
}

#[test]
fn published_projection_by_hand() {
    // Clipped sum 2.5 + 1 + 0.2 = 3.7 > 3: the unclipped sum 3.2 shifts all by 0.2 / 3.
    let mut v = vec![2.5, 1.0, -0.3];
    onto_trace_published(&mut v, &[0.1, 0.1, 0.2], 3.0);
    let shift = 0.2 / 3.0;
    assert!((v[0] - (2.5 - shift)).abs() < 1e-15 && (v[1] - (1.0 - shift)).abs() < 1e-15);
    assert_eq!(v[2], 0.2);
    assert!(v.iter().sum::<f64>() > 3.0);
}
