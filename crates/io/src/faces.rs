//! What connects the vertices of a mesh, in a form that every mesh format can take.

use std::borrow::Cow;
use std::collections::HashSet;

use pellucid_cloud::attribute::names;
use pellucid_cloud::{List, PointCloud, Values};

use crate::document::{Detail, Document, Dropped, Written};
use crate::scalar::{Number, with_numbers};

/// Polygons: number `i` has the corners `corners[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone)]
pub(crate) struct Polygons {
    pub offsets: Vec<usize>,
    pub corners: Vec<u32>,
}

impl Polygons {
    pub fn new() -> Self {
        Polygons { offsets: vec![0], corners: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.offsets.windows(2).map(|w| &self.corners[w[0]..w[1]])
    }

    /// Triangles, larger polygons cut into fans.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        self.iter().flat_map(|p| {
            let fan = p.get(1..).unwrap_or_default().windows(2);
            fan.map(|pair| [p[0], pair[0], pair[1]])
        })
    }

    /// Adds a polygon, given from zero; the corner that is no vertex, if there is one.
    pub fn push(&mut self, corners: &[i64], vertices: usize) -> Result<(), i64> {
        for &c in corners {
            let index = u32::try_from(c).ok().filter(|&u| (u as usize) < vertices);
            self.corners.push(index.ok_or(c)?);
        }
        self.offsets.push(self.corners.len());
        Ok(())
    }

    /// As the column of a PLY file.
    pub fn to_values(&self) -> Values {
        let corners = self.corners.iter().map(|&c| c as i32).collect();
        Values::List(Box::new(List { offsets: self.offsets.clone(), values: Values::I32(corners) }))
    }
}

pub(crate) fn outside(face: usize, index: i64, vertices: usize) -> String {
    format!("face {face} uses vertex {index}, but there are {vertices}")
}

/// The faces of a document of another format, if it has any that still hold.
pub(crate) fn of(document: &Document, dropped: &mut Vec<Dropped>) -> Option<Polygons> {
    let points = document.cloud.len();
    let (vertices, polygons) = match &document.source.detail {
        Detail::Ply(ply) => (ply.vertices(), from_lists(ply.faces()?)),
        Detail::Obj(obj) => (obj.vertices(), Some(obj.faces.clone())),
        Detail::Off(off) => (off.vertices(), Some(off.faces.clone())),
        Detail::Stl(stl) => (stl.vertices, Some(stl.polygons())),
        _ => return None,
    };
    let reason = match polygons {
        Some(polygons) if vertices == points && points <= i32::MAX as usize => {
            let sound = polygons.corners.iter().all(|&c| (c as usize) < points);
            if sound {
                return Some(polygons).filter(|p| p.len() > 0);
            }
            "some of their corners are no vertices"
        }
        Some(_) => CHANGED,
        None => "some of their corners are no vertices",
    };
    dropped.push(Dropped { attribute: "face".to_owned(), reason: reason.to_owned() });
    None
}

pub(crate) const CHANGED: &str = "the number of points changed, so its indices no longer hold";

fn from_lists(list: &List) -> Option<Polygons> {
    let mut corners = Vec::with_capacity(list.values.len());
    with_numbers!(&list.values, v => for x in v {
        let x = x.widen();
        corners.push(Some(x as u32).filter(|&u| f64::from(u) == x)?);
    }, {});
    Some(Polygons { offsets: list.offsets.clone(), corners })
}

/// Colors of vertices in a text, which are whole (0 to 255) or parts of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColorKind {
    /// As they are.
    Plain,
    /// Parts of one that are 255ths as near as the text says: bytes in the cloud.
    Parts,
    /// Whole numbers: bytes in the cloud.
    Bytes,
}

