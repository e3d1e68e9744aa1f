use super::*;
use crate::synth::Shape;

fn sphere() -> Vec<Point> {
    Shape::Sphere.sample(600, 1).into_positions()
}

fn near(points: &[Point]) -> (DistinctRows, Extent) {
    let mut found = DistinctRows::of(points);
    let extent = found.drop_far(points);
    (found, extent)
}

#[test]
fn copies_go_with_the_first_row_of_their_place() {
    let mut points = vec![[1.0, 2.0, 0.0], [5.0; 3], [1.0, 2.0, -0.0], [5.0; 3], [1.0, 2.0, 0.0]];
    let found = DistinctRows::of(&points);
    assert_eq!(found.rows, [0, 1]);
    assert_eq!(found.copies, [(2, 0), (3, 1), (4, 0)]);
    assert_eq!(copies(&points, |i| 9 - i), [(0, 4), (1, 3), (2, 4)]);
    points[0][0] = 1.0_f64.next_up();
    assert_eq!(DistinctRows::of(&points).rows, [0, 1, 2]);
}

#[test]
fn many_rows_at_the_origin_are_missing_measurements() {
    let mut points = sphere();
    points.extend([[0.0, -0.0, 0.0]; 15]);
    let few = DistinctRows::of(&points);
    assert_eq!((few.missing, few.rows.len(), few.copies.len()), (0, 601, 14));
    points.push([0.0; 3]);
    let enough = DistinctRows::of(&points);
    assert_eq!((enough.missing, enough.rows.len(), enough.copies.len()), (16, 600, 0));
    // Elsewhere they are copies like all others, and so they are if another place has many too.
    let elsewhere: Vec<Point> = points.iter().map(|p| vec3::add(*p, [1.0; 3])).collect();
    assert_eq!(DistinctRows::of(&elsewhere).missing, 0);
    points.extend([[1.0; 3]; 8]);
    assert_eq!(DistinctRows::of(&points).missing, 0);
    // One row in a hundred.
    points.truncate(616);
    points.extend((0..984).map(|i| [2.0 + f64::from(i), 0.0, 0.0]));
    assert_eq!(DistinctRows::of(&points).missing, 16);
    points.push([0.0, 1e3, 0.0]);
    assert_eq!(DistinctRows::of(&points).missing, 0);
}

#[test]
fn far_points_take_no_part_and_do_not_change_the_extent() {
    let clean = sphere();
    let (all, extent) = near(&clean);
    assert_eq!((all.far, all.rows.len()), (0, 600));
    for far in [1e20, 1e150, 1e300, 1e308, -1.7e308] {
        for axis in 0..3 {
            let mut points = clean.clone();
            let mut p = [0.5; 3];
            p[axis] = far;
            points.extend([p; 2]);
            let (found, same) = near(&points);
            assert_eq!((found.far, &found.rows, same), (2, &all.rows, extent), "{far:e}");
        }
    }
}

#[test]
fn the_limit_is_two_to_the_fortieth_spacings() {
    let mut points = sphere();
    let (_, extent) = near(&points);
    for (spacings, far) in [(0.99 * FAR, 0), (1.01 * FAR, 1)] {
        points.push(vec3::add(extent.center, [0.0, 0.0, spacings * extent.spacing]));
        assert_eq!(near(&points).0.far, far);
        points.pop();
    }
}

#[test]
fn garbage_of_all_sizes_leaves_the_points_of_one_scale() {
    let mut points = sphere();
    let (_, extent) = near(&points);
    // Two of three rows, half of which are larger than any number of spacings.
    points.extend((0..1200).map(|i| [10.0_f64.powi(i % 600 - 300), -10.0_f64.powi(i / 4), 0.5]));
    let (found, same) = near(&points);
    assert!(found.far > 900 && found.far <= 1200, "{}", found.far);
    assert!(found.rows.iter().filter(|&&row| row < 600).count() == 600);
    assert!((0.5..2.0).contains(&(same.spacing / extent.spacing)), "{same:?} {extent:?}");
}

#[test]
fn the_extent_goes_with_any_scale() {
    let points = sphere();
    let (_, one) = near(&points);
    for power in [-1000, -560, -500, 500, 1000, 1022] {
        let by = 2.0_f64.powi(power);
        let scaled: Vec<Point> = points.iter().map(|&p| vec3::scale(p, by)).collect();
        let (found, extent) = near(&scaled);
        assert_eq!((found.far, found.rows.len()), (0, 600), "2^{power}");
        assert_eq!((extent.spacing, extent.center), (one.spacing * by, one.center.map(|c| c * by)));
    }
    let smallest: Vec<Point> = (0..50).map(|i| [f64::from_bits(i), 0.0, 0.0]).collect();
    let (found, extent) = near(&smallest);
    assert_eq!((found.far, extent.spacing), (0, f64::from_bits(1)));
}

#[test]
fn twins_by_rounding_do_not_make_all_others_far() {
    let mut points = sphere();
    let twins = points.iter().map(|p| p.map(|c| c.next_up())).collect::<Vec<_>>();
    points.extend(twins);
    let (found, extent) = near(&points);
    assert_eq!((found.far, found.rows.len()), (0, 1200));
    assert!(extent.spacing > 1e-10);
}

#[test]
fn few_points_have_an_extent_too() {
    assert_eq!(near(&[]).1.spacing, 1.0);
    assert_eq!(near(&[[3.0; 3]; 9]).1, Extent { center: [3.0; 3], spacing: 1.0 });
    let (found, extent) = near(&[[-1.7e308; 3], [1.7e308; 3]]);
    assert!(
        extent.spacing > 0.0 && extent.spacing.is_finite() && found.rows.len() + found.far == 2
    );
}
