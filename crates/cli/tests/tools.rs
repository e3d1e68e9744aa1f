//! `thin`, `crop`, `merge`, `dedup`, `normals` and `distance`: points with all that belongs to them.

mod common;

use common::{Folder, Ran, noisy_sphere, pellucid, points_of};
use pellucid::cloud::{Attribute, Point, PointCloud, Values, vec3};
use pellucid::io::{self, Document, WriteOptions};

fn run(folder: &Folder, args: &str) -> Ran {
    let path = |a: &str| [".ply", ".las", ".obj", ".xyz", ".e57"].iter().any(|e| a.ends_with(e));
    pellucid(args.split_whitespace().map(|a| match path(a) {
        true => folder.path(a).into_os_string(),
        false => a.into(),
    }))
}

fn write(folder: &Folder, name: &str, cloud: PointCloud) {
    io::write(&folder.path(name), &Document::from(cloud), &WriteOptions::default()).unwrap();
}

fn read(folder: &Folder, name: &str) -> PointCloud {
    io::read(&folder.path(name)).unwrap().cloud
}

fn column(cloud: &PointCloud, name: &str) -> Vec<f64> {
    cloud.attribute(name).unwrap_or_else(|| panic!("no {name}")).component(0).unwrap()
}

/// A noisy sphere whose points carry their row number and a class.
fn numbered(folder: &Folder, name: &str, n: usize) -> Vec<Point> {
    let points = noisy_sphere(n);
    let mut cloud = PointCloud::new(points.clone());
    let rows = (0..n as u32).collect();
    cloud.set_attribute(Attribute::scalar("row", Values::U32(rows))).unwrap();
    let classes = points.iter().map(|p| if p[2] > 0.0 { 2 } else { 6 }).collect();
    cloud.set_attribute(Attribute::scalar("classification", Values::U8(classes))).unwrap();
    write(folder, name, cloud);
    points
}

/// Asserts that the points of a file are rows of `points`, in order, with their numbers.
#[track_caller]
fn rows(folder: &Folder, name: &str, points: &[Point]) -> Vec<usize> {
    let cloud = read(folder, name);
    let rows: Vec<usize> = column(&cloud, "row").iter().map(|&x| x as usize).collect();
    assert!(rows.windows(2).all(|w| w[0] < w[1]));
    for (row, p) in rows.iter().zip(cloud.positions()) {
        assert_eq!(points[*row], *p);
    }
    rows
}

#[test]
fn thin_keeps_some_points_with_their_attributes() {
    let folder = Folder::new();
    let points = numbered(&folder, "in.ply", 2000);
    run(&folder, "thin in.ply voxel.ply --voxel 4").code(0);
    let kept = rows(&folder, "voxel.ply", &points);
    let lo = [0, 1, 2].map(|a| points.iter().map(|p| p[a]).fold(f64::INFINITY, f64::min));
    let cube = |p: Point| [0, 1, 2].map(|a| ((p[a] - lo[a]) / 4.0).floor() as i64);
    let cubes = |rows: &[usize]| {
        rows.iter().map(|&r| cube(points[r])).collect::<std::collections::BTreeSet<_>>().len()
    };
    // One in each cube that holds any.
    assert_eq!(kept.len(), cubes(&kept));
    assert_eq!(kept.len(), cubes(&(0..2000).collect::<Vec<_>>()));

    run(&folder, "thin in.ply poisson.ply --poisson 1.5").code(0);
    let kept = rows(&folder, "poisson.ply", &points);
    let near = |a: usize, b: usize| vec3::distance2(points[a], points[b]) < 1.5 * 1.5;
    for (i, &a) in kept.iter().enumerate() {
        assert!(kept[i + 1..].iter().all(|&b| !near(a, b)));
    }
    // No more would fit.
    assert!((0..2000).all(|p| kept.iter().any(|&k| k == p || near(k, p))));

    run(&folder, "thin in.ply random.ply --random 300").code(0);
    assert_eq!(rows(&folder, "random.ply", &points).len(), 300);
    run(&folder, "thin in.ply share.ply --random 0.25 --threads 1").code(0);
    let share = rows(&folder, "share.ply", &points);
    assert_eq!(share.len(), 500);
    run(&folder, "thin in.ply other.ply --random 0.25 --seed 1").code(0);
    assert_ne!(share, rows(&folder, "other.ply", &points));

    run(&folder, "thin in.ply x.ply").code(2).says(&["--voxel", "--poisson", "--random"]);
    run(&folder, "thin in.ply x.ply --voxel -1").code(2).says(&["--voxel", "above 0"]);
    run(&folder, "thin in.ply in.ply --voxel 1 --overwrite").code(2).says(&["input"]);
}

#[test]
fn crop_keeps_what_satisfies_the_conditions() {
    let folder = Folder::new();
    let points = numbered(&folder, "in.ply", 500);
    run(&folder, "crop in.ply box.ply --box -99,-99,-3,99,99,4").code(0);
    let inside = |r: &usize| (-3.0..=4.0).contains(&points[*r][2]);
    assert_eq!(rows(&folder, "box.ply", &points), (0..500).filter(inside).collect::<Vec<_>>());
    run(&folder, "crop in.ply ground.ply --class ground").code(0);
    let ground = |r: &usize| points[*r][2] > 0.0;
    assert_eq!(rows(&folder, "ground.ply", &points), (0..500).filter(ground).collect::<Vec<_>>());
    run(&folder, "crop in.ply rest.ply --class 2 --invert").code(0);
    let rest = |r: &usize| points[*r][2] <= 0.0;
    assert_eq!(rows(&folder, "rest.ply", &points), (0..500).filter(rest).collect::<Vec<_>>());

    run(&folder, "crop in.ply x.ply").code(2).says(&["--box", "--class", "--select"]);
    run(&folder, "crop in.ply x.ply --class 9").code(2).says(&["--class 9", "2, 6"]);
    run(&folder, "crop in.ply x.ply --class grund")
        .code(2)
        .says(&["grund", "ground, low-vegetation"]);
    let all = run(&folder, "crop in.ply x.ply --box -99,-99,-99,99,99,99 --invert").code(2);
    all.says(&["no point would be left"]);
    assert!(!folder.path("x.ply").exists());
}

