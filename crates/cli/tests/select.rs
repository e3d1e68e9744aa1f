//! `denoise` for a selection of points and along lines of sight; what the report says of attributes.

mod common;

use common::{Folder, Ran, noisy_sphere, pellucid, points_of};
use e57::{
    E57Reader, E57Writer, Quaternion, Record, RecordDataType, RecordName, RecordValue, Transform,
    Translation,
};
use pellucid::cloud::{Attribute, Point, PointCloud, Values, vec3};
use pellucid::io::{self, Document, WriteOptions};
use serde_json::Value;

fn run(folder: &Folder, args: &str) -> Ran {
    let path = |a: &str| {
        [".ply", ".las", ".xyz", ".json", ".pcd", ".ptx", ".obj", ".e57"]
            .iter()
            .any(|e| a.ends_with(e))
    };
    pellucid(args.split_whitespace().map(|a| match path(a) {
        true => folder.path(a).into_os_string(),
        false => a.into(),
    }))
}

/// A noisy sphere with classes 1 and 2 and an intensity.
fn classified(folder: &Folder, name: &str) -> PointCloud {
    let points = noisy_sphere(2000);
    let classes = points.iter().map(|p| if p[2] > 0.0 { 2 } else { 1 }).collect();
    let intensity = (0..2000).map(|i| (i % 500) as u16).collect();
    let normals: Vec<Point> = points.iter().map(|&p| vec3::scale(p, 1.0 / vec3::norm(p))).collect();
    let mut cloud = PointCloud::new(points);
    cloud.set_attribute(Attribute::scalar("classification", Values::U8(classes))).unwrap();
    cloud.set_attribute(Attribute::scalar("intensity", Values::U16(intensity))).unwrap();
    if !name.ends_with(".las") {
        cloud.set_normals(&normals).unwrap();
    }
    let document = Document::from(cloud);
    io::write(&folder.path(name), &document, &WriteOptions::default()).unwrap();
    io::read(&folder.path(name)).unwrap().cloud
}

/// Asserts that exactly the points with `moves` moved, and nothing else of the others changed.
#[track_caller]
fn only_moved(before: &PointCloud, after: &PointCloud, moves: impl Fn(usize) -> bool) {
    let mut moved = 0;
    for row in 0..before.len() {
        let bits = |c: &PointCloud| c.positions()[row].map(f64::to_bits);
        let stays = bits(before) == bits(after);
        assert!(moves(row) || stays, "row {row} moved");
        moved += usize::from(!stays);
        if let (false, Some(old), Some(new)) = (moves(row), before.normals(), after.normals()) {
            assert_eq!(old[row], new[row], "the normal of row {row}");
        }
    }
    let wanted = (0..before.len()).filter(|&row| moves(row)).count();
    assert!(moved > wanted / 2, "only {moved} of {wanted} points moved");
}

fn values(cloud: &PointCloud, name: &str) -> Vec<f64> {
    cloud.attribute(name).unwrap().component(0).unwrap()
}

#[test]
fn displacement_is_that_of_the_selection() {
    let folder = Folder::new();
    let before = classified(&folder, "in.ply");
    let class = values(&before, "classification");
    run(&folder, "denoise in.ply out.ply -m mls --class 2 --report r.json").code(0);
    let after = points_of(&folder.path("out.ply"));
    let moved: Vec<f64> = (0..before.len())
        .filter(|&row| class[row] == 2.0)
        .map(|row| vec3::distance2(before.positions()[row], after[row]).sqrt())
        .collect();
    let mean = moved.iter().sum::<f64>() / moved.len() as f64;
    let text = std::fs::read(folder.path("r.json")).unwrap();
    let report: Value = serde_json::from_slice(&text).unwrap();
    let told = report["runs"][0]["displacement"]["mean"].as_f64().unwrap();
    assert!((told - mean).abs() < 1e-6 * mean, "{told} for {mean}");
}

