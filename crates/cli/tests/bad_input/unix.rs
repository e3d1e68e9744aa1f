//! Permissions, disks and devices, as Unix systems have them.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, PROGRAM, Ran, noisy_sphere, pellucid, ply};

/// A command that runs the program without the rights of root, if that can be had.
fn unprivileged(folder: &Folder) -> Option<Command> {
    let id = Command::new("id").arg("-u").output().ok()?;
    if String::from_utf8_lossy(&id.stdout).trim() != "0" {
        return Some(Command::new(PROGRAM));
    }
    set_permissions(folder.root(), Permissions::from_mode(0o777)).unwrap();
    // The build folder may be closed to others.
    let copy = folder.path("program");
    std::fs::copy(PROGRAM, &copy).unwrap();
    let rights = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    let works =
        Command::new("setpriv").args(rights).arg("true").status().is_ok_and(|s| s.success());
    works.then(|| {
        let mut command = Command::new("setpriv");
        command.args(rights).arg(copy);
        command
    })
}

#[test]
fn no_permission_to_read_is_said() {
    let folder = Folder::new();
    let input = folder.file("secret.ply", ply(&noisy_sphere(200)));
    set_permissions(&input, Permissions::from_mode(0o000)).unwrap();
    let Some(mut command) = unprivileged(&folder) else { return };
    let out = folder.path("out.ply");
    let ran: Ran = command.arg("denoise").args([&input, &out]).output().unwrap().into();
    ran.code(2).says(&["secret.ply", "ermission"]);
    assert!(!out.exists());
}

#[test]
fn no_permission_to_write_is_said() {
    let folder = Folder::new();
    let input = folder.file("in.ply", ply(&noisy_sphere(200)));
    let closed = folder.path("closed");
    std::fs::create_dir(&closed).unwrap();
    set_permissions(&closed, Permissions::from_mode(0o555)).unwrap();
    let Some(mut command) = unprivileged(&folder) else { return };
    set_permissions(&input, Permissions::from_mode(0o444)).unwrap();
    let out = closed.join("out.ply");
    let ran: Ran = command.arg("denoise").args([&input, &out]).output().unwrap().into();
    ran.code(1).says(&["out.ply", "ermission"]);
    assert_eq!(std::fs::read_dir(&closed).unwrap().count(), 0);
}

/// Runs the program in a shell after `setup`; `None` if the shell cannot do that.
fn after(setup: &str, args: &[&Path]) -> Ran {
    let script = format!("{setup}\nexec \"$0\" \"$@\"");
    Command::new("sh").arg("-c").arg(script).arg(PROGRAM).args(args).output().unwrap().into()
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    let folder = Folder::new();
    let input = folder.file("in.ply", ply(&noisy_sphere(3000)));
    let out = folder.path("out.ply");
    // Files may grow to a few kilobytes; with the signal ignored, writing more is an error.
    let limit = "trap '' XFSZ && ulimit -f 8 || exit 77";
    let ran = after(limit, &[Path::new("denoise"), &input, &out]);
    ran.code(1).says(&["out.ply", "cannot be written"]);
    assert_eq!(folder.names(), ["in.ply"]);
    // An output that was there before stays as it was.
    folder.file("out.ply", "precious");
    after(limit, &[Path::new("denoise"), &input, &out, Path::new("--overwrite")]).code(1);
    assert_eq!(std::fs::read(&out).unwrap(), b"precious");
    assert_eq!(folder.names(), ["in.ply", "out.ply"]);
}

#[test]
fn a_full_disk_is_said() {
    let folder = Folder::new();
    let input = folder.file("in.ply", ply(&noisy_sphere(3000)));
    let small = folder.path("small");
    std::fs::create_dir(&small).unwrap();
    // A disk of 16 kB in a name space of its own; systems that forbid it are not tested.
    let script = "mount -t tmpfs -o size=16k none \"$1\" 2>/dev/null || exit 77\n\
        \"$0\" denoise \"$2\" \"$1/out.ply\"; code=$?\n\
        ls -A \"$1\" | grep -q . && exit 78\nexit $code";
    let ran: Ran = Command::new("unshare")
        .args(["-r", "-m", "sh", "-c", script, PROGRAM])
        .args([&small, &input])
        .output()
        .map_or(Ran { code: Some(77), stdout: String::new(), stderr: String::new() }, Ran::from);
    if ran.code == Some(77) || ran.stderr.contains("unshare") {
        return;
    }
    ran.code(1).says(&["out.ply", "16384 bytes free"]);
}

#[test]
fn devices_are_not_read() {
    // It has no end.
    pellucid(["info", "/dev/zero"]).code(2).says(&["/dev/zero", "a device"]);
    let folder = Folder::new();
    let out = folder.path("out.ply");
    let zero = folder.path("zero.ply");
    std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
    let [denoise, memory, gigabyte, params] =
        ["denoise", "--memory", "1G", "--params"].map(Path::new);
    pellucid([denoise, &zero, &out]).code(2).says(&["a device"]);
    pellucid([denoise, &zero, &out, memory, gigabyte]).code(2).says(&["a device"]);
    let args = [denoise, &zero, &out, params, Path::new("/dev/zero")];
    pellucid(args).code(2).says(&["/dev/zero", "too long"]);
    assert_eq!(folder.names(), ["zero.ply"]);
}
