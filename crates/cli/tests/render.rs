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
    assert!((still[0] - still[2]).abs() < 20, "{still:?} is not grey");
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
    pellucid(["render", a, out, "--color", "original"]).code(2).says(&["no colours"]);
    pellucid(["render", a, out, "--color", "distance"]).code(2).says(&["--truth"]);
    pellucid(["render", a, b, out, "--color", "displacement"]).code(2).says(&["50", "60"]);
    pellucid(["render", a, "out.jpg"]).code(2).says(&["out.jpg", ".png"]);
    pellucid(["render", a, out, "--size", "0x5"]).code(2).says(&["1200x900"]);
    pellucid(["render", a, out, "--view", "30,100"]).code(2).says(&["between -90"]);
    let empty = folder.file("e.ply", ply(&[[f64::NAN; 3]]));
    pellucid(["render", empty.to_str().unwrap(), out]).code(2).says(&["e.ply", "finite"]);
    assert!(!Path::new(out).exists());
}
