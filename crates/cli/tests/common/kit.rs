//! What tests of programs share: clouds, folders, and what a run left behind.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pellucid::cloud::Point;
use tempfile::TempDir;

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(o: Output) -> Self {
        Ran {
            code: o.status.code(),
            stdout: String::from_utf8_lossy(&o.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&o.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Asserts the exit code.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Asserts that stderr names each of `words`.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        for w in words {
            assert!(self.stderr.contains(w), "\"{w}\" is not in {self:?}");
        }
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        self
    }

    /// Stdout as one JSON document.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e} in {self:?}"))
    }
}

/// Runs a program.
pub fn run<S: AsRef<OsStr>>(program: &str, args: impl IntoIterator<Item = S>) -> Ran {
    Command::new(program).args(args).output().unwrap().into()
}

/// A folder that goes when the test ends.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A file in it.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The names of all files in it, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.root())
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// An ASCII PLY file of bare points.
pub fn ply(points: &[Point]) -> String {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nend_header\n",
        points.len()
    );
    for p in points {
        text += &format!("{} {} {}\n", p[0], p[1], p[2]);
    }
    text
}

/// The points of a file.
pub fn points_of(path: &Path) -> Vec<Point> {
    pellucid::io::read(path).unwrap().cloud.positions().to_vec()
}

/// A sphere of radius ten with a little noise, always the same.
pub fn noisy_sphere(n: usize) -> Vec<Point> {
    let mut random = Random(7);
    (0..n)
        .map(|i| {
            // Fibonacci lattice: even and without a random generator's clusters.
            let z = 1.0 - (2.0 * i as f64 + 1.0) / n as f64;
            let a = 2.399_963_229_728_653 * i as f64;
            let r = (1.0 - z * z).sqrt();
            let radius = 10.0 + 0.1 * random.normal();
            [radius * r * a.cos(), radius * r * a.sin(), radius * z]
        })
        .collect()
}

/// A small generator, so that fixtures depend on nothing.
pub struct Random(pub u64);

impl Random {
    /// Uniform between 0 and 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal, standard deviation one.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
