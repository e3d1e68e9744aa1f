//! Clouds made small enough for a page.

use pellucid::PointCloud;
use pellucid::cloud::{KdTree, Point, Values, vec3};
use serde::Serialize;
use serde_json::{Value, json};

use crate::code;
use crate::look::{self, Look, Numbers};

/// Positions are whole numbers up to this.
const STEPS: f64 = 65535.0;
/// Of the points that the box is estimated from, this share is outside at each end; then the box is made
/// larger by this many times its size. What lies beyond would take the precision from all others.
const BEYOND: f64 = 0.001;
const ROOM: f64 = 5.0;
/// Sizes are stored as logarithms: so many steps for each doubling, the mean spacing at the middle.
const SIZE_STEPS: f64 = 24.0;
const SIZE_MIDDLE: f64 = 128.0;
/// Codes of a number run up to one less; this one says that there is none.
const NONE: u16 = u16::MAX;

/// One cloud of a group.
pub struct Layer<'a> {
    name: String,
    cloud: &'a PointCloud,
    moved_from: Option<usize>,
    truth: Option<&'a KdTree>,
}

impl<'a> Layer<'a> {
    /// A cloud to show.
    pub fn new(name: impl Into<String>, cloud: &'a PointCloud) -> Self {
        Layer { name: name.into(), cloud, moved_from: None, truth: None }
    }

    /// Says that these are the points of an earlier layer, moved: row by row the same, with the
    /// same attributes. Without effect if there is no such layer or its rows are not as many.
    pub fn moved_from(mut self, layer: usize) -> Self {
        self.moved_from = Some(layer);
        self
    }

    /// Adds the distance of each point to the nearest of the truth.
    pub fn truth(mut self, truth: Option<&'a KdTree>) -> Self {
        self.truth = truth;
        self
    }
}

/// A piece of data in a page: its name there and its text.
#[derive(Debug, Clone)]
pub struct Block {
    /// What `meta` calls it, such as `d7`.
    pub id: String,
    /// Raw DEFLATE in base 64.
    pub text: String,
}

/// Clouds that are shown together, packed.
#[derive(Debug, Clone)]
pub struct Group {
    /// What the page knows about them; `run` may be added.
    pub meta: serde_json::Map<String, Value>,
    /// The points.
    pub blocks: Vec<Block>,
}

impl Group {
    /// Packs layers: at most `points` points of each, and at most about `bytes` of text. Numbers
    /// are left out, last ones first, then points, until it fits.
    pub fn pack(name: &str, layers: &[Layer], points: usize, bytes: usize) -> Group {
        let longest = layers.iter().map(|l| l.cloud.len()).max().unwrap_or(0);
        let looks: Vec<Look> = layers.iter().map(|l| Look::of(l.cloud)).collect();
        let mut stride = longest.div_ceil(points.max(1)).max(1);
        loop {
            let mut packer = Packer::new(layers, &looks, stride);
            let group = packer.run(name, layers, &looks, bytes);
            if packer.bytes <= bytes || stride > longest {
                return group;
            }
            stride *= 2;
        }
    }
}

/// The box in which positions are counted.
#[derive(Debug, Clone, Copy, Serialize)]
struct Frame {
    origin: Point,
    step: Point,
}

struct Packer {
    frame: Frame,
    stride: usize,
    blocks: Vec<Block>,
    bytes: usize,
    /// Whole-number positions of the layers so far.
    positions: Vec<Vec<u16>>,
}

impl Packer {
    fn new(layers: &[Layer], _looks: &[Look], stride: usize) -> Self {
        let frame = frame(layers);
        Packer { frame, stride, blocks: Vec::new(), bytes: 0, positions: Vec::new() }
    }

    fn run(&mut self, name: &str, layers: &[Layer], looks: &[Look], bytes: usize) -> Group {
        let mut metas: Vec<serde_json::Map<String, Value>> = Vec::new();
        for (layer, look) in layers.iter().zip(looks) {
            let meta = self.layer(layer, look, layers);
            metas.push(meta);
        }
        // Numbers come after all that is needed to draw.
        let mut left_out = Vec::new();
        for (k, layer) in layers.iter().enumerate() {
            let scalars = self.scalars(layer, base(layer, layers).is_some(), bytes, &mut left_out);
            metas[k].insert("scalars".to_owned(), Value::Array(scalars));
        }
        let spacing = looks.first().map_or(1.0, |l| l.spacing);
        let mut meta = serde_json::Map::new();
        meta.insert("name".to_owned(), json!(name));
        meta.insert("origin".to_owned(), json!(self.frame.origin));
        meta.insert("step".to_owned(), json!(self.frame.step));
        meta.insert("stride".to_owned(), json!(self.stride));
        meta.insert("spacing".to_owned(), json!(spacing));
        meta.insert("size_steps".to_owned(), json!([SIZE_STEPS, SIZE_MIDDLE]));
        meta.insert("left_out".to_owned(), json!(left_out));
        meta.insert("layers".to_owned(), json!(metas));
        Group { meta, blocks: std::mem::take(&mut self.blocks) }
    }

