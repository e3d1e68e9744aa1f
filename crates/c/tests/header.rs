//! The header that is kept is the one that the code makes.

use std::fs;
use std::path::Path;

#[test]
fn the_header_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = folder.join("include/pellucid.h");
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_src(folder.join("src/lib.rs"))
        .generate()
        .unwrap()
        .write(&mut made);
    let made = String::from_utf8(made).unwrap();
    if std::env::var_os("UPDATE_HEADER").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "include/pellucid.h is not what the code makes; UPDATE_HEADER=1 cargo test -p pellucid-c makes it again"
    );
}

#[test]
fn every_exported_function_is_in_the_header() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = fs::read_to_string(folder.join("include/pellucid.h")).unwrap();
    let mut functions = 0;
    for file in fs::read_dir(folder.join("src")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines().filter(|l| l.contains("extern \"C\" fn pellucid_")) {
            let name = line.split("fn ").nth(1).and_then(|l| l.split('(').next()).unwrap();
            let times = header.matches(&format!("{name}(")).count();
            assert_eq!(times, 1, "{name} must be in the header once");
            functions += 1;
        }
    }
    assert!(functions > 20, "only {functions} functions were found");
}
