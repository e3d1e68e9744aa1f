//! `pellucid denoise --memory`: what it says, what it keeps, and that it goes on after being killed.

mod common;

use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Folder, PROGRAM, noisy_sphere, pellucid, ply};
use pellucid::cloud::{Attribute, PointCloud, Values, vec3};
use pellucid::io::{self, Document, WriteOptions};

fn sphere(folder: &Folder, name: &str, n: usize) -> PointCloud {
    let mut cloud = PointCloud::new(noisy_sphere(n));
    let quality = (0..n).map(|i| i as f32 / 7.0).collect();
    cloud.set_attribute(Attribute::scalar("quality", Values::F32(quality))).unwrap();
    let document = Document::from(cloud.clone());
    io::write(&folder.path(name), &document, &WriteOptions::default()).unwrap();
    cloud
}

fn run(folder: &Folder, args: &str) -> common::Ran {
    let place = |a: &str| match a.contains('.') {
        true => folder.path(a).into_os_string(),
        false => a.into(),
    };
    pellucid(args.split_whitespace().map(place))
}

#[test]
fn within_memory_points_move_and_everything_else_stays() {
    ["ply", "e57"].iter().for_each(|format| assert_only_points_move(format));
}

fn assert_only_points_move(format: &str) {
    let folder = Folder::new();
    let [input, output, without] = ["in", "out", "whole"].map(|name| format!("{name}.{format}"));
    let before = sphere(&folder, &input, 6_000);
    let ran = run(&folder, &format!("denoise {input} {output} --memory 300M --json")).code(0);
    let report = &ran.json()["runs"][0];
    assert_eq!(report["points"], 6_000);
    assert!(report["displacement"]["mean_spacings"].as_f64().unwrap() > 0.1);
    assert_eq!(folder.names(), [input.as_str(), output.as_str()]);
    let after = io::read(&folder.path(&output)).unwrap().cloud;
    assert_eq!(after.attribute("quality"), before.attribute("quality"));
    // The noise has a standard deviation of 0.1.
    let off = |c: &PointCloud| {
        let d = c.positions().iter().map(|&p| (vec3::norm(p) - 10.0).abs());
        d.sum::<f64>() / c.len() as f64
    };
    assert!(off(&after) < 0.6 * off(&before), "{} of {}", off(&after), off(&before));

    // As without a limit, up to the last digits.
    run(&folder, &format!("denoise {input} {without}")).code(0);
    let whole = io::read(&folder.path(&without)).unwrap().cloud;
    let pairs = after.positions().iter().zip(whole.positions());
    assert!(pairs.map(|(&a, &b)| vec3::distance2(a, b)).fold(0.0, f64::max) < 1e-6);
}

#[test]
fn what_does_not_go_with_it_is_said() {
    let folder = Folder::new();
    sphere(&folder, "in.ply", 3_000);
    let out = "denoise in.ply out.ply --memory";
    run(&folder, &format!("{out} 300M -m mls")).code(2).says(&["auto", "mls"]);
    run(&folder, &format!("{out} 300M --class 2")).code(2).says(&["--class", "--memory"]);
    run(&folder, &format!("{out} 300M --along-ray")).code(2).says(&["--along-ray"]);
    run(&folder, &format!("{out} plenty")).code(2).says(&["plenty", "2G"]);
    run(&folder, &format!("{out} 10M")).code(2).says(&["too little", "at least", "16"]);
    run(&folder, &format!("{out} 300M --resume")).code(2).says(&["no interrupted run"]);
    run(&folder, "denoise in.ply out.ply --resume").code(2).says(&["--memory"]);
    run(&folder, "denoise in.ply out.laz --memory 300M").code(2).says(&["PLY", "LAZ"]);
    folder.file("text.ply", ply(&noisy_sphere(200)));
    run(&folder, "denoise text.ply out.ply --memory 300M").code(2).says(&["binary"]);
    assert_eq!(folder.names(), ["in.ply", "text.ply"]);
    // Small enough to be read as a whole.
    let rows: Vec<String> =
        noisy_sphere(500).iter().map(|p| format!("{} {} {}\n", p[0], p[1], p[2])).collect();
    folder.file("a.xyz", rows.concat());
    run(&folder, "denoise a.xyz b.xyz --memory 300M").code(0);
    run(&folder, "denoise a.xyz c.xyz --memory 100K").code(2).says(&["as a whole", "convert"]);
}

#[test]
fn killed_at_any_time_it_goes_on_to_the_same_bytes() {
    let folder = Folder::new();
    sphere(&folder, "in.ply", 9_000);
    run(&folder, "denoise in.ply straight.ply --memory 300M").code(0);
    let out = folder.path("out.ply");
    let mut killed = 0;
    for delay in [5, 25, 60, 150, 300, 500, 900] {
        if out.exists() {
            break;
        }
        let resume = folder.path(".out.ply.pellucid-work").exists();
        let mut child = Command::new(PROGRAM)
            .arg("denoise")
            .args([&folder.path("in.ply"), &out])
            .args(["--memory", "300M"])
            .args(resume.then_some("--resume"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        // As `kill -9` does; it may have come to its end before.
        let _ = child.kill();
        child.wait().unwrap();
        killed += usize::from(!out.exists());
    }
    assert!(killed > 0, "it was quicker than any signal");
    if !out.exists() {
        let resume = folder.path(".out.ply.pellucid-work").exists();
        let flag = if resume { "--resume" } else { "" };
        run(&folder, &format!("denoise in.ply out.ply --memory 300M {flag}")).code(0);
    }
    let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(bytes("out.ply") == bytes("straight.ply"));
    // It may have been killed between the output and the removal of what led to it.
    assert!(folder.names().iter().filter(|n| n.ends_with(".ply")).count() == 3);
}
