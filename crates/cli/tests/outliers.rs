//! `pellucid outliers`.

mod common;

use common::{Folder, Ran, noisy_sphere, pellucid, ply, points_of};
use pellucid::cloud::{Attribute, Point, PointCloud, Values};
use pellucid::io::{self, Document, WriteOptions};

fn run(folder: &Folder, args: &str) -> Ran {
    let path = |a: &str| a.contains('.') && !a.contains('=');
    pellucid(args.split_whitespace().map(|a| match path(a) {
        true => folder.path(a).into_os_string(),
        false => a.into(),
    }))
}

/// A noisy sphere with a point high above it, one far below, and one beside it.
fn thrown() -> Vec<Point> {
    let mut points = noisy_sphere(1000);
    points[100] = [0.0, 0.0, 40.0];
    points[500] = [0.0, 0.0, -40.0];
    points[900] = [33.0, 0.0, -6.0];
    points
}

const THROWN: [usize; 3] = [100, 500, 900];

fn column(folder: &Folder, file: &str, name: &str) -> Vec<f64> {
    let cloud = io::read(&folder.path(file)).unwrap().cloud;
    cloud.attribute(name).unwrap_or_else(|| panic!("no {name} in {file}")).component(0).unwrap()
}

#[test]
fn outliers_are_labelled_and_nothing_moves() {
    let folder = Folder::new();
    folder.file("in.ply", ply(&thrown()));
    for method in ["isolated", "statistical", "radius", "local-outlier"] {
        let out = format!("{method}.ply");
        let ran = run(&folder, &format!("outliers in.ply {out} --method {method}")).code(0);
        assert!(ran.stdout.contains("outlier"), "{ran:?}");
        assert_eq!(points_of(&folder.path(&out)), thrown(), "{method}");
        let labels = column(&folder, &out, "outlier");
        assert!(THROWN.iter().all(|&row| labels[row] == 1.0), "{method}");
        assert!(labels.iter().sum::<f64>() < 15.0, "{method}: {}", labels.iter().sum::<f64>());
    }
}

#[test]
fn classify_gives_the_classes_of_noise() {
    let folder = Folder::new();
    // Old point formats know one class of noise, new ones two.
    let mut cloud = PointCloud::new(thrown());
    cloud.set_attribute(Attribute::scalar("classification", Values::U8(vec![2; 1000]))).unwrap();
    let options = WriteOptions::default();
    io::write(&folder.path("new.las"), &Document::from(cloud.clone()), &options).unwrap();
    assert_eq!(io::read(&folder.path("new.las")).unwrap().source.point_format(), Some(6));
    run(&folder, "outliers new.las new-out.laz --classify").code(0);
    let classes = column(&folder, "new-out.laz", "classification");
    assert_eq!(THROWN.map(|row| classes[row]), [18.0, 7.0, 7.0]);
    assert!(classes.iter().filter(|c| **c == 2.0).count() > 985);
    assert!(io::read(&folder.path("new-out.laz")).unwrap().cloud.attribute("outlier").is_none());

    folder.file("old.las", old_las(&thrown()));
    assert_eq!(io::read(&folder.path("old.las")).unwrap().source.point_format(), Some(0));
    run(&folder, "outliers old.las old-out.las --classify").code(0);
    let classes = column(&folder, "old-out.las", "classification");
    assert_eq!(THROWN.map(|row| classes[row]), [7.0, 7.0, 7.0]);

    // To and from other formats.
    run(&folder, "outliers new.las out.pcd").code(0);
    assert_eq!(column(&folder, "out.pcd", "outlier")[100], 1.0);
    assert_eq!(column(&folder, "out.pcd", "classification")[100], 2.0);
    folder.file("in.ply", ply(&thrown()));
    run(&folder, "outliers in.ply out.las --classify").code(0);
    assert_eq!(column(&folder, "out.las", "classification")[100], 18.0);
}

