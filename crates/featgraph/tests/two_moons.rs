//! The example's claims, asserted.

#[path = "../examples/shared/two_moons.rs"]
mod two_moons;

use two_moons::{FRESH, Found, TUNING, run};

fn assert_nuisance_dropped(found: Found) {
    let diagonal = found.diagonal;
    assert!(diagonal.accuracy > 0.98, "{found:?}");
    assert!(diagonal.accuracy > found.plain.accuracy + 0.12, "{found:?}");
    // An equal share would be 6 of 8.
    assert!(diagonal.nuisance_share < 0.05, "{found:?}");
    assert!((found.plain.nuisance_share - 0.75).abs() < 1e-12, "{found:?}");
    assert!(found.moons_only.accuracy > 0.995, "{found:?}");
    // With off-diagonal entries one direction takes most of the trace, and moons are not separable
    // by a line. The nuisance is dropped all the same.
    for learned in [found.alternate, found.full] {
        assert!(learned.nuisance_share < 0.1, "{found:?}");
        assert!(learned.accuracy < diagonal.accuracy - 0.1, "{found:?}");
    }
}

#[test]
fn nuisance_is_dropped_where_the_settings_were_chosen() {
    assert_nuisance_dropped(run(TUNING).unwrap());
}

#[test]
fn nuisance_is_dropped_on_fresh_seeds() {
    assert_nuisance_dropped(run(FRESH).unwrap());
}
