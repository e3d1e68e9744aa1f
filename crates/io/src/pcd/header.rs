//! The header of a PCD file.

use crate::error::Fault;
use crate::limits;
use crate::scalar::ScalarType;

/// A field: `count` numbers of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub name: String,
    pub ty: ScalarType,
    pub count: usize,
}

impl Field {
    /// Bytes in one point.
    pub fn size(&self) -> usize {
        self.ty.size() * self.count
    }
}

/// How the points are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    Ascii,
    Binary,
    Compressed,
}

impl Data {
    pub fn name(self) -> &'static str {
        match self {
            Data::Ascii => "ascii",
            Data::Binary => "binary",
            Data::Compressed => "binary_compressed",
        }
    }
}

/// What the header says.
#[derive(Debug)]
pub(crate) struct Header {
    pub fields: Vec<Field>,
    pub width: usize,
    pub height: usize,
    /// Position and rotation of the sensor: x y z, then a quaternion w x y z.
    pub viewpoint: Option<[f64; 7]>,
    pub points: usize,
    pub data: Data,
    /// Every line before DATA, without its end.
    pub lines: Vec<Vec<u8>>,
    /// Where the points start.
    pub body: usize,
}

/// The values on the line of each keyword, with its number.
#[derive(Default)]
struct Entries<'a> {
    fields: Option<(usize, Vec<&'a [u8]>)>,
    size: Option<(usize, Vec<&'a [u8]>)>,
    ty: Option<(usize, Vec<&'a [u8]>)>,
    count: Option<(usize, Vec<&'a [u8]>)>,
    width: Option<(usize, Vec<&'a [u8]>)>,
    height: Option<(usize, Vec<&'a [u8]>)>,
    viewpoint: Option<(usize, Vec<&'a [u8]>)>,
    points: Option<(usize, Vec<&'a [u8]>)>,
}

/// Reads the header.
pub(crate) fn parse(bytes: &[u8]) -> Result<Header, Fault> {
    let mut entries = Entries::default();
    let mut lines = Vec::new();
    let mut at = 0;
    loop {
        let number = lines.len() + 1;
        if at >= bytes.len() {
            let fault = "the file ends inside the header, before a line \"DATA\"";
            return Err(Fault::line(number, fault));
        }
        let rest = &bytes[at..bytes.len().min(limits::HEADER_BYTES)];
        let Some(length) = memchr::memchr(b'\n', rest) else {
            let fault = format!("no line \"DATA\" in the first {} bytes", rest.len() + at);
            return Err(Fault::line(number, fault));
        };
        let line = rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]);
        at += length + 1;
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let Some(key) = words.next().filter(|w| w[0] != b'#') else {
            lines.push(line.to_vec());
            continue;
        };
        let values: Vec<&[u8]> = words.collect();
        let place = match key {
            b"VERSION" => {
                lines.push(line.to_vec());
                continue;
            }
            b"FIELDS" | b"COLUMNS" => &mut entries.fields,
            b"SIZE" => &mut entries.size,
            b"TYPE" => &mut entries.ty,
            b"COUNT" => &mut entries.count,
            b"WIDTH" => &mut entries.width,
            b"HEIGHT" => &mut entries.height,
            b"VIEWPOINT" => &mut entries.viewpoint,
            b"POINTS" => &mut entries.points,
            b"DATA" => return entries.finish(data_of(&values, number)?, lines, at),
            key => {
                let shown = String::from_utf8_lossy(&key[..key.len().min(40)]);
                let fault = format!("\"{shown}\" is not a keyword of a PCD header");
                return Err(Fault::line(number, fault));
            }
        };
        if place.replace((number, values)).is_some() {
            let shown = String::from_utf8_lossy(key);
            return Err(Fault::line(number, format!("a second line \"{shown}\"")));
        }
        lines.push(line.to_vec());
    }
}

fn data_of(values: &[&[u8]], line: usize) -> Result<Data, Fault> {
    match values {
        [b"ascii"] => Ok(Data::Ascii),
        [b"binary"] => Ok(Data::Binary),
        [b"binary_compressed"] => Ok(Data::Compressed),
        _ => Err(Fault::line(line, "DATA must be ascii, binary or binary_compressed")),
    }
}

impl Entries<'_> {
    fn finish(self, data: Data, lines: Vec<Vec<u8>>, body: usize) -> Result<Header, Fault> {
        let end = lines.len() + 1;
        let fields = self.fields(end)?;
        let one = |entry: &Option<(usize, Vec<&[u8]>)>, key: &str| match entry {
            None => Ok(None),
            Some((line, values)) => match values.as_slice() {
                [value] => number(value)
                    .map(Some)
                    .ok_or_else(|| Fault::line(*line, format!("{} is no {key}", shown(value)))),
                _ => Err(Fault::line(*line, format!("{key} takes one number"))),
            },
        };
        let (width, height) = (one(&self.width, "WIDTH")?, one(&self.height, "HEIGHT")?);
        let points = one(&self.points, "POINTS")?;
        // Files before 0.6 have only some of the three.
        let (width, height) = match (width, height, points) {
            (Some(w), Some(h), _) => (w, h),
            (Some(w), None, _) => (w, 1),
            (None, _, Some(n)) => (n, 1),
            (None, _, None) => {
                return Err(Fault::line(end, "the header has neither WIDTH nor POINTS"));
            }
        };
        let product = width.checked_mul(height).filter(|&n| n <= limits::POINTS);
        let Some(product) = product else {
            let fault = format!("{width} x {height} points are more than one cloud can hold");
            return Err(Fault::line(end, fault));
        };
        if let Some(n) = points.filter(|&n| n != product) {
            let line = self.points.map_or(end, |p| p.0);
            let fault = format!("POINTS {n} is not WIDTH {width} times HEIGHT {height}");
            return Err(Fault::line(line, fault));
        }
        let viewpoint = match &self.viewpoint {
            None => None,
            Some((line, values)) => {
                let numbers: Option<Vec<f64>> =
                    values.iter().map(|v| crate::scalar::Number::parse(v)).collect();
                let seven = numbers.and_then(|n| <[f64; 7]>::try_from(n).ok());
                let fault = || Fault::line(*line, "VIEWPOINT takes seven numbers");
                Some(seven.ok_or_else(fault)?)
            }
        };
        Ok(Header { fields, width, height, viewpoint, points: product, data, lines, body })
    }

    fn fields(&self, end: usize) -> Result<Vec<Field>, Fault> {
        let Some((line, names)) = &self.fields else {
            return Err(Fault::line(end, "the header has no line \"FIELDS\""));
        };
        if names.len() > limits::COLUMNS {
            return Err(Fault::line(*line, format!("more than {} fields", limits::COLUMNS)));
        }
        let of = |entry: &Option<(usize, Vec<&[u8]>)>, key: &str| match entry {
            Some((line, values)) if values.len() != names.len() => {
                let (n, k) = (names.len(), values.len());
                Err(Fault::line(*line, format!("{key} has {k} values for {n} fields")))
            }
            _ => Ok(()),
        };
        of(&self.size, "SIZE")?;
        of(&self.ty, "TYPE")?;
        of(&self.count, "COUNT")?;
        let mut values = 0usize;
        let mut fields = Vec::with_capacity(names.len());
        for (i, name) in names.iter().enumerate() {
            let entry = |e: &Option<(usize, Vec<&[u8]>)>, usual: &[u8]| match e {
                Some((line, values)) => (*line, values[i].to_vec()),
                None => (end, usual.to_vec()),
            };
            let (size_line, size) = entry(&self.size, b"4");
            let (_, ty) = entry(&self.ty, b"F");
            let (count_line, count) = entry(&self.count, b"1");
            let ty = scalar(&ty, &size).ok_or_else(|| {
                let fault = format!("TYPE {} of SIZE {} is unknown", shown(&ty), shown(&size));
                Fault::line(size_line, fault)
            })?;
            let count = number(&count).filter(|&n| n >= 1).ok_or_else(|| {
                Fault::line(count_line, format!("{} is no COUNT of a field", shown(&count)))
            })?;
            values = values.saturating_add(count);
            if values > limits::VALUES {
                let fault = format!("a point of more than {} values", limits::VALUES);
                return Err(Fault::line(count_line, fault));
            }
            fields.push(Field { name: String::from_utf8_lossy(name).into_owned(), ty, count });
        }
        Ok(fields)
    }
}

fn shown(word: &[u8]) -> String {
    format!("\"{}\"", String::from_utf8_lossy(&word[..word.len().min(40)]))
}

fn number(word: &[u8]) -> Option<usize> {
    crate::scalar::parse_integer(word).and_then(|n| usize::try_from(n).ok())
}

fn scalar(ty: &[u8], size: &[u8]) -> Option<ScalarType> {
    Some(match (ty, size) {
        (b"I", b"1") => ScalarType::I8,
        (b"I", b"2") => ScalarType::I16,
        (b"I", b"4") => ScalarType::I32,
        (b"I", b"8") => ScalarType::I64,
        (b"U", b"1") => ScalarType::U8,
        (b"U", b"2") => ScalarType::U16,
        (b"U", b"4") => ScalarType::U32,
        (b"U", b"8") => ScalarType::U64,
        (b"F", b"4") => ScalarType::F32,
        (b"F", b"8") => ScalarType::F64,
        _ => return None,
    })
}

/// The letter of a type.
pub(crate) fn letter(ty: ScalarType) -> char {
    match ty {
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => 'I',
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 => 'U',
        ScalarType::F32 | ScalarType::F64 => 'F',
    }
}
