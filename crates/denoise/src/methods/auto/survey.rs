//! A part of a large cloud to learn from: whole blocks, since spacing, noise and patches are
//! only seen where no point is missing.

mod grid;

use std::collections::BTreeMap;

use pellucid_cloud::{Point, distinct, vec3};
use serde::{Deserialize, Serialize};

use grid::{CELLS, Grid, STRIDE, number_of};

/// Clouds of up to this many points are learned from as a whole.
pub const WHOLE_UP_TO: usize = 1 << 17;
/// Points to learn from of a larger one.
const WANTED: usize = 1 << 16;
/// Points that a block should hold, at most this part of those wanted.
const POINTS: f64 = 4096.0;
const BLOCKS: usize = 16;
/// Part of the edge of a block that its rim is wide.
const RIM: f64 = 0.1;
/// If points share their cell with more than this part of all, the grid is too wide for them:
/// stray points far away made it so, and it closes in on the fullest cell.
const HEAPED: f64 = 1.0 / 64.0;
/// Cells on either side of the fullest one that the grid closes in on, and how often it may.
const AROUND: f64 = 2.0;
const CLOSER: usize = 16;
/// Points whose largest coordinate is more powers of two above that of the median point are farther than
/// 2^40 spacings from it, whatever the spacing is: half of the points lie in that box.
const FAR_POWERS: i32 = 41;

/// Looks at a cloud in passes over all of its points, in pieces of any size and in any order, and
/// draws the points that are learned from.
///
/// ```
/// use pellucid_denoise::tiles::Survey;
///
/// let points: Vec<_> = (0..400_000).map(|i| [f64::from(i % 700), f64::from(i / 700), 0.0]).collect();
/// let mut survey = Survey::new();
/// while !survey.is_done() {
///     for (k, piece) in points.chunks(50_000).enumerate() {
///         let first = 50_000 * k as u32;
///         survey.see(piece, |i| first + i as u32);
///     }
///     survey.end_pass();
/// }
/// assert_eq!(survey.points(), 400_000);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    whole_up_to: usize,
    wanted: usize,
    pass: Pass,
    /// Points by the power of two of their largest coordinate, until it is known which are far.
    shells: BTreeMap<i32, Shell>,
    /// Powers above this one are those of far points.
    reach: i32,
    /// Whether rows at the origin are missing measurements.
    missing: bool,
    count: usize,
    low: Point,
    high: Point,
    grid: Grid,
    closer: usize,
    counts: Vec<u32>,
    drawn: Vec<Drawn>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Pass {
    Bounds,
    Counts,
    Draw,
    Done,
}

/// How many points there are, and the box around them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Shell {
    count: usize,
    low: Point,
    high: Point,
}

impl Shell {
    // Not infinite: that is no number in JSON.
    const EMPTY: Shell = Shell { count: 0, low: [f64::MAX; 3], high: [f64::MIN; 3] };

    fn add(&mut self, other: &Shell) {
        self.count += other.count;
        for c in 0..3 {
            self.low[c] = self.low[c].min(other.low[c]);
            self.high[c] = self.high[c].max(other.high[c]);
        }
    }
}

/// A point that may be learned from. The lowest are taken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Drawn {
    /// Shared by all points of a block.
    draw: u64,
    number: u32,
    point: Point,
}

impl Drawn {
    fn key(&self) -> (u64, u32) {
        (self.draw, self.number)
    }
}

impl Default for Survey {
    fn default() -> Self {
        Survey::new()
    }
}

impl Survey {
    /// Nothing seen yet.
    pub fn new() -> Survey {
        Survey::of_size(WHOLE_UP_TO, WANTED)
    }

    /// One that takes clouds of up to `whole_up_to` points whole, and `wanted` of larger ones.
    pub(crate) fn of_size(whole_up_to: usize, wanted: usize) -> Survey {
        Survey {
            whole_up_to,
            wanted,
            pass: Pass::Bounds,
            shells: BTreeMap::new(),
            reach: i32::MAX,
            missing: false,
            count: 0,
            low: Shell::EMPTY.low,
            high: Shell::EMPTY.high,
            grid: Grid::around([0.0; 3], [0.0; 3]),
            closer: 0,
            counts: Vec::new(),
            drawn: Vec::new(),
        }
    }

