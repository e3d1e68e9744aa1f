//! Triangle meshes, to measure clouds against: PLY, OFF and OBJ.

use std::borrow::Cow;
use std::path::Path;

use pellucid_cloud::quality::TriangleMesh;
use pellucid_cloud::{List, Point};

use crate::compression::{check_name, unpacked};
use crate::document::Detail;
use crate::error::{Fault, IoError};
use crate::limits::Limits;
use crate::scalar::{Number, with_numbers};

/// Extensions of files that [`read_mesh`] reads.
pub const MESH_EXTENSIONS: &[&str] = &["ply", "off", "obj"];

/// Reads a triangle mesh (PLY, OFF or OBJ by extension); polygons are cut into fans.
///
/// ```no_run
/// let mesh = pellucid_io::read_mesh("truth.off".as_ref())?;
/// println!("{} triangles", mesh.triangles.len());
/// # Ok::<(), pellucid_io::IoError>(())
/// ```
pub fn read_mesh(path: &Path) -> Result<TriangleMesh, IoError> {
    let bytes = crate::read_file(path)?;
    check_name(path, &bytes)?;
    read_mesh_bytes(&bytes, &crate::extension(path), &path.display().to_string())
}

/// Reads a triangle mesh from a file's bytes; `extension` says which format it is.
pub fn read_mesh_bytes(bytes: &[u8], extension: &str, name: &str) -> Result<TriangleMesh, IoError> {
    let (bytes, _) = unpacked(Cow::Borrowed(bytes), &Limits::default(), name)?;
    let bytes = bytes.as_ref();
    if bytes.is_empty() {
        return Err(IoError::Empty { file: name.to_owned() });
    }
    let mesh = match extension.to_ascii_lowercase().as_str() {
        "ply" => ply(bytes),
        "off" => off(bytes),
        "obj" => obj(bytes),
        _ => {
            let fault = "unknown mesh format; use a file that ends in .ply, .off or .obj";
            return Err(IoError::Unfit { file: name.to_owned(), fault: fault.to_owned() });
        }
    }
    .map_err(|fault| fault.of(name))?;
    if mesh.triangles.is_empty() {
        let fault = "there are no faces; is this a point cloud?";
        return Err(Fault::byte(bytes.len(), fault).of(name));
    }
    Ok(mesh)
}

/// Adds a polygon as a fan; the index that is no vertex, if there is one.
fn add_fan(mesh: &mut TriangleMesh, corners: &[i64]) -> Result<(), i64> {
    let vertices = mesh.vertices.len();
    let index = |i: i64| u32::try_from(i).ok().filter(|&u| (u as usize) < vertices).ok_or(i);
    for pair in corners.get(1..).unwrap_or_default().windows(2) {
        mesh.triangles.push([index(corners[0])?, index(pair[0])?, index(pair[1])?]);
    }
    Ok(())
}

fn outside(face: usize, index: i64, vertices: usize) -> String {
    format!("face {face} uses vertex {index}, but there are {vertices}")
}

fn ply(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let document = crate::ply::read(bytes)?;
    let mut mesh = TriangleMesh { vertices: Vec::new(), triangles: Vec::new() };
    if let Detail::Ply(source) = &document.source.detail
        && let Some(faces) = source.faces()
    {
        mesh.vertices = document.cloud.into_positions();
        let List { offsets, values } = faces;
        let mut corners = Vec::new();
        for (face, w) in offsets.windows(2).enumerate() {
            corners.clear();
            with_numbers!(values, v => {
                corners.extend(v[w[0]..w[1]].iter().map(|x| x.widen() as i64));
            }, {});
            add_fan(&mut mesh, &corners)
                .map_err(|i| Fault::byte(bytes.len(), outside(face, i, mesh.vertices.len())))?;
        }
    }
    Ok(mesh)
}

/// Lines with something on them, with their numbers and without comments.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    bytes.split(|&b| b == b'\n').enumerate().filter_map(|(i, line)| {
        let end = memchr::memchr(b'#', line).unwrap_or(line.len());
        let line = line[..end].trim_ascii();
        (!line.is_empty()).then_some((i + 1, line))
    })
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty())
}

