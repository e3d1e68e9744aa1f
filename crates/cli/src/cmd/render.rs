//! `pellucid render`: stills of clouds.

use std::path::Path;

use pellucid::PointCloud;
use pellucid::cloud::{KdTree, Point};

use super::streams;
use crate::args::Render;
use crate::failure::{Failure, naming};
use crate::output;
use crate::progress::Show;
use crate::render::{Camera, Legend, Panel, Rgb, Splats, Strip};
use pellucid_page::look::{self, Look, Numbers, Range};

/// Share of the picture left free around the cloud.
const MARGIN: f64 = 0.08;
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

/// What colours a cloud has.
enum Paint {
    Plain,
    Own(Vec<Rgb>),
    Numbers(Numbers),
}

pub fn run(args: &Render) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    if args.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("png")) {
        return Err(Failure::input(naming(&args.output, "pictures are PNG files; name it .png")));
    }
    output::check_free(&args.output, args.overwrite)?;
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
        let ready = show.busy("looking", || {
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
    let fault = |text: String| Failure::input(naming(path, text));
    let points = cloud.positions();
    let paint = match args.color.as_str() {
        "plain" => Paint::Plain,
        "auto" => look::colors(cloud).map_or(Paint::Plain, Paint::Own),
        "original" => Paint::Own(
            look::colors(cloud).ok_or_else(|| fault("the file holds no colours".to_owned()))?,
        ),
        "normal" => Paint::Own(look.normals.iter().map(|&n| look::normal_color(n)).collect()),
        "displacement" if first.len() != cloud.len() => {
            let (a, b) = (first.len(), cloud.len());
            return Err(fault(format!(
                "--color displacement: the first cloud has {a} points, this one {b}; they must be \
                 the same points, moved"
            )));
        }
        "displacement" => {
            Paint::Numbers(look::displacement(first.positions(), points, &look.normals))
        }
        "distance" => match truth {
            Some(tree) => Paint::Numbers(look::distance_to(points, tree)),
            None => return Err(fault("--color distance needs --truth FILE".to_owned())),
        },
        name => Paint::Numbers(Numbers::of(cloud, name).ok_or_else(|| {
            let known = Numbers::names(cloud).join(", ");
            fault(format!(
                "--color {name}: there is no attribute of that name with numbers; there are {}",
                if known.is_empty() { "none" } else { &known }
            ))
        })?),
    };
    Ok(Ready {
        points: points.iter().map(|&p| args.up.upright(p)).collect(),
        normals: look.normals.iter().map(|&n| args.up.upright(n)).collect(),
        radii: look.sizes.iter().map(|s| s * args.point_size).collect(),
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
                normals: Some(&c.normals),
                colors: colors.as_deref(),
                radii: &c.radii,
            },
            caption: caption(args, i),
        })
        .collect();
    let points = clouds.first().map_or(&[][..], |c| &c.points);
    let camera =
        Camera::fit(points, (args.view.0, args.view.1), size.0 as f64 / size.1 as f64, MARGIN)
            .closer(args.focus.map(|f| args.up.upright(f.0)), args.zoom);
    Strip { panel: size, columns: args.columns }.draw(&panels, &camera, legend.as_ref())
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
        None => {
            let name = args.inputs.get(i).and_then(|p| p.file_stem());
            name.map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
        }
    }
}
