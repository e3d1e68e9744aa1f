//! Running a method, and what came of it.

use std::ffi::{CString, c_char, c_void};
use std::ptr;

use pellucid::Run;
use pellucid::big::Movement;
use pellucid::denoise::{self as methods, Control, Observer};
use pellucid::io::Document;
use serde_json::json;

use crate::cloud::Cloud;
use crate::options::{Options, Progress};
use crate::raw;
use crate::status::{Fault, Status, guard};

/// A denoised cloud and how it came about.
pub struct Denoised {
    cloud: Cloud,
    displacements: Vec<f64>,
    noise: Option<f64>,
    report: CString,
}

/// Passes progress on to C.
struct Watch {
    call: Progress,
    user: *mut c_void,
}

// SAFETY: pellucid_options_set_progress asks for a pointer that can be used from another thread, and a run
// calls its observer from one thread at a time.
unsafe impl Send for Watch {}

impl Observer for Watch {
    fn progress(&mut self, progress: &methods::Progress) -> Control {
        let Some(call) = self.call else { return Control::Continue };
        let step = raw::c_text(progress.step);
        // SAFETY: the caller of pellucid_options_set_progress promises a function of this type; the text
        // lives until it returns.
        let more = unsafe { call(progress.fraction, step.as_ptr(), progress.iteration, self.user) };
        if more { Control::Continue } else { Control::Cancel }
    }
}

fn run(cloud: &Cloud, options: &Options) -> Result<Denoised, Fault> {
    let method = options.method.build(options.preset.as_deref(), &options.changes)?;
    let noisy = &cloud.document.cloud;
    // A pool of its own: a shared one would leave threads behind, and have none after a fork.
    let mut run = Run::default()
        .with_seed(options.seed)
        .with_threads(Some(options.threads))
        .with_observer(Watch { call: options.progress, user: options.user });
    let result = method.denoise(noisy, &mut run)?;
    let (before, after) = (noisy.positions(), result.cloud.positions());
    let report = json!({
        "method": options.method.name,
        "preset": options.preset,
        "parameters": options.changes,
        "seed": options.seed,
        "points": noisy.len(),
        "iterations": result.iterations,
        "stop": result.stop,
        "displacement": Movement::between(before, after),
        "report": result.report,
    });
    let displacements = result.displacement(noisy);
    let source = cloud.document.source.clone();
    Ok(Denoised {
        displacements,
        noise: result.report.noise,
        report: raw::c_text(&report.to_string()),
        cloud: Cloud::new(Document { cloud: result.cloud, source }),
    })
}

/// Moves the points of a cloud onto the surface they were measured from, with these options (NULL: those of
/// the default method). The cloud that is given stays as it is. Number, order and attributes of the points
/// stay; stored normals are not estimated again.
///
/// # Safety
/// `cloud` is a handle, `options` a handle or NULL; the new handle is put at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_denoise(
    cloud: *const Cloud,
    options: *const Options,
    out: *mut *mut Denoised,
) -> Status {
    guard(|| {
        let make = || {
            // SAFETY: the caller promises handles, or NULL.
            let (cloud, options) = unsafe { (raw::borrow(cloud, "cloud")?, options.as_ref()) };
            match options {
                Some(options) => run(cloud, options),
                None => run(cloud, &Options::new(None, None)?),
            }
        };
        // SAFETY: the caller promises that `out` can be written.
        unsafe { raw::give(out, make) }
    })
}

/// The denoised cloud; NULL for NULL. It belongs to the result: do not free it, and do not use it after the
/// result was freed.
///
/// # Safety
/// `denoised` is a handle or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_denoised_cloud(denoised: *const Denoised) -> *const Cloud {
    // SAFETY: the caller promises a handle or NULL.
    unsafe { denoised.as_ref() }.map_or(ptr::null(), |d| &raw const d.cloud)
}

/// How far each point moved, in the units of the cloud; not a number where a coordinate is none. NULL for
/// NULL. Valid until the result is freed.
///
/// # Safety
/// `denoised` is a handle or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_denoised_displacements(denoised: *const Denoised) -> *const f64 {
    // SAFETY: the caller promises a handle or NULL.
    unsafe { denoised.as_ref() }.map_or(ptr::null(), |d| d.displacements.as_ptr())
}

/// The estimated standard deviation of the noise per axis, in the units of the cloud; not a number if the
/// method does not estimate it.
///
/// # Safety
/// `denoised` is a handle or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_denoised_noise(denoised: *const Denoised) -> f64 {
    // SAFETY: the caller promises a handle or NULL.
    unsafe { denoised.as_ref() }.and_then(|d| d.noise).unwrap_or(f64::NAN)
}

/// What the run did and found out, as JSON; NULL for NULL. Valid until the result is freed.
///
/// # Safety
/// `denoised` is a handle or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_denoised_report(denoised: *const Denoised) -> *const c_char {
    // SAFETY: the caller promises a handle or NULL.
    unsafe { denoised.as_ref() }.map_or(ptr::null(), |d| d.report.as_ptr())
}

/// Frees a result and its cloud; NULL is allowed.
///
/// # Safety
/// `denoised` is NULL, or a handle that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pellucid_denoised_free(denoised: *mut Denoised) {
    // SAFETY: the caller promises it.
    unsafe { raw::free(denoised) }
}
