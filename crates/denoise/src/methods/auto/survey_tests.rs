use pellucid_cloud::Point;

use super::*;

fn sheet(side: usize) -> Vec<Point> {
    (0..side * side).map(|i| [(i % side) as f64, (i / side) as f64, (i % 7) as f64 * 0.1]).collect()
}

fn numbers(points: &[Point]) -> Vec<u32> {
    Survey::new().finish(points, |i| i as u32).drawn().1
}

#[test]
fn a_small_cloud_is_taken_whole() {
    assert_eq!(numbers(&sheet(50)).len(), 2500);
}

#[test]
fn a_large_one_gives_about_the_number_asked_for_in_whole_blocks() {
    let points = sheet(1500);
    let chosen = numbers(&points);
    assert!((WANTED / 2..=WANTED).contains(&chosen.len()), "{}", chosen.len());
    // Inside a block nobody's neighbor is missing: nearly all points have their right-hand one.
    let mut is_in = vec![false; points.len()];
    chosen.iter().for_each(|&i| is_in[i as usize] = true);
    let with = chosen.iter().filter(|&&i| is_in.get(i as usize + 1) == Some(&true)).count();
    assert!(with as f64 > 0.95 * chosen.len() as f64);
}

#[test]
fn neither_the_order_of_points_nor_pieces_matter() {
    let points = sheet(700);
    let turned: Vec<Point> = points.iter().rev().copied().collect();
    let last = points.len() - 1;
    let mut survey = Survey::new();
    while !survey.is_done() {
        for start in (0..turned.len()).step_by(77_777) {
            let end = turned.len().min(start + 77_777);
            survey.see(&turned[start..end], |i| (last - start - i) as u32);
        }
        survey.end_pass();
    }
    assert_eq!(numbers(&points), survey.drawn().1);
}

#[test]
fn stray_points_far_away_do_not_keep_it_from_whole_blocks() {
    let mut points = sheet(600);
    points.extend([[1e7, -3e8, 0.0], [-2e6, 5.0, 1e9], [f64::NAN, 0.0, 0.0], [3e14, 0.0, 0.0]]);
    let chosen = numbers(&points);
    assert!((WANTED / 2..=WANTED).contains(&chosen.len()), "{}", chosen.len());
    let mut is_in = vec![false; points.len()];
    chosen.iter().for_each(|&i| is_in[i as usize] = true);
    let with = chosen.iter().filter(|&&i| is_in.get(i as usize + 1) == Some(&true)).count();
    assert!(with as f64 > 0.95 * chosen.len() as f64);
}

#[test]
fn a_heap_in_one_place_is_cut_down() {
    let points = vec![[1.0, 2.0, 3.0]; WHOLE_UP_TO + 1];
    assert_eq!(numbers(&points).len(), WANTED);
}

#[test]
fn parts_looked_at_elsewhere_give_the_same() {
    let points = sheet(700);
    let whole = Survey::new().finish(&points, |i| i as u32);
    let mut survey = Survey::new();
    while !survey.is_done() {
        let seen: Vec<String> = (0..points.len())
            .step_by(123_456)
            .map(|start| {
                let end = points.len().min(start + 123_456);
                let mut part = survey.part();
                part.see(&points[start..end], |i| (start + i) as u32);
                // As it travels.
                serde_json::to_string(&part).unwrap()
            })
            .collect();
        for part in seen.iter().rev() {
            survey.join(serde_json::from_str(part).unwrap());
        }
        survey.end_pass();
    }
    assert_eq!(survey, whole);
}

#[test]
fn absurdly_far_points_do_not_count() {
    let mut points = sheet(600);
    let alone = Survey::new().finish(&points, |i| i as u32);
    // Nor do missing measurements, and they do not make the others far. One point is at the origin.
    points.extend(vec![[0.0; 3]; 400_000]);
    let zeros = Survey::new().finish(&points, |i| i as u32);
    assert_eq!((zeros.points(), zeros.bounds()), (359_999, alone.bounds()));
    assert!(zeros.drawn().0.iter().all(|p| *p != [0.0; 3]));
    points.truncate(360_000);
    for far in [1e20, -1e300, f64::MAX] {
        points.push([0.5, far, far]);
        let with = Survey::new().finish(&points, |i| i as u32);
        assert_eq!((with.points(), with.bounds()), (360_000, alone.bounds()));
        assert_eq!(with.drawn(), alone.drawn());
        assert_eq!(with.inner(), alone.inner());
    }
}
