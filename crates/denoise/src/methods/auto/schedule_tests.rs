use std::sync::LazyLock;

use super::*;

static TUNING: LazyLock<Tuning> = LazyLock::new(Tuning::default);

#[test]
fn patches_grow_with_the_noise_and_weights_widen_with_them() {
    let (little, much) = (
        Settings::for_noise(&Tuning::default(), 0.5, 0.5),
        Settings::for_noise(&Tuning::default(), 2.0, 2.0),
    );
    assert_eq!(little.size, 9);
    assert!(much.size > 20 && much.size <= 32);
    assert!(much.trace_limit < little.trace_limit && much.share < little.share);
    // Every point is in as many patches.
    let cover = |s: &Settings| s.share * s.size as f64;
    assert!((cover(&little) - cover(&much)).abs() < 1e-12);
}

#[test]
fn it_goes_on_while_points_move_and_stops_when_they_rest() {
    let mut follow = Follow::new(&TUNING, 1.0, 1.0);
    assert_eq!(follow.judge(0.3, 0.3), None);
    assert_eq!(follow.judge(0.25, 0.6), None);
    assert_eq!(follow.judge(0.1, 0.9), Some(Stop::Converged));
    assert!((follow.left() - 0.19_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn thin_walls_stop_it_early_and_strength_moves_the_limit() {
    let thin = |strength| {
        let mut follow = Follow::new(&TUNING, 1.0, strength);
        follow.walls(1.0);
        follow
    };
    assert_eq!(thin(1.0).judge(0.3, 0.55), Some(Stop::NoiseRemoved));
    assert_eq!(thin(2.0).judge(0.3, 0.55), None);
    assert_eq!(Follow::new(&TUNING, 1.0, 0.5).judge(0.3, 0.6), Some(Stop::NoiseRemoved));
}

#[test]
fn normals_count_for_more_only_where_noise_is_and_was_little() {
    let floor = |left, sigma| Settings::for_noise(&Tuning::default(), left, sigma).normal_floor;
    assert!(floor(0.2, 0.5) > floor(0.4, 0.5) && floor(0.4, 0.5) > 0.0);
    assert_eq!(floor(0.2, 1.2), 0.0);
    let sharp = Settings::for_noise(&Tuning::default(), 0.2, 0.5);
    let plain = Settings::for_noise(&Tuning::default(), 0.2, 1.2);
    assert!(sharp.per_normal > plain.per_normal);
}
