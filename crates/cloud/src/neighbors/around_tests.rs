use super::tests::{brute, queries, sets};
use super::*;

/// What was found, in order, after checking that offsets and distances go with the indices.
fn found(around: &Around, points: &[Point], q: Point, name: &str) -> Vec<Neighbor> {
    let mut out = Vec::new();
    for ((&index, &distance2), d) in
        around.indices().iter().zip(around.distances2()).zip(around.points())
    {
        assert_eq!(d, vec3::sub(points[index as usize], q), "{name}");
        out.push(Neighbor { index, distance2 });
    }
    out.sort_by(Neighbor::order);
    out
}

/// Queries, some in an order in which the copy can be used again, and what sorting finds.
fn truths(points: &[Point]) -> Vec<(Point, Vec<Neighbor>)> {
    let near = points.iter().take(60).copied();
    queries(points).into_iter().chain(near).map(|q| (q, brute(points, q))).collect()
}

#[test]
fn the_nearest_are_those_of_brute_force() {
    for (name, points) in sets() {
        let (tree, truths) = (KdTree::new(&points), truths(&points));
        for k in [0, 1, 2, 7, 16, 33, 400, 5000] {
            let mut around = tree.around(&points);
            for (q, truth) in &truths {
                around.nearest(*q, k);
                let truth = &truth[..k.min(truth.len())];
                assert_eq!(found(&around, &points, *q, name), truth, "{name}, k = {k}");
            }
        }
    }
}

#[test]
fn balls_are_those_of_brute_force() {
    for (name, points) in sets() {
        let (tree, truths) = (KdTree::new(&points), truths(&points));
        for radius in [-1.0, 0.0, 1e-7, 0.1, 0.5, 3.0, 1e6] {
            let mut around = tree.around(&points);
            for (i, (q, truth)) in truths.iter().enumerate() {
                let radius = radius * [1.0, 0.7][i % 2];
                around.ball(*q, radius);
                let within = |n: &&Neighbor| radius >= 0.0 && n.distance2 <= radius * radius;
                let truth: Vec<Neighbor> = truth.iter().take_while(within).copied().collect();
                assert_eq!(found(&around, &points, *q, name), truth, "{name}, radius {radius}");
                for most in [1, 40] {
                    around.ball_of(*q, radius, most);
                    let truth = &truth[..most.min(truth.len())];
                    assert_eq!(found(&around, &points, *q, name), truth, "{name}, {most}");
                }
            }
        }
    }
}

#[test]
fn a_heap_of_points_is_not_copied_out() {
    let mut points = vec![[0.0; 3]; 5000];
    points.extend((1..=20).map(|i| [i as f64, 0.0, 0.0]));
    let tree = KdTree::new(&points);
    let mut around = tree.around(&points);
    for q in [[0.0; 3], [0.1, 0.0, 0.0], [0.0; 3]] {
        around.ball_of(q, 3.0, 8);
        assert_eq!(found(&around, &points, q, "heap"), brute(&points, q)[..8]);
        around.nearest(q, 8);
        assert_eq!(found(&around, &points, q, "heap"), brute(&points, q)[..8]);
    }
    assert!(around.copied.len() < 1200);
}