    /// Positions, normals, sizes and colors of a layer.
    fn layer(
        &mut self,
        layer: &Layer,
        look: &Look,
        layers: &[Layer],
    ) -> serde_json::Map<String, Value> {
        let from = base(layer, layers);
        let rows: Vec<usize> = (0..layer.cloud.len()).step_by(self.stride).collect();
        let points = layer.cloud.positions();
        let inside: Vec<bool> = rows.iter().map(|&r| self.frame.holds(points[r])).collect();
        let counted: Vec<u16> = rows.iter().flat_map(|&r| self.frame.count(points[r])).collect();
        let position = match from {
            Some(k) => code::differences_to(&counted, &self.positions[k], 3),
            None => code::differences(&counted, 3),
        };
        let normals: Vec<u8> = rows.iter().flat_map(|&r| folded(look.normals[r])).collect();
        let spacing = look.spacing;
        let sizes: Vec<u8> = rows
            .iter()
            .zip(&inside)
            .map(|(&r, &inside)| if inside { size_code(look.sizes[r] / spacing) } else { 0 })
            .collect();
        let colors = match from {
            Some(_) => None,
            None => look::colors(layer.cloud),
        };
        let mut meta = serde_json::Map::new();
        meta.insert("name".to_owned(), json!(layer.name));
        meta.insert("points".to_owned(), json!(points.len()));
        meta.insert("shown".to_owned(), json!(rows.len()));
        meta.insert("hidden".to_owned(), json!(inside.iter().filter(|x| !**x).count()));
        meta.insert("from".to_owned(), json!(from));
        meta.insert("spacing".to_owned(), json!(spacing));
        meta.insert("position".to_owned(), json!(self.block(&position)));
        meta.insert("normal".to_owned(), json!(self.block(&code::planes(&normals, 2))));
        meta.insert("size".to_owned(), json!(self.block(&sizes)));
        if let Some(colors) = colors {
            let bytes: Vec<u8> = rows.iter().flat_map(|&r| colors[r]).collect();
            meta.insert("color".to_owned(), json!(self.block(&code::planes(&bytes, 3))));
        }
        self.positions.push(counted);
        meta
    }

    /// The numbers of a layer; a moved layer has its attributes from where it came.
    fn scalars(
        &mut self,
        layer: &Layer,
        moved: bool,
        bytes: usize,
        left_out: &mut Vec<String>,
    ) -> Vec<Value> {
        let mut all = Vec::new();
        if let Some(truth) = layer.truth {
            all.push(look::distance_to(layer.cloud.positions(), truth));
        }
        let names = if moved { Vec::new() } else { Numbers::names(layer.cloud) };
        let drawn = ["color.", "normal."];
        let plain = |n: &String| !drawn.iter().any(|d| n.starts_with(d));
        all.extend(names.iter().filter(|n| plain(n)).filter_map(|n| Numbers::of(layer.cloud, n)));
        let mut out = Vec::new();
        for numbers in all {
            if self.bytes > bytes {
                left_out.push(numbers.name);
                continue;
            }
            let whole = is_whole(layer.cloud, &numbers.name);
            let kept = self.blocks.len();
            let before = self.bytes;
            let meta = self.scalar(&numbers, whole);
            if self.bytes > bytes {
                self.blocks.truncate(kept);
                self.bytes = before;
                left_out.push(numbers.name);
            } else {
                out.push(meta);
            }
        }
        out
    }

    fn scalar(&mut self, numbers: &Numbers, whole: bool) -> Value {
        let values: Vec<f64> = numbers.values.iter().step_by(self.stride).copied().collect();
        let finite = || values.iter().copied().filter(|v| v.is_finite());
        let lo = finite().fold(f64::INFINITY, f64::min);
        let hi = finite().fold(f64::NEG_INFINITY, f64::max);
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (0.0, 0.0) };
        let most = f64::from(NONE - 1);
        let exact = whole && hi - lo <= most;
        let step = if exact { 1.0 } else { (hi - lo) / most };
        let code = |&v: &f64| match () {
            () if !v.is_finite() => NONE,
            () if step > 0.0 => ((v - lo) / step).round().clamp(0.0, most) as u16,
            () => 0,
        };
        let codes: Vec<u16> = values.iter().map(code).collect();
        let range = look::range([numbers].into_iter());
        json!({
            "name": numbers.name,
            "lo": lo,
            "step": step,
            "exact": exact,
            "range": [range.lo, range.hi],
            "data": self.block(&code::differences(&codes, 1)),
        })
    }

    fn block(&mut self, bytes: &[u8]) -> String {
        let id = format!("d{}", self.blocks.len());
        let text = code::text(bytes);
        self.bytes += text.len();
        self.blocks.push(Block { id: id.clone(), text });
        id
    }
}