#[test]
fn classes_boxes_and_attributes_choose_what_moves() {
    let folder = Folder::new();
    let before = classified(&folder, "in.ply");
    let read = |name: &str| io::read(&folder.path(name)).unwrap().cloud;
    let (class, intensity) = (values(&before, "classification"), values(&before, "intensity"));
    let z = |row: usize| before.positions()[row][2];

    run(&folder, "denoise in.ply class.ply -m mls --class 2,9").code(0);
    only_moved(&before, &read("class.ply"), |row| class[row] == 2.0);

    run(&folder, "denoise in.ply alone.ply -m mls --class 2,9 --alone").code(0);
    only_moved(&before, &read("alone.ply"), |row| class[row] == 2.0);
    assert_ne!(read("alone.ply"), read("class.ply"));
    run(&folder, "denoise in.ply none.ply --alone").code(2).says(&["--alone", "--class"]);

    run(&folder, "denoise in.ply box.ply -m mls --box -99,-99,-3,99,99,4.5").code(0);
    only_moved(&before, &read("box.ply"), |row| (-3.0..=4.5).contains(&z(row)));

    run(&folder, "denoise in.ply range.ply -m mls --select intensity=100..250").code(0);
    let inside = |row: usize| (100.0..=250.0).contains(&intensity[row]);
    only_moved(&before, &read("range.ply"), inside);

    let all =
        "denoise in.ply all.ply -m mls --class 2 --select intensity=100.. --select z=..8 --json";
    let report = run(&folder, all).code(0).json();
    let chosen =
        |row: usize| class[row] == 2.0 && intensity[row] >= 100.0 && z(row) <= 8.0 && z(row) > 0.0;
    only_moved(&before, &read("all.ply"), chosen);
    let part = &report["runs"][0]["part"];
    assert_eq!(part["points"], (0..2000).filter(|&row| chosen(row)).count());
    assert_eq!(part["conditions"][2], "--select z=..8");

    let tip = "denoise in.ply tip.ply -m mls --select normal.2=0.9..";
    run(&folder, tip).code(0);
    let nz: Vec<f64> = before.normals().unwrap().iter().map(|n| n[2]).collect();
    only_moved(&before, &read("tip.ply"), |row| nz[row] >= 0.9);
}

#[test]
fn las_points_outside_the_part_keep_their_integers() {
    let folder = Folder::new();
    let before = classified(&folder, "in.las");
    let class = values(&before, "classification");
    run(&folder, "denoise in.las out.las -m mls --class 2").code(0);
    let after = io::read(&folder.path("out.las")).unwrap().cloud;
    only_moved(&before, &after, |row| class[row] == 2.0);
    assert_eq!(after.attribute("classification"), before.attribute("classification"));
}

#[test]
fn conditions_that_cannot_hold_are_explained() {
    let folder = Folder::new();
    classified(&folder, "in.ply");
    folder.file("bare.xyz", "0 0 0\n1 0 0\n0 1 0\n1 1 0\n");
    let refused = |flags: &str, words: &[&str]| {
        run(&folder, &format!("denoise in.ply out.ply -m mls {flags}")).code(2).says(words);
    };
    refused("--class 9", &["in.ply", "--class 9", "classes are 1, 2"]);
    refused("--class x", &["--class"]);
    refused("--class 300", &["--class"]);
    refused("--box 1,2,3", &["--box", "six numbers"]);
    refused("--box 1,2,3,4,5,nan", &["--box", "six numbers"]);
    refused("--box 1,1,1,0,2,2", &["--box", "swap"]);
    refused("--box 90,90,90,91,91,91", &["in.ply", "--box", "none of its 2000 points"]);
    refused("--select intensity", &["--select", "ATTRIBUTE=VALUE"]);
    refused("--select intensity=", &["ATTRIBUTE=VALUE"]);
    refused("--select intensity=9..3", &["3..9"]);
    refused("--select intensity=a..b", &["range"]);
    refused("--select intensity=high", &["intensity", "number"]);
    refused("--select shade=3", &["\"shade\"", "classification, intensity, normal"]);
    refused("--select normal=1", &["normal.0", "normal.2"]);
    refused("--select normal.5=1", &["3 values"]);
    let bare = run(&folder, "denoise bare.xyz out.ply --class 2").code(2);
    bare.says(&["bare.xyz", "--class", "classification"]);
    run(&folder, "denoise in.ply out.ply -m mls --class 9 --dry-run").code(2).says(&["--class 9"]);
    assert!(!folder.path("out.ply").exists());
}

