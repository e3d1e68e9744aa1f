use super::*;
use crate::neighbors::tests::{random, sets};
use crate::vec3;

#[test]
fn sorting_can_be_undone() {
    for (name, points) in sets() {
        let order = SpatialOrder::new(&points);
        let numbers: Vec<usize> = (0..points.len()).collect();
        let mut sorted = order.sort(&numbers);
        assert_eq!(order.unsort(&sorted), numbers, "{name}");
        sorted.sort_unstable();
        assert_eq!(sorted, numbers, "{name}: a permutation");
    }
}

#[test]
fn points_that_are_not_finite_come_last() {
    let (_, points) = sets().into_iter().find(|(name, _)| *name == "not finite").unwrap();
    let order = SpatialOrder::new(&points);
    let finite = points.iter().filter(|p| vec3::is_finite(**p)).count();
    let (first, last) = order.indices().split_at(finite);
    assert!(first.iter().all(|&i| vec3::is_finite(points[i as usize])));
    assert!(last.is_sorted() && !last.is_empty());
}

/// Bit by bit, as the definition of the curve says.
#[test]
fn the_order_is_that_of_interleaved_bits() {
    let points = random(400, 9);
    let (lo, hi) = crate::bounds(&points).unwrap();
    let extent = (0..3).map(|c| hi[c] - lo[c]).fold(0.0, f64::max);
    let key = |p: Point| {
        let cell = |c: usize| ((p[c] - lo[c]) * (2097151.0 / extent)) as u64;
        (0..63).map(|b| (cell(b % 3) >> (b / 3) & 1) << b).sum::<u64>()
    };
    assert!(SpatialOrder::new(&points).sort(&points).is_sorted_by_key(|&p| key(p)));
}
