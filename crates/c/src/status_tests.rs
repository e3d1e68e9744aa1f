use std::ffi::CStr;

use super::*;

fn last_message() -> String {
    // SAFETY: the message of this thread is a text that lives until its next call.
    unsafe { CStr::from_ptr(pellucid_last_message()) }.to_str().unwrap().to_owned()
}

#[test]
fn a_panic_becomes_a_status_and_a_message() {
    assert_eq!(guard(|| panic!("number {} is missing", 7)), Status::Internal);
    assert!(last_message().contains("number 7 is missing"), "{}", last_message());
    assert_eq!(guard(|| panic!("plain")), Status::Internal);
    assert!(last_message().contains("fault of the library: plain;"), "{}", last_message());
}

#[test]
fn a_panic_on_a_thread_of_a_pool_is_kept_in_too() {
    let job = || pellucid::denoise::install(Some(2), || panic!("far away"));
    assert_eq!(guard(job), Status::Internal);
    assert!(last_message().contains("far away"));
}

#[test]
fn success_clears_the_message_of_a_failure() {
    assert_eq!(guard(|| Err(Fault::argument("wrong"))), Status::Argument);
    assert_eq!(last_message(), "wrong");
    assert_eq!(guard(|| Ok(())), Status::Ok);
    assert_eq!(last_message(), "");
}

#[test]
fn each_thread_has_its_own_message() {
    assert_eq!(guard(|| Err(Fault::argument("mine"))), Status::Argument);
    std::thread::spawn(|| assert_eq!(last_message(), "")).join().unwrap();
    assert_eq!(last_message(), "mine");
}

#[test]
fn a_zero_byte_does_not_lose_the_message() {
    assert_eq!(guard(|| Err(Fault::argument("before\0after"))), Status::Argument);
    assert_eq!(last_message(), "before after");
}
