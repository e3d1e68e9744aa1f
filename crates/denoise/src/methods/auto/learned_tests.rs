use pellucid_cloud::{Point, vec3};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

/// A long strip of a wavy surface with noise, points thrown at random, four square units each.
fn strip(points: usize, long: f64) -> Vec<Point> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let wide = 4.0 * points as f64 / long;
    let mut draw = |from: f64, to: f64| from + (to - from) * rng.random::<f64>();
    (0..points)
        .map(|_| {
            let (x, y) = (draw(0.0, long), draw(0.0, wide));
            let noise = [0; 3].map(|_| (0..4).map(|_| draw(-0.8, 0.8)).sum::<f64>());
            let z =
                6.0 * (x / 25.0).sin() + if y > 0.5 * wide { 0.4 * (y - 0.5 * wide) } else { 0.0 };
            vec3::add([x, y, z], noise)
        })
        .collect()
}

fn learn(points: &[Point]) -> Learned {
    // Small enough for the survey to take a part.
    let survey = Survey::of_size(6_000, 5_000).finish(points, |i| i as u32);
    assert!(!survey.takes_whole());
    Learned::from_survey(&survey, &AutoParameters::default(), &mut Run::default()).unwrap()
}

/// Points with `x` in a range, then those around them.
fn piece(points: &[Point], from: f64, to: f64, halo: f64) -> (Vec<Point>, Vec<u32>, usize) {
    let own = |p: &Point| p[0] >= from && p[0] < to;
    let near = |p: &Point| !own(p) && p[0] >= from - halo && p[0] < to + halo;
    let rows = |is: &dyn Fn(&Point) -> bool| -> Vec<u32> {
        (0..points.len() as u32).filter(|&i| is(&points[i as usize])).collect()
    };
    let mut numbers = rows(&own);
    let core = numbers.len();
    numbers.extend(rows(&near));
    (numbers.iter().map(|&i| points[i as usize]).collect(), numbers, core)
}

#[test]
fn sixteen_tiles_give_what_the_whole_does() {
    let points = strip(32_000, 1_600.0);
    let learned = learn(&points);
    assert!(learned.rounds() >= 3 && learned.noise() > 0.5, "{:?}", learned.notes());
    let numbers: Vec<u32> = (0..points.len() as u32).collect();
    let all = points.len();
    let whole = learned.denoise_piece(&points, &numbers, all, &mut Run::default()).unwrap();
    let (mut largest, mut sum) = (0.0_f64, 0.0);
    let (mut at_border, mut elsewhere) = (Vec::new(), Vec::new());
    for tile in 0..16 {
        let from = if tile == 0 { f64::NEG_INFINITY } else { f64::from(tile) * 100.0 };
        let to = if tile == 15 { f64::INFINITY } else { f64::from(tile + 1) * 100.0 };
        let (piece, numbers, core) = piece(&points, from, to, learned.halo());
        let moved = learned.denoise_piece(&piece, &numbers, core, &mut Run::default()).unwrap();
        for ((&to_here, &row), &was) in moved.iter().zip(&numbers).zip(&piece) {
            let off = vec3::distance2(to_here, whole[row as usize]).sqrt() / learned.spacing();
            largest = largest.max(off);
            sum += off;
            let step = vec3::distance2(to_here, was).sqrt();
            let inner = (was[0] - from).min(to - was[0]);
            if inner < 2.0 * learned.spacing() { &mut at_border } else { &mut elsewhere }
                .push(step);
        }
    }
    assert_eq!(at_border.len() + elsewhere.len(), points.len());
    assert!(largest <= 0.02, "largest difference {largest} spacings");
    assert!(sum / points.len() as f64 <= 0.002);
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (border, inside) = (mean(&at_border), mean(&elsewhere));
    assert!((border / inside - 1.0).abs() < 0.05, "{border} at borders, {inside} elsewhere");
}

#[test]
fn the_order_of_a_piece_does_not_matter_nor_do_threads() {
    let points = strip(8_000, 400.0);
    let learned = learn(&points);
    let numbers: Vec<u32> = (0..points.len() as u32).collect();
    let all = points.len();
    let straight = learned.denoise_piece(&points, &numbers, all, &mut Run::default()).unwrap();
    let (turned, back): (Vec<Point>, Vec<u32>) = points.iter().copied().zip(numbers).rev().unzip();
    let mut one = Run::default().with_threads(Some(1));
    let mut moved = learned.denoise_piece(&turned, &back, all, &mut one).unwrap();
    moved.reverse();
    assert_eq!(straight, moved);
}

#[test]
fn written_down_and_read_back_it_is_the_same() {
    let points = strip(8_000, 400.0);
    let learned = learn(&points);
    let text = serde_json::to_string(&learned).unwrap();
    let back: Learned = serde_json::from_str(&text).unwrap();
    assert_eq!(back, learned);
    assert!(back.is_current() && !back.is_idle() && back.halo() > 0.0);
}

#[test]
fn a_clean_cloud_is_left_as_it_is() {
    let grid: Vec<Point> =
        (0..10_000).map(|i| [f64::from(i % 100), f64::from(i / 100), 0.0]).collect();
    let learned = learn(&grid);
    assert!(learned.is_idle() && learned.halo() == 0.0);
    let numbers: Vec<u32> = (0..10).collect();
    let moved = learned.denoise_piece(&grid[..10], &numbers, 4, &mut Run::default()).unwrap();
    assert_eq!(moved, grid[..4]);
}

#[test]
fn points_without_numbers_and_too_few_points_are_refused() {
    let points = strip(8_000, 400.0);
    let learned = learn(&points);
    let short = learned.denoise_piece(&points[..50], &[1, 2], 2, &mut Run::default());
    assert!(matches!(short, Err(DenoiseError::Length { .. })));
    let survey = Survey::new().finish(&points[..2], |i| i as u32);
    let none = Learned::from_survey(&survey, &AutoParameters::default(), &mut Run::default());
    assert!(matches!(none, Err(DenoiseError::TooFewPoints { .. })));
}
