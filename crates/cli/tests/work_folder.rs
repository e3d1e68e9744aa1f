//! The work folder of `denoise --memory`: for one run at a time, for nobody else, and for the same
//! input only.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{Folder, PROGRAM, Ran, noisy_sphere, pellucid};
use pellucid::big::{self, Memory, TiledJob, work_folder};
use pellucid::denoise::{Control, Observer, Progress};
use pellucid::io::{self, Document, WriteOptions};
use pellucid::{PointCloud, Run};

/// Pairs of runs at once; `PELLUCID_PAIRS=200` makes it more.
fn pairs() -> usize {
    std::env::var("PELLUCID_PAIRS").map_or(10, |n| n.parse().unwrap())
}

fn cloud(folder: &Folder, name: &str) -> PathBuf {
    let document = Document::from(PointCloud::new(noisy_sphere(4_000)));
    io::write(&folder.path(name), &document, &WriteOptions::default()).unwrap();
    folder.path(name)
}

/// Gives up at a step of that name.
struct Until(&'static str);

impl Observer for Until {
    fn progress(&mut self, p: &Progress) -> Control {
        if p.step.starts_with(self.0) { Control::Cancel } else { Control::Continue }
    }
}

/// A run that was interrupted when it came to that step; gives its work folder.
fn interrupted(input: &Path, output: &Path, step: &'static str) -> PathBuf {
    let job = TiledJob::new(input, output, Memory(300_000_000));
    let fault = big::denoise(&job, &mut Run::default().with_observer(Until(step))).unwrap_err();
    assert!(fault.is_cancelled(), "{fault}");
    work_folder(output)
}

fn command(input: &Path, output: &Path, resume: bool) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("denoise").args([input, output]).args(["--memory", "300M"]);
    command.args(resume.then_some("--resume"));
    command
}

fn run(input: &Path, output: &Path, resume: bool) -> Ran {
    command(input, output, resume).output().unwrap().into()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn of_two_runs_at_once_one_does_the_work() {
    let folder = Folder::new();
    let input = cloud(&folder, "in.ply");
    let straight = folder.path("straight.ply");
    run(&input, &straight, false).code(0);
    let whole = fs::read(&straight).unwrap();
    let saved = interrupted(&input, &folder.path("saved.ply"), "writing");
    for pair in 0..pairs() {
        let output = folder.path(&format!("out{pair}.ply"));
        copy(&saved, &work_folder(&output));
        let start = || -> Child {
            let mut command = command(&input, &output, true);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let ran = [start(), start()].map(|child| Ran::from(child.wait_with_output().unwrap()));
        let mut codes = ran.each_ref().map(|r| r.code.unwrap());
        codes.sort_unstable();
        assert_eq!(codes, [0, 2], "{ran:?}");
        assert!(fs::read(&output).unwrap() == whole, "pair {pair}: {ran:?}");
        assert!(!work_folder(&output).exists(), "{ran:?}");
    }
}

#[test]
fn a_run_that_finds_another_at_work_says_so() {
    let folder = Folder::new();
    let (input, output) = (cloud(&folder, "in.ply"), folder.path("out.ply"));
    let work = interrupted(&input, &output, "writing");
    let lock = fs::File::options().write(true).open(work.join("lock")).unwrap();
    lock.lock().unwrap();
    for resume in [true, false] {
        run(&input, &output, resume).code(2).says(&["another run", "pellucid-work"]);
    }
    drop(lock);
    run(&input, &output, false).code(2).says(&["interrupted", "resume"]);
    run(&input, &output, true).code(0);
    assert_eq!(folder.names(), ["in.ply", "out.ply"]);
}

#[cfg(unix)]
#[test]
fn a_private_input_stays_private() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = Folder::new();
    let (input, output) = (cloud(&folder, "in.ply"), folder.path("out.ply"));
    fs::set_permissions(&input, fs::Permissions::from_mode(0o600)).unwrap();
    let work = interrupted(&input, &output, "writing");
    assert_eq!(mode(&work), 0o700);
    for entry in fs::read_dir(&work).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    run(&input, &output, true).code(0);
    assert_eq!(mode(&output), 0o600);
    let whole = folder.path("whole.ply");
    let report = folder.path("report.html");
    let args = [Path::new("denoise"), &input, &whole, Path::new("--report"), &report];
    pellucid(args).code(0);
    assert_eq!((mode(&whole), mode(&report)), (0o600, 0o600));
}

#[cfg(unix)]
#[test]
fn planted_folders_are_refused_and_planted_links_not_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let (input, output) = (cloud(&folder, "in.ply"), folder.path("out.ply"));
    let victim = folder.file("victim", "precious");
    let work = work_folder(&output);
    let refused = |resume: bool, word: &str| {
        run(&input, &output, resume).code(2).says(&[word, "remove it"]);
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert!(!output.exists());
    };
    // A folder that is not ours.
    fs::create_dir(&work).unwrap();
    symlink(&victim, work.join("output.part")).unwrap();
    refused(false, "other users");
    fs::set_permissions(&work, fs::Permissions::from_mode(0o700)).unwrap();
    refused(false, "job.json");
    refused(true, "job.json");
    assert_eq!(fs::read_dir(&work).unwrap().count(), 1);
    fs::remove_dir_all(&work).unwrap();
    // A link to a folder.
    let elsewhere = folder.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, &work).unwrap();
    refused(false, "link");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    fs::remove_file(&work).unwrap();
    // Links in a folder of ours.
    interrupted(&input, &output, "sorting");
    for name in ["output.part", "positions.part", "sorted.part", "tile-0-core.bin"] {
        let _ = fs::remove_file(work.join(name));
        symlink(&victim, work.join(name)).unwrap();
    }
    run(&input, &output, true).code(0);
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
    assert!(!fs::symlink_metadata(&output).unwrap().is_symlink());
}

