//! The edges at each point, found from the patches it is in, without a list of all edges.

use rayon::prelude::*;

use crate::patch::{End, PatchGraph, Patches};

/// Numbers grouped by a key, ascending within each group.
struct Groups {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// The places in `keys` of each key below `count`; keys that are not are left out.
    fn new(keys: &[u32], count: usize) -> Groups {
        let mut starts = vec![0; count + 1];
        let counted = |key: &u32| (*key as usize) < count;
        for &key in keys.iter().filter(|k| counted(k)) {
            starts[key as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut members = vec![0; starts[count] as usize];
        for (place, &key) in keys.iter().enumerate().filter(|(_, k)| counted(k)) {
            members[next[key as usize] as usize] = place as u32;
            next[key as usize] += 1;
        }
        Groups { starts, members }
    }

    fn of(&self, key: usize) -> impl Iterator<Item = usize> {
        let range = self.starts[key] as usize..self.starts[key + 1] as usize;
        self.members[range].iter().map(|&m| m as usize)
    }
}

/// An edge as seen from one of its points.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// The end at the point.
    pub own: End,
    /// The other end.
    pub other: End,
    /// The weight.
    pub weight: f64,
}

/// Where to look for the edges at a point.
pub(super) struct EdgesOfPoints<'a> {
    patches: &'a Patches,
    graph: &'a PatchGraph,
    /// Nodes of each point.
    nodes: Groups,
    /// Links that lead to each patch.
    incoming: Groups,
}

/// The edges of one point; scratch of one task.
#[derive(Default)]
pub(super) struct Row {
    /// (other point, edge) packed in one number, and the place in `seen`, sorted.
    pub order: Vec<(u64, u32)>,
    /// The edges as they were found.
    pub seen: Vec<Seen>,
}

impl Row {
    fn push(&mut self, edge: usize, seen: Seen) {
        self.order.push(((seen.other.point as u64) << 32 | edge as u64, self.seen.len() as u32));
        self.seen.push(seen);
    }
}

impl<'a> EdgesOfPoints<'a> {
    pub fn new(patches: &'a Patches, graph: &'a PatchGraph, points: usize) -> Self {
        let nodes = Groups::new(patches.points_of_nodes(), points);
        let incoming = Groups::new(graph.links().0, patches.len());
        EdgesOfPoints { patches, graph, nodes, incoming }
    }

    /// Fills `row` with the edges at point `p` that have a weight, by the other point and the number of
    /// the edge; one that leads from the point to itself is there once.
    pub fn find(&self, p: usize, weight: impl Fn(usize, usize) -> f64, row: &mut Row) {
        row.order.clear();
        row.seen.clear();
        let size = self.patches.size();
        let (neighbors, degree) = self.graph.links();
        for node in self.nodes.of(p) {
            let (patch, place) = (node / size, node % size);
            let own = End { patch, node, point: p };
            for link in patch * degree..(patch + 1) * degree {
                let edge = link * size + place;
                let Some(slot) = self.graph.counterpart(link, place) else { continue };
                let weight = weight(link, edge);
                if weight > 0.0 {
                    let other = self.end(neighbors[link] as usize, slot);
                    row.push(edge, Seen { own, other, weight });
                }
            }
            for link in self.incoming.of(patch) {
                let from = link / degree;
                for (a, &slot) in self.graph.slots(link).iter().enumerate() {
                    if slot as usize != place {
                        continue;
                    }
                    let (edge, other) = (link * size + a, self.end(from, a));
                    let weight = weight(link, edge);
                    if weight > 0.0 && other.point != p {
                        row.push(edge, Seen { own, other, weight });
                    }
                }
            }
        }
        row.order.sort_unstable();
    }

    /// The most entries that each run of so many rows can have.
    pub fn most(&self, rows: usize) -> Vec<usize> {
        let size = self.patches.size();
        let mut ends = vec![0u32; self.patches.points_of_nodes().len()];
        ends.par_chunks_mut(size).enumerate().for_each(|(patch, ends)| {
            let (_, degree) = self.graph.links();
            for link in patch * degree..(patch + 1) * degree {
                for (a, end) in ends.iter_mut().enumerate() {
                    *end += u32::from(self.graph.counterpart(link, a).is_some());
                }
            }
            for link in self.incoming.of(patch) {
                for a in (0..size).filter_map(|a| self.graph.counterpart(link, a)) {
                    ends[a] += 1;
                }
            }
        });
        let count = self.nodes.starts.len() - 1;
        let of_row = |p: usize| self.nodes.of(p).map(|node| ends[node] as usize).sum::<usize>();
        (0..count.div_ceil(rows))
            .into_par_iter()
            .map(|run| (run * rows..((run + 1) * rows).min(count)).map(of_row).sum())
            .collect()
    }

    fn end(&self, patch: usize, place: usize) -> End {
        let node = patch * self.patches.size() + place;
        End { patch, node, point: self.patches.points_of_nodes()[node] as usize }
    }
}
