use pellucid_cloud::{KdTree, Point, vec3};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::patch::Apart;

fn scene() -> (Vec<Point>, Patches, PatchGraph, Vec<f32>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut draw = |scale: f64| scale * rng.random::<f64>();
    let points: Vec<Point> = (0..120).map(|_| [draw(10.0), draw(10.0), draw(0.5)]).collect();
    let normals = vec![[0.0, 0.0, 1.0]; points.len()];
    let apart = Apart { normals: &normals, sided: None, per_normal: 1.0 };
    let centers: Vec<u32> = (0..120).step_by(4).collect();
    let patches = Patches::cover(&points, &KdTree::new(&points), &centers, 7, (20, 1), apart, None);
    let graph = PatchGraph::link_flat(&points, &patches, 5, apart, 0.5);
    let weights = (0..graph.links().0.len() * 7).map(|i| 0.1 + (i % 5) as f32 * 0.2).collect();
    (points, patches, graph, weights)
}

/// The Laplacian of points and the pull, written out edge by edge.
fn dense(
    points: &[Point],
    patches: &Patches,
    graph: &PatchGraph,
    weights: &[f32],
) -> (Vec<Vec<f64>>, Vec<Point>) {
    let n = points.len();
    let (mut a, mut pull) = (vec![vec![0.0; n]; n], vec![[0.0; 3]; n]);
    let (links, degree) = graph.links();
    for (link, &t) in links.iter().enumerate().filter(|(_, t)| **t != NONE) {
        let (s, t) = (link / degree, t as usize);
        for (place, &slot) in graph.slots(link).iter().enumerate() {
            let w = f64::from(weights[link * patches.size() + place]);
            let p = patches.members(s)[place] as usize;
            let q = patches.members(t)[slot as usize] as usize;
            let d = vec3::sub(
                vec3::sub(points[q], patches.origins()[t]),
                vec3::sub(points[p], patches.origins()[s]),
            );
            pull[p] = vec3::add(pull[p], vec3::scale(d, w));
            pull[q] = vec3::sub(pull[q], vec3::scale(d, w));
            a[p][p] += w;
            a[q][q] += w;
            a[p][q] -= w;
            a[q][p] -= w;
        }
    }
    (a, pull)
}

/// Of all points.
fn sums(system: &Pull, points: &[Point], origins: bool) -> Vec<[f64; 4]> {
    let mut nodes = Vec::new();
    system.sums(points, origins, &mut nodes);
    (0..points.len()).map(|i| system.of_point(i, &nodes)).collect()
}

#[test]
fn sums_are_those_of_the_laplacian() {
    let (points, patches, graph, weights) = scene();
    let (a, pull) = dense(&points, &patches, &graph, &weights);
    let system = Pull::new(points.len(), &patches, &graph, weights);
    let with = sums(&system, &points, true);
    let without = sums(&system, &points, false);
    for i in 0..points.len() {
        for c in 0..3 {
            let product: f64 = (0..points.len()).map(|j| a[i][j] * points[j][c]).sum();
            assert!((with[i][c + 1] - pull[i][c]).abs() < 1e-9);
            assert!((without[i][c + 1] + product).abs() < 1e-9);
        }
    }
}

#[test]
fn nothing_is_gained_or_lost() {
    let (points, patches, graph, weights) = scene();
    let system = Pull::new(points.len(), &patches, &graph, weights);
    let total = sums(&system, &points, true)
        .iter()
        .fold([0.0; 3], |sum, s| vec3::add(sum, [s[1], s[2], s[3]]));
    assert!(vec3::norm(total) < 1e-9);
}

#[test]
fn sweeps_come_closer_to_the_solution_than_one_step() {
    let (points, patches, graph, weights) = scene();
    let (a, pull) = dense(&points, &patches, &graph, &weights);
    let gamma = 0.2;
    let residual = |y: &[Point]| -> f64 {
        let x: Vec<Point> = y.iter().zip(&points).map(|(&y, &p)| vec3::sub(y, p)).collect();
        let row = |i: usize| {
            let ax = (0..x.len())
                .fold([0.0; 3], |sum, j| vec3::add(sum, vec3::scale(x[j], gamma * a[i][j])));
            vec3::sub(vec3::scale(pull[i], gamma), vec3::add(x[i], ax))
        };
        (0..x.len()).map(|i| vec3::dot(row(i), row(i))).sum::<f64>().sqrt()
    };
    let moved = Pull::new(points.len(), &patches, &graph, weights).solve(&points, gamma, 4);
    assert!(
        residual(&moved) < 0.35 * residual(&points),
        "{}",
        residual(&moved) / residual(&points)
    );
}
