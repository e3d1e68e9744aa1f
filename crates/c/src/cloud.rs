//! Clouds and files.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::ptr;

use pellucid::cloud::{Attribute, Point, Values};
use pellucid::io::{self, Document, WriteOptions};
use pellucid::{PointCloud, cloud::CloudError};

use crate::raw;
use crate::status::{Fault, Status, guard};

/// A point cloud with its attributes, and what else its file held.
pub struct Cloud {
    pub(crate) document: Document,
    /// Names of the attributes, for C.
    names: Vec<CString>,
}

impl Cloud {
    pub(crate) fn new(document: Document) -> Self {
        let names = document.cloud.attributes().map(|a| raw::c_text(a.name())).collect();
        Cloud { document, names }
    }

    fn attribute(&self, name: &str) -> Result<&Attribute, Fault> {
        self.document.cloud.attribute(name).ok_or_else(|| {
            let known: Vec<&str> = self.document.cloud.attributes().map(Attribute::name).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Fault::argument(format!("the cloud has no attribute \"{name}\"; it has: {known}"))
        })
    }
}

fn points(numbers: &[f64]) -> Vec<Point> {
    numbers.as_chunks().0.to_vec()
}

/// Makes a cloud of `points` points; `xyz` has three numbers for each, one point after the other.
///
/// # Safety
/// `xyz` points to 3 * `points` numbers; the new handle is put at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_new(
    xyz: *const f64,
    points: usize,
    out: *mut *mut Cloud,
) -> Status {
    guard(|| {
        let make = || {
            // SAFETY: the caller promises that there are as many numbers.
            let numbers = unsafe { raw::numbers(xyz, raw::count(points, 3)?, "xyz") }?;
            Ok(Cloud::new(Document::from(PointCloud::new(self::points(numbers)))))
        };
        // SAFETY: the caller promises that `out` can be written.
        unsafe { raw::give(out, make) }
    })
}

/// Reads a file; its format is given by its extension and checked by its content.
///
/// # Safety
/// `path` is a text; the new handle is put at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_read(path: *const c_char, out: *mut *mut Cloud) -> Status {
    guard(|| {
        let make = || {
            // SAFETY: the caller promises that it is a text.
            let path = unsafe { raw::text(path, "path") }?;
            Ok(Cloud::new(io::read(Path::new(path))?))
        };
        // SAFETY: the caller promises that `out` can be written.
        unsafe { raw::give(out, make) }
    })
}

/// Writes a file, whole or not at all, in the format that its extension names. An existing file is
/// replaced only if `overwrite`.
///
/// # Safety
/// `cloud` is a handle, `path` a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_write(
    cloud: *const Cloud,
    path: *const c_char,
    overwrite: bool,
) -> Status {
    guard(|| {
        // SAFETY: the caller promises a handle and a text.
        let (cloud, path) = unsafe { (raw::borrow(cloud, "cloud")?, raw::text(path, "path")?) };
        let options = WriteOptions { overwrite, ..WriteOptions::default() };
        io::write(Path::new(path), &cloud.document, &options)?;
        Ok(())
    })
}

/// The number of points; 0 for NULL.
///
/// # Safety
/// `cloud` is a handle or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_points(cloud: *const Cloud) -> usize {
    // SAFETY: the caller promises a handle or NULL.
    unsafe { cloud.as_ref() }.map_or(0, |c| c.document.cloud.len())
}

/// The positions, three numbers for each point; NULL for NULL. Valid until the cloud is changed or freed.
///
/// # Safety
/// `cloud` is a handle or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_positions(cloud: *const Cloud) -> *const f64 {
    // SAFETY: the caller promises a handle or NULL.
    let cloud = unsafe { cloud.as_ref() };
    cloud.map_or(ptr::null(), |c| c.document.cloud.positions().as_ptr().cast())
}

/// Moves all points of a cloud; `points` must be their number.
///
/// # Safety
/// `cloud` is a handle that nothing else uses meanwhile; `xyz` points to 3 * `points` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_set_positions(
    cloud: *mut Cloud,
    xyz: *const f64,
    points: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller promises a handle that nothing else uses.
        let cloud = unsafe { raw::borrow_mut(cloud, "cloud") }?;
        let known = cloud.document.cloud.len();
        if points != known {
            return Err(CloudError::Positions { given: points, points: known }.into());
        }
        // SAFETY: the caller promises that there are as many numbers.
        let numbers = unsafe { raw::numbers(xyz, raw::count(points, 3)?, "xyz") }?;
        cloud.document.cloud = cloud.document.cloud.with_positions(self::points(numbers))?;
        Ok(())
    })
}

