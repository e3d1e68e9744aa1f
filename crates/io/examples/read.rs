//! Times reading: `cargo run --release -p pellucid-io --example read -- FILE [TIMES]`.
//!
//! `--example read -- --make COUNT FILE` writes a cloud of that many points to read.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, IoError, WriteOptions, read, write};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["--make", count, path] => match count.parse() {
            Ok(count) => make(count, Path::new(path)),
            Err(_) => return usage(),
        },
        [path] => time(Path::new(path), 1),
        [path, times] => time(Path::new(path), times.parse().unwrap_or(1)),
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::from(2)
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: read FILE [TIMES] | read --make COUNT FILE");
    ExitCode::from(2)
}

fn time(path: &Path, times: usize) -> Result<(), IoError> {
    for _ in 0..times {
        let start = Instant::now();
        let document = read(path)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{} points in {seconds:.3} s", document.cloud.len());
    }
    Ok(())
}

/// A wavy terrain scanned line by line, with colors: single precision in PLY, millimetres in LAS.
fn make(count: usize, path: &Path) -> Result<(), IoError> {
    let side = (count as f64).sqrt().ceil().max(1.0) as usize;
    // Something like noise, the same on every machine.
    let noise = |i: usize, k: u64| {
        let x = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(k);
        let x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (x >> 40) as f64 / (1u64 << 24) as f64
    };
    let milli = |x: f64| f64::from(((x * 1000.0).round() / 1000.0) as f32);
    let point = |i: usize| {
        let (x, y) = ((i % side) as f64 * 0.1, (i / side) as f64 * 0.1);
        let z = 5.0 * (x / 20.0).sin() + 3.0 * (y / 30.0).cos();
        [x + 0.05 * noise(i, 1), y + 0.05 * noise(i, 2), z + 0.02 * noise(i, 3)].map(milli)
    };
    let mut cloud = PointCloud::new((0..count).map(point).collect());
    let colors = (0..3 * count).map(|i| (noise(i / 3, 4 + i as u64 % 3) * 255.0) as u8).collect();
    let color = Attribute::vector("color", 3, Values::U8(colors));
    if let Err(e) = cloud.set_attribute(color) {
        eprintln!("{e}");
    }
    write(path, &Document::from(cloud), &WriteOptions { overwrite: true, ..Default::default() })?;
    Ok(())
}
