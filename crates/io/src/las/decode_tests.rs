//! Our decoders against those of the `laz` crate.

use std::io::Cursor;

use laz::LazVlr;
use laz::record::{
    LayeredPointRecordDecompressor, RecordDecompressor, SequentialPointRecordDecompressor,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::chunks::{Chunk, Packing};

const POINTS: usize = 4000;

/// Records such as scanners make, with all that the coding of times has a case for.
fn records(format: u8, length: usize, seed: u64) -> Vec<u8> {
    let mut r = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut times = [1e5f64, 2e8, -3.0, 7e-3];
    let (mut which, mut pulse) = (0, 0);
    let mut out = Vec::with_capacity(POINTS * length);
    for i in 0..POINTS {
        let mut p = vec![0; length];
        for c in 0..3 {
            let step = 1 << r.random_range(0..if i % 500 == 0 { 31 } else { 9 });
            let x = (i as i32).wrapping_mul(c + 1).wrapping_add(r.random_range(-step..=step));
            p[4 * c as usize..][..4].copy_from_slice(&x.to_le_bytes());
        }
        p[12..20].copy_from_slice(&r.random::<[u8; 8]>());
        if pulse == 0 {
            pulse = r.random_range(1..6);
            if r.random_range(0..20) == 0 {
                which = r.random_range(0..4);
            }
            // Differences of bits: the same, multiples of either sign, out of proportion, huge.
            let unit = 1000i64;
            let difference = match r.random_range(0..100) {
                0..60 => unit + r.random_range(-3..=3),
                60..75 => unit * r.random_range(2..520),
                75..85 => -unit * r.random_range(1..15),
                85..95 => r.random_range(-1_000_000_000..1_000_000_000),
                95..99 => 0,
                _ => r.random::<i64>() >> r.random_range(0..40),
            };
            let bits = (times[which].to_bits() as i64).wrapping_add(difference);
            times[which] = f64::from_bits(bits as u64);
        }
        pulse -= 1;
        let time = if format < 6 { 20 } else { 22 };
        if format >= 6 {
            p[14] = if r.random_range(0..9) == 0 { r.random() } else { 0x51 + pulse };
            p[15] = r.random_range(0..16u8) | if i % 300 < 100 { 0 } else { (which as u8) << 4 };
            p[20..22].copy_from_slice(&r.random_range(0..3u16).to_le_bytes());
        }
        p[time..time + 8].copy_from_slice(&times[which].to_le_bytes());
        r.fill(&mut p[time + 8..]);
        out.extend(p);
    }
    out
}

/// The packing with its items in another version, and what it says of them to the library.
fn with_version(format: u8, length: usize, version: u8) -> (Packing, LazVlr) {
    let mut record = Packing::new(format, length).unwrap().record().unwrap();
    for item in record[34..].chunks_exact_mut(6) {
        item[4] = version;
    }
    let packing = Packing::parse(&record, 0, format, length).unwrap();
    (packing, LazVlr::read_from(&record[..]).unwrap())
}

fn by_the_library(vlr: &LazVlr, layered: bool, packed: &[u8], out: &mut [u8]) {
    fn run<'a>(mut d: impl RecordDecompressor<Cursor<&'a [u8]>>, vlr: &LazVlr, out: &mut [u8]) {
        d.set_fields_from(vlr.items()).unwrap();
        d.decompress_many(out).unwrap();
    }
    let source = Cursor::new(packed);
    match layered {
        true => run(LayeredPointRecordDecompressor::new(source), vlr, out),
        false => run(SequentialPointRecordDecompressor::new(source), vlr, out),
    }
}

#[test]
fn points_are_those_of_the_library() {
    let cases =
        [(1, 28, 1), (1, 28, 2), (3, 36, 2), (6, 30, 3), (6, 30, 4), (7, 40, 3), (8, 38, 4)];
    for (format, length, version) in cases {
        for seed in 0..3 {
            let raw = records(format, length, seed);
            let (packing, vlr) = with_version(format, length, version);
            let packed = packing.pack(&raw).unwrap();
            let mut theirs = vec![0; raw.len()];
            by_the_library(&vlr, version > 2, &packed, &mut theirs);
            let chunk = Chunk { points: POINTS, at: 0, bytes: &packed };
            let mut ours = Vec::new();
            packing.unpack(&chunk, 1000, &mut |_, block| ours.extend_from_slice(block)).unwrap();
            let differ = ours.iter().zip(&theirs).position(|(a, b)| a != b);
            assert_eq!(differ.map(|i| (i / length, i % length)), None, "{format} {version}");
            assert!(ours == theirs && ours == raw, "format {format}, version {version}");
        }
    }
}
