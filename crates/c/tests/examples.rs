//! The examples in C and C++ and a program that provokes every failure, built with the sanitizers for
//! addresses and undefined behavior, against the static and the shared library. What they make has the bits
//! that the library makes.
//!
//! Without a compiler that has the sanitizers these tests say so and are left out, unless PELLUCID_CC=required.

#![cfg(unix)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid::denoise::registry;
use pellucid::io::{self, Document, WriteOptions};
use pellucid::{PointCloud, Run};
use tempfile::TempDir;

const STRICT: [&str; 7] = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-g",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Where cargo has put the libraries: beside this test.
fn libraries() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// Runs a compiler; `None` if there is none that can make what is asked for.
fn compiler(variable: &str, usual: &str, there: &TempDir) -> Option<String> {
    let name = env::var(variable).unwrap_or_else(|_| usual.to_owned());
    let source = there.path().join("empty.c");
    fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let program = there.path().join("empty");
    let language = if usual == "c++" { "c++" } else { "c" };
    let built = Command::new(&name)
        .args(STRICT)
        .args(["-x", language])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output();
    let works = built.is_ok_and(|b| b.status.success())
        && Command::new(&program).output().is_ok_and(|r| r.status.success());
    if works {
        return Some(name);
    }
    assert!(
        env::var("PELLUCID_CC").as_deref() != Ok("required"),
        "there is no {name} that builds with {STRICT:?}"
    );
    eprintln!("left out: there is no {name} with the address and undefined-behavior sanitizers");
    None
}

/// Builds a program of one file, against the static library or the shared one.
fn build(compiler: &str, standard: &str, source: &Path, shared: bool, there: &TempDir) -> PathBuf {
    let program = there.path().join(source.file_stem().unwrap());
    let mut command = Command::new(compiler);
    command.arg(standard).args(STRICT).arg("-I").arg(folder("include")).arg(source);
    command.arg("-o").arg(&program);
    if shared {
        command.arg("-L").arg(libraries()).arg("-lpellucid_c");
        command.arg(format!("-Wl,-rpath,{}", libraries().display()));
    } else {
        command.arg(libraries().join("libpellucid_c.a"));
        if cfg!(target_os = "linux") {
            command.args(["-lpthread", "-ldl"]);
        }
        if cfg!(target_os = "macos") {
            command.args(["-framework", "CoreFoundation", "-framework", "Security"]);
        }
    }
    // After the libraries that need it.
    let output = command.arg("-lm").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Asserts that a program ended well and that the sanitizers found nothing; what it printed.
fn good(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {stderr}", output.status);
    assert!(!stderr.contains("Sanitizer") && !stderr.contains("runtime error"), "{stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A noisy sphere with an intensity, as a file.
fn noisy_file(there: &TempDir) -> PathBuf {
    let clean = Shape::Sphere.sample(1_500, 1);
    let mut noisy =
        PointCloud::new(add_noise(&clean, NoiseModel::Gaussian, 0.02, 2).unwrap().into_positions());
    let values = pellucid::cloud::Values::U16((0..1_500).collect());
    noisy.set_attribute(pellucid::cloud::Attribute::scalar("intensity", values)).unwrap();
    let path = there.path().join("noisy.ply");
    io::write(&path, &Document::from(noisy), &WriteOptions::default()).unwrap();
    path
}

#[test]
fn the_example_in_c_writes_the_bytes_of_the_library() {
    let there = tempfile::tempdir().unwrap();
    let Some(cc) = compiler("CC", "cc", &there) else { return };
    let program = build(&cc, "-std=c11", &folder("examples/denoise.c"), false, &there);
    let input = noisy_file(&there);
    for method in ["auto", "mls"] {
        let output = there.path().join(format!("{method}.ply"));
        let ran = Command::new(&program).args([&input, &output]).arg(method).output().unwrap();
        let said = good(&ran);
        assert!(said.starts_with("1500 points, noise "), "{said}");
        assert!(!String::from_utf8_lossy(&ran.stderr).contains("no progress"));

        let noisy = io::read(&input).unwrap();
        let method = registry::find(method).unwrap().build(None, &Default::default()).unwrap();
        let cloud = method.denoise(&noisy.cloud, &mut Run::default()).unwrap().cloud;
        assert_ne!(cloud, noisy.cloud, "nothing moved, so that nothing was compared");
        let document = Document { cloud, source: noisy.source };
        let wanted = io::write_bytes(&document, io::Format::Ply, &WriteOptions::default()).unwrap();
        assert!(fs::read(&output).unwrap() == wanted, "{}", output.display());
    }
}

#[test]
fn the_example_in_c_says_what_is_wrong() {
    let there = tempfile::tempdir().unwrap();
    let Some(cc) = compiler("CC", "cc", &there) else { return };
    let program = build(&cc, "-std=c11", &folder("examples/denoise.c"), true, &there);
    let ran = Command::new(&program).args(["missing.ply", "out.ply"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert!(stderr.starts_with("error 2: missing.ply"), "{stderr}");
}

#[test]
fn the_example_in_cpp_gives_the_bits_of_the_library() {
    let there = tempfile::tempdir().unwrap();
    let Some(cc) = compiler("CXX", "c++", &there) else { return };
    let program = build(&cc, "-std=c++11", &folder("examples/arrays.cpp"), true, &there);
    let output = there.path().join("positions");
    let said = good(&Command::new(&program).arg(&output).output().unwrap());
    assert!(said.starts_with("1600 points, 1 attribute \"height\", moved by up to "), "{said}");

    // The sheet of the example.
    let mut state = 1_u32;
    let mut points = Vec::new();
    for i in 0..40_u32 {
        for j in 0..40_u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = f64::from(state >> 8) / 16_777_216.0 - 0.5;
            let wave = f64::from(if i % 16 < 8 { i % 8 } else { 8 - i % 8 }) * 0.125;
            points.push([f64::from(i), f64::from(j), wave + noise]);
        }
    }
    let mut changes = registry::ParameterMap::new();
    changes.insert("iterations".to_owned(), 3.into());
    let method = registry::find("mls").unwrap().build(None, &changes).unwrap();
    let mut run = Run::default().with_seed(7);
    let result = method.denoise(&PointCloud::new(points), &mut run).unwrap();
    let wanted: Vec<u8> =
        result.cloud.positions().iter().flatten().flat_map(|x| x.to_ne_bytes()).collect();
    assert!(fs::read(&output).unwrap() == wanted);
}

#[test]
fn every_failure_has_its_code_and_message_in_c() {
    let there = tempfile::tempdir().unwrap();
    let Some(cc) = compiler("CC", "cc", &there) else { return };
    let program = build(&cc, "-std=c11", &folder("tests/check.c"), false, &there);
    let ran = Command::new(&program).arg(there.path()).output().unwrap();
    assert_eq!(good(&ran), "checked\n");
}
