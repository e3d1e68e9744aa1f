use pellucid_cloud::{KdTree, Point, vec3};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

/// A noisy floor with normals straight up.
fn floor() -> (Vec<Point>, Vec<Point>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let points: Vec<Point> = (0..400)
        .map(|_| [20.0 * rng.random::<f64>(), 20.0 * rng.random::<f64>(), rng.random::<f64>()])
        .collect();
    let normals = vec![[0.0, 0.0, 1.0]; points.len()];
    (points, normals)
}

fn linked(height: f64) -> (Vec<Point>, Patches, PatchGraph) {
    let (points, normals) = floor();
    let sided = vec![false; points.len()];
    let apart = Apart { normals: &normals, sided: Some(&sided), per_normal: 1.0 };
    let centers: Vec<u32> = (0..400).step_by(7).collect();
    let patches =
        Patches::cover(&points, &KdTree::new(&points), &centers, 11, (30, 1), apart, None);
    let graph = PatchGraph::link_flat(&points, &patches, 6, apart, height);
    (points, patches, graph)
}

#[test]
fn every_point_is_in_a_patch_and_centers_are_in_theirs() {
    let (points, patches, _) = linked(1.0);
    let mut covered = vec![false; points.len()];
    patches.points_of_nodes().iter().for_each(|&p| covered[p as usize] = true);
    assert!(covered.iter().all(|c| *c));
    for (s, c) in patches.centers().iter().enumerate() {
        assert!(patches.members(s).contains(c));
    }
}

#[test]
fn counterparts_are_the_nearest_by_brute_force() {
    for height in [1.0, 0.5, 0.0] {
        let (points, patches, graph) = linked(height);
        let (links, degree) = graph.links();
        let place = |s: usize, a: usize| {
            let v = vec3::sub(points[patches.members(s)[a] as usize], patches.origins()[s]);
            [v[0], v[1], height * v[2]]
        };
        for (link, &t) in links.iter().enumerate().filter(|(_, t)| **t != NONE) {
            let s = link / degree;
            for (a, &slot) in graph.slots(link).iter().enumerate() {
                let d = |b: usize| vec3::distance2(place(s, a), place(t as usize, b));
                let best = (0..patches.size()).map(d).fold(f64::INFINITY, f64::min);
                assert!(d(slot as usize) <= best * (1.0 + 1e-5) + 1e-9, "{s} {t} {a}");
            }
        }
    }
}

#[test]
fn signs_count_only_where_they_mean_something() {
    let normals = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let apart = |sided| Apart { normals: &normals, sided, per_normal: 1.0 };
    assert_eq!(apart(None).distance2(0.0, 0, 1), 4.0);
    assert_eq!(apart(Some(&[true, true])).distance2(0.0, 0, 1), 4.0);
    assert_eq!(apart(Some(&[true, false])).distance2(0.0, 0, 1), 0.0);
}
