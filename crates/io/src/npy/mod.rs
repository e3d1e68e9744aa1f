//! NPY and NPZ, the arrays of NumPy: N x 3 or more columns, or records with named fields.
//!
//! `header` and `zip` know the formats, `array` turns arrays into clouds and back. In an NPZ
//! file the array `points` (or the first that can be one of points) is the cloud; arrays of as
//! many rows are its attributes, and any other array is copied as it is.

mod array;
mod header;
mod zip;

use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

use pellucid_cloud::{Attribute, PointCloud, Values};

use crate::document::{Detail, Document, Dropped, Encoding, Source, WriteJob, Written};
use crate::error::{Fault, WriteFault};
use crate::limits::Limits;
use crate::meaning;
use crate::scalar::ScalarType;
use array::Layout;

/// What an NPY file held beyond the cloud.
#[derive(Debug)]
pub(crate) struct NpySource {
    layout: Layout,
}

/// What an NPZ file held beyond the cloud.
#[derive(Debug)]
pub(crate) struct NpzSource {
    bytes: Vec<u8>,
    entries: Vec<(zip::Entry, Role)>,
    layout: Layout,
}

#[derive(Debug)]
enum Role {
    Points,
    Attribute(String),
    Other,
}

impl NpzSource {
    /// Names of the arrays that are neither the points nor attributes.
    pub fn others(&self) -> Vec<String> {
        let others = self.entries.iter().filter(|e| matches!(e.1, Role::Other));
        others.map(|e| String::from_utf8_lossy(&e.0.name).into_owned()).collect()
    }
}

/// Bytes of an array in an archive that are read to find out what it is.
const LOOK: usize = 1 << 16;

/// What the header of an array in an archive tells; headers themselves may be long, and many.
struct Look {
    /// Whether it can be one of points.
    points: bool,
    items: usize,
    /// How many points it can be an attribute of.
    attribute_rows: Option<usize>,
}

impl Look {
    fn at(bytes: &[u8], entry: &zip::Entry) -> Self {
        let header = header::parse(&zip::start(bytes, entry, LOOK)).ok();
        let header = header.as_ref();
        Look {
            points: header.is_some_and(array::holds_points),
            items: header.and_then(header::Header::items).unwrap_or(usize::MAX),
            attribute_rows: header.and_then(array::attribute_shape).map(|s| s.0),
        }
    }
}

/// Whether the first bytes are those of an array.
pub(crate) fn sniff(bytes: &[u8]) -> bool {
    bytes.starts_with(header::MAGIC)
}

/// Whether the first bytes are those of an archive.
pub(crate) fn sniff_npz(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

fn source(layout: &Layout, detail: Detail) -> Source {
    use crate::meaning::From::Position;
    let mut position = [ScalarType::F64; 3];
    for (field, origin) in &layout.slots {
        if let array::Origin::One(Position(axis)) = origin {
            position[*axis] = field.ty;
        }
    }
    let big = layout.slots.iter().any(|s| s.0.big);
    let encoding = if big { Encoding::BinaryBig } else { Encoding::BinaryLittle };
    Source { encoding: Some(encoding), position: Some(position), detail, ..Source::default() }
}

/// Reads an NPY document.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, Fault> {
    let (cloud, layout) = array::decode(bytes)?;
    let npy = Detail::Npy(Arc::new(NpySource { layout: layout.clone() }));
    Ok(Document { cloud, source: source(&layout, npy) })
}

