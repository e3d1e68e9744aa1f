//! A program that is killed while it writes leaves the old output or the new one.
#![cfg(unix)]

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, PROGRAM, pellucid};
use pellucid::cloud::PointCloud;
use pellucid::io::{Document, Format, WriteOptions, write_bytes};

/// How often it is killed, evenly over the time that a whole run takes.
const KILLS: u32 = 12;

fn grid(n: usize) -> Vec<u8> {
    let points = (0..n).map(|i| [(i % 251) as f64, (i / 251) as f64, (i % 17) as f64 * 0.1]);
    let document = Document::from(PointCloud::new(points.collect()));
    write_bytes(&document, Format::Ply, &WriteOptions::default()).unwrap()
}

#[test]
fn a_killed_program_leaves_the_old_output_or_the_new_one() {
    for (name, points) in [("out.ply", 400_000), ("out.xyz", 150_000), ("out.laz", 100_000)] {
        let folder = Folder::new();
        let input = folder.file("in.ply", grid(points));
        let out = folder.file(name, "old");
        let args = [Path::new("convert"), &input, &out, Path::new("--overwrite")];
        let start = Instant::now();
        pellucid(args).code(0);
        let whole = start.elapsed();
        let new = std::fs::read(&out).unwrap();
        let mut kept = 0;
        for k in 0..KILLS {
            std::fs::write(&out, "old").unwrap();
            let mut child = Command::new(PROGRAM)
                .args(args)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // A busy machine only moves the moment.
            std::thread::sleep(whole * k / KILLS + Duration::from_micros(200));
            child.kill().unwrap();
            child.wait().unwrap();
            let now = std::fs::read(&out).unwrap();
            assert!(now == b"old" || now == new, "kill {k}: {} bytes of {name}", now.len());
            kept += u32::from(now == b"old");
        }
        assert!(kept > 0, "no run was killed before it was done");
        // What a killed run leaves behind is hidden, tells whose it is, and is in nobody's way.
        for left in folder.names().iter().filter(|n| *n != "in.ply" && *n != name) {
            assert!(left.starts_with(".pellucid-") && left.ends_with(".part"), "{left}");
        }
        pellucid(args).code(0);
        assert_eq!(std::fs::read(&out).unwrap(), new);
    }
}
