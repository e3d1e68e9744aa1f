//! Sets that grow together, each member knowing whether it is turned relative to the set.

/// Disjoint sets with a sign for each member relative to its set's root.
pub(super) struct SignedUnion {
    parent: Vec<u32>,
    /// Whether a member is turned relative to its parent.
    flipped: Vec<bool>,
    size: Vec<u32>,
}

impl SignedUnion {
    /// Every member alone.
    pub fn new(n: usize) -> Self {
        SignedUnion { parent: (0..n as u32).collect(), flipped: vec![false; n], size: vec![1; n] }
    }

    /// The root of `i`'s set and whether `i` is turned relative to it.
    pub fn find(&mut self, i: usize) -> (usize, bool) {
        let (mut root, mut sign) = (i, false);
        while self.parent[root] as usize != root {
            sign ^= self.flipped[root];
            root = self.parent[root] as usize;
        }
        // Hang everything passed directly under the root.
        let (mut at, mut rest) = (i, sign);
        while self.parent[at] as usize != root && at != root {
            let (next, flip) = (self.parent[at] as usize, self.flipped[at]);
            self.parent[at] = root as u32;
            self.flipped[at] = rest;
            rest ^= flip;
            at = next;
        }
        (root, sign)
    }

    /// Joins the sets of `i` and `j`, turned relative to each other or not; in one set already,
    /// nothing changes.
    pub fn join(&mut self, i: usize, j: usize, turned: bool) {
        let ((a, fa), (b, fb)) = (self.find(i), self.find(j));
        if a == b {
            return;
        }
        let (small, large) = if self.size[a] < self.size[b] { (a, b) } else { (b, a) };
        self.parent[small] = large as u32;
        self.flipped[small] = fa ^ fb ^ turned;
        self.size[large] += self.size[small];
    }
}
