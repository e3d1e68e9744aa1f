//! The header: text, whatever the encoding of the rest.

use crate::document::Encoding;
use crate::error::Fault;
use crate::limits;
use crate::scalar::ScalarType;

/// What a property holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar(ScalarType),
    List { count: ScalarType, item: ScalarType },
}

impl Kind {
    /// The least number of bytes that a value takes in binary.
    pub fn least_bytes(self) -> usize {
        match self {
            Kind::Scalar(t) | Kind::List { count: t, .. } => t.size(),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Property {
    /// As in the file, which need not be UTF-8.
    pub name: Vec<u8>,
    pub kind: Kind,
    /// Whether types are spelled `uint8` rather than `uchar`.
    pub sized: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub name: Vec<u8>,
    pub count: usize,
    pub properties: Vec<Property>,
}

impl Property {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }
}

impl Element {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.name).into_owned()
    }

    pub fn has_lists(&self) -> bool {
        self.properties.iter().any(|p| matches!(p.kind, Kind::List { .. }))
    }
}

/// A line of the header that declares nothing: `comment` or `obj_info`, kept whole.
#[derive(Debug, Clone)]
pub(crate) struct Note {
    pub line: Vec<u8>,
    /// How many elements, and properties of the last of them, were declared before it.
    pub after: (usize, usize),
}

#[derive(Debug, Clone)]
pub(crate) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    pub notes: Vec<Note>,
    /// Where the rows begin in the file.
    pub body: usize,
}

const NAMES: [(ScalarType, &str, &str); 8] = [
    (ScalarType::I8, "char", "int8"),
    (ScalarType::U8, "uchar", "uint8"),
    (ScalarType::I16, "short", "int16"),
    (ScalarType::U16, "ushort", "uint16"),
    (ScalarType::I32, "int", "int32"),
    (ScalarType::U32, "uint", "uint32"),
    (ScalarType::F32, "float", "float32"),
    (ScalarType::F64, "double", "float64"),
];

fn type_of(word: &[u8]) -> Option<(ScalarType, bool)> {
    NAMES.iter().find_map(|&(ty, plain, sized)| {
        let is_sized = word == sized.as_bytes();
        (is_sized || word == plain.as_bytes()).then_some((ty, is_sized))
    })
}

/// The format's name of a type, which must be one that it has.
pub(crate) fn name_of(ty: ScalarType, sized: bool) -> &'static str {
    let found = NAMES.iter().find(|n| n.0 == ty);
    found.map_or("double", |n| if sized { n.2 } else { n.1 })
}

