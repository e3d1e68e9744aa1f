//! `split`: each point goes into one file, with all that belongs to it.

mod common;

use common::{Folder, Ran, pellucid, ply};
use pellucid::cloud::{Attribute, Point, PointCloud, Values};
use pellucid::io::{self, Document, WriteOptions};

fn run(folder: &Folder, args: &str) -> Ran {
    pellucid(args.split_whitespace().map(|a| match a.strip_prefix(':') {
        Some(name) => folder.path(name).into_os_string(),
        None => a.into(),
    }))
}

/// A grid whose points carry their row number and a class.
fn numbered(folder: &Folder, name: &str) -> Vec<Point> {
    let points: Vec<Point> =
        (0..400).map(|i| [f64::from(i % 20) - 10.0, f64::from(i / 20), f64::from(i % 3)]).collect();
    let mut cloud = PointCloud::new(points.clone());
    cloud.set_attribute(Attribute::scalar("row", Values::U32((0..400).collect()))).unwrap();
    let classes = (0..400).map(|i| if i % 4 == 0 { 2 } else { 6 }).collect();
    cloud.set_attribute(Attribute::scalar("classification", Values::U8(classes))).unwrap();
    io::write(&folder.path(name), &Document::from(cloud), &WriteOptions::default()).unwrap();
    points
}

/// The rows of all parts, file by file; asserts that they are points of the whole.
fn parts(folder: &Folder, name: &str, points: &[Point]) -> Vec<(String, Vec<usize>)> {
    let mut names: Vec<String> = std::fs::read_dir(folder.path(name))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let rows = |file: &String| {
        let cloud = io::read(&folder.path(name).join(file)).unwrap().cloud;
        let rows = cloud.attribute("row").unwrap().component(0).unwrap();
        let rows: Vec<usize> = rows.iter().map(|x| *x as usize).collect();
        for (row, p) in rows.iter().zip(cloud.positions()) {
            assert_eq!(points[*row], *p);
        }
        assert!(rows.windows(2).all(|w| w[0] < w[1]));
        rows
    };
    names.iter().map(|n| (n.clone(), rows(n))).collect()
}

#[test]
fn by_class_and_by_tile_every_point_is_in_one_part() {
    let folder = Folder::new();
    for name in ["in.ply", "in.las"] {
        let points = numbered(&folder, name);
        let kind = &name[3..];
        run(&folder, &format!("split :{name} :class-{kind} --by class")).code(0);
        let found = parts(&folder, &format!("class-{kind}"), &points);
        assert_eq!(found[0].0, format!("in_class2.{kind}"));
        assert_eq!(found[1].0, format!("in_class6.{kind}"));
        assert_eq!(found[0].1, (0..400).filter(|i| i % 4 == 0).collect::<Vec<_>>());
        assert_eq!(found[1].1.len(), 300);

        run(&folder, &format!("split :{name} :tile-{kind} --tile 10")).code(0);
        let found = parts(&folder, &format!("tile-{kind}"), &points);
        let names: Vec<&str> = found.iter().map(|f| f.0.as_str()).collect();
        let ends = ["-10_0", "-10_10", "0_0", "0_10"].map(|e| format!("in_tile_{e}.{kind}"));
        assert_eq!(names, ends);
        assert!(found.iter().all(|f| f.1.len() == 100));
    }
}

#[test]
fn scans_are_told_apart_and_other_attributes_too() {
    let folder = Folder::new();
    let scan = |x: &str| {
        format!(
            "2\n1\n{x} 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n{x} 0 0 1\n\
             1 2 3 0.5\n4 5 6 0.5\n"
        )
    };
    folder.file("in.ptx", scan("0") + &scan("100"));
    run(&folder, "split :in.ptx :scans --by scan --format ply").code(0);
    let second = io::read(&folder.path("scans/in_scan1.ply")).unwrap().cloud;
    assert_eq!(second.positions(), [[101.0, 2.0, 3.0], [104.0, 5.0, 6.0]]);
    assert_eq!(folder.path("scans").read_dir().unwrap().count(), 2);

    // A file of one scan does not number it.
    folder.file("one.ptx", scan("0"));
    run(&folder, "split :one.ptx :single --by scan --format ply").code(0);
    assert!(folder.path("single/one_scan0.ply").is_file());

    numbered(&folder, "in.las");
    run(&folder, "split :in.las :sources --by scan").code(0);
    assert!(folder.path("sources/in_scan0.las").is_file());
    let rows = run(&folder, "split :in.las :rows --by row").code(0);
    assert_eq!(rows.stdout.lines().count(), 400);
    let packed = run(&folder, "convert :in.las :in.las.gz").code(0);
    assert!(packed.stderr.is_empty(), "{packed:?}");
    run(&folder, "split :in.las.gz :packed --by class").code(0);
    assert!(folder.path("packed/in_class2.las.gz").is_file());
}

#[test]
fn mistakes_are_explained_before_anything_is_written() {
    let folder = Folder::new();
    numbered(&folder, "in.ply");
    let bare = folder.file("bare.ply", ply(&[[0.5, 0.0, 0.0], [1.5, 0.0, 0.0]]));
    run(&folder, "split :in.ply :out").code(2).says(&["--by", "--tile"]);
    run(&folder, "split :bare.ply :out --by class").code(2).says(&["--by class", "none"]);
    run(&folder, "split :in.ply :out --by height").code(2).says(&["classification", "row"]);
    run(&folder, "split :in.ply :bare.ply --by class").code(2).says(&["bare.ply", "folder"]);
    run(&folder, "split :in.ply :out --tile 0").code(2).says(&["--tile", "above 0"]);
    let many = run(&folder, "split :bare.ply :out --tile 1e-9").code(0);
    assert_eq!(many.stdout.lines().count(), 2);
    folder.file("out/in_class6.ply", "mine");
    run(&folder, "split :in.ply :out --by class").code(2).says(&["in_class6.ply", "exists"]);
    assert!(!folder.path("out/in_class2.ply").exists());
    assert!(bare.is_file());
}
