//! `--memory` of the commands that make clouds out of others: what comes out is what comes out without
//! it.

mod common;

use common::{Folder, Ran, Random, pellucid};
use pellucid::cloud::{Attribute, Point, PointCloud, Values, vec3};
use pellucid::io::{self, Document, WriteOptions};

/// So little that 60,000 points go through in many pieces and several tiles.
const LITTLE: &str = "172M";
const POINTS: usize = 60_000;

fn run(folder: &Folder, args: &str) -> Ran {
    let path = |a: &str| [".ply", ".las", ".laz", ".xyz", ".e57"].iter().any(|e| a.ends_with(e));
    pellucid(args.split_whitespace().map(|a| match path(a) || a.ends_with('/') {
        true => folder.path(a).into_os_string(),
        false => a.into(),
    }))
}

/// Hills with a few points in the air, each place of a thousand twice, and classes.
fn hills(seed: u64, n: usize) -> PointCloud {
    let mut random = Random(seed);
    let mut points: Vec<Point> = (0..n)
        .map(|i| {
            let [x, y] = [300.0 * random.uniform(), 200.0 * random.uniform()];
            let up = if i % 997 == 5 { 40.0 } else { 0.05 * random.normal() };
            [x, y, 5.0 * (x / 40.0).sin() + up].map(|c| (1000.0 * c).round() / 1000.0)
        })
        .collect();
    for i in 0..1000 {
        points[n - 1 - i] = points[31 * i % (n / 2)];
    }
    let mut cloud = PointCloud::new(points);
    let column = |f: &dyn Fn(usize) -> u32| Values::U32((0..n).map(f).collect());
    cloud.set_attribute(Attribute::scalar("row", column(&|i| i as u32))).unwrap();
    let classes = Values::U8((0..n).map(|i| [2, 5, 6][i % 3]).collect());
    cloud.set_attribute(Attribute::scalar("classification", classes)).unwrap();
    let intensity = Values::U16((0..n).map(|i| (i * 7 % 5000) as u16).collect());
    cloud.set_attribute(Attribute::scalar("intensity", intensity)).unwrap();
    cloud
}

fn write(folder: &Folder, name: &str, cloud: &PointCloud) {
    let document = Document::from(cloud.clone());
    io::write(&folder.path(name), &document, &WriteOptions::default()).unwrap();
}

fn read(folder: &Folder, name: &str) -> Document {
    io::read(&folder.path(name)).unwrap()
}

#[track_caller]
fn same(folder: &Folder, a: &str, b: &str) {
    let (a, b) = (read(folder, a), read(folder, b));
    assert!(a.cloud.len() > 100 && a.cloud.positions() == b.cloud.positions());
    let names =
        |d: &Document| d.cloud.attributes().map(|a| a.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b));
    for (x, y) in a.cloud.attributes().zip(b.cloud.attributes()) {
        if x.name() == "normal" {
            // Neighbors come in another order, which rounding shows; and those of points in the air
            // are farther than a tile reaches.
            let (x, y) = (a.cloud.normals().unwrap(), b.cloud.normals().unwrap());
            let is_off = |(x, y): &(&Point, &Point)| vec3::distance2(**x, **y) > 1e-12;
            let off = x.iter().zip(y.iter()).filter(is_off).count();
            assert!(off <= POINTS / 997 + 10, "{off}");
        } else {
            assert!(x.values() == y.values(), "{}", x.name());
        }
    }
    assert_eq!((a.source.las_grid(), a.cloud.bounds()), (b.source.las_grid(), b.cloud.bounds()));
}

/// Every command gives the same cloud in pieces and as a whole.
#[test]
fn what_goes_through_in_pieces_is_the_same() {
    let folder = Folder::new();
    let cloud = hills(3, POINTS);
    for name in ["in.laz", "in.las", "in.ply", "in.e57"] {
        write(&folder, name, &cloud);
    }
    write(&folder, "small.ply", &hills(9, 5_000));
    let commands = [
        "crop in.laz OUT.laz --class 2,6 --box=0,0,-50,150,150,50",
        "crop in.ply OUT.ply --select intensity=100..3000 --invert",
        "thin in.laz OUT.las --voxel 3",
        "thin in.las OUT.laz --random 5000 --seed 3",
        "thin in.ply OUT.ply --random 0.3",
        "dedup in.laz OUT.laz",
        "outliers in.laz OUT.laz",
        "outliers in.ply OUT.ply --remove",
        "outliers in.las OUT.las --classify",
        "normals in.ply OUT.ply --viewpoint 150,100,9000",
        "normals in.laz OUT.laz --viewpoint 150,100,9000",
        "distance in.laz small.ply OUT.laz",
        "crop in.e57 OUT.e57 --select intensity=100..3000",
        "thin in.e57 OUT.e57 --voxel 3",
        "dedup in.e57 OUT.e57",
        "outliers in.e57 OUT.e57",
        "outliers in.e57 OUT.e57 --remove",
        "normals in.e57 OUT.e57 --viewpoint 150,100,9000",
        "distance in.e57 small.ply OUT.e57",
    ];
    for command in commands {
        let ends = command.replace("OUT", "whole");
        let whole = run(&folder, &format!("{ends} --overwrite")).code(0);
        let ends = command.replace("OUT", "pieces");
        let args = format!("{ends} --overwrite --memory {LITTLE}");
        let pieces = run(&folder, &args).code(0);
        let name = |stem: &str| {
            let extension = command.split("OUT.").nth(1).unwrap().split(' ').next().unwrap();
            format!("{stem}.{extension}")
        };
        same(&folder, &name("whole"), &name("pieces"));
        let words = |ran: &Ran, stem: &str| ran.stdout.replace(stem, "");
        assert_eq!(words(&whole, "whole"), words(&pieces, "pieces"), "{command}");
    }
    // Nothing is left behind.
    let hidden = folder.names().into_iter().find(|name| name.starts_with('.'));
    assert_eq!(hidden, None);
}

