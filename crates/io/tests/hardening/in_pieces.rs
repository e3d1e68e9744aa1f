//! A file read piece by piece.

use pellucid_cloud::Point;
use pellucid_io::{IoError, PieceFile};

/// The positions of all pieces.
pub fn positions(file: &PieceFile) -> Result<Vec<Point>, IoError> {
    let mut all = Vec::new();
    let complete = file.positions(&mut |points| {
        all.extend_from_slice(points);
        true
    })?;
    assert!(complete, "nobody asked it to stop");
    Ok(all)
}
