//! The header of an NPY file: a Python dictionary of three entries.

use crate::error::Fault;
use crate::limits;
use crate::scalar::{ScalarType, parse_integer};

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// A column or field: `width` numbers of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub name: String,
    pub ty: ScalarType,
    pub big: bool,
    pub width: usize,
    /// Where its first value is.
    pub offset: usize,
}

/// What the header says.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    /// The type as written.
    pub descr: String,
    pub structured: bool,
    pub fortran: bool,
    pub shape: Vec<usize>,
    /// The fields of a record, or one for the type of a plain array.
    pub fields: Vec<Field>,
    /// Bytes of one record.
    pub item: usize,
    /// Where the data starts.
    pub body: usize,
}

/// Reads the header; the data need not be there.
pub(crate) fn parse(bytes: &[u8]) -> Result<Header, Fault> {
    let (text, start) = dictionary(bytes)?;
    let mut parser = Parser { text, at: 0 };
    let wrong = |at: usize, what: &str| Fault::byte(start + at, what.to_owned());
    let value = parser.value(0).map_err(|what| wrong(parser.at, what))?;
    let Value::Dict(entries) = value else {
        return Err(wrong(0, "the header is not a dictionary"));
    };
    let get = |key: &str| {
        let entry = entries.iter().find(|e| e.0 == key);
        entry
            .map(|e| (&e.1, e.2.clone()))
            .ok_or_else(|| wrong(0, "an entry of the header is missing"))
    };
    let (descr, span) = get("descr")?;
    let mut offset = 0;
    let mut fields = Vec::new();
    record(descr, &mut fields, &mut offset).map_err(|what| wrong(span.start, &what))?;
    let fortran = match get("fortran_order")?.0 {
        Value::Word(w) if w == "True" => true,
        Value::Word(w) if w == "False" => false,
        _ => return Err(wrong(0, "\"fortran_order\" is neither True nor False")),
    };
    let Value::Tuple(shape) = get("shape")?.0 else {
        return Err(wrong(0, "\"shape\" is not a tuple"));
    };
    let shape: Option<Vec<usize>> = shape
        .iter()
        .map(|v| match v {
            Value::Number(n) => usize::try_from(*n).ok(),
            _ => None,
        })
        .collect();
    let shape = shape.ok_or_else(|| wrong(0, "\"shape\" has entries that are no counts"))?;
    Ok(Header {
        descr: text[span].to_owned(),
        structured: matches!(descr, Value::List(_)),
        fortran,
        shape,
        fields,
        item: offset,
        body: start + text.len(),
    })
}

/// The text that describes the array, and where it starts.
fn dictionary(bytes: &[u8]) -> Result<(&str, usize), Fault> {
    if !bytes.starts_with(MAGIC) {
        return Err(Fault::byte(0, "the first bytes are not those of an NPY array"));
    }
    let number = |range: std::ops::Range<usize>| {
        let part = bytes.get(range)?;
        Some(part.iter().rev().fold(0usize, |n, &b| n << 8 | usize::from(b)))
    };
    let (start, length) = match bytes.get(6) {
        Some(1) => (10, number(8..10)),
        Some(2 | 3) => (12, number(8..12)),
        Some(v) => return Err(Fault::byte(6, format!("version {v} of NPY is unknown"))),
        None => (10, None),
    };
    let ends = || Fault::byte(bytes.len(), "the file ends inside the header");
    let length = length.ok_or_else(ends)?;
    if length > limits::HEADER_BYTES {
        return Err(Fault::byte(8, format!("a header of {length} bytes")));
    }
    let text = bytes.get(start..start + length).ok_or_else(ends)?;
    let text = std::str::from_utf8(text)
        .map_err(|e| Fault::byte(start + e.valid_up_to(), "the header is not text"))?;
    Ok((text, start))
}

impl Header {
    /// How many items the shape makes.
    pub fn items(&self) -> Option<usize> {
        self.shape.iter().try_fold(1usize, |n, &k| n.checked_mul(k))
    }

