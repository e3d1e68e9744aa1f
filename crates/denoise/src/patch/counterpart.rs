//! Which point of a neighboring patch answers to which (Eq. 38).

use pellucid_cloud::{KdTree, Point, vec3};
use rayon::prelude::*;

use super::{Apart, Patches};

/// No such neighbor.
pub const NONE: u32 = u32::MAX;
/// No such counterpart: the edge was left out.
const LEFT_OUT: u8 = u8::MAX;
/// Patches compared for each neighbor to be chosen, where normals count too.
const CANDIDATES: usize = 3;

/// Every patch linked to its nearest patches, point by counterpart.
///
/// Directed edge `(s * neighbors + e) * size + a` leads from point `a` of patch `s` to its
/// counterpart in the patch's `e`-th neighbor.
#[derive(Debug, Clone)]
pub struct PatchGraph {
    size: usize,
    degree: usize,
    /// Neighbor patches, `degree` a patch, nearest first; `NONE` where there are fewer.
    neighbors: Vec<u32>,
    /// For each directed edge, the counterpart's place in its patch; `LEFT_OUT` where there is none.
    slots: Vec<u8>,
}

/// One end of an edge: which patch, which node, which point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The patch.
    pub patch: usize,
    /// The node: `patch * size + place`.
    pub node: usize,
    /// The point.
    pub point: usize,
}

impl PatchGraph {
    /// Links each patch to the `neighbors` patches whose centers are nearest and, if `intra`, also
    /// to itself: each point to the nearest other one of its patch.
    pub fn link(points: &[Point], patches: &Patches, neighbors: usize, intra: bool) -> PatchGraph {
        Self::link_apart(points, patches, neighbors, intra, None)
    }

    /// The same, by a distance of centers that counts normals too.
    pub fn link_apart(
        points: &[Point],
        patches: &Patches,
        neighbors: usize,
        intra: bool,
        apart: Option<Apart>,
    ) -> PatchGraph {
        let degree = neighbors + usize::from(intra);
        let nearest = match apart {
            None => nearest_patches(points, patches, neighbors),
            Some(apart) => nearest_patches_apart(points, patches, neighbors, apart),
        };
        let mut linked = vec![NONE; patches.len() * degree];
        linked.par_chunks_mut(degree).enumerate().for_each(|(s, row)| {
            row[..neighbors].copy_from_slice(&nearest[s * neighbors..(s + 1) * neighbors]);
            row[neighbors..].fill(s as u32);
        });

        let size = patches.size();
        let mut slots = vec![0u8; linked.len() * size];
        slots.par_chunks_mut(degree * size).enumerate().for_each_init(
            || (vec![[0.0; 3]; size], vec![[0.0; 3]; size]),
            |(v_s, v_t), (s, slots)| {
                relative(points, patches, s, v_s);
                for (e, slots) in slots.chunks_exact_mut(size).enumerate() {
                    let t = linked[s * degree + e];
                    if t as usize == s {
                        nearest_others(v_s, slots);
                    } else if t != NONE {
                        relative(points, patches, t as usize, v_t);
                        nearest_slots(v_s, v_t, slots);
                    }
                }
            },
        );
        PatchGraph { size, degree, neighbors: linked, slots }
    }

    /// A graph from its neighbor patches and the places of counterparts in them.
    pub(super) fn from_parts(
        size: usize,
        degree: usize,
        neighbors: Vec<u32>,
        slots: Vec<u8>,
    ) -> PatchGraph {
        PatchGraph { size, degree, neighbors, slots }
    }

    /// The patches that each patch is linked to, `degree` a patch, and which of them.
    pub fn links(&self) -> (&[u32], usize) {
        (&self.neighbors, self.degree)
    }

    /// The counterparts' places in patch `links()[link]`, one a point of the patch that has the link.
    pub fn slots(&self, link: usize) -> &[u8] {
        &self.slots[link * self.size..(link + 1) * self.size]
    }

    /// The place of the counterpart of point `a` in patch `links()[link]`, if it has one.
    #[inline]
    pub fn counterpart(&self, link: usize, a: usize) -> Option<usize> {
        let slot = self.slots[link * self.size + a];
        (self.neighbors[link] != NONE && slot != LEFT_OUT).then_some(slot as usize)
    }

    /// Leaves out all edges that are [repeated](Self::is_repeated), so that each pair is there once.
    pub fn leave_out_repeated(&mut self) {
        let mut kept = self.slots.clone();
        kept.par_chunks_mut(self.size).enumerate().for_each(|(link, kept)| {
            for (a, slot) in kept.iter_mut().enumerate() {
                if self.is_repeated(link * self.size + a) {
                    *slot = LEFT_OUT;
                }
            }
        });
        self.slots = kept;
    }

