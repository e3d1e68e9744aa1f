//! Files that differ a little from sound ones.

use rand::{Rng, RngExt};

/// A few changes of the kinds that fuzzers make.
pub fn changed(seed: &[u8], other: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut out = seed.to_vec();
    for _ in 0..random.random_range(1..4) {
        if out.is_empty() {
            break;
        }
        let at = random.random_range(0..out.len());
        match random.random_range(0..7) {
            0 => out[at] = random.random(),
            1 => out[at] ^= 1 << random.random_range(0..8),
            2 => out.truncate(at),
            3 => {
                let end = (at + random.random_range(1..9usize)).min(out.len());
                out.drain(at..end);
            }
            4 => {
                let end = (at + random.random_range(1..9usize)).min(out.len());
                let extreme = [0, 0xff, 0x7f, 0x80][random.random_range(0..4usize)];
                out[at..end].fill(extreme);
            }
            5 => {
                let from = random.random_range(0..other.len());
                let end = (from + random.random_range(1..64usize)).min(other.len());
                out.splice(at..at, other[from..end].iter().copied());
            }
            _ => {
                // Another number in a text.
                let digits: &[u8] = [b"99999999999".as_slice(), b"-1", b"nan", b"1e999", b"0"]
                    [random.random_range(0..5usize)];
                let end = (at + 1).min(out.len());
                out.splice(at..end, digits.iter().copied());
            }
        }
    }
    out
}
