//! Heights between the points of a patch, against planes.

use pellucid_cloud::{KdTree, normals};

use super::super::{Origin, Uncovered};
use super::*;

#[test]
fn distances_of_links_that_lead_one_way_are_those_of_links_both_ways() {
    let at = |i: i32| {
        let (x, y) = (f64::from(i % 15), f64::from(i / 15));
        [x + 0.2 * (f64::from(i) * 0.7).sin(), y, 0.5 * (f64::from(i) * 1.3).sin()]
    };
    let points: Vec<Point> = (0..225).map(at).collect();
    let table = KdTree::new(&points).knn_table(9);
    let centers: Vec<u32> = (0..225).step_by(5).collect();
    let patches = Patches::build(&points, &table, &centers, 9, Origin::Mean, Uncovered::Leave);
    let of_points = normals::estimate_normals(&points, &table);
    let at: Vec<Point> = patches.centers().iter().map(|&c| of_points[c as usize]).collect();
    let few = TangentLinks::new(&points, &patches, &at, 4);
    // With all patches as neighbors every link leads both ways.
    let others = patches.len() - 1;
    let all = TangentLinks::new(&points, &patches, &at, others);
    let mut one_way = 0;
    for (link, &t) in few.graph.links().0.iter().enumerate() {
        let (s, t) = (link / 4, t as usize);
        let row = &all.graph.links().0[s * others..(s + 1) * others];
        let same = s * others + row.iter().position(|&x| x as usize == t).unwrap();
        assert_eq!(few.distance2[link], all.distance2[same]);
        assert_eq!(few.graph.slots(link), all.graph.slots(same));
        one_way +=
            usize::from(few.graph.links().0[4 * t..4 * t + 4].iter().all(|&x| x as usize != s));
    }
    assert!(one_way > 5 && one_way < 100, "{one_way}");
}

/// Points, one array a coordinate, filled up to whole lanes.
fn places(points: &[Point]) -> Places {
    let room = points.len().next_multiple_of(LANES);
    [0, 1, 2].map(|c| points.iter().map(|p| p[c]).chain([0.0; LANES]).take(room).collect())
}

/// The corners of one point.
fn corners(flat: &[Point], x: Point) -> Corners {
    let near = nearest_in_plane(&places(flat), flat.len(), &places(&[x]), 0);
    near.map(|(d2, at)| (d2[0], at[0] as usize))
}

#[test]
fn corners_are_the_nearest_in_the_plane_with_ties_by_place() {
    // Heights do not count, and many are equally far.
    let flat: Vec<Point> =
        (0..13).map(|i| [f64::from(i * 5 % 13 / 3), f64::from(i % 2), f64::from(i)]).collect();
    for x in [[0.0; 3], [2.0, 0.5, 9.0], [1.4, 3.0, 0.0], [4.0, 1.0, 0.0]] {
        let mut order: Vec<(f64, usize)> = (flat.iter().enumerate())
            .map(|(b, y)| ((x[0] - y[0]).powi(2) + (x[1] - y[1]).powi(2), b))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        assert_eq!(corners(&flat, x), [order[0], order[1], order[2]]);
    }
}

/// Over three points of `z = 1 + 2x - y`.
#[test]
fn the_plane_through_three_points_goes_on_beyond_them() {
    let z = |x: f64, y: f64| [x, y, 1.0 + 2.0 * x - y];
    let flat = [z(0.0, 0.0), z(1.0, 0.0), z(0.0, 2.0)];
    let x = [4.0, -3.0, 0.0];
    let near = corners(&flat, x);
    assert!((on_plane(&places(&flat), x, &near) - 12.0).abs() < 1e-12);
    // Inverse distances stay between the heights of the corners.
    assert!(interpolated(&places(&flat), x, &near) < 3.0);
    // On a line there is no plane.
    let line = [z(0.0, 0.0), z(1.0, 0.0), z(2.0, 0.0)];
    let near = corners(&line, x);
    assert_eq!(on_plane(&places(&line), x, &near), line[2][2]);
}

#[test]
fn the_normal_is_taken_about_the_origin_of_the_patch() {
    // A piece of the plane z = 3 seen from the origin spreads least across, not along z.
    let far: Vec<Point> =
        [[1.0, 0.1], [-1.0, 0.1], [1.0, -0.1], [-1.0, -0.1]].map(|[x, y]| [x, y, 3.0]).to_vec();
    assert!(normal_about_origin(&places(&far))[1].abs() > 0.999);
    let near: Vec<Point> = far.iter().map(|p| [p[0], p[1], 0.0]).collect();
    assert!(normal_about_origin(&places(&near))[2].abs() > 0.999);
}
