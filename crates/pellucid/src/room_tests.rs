use std::path::{Path, PathBuf};

use super::check_with;

/// Files of a thousand bytes in a folder of their own.
fn files(names: &[&str]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = names.iter().map(|n| folder.path().join(n)).collect();
    paths.iter().for_each(|p| std::fs::write(p, [0; 1000]).unwrap());
    (folder, paths)
}

fn fits(pairs: &[(&Path, &Path)], free: u64) -> bool {
    check_with(pairs.iter().copied(), |_| Some(free)).is_ok()
}

#[test]
fn outputs_of_one_disk_are_added_up() {
    let (folder, inputs) = files(&["a.ply", "b.ply"]);
    let outputs = ["c.ply", "d.ply"].map(|n| folder.path().join(n));
    let pairs: Vec<(&Path, &Path)> =
        inputs.iter().zip(&outputs).map(|(i, o)| (&**i, &**o)).collect();
    assert!(fits(&pairs, 500) && !fits(&pairs, 499) && fits(&pairs[..1], 250));
    let fault = check_with(pairs, |_| Some(499)).unwrap_err();
    assert!(!fault.is_input_fault());
    let text = fault.to_string();
    assert!(text.contains("c.ply") && text.contains("free"), "{text}");
}

#[test]
fn outputs_that_are_replaced_need_room_for_the_largest() {
    let (_folder, paths) = files(&["a.ply", "b.ply", "c.ply", "d.ply"]);
    let pairs: Vec<(&Path, &Path)> = vec![(&paths[0], &paths[2]), (&paths[1], &paths[3])];
    assert!(fits(&pairs, 250) && !fits(&pairs, 249));
}

#[test]
fn other_formats_and_unknown_disks_are_not_judged() {
    let (folder, paths) = files(&["a.ply"]);
    for name in ["b.laz", "b.ply.gz", "b"] {
        assert!(fits(&[(&paths[0], &folder.path().join(name))], 0), "{name}");
    }
    let same = folder.path().join("b.ply");
    assert!(check_with([(&*paths[0], &*same)], |_| None).is_ok());
    assert!(fits(&[(Path::new("-"), &same)], 0));
}
