//! From a document to a file.

use std::collections::HashSet;
use std::io::{Cursor, Write};

use ::e57::{
    Blob, E57Writer, Image, PointCloud as Scan, Projection, Record, RecordDataType, RecordName,
    RecordValue,
};
use pellucid_cloud::{Attribute, Point, PointCloud};

use super::added::{self, Added};
use super::anew::anew;
use super::frame::{Frame, stored, value};
use super::{E57Source, Reader, attribute, bits, open, points};
use crate::document::{Detail, Document, Dropped, Encoding, Job, Written};
use crate::error::{Fault, WriteFault};
use crate::faces::CHANGED;
use crate::template::is_same;

type Writer<'a> = E57Writer<&'a mut Cursor<Vec<u8>>>;

/// Why the library refused.
pub(super) struct Refused(pub(super) String);

impl From<::e57::Error> for Refused {
    fn from(e: ::e57::Error) -> Self {
        Refused(match super::fault(0, &e) {
            Fault::At(_, text) => text,
            Fault::NoPoints(_) => e.to_string(),
        })
    }
}

/// Writes a document.
pub(crate) fn write(
    document: &Document,
    job: &Job,
    sink: &mut dyn Write,
) -> Result<Written, WriteFault> {
    if !matches!(job.encoding, None | Some(Encoding::BinaryLittle)) {
        let fault = "E57 is written in binary, least significant byte first";
        return Err(WriteFault::Unfit(fault.to_owned()));
    }
    let mut written = Written::default();
    // The library reads back what it has written, to make checksums.
    let mut out = Cursor::new(Vec::new());
    let done = match &document.source.detail {
        Detail::E57(e57) if e57.points() == document.cloud.len() => {
            again(e57, &document.cloud, &mut out, &mut written.dropped)
        }
        detail => {
            if matches!(detail, Detail::E57(_)) {
                written.dropped.push(Dropped {
                    attribute: "scans with their poses, images".to_owned(),
                    reason: CHANGED.to_owned(),
                });
            }
            anew(document, &mut out, &mut written.dropped)
        }
    };
    done.map_err(|Refused(text)| WriteFault::Unfit(format!("E57 cannot hold this: {text}")))?;
    sink.write_all(out.get_ref())?;
    Ok(written)
}

/// The file that was read, with the points where they are now.
fn again(
    e57: &E57Source,
    cloud: &PointCloud,
    out: &mut Cursor<Vec<u8>>,
    dropped: &mut Vec<Dropped>,
) -> Result<(), Refused> {
    let mut reader = open(&e57.bytes).map_err(|f| Refused(format!("{f:?}")))?;
    let mut writer = E57Writer::new(out, reader.guid())?;
    writer.set_creation(reader.creation());
    writer.set_coordinate_metadata(reader.coordinate_metadata().map(str::to_owned));
    let extensions = reader.extensions();
    let ours = extensions.iter().any(added::is_ours);
    for extension in extensions {
        writer.register_extension(extension)?;
    }
    let known: HashSet<String> = e57
        .scans
        .iter()
        .flat_map(|s| s.prototype.iter().filter_map(|r| attribute(&r.name)))
        .map(|(name, _)| name)
        .chain(std::iter::once("scan".to_owned()))
        .collect();
    // What is new joins the records of every scan.
    let most = e57.scans.iter().map(|s| s.prototype.len()).max().unwrap_or(0);
    let unknown = cloud.attributes().filter(|a| !known.contains(a.name()));
    let new = added::plan(unknown, most.max(known.len()), dropped);
    if !new.is_empty() && !ours {
        writer.register_extension(added::extension())?;
    }
    if reader.xml().contains("pointGroupingSchemes") {
        let reason = "the library does not write it".to_owned();
        dropped.push(Dropped { attribute: "pointGroupingSchemes".to_owned(), reason });
    }
    let mut first = 0;
    for scan in &e57.scans {
        scan_again(&mut reader, &mut writer, scan, cloud, first, &new)?;
        first += scan.records as usize;
    }
    for image in reader.images() {
        image_again(&mut reader, &mut writer, &image)?;
    }
    writer.finalize()?;
    Ok(())
}

