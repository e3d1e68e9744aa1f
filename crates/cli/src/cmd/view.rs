//! `pellucid view`: clouds in the browser, updated whenever their files change.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, SystemTime};

use pellucid::PointCloud;
use pellucid::cloud::KdTree;
use pellucid_page::serve::Server;
use pellucid_page::{Group, Layer, Page};

use super::denoise::page::{BYTES, POINTS};
use super::labels::labels;
use super::streams;
use super::tools::distance::DISTANCE;
use crate::args::View;
use crate::failure::{Failure, naming};
use crate::progress::Show;
use crate::report::Head;
use crate::{interrupt, output};

/// How often files are checked.
const LOOK: Duration = Duration::from_millis(500);

pub fn run(args: &View) -> Result<(), Failure> {
    for path in args.files.iter().chain(&args.truth) {
        if streams::is_stream(path) {
            return Err(Failure::input("a pipe cannot be watched; name a file"));
        }
    }
    let mut seen = stamps(args);
    let server = Server::new().map_err(|e| Failure::work(format!("cannot serve: {e}")))?;
    let mut version = 0;
    server.show(page(args, &server, version)?, version);
    output::print(&format!("{}\n", server.address()))?;
    if !args.quiet {
        output::note("the address works on this computer only; Ctrl-C ends it");
    }
    if !args.no_open {
        open(&server.address());
    }
    interrupt::listening(|asked| {
        thread::scope(|scope| {
            scope.spawn(|| server.serve(&asked));
            while !asked.load(Ordering::SeqCst) {
                thread::sleep(LOOK);
                let now = stamps(args);
                if now == seen {
                    continue;
                }
                // Half written files keep changing.
                thread::sleep(LOOK);
                if stamps(args) != now {
                    continue;
                }
                seen = now;
                version += 1;
                match page(args, &server, version) {
                    Ok(html) => server.show(html, version),
                    // A file may be gone for a moment; the last page stays.
                    Err(e) => output::note(e.message().unwrap_or("a file could not be read")),
                }
            }
        });
    });
    Ok(())
}

/// When the files were last changed, and how long they are.
fn stamps(args: &View) -> Vec<Option<(SystemTime, u64)>> {
    let stamp = |path: &PathBuf| {
        let data = fs::metadata(path).ok()?;
        Some((data.modified().ok()?, data.len()))
    };
    args.files.iter().chain(&args.truth).map(stamp).collect()
}

fn page(args: &View, server: &Server, version: u64) -> Result<String, Failure> {
    let show = Show::new(args.quiet);
    let truth = match &args.truth {
        Some(path) => Some(KdTree::new(streams::read(path, None, show)?.cloud.positions())),
        None => None,
    };
    let mut clouds: Vec<PointCloud> = Vec::new();
    let mut unit = None;
    for path in &args.files {
        let document = streams::read(path, None, show)?;
        unit = unit.or(document.source.unit());
        let cloud = document.cloud;
        if cloud.bounds().is_none() {
            return Err(Failure::input(naming(path, "there is no point with finite coordinates")));
        }
        clouds.push(cloud);
    }
    let names = labels(&args.files);
    let layers: Vec<Layer> = clouds
        .iter()
        .zip(&names)
        .enumerate()
        .map(|(i, (cloud, name))| {
            let layer = Layer::new(name.as_str(), cloud).truth(truth.as_ref());
            let same = i > 0 && cloud.len() == clouds[0].len();
            if same { layer.moved_from(0) } else { layer }
        })
        .collect();
    let title = names.join(", ");
    let mut page = Page::new(title.clone());
    page.head = serde_json::to_value(Head::of_page()).map_err(Failure::work)?;
    page.live = Some((server.version_path(), version.to_string()));
    let points = POINTS * 2 / layers.len().max(2);
    let mut group = show.busy("packing", || Group::pack(&title, &layers, points, BYTES));
    group.meta.insert("unit".to_owned(), unit.into());
    // The output of `pellucid distance` is opened to inspect the distances.
    if clouds.iter().any(|c| c.attribute(DISTANCE).is_some()) {
        let color = format!("scalar:{DISTANCE}");
        group.meta.insert("start".to_owned(), serde_json::json!({ "color": color }));
    }
    page.groups.push(group);
    page.html().map_err(Failure::work)
}

/// Opens an address in the person's browser; the address is printed anyway, should that fail.
fn open(address: &str) {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let quiet = Stdio::null;
    let started = Command::new(program)
        .args(before)
        .arg(address)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    if started.is_err() {
        output::note("no browser could be opened; open the address by hand");
    }
}
