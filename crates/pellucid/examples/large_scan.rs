//! Makes a LAS or LAZ file of any size: a noisy landscape with blocks on it, in the order of a scanner.
//!
//! `cargo run --release --example large_scan -- OUT.laz 50000000`

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use pellucid::PointCloud;
use pellucid::cloud::Point;
use pellucid::io::{Document, Format, PieceFile, write_bytes};

/// Metres between points, noise of each coordinate, and steps of the file.
const STEP: f64 = 0.2;
const NOISE: f64 = 0.1;
const SCALE: f64 = 0.001;
/// Where the header has the scale and the offset of coordinates, and the number of points.
const SCALES: usize = 131;
const OFFSETS: usize = 155;
const COUNT: usize = 247;
const FIRST_RETURNS: usize = 255;
const RECORD: usize = 30;

/// A number between 0 and 1 that looks random (SplitMix64).
fn draw(x: u64) -> f64 {
    let x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ (x >> 31)) as f64 * 2.0_f64.powi(-64)
}

fn point(i: u64, side: u64) -> Point {
    let random = |k: u64| draw(8 * i + k);
    // Nearly normal: the sum of three.
    let noise = |k: u64| NOISE * 2.0 * (random(k) + random(k + 1) + random(k + 2) - 1.5);
    let x = ((i % side) as f64 + random(6)) * STEP;
    let y = ((i / side) as f64 + random(7)) * STEP;
    let block = (x / 31.0).fract() < 0.4 && (y / 23.0).fract() < 0.5;
    let z = 8.0 * (x / 50.0).sin() * (y / 70.0).cos() + if block { 9.0 } else { 0.0 };
    [x + noise(0), y + noise(1), z + noise(2)]
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let output = PathBuf::from(args.next().ok_or("give the file to write")?);
    let count: u64 = args.next().ok_or("give the number of points")?.parse()?;
    let side = (count as f64).sqrt().ceil() as u64;
    let wide = side as f64 * STEP + 1.0;

    // The header of a small cloud as wide, with another count.
    let corners = PointCloud::new(vec![[-1.0, -1.0, -10.001], [wide, wide, 20.0]]);
    let document = Document { cloud: corners, source: Default::default() };
    let small = write_bytes(&document, Format::Las, &Default::default())?;
    let mut head = small[..small.len() - 2 * RECORD].to_vec();
    for c in 0..3 {
        head[SCALES + 8 * c..][..8].copy_from_slice(&SCALE.to_le_bytes());
        head[OFFSETS + 8 * c..][..8].copy_from_slice(&0.0_f64.to_le_bytes());
    }
    head[COUNT..COUNT + 8].copy_from_slice(&count.to_le_bytes());
    head[FIRST_RETURNS..FIRST_RETURNS + 8].copy_from_slice(&count.to_le_bytes());

    let plain = output.with_extension("part.las");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&plain)?);
    out.write_all(&head)?;
    for i in 0..count {
        let mut record = [0; RECORD];
        for (c, x) in point(i, side).into_iter().enumerate() {
            record[4 * c..4 * c + 4].copy_from_slice(&((x / SCALE).round() as i32).to_le_bytes());
        }
        record[12..14].copy_from_slice(&((1000.0 * draw(!i)) as u16).to_le_bytes());
        // The only return; time goes on.
        record[14] = 0x11;
        record[22..30].copy_from_slice(&(i as f64 * 1e-6).to_le_bytes());
        out.write_all(&record)?;
    }
    out.into_inner()?.sync_all()?;

    let format = Format::from_path(&output).ok_or("the file must end in .las or .laz")?;
    let mut out =
        File::options().read(true).write(true).create(true).truncate(true).open(&output)?;
    PieceFile::open(&plain)?.rewrite(format, &mut out, &mut |_, _| true)?;
    out.sync_all()?;
    std::fs::remove_file(plain)?;
    Ok(())
}
