//! How much tiles differ from one run over the whole cloud, and what they cost:
//! `tiles_against_whole FILE TILES HALO…`, halos in spacings; without any, the one that is used.
//!
//! Distances are in spacings; seconds are those of processors (on Linux).

mod clock;

use clock::processors;
use pellucid::cloud::{Point, vec3};
use pellucid::denoise::tiles::{AutoParameters, Learned, Survey};
use pellucid::{Run, io};

type Fault = Box<dyn std::error::Error>;

/// A box, and which points are in it.
struct Tile {
    low: Point,
    high: Point,
    own: Vec<u32>,
}

#[allow(clippy::print_stdout, reason = "it is what it is for")]
fn main() -> Result<(), Fault> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(tiles)) = (args.next(), args.next()) else {
        return Err("usage: tiles_against_whole FILE TILES HALO…".into());
    };
    let mut points = io::read(file.as_ref())?.cloud.positions().to_vec();
    points.retain(|p| vec3::is_finite(*p));
    let learned = learn(&points)?;
    let spacing = learned.spacing();
    let numbers: Vec<u32> = (0..points.len() as u32).collect();
    let spent = processors();
    let whole = learned.denoise_piece(&points, &numbers, points.len(), &mut run())?;
    let once = processors() - spent;
    println!("{} points, {} rounds, whole: {once:.1} s", points.len(), learned.rounds());

    let everywhere = [f64::INFINITY; 3];
    let start = Tile { low: everywhere.map(|x| -x), high: everywhere, own: numbers };
    let tiles = cut(start, &points, tiles.parse()?);
    // How far from its tile's border each point is.
    let mut inside = vec![0.0; points.len()];
    for tile in &tiles {
        for &i in &tile.own {
            let p = points[i as usize];
            let gap = (0..3).map(|c| (p[c] - tile.low[c]).min(tile.high[c] - p[c]));
            inside[i as usize] = gap.fold(f64::INFINITY, f64::min) / spacing;
        }
    }
    let mut halos = args.map(|h| h.parse()).collect::<Result<Vec<f64>, _>>()?;
    if halos.is_empty() {
        halos.push(learned.halo() / spacing);
    }
    println!("tiles | halo | points with halos | seconds | largest | mean | border / elsewhere");
    for halo in halos {
        let spent = processors();
        let (tiled, worked) = denoise_tiles(&learned, &tiles, &points, halo * spacing)?;
        let seconds = processors() - spent;
        let apart = |a: Point, b: Point| vec3::distance2(a, b).sqrt() / spacing;
        let off = || tiled.iter().zip(&whole).map(|(&a, &b)| apart(a, b));
        let moved: Vec<f64> = tiled.iter().zip(&points).map(|(&a, &b)| apart(a, b)).collect();
        let mean = |border: bool| {
            let here = moved.iter().zip(&inside).filter(|(_, d)| (**d <= 2.0) == border);
            let (sum, n) = here.fold((0.0, 0), |(sum, n), (m, _)| (sum + m, n + 1));
            sum / f64::from(n)
        };
        println!(
            "{} | {halo} | {:.2} x | {seconds:.1} | {:.2e} | {:.2e} | {:.4} / {:.4} = {:.4}",
            tiles.len(),
            worked as f64 / points.len() as f64,
            off().fold(0.0, f64::max),
            off().sum::<f64>() / points.len() as f64,
            mean(true),
            mean(false),
            mean(true) / mean(false),
        );
    }
    Ok(())
}

fn learn(points: &[Point]) -> Result<Learned, Fault> {
    let mut survey = Survey::new();
    while !survey.is_done() {
        survey.see(points, |i| i as u32);
        survey.end_pass();
    }
    Ok(Learned::from_survey(&survey, &AutoParameters::default(), &mut run())?)
}

fn run() -> Run<'static> {
    Run::default().with_threads(Some(0))
}

/// Denoises tile after tile, each with what lies within `halo` of it; gives the points, and how many were worked on.
fn denoise_tiles(
    learned: &Learned,
    tiles: &[Tile],
    points: &[Point],
    halo: f64,
) -> Result<(Vec<Point>, usize), Fault> {
    let (mut tiled, mut worked) = (points.to_vec(), 0);
    for tile in tiles {
        let near = (0..points.len() as u32).filter(|&i| {
            let out = outside(points[i as usize], tile);
            out > 0.0 && out <= halo.powi(2)
        });
        let rows: Vec<u32> = tile.own.iter().copied().chain(near).collect();
        let piece: Vec<Point> = rows.iter().map(|&i| points[i as usize]).collect();
        let moved = learned.denoise_piece(&piece, &rows, tile.own.len(), &mut run())?;
        tile.own.iter().zip(moved).for_each(|(&i, p)| tiled[i as usize] = p);
        worked += rows.len();
    }
    Ok((tiled, worked))
}

/// Halves the largest tile along the longest side of its points until there are as many as wanted.
fn cut(tile: Tile, points: &[Point], wanted: usize) -> Vec<Tile> {
    if wanted < 2 || tile.own.len() < 2 {
        return vec![tile];
    }
    let at = |i: &u32, c: usize| points[*i as usize][c];
    let side = |c: usize| {
        let (low, high) = tile.own.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), i| {
            (l.min(at(i, c)), h.max(at(i, c)))
        });
        high - low
    };
    let axis = (0..3).max_by(|&a, &b| side(a).total_cmp(&side(b))).unwrap_or(0);
    let Tile { low, high, mut own } = tile;
    let half = own.len() * (wanted / 2) / wanted;
    own.select_nth_unstable_by(half, |a, b| at(a, axis).total_cmp(&at(b, axis)));
    let plane = at(&own[half], axis);
    let (own, right): (Vec<u32>, Vec<u32>) = own.into_iter().partition(|i| at(i, axis) < plane);
    let (mut middle_high, mut middle_low) = (high, low);
    (middle_high[axis], middle_low[axis]) = (plane, plane);
    let mut tiles = cut(Tile { low, high: middle_high, own }, points, wanted / 2);
    let rest = Tile { low: middle_low, high, own: right };
    tiles.extend(cut(rest, points, wanted - wanted / 2));
    tiles
}

/// The square of how far a point is from a tile; above zero on a border that is another's.
fn outside(p: Point, tile: &Tile) -> f64 {
    let off = |c: usize| (tile.low[c] - p[c]).max(p[c] - tile.high[c]).max(0.0);
    let square: f64 = (0..3).map(|c| off(c).powi(2)).sum();
    let own = (0..3).all(|c| p[c] >= tile.low[c] && p[c] < tile.high[c]);
    if own { 0.0 } else { square.max(f64::MIN_POSITIVE) }
}
