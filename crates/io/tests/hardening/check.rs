//! What is asked of a reader on any bytes, and of every writer on what was read.

use pellucid_io::{Document, Format, IoError, WriteOptions, read_bytes, write_bytes};

use super::rule;

/// Reads `bytes`; panics where a rule is broken.
pub fn read(bytes: &[u8], format: Format) -> Result<Document, IoError> {
    let (document, peak) = rule::peak_of(|| read_bytes(bytes, format, "input"));
    rule::check_memory(bytes.len(), peak);
    let document = document.inspect_err(check_message)?;
    check_shape(&document);
    Ok(document)
}

/// Writes and reads again what was read from `size` bytes; panics where a rule is broken.
pub fn write(document: &Document, size: usize, format: Format) {
    round_trip(document, format, true);
    // One other format each time, so that all are tried in the end.
    let all = Format::all();
    let other = all[(size + document.cloud.len()) % all.len()].format;
    if other != format {
        round_trip(document, other, false);
    }
}

/// A message names the file and the place.
fn check_message(error: &IoError) {
    let text = error.to_string();
    assert!(text.starts_with("input: "), "{text}");
    let placed = text.contains("line ") || text.contains("byte ") || text.contains("bytes");
    assert!(placed, "no place in: {text}");
    assert!(text.len() < 2000, "a message of {} bytes", text.len());
}

fn check_shape(document: &Document) {
    for a in document.cloud.attributes() {
        assert_eq!(a.rows(), Some(document.cloud.len()), "{}", a.name());
    }
}

/// What is written can be read, with as many points (`own`: in the format it came from).
fn round_trip(document: &Document, format: Format, own: bool) {
    let Ok(bytes) = write_bytes(document, format, &WriteOptions::default()) else { return };
    match read_bytes(&bytes, format, "again") {
        // A triangle's corners in one place are one point, so numbers may differ elsewhere.
        Ok(again) if own => assert_eq!(again.cloud.len(), document.cloud.len(), "{format:?}"),
        Ok(_) => {}
        Err(e) if own => panic!("what was written cannot be read: {e}"),
        Err(_) => {}
    }
}
