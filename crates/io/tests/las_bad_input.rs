//! Damaged LAS and LAZ: a message that says where and what, never a panic.

mod common;
mod las_files;

use std::io::Cursor;

use common::rng;
use las_files::{Builder, descriptor, vlr};
use laz::encoders::ArithmeticEncoder;
use laz::las::v2::LasPoint0Compressor;
use laz::models::ArithmeticModelBuilder;
use laz::record::FieldCompressor;
use pellucid_io::{Format, IoError, PieceFile, Place, WriteOptions, read_bytes, write_bytes};

/// Asserts the place and words of the fault.
#[track_caller]
fn assert_fault(bytes: &[u8], place: usize, words: &str) {
    let e = read_bytes(bytes, Format::Las, "bad.las").unwrap_err();
    let IoError::Malformed { file, place: at, fault } = &e else { panic!("{e}") };
    assert_eq!((file.as_str(), *at), ("bad.las", Place::Byte(place)), "{e}");
    assert!(fault.contains(words), "{e}");
}

fn patched(bytes: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + with.len()].copy_from_slice(with);
    bytes
}

fn plain() -> Vec<u8> {
    let builder =
        Builder::new(4, 7).vlr(vlr("someone", 9, &[1; 20])).evlr(vlr("someone", 7, &[5; 100]));
    builder.random_points(&mut rng(1), 100).build()
}

fn packed(format: u8) -> Vec<u8> {
    let bytes = Builder::new(4, format).random_points(&mut rng(2), 300).build();
    let document = read_bytes(&bytes, Format::Las, "a.las").unwrap();
    write_bytes(&document, Format::Laz, &WriteOptions::default()).unwrap()
}

fn start(bytes: &[u8]) -> usize {
    u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize
}

#[test]
fn headers_that_lie() {
    let good = plain();
    let bad = |at: usize, with: &[u8]| patched(&good, at, with);
    assert_fault(&good[..100], 100, "ends in its header");
    assert_fault(&good[..300], 300, "ends in its header");
    assert_fault(&bad(24, &[2]), 24, "version 2.4 is not known");
    assert_fault(&bad(25, &[9]), 24, "version 1.9 is not known");
    assert_fault(&bad(94, &227u16.to_le_bytes()), 94, "227 bytes; LAS 1.4 needs 375");
    assert_fault(&bad(94, &u16::MAX.to_le_bytes()), good.len(), "which takes 65535 bytes");
    assert_fault(&bad(96, &u32::MAX.to_le_bytes()), 96, "start at byte 4294967295");
    assert_fault(&bad(96, &10u32.to_le_bytes()), 96, "start at byte 10");
    assert_fault(&bad(104, &[11]), 104, "point format 11 is not known");
    assert_fault(&bad(105, &35u16.to_le_bytes()), 105, "format 7 needs 36");
    assert_fault(&bad(104, &[0x87]), 104, "laszip encoded 22204");
    assert_fault(b"LASE and so on", 0, "does not start with \"LASF\"");
}

#[test]
fn counts_beyond_the_file() {
    let good = plain();
    let bad = |at: usize, with: &[u8]| patched(&good, at, with);
    assert_fault(&bad(247, &120u64.to_le_bytes()), 247, "promises 120 points of 36");
    // One more would start in the record that follows.
    assert_fault(&bad(247, &101u64.to_le_bytes()), 235, "the points end at");
    assert_fault(&bad(247, &u64::MAX.to_le_bytes()), 247, "more than one cloud can hold");
    assert_fault(&bad(247, &0xffff_0000u64.to_le_bytes()), 247, "promises 4294901760 points");
    assert_fault(&bad(105, &u16::MAX.to_le_bytes()), 247, "of 65535 bytes");
    assert_fault(&bad(100, &u32::MAX.to_le_bytes()), 100, "4294967295 variable length records");
    assert_fault(&bad(100, &2u32.to_le_bytes()), 100, "2 variable length records");
    assert_fault(&bad(375 + 20, &u16::MAX.to_le_bytes()), 375, "record 1 of 1 has 65535 bytes");
    assert_fault(&bad(243, &u32::MAX.to_le_bytes()), 235, "4294967295 extended records");
    assert_fault(&bad(235, &u64::MAX.to_le_bytes()), 235, "are said to start at byte");
    assert_fault(&bad(235, &400u64.to_le_bytes()), 235, "are said to start at byte 400");
    let evlr = good.len() - 160;
    assert_fault(&bad(evlr + 20, &u64::MAX.to_le_bytes()), evlr, "18446744073709551615 bytes");
    let old = Builder::new(1, 0).random_points(&mut rng(3), 4).build();
    assert_fault(&patched(&old, 107, &9u32.to_le_bytes()), 107, "promises 9 points of 20 bytes");
}

