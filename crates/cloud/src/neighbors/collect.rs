//! What a search keeps of the points it meets.

use super::Neighbor;

/// Decides what is kept, and with it how far a search has to look.
pub(super) trait Collect {
    /// Only points before this one are of interest.
    fn limit(&self) -> Neighbor;

    /// Takes a point that is before [`limit`](Self::limit).
    fn take(&mut self, found: Neighbor);
}

/// The single nearest point.
pub(super) struct Closest(pub Neighbor);

impl Collect for Closest {
    #[inline(always)]
    fn limit(&self) -> Neighbor {
        self.0
    }

    #[inline(always)]
    fn take(&mut self, found: Neighbor) {
        self.0 = found;
    }
}

/// Up to this many neighbors are kept sorted all the time; beyond, moving them costs more than
/// the tighter limit saves.
const SORTED: usize = 96;

/// The `k` nearest points.
pub(super) struct Nearest<'a> {
    out: &'a mut Vec<Neighbor>,
    k: usize,
    limit: Neighbor,
}

impl<'a> Nearest<'a> {
    pub fn new(out: &'a mut Vec<Neighbor>, k: usize) -> Self {
        out.clear();
        if k <= SORTED {
            out.resize(k, Neighbor::NONE);
        }
        // Nothing is before this, so that `k = 0` takes nothing.
        let nothing = Neighbor { index: 0, distance2: -1.0 };
        Nearest { out, k, limit: if k == 0 { nothing } else { Neighbor::NONE } }
    }

    /// Leaves what was found sorted, and nothing else.
    pub fn finish(self) {
        if self.k > SORTED {
            self.out.sort_unstable_by(Neighbor::order);
            self.out.truncate(self.k);
        } else {
            let found = self.out.iter().rposition(|n| n.index != u32::MAX);
            self.out.truncate(found.map_or(0, |i| i + 1));
        }
    }
}

impl Collect for Nearest<'_> {
    #[inline(always)]
    fn limit(&self) -> Neighbor {
        self.limit
    }

    #[inline(always)]
    fn take(&mut self, found: Neighbor) {
        if self.k <= SORTED {
            let out = self.out.as_mut_slice();
            let mut i = out.len() - 1;
            while i > 0 && found.before(out[i - 1]) {
                out[i] = out[i - 1];
                i -= 1;
            }
            out[i] = found;
            self.limit = out[out.len() - 1];
        } else {
            self.out.push(found);
            if self.out.len() == 2 * self.k {
                let (_, &mut last, _) =
                    self.out.select_nth_unstable_by(self.k - 1, Neighbor::order);
                self.limit = last;
                self.out.truncate(self.k);
            }
        }
    }
}

/// All points within a radius, until the visitor has had enough.
pub(super) struct Ball<F> {
    limit: Neighbor,
    visit: F,
}

impl<F: FnMut(Neighbor) -> bool> Ball<F> {
    pub fn new(radius: f64, visit: F) -> Self {
        let distance2 = if radius >= 0.0 { radius * radius } else { -1.0 };
        Ball { limit: Neighbor { index: u32::MAX, distance2 }, visit }
    }
}

impl<F: FnMut(Neighbor) -> bool> Collect for Ball<F> {
    #[inline(always)]
    fn limit(&self) -> Neighbor {
        self.limit
    }

    #[inline(always)]
    fn take(&mut self, found: Neighbor) {
        if !(self.visit)(found) {
            self.limit.distance2 = -1.0;
        }
    }
}