#[test]
fn merge_joins_points_and_the_attributes_that_all_have() {
    let folder = Folder::new();
    let a = numbered(&folder, "a.ply", 100);
    let mut b = PointCloud::new(vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    b.set_attribute(Attribute::scalar("row", Values::F32(vec![0.5, 1.5]))).unwrap();
    write(&folder, "b.ply", b);
    let ran = run(&folder, "merge a.ply b.ply out.ply --source").code(0);
    ran.says(&["\"classification\" was left out"]);
    let cloud = read(&folder, "out.ply");
    assert_eq!(cloud.len(), 102);
    assert_eq!(cloud.positions()[..100], a);
    assert_eq!(cloud.positions()[101], [4.0, 5.0, 6.0]);
    assert_eq!(column(&cloud, "row")[99..], [99.0, 0.5, 1.5]);
    assert_eq!(column(&cloud, "source")[99..], [0.0, 1.0, 1.0]);
    run(&folder, "merge a.ply b.ply a.ply --overwrite").code(2).says(&["a.ply", "input"]);
}

#[test]
fn dedup_keeps_the_first_of_each_place() {
    let folder = Folder::new();
    let points: Vec<Point> = [0.0, 1.0, 0.0, 1.05, 2.0, 1.0].map(|x| [x, 0.0, 1.0]).to_vec();
    let mut cloud = PointCloud::new(points.clone());
    cloud.set_attribute(Attribute::scalar("row", Values::U32((0..6).collect()))).unwrap();
    write(&folder, "in.ply", cloud);
    run(&folder, "dedup in.ply out.ply").code(0);
    assert_eq!(rows(&folder, "out.ply", &points), [0, 1, 3, 4]);
    run(&folder, "dedup in.ply near.ply --within 0.1").code(0);
    assert_eq!(rows(&folder, "near.ply", &points), [0, 1, 4]);
}

#[test]
fn normals_are_estimated_turned_and_written() {
    let folder = Folder::new();
    let points = numbered(&folder, "in.ply", 2000);
    let outward = |name: &str| {
        let normals = read(&folder, name).normals().unwrap();
        let pairs = points.iter().zip(&normals);
        pairs.map(|(p, n)| vec3::dot(vec3::scale(*p, 1.0 / vec3::norm(*p)), *n)).collect::<Vec<_>>()
    };
    run(&folder, "normals in.ply out.ply").code(0);
    let cosines = outward("out.ply");
    assert!(cosines.iter().all(|c| *c > 0.8) || cosines.iter().all(|c| *c < -0.8));
    run(&folder, "normals in.ply eye.ply --viewpoint 0,0,0").code(0);
    assert!(outward("eye.ply").iter().all(|c| *c < -0.8));
    // A mesh format that holds normals, and one that holds other attributes too.
    run(&folder, "normals in.ply out.obj --viewpoint 0,0,0").code(0);
    assert!(outward("out.obj").iter().all(|c| *c < -0.8));
    assert_eq!(column(&read(&folder, "eye.ply"), "row").len(), 2000);
}

#[test]
fn distances_to_points_and_to_meshes_are_attributes() {
    let folder = Folder::new();
    let points =
        vec![[0.25, 0.25, 2.0], [0.25, 0.25, -1.0], [f64::NAN, 0.0, 0.0], [-3.0, 0.0, 4.0]];
    write(&folder, "in.ply", PointCloud::new(points));
    folder.file("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let ran = run(&folder, "distance in.ply mesh.obj out.ply --signed").code(0);
    assert!(ran.stdout.contains("the mesh"), "{ran:?}");
    let found = column(&read(&folder, "out.ply"), "distance");
    assert_eq!([found[0], found[1], found[3]], [2.0, -1.0, 5.0]);

    let mut plane = PointCloud::new(vec![[0.25, 0.25, 0.0], [-3.0, 0.0, 1.0]]);
    plane.set_normals(&[[0.0, 0.0, -1.0]; 2]).unwrap();
    write(&folder, "plane.ply", plane);
    run(&folder, "distance in.ply plane.ply signed.ply --signed").code(0);
    let found = column(&read(&folder, "signed.ply"), "distance");
    assert_eq!([found[0], found[1], found[3]], [-2.0, 1.0, -3.0]);
    assert!(found[2].is_nan());
    run(&folder, "distance in.ply plane.ply plain.ply").code(0);
    assert_eq!(column(&read(&folder, "plain.ply"), "distance")[3], 3.0);

    // In the unit of the file, if it has one.
    assert!(ran.stdout.ends_with("largest 5.0000 file units\n"), "{ran:?}");
    write(&folder, "plane.e57", PointCloud::new(vec![[0.25, 0.25, 0.0], [-3.0, 0.0, 1.0]]));
    let ran = run(&folder, "distance plane.e57 in.ply x.e57").code(0);
    assert!(ran.stdout.ends_with("largest 3.0000 m\n"), "{ran:?}");

    run(&folder, "distance plane.ply in.ply x.ply --signed").code(2).says(&["normals", "in.ply"]);
    assert_eq!(points_of(&folder.path("out.ply")).len(), 4);
}