/// The largest distance of a moved point from the line through `eye` and its old place.
fn off_lines(before: &[Point], after: &[Point], eye: Point) -> f64 {
    let pairs = before.iter().zip(after);
    pairs
        .map(|(p, q)| {
            let (a, b) = (vec3::sub(*p, eye), vec3::sub(*q, eye));
            vec3::norm(vec3::cross(a, b)) / vec3::norm(a)
        })
        .fold(0.0, f64::max)
}

/// The share of the points that moved by more than a thousandth of the unit, which rounding does not do.
fn share_moved(before: &[Point], after: &[Point]) -> f64 {
    assert_eq!(before.len(), after.len());
    let moved = before.iter().zip(after).filter(|(p, q)| vec3::distance2(**p, **q) > 1e-6);
    moved.count() as f64 / before.len() as f64
}

#[test]
fn points_move_along_lines_of_sight() {
    let folder = Folder::new();
    let before = classified(&folder, "in.ply").into_positions();
    let eye = [0.0, -40.0, 5.5];
    run(&folder, "denoise in.ply out.ply -m mls --along-ray --viewpoint 0,-40,5.5").code(0);
    let after = points_of(&folder.path("out.ply"));
    assert!(share_moved(&before, &after) > 0.8);
    assert!(off_lines(&before, &after, eye) < 1e-12);
    // With a selection, both rules hold.
    run(&folder, "denoise in.ply both.ply -m mls --along-ray --viewpoint 0,-40,5.5 --select z=0..")
        .code(0);
    let both = points_of(&folder.path("both.ply"));
    assert!(off_lines(&before, &both, eye) < 1e-12);
    assert!(before.iter().zip(&both).all(|(p, q)| p[2] >= 0.0 || p == q));
    let upper = before.iter().filter(|p| p[2] >= 0.0).count() as f64 / before.len() as f64;
    assert!(share_moved(&before, &both) > 0.8 * upper);

    run(&folder, "denoise in.ply x.ply -m mls --along-ray")
        .code(2)
        .says(&["in.ply", "--viewpoint"]);
    run(&folder, "denoise in.ply x.ply -m mls --viewpoint 1,2,3").code(2).says(&["--along-ray"]);
    let bad = run(&folder, "denoise in.ply x.ply -m mls --along-ray --viewpoint 1,2").code(2);
    bad.says(&["--viewpoint", "three numbers"]);
}

#[test]
fn files_tell_where_the_scanner_stood() {
    let folder = Folder::new();
    let points = noisy_sphere(900);
    let mut pcd = "VERSION .7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 900\n\
                   HEIGHT 1\nVIEWPOINT 3 4 50 1 0 0 0\nPOINTS 900\nDATA ascii\n"
        .to_owned();
    // The second scan of the PTX file stands ten units to the side.
    let scan = |shift: f64| {
        let mut text = format!(
            "900\n1\n{shift} 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n{shift} 0 0 1\n"
        );
        for p in &points {
            text += &format!("{} {} {} 0.5\n", p[0], p[1], p[2] - 60.0);
        }
        text
    };
    folder.file("in.ptx", scan(0.0) + &scan(25.0));
    for p in &points {
        pcd += &format!("{} {} {}\n", p[0], p[1], p[2]);
    }
    folder.file("in.pcd", pcd);
    let report = run(&folder, "denoise in.pcd out.pcd -m mls --along-ray --json").code(0).json();
    assert_eq!(report["runs"][0]["viewpoints"], serde_json::json!([[3.0, 4.0, 50.0]]));
    let after = points_of(&folder.path("out.pcd"));
    assert!(off_lines(&points, &after, [3.0, 4.0, 50.0]) < 1e-12);

    run(&folder, "denoise in.ptx out.ptx -m mls --along-ray").code(0);
    let (before, after) = (points_of(&folder.path("in.ptx")), points_of(&folder.path("out.ptx")));
    assert!(share_moved(&before, &after) > 0.8);
    for (first, eye) in [(0, [0.0; 3]), (900, [25.0, 0.0, 0.0])] {
        let rows = first..first + 900;
        assert!(off_lines(&before[rows.clone()], &after[rows], eye) < 1e-9);
    }
}

