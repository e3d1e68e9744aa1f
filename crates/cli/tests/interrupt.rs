//! Ctrl-C leaves no half-written file.
#![cfg(unix)]

mod common;

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Folder, PROGRAM, noisy_sphere, ply, points_of};

/// Interrupts the program after each of these delays, so that some hit reading, some denoising
/// and some writing.
const DELAYS: [u64; 6] = [20, 60, 120, 250, 400, 700];

#[test]
fn ctrl_c_leaves_all_or_nothing() {
    let folder = Folder::new();
    let input = folder.file("in.ply", ply(&noisy_sphere(150_000)));
    let before = std::fs::read(&input).unwrap();
    let out = folder.path("out.ply");
    let mut interrupted = 0;
    for delay in DELAYS {
        let mut child = Command::new(PROGRAM)
            .arg("denoise")
            .args([&input, &out])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let status = child.wait().unwrap();
        if out.exists() {
            // It was quicker than the signal, or was just writing: then all of it is there.
            assert_eq!(points_of(&out).len(), 150_000, "after {delay} ms");
            std::fs::remove_file(&out).unwrap();
        } else {
            // Before the handler is in place the system ends it.
            assert!(status.code() == Some(130) || status.signal() == Some(2), "{status:?}");
            interrupted += 1;
        }
        assert_eq!(folder.names(), ["in.ply"], "after {delay} ms");
    }
    assert!(interrupted > 0, "no signal came in time");
    assert_eq!(std::fs::read(&input).unwrap(), before);
}
