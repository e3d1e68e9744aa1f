//! `pellucid-bench paper` on small folders made here.

mod common;

use std::fs;

use common::{Folder, Ran, Random, noisy_sphere, pellucid_bench, ply};
use pellucid::cloud::{Point, vec3};

const MODELS: [&str; 2] = ["dc", "lordquas"];
const COLUMNS: &str = "method,preset,model,level,stop,iterations,mse,snr,chamfer,point_to_plane,\
                       point_to_mesh,uniformity,seconds,cpu_seconds,peak_mb,input,parameters,seed,\
                       version,fingerprint";

/// As noisy as the paper's models: half a spacing along each axis.
fn very_noisy(clean: &[Point]) -> Vec<Point> {
    let mut random = Random(3);
    clean.iter().map(|p| p.map(|c| c + 0.45 * random.normal())).collect()
}

fn on_sphere(points: &[Point]) -> Vec<Point> {
    points.iter().map(|&p| vec3::scale(p, 10.0 / vec3::norm(p))).collect()
}

/// Two models at two levels, and one of the published files.
fn paper_folder() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("data/srb/noisy")).unwrap();
    for (i, model) in MODELS.iter().enumerate() {
        let clean = on_sphere(&noisy_sphere(1500 + 100 * i));
        let noisy = very_noisy(&clean);
        folder.file(&format!("data/srb/{model}_GT.ply"), ply(&clean));
        for level in ["0.02", "0.05"] {
            folder.file(&format!("data/srb/noisy/{model}_{level}.ply"), ply(&noisy));
        }
    }
    let clean = on_sphere(&noisy_sphere(1500));
    folder.file("data/srb/dc_gaussian_noise_0.05.ply", ply(&very_noisy(&clean)));
    folder
}

fn bench(folder: &Folder, args: &str) -> Ran {
    let mut all = vec!["paper".into(), "--data".into()];
    all.push(folder.path("data").into_os_string());
    all.push("--out".into());
    all.push(folder.path("out").into_os_string());
    all.extend(args.split_whitespace().map(Into::into));
    pellucid_bench(all)
}

fn rows(folder: &Folder) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(folder.path("out/results.csv")).unwrap();
    reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn column(name: &str) -> usize {
    COLUMNS.split(',').position(|c| c == name).unwrap()
}

#[test]
fn tables_plots_and_rows_come_out_and_nothing_is_run_twice() {
    let folder = paper_folder();
    let args = "--models dc,Quasimoto --levels 0.02,0.05 --methods mls,fgl:baseline2 \
                --tables mse,snr,iterations";
    bench(&folder, args).code(0).says(&["12 cells run", "fgl:baseline2 on Quasimoto 0.05"]);

    let text = fs::read_to_string(folder.path("out/results.csv")).unwrap();
    assert_eq!(text.lines().next(), Some(COLUMNS));
    check_rows(&folder);
    check_page(&folder);

    bench(&folder, args).code(0).says(&["0 cells run"]);
    assert_eq!(fs::read_to_string(folder.path("out/results.csv")).unwrap(), text);
    // Another method only adds its own; other parameters are another cell.
    let more = args.replace("mls,", "mls,mls{iterations=1},");
    bench(&folder, &more).code(0).says(&["4 cells run"]);
    assert_eq!(rows(&folder).len(), 20);
    let few = "--models dc --levels 0.02 --methods mls --tables mse --fresh --quiet";
    let ran = bench(&folder, few).code(0);
    assert_eq!((ran.stderr.as_str(), rows(&folder).len()), ("", 2));
}

/// Rows of noisy clouds, methods and both stops, with the figures that they must have.
fn check_rows(folder: &Folder) {
    let found = rows(folder);
    // Of each of four clouds: noisy, mls, and fgl with both stops.
    assert_eq!(found.len(), 16);
    let (mse, stop) = (column("mse"), column("stop"));
    let number = |r: &[String], c: usize| r[c].parse::<f64>().unwrap();
    for model in MODELS {
        for level in ["0.02", "0.05"] {
            let of = |method: &str, how: &str| {
                found
                    .iter()
                    .find(|r| r[0] == method && r[2] == model && r[3] == level && r[stop] == how)
                    .unwrap_or_else(|| panic!("{method} {model} {level} {how}"))
                    .clone()
            };
            let noisy = number(&of("noisy", "none"), mse);
            let (oracle, blind) = (of("fgl", "oracle"), of("fgl", "blind"));
            assert!(number(&oracle, mse) < noisy);
            assert!(number(&of("mls", "blind"), mse) < noisy);
            assert_eq!(oracle[1], "baseline2");
            assert!(number(&oracle, column("cpu_seconds")) >= 0.0);
            if cfg!(target_os = "linux") {
                assert!(number(&blind, column("peak_mb")) > 1.0);
            }
            assert!(number(&blind, column("iterations")) >= 1.0);
            // The published file is preferred where it is there, and the row says so.
            let published = model == "dc" && level == "0.05";
            assert_eq!(oracle[column("input")].contains("gaussian_noise"), published);
        }
    }
    // The lowest of the iterations is what the oracle reports.
    let mut reader = csv::Reader::from_path(folder.path("out/iterations.csv")).unwrap();
    let lowest = reader
        .records()
        .map(Result::unwrap)
        .filter(|r| &r[0] == "fgl" && &r[3] == "dc" && &r[4] == "0.02")
        .map(|r| r[6].parse::<f64>().unwrap())
        .fold(f64::INFINITY, f64::min);
    let oracle = found
        .iter()
        .find(|r| r[0] == "fgl" && r[2] == "dc" && r[3] == "0.02" && r[stop] == "oracle")
        .unwrap();
    // Sums in another order.
    assert!((number(oracle, mse) - lowest).abs() < 1e-12 * lowest);
}