#[test]
fn ranges_angles_and_grids_are_lines_of_sight() {
    let folder = Folder::new();
    let points: Vec<Point> = noisy_sphere(900).iter().map(|p| [p[0], p[1], p[2] + 60.0]).collect();
    let mut pcd = "VERSION .7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 30\n\
                   HEIGHT 30\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 900\nDATA ascii\n"
        .to_owned();
    points.iter().for_each(|p| pcd += &format!("{} {} {}\n", p[0], p[1], p[2]));
    folder.file("in.pcd", pcd);
    run(&folder, "denoise in.pcd out.pcd -m mls --along-ray").code(0);
    assert!(off_lines(&points, &points_of(&folder.path("out.pcd")), [0.0; 3]) < 1e-12);

    // Spherical coordinates without a pose.
    let path = folder.path("in.e57");
    let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path);
    let mut writer = E57Writer::new(file.unwrap(), "file").unwrap();
    let data_type = RecordDataType::Double { min: None, max: None };
    let prototype =
        [RecordName::SphericalRange, RecordName::SphericalAzimuth, RecordName::SphericalElevation];
    let prototype = prototype.map(|name| Record { name, data_type: data_type.clone() }).to_vec();
    let mut scan = writer.add_pointcloud("scan", prototype).unwrap();
    for [x, y, z] in &points {
        let range = vec3::norm([*x, *y, *z]);
        let stored = [range, y.atan2(*x), (z / range).asin()];
        scan.add_point(stored.map(RecordValue::Double).to_vec()).unwrap();
    }
    scan.finalize().unwrap();
    writer.finalize().unwrap();
    run(&folder, "denoise in.e57 out.e57 -m mls --along-ray").code(0);
    let (before, after) = (raw_e57(&path), raw_e57(&folder.path("out.e57")));
    assert!(share_moved(&before[0], &after[0]) > 0.8);
    for (p, q) in before[0].iter().zip(&after[0]) {
        assert!((p[1] - q[1]).abs() < 1e-12 && (p[2] - q[2]).abs() < 1e-12, "{p:?} {q:?}");
    }
}

/// Stored values of every scan, as the E57 library reads them: in the scanner's own frame.
fn raw_e57(path: &std::path::Path) -> Vec<Vec<[f64; 3]>> {
    let mut reader = E57Reader::from_file(path).unwrap();
    let scans = reader.pointclouds();
    let number = |value: &RecordValue| match value {
        RecordValue::Double(x) => *x,
        other => panic!("{other:?}"),
    };
    let all = scans.iter().map(|s| {
        let rows = reader.pointcloud_raw(s).unwrap().map(Result::unwrap);
        rows.map(|row| [number(&row[0]), number(&row[1]), number(&row[2])]).collect()
    });
    all.collect()
}

