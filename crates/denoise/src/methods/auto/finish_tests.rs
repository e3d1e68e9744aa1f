use super::super::tuning::Tuning;
use super::*;

/// The end of a level whose points were measured where they are.
fn finish(noise: f64, left: f64, amount: f64, even: usize, y: &mut Vec<Point>) {
    let (observed, noises) = (y.clone(), vec![noise; y.len()]);
    let tuning = Tuning::default();
    let measured = Measured { observed: &observed, noise: &noises, tuning: &tuning };
    Finish::new(&tuning, noise, left, amount, even).apply(&measured, 1, y);
}

/// A grid with heights.
fn sheet(height: impl Fn(u32, u32) -> f64) -> Vec<Point> {
    (0..40u32)
        .flat_map(|x| (0..40u32).map(move |y| (x, y)))
        .map(|(x, y)| [f64::from(x), f64::from(y), height(x, y)])
        .collect()
}

fn rough(x: u32, y: u32) -> f64 {
    0.1 * (f64::from((x * 31 + y * 17) % 7) / 3.0 - 1.0)
}

fn roughness(points: &[Point], level: impl Fn(&Point) -> f64) -> f64 {
    let inner =
        points.iter().filter(|p| (4.0..36.0).contains(&p[0]) && (4.0..36.0).contains(&p[1]));
    let squares: Vec<f64> = inner.map(|p| (p[2] - level(p)).powi(2)).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

#[test]
fn takes_the_roughness_off_a_sheet() {
    let mut y = sheet(rough);
    let before = roughness(&y, |_| 0.0);
    finish(1.0, 0.1, 1.0, 0, &mut y);
    assert!(roughness(&y, |_| 0.0) < 0.25 * before, "{} of {before}", roughness(&y, |_| 0.0));
}

#[test]
fn a_step_stays_a_step() {
    let step = |p: &Point| if p[0] < 19.5 { 0.0 } else { 3.0 };
    let mut y = sheet(|x, y| rough(x, y) + if x < 20 { 0.0 } else { 3.0 });
    let before = roughness(&y, step);
    finish(1.0, 0.1, 1.0, 0, &mut y);
    assert!(roughness(&y, step) < before);
}

#[test]
fn thin_walls_are_left_alone() {
    let mut y = sheet(rough);
    let before = y.clone();
    finish(1.0, 0.1, 0.0, 0, &mut y);
    assert_eq!(y, before);
}

#[test]
fn copies_of_one_point_stay() {
    let mut y = vec![[1.0, 2.0, 3.0]; 100];
    finish(1.0, 0.1, 1.0, 4, &mut y);
    assert_eq!(y, vec![[1.0, 2.0, 3.0]; 100]);
}

#[test]
fn a_round_surface_stays_as_large_as_it_is() {
    // A bowl of radius 20.
    let height =
        |x: f64, y: f64| 20.0 - (400.0 - (x - 19.5).powi(2) - (y - 19.5).powi(2)).max(0.0).sqrt();
    let bowl: Vec<Point> = sheet(|x, y| height(f64::from(x), f64::from(y)))
        .into_iter()
        .filter(|p| (p[0] - 19.5).hypot(p[1] - 19.5) < 12.0)
        .collect();
    let off = |sigma: f64| {
        let mut y = bowl.clone();
        finish(sigma, 0.1, 1.0, 0, &mut y);
        let inner = y.iter().filter(|p| (p[0] - 19.5).hypot(p[1] - 19.5) < 8.0);
        let offs: Vec<f64> = inner.map(|p| p[2] - height(p[0], p[1])).collect();
        (offs.iter().sum::<f64>() / offs.len() as f64).abs()
    };
    assert!(off(0.5) < 0.2 * off(1.5), "{} {}", off(0.5), off(1.5));
}