/// The layer that a layer was moved from, if its rows are as many.
fn base(layer: &Layer, layers: &[Layer]) -> Option<usize> {
    let k = layer.moved_from?;
    let other = layers.get(k)?;
    // Only an earlier layer that is not itself moved has all that is shared.
    let fits = other.cloud.len() == layer.cloud.len() && other.moved_from.is_none();
    (fits && !std::ptr::eq(other, layer)).then_some(k)
}

fn is_whole(cloud: &PointCloud, name: &str) -> bool {
    let column = name.rsplit_once('.').map_or(name, |(a, _)| a);
    let found = cloud.attribute(name).or_else(|| cloud.attribute(column));
    found.is_some_and(|a| !matches!(a.values(), Values::F32(_) | Values::F64(_)))
}

fn frame(layers: &[Layer]) -> Frame {
    let mut lo = [f64::INFINITY; 3];
    let mut hi = [f64::NEG_INFINITY; 3];
    for layer in layers {
        let finite = layer.cloud.positions().iter().filter(|p| vec3::is_finite(**p));
        let stride = layer.cloud.len().div_ceil(100_000).max(1);
        let sample: Vec<Point> = finite.clone().step_by(stride).copied().collect();
        let Some((least, most)) = pellucid::cloud::bounds(layer.cloud.positions()) else {
            continue;
        };
        for c in 0..3 {
            let mut column: Vec<f64> = sample.iter().map(|p| p[c]).collect();
            column.sort_unstable_by(f64::total_cmp);
            let at = |s: f64| column[((column.len() - 1) as f64 * s).round() as usize];
            let (a, b) = (at(BEYOND), at(1.0 - BEYOND));
            let room = ROOM * (b - a);
            // A flat cloud has no room at all: then everything counts.
            let (a, b) = if room > 0.0 { (a - room, b + room) } else { (least[c], most[c]) };
            lo[c] = lo[c].min(a.max(least[c]));
            hi[c] = hi[c].max(b.min(most[c]));
        }
    }
    let step = |c: usize| {
        let s = (hi[c] - lo[c]) / STEPS;
        if s.is_finite() && s > 0.0 { s } else { 0.0 }
    };
    let origin = lo.map(|x| if x.is_finite() { x } else { 0.0 });
    Frame { origin, step: [step(0), step(1), step(2)] }
}

impl Frame {
    fn holds(&self, p: Point) -> bool {
        // Half a step of room for rounding.
        let ok = |c: usize| {
            let x = p[c] - self.origin[c];
            x >= -0.5 * self.step[c] - f64::EPSILON * self.origin[c].abs()
                && x <= (STEPS + 0.5) * self.step[c] + f64::EPSILON * self.origin[c].abs()
        };
        vec3::is_finite(p) && ok(0) && ok(1) && ok(2)
    }

    fn count(&self, p: Point) -> [u16; 3] {
        [0, 1, 2].map(|c| {
            let x = (p[c] - self.origin[c]) / self.step[c];
            if x.is_finite() { x.round().clamp(0.0, STEPS) as u16 } else { 0 }
        })
    }
}

/// A direction in two bytes: the octahedron unfolded (Meyer et al. 2010,
/// doi:10.1111/j.1467-8659.2010.01737.x).
fn folded(n: Point) -> [u8; 2] {
    let sum = n.iter().map(|x| x.abs()).sum::<f64>();
    if !sum.is_finite() || sum <= 0.0 {
        return [128, 128];
    }
    let [x, y, z] = n.map(|v| v / sum);
    let sign = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
    let (u, v) =
        if z < 0.0 { ((1.0 - y.abs()) * sign(x), (1.0 - x.abs()) * sign(y)) } else { (x, y) };
    [u, v].map(|t| (127.5 * (1.0 + t)).round().clamp(0.0, 255.0) as u8)
}

/// Zero says that a point is not drawn.
fn size_code(size: f64) -> u8 {
    (SIZE_MIDDLE + SIZE_STEPS * size.log2()).round().clamp(1.0, 255.0) as u8
}
