//! From a document to a file.

use std::io::Write;

use pellucid_cloud::Point;
use pellucid_cloud::vec3::{cross, norm, sub};

use super::{Body, FACET, HEADER, StlSource};
use crate::document::{Detail, Document, Dropped, Encoding, Source, WriteJob, Written};
use crate::error::WriteFault;
use crate::faces::{self, Polygons};
use crate::scalar::Number;
use crate::template::is_same;

/// Writes a document.
pub(crate) fn write(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    let (cloud, source) = (&document.cloud, &document.source);
    let mut written = Written::default();
    faces::drop_others(cloud, &[], "STL", &mut written.dropped);
    let encoding = encoding(job, source)?;
    if encoding != Encoding::Ascii {
        written.dropped.extend(rounded(cloud.positions()));
    }
    let stl = match &source.detail {
        Detail::Stl(stl) => Some(stl.as_ref()),
        _ => None,
    };
    if let Some(stl) = stl
        && put_back(stl, cloud.positions(), encoding, sink)?
    {
        return Ok(written);
    }
    let polygons = polygons(document, &mut written.dropped)?;
    let bytes = match encoding {
        Encoding::Ascii => text(&polygons, cloud.positions()),
        _ => binary(&polygons, cloud.positions(), stl)?,
    };
    sink.write_all(&bytes)?;
    Ok(written)
}

fn unfit<T>(fault: &str) -> Result<T, WriteFault> {
    Err(WriteFault::Unfit(fault.to_owned()))
}

/// How to write: as asked for, or as the file was.
fn encoding(job: &WriteJob, source: &Source) -> Result<Encoding, WriteFault> {
    match job.encoding.or(source.encoding) {
        Some(Encoding::BinaryBig) if job.encoding.is_some() => {
            unfit("STL has no big-endian form; ask for binary or ascii")
        }
        Some(Encoding::Ascii) => Ok(Encoding::Ascii),
        _ => Ok(Encoding::BinaryLittle),
    }
}

/// What single precision loses, if anything.
fn rounded(points: &[Point]) -> Option<Dropped> {
    let rounded = |x: &f64| f64::from(*x as f32) != *x && !x.is_nan();
    points.iter().flatten().any(rounded).then(|| Dropped {
        attribute: "double precision".to_owned(),
        reason: "binary STL holds single precision; coordinates are rounded to it".to_owned(),
    })
}