    /// Bytes of the data.
    pub fn size(&self) -> Option<usize> {
        self.items()?.checked_mul(self.item)
    }
}

/// The header of an array.
pub(crate) fn print(descr: &str, fortran: bool, shape: &[usize]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut tuple: String = shape.iter().map(|n| format!("{n}, ")).collect();
    if shape.len() > 1 {
        tuple.truncate(tuple.len() - 2);
    } else {
        tuple.truncate(tuple.len().saturating_sub(1));
    }
    let mut text = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': ({tuple}), }}")
        .into_bytes();
    let wide = text.len() + 64 > usize::from(u16::MAX);
    let start = if wide { 12 } else { 10 };
    // The data is to start at a multiple of 64.
    let total = (start + text.len() + 1).next_multiple_of(64);
    text.resize(total - start - 1, b' ');
    text.push(b'\n');
    let mut out = MAGIC.to_vec();
    if wide {
        out.extend_from_slice(&[if text.is_ascii() { 2 } else { 3 }, 0]);
        out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    } else {
        out.extend_from_slice(&[if text.is_ascii() { 1 } else { 3 }, 0]);
        if text.is_ascii() {
            out.extend_from_slice(&(text.len() as u16).to_le_bytes());
        } else {
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        }
    }
    out.extend_from_slice(&text);
    out
}

/// The name of a type.
pub(crate) fn code(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I8 => "|i1",
        ScalarType::U8 => "|u1",
        ScalarType::I16 => "<i2",
        ScalarType::U16 => "<u2",
        ScalarType::I32 => "<i4",
        ScalarType::U32 => "<u4",
        ScalarType::I64 => "<i8",
        ScalarType::U64 => "<u8",
        ScalarType::F32 => "<f4",
        ScalarType::F64 => "<f8",
    }
}

fn record(descr: &Value, fields: &mut Vec<Field>, offset: &mut usize) -> Result<(), String> {
    let mut values = 0;
    let mut add = |name: &str, code: &str, count: usize, plain: bool| {
        let (ty, big, width) = scalar(code)?;
        if plain && width != 1 {
            return Err(format!("an array of \"{code}\" holds no numbers that are read"));
        }
        let width = width.checked_mul(count).filter(|&w| w > 0 && w <= 1 << 16);
        let width = width.ok_or_else(|| "a field of no or too many values".to_owned())?;
        let name = if name.is_empty() { "_" } else { name }.to_owned();
        fields.push(Field { name, ty, big, width, offset: *offset });
        *offset += width * ty.size();
        if fields.len() > limits::COLUMNS {
            return Err(format!("more than {} fields", limits::COLUMNS));
        }
        values += width;
        if values > limits::VALUES {
            return Err(format!("more than {} values in a row", limits::VALUES));
        }
        Ok(())
    };
    let odd = || "a field that is not (name, type) or (name, type, shape)".to_owned();
    match descr {
        Value::Text(code) => add("", code, 1, true),
        Value::List(all) => all.iter().try_for_each(|field| {
            let Value::Tuple(parts) = field else { return Err(odd()) };
            match parts.as_slice() {
                [Value::Text(name), Value::Text(code)] => add(name, code, 1, false),
                [Value::Text(name), Value::Text(code), Value::Tuple(shape)] => {
                    let count = shape.iter().try_fold(1usize, |n, v| match v {
                        Value::Number(k) => n.checked_mul(usize::try_from(*k).ok()?),
                        _ => None,
                    });
                    add(name, code, count.ok_or_else(odd)?, false)
                }
                [Value::Text(name), Value::Text(code), Value::Number(n)] => {
                    add(name, code, usize::try_from(*n).map_err(|_| odd())?, false)
                }
                _ => Err(odd()),
            }
        }),
        _ => Err("\"descr\" is neither a type nor a list of fields".to_owned()),
    }
}

