//! From disks to depth, normal and color at every sample.

use std::ops::Range;

use pellucid::cloud::{Point, bounds, vec3};
use rayon::prelude::*;

use super::{Camera, Rgb, Splats};

/// A disk seen edge-on is turned to show at least this cosine, or the surface tears at its rim.
const LEAST_FACING: f64 = 0.25;
/// Radius of a disk in distances to its neighbors: wide enough to close the gaps between points
/// that are not quite even.
const RADIUS: f64 = 0.95;
/// A disk seen from behind is smaller by this: at an edge, those of the far side would stick out.
/// Without it there would be holes where a normal points to the wrong side.
const FAR_SIDE: f64 = 0.6;
/// The surface's own color when the cloud has none, linear.
const NEUTRAL: [f32; 3] = [0.60, 0.585, 0.56];

/// What the eye sees at every sample.
pub(super) struct Surface {
    /// Distance along the view; infinite where there is nothing.
    pub depth: Vec<f32>,
    /// Normal in the eye's axes, not yet of unit length.
    pub normal: Vec<[f32; 3]>,
    /// Linear color.
    pub color: Vec<[f32; 3]>,
}

struct Disk {
    center: Point,
    normal: Point,
    /// The plane for depth: the normal, turned away from edge-on.
    plane: Point,
    radius: f64,
    color: [f32; 3],
}

/// Rows that are drawn together; bands are independent of each other.
const BAND: usize = 48;

pub(super) fn rasterize(splats: &Splats, camera: &Camera, size: (usize, usize)) -> Surface {
    let disks = disks(splats, camera);
    let scale = camera.scale(size.1);
    let starts: Vec<usize> = (0..size.1).step_by(BAND).collect();
    let bands: Vec<Surface> = starts
        .into_par_iter()
        .map(|top| band(&disks, scale, size, top..(top + BAND).min(size.1)))
        .collect();
    let n = size.0 * size.1;
    let mut all = Surface {
        depth: Vec::with_capacity(n),
        normal: Vec::with_capacity(n),
        color: Vec::with_capacity(n),
    };
    for mut b in bands {
        all.depth.append(&mut b.depth);
        all.normal.append(&mut b.normal);
        all.color.append(&mut b.color);
    }
    all
}

fn band(disks: &[Disk], scale: f64, size: (usize, usize), rows: Range<usize>) -> Surface {
    let n = size.0 * rows.len();
    let mut depth = vec![f32::INFINITY; n];
    for disk in disks {
        cover(disk, scale, size, &rows, |i, z, _| depth[i] = depth[i].min(z as f32));
    }

    // Disks within one radius behind the nearest belong to the same surface.
    let mut weight = vec![0.0_f32; n];
    let mut normal = vec![[0.0_f32; 3]; n];
    let mut color = vec![[0.0_f32; 3]; n];
    for disk in disks {
        cover(disk, scale, size, &rows, |i, z, away2| {
            if z as f32 > depth[i] + disk.radius as f32 {
                return;
            }
            let w = (-3.0 * away2).exp() as f32;
            weight[i] += w;
            for c in 0..3 {
                normal[i][c] += w * disk.normal[c] as f32;
                color[i][c] += w * disk.color[c];
            }
        });
    }
    for i in 0..n {
        if weight[i] > 0.0 {
            color[i] = color[i].map(|x| x / weight[i]);
        }
    }
    Surface { depth, normal, color }
}

/// The radius of a typical disk, in the cloud's units and in samples.
pub(super) fn typical(splats: &Splats, camera: &Camera, size: (usize, usize)) -> (f64, f64) {
    let all = splats.points.iter().zip(splats.radii).filter(|(p, _)| vec3::is_finite(**p));
    let (mut radius, mut depth, mut n) = (0.0, 0.0, 0.0);
    for (&p, r) in all {
        radius += RADIUS * r;
        depth += camera.local(p)[2];
        n += 1.0;
    }
    if n == 0.0 || depth <= 0.0 {
        return (0.0, 0.0);
    }
    (radius / n, radius / depth * camera.scale(size.1))
}