/// Reads an NPZ document.
pub(crate) fn read_npz(bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
    let entries = zip::entries(bytes)?;
    let looks: Vec<Look> = entries.iter().map(|e| Look::at(bytes, e)).collect();
    let Some(points) = array_of_points(&entries, &looks) else {
        let fault = "no array in the archive is one of points: N x 3, or more columns";
        return Err(Fault::byte(0, fault));
    };
    let rows = looks[points].items;
    // Each may be small and all together not.
    let mut needed = rows.saturating_mul(24);
    let mut take = |e: &zip::Entry| {
        // The plain bytes, the columns of them, and what is gathered from columns.
        needed = needed.saturating_add(e.size.saturating_mul(3));
        limits.check(bytes.len(), needed).map_err(|fault| Fault::byte(e.data.start, fault))
    };
    take(&entries[points])?;
    let plain = zip::unpack(bytes, &entries[points])?;
    let (mut cloud, layout) = array::decode(&plain).map_err(|f| inside(f, &entries[points]))?;
    drop(plain);
    let mut used: meaning::Names = cloud.attributes().map(|a| a.name().to_owned()).collect();
    let mut roles = Vec::with_capacity(entries.len());
    for (i, entry) in entries.into_iter().enumerate() {
        let fits = looks[i].attribute_rows == Some(cloud.len());
        let role = if i == points {
            Role::Points
        } else if fits {
            take(&entry)?;
            let plain = zip::unpack(bytes, &entry)?;
            match array::decode_attribute(&plain, cloud.len()) {
                Some((values, width)) => {
                    let stem = String::from_utf8_lossy(&entry.name).into_owned();
                    let stem = stem.strip_suffix(".npy").unwrap_or(&stem);
                    let name = used.take(array::attribute_name(stem));
                    cloud
                        .set_attribute(Attribute::vector(name.as_str(), width, values))
                        .map_err(|e| Fault::byte(entry.data.start, e.to_string()))?;
                    Role::Attribute(name)
                }
                None => Role::Other,
            }
        } else {
            Role::Other
        };
        roles.push((entry, role));
    }
    let npz = NpzSource { bytes: bytes.to_vec(), entries: roles, layout: layout.clone() };
    Ok(Document { cloud, source: source(&layout, Detail::Npz(Arc::new(npz))) })
}

/// Which array has the points: the first that can, those with the usual names before others.
fn array_of_points(entries: &[zip::Entry], looks: &[Look]) -> Option<usize> {
    let usual: [&[u8]; 4] = [b"points.npy", b"xyz.npy", b"positions.npy", b"pos.npy"];
    let mut can = (0..entries.len()).filter(|&i| looks[i].points);
    let first = can.clone().next();
    can.find(|&i| usual.contains(&entries[i].name.as_slice())).or(first)
}

/// A fault inside an array, with the place of the array in the archive.
fn inside(fault: Fault, e: &zip::Entry) -> Fault {
    let name = String::from_utf8_lossy(&e.name).into_owned();
    match fault {
        Fault::At(place, what) => {
            let what = format!("in the array \"{name}\" at its {place}: {what}");
            Fault::byte(e.data.start, what)
        }
        other => other,
    }
}

fn check(job: &WriteJob) -> Result<(), WriteFault> {
    match job.encoding {
        None | Some(Encoding::BinaryLittle) => Ok(()),
        _ => Err(WriteFault::Unfit(
            "arrays are written in little-endian binary, or as their file had them".to_owned(),
        )),
    }
}

fn drop_words(cloud: &PointCloud, dropped: &mut Vec<Dropped>) {
    for a in cloud.attributes().filter(|a| ScalarType::of(a.values()).is_none()) {
        let reason = "arrays hold numbers only, and as many for every point".to_owned();
        dropped.push(Dropped { attribute: a.name().to_owned(), reason });
    }
}

/// Writes an NPY document.
pub(crate) fn write(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    check(job)?;
    let cloud = &document.cloud;
    let mut written = Written::default();
    drop_words(cloud, &mut written.dropped);
    let position = document.source.position.unwrap_or([ScalarType::F64; 3]);
    let own = match &document.source.detail {
        Detail::Npy(npy) => Some(&npy.layout),
        _ => None,
    };
    let own = own.filter(|l| l.fits(cloud) && cloud.attributes().all(|a| l.has(a.name())));
    let bytes = match own {
        Some(layout) => layout.encode(cloud),
        None => Layout::plan(cloud, position, false, &mut written.dropped).encode(cloud),
    };
    sink.write_all(&bytes)?;
    Ok(written)
}