#[test]
fn las_points_keep_their_class_and_are_withheld() {
    let folder = Folder::new();
    let mut cloud = PointCloud::new(thrown());
    let classes: Vec<u8> = (0..1000).map(|row| if row == 100 { 5 } else { 2 }).collect();
    let kept: Vec<f64> = classes.iter().map(|&c| f64::from(c)).collect();
    cloud.set_attribute(Attribute::scalar("classification", Values::U8(classes))).unwrap();
    let options = WriteOptions::default();
    io::write(&folder.path("in.las"), &Document::from(cloud), &options).unwrap();
    let ran = run(&folder, "outliers in.las out.las --report what.json").code(0);
    assert_eq!(column(&folder, "out.las", "classification"), kept);
    let withheld = column(&folder, "out.las", "withheld");
    assert!(THROWN.iter().all(|&row| withheld[row] == 1.0));
    assert!(withheld.iter().sum::<f64>() < 15.0);
    // How many, and where.
    assert!(ran.stdout.contains("1 high-vegetation (5)"), "{ran:?}");
    assert!(ran.stdout.contains("z -40.0 to 40.0"), "{ran:?}");
    let text = std::fs::read(folder.path("what.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(report["where"]["classes"]["5"], 1);
    assert_eq!(report["where"]["bounds"][1][2], 40.0);
}

#[test]
fn sparse_parts_of_a_scan_are_kept() {
    // A dense field and beside it one with a tenth of the points.
    let mut points: Vec<Point> = Vec::new();
    for (side, from) in [(60, 0.0), (20, 10.0)] {
        for i in 0..side * side {
            let step = 10.0 / f64::from(side);
            let (x, y) = (f64::from(i % side) * step, f64::from(i / side) * step);
            points.push([from + x, y, 0.01 * f64::from(i % 7)]);
        }
    }
    points.push([5.0, 5.0, 9.0]);
    let folder = Folder::new();
    folder.file("in.ply", ply(&points));
    run(&folder, "outliers in.ply out.ply").code(0);
    let labels = column(&folder, "out.ply", "outlier");
    assert_eq!((labels.iter().sum::<f64>(), labels[points.len() - 1]), (1.0, 1.0));
}

/// LAS 1.2, point format 0, by the book.
fn old_las(points: &[Point]) -> Vec<u8> {
    let mut file = vec![0_u8; 227];
    file[..4].copy_from_slice(b"LASF");
    (file[24], file[25]) = (1, 2);
    file[94..96].copy_from_slice(&227_u16.to_le_bytes());
    file[96..100].copy_from_slice(&227_u32.to_le_bytes());
    file[105..107].copy_from_slice(&20_u16.to_le_bytes());
    file[107..111].copy_from_slice(&(points.len() as u32).to_le_bytes());
    for (axis, at) in [131, 139, 147].into_iter().enumerate() {
        file[at..at + 8].copy_from_slice(&0.001_f64.to_le_bytes());
        let range = points.iter().map(|p| p[axis]);
        let hi = range.clone().fold(f64::NEG_INFINITY, f64::max);
        let lo = range.fold(f64::INFINITY, f64::min);
        let at = 179 + 16 * axis;
        file[at..at + 8].copy_from_slice(&hi.to_le_bytes());
        file[at + 8..at + 16].copy_from_slice(&lo.to_le_bytes());
    }
    for p in points {
        for x in p {
            file.extend_from_slice(&((x * 1000.0).round() as i32).to_le_bytes());
        }
        file.extend_from_slice(&[0, 0, 0b0000_1001, 1, 0, 0, 0, 0]);
    }
    file
}

#[test]
fn removal_is_asked_for_and_leaves_a_map() {
    let folder = Folder::new();
    let points = thrown();
    folder.file("in.ply", ply(&points));
    let flags = "--remove --map kept.txt --report what.json";
    run(&folder, &format!("outliers in.ply out.ply {flags}")).code(0);
    let left = points_of(&folder.path("out.ply"));
    let map = std::fs::read_to_string(folder.path("kept.txt")).unwrap();
    let rows: Vec<usize> = map.lines().map(|l| l.parse().unwrap()).collect();
    assert_eq!(rows.len(), left.len());
    assert!(THROWN.iter().all(|row| !rows.contains(row)));
    assert!(rows.windows(2).all(|w| w[0] < w[1]));
    for (row, p) in rows.iter().zip(&left) {
        assert_eq!(points[*row], *p);
    }
    let text = std::fs::read(folder.path("what.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(report["points"], 1000);
    assert_eq!(report["outliers"], 1000 - left.len());
    assert_eq!(report["attributes"][0]["became"], "kept");
    assert_eq!(report["rule"]["isolated"]["neighbors"], 8);
}

#[test]
fn small_clouds_get_the_digits_that_tell_where() {
    let folder = Folder::new();
    let small: Vec<Point> = thrown().iter().map(|p| p.map(|x| 0.001 * x)).collect();
    folder.file("in.ply", ply(&small));
    let ran = run(&folder, "outliers in.ply out.ply").code(0);
    assert!(ran.stdout.contains("z -0.0400 to 0.0400"), "{ran:?}");
}

#[test]
fn e57_keeps_its_scans_and_gets_the_label() {
    let folder = Folder::new();
    folder.file("in.ply", ply(&thrown()));
    run(&folder, "convert in.ply in.e57").code(0);
    run(&folder, "outliers in.e57 out.e57").code(0);
    let labels = column(&folder, "out.e57", "outlier");
    assert!(THROWN.iter().all(|&row| labels[row] == 1.0));
    // Once more, over the labels that are there.
    run(&folder, "outliers out.e57 again.e57").code(0);
    assert_eq!(column(&folder, "again.e57", "outlier"), labels);
}

#[test]
fn threads_change_nothing() {
    let folder = Folder::new();
    folder.file("in.ply", ply(&thrown()));
    run(&folder, "outliers in.ply one.ply --threads 1").code(0);
    run(&folder, "outliers in.ply two.ply --threads 2").code(0);
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(bytes("one.ply"), bytes("two.ply"));
}

#[test]
fn wrong_usage_is_explained() {
    let folder = Folder::new();
    folder.file("in.ply", ply(&thrown()));
    folder.file("few.ply", ply(&noisy_sphere(5)));
    let refused = |args: &str, words: &[&str]| {
        run(&folder, &format!("outliers {args}")).code(2).says(words);
    };
    refused("in.ply out.ply --method nope", &["nope", "local-outlier"]);
    refused("in.ply out.ply --set nope=1", &["nope", "factor, neighbors, surroundings"]);
    refused("in.ply out.ply --set ratio", &["KEY=VALUE"]);
    refused("in.ply out.ply --method statistical --set ratio=-1", &["ratio", "above 0"]);
    refused("in.ply out.ply --method statistical --set ratio=much", &["ratio=much"]);
    refused("in.ply out.ply --set neighbors=0", &["neighbors", "between 1 and 1000"]);
    refused("in.ply out.ply --method radius --set radius=0", &["radius", "above 0"]);
    refused("in.ply out.ply --method local-outlier --set factor=0.5", &["factor", "1 or more"]);
    refused("in.ply out.ply --remove --classify", &["--remove", "--classify"]);
    refused("in.ply out.ply --remove --label", &["--remove", "--label"]);
    refused("in.ply out.ply --map m.txt", &["--remove"]);
    refused("in.ply out.ply --remove --map in.ply", &["in.ply", "map"]);
    refused("in.ply out.obj", &["OBJ", "--remove", ".ply"]);
    refused("in.ply in.ply --overwrite", &["in.ply", "input"]);
    refused("few.ply out.ply", &["few.ply", "5 usable points", "at least 9"]);
    refused("lost.ply out.ply", &["lost.ply", "no such file"]);
    assert_eq!(folder.names(), ["few.ply", "in.ply"]);
}