fn scan_again(
    reader: &mut Reader<'_>,
    writer: &mut Writer<'_>,
    scan: &Scan,
    cloud: &PointCloud,
    first: usize,
    new: &[Added],
) -> Result<(), Refused> {
    let frame = Frame::of(scan).ok_or_else(|| Refused("a scan without coordinates".to_owned()))?;
    let positions = &cloud.positions()[first..first + scan.records as usize];
    let mut prototype = widened(scan, &frame, positions);
    give_room(&mut prototype);
    // The attribute of each record, with its component.
    let sources: Vec<Option<(&Attribute, usize)>> = prototype
        .iter()
        .map(|r| {
            let (name, component) = attribute(&r.name)?;
            let a = cloud.attribute(&name).filter(|a| component < a.width())?;
            Some((a, component))
        })
        .collect();
    prototype.extend(new.iter().map(|n| n.record.clone()));
    let guid = scan.guid.as_deref().unwrap_or_default();
    let mut w = writer.add_pointcloud(guid, prototype.clone())?;
    w.set_name(scan.name.clone());
    w.set_description(scan.description.clone());
    w.set_original_guids(scan.original_guids.clone());
    w.set_transform(scan.transform.clone());
    w.set_acquisition_start(scan.acquisition_start.clone());
    w.set_acquisition_end(scan.acquisition_end.clone());
    w.set_sensor_vendor(scan.sensor_vendor.clone());
    w.set_sensor_model(scan.sensor_model.clone());
    w.set_sensor_serial(scan.sensor_serial.clone());
    w.set_sensor_hw_version(scan.sensor_hw_version.clone());
    w.set_sensor_sw_version(scan.sensor_sw_version.clone());
    w.set_sensor_fw_version(scan.sensor_fw_version.clone());
    w.set_temperature(scan.temperature);
    w.set_humidity(scan.humidity);
    w.set_atmospheric_pressure(scan.atmospheric_pressure);
    if scan.intensity_limits.is_some() {
        w.set_intensity_limits(scan.intensity_limits.clone());
    }
    if scan.color_limits.is_some() {
        w.set_color_limits(scan.color_limits.clone());
    }
    for (i, raw) in points(reader, scan)?.enumerate() {
        let mut raw = raw?;
        let (now, before) = (positions[i], frame.point(&raw));
        let stays = now.iter().zip(&before).all(|(a, b)| is_same(*a, *b));
        // What has no place keeps the values that stand for it.
        if !stays && now.iter().all(|x| x.is_finite()) {
            for (record, x) in frame.store(now) {
                raw[record] = x;
            }
        }
        for ((raw, source), record) in raw.iter_mut().zip(&sources).zip(&prototype) {
            let Some((a, component)) = source else { continue };
            let new = a.values().get_f64((first + i) * a.width() + component);
            let old = value(raw, &record.data_type);
            if let Some(new) = new.filter(|&new| new.is_finite() && !is_same(new, old)) {
                *raw = clamped(stored(new, &record.data_type), &record.data_type);
            }
        }
        raw.extend(new.iter().map(|n| n.value(first + i)));
        w.add_point(raw)?;
    }
    w.finalize()?;
    Ok(())
}

/// The library cannot write points that take no bits: the first record gets one.
fn give_room(prototype: &mut [Record]) {
    if prototype.iter().any(|r| bits(r) > 0) {
        return;
    }
    if let Some(
        RecordDataType::Integer { min, max } | RecordDataType::ScaledInteger { min, max, .. },
    ) = prototype.first_mut().map(|r| &mut r.data_type)
    {
        match max.checked_add(1) {
            Some(more) => *max = more,
            None => *min -= 1,
        }
    }
}