/// Which points a Poisson disk keeps depends on the tiles, but not what holds for them.
#[test]
fn points_thinned_in_pieces_keep_their_distance_and_leave_no_gap() {
    let folder = Folder::new();
    let cloud = hills(4, POINTS);
    write(&folder, "in.laz", &cloud);
    for rule in ["thin in.laz out.laz --poisson 2", "dedup in.laz out.laz --within 2"] {
        run(&folder, &format!("{rule} --overwrite --memory {LITTLE}")).code(0);
        let kept = read(&folder, "out.laz").cloud;
        let kept = kept.positions();
        let tree = pellucid::cloud::KdTree::new(kept);
        let near = tree.knn_table(2);
        for row in 0..near.len() {
            assert!(near.distances2(row)[1] >= 4.0 * (1.0 - 1e-12), "{row}");
        }
        let nearest = tree.nearest_of(cloud.positions());
        assert!(nearest.iter().map(|n| n.distance2).fold(0.0, f64::max) <= 4.0);
    }
}

#[test]
fn parts_and_sums_in_pieces_are_the_same() {
    let folder = Folder::new();
    let cloud = hills(5, POINTS);
    write(&folder, "a.laz", &cloud);
    write(&folder, "b.laz", &hills(6, 20_000));
    run(&folder, "merge a.laz b.laz whole.laz --source").code(0);
    run(&folder, &format!("merge a.laz b.laz pieces.laz --source --memory {LITTLE}")).code(0);
    same(&folder, "whole.laz", "pieces.laz");

    write(&folder, "c.e57", &cloud);
    run(&folder, "merge c.e57 c.e57 whole.e57").code(0);
    run(&folder, &format!("merge c.e57 c.e57 pieces.e57 --memory {LITTLE}")).code(0);
    same(&folder, "whole.e57", "pieces.e57");

    for (by, parts) in [("--by class", 3), ("--tile 60", 20)] {
        run(&folder, &format!("split a.laz whole/ {by}")).code(0);
        run(&folder, &format!("split a.laz pieces/ {by} --memory {LITTLE}")).code(0);
        let names: Vec<String> = std::fs::read_dir(folder.path("whole"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(names.len() >= parts);
        for name in &names {
            same(&folder, &format!("whole/{name}"), &format!("pieces/{name}"));
        }
        for stem in ["whole", "pieces"] {
            std::fs::remove_dir_all(folder.path(stem)).unwrap();
        }
    }
}

#[test]
fn what_cannot_be_done_in_pieces_is_explained() {
    let folder = Folder::new();
    let cloud = hills(7, POINTS);
    write(&folder, "in.laz", &cloud);
    write(&folder, "in.xyz", &cloud);
    let faults = [
        ("normals in.laz out.laz --memory 172M", "--viewpoint"),
        ("outliers in.laz out.laz --method radius --memory 172M", "isolated"),
        ("outliers in.laz out.laz --remove --map rows.txt --memory 172M", "--map"),
        ("crop in.laz out.laz --class 2 --las-scale 0.1 --memory 172M", "--las-scale"),
        ("crop in.laz out.ply --class 2 --memory 172M", "cannot become"),
        ("crop in.laz out.laz --class 9 --memory 172M", "no point would be left"),
        ("dedup in.xyz out.xyz --memory 172M", "convert it to LAS"),
        ("dedup in.laz out.laz --memory 100M", "too little"),
        ("distance in.laz in.laz out.laz --memory 172M", "needed as a whole"),
        ("dedup in.laz - --memory 172M", "not stdin or stdout"),
    ];
    for (args, word) in faults {
        run(&folder, args).code(2).says(&[word]);
        assert_eq!(folder.names(), ["in.laz", "in.xyz"], "{args}");
    }
    // What fits is read as a whole.
    run(&folder, "dedup in.xyz out.xyz --memory 2G").code(0);
    let left = read(&folder, "out.xyz").cloud.len();
    assert!(left < POINTS && vec3::is_finite(cloud.positions()[0]));
}
