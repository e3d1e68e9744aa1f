//! Flags that several commands share, and how their values are read.

use pellucid::big::Memory;
use pellucid::cloud::Point;
use pellucid::io::{Format, LasScale, parse_las_class};

/// Formats of stdin and stdout, for commands that write a cloud.
#[derive(Debug, Default, Clone, clap::Args)]
pub struct Streams {
    /// Read stdin (IN is -) in this format, such as ply [default: recognized by its content]
    #[arg(long, value_name = "FORMAT", value_parser = format_name)]
    pub in_format: Option<String>,
    /// Write stdout (OUT is -) or the files in the folder OUT in this format, such as ply [default:
    /// that of IN]
    #[arg(long, visible_alias = "out-format", value_name = "FORMAT", value_parser = format_name)]
    pub format: Option<String>,
    /// Set the step of coordinates in LAS and LAZ, in file units; auto is a ten-thousandth of the
    /// mean spacing [default: that of IN]
    #[arg(long, value_name = "X|auto", allow_negative_numbers = true)]
    pub las_scale: Option<LasScale>,
}

/// Format of stdin, for commands that only read.
#[derive(Debug, Default, clap::Args)]
pub struct InFormat {
    /// Read stdin (the file is -) in this format, such as ply [default: recognized by its content]
    #[arg(long, visible_alias = "format", value_name = "FORMAT", value_parser = format_name)]
    pub in_format: Option<String>,
}

/// Which points are selected.
#[derive(Debug, Default, clap::Args)]
pub struct Part {
    /// Select points of these classes (attribute "classification"), by number or by name, such as
    /// ground or building
    #[arg(help_heading = "Selection")]
    #[arg(long, value_name = "CLASS,…", value_delimiter = ',', value_parser = parse_las_class)]
    pub class: Vec<u8>,
    /// Select points inside this box, including its faces
    #[arg(help_heading = "Selection")]
    #[arg(long = "box", value_name = "X0,Y0,Z0,X1,Y1,Z1", allow_hyphen_values = true)]
    #[arg(value_parser = bounds)]
    pub within: Option<Bounds>,
    /// Select points with this value, or a value from LO to HI (A=LO..HI, A=LO.., A=..HI); can be
    /// given several times; NAME.2 is the third value of an attribute that has several
    #[arg(help_heading = "Selection")]
    #[arg(long, value_name = "ATTRIBUTE=VALUE", value_parser = condition)]
    pub select: Vec<Condition>,
}

/// Files larger than memory.
#[derive(Debug, Default, clap::Args)]
pub struct Large {
    /// Use at most this much memory, such as 2G or 500M, by denoising tile by tile (LAS, LAZ, E57,
    /// binary PLY; method auto)
    #[arg(long, value_name = "SIZE", help_heading = "Large files")]
    pub memory: Option<Memory>,
    /// Resume an interrupted run with --memory
    #[arg(long, requires = "memory", help_heading = "Large files")]
    pub resume: bool,
}

/// In which direction points move.
#[derive(Debug, Default, clap::Args)]
pub struct Sight {
    /// Move points only along the line of sight from the scanner (E57 with poses, spherical
    /// coordinates or a grid, PTX, PCD with a viewpoint or a grid, or --viewpoint)
    #[arg(long, help_heading = "Lines of sight")]
    pub along_ray: bool,
    /// Set the position of the scanner, in file coordinates
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "along_ray")]
    #[arg(value_parser = viewpoint, help_heading = "Lines of sight")]
    pub viewpoint: Option<Viewpoint>,
}

/// A place; a type of its own, since lists mean repeated values to the parser.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewpoint(pub Point);

/// Two opposite corners of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub lo: Point,
    pub hi: Point,
}

/// What an attribute must be.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    pub attribute: String,
    pub wanted: Accepted,
    /// As it was given.
    pub text: String,
}

/// The values that satisfy a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Accepted {
    /// This number.
    Number(f64),
    /// From one to the other, both included.
    Range(f64, f64),
    /// This text.
    Text(String),
}

fn format_name(text: &str) -> Result<String, String> {
    match Format::from_name(text) {
        Some(_) => Ok(text.to_ascii_lowercase()),
        None => {
            let all: Vec<&str> = Format::all().iter().flat_map(|f| f.extensions).copied().collect();
            Err(format!("there is no such format; known are {}", all.join(", ")))
        }
    }
}

/// `N` finite numbers with commas between.
pub(super) fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let parse = |t: &str| t.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let all: Option<Vec<f64>> = text.split(',').map(parse).collect();
    all?.try_into().ok()
}

fn bounds(text: &str) -> Result<Bounds, String> {
    let [x0, y0, z0, x1, y1, z1] = numbers(text)
        .ok_or("give six numbers with commas between: X0,Y0,Z0,X1,Y1,Z1, the lower corner first")?;
    let (lo, hi) = ([x0, y0, z0], [x1, y1, z1]);
    if (0..3).any(|c| lo[c] > hi[c]) {
        let fault = "the first corner must not be above the second in any coordinate; swap them";
        return Err(fault.to_owned());
    }
    Ok(Bounds { lo, hi })
}

pub(super) fn viewpoint(text: &str) -> Result<Viewpoint, String> {
    let fault = "give three numbers with commas between: X,Y,Z";
    numbers(text).map(Viewpoint).ok_or_else(|| fault.to_owned())
}

fn condition(text: &str) -> Result<Condition, String> {
    let usage = "give it as ATTRIBUTE=VALUE or ATTRIBUTE=LO..HI, such as intensity=100..200";
    let (name, value) = text.split_once('=').ok_or(usage)?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() || value.is_empty() {
        return Err(usage.to_owned());
    }
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|x| !x.is_nan());
    let wanted = match (value.split_once(".."), number(value)) {
        (_, Some(x)) => Accepted::Number(x),
        (Some((lo, hi)), None) => {
            let end = |t: &str, open: f64| match t.trim() {
                "" => Some(open),
                t => number(t),
            };
            let (lo, hi) = (end(lo, f64::NEG_INFINITY), end(hi, f64::INFINITY));
            let (Some(lo), Some(hi)) = (lo, hi) else {
                return Err("the ends of a range are numbers, such as 100..200".to_owned());
            };
            if lo > hi {
                return Err(format!("the range is empty; did you mean {hi}..{lo}?"));
            }
            Accepted::Range(lo, hi)
        }
        (None, None) => Accepted::Text(value.to_owned()),
    };
    Ok(Condition { attribute: name.to_owned(), wanted, text: text.to_owned() })
}
