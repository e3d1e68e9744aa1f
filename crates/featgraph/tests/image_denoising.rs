//! The example's claims, asserted.

#[path = "../examples/shared/image_denoising.rs"]
mod image_denoising;

use image_denoising::{COARSE, FINE, FRESH, Found, SEAMS, TUNING, run};

fn assert_fine(found: Found) {
    // Closed form: noise of variance σ² has a PSNR of -10 log10 σ².
    let expected = -20.0 * image_denoising::NOISE.log10();
    assert!((found.noisy - expected).abs() < 0.2, "{found:?}");
    assert!(found.rule_of_thumb > found.noisy + 2.0, "{found:?}");
    assert!(found.learned > found.rule_of_thumb + 1.5, "{found:?}");
    assert!(found.learned > found.best_by_truth + 1.0, "{found:?}");
    // The grain runs in any direction: a diagonal metric cannot follow it.
    assert!(found.learned > found.diagonal + 1.5, "{found:?}");
}

#[test]
fn fine_grain_where_the_settings_were_chosen() {
    assert_fine(run(FINE, TUNING).unwrap());
}

#[test]
fn fine_grain_on_fresh_images() {
    assert_fine(run(FINE, FRESH).unwrap());
}

#[test]
fn coarse_grain_beats_the_rule_and_ties_with_the_best() {
    let found = run(COARSE, FRESH).unwrap();
    assert!(found.learned > found.rule_of_thumb + 1.0, "{found:?}");
    assert!((found.learned - found.best_by_truth).abs() < 0.3, "{found:?}");
}

#[test]
fn strong_seams_are_the_limit() {
    // Not a win, and the documentation says so: no better than the rule, behind the best.
    let found = run(SEAMS, FRESH).unwrap();
    assert!((found.learned - found.rule_of_thumb).abs() < 0.3, "{found:?}");
    assert!(found.learned < found.best_by_truth - 0.5, "{found:?}");
}