fn point(line: usize, mut words: impl Iterator<Item = impl AsRef<[u8]>>) -> Result<Point, Fault> {
    let mut p = [0.0; 3];
    for x in &mut p {
        *x = words
            .next()
            .and_then(|w| f64::parse(w.as_ref()))
            .ok_or_else(|| Fault::line(line, "a vertex needs three numbers"))?;
    }
    Ok(p)
}

fn off(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let mut lines = lines(bytes).peekable();
    let ends = |what: &str| {
        Fault::line_of(
            bytes,
            bytes.len(),
            format!("the file ends before the {what}; is it truncated?"),
        )
    };
    let (line, first) = lines.next().ok_or_else(|| ends("header"))?;
    let rest = ["OFF", "COFF", "NOFF", "CNOFF", "STOFF"]
        .iter()
        .find_map(|mark| first.strip_prefix(mark.as_bytes()))
        .filter(|rest| !rest.trim_ascii().starts_with(b"BINARY"))
        .ok_or_else(|| Fault::line(line, "the first line must be \"OFF\" (in ascii)"))?;
    // Some files have the counts right behind the mark.
    let (line, counts) = if rest.trim_ascii().is_empty() {
        lines.next().ok_or_else(|| ends("counts"))?
    } else {
        (line, rest)
    };
    let counts: Vec<u32> = words(counts).map_while(u32::parse).collect();
    let [vertices, faces] = match counts.as_slice() {
        [v, f, ..] => [*v as usize, *f as usize],
        _ => return Err(Fault::line(line, "the counts of vertices and faces are missing")),
    };
    // "0 0 0" and "3" with their line ends.
    if 6 * vertices + 2 * faces > bytes.len() + 1 {
        let fault = format!("{vertices} vertices and {faces} faces do not fit in the file");
        return Err(Fault::line(line, fault));
    }
    let mut mesh = TriangleMesh { vertices: Vec::with_capacity(vertices), triangles: Vec::new() };
    for _ in 0..vertices {
        let (line, text) = lines.next().ok_or_else(|| ends("last vertex"))?;
        mesh.vertices.push(point(line, words(text))?);
    }
    for face in 0..faces {
        let (line, text) = lines.next().ok_or_else(|| ends("last face"))?;
        let mut numbers = words(text).map(i64::parse);
        let n = numbers.next().flatten().filter(|&n| n >= 0);
        let n = n.ok_or_else(|| Fault::line(line, "a face starts with its number of corners"))?;
        let corners: Vec<i64> = numbers.map_while(|x| x).take(n as usize).collect();
        if corners.len() != n as usize {
            return Err(Fault::line(
                line,
                format!("a face of {n} corners lists {}", corners.len()),
            ));
        }
        add_fan(&mut mesh, &corners)
            .map_err(|i| Fault::line(line, outside(face, i, mesh.vertices.len())))?;
    }
    Ok(mesh)
}

fn obj(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let mut mesh = TriangleMesh { vertices: Vec::new(), triangles: Vec::new() };
    // A face may come before its vertices, so faces wait.
    let mut faces: Vec<(usize, Vec<i64>)> = Vec::new();
    for (line, text) in lines(bytes) {
        let mut words = words(text);
        match words.next() {
            Some(b"v") => mesh.vertices.push(point(line, words)?),
            Some(b"f") => {
                let corner = |word: &[u8]| {
                    let index = word.split(|&b| b == b'/').next().and_then(i64::parse)?;
                    // From one; negative ones count back from the last vertex so far.
                    Some(if index < 0 { index + mesh.vertices.len() as i64 } else { index - 1 })
                };
                let corners: Option<Vec<i64>> = words.map(corner).collect();
                let corners =
                    corners.ok_or_else(|| Fault::line(line, "a face lists vertex numbers"))?;
                faces.push((line, corners));
            }
            _ => {}
        }
    }
    for (face, (line, corners)) in faces.iter().enumerate() {
        add_fan(&mut mesh, corners).map_err(|i| {
            Fault::line(*line, outside(face, i.saturating_add(1), mesh.vertices.len()))
        })?;
    }
    Ok(mesh)
}
