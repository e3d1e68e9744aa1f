//! Files read piece by piece, as `--memory` does: the same as when read as a whole.

use std::io::Cursor;

use pellucid_cloud::Point;
use pellucid_io::{Format, PieceFile, read_bytes};

use crate::in_pieces::positions;
use crate::{SECONDS, guarded_whole, mended, rule, scratch, seeds};

const FORMATS: [(Format, &str); 4] =
    [(Format::Ply, "ply"), (Format::Las, "las"), (Format::Laz, "laz"), (Format::E57, "e57")];

/// The first byte is the format, the others are the file.
pub fn run(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let (format, extension) = FORMATS[usize::from(*first) % FORMATS.len()];
    let bytes = mended(bytes, format);
    let path = scratch().join(format!("in.{extension}"));
    if bytes.is_empty() || std::fs::write(&path, &bytes).is_err() {
        return;
    }
    guarded_whole(bytes.len(), 2.0 * SECONDS, || {
        let (pieces, peak) = rule::peak_of(|| {
            let file = PieceFile::open(&path)?;
            positions(&file).map(|points| (file, points))
        });
        rule::check_memory(bytes.len(), peak);
        let whole = read_bytes(&bytes, format, "input").map(|d| d.cloud.positions().to_vec());
        match (whole, pieces) {
            (Ok(whole), Ok((file, points))) => {
                let bits = |p: &Point| p.map(f64::to_bits);
                assert!(whole.iter().map(bits).eq(points.iter().map(bits)), "other points");
                check_rewritten(&file, format, points.len());
            }
            // Pieces need less memory.
            (Err(e), _) if e.to_string().contains("bytes of memory") => {}
            (Err(e), Ok(_)) => panic!("refused as a whole only: {e}"),
            _ => {}
        }
    });
}

/// What is written with the same positions can be read, with as many points.
fn check_rewritten(file: &PieceFile, format: Format, points: usize) {
    let mut out = Cursor::new(Vec::new());
    if file.rewrite(format, &mut out, &mut |_, _| true).is_ok() {
        match read_bytes(out.get_ref(), format, "again") {
            Ok(again) => assert_eq!(again.cloud.len(), points, "{format:?}"),
            // Copies of indexes and the like may take more than the limit on what is read.
            Err(e) => assert!(e.to_string().contains("bytes of memory"), "cannot be read: {e}"),
        }
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let with = |i: usize, target: &str| -> Vec<Vec<u8>> {
        let seeds = seeds::seeds(target).into_iter();
        seeds.map(|seed| [vec![i as u8], seed].concat()).collect()
    };
    [with(0, "ply"), with(1, "las"), with(2, "laz"), with(2, "copc"), with(3, "e57")].concat()
}
