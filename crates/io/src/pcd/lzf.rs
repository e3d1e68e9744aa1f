//! LZF, the compression of `binary_compressed`: literal runs of up to 32 bytes, and copies of
//! 3 to 264 bytes from at most 8192 bytes back.

/// Bytes that one byte of input can become at most: a copy takes three bytes and gives 264.
pub(crate) const LARGEST_RATIO: usize = 88;

const HASH_BITS: u32 = 14;
const FARTHEST: usize = 1 << 13;
const LONGEST: usize = 264;

/// Unpacks exactly `size` bytes; else says at which byte of the input it went wrong, and how.
pub(crate) fn decompress(input: &[u8], size: usize) -> Result<Vec<u8>, (usize, &'static str)> {
    const SHORT: &str = "the compressed data ends inside a copy";
    if size / LARGEST_RATIO > input.len() {
        return Err((0, "the compressed data is too short for the size that it promises"));
    }
    let mut out: Vec<u8> = Vec::with_capacity(size);
    let mut at = 0;
    while let Some(&control) = input.get(at) {
        let start = at;
        at += 1;
        let control = usize::from(control);
        if control < 32 {
            let Some(run) = input.get(at..at + control + 1) else {
                return Err((start, "the compressed data ends inside a run"));
            };
            if out.len() + run.len() > size {
                return Err((start, "the compressed data holds more than it promises"));
            }
            out.extend_from_slice(run);
            at += run.len();
            continue;
        }
        let mut length = control >> 5;
        if length == 7 {
            length += usize::from(*input.get(at).ok_or((start, SHORT))?);
            at += 1;
        }
        length += 2;
        let low = usize::from(*input.get(at).ok_or((start, SHORT))?);
        at += 1;
        let back = ((control & 31) << 8 | low) + 1;
        let from = out
            .len()
            .checked_sub(back)
            .ok_or((start, "a copy in the compressed data starts before the first byte"))?;
        if out.len() + length > size {
            return Err((start, "the compressed data holds more than it promises"));
        }
        if back >= length {
            out.extend_from_within(from..from + length);
        } else {
            // The copy overlaps itself: what it has just written is part of it.
            for i in from..from + length {
                let byte = out[i];
                out.push(byte);
            }
        }
    }
    if out.len() < size {
        return Err((at, "the compressed data holds less than it promises"));
    }
    Ok(out)
}

/// Packs; what it gives is at most a 32nd larger, and one byte.
pub(crate) fn compress(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(input.len() / 2 + 16);
    // Where the last three bytes of each hash were, plus one.
    let mut table = vec![0usize; 1 << HASH_BITS];
    let mut literal = 0;
    let mut at = 0;
    while at + 3 <= input.len() {
        let slot = hash(&input[at..]);
        let seen = std::mem::replace(&mut table[slot], at + 1);
        let back = (at + 1).wrapping_sub(seen);
        if seen == 0 || back > FARTHEST || input[seen - 1..seen + 2] != input[at..at + 3] {
            at += 1;
            continue;
        }
        let from = seen - 1;
        let most = LONGEST.min(input.len() - at);
        let length = (3..most).find(|&k| input[from + k] != input[at + k]).unwrap_or(most);
        runs(&input[literal..at], &mut out);
        let (distance, code) = (back - 1, length - 2);
        let high = (distance >> 8) as u8;
        if code < 7 {
            out.push((code as u8) << 5 | high);
        } else {
            out.push(7 << 5 | high);
            out.push((code - 7) as u8);
        }
        out.push(distance as u8);
        at += length;
        literal = at;
    }
    runs(&input[literal..], &mut out);
    out
}

fn hash(bytes: &[u8]) -> usize {
    let three = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
    (three.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize
}

fn runs(literals: &[u8], out: &mut Vec<u8>) {
    for run in literals.chunks(32) {
        out.push((run.len() - 1) as u8);
        out.extend_from_slice(run);
    }
}
