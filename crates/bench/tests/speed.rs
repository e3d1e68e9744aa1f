//! `pellucid-bench speed` on clouds of a few thousand points; no test checks how long it took.

mod common;

use std::fs;

use common::{Folder, PROGRAM, Ran, noisy_sphere, pellucid_bench, ply};

const FIXED: &str =
    "method,points,threads,cpu_seconds,wall_seconds,knn_units,peak_bytes_per_point,";

fn speed(folder: &Folder, args: &str) -> Ran {
    let mut all = vec!["speed".into(), "--out".into()];
    all.push(folder.path("out").into_os_string());
    all.extend(args.split_whitespace().map(Into::into));
    pellucid_bench(all)
}

fn files(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder.path("out"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_small_run_gives_rows_page_and_plots() {
    let folder = Folder::new();
    let args = "--points 2k,1000,2000 --methods mls,fgl:baseline2 --threads 1,2 --repeat 2";
    // Two sizes, two methods, two numbers of threads, twice.
    speed(&folder, args).code(0).says(&["16/16 fgl:baseline2 on 2k points, 2 threads", "speed.md"]);
    assert_eq!(files(&folder), ["speed-memory.svg", "speed-time.svg", "speed.csv", "speed.md"]);

    let text = fs::read_to_string(folder.path("out/speed.csv")).unwrap();
    let head = text.lines().next().unwrap();
    assert!(head.starts_with(FIXED), "{head}");
    let column = |name: &str| head.split(',').position(|c| c == name).unwrap();
    let (project, solve) = (column("project"), column("solve"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<Vec<String>> =
        reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(rows.len(), 8);
    let mut expected = Vec::new();
    for points in ["1000", "2000"] {
        for method in ["mls", "fgl:baseline2"] {
            expected.extend(["1", "2"].map(|threads| [method, points, threads]));
        }
    }
    for (row, expected) in rows.iter().zip(expected) {
        assert_eq!(row[..3], expected);
        let number = |i: usize| row[i].parse::<f64>().unwrap();
        assert!(number(4) > 0.0 && number(5) > 0.0, "{row:?}");
        // A method's steps are its own.
        let (own, other) = if row[0] == "mls" { (project, solve) } else { (solve, project) };
        assert!(number(own) <= number(4), "{row:?}");
        assert_eq!(row[other], "");
        if cfg!(target_os = "linux") {
            // At least the points themselves.
            assert!(number(3) > 0.0 && number(6) > 24.0, "{row:?}");
        }
    }

    let page = fs::read_to_string(folder.path("out/speed.md")).unwrap();
    for part in [
        "--points 2k,1000,2000",
        "| points | method | threads | CPU s | wall s | kNN units | kNN units (CPU) | peak bytes per point |",
        "| 2k | fgl:baseline2 | 2 |",
        "## Growth",
        "for 2.0x the points",
        "as quick as with 1 thread",
        "## mls",
        "## fgl:baseline2",
        "speed-time.svg",
        "speed-memory.svg",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    for plot in ["speed-time.svg", "speed-memory.svg"] {
        let svg = fs::read_to_string(folder.path("out").join(plot)).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{plot}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{plot}");
        assert!(svg.contains(">1k<") && svg.contains(">2k<"), "{plot}");
    }
}

#[test]
fn a_file_takes_the_place_of_made_clouds_and_missing_programs_are_reported() {
    let folder = Folder::new();
    let mut text = ply(&noisy_sphere(1500)).replace("vertex 1500", "vertex 1501");
    text += "nan 0 0\n";
    let input = folder.file("ball.ply", text);
    let before = fs::read(&input).unwrap();
    let ran = std::process::Command::new(PROGRAM)
        .args(["speed", "--methods", "mls", "--threads", "1", "--peers", "--input"])
        .arg(&input)
        .arg("--out")
        .arg(folder.path("out"))
        .env("PELLUCID_PEERS_PYTHON", folder.path("no-python"))
        .output()
        .unwrap();
    Ran::from(ran).code(0).says(&["no other program was run", "no-python", "bench/peers.sh"]);
    let rows = fs::read_to_string(folder.path("out/speed.csv")).unwrap();
    assert!(rows.lines().nth(1).unwrap().starts_with("mls,1500,1,"), "{rows}");
    let page = fs::read_to_string(folder.path("out/speed.md")).unwrap();
    assert!(page.contains("`ball.ply`, 1500 points"), "{page}");
    assert!(page.contains("no other program was run"), "{page}");
    assert_eq!(fs::read(&input).unwrap(), before);
}

/// A stand-in for Python that answers as the script would.
#[cfg(unix)]
#[test]
fn other_programs_stand_beside_ours() {
    use std::os::unix::fs::PermissionsExt;

    let folder = Folder::new();
    let script = "#!/bin/sh\norder=$(cat)\ncase $order in\n\
        *list*) echo '{\"peers\":[{\"tool\":\"good\",\"name\":\"Good 1\"},\
        {\"tool\":\"bad\",\"name\":\"Bad 1\"}],\"missing\":[\"Third (not there)\"]}';;\n\
        *good*) echo '{\"cpu_seconds\":7.5,\"wall_seconds\":4.25}';;\n\
        *) exit 3;;\nesac\n";
    let python = folder.file("python", script);
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = std::process::Command::new(PROGRAM)
        .args(["speed", "--points", "1k", "--methods", "mls", "--threads", "2"])
        .args(["--peers", "--quiet", "--out"])
        .arg(folder.path("out"))
        .env("PELLUCID_PEERS_PYTHON", &python)
        .output()
        .unwrap();
    // What failed is reported and counted; the rest is there.
    Ran::from(ran).code(1).says(&["Bad 1 on 1k points, 2 threads failed", "1 runs failed"]);
    let rows = fs::read_to_string(folder.path("out/speed.csv")).unwrap();
    let good = rows.lines().find(|l| l.starts_with("Good 1,")).unwrap();
    let cells: Vec<&str> = good.split(',').collect();
    assert_eq!(cells[..5], ["Good 1", "1000", "2", "7.5000", "4.2500"]);
    assert!(cells[5].parse::<f64>().unwrap() > 0.0 && cells[6].is_empty(), "{good}");
    let page = fs::read_to_string(folder.path("out/speed.md")).unwrap();
    assert!(page.contains("Third (not there)") && page.contains("Bad 1 on 1k"), "{page}");
}

#[test]
fn bad_arguments_are_refused() {
    let folder = Folder::new();
    for (args, word) in [
        ("--points many", "100k"),
        ("--points 10", "between 100 and 1000M"),
        ("--points 1e5", "100k"),
        ("--points nan", "100k"),
        ("--threads 0", "between 1 and 1024"),
        ("--repeat 0", "between 1 and 1000"),
        ("--methods nothing", "nothing"),
        ("--methods fgl:nothing", "nothing"),
        ("--methods ,", "no method"),
        ("--points 1k --input a.ply", "cannot be used with"),
        ("--input no-such.ply --methods mls", "no-such.ply"),
    ] {
        speed(&folder, args).code(2).says(&[word]);
        assert!(!folder.path("out").exists(), "{args}");
    }
    pellucid_bench(["speed-run"]).code(2).says(&["`speed` only"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let folder = Folder::new();
    let mut child = Command::new(PROGRAM)
        .args(["speed", "--points", "100k", "--methods", "mls", "--repeat", "1000"])
        .arg("--out")
        .arg(folder.path("out"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Its folder shows that it listens.
    while !folder.path("out").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), Vec::<String>::new());
}