/// The number of attributes; 0 for NULL.
///
/// # Safety
/// `cloud` is a handle or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_attributes(cloud: *const Cloud) -> usize {
    // SAFETY: the caller promises a handle or NULL.
    unsafe { cloud.as_ref() }.map_or(0, |c| c.names.len())
}

/// The name of an attribute, counted from 0; NULL if there are not as many. Valid until the cloud is
/// changed or freed.
///
/// # Safety
/// `cloud` is a handle or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_attribute_name(
    cloud: *const Cloud,
    index: usize,
) -> *const c_char {
    // SAFETY: the caller promises a handle or NULL.
    let cloud = unsafe { cloud.as_ref() };
    cloud.and_then(|c| c.names.get(index)).map_or(ptr::null(), |name| name.as_ptr())
}

/// How many values each point has in an attribute.
///
/// # Safety
/// `cloud` is a handle, `name` a text; the number is put at `width`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_attribute_width(
    cloud: *const Cloud,
    name: *const c_char,
    width: *mut usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller promises a handle, a text and a place for a number.
        let (cloud, name, width) = unsafe {
            let cloud = raw::borrow(cloud, "cloud")?;
            (cloud, raw::text(name, "name")?, raw::borrow_mut(width, "width")?)
        };
        *width = cloud.attribute(name)?.width();
        Ok(())
    })
}

/// Copies an attribute, as double-precision numbers, one point after the other. `count` must be the number
/// of points times the width of the attribute.
///
/// # Safety
/// `cloud` is a handle, `name` a text, and `values` points to `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_attribute(
    cloud: *const Cloud,
    name: *const c_char,
    values: *mut f64,
    count: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller promises a handle and a text.
        let (cloud, name) = unsafe { (raw::borrow(cloud, "cloud")?, raw::text(name, "name")?) };
        let attribute = cloud.attribute(name)?;
        let stored = attribute.values();
        if stored.len() != count {
            return Err(Fault::argument(format!(
                "the attribute \"{name}\" has {} values, {count} were asked for; multiply the number of \
                 points by its width",
                stored.len()
            )));
        }
        // SAFETY: the caller promises that there are as many numbers.
        let values = unsafe { raw::numbers_mut(values, raw::count(count, 1)?, "values") }?;
        for (i, value) in values.iter_mut().enumerate() {
            *value = stored.get_f64(i).ok_or_else(|| {
                let kind = stored.type_name();
                Fault::argument(format!("the attribute \"{name}\" holds no numbers but {kind}"))
            })?;
        }
        Ok(())
    })
}

/// Adds an attribute in double precision, or replaces the one of that name.
///
/// # Safety
/// `cloud` is a handle that nothing else uses meanwhile, `name` a text, and `values` points to `width`
/// numbers for each point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_set_attribute(
    cloud: *mut Cloud,
    name: *const c_char,
    values: *const f64,
    width: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller promises a handle that nothing else uses, and a text.
        let (cloud, name) = unsafe { (raw::borrow_mut(cloud, "cloud")?, raw::text(name, "name")?) };
        if width == 0 {
            return Err(Fault::argument(format!(
                "\"{name}\" has a width of 0; it must be 1 or more"
            )));
        }
        let count = raw::count(cloud.document.cloud.len(), width)?;
        // SAFETY: the caller promises that there are as many numbers.
        let values = unsafe { raw::numbers(values, count, "values") }?;
        let attribute = Attribute::vector(name, width, Values::F64(values.to_vec()));
        let mut document = cloud.document.clone();
        document.cloud.set_attribute(attribute)?;
        *cloud = Cloud::new(document);
        Ok(())
    })
}

/// Frees a cloud; NULL is allowed.
///
/// # Safety
/// `cloud` is NULL, or a handle that was made by a function of this library for the caller and is not used
/// again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_cloud_free(cloud: *mut Cloud) {
    // SAFETY: the caller promises it.
    unsafe { raw::free(cloud) }
}
