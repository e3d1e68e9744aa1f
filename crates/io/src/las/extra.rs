//! Fields that a file adds to its points, as its Extra Bytes record describes them.

use crate::scalar::ScalarType;

/// Bytes of one description.
pub(super) const BYTES: usize = 192;
pub(super) const USER: &str = "LASF_Spec";
pub(super) const RECORD: u16 = 4;

const TYPE: usize = 2;
const OPTIONS: usize = 3;
const NAME: usize = 4;
const NAME_BYTES: usize = 32;
const SCALE: usize = 112;
const OFFSET: usize = 136;
const HAS_SCALE: u8 = 8;
const HAS_OFFSET: u8 = 16;

const TYPES: [ScalarType; 10] = [
    ScalarType::U8,
    ScalarType::I8,
    ScalarType::U16,
    ScalarType::I16,
    ScalarType::U32,
    ScalarType::I32,
    ScalarType::U64,
    ScalarType::I64,
    ScalarType::F32,
    ScalarType::F64,
];

/// A description, kept as it is in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Descriptor(pub [u8; BYTES]);

impl Descriptor {
    /// A new field of one value; the name is cut to what fits.
    pub fn new(name: &str, ty: ScalarType) -> Self {
        let mut raw = [0; BYTES];
        raw[TYPE] = TYPES.iter().position(|t| *t == ty).map_or(0, |i| i as u8 + 1);
        let mut end = name.len().min(NAME_BYTES);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        raw[NAME..NAME + end].copy_from_slice(&name.as_bytes()[..end]);
        Descriptor(raw)
    }

    /// All descriptions of a record; a last incomplete one is left out.
    pub fn all(data: &[u8]) -> Vec<Self> {
        data.chunks_exact(BYTES)
            .map(|chunk| {
                let mut raw = [0; BYTES];
                raw.copy_from_slice(chunk);
                Descriptor(raw)
            })
            .collect()
    }

    pub fn name(&self) -> String {
        let name = super::file::text(&self.0[NAME..NAME + NAME_BYTES]);
        if name.is_empty() { "unnamed".to_owned() } else { name }
    }

    /// Type and number of values; `None` if the type is not known.
    pub fn shape(&self) -> Option<(ScalarType, usize)> {
        match usize::from(self.0[TYPE]) {
            // The options of bytes without a type are their number.
            0 => Some((ScalarType::U8, usize::from(self.0[OPTIONS]))).filter(|s| s.1 > 0),
            // Types from 11 on, now out of use, are pairs and triples.
            t @ 1..=30 => Some((TYPES[(t - 1) % 10], (t - 1) / 10 + 1)),
            _ => None,
        }
    }

    /// Scale and offset of each value, if the field holds scaled integers.
    pub fn transform(&self) -> Option<[(f64, f64); 3]> {
        let (ty, _) = self.shape()?;
        let options = self.0[OPTIONS];
        if self.0[TYPE] == 0 || !ty.is_integer() || options & (HAS_SCALE | HAS_OFFSET) == 0 {
            return None;
        }
        let number = |at: usize| {
            let mut raw = [0; 8];
            raw.copy_from_slice(&self.0[at..at + 8]);
            f64::from_le_bytes(raw)
        };
        let mut all = [(1.0, 0.0); 3];
        for (i, (scale, offset)) in all.iter_mut().enumerate() {
            if options & HAS_SCALE != 0 {
                *scale = number(SCALE + 8 * i);
            }
            if options & HAS_OFFSET != 0 {
                *offset = number(OFFSET + 8 * i);
            }
        }
        Some(all)
    }
}
