//! The rule that fuzzing checks, on seeds, on seeds that were changed, and on hostile files.

#[path = "hardening/changed.rs"]
mod changed;
#[path = "hardening/check.rs"]
mod check;
#[path = "hardening/crc.rs"]
mod crc;
#[path = "hardening/hostile.rs"]
mod hostile;
#[path = "hardening/rule.rs"]
mod rule;
#[path = "hardening/seeds.rs"]
mod seeds;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use changed::changed;
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Encoding, Format, Limits, read_bytes, read_bytes_with};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[global_allocator]
static ALLOCATOR: rule::Counting = rule::Counting;

/// Memory is counted for the whole process, so one test at a time reads.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Changes of every seed.
const CHANGES: usize = 40;

#[test]
fn memory_is_counted() {
    let _alone = alone();
    let (_, peak) = rule::peak_of(|| {
        drop(vec![1u8; 10 << 20]);
        vec![1u8; 3 << 20]
    });
    assert!((10 << 20..14 << 20).contains(&peak), "{peak}");
}

#[test]
fn seeds_are_sound() {
    let _alone = alone();
    for (target, format) in seeds::TARGETS {
        for (i, seed) in seeds::seeds(target).iter().enumerate() {
            let document =
                check::read(seed, *format).unwrap_or_else(|e| panic!("seed {i} of {target}: {e}"));
            check::write(&document, seed.len(), *format);
        }
    }
}

#[test]
fn changed_seeds_keep_the_rule() {
    let _alone = alone();
    let mut refused = 0;
    for (target, format) in seeds::TARGETS {
        let all = seeds::seeds(target);
        for (i, seed) in all.iter().enumerate() {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(i as u64);
            for _ in 0..CHANGES {
                let other = &all[random.random_range(0..all.len())];
                let mut bytes = changed(seed, other, &mut random);
                if *format == Format::E57 {
                    crc::mend_e57(&mut bytes);
                }
                match check::read(&bytes, *format) {
                    Ok(document) => check::write(&document, bytes.len(), *format),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    // Many are still sound (a digit for another), many are not.
    assert!(refused > 500, "{refused}");
}

fn sound() -> hostile::Sound {
    let of = |format| {
        let document = Document::from(seeds::cloud(20, 0));
        seeds::written(&document, format, Encoding::BinaryLittle)
    };
    hostile::Sound { las: of(Format::Las), laz: of(Format::Laz), e57: of(Format::E57) }
}

#[test]
fn hostile_files_are_refused_with_a_reason() {
    let _alone = alone();
    for file in hostile::all(&sound()) {
        let format = Format::from_path(Path::new(file.file)).unwrap();
        let name = file.file;
        let (result, peak) = rule::peak_of(|| read_bytes(&file.bytes, format, name));
        rule::check_memory(file.bytes.len(), peak);
        let text = match result {
            Ok(document) => panic!("{name} was read: {} points", document.cloud.len()),
            Err(e) => e.to_string(),
        };
        for word in [&format!("{name}: ").as_str()].into_iter().chain(file.says) {
            assert!(text.contains(word), "\"{word}\" is not in: {text}");
        }
    }
}

#[test]
fn limits_can_be_raised_and_lowered() {
    let _alone = alone();
    let bomb = hostile::all(&sound()).into_iter().find(|h| h.file == "bomb.pcd").unwrap();
    let document =
        read_bytes_with(&bomb.bytes, Format::Pcd, "bomb.pcd", &Limits::NONE).unwrap_err();
    // The content is one byte longer than the points; without the limit that is reported.
    assert!(document.to_string().contains("more than it promises"), "{document}");
    let laz = sound().laz;
    assert!(read_bytes(&laz, Format::Laz, "a.laz").is_ok());
    let strict = Limits { memory: 0, inflation: 1 };
    let fault = read_bytes_with(&laz, Format::Laz, "a.laz", &strict).unwrap_err();
    assert!(fault.to_string().contains("memory"), "{fault}");
}

#[test]
fn a_scan_of_constants_is_read() {
    let _alone = alone();
    // Every record from one value to the same value: nothing is stored at all.
    let good = sound().e57;
    let same = hostile::scans::with_xml(&good, |xml| {
        let float = "type=\"Float\">0</cartesian";
        xml.replace(float, "type=\"Integer\" minimum=\"7\" maximum=\"7\">7</cartesian")
    });
    let document = check::read(&same, Format::E57).unwrap();
    assert_eq!(document.cloud.positions(), [[7.0; 3]; 20]);
    check::write(&document, same.len(), Format::E57);
}

#[test]
fn values_that_wait_for_others_are_limited() {
    let _alone = alone();
    let mut cloud = PointCloud::new(vec![[0.5; 3]; 2000]);
    for i in 0..30 {
        let values = Values::U8(vec![0; 2000]);
        cloud.set_attribute(Attribute::scalar(format!("a{i}"), values)).unwrap();
    }
    let good = seeds::written(&Document::from(cloud), Format::E57, Encoding::BinaryLittle);
    assert!(read_bytes(&good, Format::E57, "good.e57").is_ok());
    // One point is asked for; a packet holds tens of thousands of x in single bits, and for each
    // of them the library would make 32 constants.
    let ahead = hostile::scans::with_xml(&good, |xml| {
        let constant = "type=\"Integer\" minimum=\"7\" maximum=\"7\">7<";
        xml.replace("recordCount=\"2000\"", "recordCount=\"1\"")
            .replace(
                "type=\"Float\">0</cartesianX",
                "type=\"Integer\" minimum=\"0\" maximum=\"1\">0</cartesianX",
            )
            .replace("type=\"Float\">0<", constant)
            .replace("type=\"Integer\" minimum=\"0\" maximum=\"255\">0<", constant)
    });
    let (result, peak) = rule::peak_of(|| read_bytes(&ahead, Format::E57, "ahead.e57"));
    rule::check_memory(ahead.len(), peak);
    let text = result.unwrap_err().to_string();
    assert!(text.starts_with("ahead.e57: byte ") && text.contains("before the others"), "{text}");
}