    /// All passes over points at hand.
    pub(crate) fn finish(mut self, points: &[Point], number: impl Fn(usize) -> u32) -> Survey {
        while !self.is_done() {
            self.see(points, &number);
            self.end_pass();
        }
        self
    }

    /// Whether enough is known; if not, all points are to be shown once more.
    pub fn is_done(&self) -> bool {
        self.pass == Pass::Done
    }

    /// Looks at some of the points; `number` gives each of these a number of its own in the whole
    /// cloud, the same in every pass. Points that are not finite or absurdly far away do not count, nor do
    /// those at the origin if they are at least one in a hundred: such are missing measurements.
    pub fn see(&mut self, points: &[Point], number: impl Fn(usize) -> u32) {
        let (reach, missing) = (self.reach, self.missing);
        let counts =
            |p: Point| vec3::is_finite(p) && power(p) <= reach && !(missing && power(p) == ORIGIN);
        let finite = points.iter().enumerate().filter(|(_, p)| counts(**p));
        match self.pass {
            Pass::Bounds => {
                for (_, &p) in finite {
                    let shell = self.shells.entry(power(p)).or_insert(Shell::EMPTY);
                    shell.add(&Shell { count: 1, low: p, high: p });
                }
            }
            Pass::Counts => {
                for (_, &p) in finite {
                    let cell = self.grid.cell(p);
                    if cell.iter().all(|&c| (0..STRIDE as i64).contains(&c)) {
                        self.counts[number_of(cell)] += 1;
                    }
                }
            }
            Pass::Draw => {
                let whole = self.count <= self.whole_up_to;
                for (i, &point) in finite {
                    let draw = if whole { 0 } else { self.grid.draw(point) };
                    self.drawn.push(Drawn { draw, number: number(i), point });
                    if !whole && self.drawn.len() >= 4 * self.wanted {
                        self.thin_out();
                    }
                }
            }
            Pass::Done => {}
        }
    }

    /// One in the same pass that has seen nothing in it, for a part of the points that is looked at
    /// elsewhere.
    pub fn part(&self) -> Survey {
        let counts = vec![0; self.counts.len()];
        Survey { shells: BTreeMap::new(), counts, drawn: Vec::new(), ..self.clone() }
    }

    /// Adds what a [`part`](Self::part) has seen. The order in which parts come does not matter.
    pub fn join(&mut self, part: Survey) {
        match self.pass {
            Pass::Bounds => {
                for (power, shell) in &part.shells {
                    self.shells.entry(*power).or_insert(Shell::EMPTY).add(shell);
                }
            }
            Pass::Counts => {
                self.counts.iter_mut().zip(part.counts).for_each(|(sum, n)| *sum += n);
            }
            Pass::Draw => {
                self.drawn.extend(part.drawn);
                if self.count > self.whole_up_to {
                    self.thin_out();
                }
            }
            Pass::Done => {}
        }
    }

    /// All points have been shown.
    pub fn end_pass(&mut self) {
        if self.pass == Pass::Bounds {
            self.leave_far_out();
        }
        self.pass = match self.pass {
            Pass::Bounds if self.count <= self.whole_up_to => Pass::Draw,
            Pass::Bounds => self.count_in(Grid::around(self.low, self.high)),
            Pass::Counts => self.close_in(),
            Pass::Draw => {
                self.take_whole_blocks();
                Pass::Done
            }
            Pass::Done => Pass::Done,
        };
    }

    /// Counts the points that are not far, and finds the box around them.
    fn leave_far_out(&mut self) {
        let mut shells = std::mem::take(&mut self.shells);
        let origin = shells.remove(&ORIGIN);
        let others: usize = shells.values().map(|s| s.count).sum();
        let zeros = origin.map_or(0, |s| s.count);
        self.missing = others > 0 && distinct::are_missing(zeros, zeros + others);
        let mut seen = 0;
        let usual = shells.iter().find(|(_, shell)| {
            seen += shell.count;
            seen > others / 2
        });
        self.reach = usual.map_or(i32::MAX, |(power, _)| power + FAR_POWERS);
        let mut near = origin.filter(|_| !self.missing).unwrap_or(Shell::EMPTY);
        shells.range(..=self.reach).for_each(|(_, shell)| near.add(shell));
        Shell { count: self.count, low: self.low, high: self.high } = near;
    }

