use pellucid_cloud::Point;

use super::*;

fn sheet(side: usize) -> Vec<Point> {
    (0..side * side).map(|i| [(i % side) as f64, (i / side) as f64, (i % 7) as f64 * 0.1]).collect()
}

#[test]
fn a_small_cloud_is_taken_whole() {
    assert_eq!(choose(&sheet(50)).len(), 2500);
}

#[test]
fn a_large_one_gives_about_the_number_asked_for_in_whole_blocks() {
    let points = sheet(1500);
    let chosen = choose(&points);
    let wanted = WANTED as f64;
    assert!((0.5 * wanted..2.0 * wanted).contains(&(chosen.len() as f64)), "{}", chosen.len());
    // Inside a block nobody's neighbour is missing: nearly all points have their right-hand one.
    let mut is_in = vec![false; points.len()];
    chosen.iter().for_each(|&i| is_in[i as usize] = true);
    let with = chosen.iter().filter(|&&i| is_in.get(i as usize + 1) == Some(&true)).count();
    assert!(with as f64 > 0.95 * chosen.len() as f64);
}

#[test]
fn the_order_of_points_does_not_matter() {
    let points = sheet(700);
    let turned: Vec<Point> = points.iter().rev().copied().collect();
    let last = points.len() as u32 - 1;
    let mut back: Vec<u32> = choose(&turned).iter().map(|i| last - i).collect();
    back.sort_unstable();
    assert_eq!(choose(&points), back);
}