    /// Room for directed edges; some numbers may hold none.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Directed edges per patch.
    pub fn per_patch(&self) -> usize {
        self.degree * self.size
    }

    /// The two ends of a directed edge, or `None` if the patch has fewer neighbors or the edge was
    /// left out.
    pub fn edge(&self, patches: &Patches, edge: usize) -> Option<(End, End)> {
        let link = edge / self.size;
        let slot = self.counterpart(link, edge % self.size)?;
        let (s, t) = (link / self.degree, self.neighbors[link]);
        let end = |patch: usize, place: usize| {
            let node = patch * self.size + place;
            End { patch, node, point: patches.points_of_nodes()[node] as usize }
        };
        Some((end(s, edge % self.size), end(t as usize, slot)))
    }

    /// Whether the same pair is also linked the other way round and that one counts.
    ///
    /// Of the two, the one below the diagonal (row > column) is kept.
    pub fn is_repeated(&self, edge: usize) -> bool {
        let (link, a) = (edge / self.size, edge % self.size);
        let (s, t) = (link / self.degree, self.neighbors[link] as usize);
        let b = self.slots[edge] as usize;
        if t == NONE as usize || (s, a) > (t, b) {
            return false;
        }
        let back = &self.neighbors[t * self.degree..(t + 1) * self.degree];
        back.iter()
            .position(|&x| x as usize == s)
            .is_some_and(|e| self.slots[(t * self.degree + e) * self.size + b] as usize == a)
    }
}

/// The `neighbors` other patches whose centers are nearest, nearest first, patch after patch;
/// `NONE` where there are fewer.
pub(super) fn nearest_patches(points: &[Point], patches: &Patches, neighbors: usize) -> Vec<u32> {
    let at: Vec<Point> = patches.centers().iter().map(|&c| points[c as usize]).collect();
    let table = KdTree::new(&at).knn_table(neighbors + 1);
    let mut linked = vec![NONE; patches.len() * neighbors];
    linked.par_chunks_mut(neighbors).enumerate().for_each(|(s, row)| {
        let others = table.row(s).iter().filter(|&&t| t as usize != s);
        row.iter_mut().zip(others).for_each(|(slot, &t)| *slot = t);
    });
    linked
}

/// The same, by a distance that counts normals too.
pub(super) fn nearest_patches_apart(
    points: &[Point],
    patches: &Patches,
    neighbors: usize,
    apart: Apart,
) -> Vec<u32> {
    let candidates = nearest_patches(points, patches, CANDIDATES * neighbors);
    let mut linked = vec![NONE; patches.len() * neighbors];
    let center = |t: usize| patches.centers()[t] as usize;
    linked.par_chunks_mut(neighbors).enumerate().for_each_init(Vec::new, |order, (s, row)| {
        let c = center(s);
        let few = &candidates[CANDIDATES * neighbors * s..][..CANDIDATES * neighbors];
        order.clear();
        order.extend(few.iter().filter(|t| **t != NONE).map(|&t| {
            let other = center(t as usize);
            (apart.distance2(vec3::distance2(points[c], points[other]), c, other), t)
        }));
        let by = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if neighbors < order.len() {
            order.select_nth_unstable_by(neighbors, by);
            order.truncate(neighbors);
        }
        order.sort_unstable_by(by);
        row.iter_mut().zip(&*order).for_each(|(slot, o)| *slot = o.1);
    });
    linked
}

/// Places of the points of patch `s`, relative to its origin.
pub(super) fn relative(points: &[Point], patches: &Patches, s: usize, out: &mut [Point]) {
    let c = patches.origins()[s];
    for (v, &p) in out.iter_mut().zip(patches.members(s)) {
        *v = vec3::sub(points[p as usize], c);
    }
}

/// Eq. (38), ties by place.
fn nearest_slots(v_s: &[Point], v_t: &[Point], slots: &mut [u8]) {
    for (slot, &v) in slots.iter_mut().zip(v_s) {
        let mut best = (f64::INFINITY, 0);
        for (b, &u) in v_t.iter().enumerate() {
            let d = vec3::distance2(v, u);
            if d < best.0 {
                best = (d, b);
            }
        }
        *slot = best.1 as u8;
    }
}

/// The nearest other point of the same patch, ties by place.
fn nearest_others(v: &[Point], slots: &mut [u8]) {
    for (a, slot) in slots.iter_mut().enumerate() {
        let mut best = (f64::INFINITY, a);
        for (b, &u) in v.iter().enumerate() {
            let d = vec3::distance2(v[a], u);
            if b != a && d < best.0 {
                best = (d, b);
            }
        }
        *slot = best.1 as u8;
    }
}