/// The page has tables, the paper's values and plots.
fn check_page(folder: &Folder) {
    let page = fs::read_to_string(folder.path("out/index.md")).unwrap();
    for part in [
        "## MSE at 0.05, oracle stop",
        "## SNR at 0.02, blind stop",
        "| Quasimoto |",
        "| mls (nothing to choose: default) |",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    // DC and Quasimoto of Baseline2, from the paper.
    assert!(page.contains("(0.245, ") && page.contains("(0.196, "), "{page}");
    for plot in ["levels-oracle.svg", "levels-blind.svg", "iterations.svg", "time.svg"] {
        let svg = fs::read_to_string(folder.path("out").join(plot)).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{plot}");
        assert!(page.contains(plot));
    }
}

#[test]
fn a_grid_gives_the_best_by_the_clean_cloud() {
    let folder = paper_folder();
    let grid = folder.file("grid.toml", "[mls]\niterations = [1, 2]\nneighbors = [10, 20]\n");
    let args =
        format!("--models dc --levels 0.02 --methods mls --tables mse --grid {}", grid.display());
    bench(&folder, &args).code(0).says(&["6 cells run"]);
    let found = rows(&folder);
    let tried: Vec<f64> = found
        .iter()
        .filter(|r| r[column("stop")] == "grid")
        .map(|r| r[column("mse")].parse().unwrap())
        .collect();
    assert_eq!(tried.len(), 4);
    let all = found.iter().filter(|r| r[0] == "mls");
    let best = all.map(|r| r[column("mse")].parse().unwrap()).fold(f64::INFINITY, f64::min);
    let page = fs::read_to_string(folder.path("out/index.md")).unwrap();
    assert!(
        page.contains(&format!("| mls | oracle (best of grid) | {best:.4}")),
        "{best} in {page}"
    );
    assert!(page.contains("## Best of each grid"), "{page}");
}

#[test]
fn noisy_clouds_can_be_made() {
    let folder = paper_folder();
    let args = "--models dc --levels 0.03 --methods mls --tables mse --generate --seed 4";
    bench(&folder, args).code(0);
    assert!(folder.path("out/noisy/dc_0.03_seed4.ply").is_file());
    assert!(rows(&folder).iter().all(|r| r[column("input")].starts_with("generated ")));
    // Another seed is another cell.
    bench(&folder, &args.replace("seed 4", "seed 5")).code(0).says(&["2 cells run"]);
}

#[test]
fn missing_files_are_named() {
    let folder = paper_folder();
    let ran = bench(&folder, "--models dc --levels 0.03 --methods mls --tables mse");
    ran.code(2).says(&["dc_0.03.ply", "no such file", "--generate"]);
    bench(&folder, "--models bunny --levels 0.05 --methods mls").code(2).says(&["bunny_GT.ply"]);
    bench(&folder, "--methods fgl:nothing").code(2).says(&["nothing", "reference"]);
    let empty = Folder::new();
    fs::create_dir_all(empty.path("data")).unwrap();
    bench(&empty, "--methods mls").code(2).says(&["srb", "clean"]);
}

#[test]
fn shapes_are_measured_in_the_unit_sphere() {
    let folder = Folder::new();
    for part in ["clean", "noisy_0.01", "meshes"] {
        fs::create_dir_all(folder.path("data").join(part)).unwrap();
    }
    let noisy = noisy_sphere(1200);
    let xyz = |points: &[Point]| -> String {
        points.iter().map(|p| format!("{} {} {}\n", p[0], p[1], p[2])).collect()
    };
    folder.file("data/clean/ball.xyz", xyz(&on_sphere(&noisy)));
    folder.file("data/noisy_0.01/ball.xyz", xyz(&noisy));
    let octahedron = "OFF\n6 8 0\n10 0 0\n-10 0 0\n0 10 0\n0 -10 0\n0 0 10\n0 0 -10\n\
                      3 0 2 4\n3 2 1 4\n3 1 3 4\n3 3 0 4\n3 2 0 5\n3 1 2 5\n3 3 1 5\n3 0 3 5\n";
    folder.file("data/meshes/ball.off", octahedron);
    bench(&folder, "--methods mls").code(0).says(&["2 cells run"]);
    let found = rows(&folder);
    let clean = on_sphere(&noisy);
    for r in &found {
        let (chamfer, mesh) = (&r[column("chamfer")], &r[column("point_to_mesh")]);
        assert!(mesh.parse::<f64>().unwrap() > 0.0);
        if r[0] == "noisy" {
            // Radius ten becomes one: squared distances are a hundredth.
            let plain = pellucid::cloud::quality::chamfer(&noisy, &clean).unwrap();
            let ratio = chamfer.parse::<f64>().unwrap() / plain;
            assert!((ratio - 0.01).abs() < 1e-4, "{ratio}");
        }
    }
    let page = fs::read_to_string(folder.path("out/index.md")).unwrap();
    assert!(page.contains("Chamfer x 1e4 at 0.01, blind stop"), "{page}");
    assert!(page.contains("Point to mesh x 1e4"), "{page}");
}

/// What a page says about its clouds.
fn meta(page: &str) -> serde_json::Value {
    let begin = "<script type=\"application/json\" id=\"meta\">";
    let text = page.split_once(begin).unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(text).unwrap()
}

#[test]
fn numbers_lead_to_the_clouds_behind_them() {
    let folder = paper_folder();
    let args = "--models dc,lordquas --levels 0.05 --methods mls,fgl{stop=limit,iterations=1} \
                --tables mse --stop blind";
    bench(&folder, args).code(0).says(&["6 cells run"]);
    let plain = fs::read_to_string(folder.path("out/index.md")).unwrap();
    assert!(!plain.contains("views/") && !folder.path("out/views").exists());

    // Cells without a page are run again for it, once; the numbers stay.
    let args = format!("{args} --views");
    bench(&folder, &args).code(0).says(&["6 cells run"]);
    bench(&folder, &args).code(0).says(&["0 cells run"]);
    let index = fs::read_to_string(folder.path("out/index.md")).unwrap();
    let links: Vec<&str> =
        index.split("](views/").skip(1).map(|rest| rest.split_once(')').unwrap().0).collect();
    // Two tables: where nothing is stopped by the truth, the oracle's has the same numbers.
    assert_eq!(links.len(), 12, "{index}");
    assert_eq!(links[..6], links[6..]);
    let unlinked = links.iter().fold(index.clone(), |text, link| {
        let (before, after) = text.split_once(&format!("](views/{link})")).unwrap();
        let open = before.rfind('[').unwrap();
        format!("{}{}{after}", &before[..open], &before[open + 1..])
    });
    let table = |text: &str| -> Vec<String> {
        let wanted = text.lines().skip_while(|l| !l.starts_with("## MSE at 0.05, blind"));
        wanted.take_while(|l| !l.starts_with("## Time")).map(str::to_owned).collect()
    };
    assert_eq!(table(&unlinked), table(&plain));

    for link in &links[..6] {
        let page = fs::read_to_string(folder.path("out/views").join(link)).unwrap();
        for outside in ["http://", "https://", "src=\"//", "href=\"//"] {
            assert!(!page.contains(outside), "{outside} in {link}");
        }
        let meta = meta(&page);
        let group = &meta["groups"][0];
        let layers = group["layers"].as_array().unwrap();
        let names: Vec<&str> = layers.iter().map(|l| l["name"].as_str().unwrap()).collect();
        let noisy = link.starts_with("noisy");
        let expected =
            if noisy { vec!["truth", "noisy"] } else { vec!["noisy", "truth", "denoised"] };
        assert_eq!(names, expected, "{link}");
        let points = if link.contains("-DC-") { 1500 } else { 1600 };
        for layer in layers {
            assert_eq!((&layer["points"], &layer["shown"]), (&points.into(), &points.into()));
            for block in ["position", "normal", "size"] {
                let id = format!("id=\"g0-{}\"", layer[block].as_str().unwrap());
                assert!(page.contains(&id), "{id} in {link}");
            }
            let colors: Vec<_> = layer["scalars"].as_array().unwrap().iter().collect();
            let distance = colors.iter().any(|s| s["name"] == "distance to truth");
            assert_eq!(distance, layer["name"] != "truth");
        }
        assert_eq!(group["start"]["color"], "scalar:distance to truth");
        // The command that a person typed, not the one for a single cell.
        let command = meta["head"]["command"].as_array().unwrap();
        assert!(command.contains(&"--views".into()), "{command:?}");
    }
}