impl ColorKind {
    /// The kind of these values, and what they are in the cloud; `whole` if the text has no
    /// decimal point in them and the format then means bytes.
    pub fn of(values: Vec<f64>, whole: bool) -> (Self, Values) {
        let bytes = |scale: f64| values.iter().map(|x| (x * scale).round() as u8).collect();
        let part =
            |&x: &f64| (0.0..=1.0).contains(&x) && (x * 255.0 - (x * 255.0).round()).abs() < 1e-3;
        if !whole && values.iter().all(part) {
            (ColorKind::Parts, Values::U8(bytes(255.0)))
        } else if values.iter().all(|x| (0.0..=255.0).contains(x) && x.fract() == 0.0) {
            (ColorKind::Bytes, Values::U8(bytes(1.0)))
        } else {
            (ColorKind::Plain, Values::F64(values))
        }
    }

    /// What to write for a value of the cloud where the text has `old`; `None` if nothing.
    pub fn write(self, values: &Values, i: usize, old: f64) -> Option<f64> {
        let new = values.get_f64(i)?;
        match (self, values) {
            (ColorKind::Parts, Values::U8(_)) => {
                let same = (old * 255.0).round() == new;
                (!same).then_some(new / 255.0)
            }
            _ => Some(new),
        }
    }
}

/// Names every attribute that the format does not hold.
pub(crate) fn drop_others(cloud: &PointCloud, held: &[&str], format: &str, to: &mut Vec<Dropped>) {
    let held: HashSet<&str> = held.iter().copied().collect();
    for a in cloud.attributes().filter(|a| !held.contains(a.name())) {
        let reason = format!("{format} cannot store it");
        to.push(Dropped { attribute: a.name().to_owned(), reason });
    }
}

/// The colors of a cloud as columns for a text: (values, width), if they can be.
///
/// Those of 16 bits become bytes, and `changed` says so if they are not the same colors then.
pub(crate) fn color<'a>(
    cloud: &'a PointCloud,
    changed: &mut Vec<Dropped>,
) -> Option<(Cow<'a, Values>, usize)> {
    let a = cloud.attribute(names::COLOR).filter(|a| matches!(a.width(), 3 | 4))?;
    let values = match a.values() {
        Values::U8(_) | Values::F32(_) | Values::F64(_) => Cow::Borrowed(a.values()),
        Values::U16(v) => {
            // Some programs put bytes in fields of 16 bits as they are.
            let bytes = v.iter().all(|&x| x <= 255);
            if !bytes && v.iter().any(|x| x % 257 != 0) {
                let reason = "its 16 bits were rounded to 8".to_owned();
                changed.push(Dropped { attribute: names::COLOR.to_owned(), reason });
            }
            let byte = |x: u16| if bytes { x as u8 } else { ((u32::from(x) + 128) / 257) as u8 };
            Cow::Owned(Values::U8(v.iter().map(|&x| byte(x)).collect()))
        }
        _ => return None,
    };
    Some((values, a.width()))
}

/// Red, green and blue of each point as bytes, for formats without anything else.
pub(crate) fn color_bytes(
    cloud: &PointCloud,
    format: &str,
    written: &mut Written,
) -> Option<Vec<u8>> {
    let (values, width) = color(cloud, &mut written.changed)?;
    let numbers: Option<Vec<f64>> = (0..values.len()).map(|i| values.get_f64(i)).collect();
    let numbers = numbers?;
    let mut change = |attribute: &str, reason: String| {
        written.changed.push(Dropped { attribute: attribute.to_owned(), reason });
    };
    let scale = match values.as_ref() {
        Values::U8(_) => 1.0,
        _ if numbers.iter().all(|x| (0.0..=1.0).contains(x)) => 255.0,
        _ if numbers.iter().all(|x| (0.0..=255.0).contains(x)) => 1.0,
        _ => return None,
    };
    if numbers.iter().any(|x| (x * scale).fract() != 0.0) {
        change(names::COLOR, format!("{format} has 8 bits for each of red, green and blue"));
    }
    if width == 4 && numbers.chunks_exact(4).any(|c| c[3] != numbers[3]) {
        change("alpha", format!("{format} stores red, green and blue only"));
    }
    let rows = numbers.chunks_exact(width);
    Some(rows.flat_map(|row| row[..3].iter().map(|x| (x * scale).round() as u8)).collect())
}

/// Reads an index of a face.
pub(crate) fn index(word: &[u8]) -> Option<i64> {
    i64::parse(word)
}
