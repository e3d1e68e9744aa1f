//! Texts in which some numbers may change and all the rest stays as it is.

use std::io::{self, Write};

use crate::digits::{Digits, Most};
use crate::error::Fault;
use crate::limits;
use crate::scalar::Number;

/// A text, and where the numbers of each row start.
#[derive(Debug)]
pub(crate) struct Template {
    pub text: Vec<u8>,
    pub starts: Vec<usize>,
}

impl Template {
    /// Writes the text with the first `columns` words of each row replaced by what `value`
    /// gives for (row, column, present value); `None` leaves the word alone.
    pub fn write(
        &self,
        sink: &mut dyn Write,
        columns: usize,
        value: impl Fn(usize, usize, f64) -> Option<f64>,
    ) -> io::Result<()> {
        let text = self.text.as_slice();
        let digits = Digits::AtMost(self.digits(columns));
        let mut out = Vec::with_capacity(1 << 17);
        let mut copied = 0;
        for (row, &start) in self.starts.iter().enumerate() {
            let mut words = words(text, start);
            for column in 0..columns {
                let Some((at, word)) = words.next() else { break };
                let Some(old) = f64::parse(word) else { break };
                let new = value(row, column, old);
                let Some(new) = new.filter(|&new| !is_same(new, old)) else { continue };
                out.extend_from_slice(&text[copied..at]);
                digits.print(new, &mut out);
                copied = at + word.len();
            }
            if out.len() > 1 << 16 {
                sink.write_all(&out)?;
                out.clear();
            }
        }
        sink.write_all(&out)?;
        sink.write_all(&text[copied..])
    }

    /// The most digits among the first `columns` words of each row.
    pub fn digits(&self, columns: usize) -> Most {
        let of_row = |&start: &usize| words(&self.text, start).take(columns).map(|w| w.1);
        Most::of_words(self.starts.iter().flat_map(of_row))
    }
}

/// Whether two numbers have the same bits, or both are NaN.
pub(crate) fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// The words from `at` on, each with where it starts.
pub(crate) fn words(text: &[u8], at: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = at;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let rest = &text[start..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        at = start + length;
        Some((start, &rest[..length]))
    })
}

/// A line with something on it.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Counted from one.
    pub number: usize,
    /// Where it starts, without blanks.
    pub at: usize,
    /// Without blanks around it and without a comment.
    pub text: &'a [u8],
}

impl<'a> Line<'a> {
    pub fn words(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        words(self.text, 0).map(|w| w.1)
    }

    pub fn fault(&self, fault: impl Into<String>) -> Fault {
        Fault::line(self.number, fault)
    }

    /// The first numbers on the line after `skip` words.
    pub fn point(&self, skip: usize) -> Result<[f64; 3], Fault> {
        let mut words = self.words().skip(skip);
        let mut p = [0.0; 3];
        for x in &mut p {
            *x = words
                .next()
                .and_then(f64::parse)
                .ok_or_else(|| self.fault("a vertex needs three numbers"))?;
        }
        Ok(p)
    }
}

/// Lines with something on them, without `#` comments.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = Result<Line<'_>, Fault>> {
    let mut at = 0;
    text.split(|&b| b == b'\n').enumerate().filter_map(move |(i, raw)| {
        let start = at;
        at += raw.len() + 1;
        if raw.len() > limits::LINE_BYTES {
            return Some(Err(Fault::line(i + 1, format!("a line of {} bytes", raw.len()))));
        }
        let end = memchr::memchr(b'#', raw).unwrap_or(raw.len());
        let blanks = raw.len() - raw.trim_ascii_start().len();
        let text = raw[..end].trim_ascii();
        (!text.is_empty()).then_some(Ok(Line { number: i + 1, at: start + blanks, text }))
    })
}

/// Comments on lines of their own before anything else, without their marks.
pub(crate) fn comments(text: &[u8]) -> Result<Vec<String>, Fault> {
    let mut comments = Vec::new();
    let mut at = 0;
    for (i, raw) in text.split(|&b| b == b'\n').enumerate() {
        match raw.trim_ascii() {
            [] => {}
            [b'#', comment @ ..] => {
                limits::check_comments(at).map_err(|fault| Fault::line(i + 1, fault))?;
                comments.push(String::from_utf8_lossy(comment).trim().to_owned());
            }
            _ => break,
        }
        at += raw.len() + 1;
    }
    Ok(comments)
}
