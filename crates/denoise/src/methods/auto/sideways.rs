//! Whether noise has moved points along the surface. Where it has not, neither must denoising.
//!
//! Noise along the normal or the ray leaves the pattern of a scan as it is: seen from above, points
//! keep their distance from each other. Noise in all directions makes any pattern random. A cloud
//! sampled at random looks the same either way.

use pellucid_cloud::{KdTree, Point, normals, vec3};

use super::choice::each;

/// Neighbors that a tangent plane is fitted to.
const PLANE: usize = 16;
/// Neighbors that are looked at, and how many of them say how many points there are.
const NEIGHBORS: usize = 32;
const COUNTED: usize = 16;
/// Places looked at, at most.
const PLACES: usize = 2048;

/// How regular the measured points are along the denoised surface: the mean distance to the nearest
/// over that of points thrown at random (Clark & Evans 1954, doi:10.2307/1931034); 1 for those,
/// 2 for a square grid.
pub fn regularity(observed: &[Point], y: &[Point], is_inner: impl Fn(usize) -> bool) -> f64 {
    if y.len() <= NEIGHBORS {
        return 1.0;
    }
    let tree = KdTree::new(y);
    let stride = y.len().div_ceil(PLACES);
    let places: Vec<usize> = (0..y.len()).step_by(stride).filter(|&i| is_inner(i)).collect();
    let queries: Vec<Point> = places.iter().map(|&i| y[i]).collect();
    let table = tree.knn_of(&queries, NEIGHBORS);
    let mut distances = Vec::with_capacity(NEIGHBORS);
    let (mut nearest, mut random) = (0.0, 0.0);
    for (place, &i) in places.iter().enumerate() {
        let n = normals::normal_of(y, &table.row(place)[..PLANE]);
        let along2 = |j: u32| {
            let d = vec3::sub(observed[j as usize], observed[i]);
            vec3::dot(d, d) - vec3::dot(d, n).powi(2)
        };
        distances.clear();
        let others = table.row(place).iter().filter(|j| **j as usize != i);
        distances.extend(others.map(|&j| along2(j).max(0.0)));
        distances.sort_unstable_by(f64::total_cmp);
        nearest += distances[0].sqrt();
        random += 0.5 * (std::f64::consts::PI * distances[COUNTED - 1] / COUNTED as f64).sqrt();
    }
    if random > 0.0 { nearest / random } else { 1.0 }
}

/// Takes back what points have moved along the surface.
pub fn undo(observed: &[Point], y: &mut [Point]) {
    if y.len() <= NEIGHBORS {
        return;
    }
    let tree = KdTree::new(y);
    let n = tree.map_neighbors(PLANE, || (), |_, _, row, _| normals::normal_of(y, row));
    let moved = each(y.len(), |i| {
        let step = vec3::sub(y[i], observed[i]);
        vec3::add(observed[i], vec3::scale(n[i], vec3::dot(step, n[i])))
    });
    y.copy_from_slice(&moved);
}

#[cfg(test)]
#[path = "sideways_tests.rs"]
mod tests;
