//! From a file to a document.

use std::collections::HashSet;
use std::sync::Arc;

use las::raw::Header;
use pellucid_cloud::{Attribute, PointCloud, Values};
use rayon::prelude::*;

use super::chunks::Packing;
use super::columns::{Columns, Rows};
use super::extra::{self, Descriptor};
use super::file::{self, COMPRESSED, File, Frame, Points};
use super::record::{self, EXTRA_BYTES, Field, RETURN};
use super::{LasSource, Slot, quantize};
use crate::document::{Detail, Document, Encoding, Source};
use crate::error::Fault;
use crate::limits::{self, Limits};
use crate::meaning;
use crate::rows::{CHUNK, weave};
use crate::scalar::{Number, ScalarType, with_numbers};

/// Reads LAS or LAZ.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
    let file = file::parse(bytes)?;
    let standard = record::fields(file.frame.format);
    let records = file.frame.vlrs.iter().chain(&file.frame.evlrs).zip(&file.starts);
    let described = records
        .into_iter()
        .find(|(v, _)| file::is(v, extra::USER, extra::RECORD))
        .map(|(v, start)| (v.data.as_slice(), *start));
    let added = added_fields(&file.frame.header, described)?;
    let mut fields = standard.clone();
    fields.extend(added.iter().map(|a| a.field.clone()));
    if let Points::Packed { .. } = &file.points {
        let needed = file.count.saturating_mul(memory(&fields, &added, &file));
        let start = file.frame.header.offset_to_point_data as usize;
        limits.check(bytes.len(), needed).map_err(|fault| {
            Fault::byte(start, format!("the header promises {} points: {fault}", file.count))
        })?;
    }
    let (columns, exact) = decode(bytes, &file, &fields, limits)?;
    let stored = if exact { None } else { Some(stored(bytes, &file, limits)?) };
    let frame = file.frame;

    let fault = |e: pellucid_cloud::CloudError| Fault::byte(0, e.to_string());
    let mut cloud = PointCloud::new(columns.positions);
    let mut values = columns.values.into_iter();
    let mut returns = Vec::new();
    for (field, values) in standard.iter().zip(values.by_ref()) {
        if field.name == RETURN {
            returns = histogram(&values);
        }
        let a = Attribute::vector(field.name.clone(), field.width, values);
        cloud.set_attribute(a).map_err(fault)?;
    }
    let extra: Vec<(Added, Values)> = added.into_iter().zip(values).collect();
    let slots = set_extra(&mut cloud, extra).map_err(fault)?;

    let bounds = cloud.bounds();
    let count = cloud.len();
    let frame = Arc::new(frame);
    let las = LasSource { frame, count, slots, bounds, returns, stored };
    let source = Source {
        encoding: Some(Encoding::BinaryLittle),
        position: Some([ScalarType::F64; 3]),
        detail: Detail::Las(Arc::new(las)),
        ..Source::default()
    };
    Ok(Document { cloud, source })
}

/// Bytes of memory that a compressed point takes, if it comes to the worst.
fn memory(fields: &[Field], added: &[Added], file: &File) -> usize {
    let columns: usize = fields.iter().map(|f| f.width * f.ty().size()).sum();
    let scaled =
        added.iter().filter(|a| a.descriptor.as_ref().is_some_and(|d| d.transform().is_some()));
    // Numbers of scaled fields, positions, coordinates as stored, the record unpacked.
    let numbers: usize = scaled.map(|a| 8 * a.field.width).sum();
    columns + numbers + 24 + 48 + usize::from(file.frame.header.point_data_record_length)
}

/// A field that the file adds, described or not.
pub(super) struct Added {
    descriptor: Option<Descriptor>,
    field: Field,
}

/// The fields that a record of extra bytes describes, given with where it starts, and those that
/// nothing does.
pub(super) fn added_fields(
    header: &Header,
    described: Option<(&[u8], usize)>,
) -> Result<Vec<Added>, Fault> {
    let base = record::base_length(header.point_data_record_format & !COMPRESSED).unwrap_or(0);
    let length = usize::from(header.point_data_record_length);
    let (data, start) = described.unwrap_or_default();
    let descriptors = Descriptor::all(data);
    if descriptors.len() > limits::COLUMNS {
        let fault = format!("{} extra fields, more than {}", descriptors.len(), limits::COLUMNS);
        return Err(Fault::byte(start, fault));
    }
    let mut at = base;
    let mut added = Vec::new();
    for (i, d) in descriptors.into_iter().enumerate() {
        let place = start + i * extra::BYTES;
        let Some((ty, width)) = d.shape() else {
            let fault = format!("the extra bytes \"{}\" have an unknown type", d.name());
            return Err(Fault::byte(place, fault));
        };
        let end = at + width * ty.size();
        if end > length {
            let fault = format!(
                "the extra bytes \"{}\" end at byte {end} of a point, but a point has {length}",
                d.name()
            );
            return Err(Fault::byte(place, fault));
        }
        let field = Field::new(d.name(), at, width, ty);
        added.push(Added { descriptor: Some(d), field });
        at = end;
    }
    if at < length {
        let field = Field::new(EXTRA_BYTES, at, length - at, ScalarType::U8);
        added.push(Added { descriptor: None, field });
    }
    Ok(added)
}