#[test]
fn a_changed_input_of_the_same_size_and_time_is_noticed() {
    let folder = Folder::new();
    let (input, output) = (cloud(&folder, "in.ply"), folder.path("out.ply"));
    let before = fs::read(&input).unwrap();
    for step in ["sorting", "writing"] {
        let work = interrupted(&input, &output, step);
        let modified = fs::metadata(&input).unwrap().modified().unwrap();
        let put = |bytes: &[u8]| {
            fs::write(&input, bytes).unwrap();
            let file = fs::File::options().write(true).open(&input).unwrap();
            file.set_modified(modified).unwrap();
        };
        let mut bytes = before.clone();
        assert!(bytes.len() > 90_000);
        bytes[80_001] ^= 1;
        put(&bytes);
        run(&input, &output, true).code(2).says(&["input has changed"]);
        // Its own again.
        put(&before);
        run(&input, &output, true).code(0);
        assert!(!work.exists());
        fs::remove_file(&output).unwrap();
    }
}

#[test]
fn a_damaged_plan_is_refused() {
    let folder = Folder::new();
    let (input, output) = (cloud(&folder, "in.ply"), folder.path("out.ply"));
    for step in ["sorting", "writing"] {
        let work = interrupted(&input, &output, step);
        let path = work.join("plan.json");
        let plan = fs::read_to_string(&path).unwrap();
        let huge = plan.replace("\"all\": 4000", "\"all\": 1152921504606846976");
        assert_ne!(plan, huge);
        for bad in [huge.as_str(), "", "{}", &plan[..plan.len() / 2]] {
            fs::write(&path, bad).unwrap();
            run(&input, &output, true).code(2).says(&["plan.json is damaged", "remove the folder"]);
        }
        fs::write(&path, plan).unwrap();
        run(&input, &output, true).code(0);
        fs::remove_file(&output).unwrap();
    }
}
