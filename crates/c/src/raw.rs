//! Pointers from C: each is checked for NULL, and what cannot be checked is what the caller promises.

use std::ffi::{CStr, CString, c_char};
use std::slice;

use crate::status::Fault;

/// A text for C; zero bytes, which would end it, become spaces.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

fn missing(name: &str) -> Fault {
    Fault::argument(format!("the argument {name} is NULL; give an address"))
}

/// What `pointer` points to.
///
/// # Safety
/// It is NULL or points to a value that nothing changes or frees while it is in use.
pub unsafe fn borrow<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Fault> {
    // SAFETY: as promised, it is NULL or points to such a value.
    unsafe { pointer.as_ref() }.ok_or_else(|| missing(name))
}

/// What `pointer` points to, to be changed.
///
/// # Safety
/// It is NULL or points to a value that nothing else uses meanwhile.
pub unsafe fn borrow_mut<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T, Fault> {
    // SAFETY: as promised, it is NULL or points to such a value.
    unsafe { pointer.as_mut() }.ok_or_else(|| missing(name))
}

/// A text.
///
/// # Safety
/// It is NULL or ends with a zero byte, and nothing changes it while it is in use.
pub unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Fault> {
    if pointer.is_null() {
        return Err(missing(name));
    }
    // SAFETY: it is not NULL and, as promised, ends with a zero byte.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    bytes.to_str().map_err(|_| Fault::argument(format!("the argument {name} is not UTF-8")))
}

/// A text, or nothing for NULL.
///
/// # Safety
/// As for [`text`].
pub unsafe fn optional_text<'a>(
    pointer: *const c_char,
    name: &str,
) -> Result<Option<&'a str>, Fault> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the same promise.
    unsafe { text(pointer, name) }.map(Some)
}

/// How many numbers `rows` rows of `width` are, if memory can hold them.
pub fn count(rows: usize, width: usize) -> Result<usize, Fault> {
    let most = isize::MAX as usize / size_of::<f64>();
    rows.checked_mul(width).filter(|n| *n <= most).ok_or_else(|| {
        Fault::argument(format!("{rows} rows of {width} numbers are more than memory can hold"))
    })
}

/// An array of numbers; it may be NULL if there are none.
///
/// # Safety
/// It is NULL or points to `count` numbers, which nothing changes while they are in use.
pub unsafe fn numbers<'a>(
    pointer: *const f64,
    count: usize,
    name: &str,
) -> Result<&'a [f64], Fault> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(missing(name));
    }
    // SAFETY: it is not NULL and, as promised, points to that many; `count` checked that they fit.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// An array to be filled; it may be NULL if it has no entries.
///
/// # Safety
/// It is NULL or points to `count` numbers, which nothing else uses meanwhile.
pub unsafe fn numbers_mut<'a>(
    pointer: *mut f64,
    count: usize,
    name: &str,
) -> Result<&'a mut [f64], Fault> {
    if count == 0 {
        return Ok(&mut []);
    }
    if pointer.is_null() {
        return Err(missing(name));
    }
    // SAFETY: as above; as promised, nothing else uses them.
    Ok(unsafe { slice::from_raw_parts_mut(pointer, count) })
}

/// Puts a new handle at `out`, or NULL if making it fails.
///
/// # Safety
/// `out` is NULL or points to a pointer that may be written.
pub unsafe fn give<T>(
    out: *mut *mut T,
    make: impl FnOnce() -> Result<T, Fault>,
) -> Result<(), Fault> {
    // SAFETY: as promised, it is NULL or may be written.
    let out = unsafe { out.as_mut() }.ok_or_else(|| missing("out"))?;
    *out = std::ptr::null_mut();
    *out = Box::into_raw(Box::new(make()?));
    Ok(())
}

/// Ends a handle; NULL is none.
///
/// # Safety
/// It is NULL or came from [`give`], and is not used again.
pub unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: `give` made it of a box, and as promised this is its end.
        drop(unsafe { Box::from_raw(handle) });
    }
}