/// The columns, and whether the positions determine the stored integers.
fn decode(
    bytes: &[u8],
    file: &File,
    fields: &[Field],
    limits: &Limits,
) -> Result<(Columns, bool), Fault> {
    let header = &file.frame.header;
    let length = usize::from(header.point_data_record_length);
    let (scale, offset) = quantize::of(header);
    let sizes = |n: usize| -> Vec<usize> {
        (0..n).step_by(CHUNK).map(|start| CHUNK.min(n - start)).collect()
    };
    match &file.points {
        Points::Plain(records) => {
            let mut columns = Columns::new(fields, file.count, scale, offset);
            let jobs = columns.cut(fields, &sizes(file.count));
            let exact = jobs
                .into_par_iter()
                .zip(records.par_chunks(CHUNK * length))
                .map(|(mut rows, raw)| rows.fill(fields, 0..rows.len, raw, length))
                .reduce(|| true, |a, b| a && b);
            Ok((columns, exact))
        }
        Points::Packed { laszip, at } => {
            let packing = Packing::parse(laszip, *at, file.frame.format, length)?;
            limits
                .check(bytes.len(), packing.decoder_bytes())
                .map_err(|fault| Fault::byte(file::at::LENGTH, fault))?;
            let start = header.offset_to_point_data as usize;
            // All chunks are checked before room is made for their points.
            let chunks = packing.chunks(bytes, start, file.count)?;
            let mut columns = Columns::new(fields, file.count, scale, offset);
            let sizes: Vec<usize> = chunks.iter().map(|c| c.points).collect();
            let jobs: Vec<Rows> = columns.cut(fields, &sizes);
            // Few jobs run at once where the state of a decoder is large.
            let most = limits.most(bytes.len()) / 2;
            let at_once = (most / packing.decoder_bytes()).clamp(1, chunks.len().max(1));
            let results: Vec<Result<bool, Fault>> = jobs
                .into_par_iter()
                .zip(&chunks)
                .with_min_len(chunks.len().div_ceil(at_once))
                .map(|(mut rows, chunk)| {
                    let mut exact = true;
                    packing.unpack(chunk, CHUNK, &mut |from, raw| {
                        let n = raw.len() / length;
                        exact &= rows.fill(fields, from..from + n, raw, length);
                    })?;
                    Ok(exact)
                })
                .collect();
            let mut exact = true;
            // The first fault in the file is reported, whichever was found first.
            for result in results {
                exact &= result?;
            }
            Ok((columns, exact))
        }
    }
}

/// The stored coordinates themselves.
fn stored(bytes: &[u8], file: &File, limits: &Limits) -> Result<Vec<[i32; 3]>, Fault> {
    let (columns, _) = decode(bytes, file, &[Field::new("xyz", 0, 3, ScalarType::I32)], limits)?;
    Ok(match columns.values.first() {
        Some(Values::I32(v)) => v.chunks_exact(3).map(|k| [k[0], k[1], k[2]]).collect(),
        _ => Vec::new(),
    })
}

/// How many points have each return number.
pub(super) fn histogram(values: &Values) -> Vec<u64> {
    let mut counts = vec![0; 16];
    if let Values::U8(v) = values {
        v.iter().for_each(|x| counts[usize::from(*x & 15)] += 1);
    }
    counts
}

/// The field that an added one stands for, which is written so where values do not fit the field.
fn standard_name(added: &str) -> &str {
    added.strip_suffix("_2").unwrap_or(added)
}

