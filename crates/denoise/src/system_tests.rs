//! The point system against dense matrices written out from the definitions.

use pellucid_cloud::{KdTree, Point, vec3};

use super::*;
use crate::patch::{Origin, Uncovered};

struct Scene {
    points: Vec<Point>,
    patches: Patches,
    graph: PatchGraph,
}

fn scene() -> Scene {
    // A wavy strip with a little pseudo-noise.
    let points: Vec<Point> = (0..80)
        .map(|i| {
            let (x, y) = ((i % 10) as f64, (i / 10) as f64);
            let bump = f64::from((i * 7919 % 31) as u32) / 31.0 - 0.5;
            [x + 0.3 * bump, y - 0.2 * bump, 0.4 * (x * 0.7).sin() + 0.5 * bump]
        })
        .collect();
    let table = KdTree::new(&points).knn_table(6);
    let centers: Vec<u32> = (0..80).step_by(3).collect();
    let patches = Patches::build(&points, &table, &centers, 6, Origin::Mean, Uncovered::Leave);
    let graph = PatchGraph::link(&points, &patches, 4, false);
    Scene { points, patches, graph }
}

impl Scene {
    fn weighted(&self, laplacian: Laplacian) -> WeightedGraph<'_> {
        let weights: Vec<f64> = (0..self.graph.capacity())
            .map(|e| {
                let drop = self.graph.is_repeated(e) || e % 11 == 0;
                if drop { 0.0 } else { 0.2 + f64::from((e * 37 % 64) as u32) / 80.0 }
            })
            .collect();
        WeightedGraph::new(&self.patches, &self.graph, Weights::OfEdges(weights), laplacian)
    }

    /// L on nodes, dense.
    fn dense(&self, weighted: &WeightedGraph) -> Vec<Vec<f64>> {
        let n = self.patches.points_of_nodes().len();
        let mut w = vec![vec![0.0; n]; n];
        for e in 0..self.graph.capacity() {
            let value = weighted.weights.of(e / self.patches.size(), e);
            let Some((i, j)) = weighted.graph.edge(&self.patches, e) else { continue };
            w[i.node][j.node] += value;
            w[j.node][i.node] += value;
        }
        let d: Vec<f64> = w.iter().map(|row| row.iter().sum()).collect();
        (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| match weighted.laplacian {
                        Laplacian::Combinatorial => f64::from(u8::from(i == j)) * d[i] - w[i][j],
                        Laplacian::Normalized => {
                            let scale = (d[i] * d[j]).sqrt();
                            let off = if scale > 0.0 { w[i][j] / scale } else { 0.0 };
                            f64::from(u8::from(i == j)) - off
                        }
                    })
                    .collect()
            })
            .collect()
    }

    /// V = TY - C, dense.
    fn relative(&self, y: &[Point]) -> Vec<Point> {
        let size = self.patches.size();
        let nodes = self.patches.points_of_nodes().iter().enumerate();
        nodes.map(|(i, &p)| vec3::sub(y[p as usize], self.patches.origins()[i / size])).collect()
    }
}

#[test]
fn system_equals_the_dense_one() {
    let scene = scene();
    for laplacian in [Laplacian::Combinatorial, Laplacian::Normalized] {
        let weighted = scene.weighted(laplacian);
        let system = weighted.assemble(&scene.points).unwrap();
        let l = scene.dense(&weighted);
        let of = scene.patches.points_of_nodes();
        let n = scene.points.len();

        let mut a = vec![vec![0.0; n]; n];
        let mut pull = vec![[0.0; 3]; n];
        let v = scene.relative(&scene.points);
        for i in 0..of.len() {
            for j in 0..of.len() {
                a[of[i] as usize][of[j] as usize] += l[i][j];
                let p = of[i] as usize;
                pull[p] = vec3::sub(pull[p], vec3::scale(v[j], l[i][j]));
            }
        }
        let x: Vec<Point> = (0..n).map(|i| [i as f64, (i * i % 17) as f64, 1.0]).collect();
        let mut ours = vec![[0.0; 3]; n];
        let gamma = 0.7;
        system.apply(gamma, &x, &mut ours);
        for p in 0..n {
            assert!((system.diagonal()[p] - a[p][p]).abs() < 1e-12);
            assert!(vec3::norm(vec3::sub(system.pull()[p], pull[p])) < 1e-12);
            let expected =
                (0..n).fold(x[p], |sum, q| vec3::add(sum, vec3::scale(x[q], gamma * a[p][q])));
            assert!(vec3::norm(vec3::sub(ours[p], expected)) < 1e-10, "{laplacian:?} row {p}");
        }
    }
}