/// Splits the header from the rest and reads it.
pub(crate) fn parse(bytes: &[u8]) -> Result<Header, Fault> {
    let mut lines = Lines { bytes, at: 0, line: 0, end: line_end(bytes) };
    let first = lines.next()?;
    if first.trim_ascii_end() != b"ply" {
        return Err(Fault::line(1, "the first line must be \"ply\"; this is not a PLY file"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut notes = Vec::new();
    loop {
        let text = lines.next()?;
        let line = lines.line;
        let words: Vec<&[u8]> =
            text.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()).collect();
        match words.as_slice() {
            [b"end_header"] => break,
            [] => {}
            [b"comment" | b"obj_info", ..] => {
                let properties = elements.last().map_or(0, |e| e.properties.len());
                notes.push(Note { line: text.to_vec(), after: (elements.len(), properties) });
            }
            [b"format", kind, version] => {
                if encoding.is_some() {
                    return Err(Fault::line(line, "a second \"format\" line; there must be one"));
                }
                encoding = Some(format_of(kind, version, line)?);
            }
            [b"element", name, count] => {
                if elements.len() == limits::ELEMENTS {
                    let most = limits::ELEMENTS;
                    return Err(Fault::line(line, format!("more than {most} elements")));
                }
                let count = count_of(count, line)?;
                elements.push(Element { name: name.to_vec(), count, properties: Vec::new() });
            }
            [b"property", rest @ ..] => {
                let property = property_of(rest, line)?;
                let Some(element) = elements.last_mut() else {
                    return Err(Fault::line(line, "a property before any element"));
                };
                if element.properties.len() == limits::COLUMNS {
                    let most = limits::COLUMNS;
                    return Err(Fault::line(line, format!("more than {most} properties")));
                }
                element.properties.push(property);
            }
            [word, ..] => return Err(unknown_line(word, line)),
        }
    }
    let encoding = encoding
        .ok_or_else(|| Fault::line(lines.line, "the header ends without a \"format\" line"))?;
    Ok(Header { encoding, elements, notes, body: lines.at })
}

fn count_of(word: &[u8], line: usize) -> Result<usize, Fault> {
    let count = std::str::from_utf8(word).ok().and_then(|c| c.parse::<u64>().ok());
    count.and_then(|c| usize::try_from(c).ok()).ok_or_else(|| {
        let count = String::from_utf8_lossy(word);
        Fault::line(line, format!("\"{count}\" is not a number of elements"))
    })
}

fn unknown_line(word: &[u8], line: usize) -> Fault {
    let word = String::from_utf8_lossy(&word[..word.len().min(40)]);
    Fault::line(
        line,
        format!(
            "\"{word}\" does not belong here; a PLY header has lines of \"format\", \"comment\", \
             \"obj_info\", \"element NAME COUNT\", \"property TYPE NAME\" and \"end_header\""
        ),
    )
}

fn format_of(kind: &[u8], version: &[u8], line: usize) -> Result<Encoding, Fault> {
    if version != b"1.0" {
        let version = String::from_utf8_lossy(version);
        return Err(Fault::line(line, format!("version {version} of PLY is unknown; 1.0 is read")));
    }
    match kind {
        b"ascii" => Ok(Encoding::Ascii),
        b"binary_little_endian" => Ok(Encoding::BinaryLittle),
        b"binary_big_endian" => Ok(Encoding::BinaryBig),
        _ => {
            let kind = String::from_utf8_lossy(kind);
            Err(Fault::line(
                line,
                format!(
                    "format \"{kind}\" is unknown; it must be ascii, binary_little_endian or \
                     binary_big_endian"
                ),
            ))
        }
    }
}

fn property_of(words: &[&[u8]], line: usize) -> Result<Property, Fault> {
    let known = |word: &[u8]| {
        type_of(word).ok_or_else(|| {
            let word = String::from_utf8_lossy(word);
            Fault::line(
                line,
                format!("\"{word}\" is no type of PLY (char … double, int8 … float64)"),
            )
        })
    };
    match words {
        [b"list", count, item, name] => {
            let ((count, sized), (item, _)) = (known(count)?, known(item)?);
            if !count.is_integer() {
                return Err(Fault::line(line, "the count of a list must be an integer"));
            }
            Ok(Property { name: name.to_vec(), kind: Kind::List { count, item }, sized })
        }
        [ty, name] => {
            let (ty, sized) = known(ty)?;
            Ok(Property { name: name.to_vec(), kind: Kind::Scalar(ty), sized })
        }
        _ => Err(Fault::line(
            line,
            "a property must be \"property TYPE NAME\" or \"property list TYPE TYPE NAME\"",
        )),
    }
}

/// What ends the lines of the header: some old files have a lone carriage return.
fn line_end(bytes: &[u8]) -> u8 {
    let end = bytes.iter().position(|&b| b == b'\n' || b == b'\r');
    match end.map(|i| &bytes[i..]) {
        Some([b'\r', b'\n', ..]) => b'\n',
        Some([b'\r', ..]) => b'\r',
        _ => b'\n',
    }
}

struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    end: u8,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Result<&'a [u8], Fault> {
        self.line += 1;
        let limit = self.bytes.len().min(limits::HEADER_BYTES);
        let rest = &self.bytes[self.at.min(limit)..limit];
        let Some(length) = memchr::memchr(self.end, rest) else {
            let fault = if limit < self.bytes.len() {
                format!("no \"end_header\" in the first {} bytes", limits::HEADER_BYTES)
            } else if rest.trim_ascii() == b"end_header" {
                // An ascii file of empty elements may end right here.
                self.at = limit;
                return Ok(rest.trim_ascii());
            } else {
                "the file ends inside the header; is it truncated?".to_owned()
            };
            return Err(Fault::line(self.line, fault));
        };
        self.at += length + 1;
        let text = &rest[..length];
        Ok(text.strip_suffix(b"\r").unwrap_or(text))
    }
}