/// Writes an NPZ document.
pub(crate) fn write_npz(
    document: &Document,
    job: &WriteJob,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    check(job)?;
    let cloud = &document.cloud;
    let mut written = Written::default();
    drop_words(cloud, &mut written.dropped);
    let npz = match &document.source.detail {
        Detail::Npz(npz) => Some(npz.as_ref()),
        _ => None,
    };
    let mut archive = zip::Archive::default();
    let mut done: HashSet<&str> = HashSet::new();
    let mut names: HashSet<Vec<u8>> = HashSet::new();
    let position = document.source.position.unwrap_or([ScalarType::F64; 3]);
    match npz {
        None => {
            let layout = Layout::plan(cloud, position, true, &mut written.dropped);
            add(&mut archive, b"points.npy", &layout.encode(cloud), false)?;
            names.insert(b"points.npy".to_vec());
        }
        Some(npz) => {
            names.extend(npz.entries.iter().map(|(entry, _)| entry.name.clone()));
            let layout = Some(&npz.layout).filter(|l| l.fits(cloud)).cloned();
            let layout =
                layout.unwrap_or_else(|| Layout::plan(cloud, position, true, &mut written.dropped));
            done = write_entries(npz, cloud, &layout, &mut archive)?;
        }
    }
    for a in cloud.attributes().filter(|a| !done.contains(a.name())) {
        let Some(bytes) = array::encode_attribute(a) else { continue };
        let mut name = format!("{}.npy", a.name()).into_bytes();
        while !names.insert(name.clone()) {
            name.insert(0, b'_');
        }
        add(&mut archive, &name, &bytes, false)?;
    }
    sink.write_all(&archive.finish().map_err(WriteFault::Unfit)?)?;
    Ok(written)
}

/// Writes the arrays of the archive that the cloud came from; gives the attributes that they hold.
fn write_entries<'a>(
    npz: &NpzSource,
    cloud: &'a PointCloud,
    layout: &Layout,
    archive: &mut zip::Archive,
) -> Result<HashSet<&'a str>, WriteFault> {
    let mut done = HashSet::new();
    for (entry, role) in &npz.entries {
        match role {
            Role::Points => {
                let own = cloud.attributes().filter(|a| layout.has(a.name()));
                done.extend(own.map(Attribute::name));
                add(archive, &entry.name, &layout.encode(cloud), entry.deflated)?;
            }
            Role::Attribute(name) => {
                let Some(a) = cloud.attribute(name) else { continue };
                done.insert(a.name());
                if is_unchanged(npz, entry, a) {
                    archive.copy(&npz.bytes, entry).map_err(WriteFault::Unfit)?;
                } else if let Some(bytes) = array::encode_attribute(a) {
                    add(archive, &entry.name, &bytes, entry.deflated)?;
                }
            }
            Role::Other => archive.copy(&npz.bytes, entry).map_err(WriteFault::Unfit)?,
        }
    }
    Ok(done)
}

fn add(a: &mut zip::Archive, name: &[u8], plain: &[u8], deflate: bool) -> Result<(), WriteFault> {
    a.add(name, plain, deflate).map_err(WriteFault::Unfit)
}

fn is_unchanged(npz: &NpzSource, entry: &zip::Entry, a: &Attribute) -> bool {
    let old = zip::unpack(&npz.bytes, entry).ok();
    let rows = a.values().len() / a.width();
    let old = old.and_then(|plain| array::decode_attribute(&plain, rows));
    old.is_some_and(|(values, width)| width == a.width() && is_same(&values, a.values()))
}

fn is_same(a: &Values, b: &Values) -> bool {
    match (a, b) {
        (Values::F32(a), Values::F32(b)) => {
            a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
        }
        (Values::F64(a), Values::F64(b)) => {
            a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
        }
        _ => a == b,
    }
}
