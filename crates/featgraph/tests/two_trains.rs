//! The example's claim, asserted.

#[path = "../examples/shared/two_trains.rs"]
mod two_trains;

#[test]
fn learned_metric_ignores_common_motion_and_a_diagonal_one_cannot() {
    let found = two_trains::run().unwrap();
    // Eq. 8: M is a multiple of [1 -1; -1 1], up to the margin.
    let m = found.learned.values();
    assert!((m[0] - 1.0).abs() < 1e-2 && (m[3] - 1.0).abs() < 1e-2, "{m:?}");
    assert!((m[1] + 1.0).abs() < 1e-2, "{m:?}");
    assert!(found.learned_confusion < 0.01, "{}", found.learned_confusion);
    assert_eq!(found.diagonal.entry(0, 1), 0.0);
    // Any diagonal metric: 100 (a + b) / b >= 100.
    assert!(found.diagonal_confusion >= 100.0);
    assert!(found.learned_objective < found.diagonal_objective);
}
