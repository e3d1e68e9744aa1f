//! The sparse part and the average, against numbers worked out by hand.

use pellucid_cloud::KdTree;

use super::*;

const FIT: Fit = Fit { sharpness: 5.0, pull: 0.1, rounded: 0.01, reach2: 100.0 };

#[test]
fn the_sparse_part_is_the_deviation_less_the_threshold() {
    assert_eq!(shrink(3.0, 1.0), 2.0);
    assert_eq!(shrink(-3.0, 1.0), -2.0);
    assert_eq!(shrink(0.5, 1.0), 0.0);
}

#[test]
fn a_point_goes_to_the_mean_of_its_estimates() {
    // Two above the plane z = 0 with weight 1, one beyond x = 0 with weight 3.
    let planes = [(2.0, [0.0, 0.0, 1.0], 1.0), (1.0, [1.0, 0.0, 0.0], 3.0)];
    assert_eq!(mean_step(planes.into_iter()), [-0.75, 0.0, -0.5]);
}

#[test]
fn every_neighborhood_of_a_point_is_found() {
    let points: Vec<Point> = (0..60).map(|i| [f64::from(i * i % 31), f64::from(i), 0.0]).collect();
    let table = KdTree::new(&points).knn_table(7);
    let owners = Owners::of(&table, points.len());
    for j in 0..points.len() {
        let has = |i: &u32| table.row(*i as usize).contains(&(j as u32));
        let expected: Vec<u32> = (0..60).filter(has).collect();
        assert_eq!(owners.of_point(j), expected);
    }
}

/// A point far off a flat grid hardly tilts the planes around it, which least squares do.
#[test]
fn a_gross_error_goes_into_the_sparse_part() {
    let mut points: Vec<Point> =
        (0..49).map(|i| [f64::from(i % 7), f64::from(i / 7), 0.0]).collect();
    points[10] = [3.0, 1.0, 1.5];
    let table = KdTree::new(&points).knn_table(20);
    let squares = FIT.first_planes(&points, &table);
    let mut planes = squares.clone();
    for _ in 0..ROUNDS {
        planes = FIT.without_sparse(&points, &table, &planes, 0.05);
    }
    // The height of the planes of a neighbor of the bad point, at itself.
    let height = |planes: &[Option<Plane>]| planes[9].unwrap().offset(points[9]).abs();
    assert!(height(&squares) > 0.05, "{}", height(&squares));
    assert!(height(&planes) < 0.3 * height(&squares), "{}", height(&planes));
}
