//! Points at one place, however many, take no more time than the other points.
#![cfg(unix)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Folder, PROGRAM, noisy_sphere};
use pellucid::cloud::{Point, PointCloud};
use pellucid::io::{Document, Format, WriteOptions, write_bytes};

/// Rows beside as many at one place. Searches that visit those one by one take minutes.
const ROWS: usize = 60_000;
/// Of each file, in turns; the least time counts.
const RUNS: usize = 3;

/// Seconds of processor time that the program takes by its own account, without the system's.
fn user_seconds(args: &[&Path]) -> f64 {
    // The second line of `times` is that of ended processes: user, system.
    let script = r#""$0" "$@" >/dev/null 2>&1 || exit; times"#;
    let ran = Command::new("sh").args(["-c", script, PROGRAM]).args(args).output().unwrap();
    assert!(ran.status.success(), "{args:?}: {ran:?}");
    let text = String::from_utf8(ran.stdout).unwrap();
    let user = text.lines().nth(1).and_then(|l| l.split_whitespace().next()).unwrap_or_default();
    let (minutes, seconds) = user.trim_end_matches('s').split_once('m').unwrap();
    60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
}

/// A file with more rows between those of a sphere.
fn cloud(folder: &Folder, name: &str, more: impl Fn(usize) -> Option<Point>) -> PathBuf {
    let points = noisy_sphere(ROWS).into_iter().enumerate();
    let points = points.flat_map(|(i, p)| [Some(p), more(i)].into_iter().flatten()).collect();
    let document = Document::from(PointCloud::new(points));
    folder.file(name, write_bytes(&document, Format::Ply, &WriteOptions::default()).unwrap())
}

#[test]
fn coincident_points_at_most_double_the_time() {
    let folder = Folder::new();
    let clouds = [
        cloud(&folder, "alone.ply", |_| None),
        cloud(&folder, "origin.ply", |_| Some([0.0; 3])),
        cloud(&folder, "elsewhere.ply", |_| Some([10.0, 1.0, 2.0])),
        cloud(&folder, "heaps.ply", |i| Some([10.0, (i % 7) as f64, 0.0])),
    ];
    let out = folder.path("out.ply");
    let overwrite = Path::new("--overwrite");
    for command in ["info", "denoise"] {
        let mut least = [f64::INFINITY; 4];
        for _ in 0..RUNS {
            for (least, cloud) in least.iter_mut().zip(&clouds) {
                let mut args = vec![Path::new(command), cloud];
                args.extend((command == "denoise").then_some([&*out, overwrite]).iter().flatten());
                *least = least.min(user_seconds(&args));
            }
        }
        let [alone, others @ ..] = least;
        // `times` counts in hundredths of a second.
        let most = 2.0 * alone + 0.02;
        assert!(others.iter().all(|&t| t <= most), "{command}: {alone} s alone, {others:?}");
    }
}
