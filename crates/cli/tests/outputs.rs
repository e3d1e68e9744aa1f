//! Where `denoise` writes: what is noticed before the work, and folders.

mod common;

use common::{Folder, Ran, noisy_sphere, pellucid, ply};

fn run(folder: &Folder, args: &[&str]) -> Ran {
    pellucid(args.iter().map(|a| match a.strip_prefix('@') {
        Some(name) => folder.path(name).into_os_string(),
        None => a.into(),
    }))
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_takes_no_files_is_noticed_before_the_input_is_read() {
    let folder = Folder::new();
    folder.file("bad.ply", "no cloud at all");
    // Nobody can make a file there, not even root.
    let ran = run(&folder, &["denoise", "@bad.ply", "/proc/self/out.ply"]).code(1);
    ran.says(&["/proc/self/out.ply", "cannot be written", "permissions"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_noticed_before_the_input_is_read() {
    let folder = Folder::new();
    folder.file("bad.ply", "no cloud at all");
    let filled = "head -c 16384 /dev/zero > \"$1/fill\"";
    if let Some(ran) = denoised_on_a_small_disk(&folder, filled) {
        ran.code(1).says(&["out.ply", "No space left"]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_with_too_little_room_is_noticed_before_the_input_is_read() {
    let folder = Folder::new();
    folder.file("bad.ply", "no cloud at all ".repeat(10_000));
    if let Some(ran) = denoised_on_a_small_disk(&folder, "") {
        ran.code(1).says(&["out.ply", "the disk has", "free", "are needed"]);
    }
}

/// Denoises `bad.ply` to a disk of 16 KiB in a name space of its own; systems that forbid it are not tested.
#[cfg(target_os = "linux")]
fn denoised_on_a_small_disk(folder: &Folder, before: &str) -> Option<Ran> {
    let disk = folder.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=16k none \"$1\" 2>/dev/null || exit 77\n{before}\n\
         \"$0\" denoise \"$2\" \"$1/out.ply\""
    );
    let ran = std::process::Command::new("unshare")
        .args(["-r", "-m", "sh", "-c", &script, common::PROGRAM])
        .args([&disk, &folder.path("bad.ply")])
        .output();
    ran.map(Ran::from).ok().filter(|r| r.code != Some(77) && !r.stderr.contains("unshare"))
}

#[test]
fn existing_outputs_are_noticed_before_any_file_is_worked_on() {
    let folder = Folder::new();
    for name in ["a.ply", "b.ply"] {
        folder.file(name, ply(&noisy_sphere(300)));
    }
    std::fs::create_dir(folder.path("out")).unwrap();
    folder.file("out/b.ply", "mine");
    let args = ["denoise", "@a.ply", "@b.ply", "@out", "-m", "mls"];
    run(&folder, &args).code(2).says(&["b.ply", "exists", "--overwrite"]);
    assert!(!folder.path("out/a.ply").exists());
    assert_eq!(std::fs::read(folder.path("out/b.ply")).unwrap(), b"mine");
}

/// No command reads a file before it knows that there is a place for its output.
#[test]
fn outputs_of_every_command_are_checked_before_the_input_is_read() {
    let folder = Folder::new();
    folder.file("bad.ply", "no cloud at all");
    folder.file("steps.toml", "[[step]]\ndo = \"denoise\"\n");
    folder.file("out.ply", "mine");
    folder.file("out.png", "mine");
    for command in [
        "denoise @bad.ply @out.ply",
        "outliers @bad.ply @out.ply",
        "thin @bad.ply @out.ply --voxel 1",
        "crop @bad.ply @out.ply --box 0,0,0,1,1,1",
        "merge @bad.ply @bad.ply @out.ply",
        "dedup @bad.ply @out.ply",
        "normals @bad.ply @out.ply",
        "distance @bad.ply @bad.ply @out.ply",
        "noise @bad.ply @out.ply --level 1",
        "convert @bad.ply @out.ply",
        "run @steps.toml @bad.ply @out.ply",
        "render @bad.ply @out.png",
    ] {
        let args: Vec<&str> = command.split(' ').collect();
        run(&folder, &args).code(2).says(&["the file exists already", "--overwrite"]);
    }
}

#[test]
fn several_inputs_are_not_put_into_a_folder_named_like_a_file() {
    let folder = Folder::new();
    for name in ["a.ply", "b.ply"] {
        folder.file(name, ply(&noisy_sphere(300)));
    }
    let args = ["denoise", "@a.ply", "@b.ply", "@out.ply"];
    run(&folder, &args).code(2).says(&["out.ply", "folder", "name of a file"]);
    assert_eq!(folder.names(), ["a.ply", "b.ply"]);
}

#[test]
fn folders_in_folders_are_taken_if_asked_for_and_never_skipped_silently() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("in/deep/deeper")).unwrap();
    for name in ["in/a.ply", "in/deep/a.ply", "in/deep/deeper/c.ply"] {
        folder.file(name, ply(&noisy_sphere(300)));
    }
    run(&folder, &["denoise", "@in", "@flat", "-m", "mls"])
        .code(0)
        .says(&["1 folder", "--recursive"]);
    assert!(folder.path("flat/a.ply").exists() && !folder.path("flat/deep").exists());

    run(&folder, &["denoise", "@in", "@all", "-m", "mls", "--recursive"]).code(0);
    for name in ["all/a.ply", "all/deep/a.ply", "all/deep/deeper/c.ply"] {
        assert!(folder.path(name).exists(), "{name}");
    }
}

#[test]
fn unmoved_clouds_say_why_and_what_to_try() {
    let folder = Folder::new();
    // A plane without any noise.
    let at = |i: u32| [f64::from(i % 30), f64::from(i / 30), 0.0];
    folder.file("in.ply", ply(&(0..900).map(at).collect::<Vec<_>>()));
    let ran = run(&folder, &["denoise", "@in.ply", "@out.ply"]).code(0);
    for words in ["nothing was moved: ", "noise", "--noise X", "try --method mls"] {
        assert!(ran.stdout.contains(words), "{words}: {ran:?}");
    }
    let ran = run(&folder, &["denoise", "@in.ply", "@zero.ply", "--strength", "0"]).code(0);
    assert!(ran.stdout.contains("the strength is 0"), "{ran:?}");
}

#[test]
fn a_given_noise_overrides_the_estimate_of_every_method() {
    let folder = Folder::new();
    folder.file("in.ply", ply(&noisy_sphere(900)));
    for method in pellucid::denoise::registry::methods() {
        let noise = |given: &[&str]| {
            let args = ["denoise", "@in.ply", "@out.ply", "-m", method.name, "--overwrite"];
            let ran = run(&folder, &[&args, given, &["--json"]].concat()).code(0);
            let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
            report["runs"][0]["report"]["noise"].as_f64().unwrap()
        };
        let estimated = noise(&[]);
        assert!((noise(&["--noise", "0.0625"]) - 0.0625).abs() < 1e-9, "{}", method.name);
        assert!((estimated - 0.0625).abs() > 1e-3, "{} {estimated}", method.name);
    }
    for bad in ["0", "-1", "nan", "much"] {
        let args = ["denoise", "@in.ply", "@out.ply", "--noise", bad];
        run(&folder, &args).code(2).says(&["--noise", "above 0", "file units"]);
    }
}

/// Noise that nobody can see in a regular grid is removed if it is given.
#[test]
fn a_given_noise_moves_what_was_left_alone() {
    let folder = Folder::new();
    let at = |i: u32| [f64::from(i % 30), f64::from(i / 30), 0.01 * f64::from(i * 7 % 5)];
    folder.file("in.ply", ply(&(0..900).map(at).collect::<Vec<_>>()));
    let moved = |args: &[&str]| {
        let all = [&["denoise", "@in.ply", "@out.ply", "--overwrite"], args].concat();
        !run(&folder, &all).code(0).stdout.contains("nothing was moved")
    };
    assert!(!moved(&[]) && moved(&["--noise", "0.2"]));
}