/// Makes attributes of what the file adds, and tells which became what.
fn set_extra(
    cloud: &mut PointCloud,
    extra: Vec<(Added, Values)>,
) -> Result<Vec<Slot>, pellucid_cloud::CloudError> {
    let mut blank: HashSet<String> = HashSet::new();
    for (added, _) in &extra {
        let name = standard_name(&added.field.name);
        if is_blank(cloud, name) {
            blank.insert(name.to_owned());
        }
    }
    let groups = groups(cloud, &extra);
    let own = cloud.attributes().map(|a| a.name().to_owned());
    let mut taken: meaning::Names = own.chain(groups.iter().map(|g| g.attribute.clone())).collect();
    let mut slots = Vec::new();
    let mut columns: Vec<Option<Values>> = Vec::new();
    for (i, (added, values)) in extra.into_iter().enumerate() {
        let (ty, width) = (added.field.ty(), added.field.width);
        let mut slot = Slot {
            descriptor: added.descriptor,
            attribute: String::new(),
            first: 0,
            width,
            ty,
            scaled: false,
        };
        columns.push(None);
        let place = |g: &&meaning::Group| g.columns.contains(&i);
        if let Some(group) = groups.iter().find(place) {
            slot.attribute = group.attribute.clone();
            slot.first = group.columns.iter().position(|&c| c == i).unwrap_or(0);
            columns[i] = Some(values);
            slots.push(slot);
            continue;
        }
        let name = standard_name(&added.field.name);
        slot.attribute = if blank.remove(name) {
            // A standard field without content gives its name to the added one.
            cloud.remove_attribute(name);
            name.to_owned()
        } else {
            taken.take(&added.field.name)
        };
        let transform = slot.descriptor.as_ref().and_then(Descriptor::transform);
        let real = transform.and_then(|t| unscale(&values, width, &t));
        slot.scaled = real.is_some();
        let values = real.map_or(values, Values::F64);
        cloud.set_attribute(Attribute::vector(slot.attribute.clone(), width, values))?;
        slots.push(slot);
    }
    for group in groups {
        let parts: Option<Vec<&Values>> =
            group.columns.iter().map(|&c| columns[c].as_ref()).collect();
        let Some(parts) = parts else { continue };
        let values = weave(&parts);
        cloud.set_attribute(Attribute::vector(group.attribute, parts.len(), values))?;
    }
    Ok(slots)
}

/// Which single numbers belong together, such as the components of normals.
fn groups(cloud: &PointCloud, extra: &[(Added, Values)]) -> Vec<meaning::Group> {
    let xyz = ["x", "y", "z"].map(|n| (n.to_owned(), Some(ScalarType::F64)));
    let added = extra.iter().map(|(a, _)| {
        let plain = |d: &Descriptor| d.transform().is_none();
        let single = a.field.width == 1 && a.descriptor.as_ref().is_some_and(plain);
        (a.field.name.clone(), single.then(|| a.field.ty()))
    });
    let columns: Vec<(String, Option<ScalarType>)> = xyz.into_iter().chain(added).collect();
    let Some(meaning) = meaning::of(&columns) else { return Vec::new() };
    meaning
        .groups
        .into_iter()
        .filter(|g| g.columns.len() > 1 && cloud.attribute(&g.attribute).is_none())
        // Another column may be called x.
        .filter(|g| g.columns.iter().all(|&c| c >= 3))
        .map(|mut g| {
            g.columns.iter_mut().for_each(|c| *c -= 3);
            g
        })
        .collect()
}

/// Whether the cloud has the attribute, but with nothing in it.
fn is_blank(cloud: &PointCloud, name: &str) -> bool {
    let blank = f64::from(record::default_of(name));
    cloud.attribute(name).is_some_and(|a| {
        with_numbers!(a.values(), v => v.iter().all(|x| {
            let x = x.widen();
            x.to_bits() == 0 || x == blank
        }), false)
    })
}

/// Values times scale plus offset, if each gives back the stored integer.
fn unscale(values: &Values, width: usize, transform: &[(f64, f64); 3]) -> Option<Vec<f64>> {
    fn run<T: Number>(v: &[T], width: usize, transform: &[(f64, f64); 3]) -> Option<Vec<f64>> {
        v.iter()
            .enumerate()
            .map(|(i, k)| {
                let ((scale, offset), k) = (transform[i % width], k.widen());
                let x = k * scale + offset;
                // Above 2^53 a double may stand for several integers.
                let back = quantize::encode(x, scale, offset) == k && k.abs() < 9e15;
                back.then_some(x)
            })
            .collect()
    }
    with_numbers!(values, v => run(v, width, transform), None)
}

impl Frame {
    /// Whether this is a cloud-optimized file, whose index will not be kept.
    pub fn is_copc(&self) -> bool {
        self.vlrs.iter().chain(&self.evlrs).any(|v| file::text(&v.user_id) == "copc")
    }
}
