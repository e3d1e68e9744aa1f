//! What goes from one file to another as it is.

use std::io::{Cursor, Read, Seek, Write};

use ::e57::{
    Blob, E57Reader, E57Writer, Image, PointCloud as Scan, PointCloudWriter, Projection, Record,
};

use super::write::Refused;
use crate::document::Dropped;

/// Begins a file with what is said of the other as a whole.
pub(super) fn start<R: Read + Seek, W: Read + Write + Seek>(
    reader: &E57Reader<R>,
    out: W,
) -> Result<E57Writer<W>, Refused> {
    let mut writer = E57Writer::new(out, reader.guid())?;
    writer.set_creation(reader.creation());
    writer.set_coordinate_metadata(reader.coordinate_metadata().map(str::to_owned));
    for extension in reader.extensions() {
        writer.register_extension(extension)?;
    }
    Ok(writer)
}

/// What cannot be written.
pub(super) fn left_out<R: Read + Seek>(reader: &E57Reader<R>) -> Option<Dropped> {
    reader.xml().contains("pointGroupingSchemes").then(|| Dropped {
        attribute: "pointGroupingSchemes".to_owned(),
        reason: "the library does not write it".to_owned(),
    })
}

/// Begins a scan with all that is said of it, but for its points.
pub(super) fn scan<'a, W: Read + Write + Seek>(
    writer: &'a mut E57Writer<W>,
    scan: &Scan,
    prototype: Vec<Record>,
) -> Result<PointCloudWriter<'a, W>, Refused> {
    let guid = scan.guid.as_deref().unwrap_or_default();
    let mut w = writer.add_pointcloud(guid, prototype)?;
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
    Ok(w)
}

/// Copies all images.
pub(super) fn images<R: Read + Seek, W: Read + Write + Seek>(
    reader: &mut E57Reader<R>,
    writer: &mut E57Writer<W>,
) -> Result<(), Refused> {
    for image in reader.images() {
        image_again(reader, writer, &image)?;
    }
    Ok(())
}

fn image_again<R: Read + Seek, W: Read + Write + Seek>(
    reader: &mut E57Reader<R>,
    writer: &mut E57Writer<W>,
    image: &Image,
) -> Result<(), Refused> {
    let mut load = |blob: &Blob| -> Result<Cursor<Vec<u8>>, Refused> {
        let mut bytes = Vec::new();
        reader.blob(blob, &mut bytes).map_err(|e| {
            let hint = "other formats leave images out";
            Refused(format!("an image of the input is damaged ({e}); {hint}"))
        })?;
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
            let mask = mask.as_mut().map(|m| m as &mut dyn Read);
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
