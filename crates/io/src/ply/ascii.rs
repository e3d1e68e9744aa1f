//! Rows as text: values between white space; where lines break does not matter.

use pellucid_cloud::Values;

use super::header::Element;
use crate::error::Fault;
use crate::scalar::{Number, with_numbers};

/// Reads one element's rows from `at`; returns the columns and where they end.
pub(crate) fn columns(
    bytes: &[u8],
    at: usize,
    element: &Element,
) -> Result<(Vec<Values>, usize), Fault> {
    let mut columns = super::read::empty_columns(element);
    let mut tokens = Tokens { bytes, at };
    for row in 0..element.count {
        for (column, property) in columns.iter_mut().zip(&element.properties) {
            let mut next = || -> Result<&[u8], Fault> {
                tokens.next().ok_or_else(|| {
                    let (count, name) = (element.count, element.text());
                    let fault = format!(
                        "the file ends after {row} of the {count} \"{name}\" records that the \
                         header promises; it is truncated or the count is wrong"
                    );
                    Fault::line_of(bytes, bytes.len(), fault)
                })
            };
            let token = next()?;
            let wrong = |token: &[u8], what: &str| {
                let shown = String::from_utf8_lossy(&token[..token.len().min(40)]);
                let at = token.as_ptr() as usize - bytes.as_ptr() as usize;
                let fault = format!("\"{shown}\" is no {what} for \"{}\"", property.text());
                Fault::line_of(bytes, at, fault)
            };
            let done = match &mut *column {
                Values::List(list) => {
                    let n = u32::parse(token).ok_or_else(|| wrong(token, "count of a list"))?;
                    for _ in 0..n {
                        let item = next()?;
                        if !push(&mut list.values, item) {
                            return Err(wrong(item, list.values.type_name()));
                        }
                    }
                    list.offsets.push(list.values.len());
                    true
                }
                numbers => push(numbers, token),
            };
            if !done {
                return Err(wrong(token, column.type_name()));
            }
        }
    }
    Ok((columns, tokens.at))
}

#[inline]
fn push(values: &mut Values, token: &[u8]) -> bool {
    with_numbers!(values, v => match Number::parse(token) {
        Some(x) => {
            v.push(x);
            true
        }
        None => false,
    }, false)
}

struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let start = rest.iter().position(|b| !b.is_ascii_whitespace())?;
        let rest = &rest[start..];
        let length = rest.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(rest.len());
        self.at += start + length;
        Some(&rest[..length])
    }
}
