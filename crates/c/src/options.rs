//! What to run, and how.

use std::ffi::{c_char, c_void};

use pellucid::denoise::registry::{self, Method, ParameterMap};
use serde_json::Value;

use crate::raw;
use crate::status::{Fault, Status, guard};

/// Called now and then while a method runs, from a thread of the library, never twice at once: the share
/// that is done (0 to 1), the step, the iteration (counted from 1; 0 where there is none), and the pointer
/// that was given with it. Returns whether to continue; after false the run ends soon, as cancelled. It
/// must not throw or jump out.
pub type Progress = Option<
    unsafe extern "C" fn(
        fraction: f64,
        step: *const c_char,
        iteration: usize,
        user: *mut c_void,
    ) -> bool,
>;

/// A method with its parameters, the seed, the number of threads and who watches.
pub struct Options {
    pub(crate) method: &'static Method,
    pub(crate) preset: Option<String>,
    pub(crate) changes: ParameterMap,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) progress: Progress,
    pub(crate) user: *mut c_void,
}

impl Options {
    pub(crate) fn new(method: Option<&str>, preset: Option<&str>) -> Result<Self, Fault> {
        let method = registry::find(method.unwrap_or(registry::DEFAULT))?;
        // An error if there is no such preset.
        method.values(preset)?;
        Ok(Options {
            method,
            preset: preset.map(str::to_owned),
            changes: ParameterMap::new(),
            seed: 0,
            threads: 0,
            progress: None,
            user: std::ptr::null_mut(),
        })
    }
}

/// Makes options for a method (NULL: the default one) with a preset (NULL: its defaults).
///
/// # Safety
/// `method` and `preset` are texts or NULL; the new handle is put at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_options_new(
    method: *const c_char,
    preset: *const c_char,
    out: *mut *mut Options,
) -> Status {
    guard(|| {
        let make = || {
            // SAFETY: the caller promises that they are texts or NULL.
            let method = unsafe { raw::optional_text(method, "method") }?;
            // SAFETY: likewise.
            let preset = unsafe { raw::optional_text(preset, "preset") }?;
            Options::new(method, preset)
        };
        // SAFETY: the caller promises that `out` can be written.
        unsafe { raw::give(out, make) }
    })
}

/// Sets a parameter of the method. The value is written as JSON (30, 0.5, true, [1, 2]); anything else
/// is a text. Ranges are checked when the method runs, since some depend on others.
///
/// # Safety
/// `options` is a handle that nothing else uses meanwhile, `name` and `value` are texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_options_set(
    options: *mut Options,
    name: *const c_char,
    value: *const c_char,
) -> Status {
    guard(|| {
        // SAFETY: the caller promises a handle that nothing else uses, and texts.
        let (options, name, value) = unsafe {
            let options = raw::borrow_mut(options, "options")?;
            (options, raw::text(name, "name")?, raw::text(value, "value")?)
        };
        let known = options.method.values(options.preset.as_deref())?;
        if !known.contains_key(name) {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            let (method, names) = (options.method.name, names.join(", "));
            let fault = format!("method \"{method}\" has no parameter \"{name}\"; it has: {names}");
            return Err(Fault::argument(fault));
        }
        let text = || Value::String(value.to_owned());
        let value = serde_json::from_str(value).unwrap_or_else(|_| text());
        options.changes.insert(name.to_owned(), value);
        Ok(())
    })
}

/// Sets the seed of everything random; it is 0 unless set.
///
/// # Safety
/// `options` is a handle that nothing else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_options_set_seed(options: *mut Options, seed: u64) -> Status {
    guard(|| {
        // SAFETY: the caller promises a handle that nothing else uses.
        unsafe { raw::borrow_mut(options, "options") }?.seed = seed;
        Ok(())
    })
}

/// Sets the number of threads; 0, which holds unless set, means as many as there are cores. Results do not
/// depend on it.
///
/// # Safety
/// `options` is a handle that nothing else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_options_set_threads(
    options: *mut Options,
    threads: usize,
) -> Status {
    guard(|| {
        // SAFETY: the caller promises a handle that nothing else uses.
        unsafe { raw::borrow_mut(options, "options") }?.threads = threads;
        Ok(())
    })
}

/// Sets the function that is called while a method runs (NULL: none), and a pointer that it gets.
///
/// # Safety
/// `options` is a handle that nothing else uses meanwhile; `user` can be used from another thread for as
/// long as a run with these options takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_options_set_progress(
    options: *mut Options,
    progress: Progress,
    user: *mut c_void,
) -> Status {
    guard(|| {
        // SAFETY: the caller promises a handle that nothing else uses.
        let options = unsafe { raw::borrow_mut(options, "options") }?;
        (options.progress, options.user) = (progress, user);
        Ok(())
    })
}

/// Frees options; NULL is allowed.
///
/// # Safety
/// `options` is NULL, or a handle that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_options_free(options: *mut Options) {
    // SAFETY: the caller promises it.
    unsafe { raw::free(options) }
}