#[test]
fn points_of_an_e57_file_move_along_the_rays_of_its_poses() {
    let folder = Folder::new();
    let points = noisy_sphere(1500);
    // Two scanners that see the sphere from two sides; each is turned about z by its own angle.
    let eyes: [(Point, f64); 2] = [([60.0, 5.0, 2.0], 1.0), ([-7.0, -45.0, 20.0], -2.5)];
    let file = std::fs::File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(folder.path("in.e57"))
        .unwrap();
    let mut writer = E57Writer::new(file, "file").unwrap();
    let double = RecordDataType::Double { min: None, max: None };
    for (i, (eye, angle)) in eyes.into_iter().enumerate() {
        let names = [
            [RecordName::CartesianX, RecordName::CartesianY, RecordName::CartesianZ],
            [
                RecordName::SphericalRange,
                RecordName::SphericalAzimuth,
                RecordName::SphericalElevation,
            ],
        ][i]
            .clone();
        let prototype = names.map(|name| Record { name, data_type: double.clone() }).to_vec();
        let mut scan = writer.add_pointcloud(&format!("scan {i}"), prototype).unwrap();
        scan.set_transform(Some(Transform {
            rotation: Quaternion { w: (angle / 2.0).cos(), x: 0.0, y: 0.0, z: (angle / 2.0).sin() },
            translation: Translation { x: eye[0], y: eye[1], z: eye[2] },
        }));
        for p in points.iter().filter(|p| vec3::dot(**p, eye) > 0.0) {
            let d = vec3::sub(*p, eye);
            let (sin, cos) = angle.sin_cos();
            let [x, y, z] = [cos * d[0] + sin * d[1], cos * d[1] - sin * d[0], d[2]];
            let range = vec3::norm(d);
            let spherical = [range, y.atan2(x), (z / range).asin()];
            let stored = [[x, y, z], spherical][i];
            scan.add_point(stored.map(RecordValue::Double).to_vec()).unwrap();
        }
        scan.finalize().unwrap();
    }
    writer.finalize().unwrap();

    let report = run(&folder, "denoise in.e57 out.e57 -m mls --along-ray --json").code(0).json();
    let said = &report["runs"][0]["viewpoints"];
    assert_eq!(said, &serde_json::json!([eyes[0].0, eyes[1].0]));
    // In the file the scanner is at the origin.
    let (before, after) = (raw_e57(&folder.path("in.e57")), raw_e57(&folder.path("out.e57")));
    assert!(off_lines(&before[0], &after[0], [0.0; 3]) < 1e-12);
    for (p, q) in before[1].iter().zip(&after[1]) {
        assert!((p[1] - q[1]).abs() < 1e-14 && (p[2] - q[2]).abs() < 1e-14, "{p:?} {q:?}");
    }
    for (p, q) in before.iter().zip(&after) {
        assert_eq!(p.len(), q.len());
        let moved = p.iter().zip(q).filter(|(p, q)| vec3::distance2(**p, **q) > 1e-6).count();
        assert!(moved > p.len() / 2, "{moved} of {}", p.len());
    }
}

#[test]
fn the_report_tells_what_became_of_each_attribute() {
    let folder = Folder::new();
    classified(&folder, "in.ply");
    let fate = |report: &Value, name: &str| {
        let all = report["attributes"].as_array().unwrap().clone();
        let found = all.into_iter().find(|a| a["attribute"] == name);
        found.unwrap_or_else(|| panic!("{name} is not in {report}"))
    };
    let report =
        run(&folder, "denoise in.ply out.ply -m mls --json").code(0).json()["runs"][0].clone();
    assert_eq!(fate(&report, "position")["became"], "changed");
    assert_eq!(fate(&report, "classification")["became"], "kept");
    assert_eq!(fate(&report, "normal")["became"], "changed");
    assert!(fate(&report, "normal")["why"].as_str().unwrap().contains("estimated again"));
    let report = run(&folder, "denoise in.ply no.ply -m mls --normals drop --json").code(0).json();
    let normal = fate(&report["runs"][0], "normal");
    assert_eq!(normal["became"], "dropped");
    assert!(normal["why"].as_str().unwrap().contains("--normals drop"));

    // An OBJ file cannot store most of it: said in the report and on stderr.
    let ran = run(&folder, "convert in.ply out.obj --report what.json").code(0);
    let ran = ran.says(&["out.obj", "\"classification\"", "left out"]);
    assert!(ran.stdout.is_empty());
    let text = std::fs::read(folder.path("what.json")).unwrap();
    let report: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(fate(&report, "position")["became"], "kept");
    let class = fate(&report, "classification");
    assert_eq!(class["became"], "dropped");
    assert!(class["why"].as_str().unwrap().contains("OBJ"));
    assert_eq!(report["command"][1], "convert");
}
