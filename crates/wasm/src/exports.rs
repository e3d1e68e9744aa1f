//! What the page calls. Nothing here dereferences a pointer: the page writes into memory that a
//! vector owns, and reads from such memory.
#![allow(unsafe_code, reason = "names that the page can call are unsafe attributes")]

use std::cell::RefCell;

use crate::session::Session;

#[derive(Default)]
struct State {
    session: Session,
    given: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Tells the page how far a run has come: share and length of the step's name, which is at
    /// the given place.
    safe fn progress(share: f64, name: *const u8, length: usize);
}

/// Makes room for so many bytes, and says where.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|s| {
        s.given.clear();
        s.given.resize(length, 0);
        s.given.as_mut_ptr()
    })
}

/// Reads the file that was put in: first so many bytes of its name, then its content.
#[unsafe(no_mangle)]
pub extern "C" fn open(name: usize) {
    STATE.with_borrow_mut(|s| {
        let (name, bytes) = s.given.split_at(name.min(s.given.len()));
        s.answer = s.session.open(&String::from_utf8_lossy(name), bytes).into_bytes();
        s.given = Vec::new();
    });
}

/// Denoises it as the JSON that was put in says.
#[unsafe(no_mangle)]
pub extern "C" fn denoise() {
    STATE.with_borrow_mut(|s| {
        let wishes = String::from_utf8_lossy(&s.given).into_owned();
        let report = |share: f64, step: &str| progress(share, step.as_ptr(), step.len());
        s.answer = s.session.denoise(&wishes, report).into_bytes();
    });
}

/// Makes the file to download.
#[unsafe(no_mangle)]
pub extern "C" fn save() -> u32 {
    STATE.with_borrow_mut(|s| match s.session.save() {
        Ok(bytes) => {
            s.answer = bytes;
            1
        }
        Err(message) => {
            s.answer = message.into_bytes();
            0
        }
    })
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    STATE.with_borrow(|s| s.answer.as_ptr())
}

/// How long it is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    STATE.with_borrow(|s| s.answer.len())
}
