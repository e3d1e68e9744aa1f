use super::tests::random;
use super::*;
use crate::vec3::{Point, add, cross, distance2, dot, norm, scale, sub};

/// Triangles of all sizes and shapes, unconnected.
pub(super) fn soup(count: usize, seed: u64) -> TriangleMesh {
    let (places, sides) = (random(count, seed), random(2 * count, seed + 1));
    let mut vertices = Vec::new();
    for (t, &p) in places.iter().enumerate() {
        let size = 10f64.powi(-(t as i32 % 4));
        let side = |k: usize| scale(sub(sides[2 * t + k], [0.5; 3]), size);
        vertices.extend([p, add(p, side(0)), add(p, side(1))]);
    }
    let triangles = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriangleMesh { vertices, triangles }
}

fn corners(mesh: &TriangleMesh) -> Vec<[Point; 3]> {
    mesh.triangles.iter().map(|t| t.map(|v| mesh.vertices[v as usize])).collect()
}

#[test]
fn the_closest_point_is_optimal_and_in_the_triangle() {
    let mesh = soup(300, 20);
    let queries = random(300, 22);
    for (t, &p) in corners(&mesh).iter().zip(&queries) {
        let q = closest_on_triangle(p, t);
        let size = norm(sub(t[1], t[0])).max(norm(sub(t[2], t[0])));
        // In a convex set q is the closest point exactly if no corner lies on p's side of q.
        for &corner in t {
            assert!(dot(sub(p, q), sub(corner, q)) <= 1e-12 * size, "{p:?} {t:?} {q:?}");
        }
        // In the triangle: the three parts around q add up to the whole.
        let area = |a: Point, b: Point, c: Point| norm(cross(sub(b, a), sub(c, a)));
        let parts = area(q, t[0], t[1]) + area(q, t[1], t[2]) + area(q, t[2], t[0]);
        assert!((parts - area(t[0], t[1], t[2])).abs() <= 1e-12 * size);
    }
}

#[test]
fn triangles_without_area_are_segments_and_points() {
    let line = [[0.0; 3], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]];
    assert_eq!(closest_on_triangle([4.0, 4.0, 4.5], &line), [3.0; 3]);
    let middle = closest_on_triangle([2.0, 3.0, 1.0], &line);
    assert!(distance2(middle, [2.0; 3]) < 1e-28);
    let dot = [[1.0, 2.0, 3.0]; 3];
    assert_eq!(closest_on_triangle([0.0; 3], &dot), [1.0, 2.0, 3.0]);
}

#[test]
fn both_directions_agree_with_every_pair() {
    let mesh = soup(500, 30);
    let points = random(400, 32);
    let all = corners(&mesh);
    let d2 = |p: Point, t: &[Point; 3]| distance2(p, closest_on_triangle(p, t));
    let to_mesh: Vec<f64> = points
        .iter()
        .map(|&p| all.iter().map(|t| d2(p, t)).fold(f64::INFINITY, f64::min))
        .collect();
    let faces: Vec<f64> = all
        .iter()
        .map(|t| points.iter().map(|&p| d2(p, t)).fold(f64::INFINITY, f64::min))
        .collect();
    let index = MeshIndex::new(&mesh).unwrap();
    assert_eq!(index.distances2(&points), to_mesh);
    assert_eq!(index.face_distances2(&points), faces);

    let mean = |d: Vec<f64>| d.iter().sum::<f64>() / d.len() as f64;
    let one_way = mean(to_mesh.iter().map(|d| d.sqrt()).collect());
    assert_eq!(point_to_mesh(&points, &mesh), Ok(one_way));
    assert_eq!(point_to_mesh_two_way(&points, &mesh), Ok(mean(to_mesh) + mean(faces)));
}

#[test]
fn both_directions_of_one_triangle_by_hand() {
    let mesh = TriangleMesh {
        vertices: vec![
            [0.0; 3],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [9.0, 0.0, 0.0],
            [9.0, 1.0, 0.0],
        ],
        triangles: vec![[0, 1, 2], [1, 3, 4]],
    };
    // One point 2 above the first triangle; the second's nearest corner is (1, 0, 0).
    let point = [[0.25, 0.25, 2.0]];
    assert_eq!(point_to_mesh(&point, &mesh), Ok(2.0));
    let second = 0.75 * 0.75 + 0.25 * 0.25 + 4.0;
    let both = point_to_mesh_two_way(&point, &mesh).unwrap();
    assert!((both - (4.0 + (4.0 + second) / 2.0)).abs() < 1e-14);
}

#[test]
fn coincident_triangles_and_points_do_not_break_the_tree() {
    let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = TriangleMesh { vertices, triangles: vec![[0, 1, 2]; 100] };
    assert_eq!(point_to_mesh(&[[0.1, 0.1, 0.5]; 50], &mesh), Ok(0.5));
    assert_eq!(point_to_mesh_two_way(&[[0.1, 0.1, 0.5]; 50], &mesh), Ok(0.5));
}

#[test]
fn a_bad_mesh_says_what_is_wrong() {
    let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [f64::NAN; 3]];
    let with = |triangles: Vec<[u32; 3]>| {
        MeshIndex::new(&TriangleMesh { vertices: vertices.clone(), triangles }).unwrap_err()
    };
    assert_eq!(with(vec![]), QualityError::EmptyMesh);
    assert_eq!(
        with(vec![[0, 1, 1], [0, 1, 3]]),
        QualityError::MeshIndex { triangle: 1, vertex: 3, vertices: 3 }
    );
    assert_eq!(with(vec![[0, 1, 2]]), QualityError::MeshVertex { triangle: 0, vertex: 2 });
}