#[test]
fn scales_and_offsets_that_are_no_numbers() {
    let good = plain();
    for (scale, word) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (0.0, "is 0")] {
        assert_fault(&patched(&good, 139, &scale.to_le_bytes()), 139, word);
    }
    for offset in [f64::NAN, f64::NEG_INFINITY, f64::MAX] {
        let mut bytes = patched(&good, 171, &offset.to_le_bytes());
        bytes[147..155].copy_from_slice(&1e300f64.to_le_bytes());
        assert_fault(&bytes, 171, "z is out of all range");
    }
}

#[test]
fn extra_bytes_beyond_the_record() {
    let data = [descriptor("a", 10, 0, 1.0, 0.0), descriptor("b", 30, 0, 1.0, 0.0)].concat();
    let builder = Builder::new(2, 0).vlr(vlr("LASF_Spec", 4, &data)).extra(10);
    let bytes = builder.random_points(&mut rng(4), 3).build();
    assert_fault(&bytes, 227 + 54 + 192, "\"b\" end at byte 52 of a point, but a point has 30");
    let data = descriptor("c", 99, 0, 1.0, 0.0);
    let builder = Builder::new(2, 0).vlr(vlr("LASF_Spec", 4, &data)).extra(10);
    assert_fault(&builder.random_points(&mut rng(4), 3).build(), 281, "\"c\" have an unknown type");
}

#[test]
fn chunk_tables_that_lie() {
    for format in [1, 6] {
        let good = packed(format);
        let start = start(&good);
        let bad = |at: usize, with: &[u8]| patched(&good, at, with);
        for offset in [0, -1, -5, i64::MAX, good.len() as i64] {
            assert_fault(&bad(start, &offset.to_le_bytes()), start, "chunk table is said to be");
        }
        let table = i64::from_le_bytes(good[start..start + 8].try_into().unwrap()) as usize;
        let many = bad(table + 4, &u32::MAX.to_le_bytes());
        assert_fault(&many, table + 4, "4294967295 chunks, more than 300 points");
        assert_fault(
            &bad(table + 4, &[0; 4]),
            table,
            "holds 0 points, but the header promises 300",
        );
        assert_fault(&good[..table + 4], table, "cut off");
        assert_fault(&good[..table + 9], table, "cut off");
        assert_fault(&good[..table], start, "chunk table is said to be");
        assert_fault(&bad(table + 8, &[0xff; 4]), table, "more than there are");
        // Far more points than such a file can hold.
        let mut bytes = good.clone();
        bytes[247..255].copy_from_slice(&0xfff0_0000u64.to_le_bytes());
        assert_fault(&bytes, start, "promises 4293918720 points");
    }
}

#[test]
fn chunks_that_lie() {
    let good = packed(6);
    let chunk = start(&good) + 8;
    // Count and sizes of layers stand behind the first point.
    let bytes = patched(&good, chunk + 30, &299u32.to_le_bytes());
    assert_fault(&bytes, chunk, "it says it holds 299");
    let bytes = patched(&good, chunk + 38, &u32::MAX.to_le_bytes());
    assert_fault(&bytes, chunk, "reach past its end");
    let laszip = chunk - 8 - 40;
    assert_fault(&patched(&good, laszip, &[9]), laszip, "laszip record cannot be used");
    assert_fault(&patched(&good, laszip + 36, &[31]), laszip, "do not make point format 6");
    assert_fault(&patched(&good, laszip + 38, &[2]), laszip, "do not make point format 6");
}

