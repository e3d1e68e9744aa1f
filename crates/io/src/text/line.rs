//! Lines and the values on them.

use std::borrow::Cow;

use crate::error::Fault;

/// What stands between the values of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// Any run of spaces and tabs.
    Blank,
    /// One such byte, with blanks around it.
    Byte(u8),
}

impl Separator {
    pub fn of(line: &[u8]) -> Self {
        match [b';', b','].into_iter().find(|b| line.contains(b)) {
            Some(b) => Separator::Byte(b),
            None => Separator::Blank,
        }
    }
}

#[inline]
fn is_blank(b: u8) -> bool {
    b == b' ' || b == b'\t' || b == b'\r'
}

/// The values of a line.
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
    separator: Separator,
}

impl<'a> Fields<'a> {
    pub fn new(line: &'a [u8], separator: Separator) -> Self {
        let mut rest = line.trim_ascii();
        if let Separator::Byte(b) = separator {
            // Some writers end every line with the separator.
            rest = rest.strip_suffix(&[b]).unwrap_or(rest);
        }
        Fields { rest, separator }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        match self.separator {
            Separator::Blank => {
                let end = self.rest.iter().position(|&b| is_blank(b)).unwrap_or(self.rest.len());
                let (field, rest) = self.rest.split_at(end);
                let next = rest.iter().position(|&b| !is_blank(b)).unwrap_or(rest.len());
                self.rest = &rest[next..];
                Some(field)
            }
            Separator::Byte(s) => {
                let end = self.rest.iter().position(|&b| b == s);
                let field = &self.rest[..end.unwrap_or(self.rest.len())];
                self.rest = end.map_or(&[], |e| &self.rest[e + 1..]);
                Some(field.trim_ascii())
            }
        }
    }
}

/// The mark that makes a line a comment.
#[inline]
pub(crate) fn comment_mark(line: &[u8]) -> Option<&'static str> {
    match line {
        [b'#', ..] => Some("#"),
        [b'%', ..] => Some("%"),
        [b'/', b'/', ..] => Some("//"),
        _ => None,
    }
}

/// Lines of `bytes` from `at`, each with where it starts.
pub(crate) fn lines(bytes: &[u8], at: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = at;
    std::iter::from_fn(move || {
        let rest = bytes.get(start..).filter(|r| !r.is_empty())?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let this = start;
        start += length + 1;
        Some((this, &rest[..length]))
    })
}

/// Refuses what is plainly not text.
pub(crate) fn check_text(bytes: &[u8]) -> Result<(), Fault> {
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes {
        return Err(Fault::byte(0, "the text is in UTF-16; save it as UTF-8 or ASCII"));
    }
    let strange = |&b: &u8| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a);
    match bytes.iter().position(strange) {
        Some(at) => {
            let fault = format!("byte {:#04x} is not text; is the file binary?", bytes[at]);
            Err(Fault::byte(at, fault))
        }
        None => Ok(()),
    }
}

/// The text without a byte-order mark, and with line feeds if it has lone carriage returns.
pub(crate) fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // Ctrl-Z ended texts under DOS.
    let bytes = bytes.strip_suffix(b"\x1a").unwrap_or(bytes);
    if memchr::memchr(b'\n', bytes).is_none() && memchr::memchr(b'\r', bytes).is_some() {
        let lines = bytes.iter().map(|&b| if b == b'\r' { b'\n' } else { b });
        return Cow::Owned(lines.collect());
    }
    Cow::Borrowed(bytes)
}
