//! LAS and LAZ through the program: steps of coordinates.

mod common;

use common::{Folder, Ran, noisy_sphere, pellucid, ply, points_of};

fn run(folder: &Folder, args: &str) -> Ran {
    let path = |a: &str| a.ends_with(".las") || a.ends_with(".laz") || a.ends_with(".ply");
    pellucid(args.split_whitespace().map(|a| match path(a) {
        true => folder.path(a).into_os_string(),
        false => a.into(),
    }))
}

/// Points of the output that are where they were in the input.
fn unmoved(folder: &Folder, input: &str, output: &str) -> usize {
    let (a, b) = (points_of(&folder.path(input)), points_of(&folder.path(output)));
    a.iter().zip(&b).filter(|(p, q)| (0..3).all(|c| (p[c] - q[c]).abs() < 1e-9)).count()
}

#[test]
fn movements_below_the_step_are_reported_and_a_finer_step_keeps_them() {
    let folder = Folder::new();
    folder.file("in.ply", ply(&noisy_sphere(1000)));
    run(&folder, "convert in.ply coarse.las --las-scale 0.5").code(0);
    let on_grid = |x: &f64| (x / 0.5 - (x / 0.5).round()).abs() < 1e-9;
    assert!(points_of(&folder.path("coarse.las")).iter().flatten().all(on_grid));

    let ran = run(&folder, "denoise coarse.las out.las -m mls").code(0);
    assert!(unmoved(&folder, "coarse.las", "out.las") > 100);
    ran.says(&["out.las", "% of the", "steps of 0.5", "--las-scale auto"]);

    for (scale, out) in [("auto", "auto.laz"), ("0.0001", "step.las")] {
        let ran = run(&folder, &format!("denoise coarse.las {out} -m mls --las-scale {scale}"));
        assert!(!ran.code(0).stderr.contains("steps of"));
        assert!(unmoved(&folder, "coarse.las", out) < 10, "{scale}");
    }
}

#[test]
fn wrong_steps_are_explained() {
    let folder = Folder::new();
    folder.file("in.ply", ply(&noisy_sphere(50)));
    for scale in ["0", "-1", "nan", "fine"] {
        let ran = run(&folder, &format!("convert in.ply out.las --las-scale {scale}")).code(2);
        ran.says(&["--las-scale", "above 0", "auto"]);
    }
    run(&folder, "convert in.ply out.las --las-scale 1e-12").code(2).says(&["coarser", "out.las"]);
    run(&folder, "convert in.ply out.ply --las-scale 1").code(2).says(&["--las-scale", "LAS"]);
}
