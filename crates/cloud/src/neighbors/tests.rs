use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

pub(crate) fn random(n: usize, seed: u64) -> Vec<Point> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..n).map(|_| std::array::from_fn(|_| rng.random_range(-1.0..1.0))).collect()
}

/// Point sets on which trees go wrong, by name.
pub(crate) fn sets() -> Vec<(&'static str, Vec<Point>)> {
    let base = random(900, 7);
    let grid: Vec<Point> =
        (0..1000).map(|i| [(i % 10) as f64, (i / 10 % 10) as f64, (i / 100) as f64]).collect();
    let utm = |s: f64| move |p: &Point| [5e5 + s * p[0], 4e6 + s * p[1], 300.0 + s * p[2]];
    let mut holes = base.clone();
    for i in (0..holes.len()).step_by(7) {
        holes[i][i % 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][i % 2];
    }
    let mut signs = grid.clone();
    signs.iter_mut().step_by(2).for_each(|p| *p = p.map(|x| -x));
    vec![
        ("random", base.clone()),
        ("grid", grid.clone()),
        ("line", base.iter().map(|p| [p[0], 2.0 * p[0], -p[0]]).collect()),
        ("axis", (0..777).map(|i| [0.0, (i * 31 % 777) as f64, 0.0]).collect()),
        ("planar", base.iter().map(|p| [p[0], p[1], 0.25]).collect()),
        (
            "clustered",
            base.iter().enumerate().map(|(i, p)| p.map(|x| x * 1e-6 + (i % 5) as f64)).collect(),
        ),
        ("duplicated", base.iter().map(|p| p.map(|x| (x * 3.0).round())).collect()),
        ("identical", vec![[1.5, -2.5, 3.5]; 700]),
        ("far offset", base.iter().map(utm(0.1)).collect()),
        ("far grid", grid.iter().map(utm(1e-3)).collect()),
        ("not finite", holes),
        ("signed zeros", signs),
        ("overflowing", base.iter().map(|p| p.map(|x| x * 1.5e308)).collect()),
        ("underflowing", base.iter().map(|p| p.map(|x| x * 1e-170)).collect()),
        ("outlier", base.iter().copied().chain([[1e9, 0.0, 0.0]]).collect()),
        ("two", base[..2].to_vec()),
        ("one leaf", base[..16].to_vec()),
        ("leaf and one", base[..17].to_vec()),
        ("empty", Vec::new()),
    ]
}

pub(super) fn brute(points: &[Point], q: Point) -> Vec<Neighbor> {
    let mut all: Vec<Neighbor> = (0..points.len())
        .filter(|&i| vec3::is_finite(points[i]) && vec3::is_finite(q))
        .map(|i| Neighbor { index: i as u32, distance2: vec3::distance2(points[i], q) })
        .collect();
    all.sort_by(|a, b| a.distance2.total_cmp(&b.distance2).then(a.index.cmp(&b.index)));
    all
}

/// Some of the points, places near them, and places far from all of them.
pub(super) fn queries(points: &[Point]) -> Vec<Point> {
    let own = points.iter().step_by(23).copied();
    let near = points.iter().step_by(41).map(|p| [p[0] * 1.01, p[1], p[2] - 0.1]);
    own.chain(near).chain([[0.0; 3], [9.0, -9.0, 9.0], [f64::NAN, 0.0, 0.0]]).collect()
}

#[test]
fn nearest_neighbors_are_those_of_brute_force() {
    let mut found = Vec::new();
    for (name, points) in sets() {
        let tree = KdTree::new(&points);
        for q in queries(&points) {
            let truth = brute(&points, q);
            assert_eq!(tree.nearest(q), truth.first().copied(), "{name}");
            for k in [0, 1, 2, 7, 16, 33, 100, 400, 5000] {
                tree.knn_into(q, k, &mut found);
                assert_eq!(found, truth[..k.min(truth.len())], "{name}, k = {k}");
            }
        }
    }
}

#[test]
fn radius_search_is_that_of_brute_force() {
    let mut found = Vec::new();
    for (name, points) in sets() {
        let tree = KdTree::new(&points);
        for q in queries(&points) {
            let truth = brute(&points, q);
            // Radii on a point, between points, and beyond all.
            let on = truth.get(truth.len() / 9).map_or(1.0, |n| n.distance2.sqrt());
            for r in [0.0, on, 0.3, 1.0, 2.0, 1e7, f64::INFINITY, -1.0, f64::NAN] {
                tree.radius_into(q, r, &mut found);
                let inside = truth.iter().filter(|n| r >= 0.0 && n.distance2 <= r * r).count();
                assert_eq!(found, truth[..inside], "{name}, radius {r}");
            }
        }
    }
}