/// Type, whether the highest byte comes first, and how many; what is no number is bytes.
fn scalar(code: &str) -> Result<(ScalarType, bool, usize), String> {
    let unknown = || format!("type \"{code}\" is not read");
    let (order, rest) = match code.as_bytes() {
        [o @ (b'<' | b'>' | b'|' | b'='), ..] => (*o, &code[1..]),
        _ => (b'=', code),
    };
    let ty = match rest {
        "i1" => ScalarType::I8,
        "u1" | "b1" | "?" => ScalarType::U8,
        "i2" => ScalarType::I16,
        "u2" => ScalarType::U16,
        "i4" => ScalarType::I32,
        "u4" => ScalarType::U32,
        "i8" => ScalarType::I64,
        "u8" => ScalarType::U64,
        "f4" => ScalarType::F32,
        "f8" => ScalarType::F64,
        _ => {
            let kind = rest.bytes().next().ok_or_else(unknown)?;
            let each = match kind {
                b'V' | b'S' | b'f' | b'c' | b'M' | b'm' => 1,
                b'U' => 4,
                _ => return Err(unknown()),
            };
            let digits = rest[1..].split('[').next().unwrap_or_default();
            let n = digits.parse::<usize>().ok().filter(|n| (1..1 << 16).contains(n));
            return Ok((ScalarType::U8, false, each * n.ok_or_else(unknown)?));
        }
    };
    Ok((ty, order == b'>', 1))
}

/// What Python literals there are in headers.
enum Value {
    Text(String),
    Number(i128),
    Word(String),
    Tuple(Vec<Value>),
    List(Vec<Value>),
    Dict(Vec<(String, Value, std::ops::Range<usize>)>),
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.at += blanks;
        rest.get(blanks).copied()
    }

    fn value(&mut self, depth: usize) -> Result<Value, &'static str> {
        if depth > 8 {
            return Err("the header is nested too deeply");
        }
        match self.peek().ok_or("the header ends early")? {
            b'{' => {
                self.at += 1;
                let mut entries = Vec::new();
                while self.peek() != Some(b'}') {
                    let Value::Text(key) = self.value(depth + 1)? else {
                        return Err("a key of the header is no text");
                    };
                    if self.peek() != Some(b':') {
                        return Err("a key of the header has no value");
                    }
                    self.at += 1;
                    self.peek();
                    let start = self.at;
                    let value = self.value(depth + 1)?;
                    entries.push((key, value, start..self.at));
                    self.comma(b'}')?;
                }
                self.at += 1;
                Ok(Value::Dict(entries))
            }
            b'(' => Ok(Value::Tuple(self.sequence(b')', depth)?)),
            b'[' => Ok(Value::List(self.sequence(b']', depth)?)),
            quote @ (b'\'' | b'"') => {
                let rest = &self.text.as_bytes()[self.at + 1..];
                let end = memchr::memchr(quote, rest).ok_or("a text without an end")?;
                let inside = &self.text[self.at + 1..self.at + 1 + end];
                if inside.contains('\\') {
                    return Err("a name with a backslash is not read");
                }
                self.at += end + 2;
                Ok(Value::Text(inside.to_owned()))
            }
            _ => {
                let rest = &self.text.as_bytes()[self.at..];
                let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+');
                let length = rest.iter().take_while(|b| is_part(b)).count();
                let word = &self.text[self.at..self.at + length];
                if word.is_empty() {
                    return Err("the header has a character that does not belong there");
                }
                self.at += length;
                // Python 2 marked long integers.
                let digits = word.strip_suffix('L').unwrap_or(word);
                Ok(parse_integer(digits.as_bytes())
                    .map_or_else(|| Value::Word(word.to_owned()), Value::Number))
            }
        }
    }

    fn sequence(&mut self, end: u8, depth: usize) -> Result<Vec<Value>, &'static str> {
        self.at += 1;
        let mut values = Vec::new();
        while self.peek() != Some(end) {
            values.push(self.value(depth + 1)?);
            self.comma(end)?;
        }
        self.at += 1;
        Ok(values)
    }

    fn comma(&mut self, end: u8) -> Result<(), &'static str> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(())
            }
            Some(b) if b == end => Ok(()),
            _ => Err("a comma is missing in the header"),
        }
    }
}
