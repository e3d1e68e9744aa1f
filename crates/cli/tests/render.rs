//! `pellucid render` makes pictures, and says what it cannot draw.

mod common;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use common::{Folder, noisy_sphere, pellucid, ply};

/// Width, height and pixels of a PNG file.
fn picture(path: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader =
        png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    (info.width, info.height, bytes.chunks(3).map(|p| [p[0], p[1], p[2]]).collect())
}

#[test]
fn clouds_stand_side_by_side_and_red_and_blue_tell_out_from_in() {
    let folder = Folder::new();
    let points = noisy_sphere(4_000);
    let a = folder.file("a.ply", ply(&points));
    // The upper half moves out, the lower half in.
    let moved: Vec<_> =
        points.iter().map(|p| p.map(|x| x * if p[2] > 0.0 { 1.02 } else { 0.98 })).collect();
    let b = folder.file("b.ply", ply(&moved));
    let out = folder.path("out.png");
    let flags = ["--color", "displacement", "--size", "120x100", "--view", "front"];
    let files = [&a, &b, &out].map(|p| p.to_str().unwrap());
    pellucid(["render"].iter().chain(&files).chain(&flags)).code(0);
    let (w, h, pixels) = picture(&out);
    // Two panels with a gap; a caption and a legend below.
    assert_eq!((w, h), (244, 100 + 44 + 44));
    let at = |x: u32, y: u32| pixels[(y * w + x) as usize].map(i32::from);
    let upper = at(184, 30);
    let lower = at(184, 70);
    assert!(upper[0] > upper[2] + 30, "{upper:?} is not red");
    assert!(lower[2] > lower[0] + 30, "{lower:?} is not blue");
    // The first cloud has not moved.
    let still = at(60, 50);
    assert!((still[0] - still[2]).abs() < 20, "{still:?} is not gray");
    // It exists now.
    pellucid(["render"].iter().chain(&files).chain(&flags)).code(2).says(&["--overwrite"]);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let folder = Folder::new();
    let a = folder.file("a.ply", ply(&noisy_sphere(50)));
    let b = folder.file("b.ply", ply(&noisy_sphere(60)));
    let [a, b] = [&a, &b].map(|p| p.to_str().unwrap());
    let out = folder.path("out.png");
    let out = out.to_str().unwrap();
    pellucid(["render", a, out, "--color", "warmth"]).code(2).says(&["warmth", "none"]);
    pellucid(["render", a, out, "--color", "original"]).code(2).says(&["no colors"]);
    pellucid(["render", a, out, "--color", "distance"]).code(2).says(&["--truth"]);
    pellucid(["render", a, b, out, "--color", "displacement"]).code(2).says(&["50", "60"]);
    pellucid(["render", a, "out.jpg"]).code(2).says(&["out.jpg", ".png"]);
    pellucid(["render", a, out, "--size", "0x5"]).code(2).says(&["1200x900"]);
    pellucid(["render", a, out, "--view", "30,100"]).code(2).says(&["between -90"]);
    let empty = folder.file("e.ply", ply(&[[f64::NAN; 3]]));
    pellucid(["render", empty.to_str().unwrap(), out]).code(2).says(&["e.ply", "finite"]);
    assert!(!Path::new(out).exists());
}

/// Pixels that are not the background, which the first pixel of each row shows.
fn drawn(path: &Path) -> usize {
    let (width, _, pixels) = picture(path);
    let row = |row: &[[u8; 3]]| row.iter().filter(|p| **p != row[0]).count();
    pixels.chunks(width as usize).map(row).sum()
}

#[test]
fn one_far_point_does_not_empty_the_picture() {
    let folder = Folder::new();
    let mut points = noisy_sphere(2_000);
    points.push([1e6, 0.0, 0.0]);
    let (a, out) = (folder.file("a.ply", ply(&points)), folder.path("out.png"));
    let args = ["render", a.to_str().unwrap(), out.to_str().unwrap(), "--size", "100x100"];
    pellucid(args).code(0).says(&["1 point far away"]);
    assert!(drawn(&out) > 3_000);
}

#[test]
fn clouds_that_lie_elsewhere_are_reported() {
    let folder = Folder::new();
    let points = noisy_sphere(300);
    let a = folder.file("a.ply", ply(&points));
    let far: Vec<_> = points.iter().map(|p| [p[0] + 1e5, p[1], p[2]]).collect();
    let (b, out) = (folder.file("b.ply", ply(&far)), folder.path("out.png"));
    let [a, b, out] = [&a, &b, &out].map(|p| p.to_str().unwrap());
    pellucid(["render", a, b, out, "--size", "50x50"]).code(0).says(&["b.ply", "lies elsewhere"]);
    let alike = pellucid(["render", a, a, out, "--size", "50x50", "--overwrite"]).code(0);
    assert_eq!(alike.stderr, "");
}

#[test]
fn plain_dots_leave_gaps() {
    let folder = Folder::new();
    let a = folder.file("a.ply", ply(&noisy_sphere(500)));
    let count = |name: &str, flags: &[&str]| {
        let out = folder.path(name);
        let args = ["render", a.to_str().unwrap(), out.to_str().unwrap(), "--size", "200x200"];
        pellucid(args.iter().chain(flags)).code(0);
        drawn(&out)
    };
    let (surface, dots) = (count("surface.png", &[]), count("dots.png", &["--points"]));
    assert!(3 * dots < 2 * surface && dots > 500, "{dots} of {surface}");
}

#[test]
fn captions_tell_files_of_one_name_apart() {
    let folder = Folder::new();
    for name in ["before", "after"] {
        std::fs::create_dir(folder.path(name)).unwrap();
        folder.file(&format!("{name}/scan.ply"), ply(&noisy_sphere(300)));
    }
    let (a, b) = (folder.path("before/scan.ply"), folder.path("after/scan.ply"));
    let (out, given) = (folder.path("out.png"), folder.path("given.png"));
    let files = |out: &Path| [&a, &b, &out.to_owned()].map(|p| p.to_str().unwrap().to_owned());
    let render = |out: &Path, flags: &[&str]| {
        let flags = flags.iter().map(|f| (*f).to_owned());
        pellucid(std::iter::once("render".to_owned()).chain(files(out)).chain(flags)).code(0);
        picture(out).2
    };
    let captions = "before/scan.ply,after/scan.ply";
    let size = ["--size", "160x120"];
    let named = ["--size", "160x120", "--caption", captions];
    assert_eq!(render(&out, &size), render(&given, &named));
}