/// The records with room for points that left the range of their integers.
fn widened(scan: &Scan, frame: &Frame, points: &[Point]) -> Vec<Record> {
    let mut prototype = scan.prototype.clone();
    // The library writes states in the standard's ranges only, which some files narrow.
    for record in &mut prototype {
        let max = match record.name {
            RecordName::CartesianInvalidState | RecordName::SphericalInvalidState => 2,
            RecordName::IsColorInvalid
            | RecordName::IsIntensityInvalid
            | RecordName::IsTimeStampInvalid => 1,
            _ => continue,
        };
        if let RecordDataType::Integer { .. } = record.data_type {
            record.data_type = RecordDataType::Integer { min: 0, max };
        }
    }
    let whole = |r: &Record| {
        !matches!(r.data_type, RecordDataType::Single { .. } | RecordDataType::Double { .. })
    };
    let coordinates = [frame.cartesian, frame.spherical];
    if !coordinates.iter().flatten().flatten().any(|&i| whole(&prototype[i])) {
        return prototype;
    }
    for &p in points.iter().filter(|p| p.iter().all(|x| x.is_finite())) {
        for (i, x) in frame.store(p) {
            let (RecordValue::Integer(x) | RecordValue::ScaledInteger(x)) = x else { continue };
            if let RecordDataType::Integer { min, max }
            | RecordDataType::ScaledInteger { min, max, .. } = &mut prototype[i].data_type
            {
                *min = x.min(*min);
                *max = x.max(*max);
            }
        }
    }
    prototype
}

fn clamped(x: RecordValue, ty: &RecordDataType) -> RecordValue {
    match (x, ty) {
        (RecordValue::Integer(x), RecordDataType::Integer { min, max }) => {
            RecordValue::Integer(x.max(*min).min(*max))
        }
        (RecordValue::ScaledInteger(x), RecordDataType::ScaledInteger { min, max, .. }) => {
            RecordValue::ScaledInteger(x.max(*min).min(*max))
        }
        (x, _) => x,
    }
}

fn image_again(
    reader: &mut Reader<'_>,
    writer: &mut Writer<'_>,
    image: &Image,
) -> Result<(), Refused> {
    let mut load = |blob: &Blob| -> Result<Cursor<Vec<u8>>, Refused> {
        let mut bytes = Vec::new();
        reader.blob(blob, &mut bytes)?;
        Ok(Cursor::new(bytes))
    };
    let mut w = writer.add_image(image.guid.as_deref().unwrap_or_default())?;
    if let Some(x) = &image.name {
        w.set_name(x);
    }
    if let Some(x) = &image.description {
        w.set_description(x);
    }
    if let Some(x) = &image.pointcloud_guid {
        w.set_pointcloud_guid(x);
    }
    if let Some(x) = &image.transform {
        w.set_transform(x.clone());
    }
    if let Some(x) = &image.acquisition {
        w.set_acquisition(x.clone());
    }
    if let Some(x) = &image.sensor_vendor {
        w.set_sensor_vendor(x);
    }
    if let Some(x) = &image.sensor_model {
        w.set_sensor_model(x);
    }
    if let Some(x) = &image.sensor_serial {
        w.set_sensor_serial(x);
    }
    macro_rules! add {
        ($add:ident, $image:expr) => {{
            let mut data = load(&$image.blob.data)?;
            let mut mask = $image.mask.as_ref().map(&mut load).transpose()?;
            let mask = mask.as_mut().map(|m| m as &mut dyn std::io::Read);
            w.$add($image.blob.format.clone(), &mut data, $image.properties.clone(), mask)?;
        }};
    }
    if let Some(v) = &image.visual_reference {
        add!(add_visual_reference, v);
    }
    match &image.projection {
        Some(Projection::Pinhole(p)) => add!(add_pinhole, p),
        Some(Projection::Spherical(p)) => add!(add_spherical, p),
        Some(Projection::Cylindrical(p)) => add!(add_cylindrical, p),
        None => {}
    }
    w.finalize()?;
    Ok(())
}