/// Whether normals point inwards, all in all.
fn inwards(splats: &Splats) -> bool {
    let Some(normals) = splats.normals else { return false };
    let Some((lo, hi)) = bounds(splats.points) else { return false };
    let middle = vec3::scale(vec3::add(lo, hi), 0.5);
    let out = |(&p, &n): (&Point, &Point)| vec3::dot(vec3::sub(p, middle), n);
    splats.points.iter().zip(normals).map(out).filter(|x| x.is_finite()).sum::<f64>() < 0.0
}

fn disks(splats: &Splats, camera: &Camera) -> Vec<Disk> {
    let inwards = inwards(splats);
    let usable = |i: &usize| vec3::is_finite(splats.points[*i]);
    (0..splats.points.len())
        .filter(usable)
        .filter_map(|i| {
            let center = camera.local(splats.points[i]);
            let distance = vec3::norm(center);
            let mut radius = RADIUS * splats.radii.get(i).copied().unwrap_or_default();
            if center[2] <= radius || radius <= 0.0 {
                return None;
            }
            let view = vec3::scale(center, -1.0 / distance);
            let mut normal =
                splats.normals.and_then(|n| n.get(i)).map_or(view, |&n| camera.turn(n));
            let length = vec3::norm(normal);
            normal = if length > 0.0 && length.is_finite() {
                vec3::scale(normal, 1.0 / length)
            } else {
                view
            };
            let away = vec3::dot(normal, view) < 0.0;
            if away != inwards {
                radius *= FAR_SIDE;
            }
            if away {
                normal = vec3::scale(normal, -1.0);
            }
            let facing = vec3::dot(normal, view);
            let plane = if facing < LEAST_FACING {
                let turned = vec3::add(normal, vec3::scale(view, LEAST_FACING - facing));
                vec3::scale(turned, 1.0 / vec3::norm(turned))
            } else {
                normal
            };
            let color = splats.colors.and_then(|c| c.get(i)).map_or(NEUTRAL, |&c| linear(c));
            Some(Disk { center, normal, plane, radius, color })
        })
        .collect()
}

/// Calls `hit(sample, depth, squared distance from the center in radii)` where the disk is seen
/// within `rows`; samples count from the first of these rows.
fn cover(
    disk: &Disk,
    scale: f64,
    (width, height): (usize, usize),
    rows: &Range<usize>,
    mut hit: impl FnMut(usize, f64, f64),
) {
    let [cx, cy, cz] = disk.center;
    let radius = disk.radius;
    let (mx, my) = (0.5 * width as f64, 0.5 * height as f64);
    let (sx, sy) = (mx + cx / cz * scale, my - cy / cz * scale);
    let reach = radius / (cz - radius).max(0.1 * cz) * scale + 1.0;
    let range = |s: f64, start: usize, end: usize| {
        let lo = ((s - reach).floor().max(0.0) as usize).max(start);
        let hi = ((s + reach).ceil().max(0.0) as usize).min(end);
        lo.min(hi)..hi
    };
    let offset = vec3::dot(disk.plane, disk.center);
    for y in range(sy, rows.start, rows.end) {
        for x in range(sx, 0, width) {
            let ray = [(x as f64 + 0.5 - mx) / scale, (my - y as f64 - 0.5) / scale, 1.0];
            let along = vec3::dot(disk.plane, ray);
            if along >= -1e-9 {
                continue;
            }
            let z = offset / along;
            let gap = vec3::sub(vec3::scale(ray, z), disk.center);
            let away2 = vec3::dot(gap, gap) / (radius * radius);
            if away2 <= 1.0 {
                hit((y - rows.start) * width + x, z, away2);
            }
        }
    }
}

fn linear(c: Rgb) -> [f32; 3] {
    c.map(|v| (f32::from(v) / 255.0).powf(2.2))
}
