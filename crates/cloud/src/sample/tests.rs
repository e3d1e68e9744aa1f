use super::*;
use crate::neighbors::tests::{random, sets};
use crate::vec3::{self, Point};

/// The loop that defines farthest-point sampling.
fn naive(points: &[Point], count: usize, start: usize) -> Vec<u32> {
    let mut left: Vec<usize> = (0..points.len()).filter(|&i| vec3::is_finite(points[i])).collect();
    let mut distance2 = vec![f64::INFINITY; points.len()];
    let mut samples = Vec::new();
    let mut next = if left.contains(&start) { Some(start) } else { left.first().copied() };
    while let Some(sample) = next.filter(|_| samples.len() < count) {
        samples.push(sample as u32);
        left.retain(|&i| i != sample);
        next = None;
        for &i in &left {
            distance2[i] = distance2[i].min(vec3::distance2(points[i], points[sample]));
            if next.is_none_or(|n| distance2[i] > distance2[n]) {
                next = Some(i);
            }
        }
    }
    samples
}

#[test]
fn farthest_points_are_those_of_the_simple_loop() {
    for (name, points) in sets() {
        let n = points.len();
        for (count, start) in [(0, 0), (1, n / 2), (n / 3, 0), (n, n / 2), (n + 9, 1), (20, n)] {
            let samples = farthest_points(&points, count, start);
            assert_eq!(samples, naive(&points, count, start), "{name}, {count} from {start}");
        }
    }
    let surface: Vec<Point> = random(6000, 5).iter().map(|p| [p[0], p[1], p[0] * p[1]]).collect();
    assert_eq!(farthest_points(&surface, 2000, 17), naive(&surface, 2000, 17));
}

#[test]
fn identical_points_are_sampled_in_order() {
    let samples = farthest_points(&vec![[3.0; 3]; 50_000], 30_000, 5);
    assert_eq!(samples[..7], [5, 0, 1, 2, 3, 4, 6]);
    assert!(samples[6..].iter().copied().eq(6..30_000));
}

/// Radii from "nearly all points" to "one point" for a set of points.
fn radii(points: &[Point]) -> [f64; 5] {
    let size = crate::bounds(points).map_or(1.0, |(lo, hi)| vec3::norm(vec3::sub(hi, lo)));
    [0.0, 0.02 * size, 0.1 * size, 0.5 * size, f64::INFINITY]
}

#[test]
fn poisson_disks_are_separate_and_cover_everything() {
    for (name, points) in sets() {
        for radius in radii(&points) {
            let chosen = poisson_disk(&points, radius, 4);
            let within = |a: u32, b: u32| {
                let d = vec3::distance2(points[a as usize], points[b as usize]);
                d <= radius * radius
            };
            assert!(chosen.is_sorted(), "{name}");
            for (at, &a) in chosen.iter().enumerate() {
                assert!(vec3::is_finite(points[a as usize]), "{name}");
                assert!(!chosen[at + 1..].iter().any(|&b| within(a, b)), "{name}, {radius}");
            }
            for i in (0..points.len() as u32).filter(|&i| vec3::is_finite(points[i as usize])) {
                assert!(chosen.iter().any(|&c| within(c, i)), "{name}, {radius}");
            }
        }
    }
}

#[test]
fn poisson_disks_do_not_depend_on_order() {
    for (name, points) in sets() {
        for radius in radii(&points) {
            let places = |points: &[Point]| {
                let chosen = poisson_disk(points, radius, 11);
                let place = |&i: &u32| points[i as usize].map(|x| (x + 0.0).to_bits());
                let mut places: Vec<[u64; 3]> = chosen.iter().map(place).collect();
                places.sort_unstable();
                places
            };
            // A prime stride meets every point once, unless it divides their number.
            let n = points.len();
            assert!(n == 0 || n % 389 != 0);
            let shuffled: Vec<Point> = (0..n).map(|i| points[(i * 389 + 3) % n]).collect();
            assert_eq!(places(&points), places(&shuffled), "{name}, {radius}");
        }
    }
}

#[test]
fn poisson_disks_of_a_piece_are_those_of_the_whole() {
    let points: Vec<Point> = random(8000, 2).iter().map(|p| [p[0], p[1], 0.0]).collect();
    let radius = 0.03;
    let piece: Vec<Point> = points.iter().copied().filter(|p| p[0] < 0.5).collect();
    let inner = |points: &[Point]| {
        let chosen = poisson_disk(points, radius, 1).into_iter().map(|i| points[i as usize]);
        chosen.filter(|p| p[0] < 0.0).collect::<Vec<Point>>()
    };
    assert_eq!(inner(&points), inner(&piece));
}

#[test]
fn poisson_disks_take_the_first_of_duplicates() {
    let points = [[2.0; 3], [1.0; 3], [2.0; 3], [1.0; 3], [-0.0; 3], [0.0; 3], [1.0; 3]];
    for radius in [0.0, -1.0, f64::NAN] {
        assert_eq!(poisson_disk(&points, radius, 3), [0, 1, 4]);
    }
    assert_eq!(poisson_disk(&vec![[1.0; 3]; 50_000], 0.1, 3), [0]);
}

#[test]
fn seeds_and_threads() {
    let points: Vec<Point> = random(20_000, 3).iter().map(|p| [p[0], p[1], p[0] * p[1]]).collect();
    let run = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (poisson_disk(&points, 0.05, seed), farthest_points(&points, 500, 0)))
    };
    assert_eq!(run(1, 1), run(2, 1));
    assert_ne!(run(1, 1).0, run(1, 2).0);
}