#[test]
fn files_without_points_are_read() {
    for format in [0, 6] {
        let bytes = Builder::new(4, format).transform([0.0; 3], [0.0; 3]).build();
        let document = read_bytes(&bytes, Format::Las, "a.las").unwrap();
        assert_eq!(document.cloud.len(), 0);
        for format in [Format::Las, Format::Laz] {
            let made = write_bytes(&document, format, &WriteOptions::default()).unwrap();
            assert_eq!(read_bytes(&made, format, "a").unwrap().cloud.len(), 0);
        }
    }
}

#[test]
fn a_wrong_name_is_reported() {
    let e = read_bytes(&plain(), Format::Ply, "a.ply").unwrap_err().to_string();
    assert!(e.contains("the content is LAS; rename it to end in .las"), "{e}");
    let e = read_bytes(&packed(6), Format::Ply, "a.ply").unwrap_err().to_string();
    assert!(e.contains("the content is LAZ; rename it to end in .laz"), "{e}");
}

/// The compressed file with a second point whose time switches between sequences two million times.
fn endless_time(format: u8) -> Vec<u8> {
    let mut bytes = packed(format);
    let chunk = start(&bytes) + 8;
    let mut out = ArithmeticEncoder::new(Cursor::new(Vec::new()));
    let switches = |out: &mut ArithmeticEncoder<_>, symbols: u32| {
        let mut model = ArithmeticModelBuilder::new(symbols).with_compression(true).build();
        (0..2_000_000).for_each(|_| out.encode_symbol(&mut model, symbols - 1).unwrap());
        out.done().unwrap();
    };
    let at = match format {
        1 => {
            let mut same = LasPoint0Compressor::default();
            let point = bytes[chunk..chunk + 20].to_vec();
            same.compress_first(&mut Cursor::new(Vec::new()), &point).unwrap();
            same.compress_with(&mut out, &point).unwrap();
            switches(&mut out, 6);
            chunk + 28
        }
        _ => {
            switches(&mut out, 5);
            // Of the nine layers only the first, whose new content changes all, and the last.
            let sizes = chunk + 34;
            bytes[sizes..sizes + 36].fill(0);
            (bytes[sizes], bytes[sizes + 32]) = (64, 128);
            let layer = sizes + 36;
            bytes[layer..layer + 64].fill(0xff);
            bytes[layer + 3] = 0xfe;
            layer + 64
        }
    };
    let stream = out.into_inner().into_inner();
    assert!(stream.len() <= 128, "{}", stream.len());
    patched(&bytes, at, &stream)
}

/// The library calls itself for each switch, which ended the stack and with it the program.
#[test]
fn times_that_switch_without_end() {
    for format in [1, 6] {
        let bytes = endless_time(format);
        assert_fault(&bytes, start(&bytes) + 8, "switches between sequences without end");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.laz");
        std::fs::write(&path, &bytes).unwrap();
        let pieces = PieceFile::open(&path).unwrap();
        let e = pieces.positions(&mut |_| true).unwrap_err().to_string();
        assert!(e.contains("switches between sequences without end"), "{e}");
    }
}

/// Cut anywhere or with any byte changed, reading ends with a cloud or a fault.
#[test]
fn damage_anywhere_is_survived() {
    for good in [plain(), packed(3), packed(6), packed(10)] {
        let n = good.len();
        for cut in (0..n).filter(|i| *i < 4 || i % 97 == 0 || i + 60 > n) {
            assert!(read_bytes(&good[..cut], Format::Las, "cut.las").is_err(), "{cut} of {n}");
        }
        for at in (94..n).filter(|i| *i < 118 || i % 71 == 0 || i + 30 > n) {
            for x in [0, 1, 0xff] {
                let _ = read_bytes(&patched(&good, at, &[x]), Format::Las, "x.las")
                    .map(|d| assert!(d.cloud.len() <= 1 << 20));
            }
        }
    }
}
