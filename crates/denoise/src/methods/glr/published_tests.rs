//! The published weights and strengths against numbers worked out by hand.

use pellucid_cloud::PointCloud;

use super::*;
use crate::frame::Unit;
use crate::parameters::Parameters;

#[test]
fn strengths_are_those_of_the_program_at_its_levels() {
    for (level, b) in [(0.02, 4.0), (0.03, 7.0), (0.04, 12.0)] {
        assert!((slowness(level) - b).abs() < 0.08, "{level}: {}", slowness(level));
    }
    assert_eq!(slowness(0.5), slowness(0.1));
}

#[test]
fn weights_are_truncated_and_divided_by_the_roots_of_degrees() {
    // A wavy grid, so that patches differ.
    let at = |i: i32| [f64::from(i % 20), f64::from(i / 20), (f64::from(i) * 0.7).sin()];
    let cloud = PointCloud::new((0..400).map(at).collect());
    let frame = LocalFrame::enter(&cloud, Unit::Spacing, "glr", 4).unwrap();
    let p = Glr::preset("paper").unwrap();
    let published = Published::new(&frame, &p, 9, 0.1);
    assert_eq!(published.patches().len(), 200);
    let links = published.links(&frame, frame.points(), 15);
    // Wide enough that no weight vanishes.
    let weights = published.weights(1, &links, 10.0);

    let (graph, size) = (&links.graph, 9);
    let edges = |edge: usize| graph.edge(published.patches(), edge).unwrap();
    // Back to units of the file.
    let d2 = |edge: usize| links.distance2[edge / size] * frame.unit() * frame.unit();
    let raw = |edge: usize| {
        let d2 = d2(edge);
        let kept = d2 <= 0.5 && !graph.is_repeated(edge);
        if kept { (-d2 / (2.0 * 0.7 * 0.7)).exp() } else { 0.0 }
    };
    let mut degree = vec![0.0; 200 * size];
    for edge in 0..graph.capacity() {
        let (i, j) = edges(edge);
        degree[i.node] += raw(edge);
        degree[j.node] += raw(edge);
    }
    let (mut linked, mut dropped) = (0, 0);
    for (edge, &w) in weights.iter().enumerate() {
        let (i, j) = edges(edge);
        let expected = raw(edge) / (degree[i.node] * degree[j.node]).sqrt();
        if raw(edge) > 0.0 {
            assert!((w - expected).abs() < 1e-12, "{w} {expected}");
            linked += 1;
        } else {
            assert_eq!(w, 0.0);
            dropped += usize::from(d2(edge) > 0.5);
        }
    }
    assert!(linked > 1000 && dropped > 100, "{linked} {dropped}");
}
