//! `denoise --attributes`: displacement, uncertainty and kind as columns of the output.

mod common;

use std::ffi::OsString;

use common::{Folder, pellucid};
use pellucid::PointCloud;
use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid::cloud::vec3;
use pellucid::io::{self, Document, WriteOptions};

fn sphere(folder: &Folder, name: &str) -> PointCloud {
    let cloud = add_noise(&Shape::Sphere.sample(1_500, 1), NoiseModel::Gaussian, 0.02, 2).unwrap();
    let cloud = PointCloud::new(cloud.into_positions());
    io::write(&folder.path(name), &Document::from(cloud.clone()), &WriteOptions::default())
        .unwrap();
    cloud
}

fn denoise(folder: &Folder, from: &str, to: &str, wanted: &str) -> common::Ran {
    let mut args: Vec<OsString> =
        ["denoise", "-m", "mls", "--json", "--attributes", wanted].map(OsString::from).into();
    args.extend([folder.path(from).into(), folder.path(to).into()]);
    pellucid(args)
}

fn column(cloud: &PointCloud, name: &str) -> Vec<f64> {
    cloud.attribute(name).and_then(|a| a.component(0)).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn formats_with_room_hold_both() {
    let folder = Folder::new();
    let noisy = sphere(&folder, "in.ply");
    for to in ["out.ply", "out.pcd", "out.las", "out.csv", "out.npz"] {
        denoise(&folder, "in.ply", to, "displacement,uncertainty").code(0);
        let out = io::read(&folder.path(to)).unwrap().cloud;
        let moved = column(&out, "displacement");
        for (i, (a, b)) in noisy.positions().iter().zip(out.positions()).enumerate() {
            let displacement = vec3::norm(vec3::sub(*b, *a));
            // LAS rounds positions to a thousandth or less.
            let moved = moved[i];
            assert!((displacement - moved).abs() < 2e-3, "{to}: {displacement} but {moved}");
        }
        let doubt = column(&out, "uncertainty");
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let errors: Vec<f64> = out.positions().iter().map(|&p| Shape::Sphere.distance(p)).collect();
        let (guess, truth) = (mean(&doubt), mean(&errors));
        assert!(guess < 2.0 * truth && truth < 2.0 * guess, "{to}: {guess} for {truth}");
    }
}

#[test]
fn the_report_says_what_became_of_them() {
    let folder = Folder::new();
    sphere(&folder, "in.ply");
    let fate = |ran: &common::Ran, name: &str| {
        let all = ran.json()["runs"][0]["attributes"].clone();
        let found = all.as_array().unwrap().iter().find(|f| f["attribute"] == name).cloned();
        found.unwrap_or_else(|| panic!("{name} is not in {all}"))["became"].clone()
    };
    let ran = denoise(&folder, "in.ply", "out.ply", "uncertainty").code(0);
    assert_eq!(fate(&ran, "uncertainty"), "added");
    let again = denoise(&folder, "out.ply", "again.ply", "uncertainty").code(0);
    assert_eq!(fate(&again, "uncertainty"), "changed");
    let bare = denoise(&folder, "in.ply", "out.off", "uncertainty").code(0).says(&["uncertainty"]);
    assert_eq!(fate(&bare, "uncertainty"), "dropped");
}

#[test]
fn others_are_refused() {
    let folder = Folder::new();
    sphere(&folder, "in.ply");
    denoise(&folder, "in.ply", "out.ply", "colour").code(2).says(&["displacement", "uncertainty"]);
    assert!(!folder.path("out.ply").exists());
}

#[test]
fn points_of_no_surface_are_marked() {
    let folder = Folder::new();
    let mut positions = sphere(&folder, "in.ply").into_positions();
    // An outlier, twice.
    positions.extend([[0.0, 0.0, 9.0]; 2]);
    let cloud = PointCloud::new(positions);
    let options = WriteOptions { overwrite: true, ..WriteOptions::default() };
    io::write(&folder.path("in.ply"), &Document::from(cloud), &options).unwrap();
    let mut args: Vec<OsString> = ["denoise", "--attributes", "surface"].map(OsString::from).into();
    args.extend([folder.path("in.ply").into(), folder.path("out.ply").into()]);
    pellucid(args).code(0);
    let surface = column(&io::read(&folder.path("out.ply")).unwrap().cloud, "surface");
    assert_eq!(surface[1500..], [0.0, 0.0]);
    assert_eq!(surface[..1500].iter().sum::<f64>(), 1500.0);
}
