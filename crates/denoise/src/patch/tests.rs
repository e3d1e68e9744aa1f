//! Patches and counterparts against brute force.

use std::collections::HashSet;

use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{KdTree, NeighborTable, Point, vec3};

use super::{Origin, PatchGraph, Patches, Uncovered};

pub fn noisy_torus(count: usize) -> (Vec<Point>, NeighborTable) {
    let clean = Shape::Torus.sample(count, 3);
    let points = add_noise(&clean, NoiseModel::Gaussian, 0.03, 4).unwrap().into_positions();
    let table = KdTree::new(&points).knn_table(12);
    (points, table)
}

fn every(step: usize, count: usize) -> Vec<u32> {
    (0..count as u32).step_by(step).collect()
}

#[test]
fn patches_are_the_nearest_points() {
    let (points, table) = noisy_torus(300);
    let patches =
        Patches::build(&points, &table, &every(3, 300), 9, Origin::Mean, Uncovered::Leave);
    for s in 0..patches.len() {
        let c = points[patches.centers()[s] as usize];
        let mut all: Vec<u32> = (0..300).collect();
        all.sort_by(|&a, &b| {
            let d = |i: u32| vec3::distance2(points[i as usize], c);
            d(a).total_cmp(&d(b)).then(a.cmp(&b))
        });
        assert_eq!(patches.members(s), &all[..9]);
        let mean = all[..9].iter().fold([0.0; 3], |m, &i| vec3::add(m, points[i as usize]));
        let off = vec3::norm(vec3::sub(vec3::scale(mean, 1.0 / 9.0), patches.origins()[s]));
        assert!(off < 1e-15);
    }
}

#[test]
fn extra_patches_cover_every_point() {
    let (points, table) = noisy_torus(400);
    let few = every(40, 400);
    let left = Patches::build(&points, &table, &few, 9, Origin::Center, Uncovered::Leave);
    let full = Patches::build(&points, &table, &few, 9, Origin::Center, Uncovered::ExtraPatches);
    let covered = |p: &Patches| p.points_of_nodes().iter().collect::<HashSet<_>>().len();
    assert_eq!(covered(&left), 400 - left.uncovered());
    assert!(left.uncovered() > 0 && left.uncovered() == full.uncovered());
    assert_eq!(covered(&full), 400);
}

#[test]
fn an_outlier_gets_no_patch() {
    let (mut points, _) = noisy_torus(200);
    points.push([1e6, 0.0, 0.0]);
    let table = KdTree::new(&points).knn_table(9);
    let patches =
        Patches::build(&points, &table, &every(2, 201), 9, Origin::Mean, Uncovered::ExtraPatches);
    assert!(!patches.points_of_nodes().contains(&200));
}

#[test]
fn a_center_among_many_duplicates_is_in_its_patch() {
    let points = vec![[0.5; 3]; 20];
    let table = KdTree::new(&points).knn_table(5);
    let patches = Patches::build(&points, &table, &[19], 5, Origin::Center, Uncovered::Leave);
    assert!(patches.members(0).contains(&19));
}

#[test]
fn counterparts_are_nearest_in_patch_coordinates() {
    let (points, table) = noisy_torus(300);
    let patches =
        Patches::build(&points, &table, &every(3, 300), 9, Origin::Mean, Uncovered::Leave);
    let graph = PatchGraph::link(&points, &patches, 4, false);
    let at = |patch: usize, place: usize| {
        let p = points[patches.members(patch)[place] as usize];
        vec3::sub(p, patches.origins()[patch])
    };
    for edge in 0..graph.capacity() {
        let (i, j) = graph.edge(&patches, edge).unwrap();
        assert_ne!(i.patch, j.patch);
        let v = at(i.patch, i.node % 9);
        let best = (0..9).map(|b| vec3::distance2(v, at(j.patch, b))).fold(f64::MAX, f64::min);
        assert_eq!(vec3::distance2(v, at(j.patch, j.node % 9)), best);
    }
}

#[test]
fn each_pair_counts_once() {
    let (points, table) = noisy_torus(300);
    let patches =
        Patches::build(&points, &table, &every(3, 300), 9, Origin::Mean, Uncovered::Leave);
    for intra in [false, true] {
        let graph = PatchGraph::link(&points, &patches, 5, intra);
        let (mut all, mut kept) = (HashSet::new(), Vec::new());
        for edge in 0..graph.capacity() {
            let (i, j) = graph.edge(&patches, edge).unwrap();
            let pair = (i.node.max(j.node), i.node.min(j.node));
            all.insert(pair);
            if !graph.is_repeated(edge) {
                kept.push(pair);
            }
        }
        assert_eq!(kept.len(), all.len());
        assert_eq!(kept.into_iter().collect::<HashSet<_>>(), all);
        assert_eq!(all.iter().any(|(a, b)| a / 9 == b / 9), intra);
    }
}