#[test]
fn tables_are_those_of_brute_force() {
    for (name, points) in sets() {
        let tree = KdTree::new(&points);
        let nearest = tree.nearest_of(&points);
        for k in [0, 1, 5, 16, 40, 120, 2000] {
            let own = tree.knn_table(k);
            assert_eq!(own, tree.knn_of(&points, k), "{name}, k = {k}");
            assert_eq!(own.k(), k.min(tree.len()));
            let step = if k > 40 { 23 } else { 3 };
            for i in (0..points.len()).step_by(step).filter(|_| own.k() > 0) {
                let truth = brute(&points, points[i]);
                if truth.is_empty() {
                    assert!(own.row(i).iter().all(|&j| j == u32::MAX), "{name}");
                    assert!(own.distances2(i).iter().all(|&d| d == f64::INFINITY), "{name}");
                    assert_eq!(nearest[i], Neighbor::NONE);
                } else {
                    let truth = &truth[..own.k()];
                    assert_eq!(nearest[i], truth[0], "{name}");
                    let row = own.row(i).iter().zip(own.distances2(i));
                    assert!(row.eq(truth.iter().map(|n| (&n.index, &n.distance2))), "{name}, {k}");
                }
            }
        }
    }
}

#[test]
fn many_identical_points_are_not_quadratic() {
    let n = 100_000;
    let tree = KdTree::new(&vec![[0.1, 0.2, 0.3]; n]);
    let table = tree.knn_table(16);
    for i in [0, 1, n / 2, n - 1] {
        assert!(table.row(i).iter().copied().eq(0..16));
        assert_eq!(table.distances2(i), [0.0; 16]);
    }
}

#[test]
fn threads_do_not_change_anything() {
    let points: Vec<Point> = random(20_000, 3).iter().map(|p| [p[0], p[1], p[0] * p[1]]).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let tree = KdTree::new(&points);
            let order: Vec<u32> = tree.leaf_order().collect();
            (order, tree.knn_table(16), tree.knn_of(&points[..5000], 9), tree.nearest_of(&points))
        })
    };
    let (one, two) = (run(1), run(2));
    assert!(one == two);
    let mut sorted = one.0;
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..20_000), "leaf order is a permutation");
}

#[test]
fn a_visitor_can_stop() {
    let points = random(500, 1);
    let mut seen = 0;
    KdTree::new(&points).within([0.0; 3], 10.0, |_| {
        seen += 1;
        seen < 5
    });
    assert_eq!(seen, 5);
}

/// Neighboring leaves of very different density, heaps of duplicates, ties and outliers: what
/// makes guessed radii wrong and groups of leaves too large. Single queries are the yardstick.
#[test]
fn uneven_density_is_exact() {
    let mut points: Vec<Point> = random(3000, 21);
    points.extend(random(3000, 22).iter().map(|p| p.map(|x| 1e-4 * x)));
    points.extend(random(3000, 23).iter().map(|p| p.map(|x| (4.0 * x).round() / 4.0)));
    points.extend((0..3000).map(|i| [0.5, 0.5, (i / 1000) as f64 * 1e-12]));
    points.extend(random(40, 24).iter().map(|p| p.map(|x| 1e6 * x)));
    let tree = KdTree::new(&points);
    for k in [1, 16, 50, 300] {
        let table = tree.knn_table(k);
        assert!(table == tree.knn_of(&points, k), "k = {k}");
        // Rows without their distances, and those of some points only.
        let (rows, last) = tree.neighbor_rows(k, |d2| d2[k - 1]);
        let some: Vec<u32> = (0..points.len() as u32).rev().step_by(7).collect();
        let of_some = tree.knn_of_own(&some, k);
        for (at, &i) in some.iter().enumerate() {
            let i = i as usize;
            assert_eq!(of_some.row(at), table.row(i));
            assert_eq!(of_some.distances2(at), table.distances2(i));
            assert_eq!(rows[i * k..(i + 1) * k], *table.row(i));
            assert_eq!(last[i], table.distances2(i)[k - 1]);
        }
    }
}

/// A search that visited every coincident point would take minutes.
#[test]
fn coincident_points_are_not_searched_one_by_one() {
    const HALF: usize = 100_000;
    let mut points = random(HALF, 3);
    points.extend(vec![[0.0; 3]; HALF]);
    let tree = KdTree::new(&points);
    let table = tree.knn_table(13);
    let first: Vec<u32> = (0..13).map(|i| (HALF + i) as u32).collect();
    assert!((HALF..2 * HALF).all(|i| table.row(i) == first));
    let queries: Vec<Point> = (0..HALF).map(|i| [1e-9 * i as f64, 0.0, 0.0]).collect();
    assert!(tree.nearest_of(&queries).iter().all(|n| n.index as usize <= HALF));
    let mut around = tree.around(&points);
    for &q in &queries {
        around.ball_of(q, 1e-3, 24);
        assert_eq!(around.len(), 24);
        let mut count = 0;
        tree.within(q, 1e-3, |_| {
            count += 1;
            count < 6
        });
        assert_eq!(count, 6);
    }
    let lone = KdTree::new(&points[HALF..]).knn_table(33);
    assert_eq!(lone.row(HALF - 1), (0..33).collect::<Vec<u32>>());
}
