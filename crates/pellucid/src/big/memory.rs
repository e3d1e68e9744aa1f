//! Amounts of memory.

use std::fmt;
use std::str::FromStr;

/// A number of bytes, as people write it: `2G`, `500M`, `1.5GiB`.
///
/// `K`, `M`, `G` and `T` are powers of 1000, so that the limit holds however the reader takes them;
/// `Ki`, `Mi`, `Gi` and `Ti` are powers of 1024.
///
/// ```
/// use pellucid::big::Memory;
///
/// let limit: Memory = "2G".parse()?;
/// assert_eq!(limit, Memory(2_000_000_000));
/// assert_eq!("1.5 GiB".parse::<Memory>()?.0, 3 << 29);
/// assert!("much".parse::<Memory>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Memory(pub u64);

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || {
            format!("\"{text}\" is no amount of memory; write a number and K, M, G or T, as in 2G")
        };
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let number: f64 = text[..end].parse().map_err(|_| fault())?;
        let unit = text[end..].trim().to_ascii_lowercase();
        let unit = unit.strip_suffix('b').unwrap_or(&unit);
        let power =
            |letter: &str| Some(["", "k", "m", "g", "t"].iter().position(|u| *u == letter)? as i32);
        let scale = match unit.strip_suffix('i') {
            Some(letter) => 1024_f64.powi(power(letter).filter(|p| *p > 0).ok_or_else(fault)?),
            None => 1000_f64.powi(power(unit).ok_or_else(fault)?),
        };
        Ok(Memory((number * scale) as u64))
    }
}

impl fmt::Display for Memory {
    /// Rounded up, so that the amount given is enough.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, scale) = match self.0 {
            0..1_000_000_000 => ("M", 1e6),
            _ => ("G", 1e9),
        };
        let tenths = (self.0 as f64 / scale * 10.0).ceil() / 10.0;
        write!(f, "{tenths}{unit}")
    }
}