    fn count_in(&mut self, grid: Grid) -> Pass {
        self.grid = grid;
        self.counts.clear();
        self.counts.resize(STRIDE.pow(3), 0);
        Pass::Counts
    }

    /// Makes blocks of the right size, or a finer grid to count in.
    fn close_in(&mut self) -> Pass {
        let counts = std::mem::take(&mut self.counts);
        let inside: f64 = counts.iter().map(|&c| f64::from(c)).sum();
        // The cell that the usual point is in, not the usual cell: stray points fill many.
        let full: f64 = counts.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
        let usual = full / inside.max(1.0);
        let fullest = (0..counts.len()).rev().max_by_key(|&i| counts[i]).unwrap_or(0);
        let cell = [fullest / STRIDE / STRIDE, fullest / STRIDE % STRIDE, fullest % STRIDE];
        let low: Point =
            std::array::from_fn(|c| self.grid.low[c] + self.grid.edge * (cell[c] as f64 - AROUND));
        let edge = self.grid.edge * (2.0 * AROUND + 1.0) / CELLS as f64;
        // Far points do not make others less precise.
        let size = low.iter().map(|x| x.abs()).fold(0.0, f64::max);
        self.closer += 1;
        if usual > HEAPED * inside && self.closer < CLOSER && edge > 1e-12 * size {
            return self.count_in(Grid { low, edge });
        }
        // Points lie on surfaces: their number goes with the square of the edge.
        let points = POINTS.min((self.wanted / BLOCKS) as f64);
        self.grid.edge *= (points / usual.max(1.0)).sqrt();
        Pass::Draw
    }

    /// Keeps one more than are wanted, so that it shows whether a block was cut.
    fn thin_out(&mut self) {
        if self.drawn.len() > self.wanted + 1 {
            self.drawn.select_nth_unstable_by_key(self.wanted, Drawn::key);
            self.drawn.truncate(self.wanted + 1);
        }
    }

    fn take_whole_blocks(&mut self) {
        if self.count > self.whole_up_to {
            self.thin_out();
            self.drawn.sort_unstable_by_key(Drawn::key);
            if let [.., last, over] = self.drawn[..] {
                self.drawn.pop();
                let whole = self.drawn.partition_point(|d| d.draw < over.draw);
                // All in one heap that nothing can cut: better a part of it than nothing.
                if last.draw == over.draw && whole >= self.wanted / 2 {
                    self.drawn.truncate(whole);
                }
            }
        }
        self.drawn.sort_unstable_by_key(|d| d.number);
    }

    /// Points seen that count; in the first pass, before it is known which are far, all finite ones.
    pub fn points(&self) -> usize {
        self.count + self.shells.values().map(|s| s.count).sum::<usize>()
    }

    /// The box around all of them; `None` without any.
    pub fn bounds(&self) -> Option<(Point, Point)> {
        (self.count > 0).then_some((self.low, self.high))
    }

    /// Whether the rows at the origin are missing measurements.
    pub(crate) fn has_missing(&self) -> bool {
        self.missing
    }

    /// Whether all of the cloud is learned from.
    pub fn takes_whole(&self) -> bool {
        self.count <= self.whole_up_to
    }

    /// The points drawn and their numbers, in the order of these; none before it is done.
    pub fn drawn(&self) -> (Vec<Point>, Vec<u32>) {
        self.drawn.iter().map(|d| (d.point, d.number)).unzip()
    }
}

impl Survey {
    /// Which of the points drawn are far enough from the faces of their block for their
    /// neighbors to be in it: a face along the surface cuts its noise off.
    pub(crate) fn inner(&self) -> Vec<bool> {
        let inside = |d: &Drawn| self.takes_whole() || self.grid.depth(d.point) > RIM;
        self.drawn.iter().map(inside).collect()
    }
}

/// The power of the origin.
const ORIGIN: i32 = i32::MIN;

/// The power of two at or below the largest coordinate.
fn power(p: Point) -> i32 {
    let most = p.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    if most == 0.0 { ORIGIN } else { (most.to_bits() >> 52) as i32 - 1023 }
}

#[cfg(test)]
#[path = "survey_tests.rs"]
mod tests;