/// Writes the file that the triangles came from with their corners where the points are now, if the encoding is
/// the same; whether it is.
fn put_back(
    stl: &StlSource,
    points: &[Point],
    encoding: Encoding,
    sink: &mut dyn Write,
) -> Result<bool, WriteFault> {
    if stl.vertices != points.len() {
        return unfit(
            "the number of points changed, so the triangles no longer hold; choose another \
             format such as .ply",
        );
    }
    match (&stl.body, encoding) {
        (Body::Binary(bytes), Encoding::BinaryLittle) => {
            sink.write_all(&moved(stl, bytes, points))?;
        }
        (Body::Ascii(template), Encoding::Ascii) => {
            let row = |row: usize, column: usize, old: f64| {
                let facet = row / 4;
                match row % 4 {
                    0 => {
                        let [a, b, c] = stl.facet(facet, points);
                        stl.is_moved(facet, points, template).then(|| normal(a, b, c)[column])
                    }
                    k => {
                        let new = stl.facet(facet, points)[k - 1][column];
                        // A corner at minus zero shares its point with one at zero.
                        (new != old).then_some(new)
                    }
                }
            };
            template.write(sink, 3, row)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The triangles of a document; points that none of them has are listed.
fn polygons(document: &Document, dropped: &mut Vec<Dropped>) -> Result<Polygons, WriteFault> {
    let points = document.cloud.positions();
    // Faces of one or two corners make no triangle.
    let polygons = faces::of(document, dropped)
        .filter(|p| points.is_empty() || p.triangles().next().is_some());
    let Some(polygons) = polygons else {
        return unfit(
            "STL holds triangles, and there are none; choose another format such as .ply",
        );
    };
    let mut unused = vec![true; points.len()];
    polygons.triangles().flatten().for_each(|i| unused[i as usize] = false);
    let unused = unused.iter().filter(|u| **u).count();
    dropped.extend((unused > 0).then(|| Dropped {
        attribute: format!("{unused} points"),
        reason: "STL holds triangles only, and none has them as a corner".to_owned(),
    }));
    Ok(polygons)
}

/// Normal and corners of each triangle.
fn facets<'a>(
    polygons: &'a Polygons,
    points: &'a [Point],
) -> impl Iterator<Item = [Point; 4]> + 'a {
    polygons.triangles().map(move |t| {
        let [a, b, c] = t.map(|i| points[i as usize]);
        [normal(a, b, c), a, b, c]
    })
}

fn text(polygons: &Polygons, points: &[Point]) -> Vec<u8> {
    let mut out = b"solid pellucid\n".to_vec();
    for rows in facets(polygons, points) {
        let starts: [&[u8]; 4] = [b"facet normal", b"outer loop\nvertex", b"vertex", b"vertex"];
        for (start, row) in starts.into_iter().zip(rows) {
            out.extend_from_slice(start);
            for x in row {
                out.push(b' ');
                x.print(&mut out);
            }
            out.push(b'\n');
        }
        out.extend_from_slice(b"endloop\nendfacet\n");
    }
    out.extend_from_slice(b"endsolid pellucid\n");
    out
}

/// With the attribute bytes of the binary file that the triangles came from, if they did.
fn binary(
    polygons: &Polygons,
    points: &[Point],
    stl: Option<&StlSource>,
) -> Result<Vec<u8>, WriteFault> {
    let Ok(count) = u32::try_from(facets(polygons, points).count()) else {
        return unfit("too many triangles for STL");
    };
    let mut out = b"binary STL by pellucid".to_vec();
    out.resize(HEADER - 4, 0);
    out.extend_from_slice(&count.to_le_bytes());
    let old = match stl.map(|s| &s.body) {
        Some(Body::Binary(bytes)) => Some(bytes),
        _ => None,
    };
    for (i, rows) in facets(polygons, points).enumerate() {
        for x in rows.into_iter().flatten() {
            out.extend_from_slice(&f32::narrow(x).to_le_bytes());
        }
        let attribute = old.map(|b| &b[HEADER + FACET * i + 48..][..2]);
        out.extend_from_slice(attribute.unwrap_or(&[0, 0]));
    }
    Ok(out)
}

impl StlSource {
    fn facet(&self, facet: usize, points: &[Point]) -> [Point; 3] {
        [0, 1, 2].map(|k| points[self.corners[3 * facet + k] as usize])
    }

    /// Whether a corner of a facet is elsewhere than in the text.
    fn is_moved(&self, facet: usize, points: &[Point], t: &crate::template::Template) -> bool {
        self.facet(facet, points).into_iter().enumerate().any(|(k, p)| {
            let words = crate::template::words(&t.text, t.starts[4 * facet + 1 + k]);
            words.zip(p).any(|((_, word), x)| {
                f64::parse(word).is_none_or(|old| old != x && !is_same(old, x))
            })
        })
    }
}

/// The file with the corners where the points are now.
fn moved(stl: &StlSource, bytes: &[u8], points: &[Point]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for (i, facet) in out[HEADER..].chunks_exact_mut(FACET).enumerate() {
        let corners = stl.facet(i, points);
        let mut any = false;
        for (corner, place) in corners.iter().zip(facet[12..48].chunks_exact_mut(12)) {
            for (x, place) in corner.iter().zip(place.chunks_exact_mut(4)) {
                let (old, new) = (f32::get(place, false), f32::narrow(*x));
                if old != new && old.to_bits() != new.to_bits() {
                    new.put(place, false);
                    any = true;
                }
            }
        }
        if any {
            let [a, b, c] = corners;
            for (x, place) in normal(a, b, c).into_iter().zip(facet.chunks_exact_mut(4)) {
                f32::narrow(x).put(place, false);
            }
        }
    }
    out
}

/// Of unit length by the right-hand rule; zero where the corners are in line.
fn normal(a: Point, b: Point, c: Point) -> Point {
    let n = cross(sub(b, a), sub(c, a));
    let length = norm(n);
    if length > 0.0 && length.is_finite() { n.map(|x| x / length) } else { [0.0; 3] }
}