#[test]
fn weights_of_links_are_those_of_their_edges_with_each_pair_once() {
    let mut scene = scene();
    let weight =
        |link: usize| if link.is_multiple_of(7) { 0.0 } else { 0.1 + 0.01 * (link % 50) as f64 };
    let size = scene.patches.size();
    let of_edges = (0..scene.graph.capacity())
        .map(|e| if scene.graph.is_repeated(e) { 0.0 } else { weight(e / size) })
        .collect();
    let kind = Laplacian::Combinatorial;
    let one = WeightedGraph::new(&scene.patches, &scene.graph, Weights::OfEdges(of_edges), kind);
    let (count, one) = (one.len(), one.assemble(&scene.points).unwrap());
    let of_links = (0..scene.graph.capacity() / size).map(weight).collect();
    scene.graph.leave_out_repeated();
    let two = WeightedGraph::new(&scene.patches, &scene.graph, Weights::OfLinks(of_links), kind);
    assert!(count < scene.graph.capacity() * 6 / 7 && two.len() == count);
    let two = two.assemble(&scene.points).unwrap();
    let x: Vec<Point> = (0..80).map(|i| [f64::from(i), f64::from(i * i % 17), 1.0]).collect();
    let (mut a, mut b) = (x.clone(), x.clone());
    one.apply(0.7, &x, &mut a);
    two.apply(0.7, &x, &mut b);
    assert_eq!((a, one.pull(), one.diagonal()), (b, two.pull(), two.diagonal()));
}

#[test]
fn energy_equals_its_definition() {
    let scene = scene();
    for laplacian in [Laplacian::Combinatorial, Laplacian::Normalized] {
        let weighted = scene.weighted(laplacian);
        let l = scene.dense(&weighted);
        let y: Vec<Point> = scene.points.iter().map(|p| [p[0] + 0.1, p[1], 0.5 * p[2]]).collect();
        let v = scene.relative(&y);
        let mut expected: f64 =
            y.iter().zip(&scene.points).map(|(&y, &p)| vec3::distance2(y, p)).sum();
        for i in 0..v.len() {
            for j in 0..v.len() {
                expected += 0.3 * l[i][j] * vec3::dot(v[i], v[j]);
            }
        }
        let ours = weighted.energy(&y, &scene.points, 0.3);
        assert!((ours - expected).abs() < 1e-11 * expected.abs(), "{ours} {expected}");
    }
}

#[test]
fn moving_centers_equal_the_dense_matrix() {
    let mut scene = scene();
    let table = KdTree::new(&scene.points).knn_table(6);
    let centers: Vec<u32> = (0..80).step_by(3).collect();
    let (origin, rule) = (Origin::MovingCenter, Uncovered::Leave);
    scene.patches = Patches::build(&scene.points, &table, &centers, 6, origin, rule);
    scene.graph = PatchGraph::link(&scene.points, &scene.patches, 4, false);
    let n = scene.points.len();
    let of = scene.patches.points_of_nodes();
    // T - S, dense.
    let t: Vec<Vec<f64>> = (of.iter().enumerate())
        .map(|(node, &p)| {
            let mut row = vec![0.0; n];
            row[p as usize] += 1.0;
            row[scene.patches.centers()[node / 6] as usize] -= 1.0;
            row
        })
        .collect();
    let x: Vec<Point> = (0..n).map(|i| [i as f64, (i * i % 17) as f64, 1.0]).collect();
    for laplacian in [Laplacian::Combinatorial, Laplacian::Normalized] {
        let weighted = scene.weighted(laplacian);
        let l = scene.dense(&weighted);
        let system = MovingCenters::new(&weighted, n).unwrap();
        let mut a = vec![vec![0.0; n]; n];
        for (t_i, l_i) in t.iter().zip(&l) {
            for (t_j, l_ij) in t.iter().zip(l_i).filter(|(_, l)| **l != 0.0) {
                for p in (0..n).filter(|&p| t_i[p] != 0.0) {
                    (0..n).for_each(|q| a[p][q] += t_i[p] * l_ij * t_j[q]);
                }
            }
        }
        let mut ours = vec![[0.0; 3]; n];
        system.apply(&x, &mut ours);
        let mut diagonal = vec![0.0; n];
        system.diagonal(&mut diagonal);
        let mut energy = 0.0;
        for p in 0..n {
            let ax = (0..n).fold([0.0; 3], |sum, q| vec3::add(sum, vec3::scale(x[q], a[p][q])));
            assert!(vec3::norm(vec3::sub(ours[p], ax)) < 1e-9, "{laplacian:?} row {p}");
            assert!((diagonal[p] - a[p][p]).abs() < 1e-10, "{laplacian:?} diagonal {p}");
            energy += vec3::distance2(x[p], scene.points[p]) + 0.3 * vec3::dot(x[p], ax);
        }
        let ours = weighted.energy(&x, &scene.points, 0.3);
        assert!((ours - energy).abs() < 1e-11 * energy, "{ours} {energy}");
    }
}

#[test]
fn edges_that_do_not_fit_into_32_bits_are_an_error() {
    assert!(check_edges(u32::MAX as usize).is_ok());
    let fault = check_edges(u32::MAX as usize + 1).unwrap_err();
    assert!(matches!(fault, DenoiseError::TooManyEdges { edges: 4_294_967_296 }));
    assert!(fault.to_string().contains("4294967296 edges"), "{fault}");
}
