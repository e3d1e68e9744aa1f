//! `pellucid render`: stills of clouds.

use std::path::{Path, PathBuf};

use pellucid::PointCloud;
use pellucid::cloud::{KdTree, Point, stats};

use super::streams;
use crate::args::Render;
use crate::failure::{Failure, naming};
use crate::output::{self, note};
use crate::progress::Show;
use crate::render::{Camera, Legend, Panel, Rgb, Splats, Strip, near_the_middle};
use pellucid_page::look::{self, Look, Paint, Range};

/// Share of the picture left free around the cloud.
const MARGIN: f64 = 0.08;
/// Size of a dot in distances between neighbors.
const DOT: f64 = 0.2;
/// Sizes when none is given: one cloud, or several.
const ONE: (usize, usize) = (960, 720);
const SEVERAL: (usize, usize) = (560, 480);

/// A cloud made ready to be drawn.
struct Ready {
    points: Vec<Point>,
    normals: Vec<Point>,
    radii: Vec<f64>,
    paint: Paint,
}

pub fn run(args: &Render) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    if args.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("png")) {
        return Err(Failure::input(naming(&args.output, "pictures are PNG files; name it .png")));
    }
    output::check_free(&args.output, args.overwrite)?;
    if args.color == "distance" && args.truth.is_none() {
        return Err(Failure::input("--color distance needs --truth FILE"));
    }
    let truth = match &args.truth {
        Some(path) => Some(KdTree::new(streams::read(path, None, show)?.cloud.positions())),
        None => None,
    };
    let mut first = None;
    let mut clouds = Vec::new();
    for path in &args.inputs {
        let cloud = streams::read(path, None, show)?.cloud;
        if cloud.bounds().is_none() {
            return Err(Failure::input(naming(path, "there is no point with finite coordinates")));
        }
        let ready = show.busy("measuring", || {
            ready(args, path, &cloud, first.as_ref().unwrap_or(&cloud), truth.as_ref())
        })?;
        clouds.push(ready);
        first.get_or_insert(cloud);
    }
    let image = show.busy("drawing", || draw(args, &clouds));
    let png = image.to_png().map_err(Failure::work)?;
    output::write_file(&args.output, &png, args.overwrite, &args.inputs)
}

fn ready(
    args: &Render,
    path: &Path,
    cloud: &PointCloud,
    first: &PointCloud,
    truth: Option<&KdTree>,
) -> Result<Ready, Failure> {
    let look = Look::of(cloud);
    let points = cloud.positions();
    let paint = Paint::of(&args.color, cloud, &look, first, truth).map_err(|fault| {
        Failure::input(naming(path, format!("--color {}: {fault}", args.color)))
    })?;
    let radii = match args.points {
        false => look.sizes.clone(),
        // One size for all: sparse parts are not blown up.
        true => vec![DOT * stats::median(&mut look.sizes.clone()).unwrap_or(0.0); points.len()],
    };
    Ok(Ready {
        points: points.iter().map(|&p| args.up.upright(p)).collect(),
        normals: look.normals.iter().map(|&n| args.up.upright(n)).collect(),
        radii: radii.iter().map(|s| s * args.point_size).collect(),
        paint,
    })
}

fn draw(args: &Render, clouds: &[Ready]) -> crate::render::Image {
    let size = match (args.size, clouds.len()) {
        (Some(s), _) => (s.0, s.1),
        (None, 1) => ONE,
        (None, _) => SEVERAL,
    };
    let legend = legend(args, clouds);
    let colors: Vec<Option<Vec<Rgb>>> = clouds
        .iter()
        .map(|c| match (&c.paint, &legend) {
            (Paint::Own(colors), _) => Some(colors.clone()),
            (Paint::Numbers(n), Some(l)) => Some(l.colors(n)),
            _ => None,
        })
        .collect();
    let panels: Vec<Panel> = clouds
        .iter()
        .zip(&colors)
        .enumerate()
        .map(|(i, (c, colors))| Panel {
            splats: Splats {
                points: &c.points,
                normals: (!args.points).then_some(c.normals.as_slice()),
                colors: colors.as_deref(),
                radii: &c.radii,
            },
            caption: caption(args, i),
        })
        .collect();
    let (points, far) = near_the_middle(clouds.first().map_or(&[][..], |c| &c.points));
    if far > 0 {
        let points = if far == 1 { "point" } else { "points" };
        note(&format!("{far} {points} far away from the others may lie outside of the picture"));
    }
    for (c, path) in clouds.iter().zip(&args.inputs).skip(1) {
        if is_apart(&points, &near_the_middle(&c.points).0) {
            let place =
                "the picture shows the place of the first cloud, and this one lies elsewhere";
            note(&naming(path, format!("{place}; draw it on its own")));
        }
    }
    let camera =
        Camera::fit(&points, (args.view.0, args.view.1), size.0 as f64 / size.1 as f64, MARGIN)
            .closer(args.focus.map(|f| args.up.upright(f.0)), args.zoom);
    Strip { panel: size, columns: args.columns }.draw(&panels, &camera, legend.as_ref())
}

/// Whether the boxes around two clouds do not meet.
fn is_apart(a: &[Point], b: &[Point]) -> bool {
    let ends = |points: &[Point], axis: usize| {
        points
            .iter()
            .filter(|p| p[axis].is_finite())
            .fold((f64::MAX, f64::MIN), |(lo, hi), p| (lo.min(p[axis]), hi.max(p[axis])))
    };
    (0..3).any(|axis| {
        let ((a_lo, a_hi), (b_lo, b_hi)) = (ends(a, axis), ends(b, axis));
        a_hi < b_lo || b_hi < a_lo
    })
}

fn legend(args: &Render, clouds: &[Ready]) -> Option<Legend> {
    let numbers = || {
        clouds.iter().filter_map(|c| match &c.paint {
            Paint::Numbers(n) => Some(n),
            _ => None,
        })
    };
    let first = numbers().next()?;
    let range = match args.range {
        Some(ends) => Range { lo: ends.0, hi: ends.1 },
        None => look::range(numbers()),
    };
    Some(Legend { title: first.name.clone(), map: first.map(), range })
}

fn caption(args: &Render, i: usize) -> String {
    match &args.caption {
        Some(words) => words.get(i).cloned().unwrap_or_default(),
        None if args.inputs.len() == 1 => String::new(),
        None => args.inputs.get(i).map(|path| name(path, &args.inputs)).unwrap_or_default(),
    }
}

/// What tells a file from the others: its name without the extension, with it, or with its folder.
fn name(path: &Path, all: &[PathBuf]) -> String {
    let stem = |p: &Path| p.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let full = |p: &Path| p.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let in_folder = |p: &Path| {
        let folder = p.parent().and_then(Path::file_name).unwrap_or_default();
        format!("{}/{}", folder.to_string_lossy(), full(p))
    };
    let is_unique =
        |of: &dyn Fn(&Path) -> String| all.iter().filter(|other| of(other) == of(path)).count() < 2;
    if is_unique(&stem) {
        stem(path)
    } else if is_unique(&full) {
        full(path)
    } else {
        in_folder(path)
    }
}
