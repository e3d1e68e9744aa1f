//! How many digits numbers get in text: no more than the input had.

use rayon::prelude::*;

use crate::document::{Detail, Source};
use crate::scalar::{Number, ScalarType};

/// Numbers get this many digits after the point where they need them, even if no number of the input
/// has as many: points that moved are not put back by rounding.
const LEAST_DECIMALS: usize = 6;

/// How many digits numbers get.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Digits {
    /// As many as give the number back.
    All,
    /// As many as give the number back in single precision, which the input had.
    Single,
    /// No more than these.
    AtMost(Most),
}

/// The most digits of some numbers, after the point and in all.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Most {
    decimals: usize,
    significant: usize,
}

impl Most {
    /// Those of printed numbers.
    pub fn of_words<'a>(words: impl Iterator<Item = &'a [u8]>) -> Self {
        words.map(Most::of_word).fold(Most::default(), Most::or)
    }

    /// Those that give numbers back.
    pub fn of_numbers(numbers: &[f64]) -> Self {
        let of_one = |text: &mut Vec<u8>, x: &f64| {
            text.clear();
            x.print(text);
            Most::of_word(text)
        };
        numbers.par_iter().map_init(Vec::new, of_one).reduce(Most::default, Most::or)
    }

    fn of_word(word: &[u8]) -> Self {
        let end = word.iter().position(|b| matches!(b, b'e' | b'E')).unwrap_or(word.len());
        let (mantissa, rest) = word.split_at(end);
        let exponent =
            rest.get(1..).and_then(|e| std::str::from_utf8(e).ok()?.parse::<isize>().ok());
        let point = memchr::memchr(b'.', mantissa).map_or(0, |at| mantissa.len() - at - 1);
        let decimals = (point as isize).saturating_sub(exponent.unwrap_or(0));
        let digits = mantissa.iter().filter(|b| b.is_ascii_digit());
        Most {
            decimals: decimals.clamp(0, 400) as usize,
            significant: digits.skip_while(|b| **b == b'0').count(),
        }
    }

    fn or(self, other: Self) -> Self {
        Most {
            decimals: self.decimals.max(other.decimals),
            significant: self.significant.max(other.significant),
        }
    }

    /// Digits after the point of a number that has `own` digits.
    fn decimals_for(self, own: Most) -> usize {
        let before_point = own.significant as isize - own.decimals as isize;
        let after = (self.significant as isize).saturating_sub(before_point).max(0) as usize;
        self.decimals.min(after).max(LEAST_DECIMALS)
    }
}

impl Digits {
    /// Those that the coordinates of a file had.
    pub fn of(source: &Source) -> Self {
        match &source.detail {
            Detail::Text(text) => Digits::AtMost(text.digits),
            Detail::Obj(obj) => Digits::AtMost(obj.digits()),
            Detail::Off(off) => Digits::AtMost(off.digits()),
            _ if source.position == Some([ScalarType::F32; 3]) => Digits::Single,
            _ => source.las_grid().map_or(Digits::All, of_grid),
        }
    }

    pub fn print(self, x: f64, out: &mut Vec<u8>) {
        let start = out.len();
        match self {
            Digits::Single => (x as f32).print(out),
            Digits::All | Digits::AtMost(_) => x.print(out),
        }
        let Digits::AtMost(most) = self else { return };
        let own = Most::of_word(&out[start..]);
        let decimals = most.decimals_for(own);
        if x.is_finite() && own.decimals > decimals {
            out.truncate(start);
            let text = format!("{x:.decimals$}");
            let text = text.trim_end_matches('0').trim_end_matches('.');
            out.extend_from_slice(if text == "-0" { "0" } else { text }.as_bytes());
        }
    }
}

/// The digits of coordinates that are whole numbers of steps: 7.084 is stored as 7084 thousandths,
/// which come out as 7.0840000000000005.
fn of_grid((scale, offset): ([f64; 3], [f64; 3])) -> Digits {
    let most = Most::of_numbers(&[scale, offset].concat());
    Digits::AtMost(Most { significant: usize::from(u8::MAX), ..most })
}
