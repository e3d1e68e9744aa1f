//! Low-rank patches (Sarkar et al. 2018): height maps over tangent planes are combinations of few
//! atoms, learned from the cloud itself; overlapping maps are averaged.

mod dictionary;

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, NeighborTable, PointCloud};
use rayon::prelude::*;

use crate::graph::scramble;
use crate::local::{SIGN_NEIGHBORS, estimate_oriented};
use crate::parameters::{Checked, Parameters, above, at_least, between, choices, parameters};
use crate::passes::{Pass, Passes};
use crate::patch::{Grid, HeightFrame};
use crate::registry::{Method, Preset, Properties};
use crate::{DenoiseError, Denoised, Run};
use dictionary::{Dictionary, Example, Model, Scratch};

const NAME: &str = "lr";
const MIN_POINTS: usize = 4;
/// Most points in an automatic patch, whatever the noise estimate says.
const MOST_NEIGHBORS: usize = 72;
/// Patches that the dictionary is learned from.
const EXAMPLES: usize = 2048;
/// Patches per task; fixed, so that the work is cut the same way for any number of threads.
const CHUNK: usize = 256;

/// The registry row.
pub const METHOD: Method = Method {
    min_points: MIN_POINTS,
    presets: &[Preset {
        name: "paper",
        about: "a mean map and sparse combinations of smooth atoms, in one pass",
        properties: Properties::USUAL,
    }],
    ..Method::new::<Lr>(
        NAME,
        "rebuilds overlapping height maps from a low-rank dictionary learned from the cloud",
        "Sarkar et al. 2018, Structured low-rank matrix factorization for point-cloud denoising",
        None,
    )
};

choices! {
    /// What height maps are made of.
    pub enum Maps {
        /// Combinations of atoms.
        Linear = "linear",
        /// A mean map and sparse combinations of atoms, as in the paper.
        Affine = "affine",
    }
}

parameters! {
    /// Parameters of low-rank patches.
    pub struct Lr {
        /// What height maps are made of: atoms, or a mean map and few atoms.
        maps: Maps = Maps::Linear;
        /// Number of points in a patch, its center included; null: from the estimated noise.
        neighbors: Option<usize> = None, in between(4.0, 10_000.0), unit "points";
        /// Number of samples along a side of a height map.
        grid: usize = 5, in between(3.0, 16.0), unit "samples";
        /// Largest number of atoms in the dictionary.
        rank: usize = 12, in between(1.0, 256.0), unit "atoms";
        /// Weight of the low-rank penalty, relative to the largest singular value of noise.
        strength: f64 = 1.0, in above(0.0);
        /// Weight of the penalty for atoms that bend.
        smoothness: f64 = 1.0, in at_least(0.0);
        /// Number of passes; each starts from the previous result.
        iterations: usize = 2, in between(1.0, 1000.0), unit "iterations";
        /// Standard deviation of the noise on each axis; null: estimated from the cloud.
        noise: Option<f64> = None, in above(0.0), unit "file units";
    }
}

impl Parameters for Lr {
    fn preset(name: &str) -> Option<Self> {
        let paper = Lr { maps: Maps::Affine, iterations: 1, ..Self::default() };
        (name == "paper").then_some(paper)
    }

    fn apply(
        checked: &Checked<Self>,
        noisy: &PointCloud,
        run: &mut Run,
    ) -> Result<Denoised, DenoiseError> {
        let mut passes = Passes::begin(noisy, NAME, MIN_POINTS, checked.noise, run)?;
        if checked.neighbors.is_none() && passes.is_clean() {
            return Ok(passes.leave_alone());
        }
        let sigma = passes.noise.sigma;
        let size = |sigma| checked.neighbors.unwrap_or_else(|| automatic_neighbors(sigma));
        let k = size(sigma);
        passes.report.notes.push(format!("patches of {k}, for noise of {sigma:.2} spacings"));
        let reach = 1.0 + 6.0 * sigma;
        let chosen = examples_of(passes.frame.ordinals());
        passes.run(run, checked.iterations, |pass, points, run| {
            // Each pass leaves about half of the noise.
            let left = sigma * 0.5_f64.powi(pass.index as i32 - 1);
            checked.pass(pass, points, run, size(left), left, reach * reach, &chosen)
        })
    }
}

/// Points of a patch for noise of `sigma` spacings: it must reach past the noise.
fn automatic_neighbors(sigma: f64) -> usize {
    ((12.0 + 10.0 * sigma * sigma).round() as usize).min(MOST_NEIGHBORS)
}

impl Lr {
    #[allow(clippy::too_many_arguments)]
    fn pass(
        &self,
        pass: &Pass,
        points: &[Point],
        run: &mut Run,
        k: usize,
        left: f64,
        reach2: f64,
        chosen: &[u32],
    ) -> Result<Vec<Point>, DenoiseError> {
        let done = (pass.index - 1) as f64 / pass.count as f64;
        run.progress("patches", pass.index, done)?;
        let tree = KdTree::new(points);
        let table = tree.knn_table(k);
        let mut frames = frames(points, &table);
        let affine = self.maps == Maps::Affine;
        if affine {
            // A mean map is one only if all patches are seen from the same side.
            let signs = estimate_oriented(points, &tree, &tree.knn_table(SIGN_NEIGHBORS), k);
            frames.iter_mut().zip(&signs).for_each(|(frame, &n)| face(frame, n));
        }
        run.progress("dictionary", pass.index, done)?;
        // Without any noise a hundredth spacing is some.
        let left = left.max(0.01);
        let example = |&i: &u32| {
            let members = table.row(i as usize).iter().map(|&j| points[j as usize]).collect();
            Some(Example { frame: frames[i as usize]?, members })
        };
        let examples: Vec<Example> = chosen.iter().filter_map(example).collect();
        let p = self;
        let grid = Grid { side: p.grid };
        let (rank, strength, smoothness) = (p.rank.min(grid.len()), p.strength, p.smoothness);
        let model = Model { grid, rank, sigma: left, strength, smoothness, affine };
        let dictionary = Dictionary::learn(&examples, &model);
        run.progress("maps", pass.index, done)?;
        let (codes, trust) = codes(points, &table, &frames, &dictionary, left);
        let rank = dictionary.rank();
        pass.each(
            points,
            run,
            || (),
            |(), i, q| {
                let (mut sum, mut count) = ([0.0; 3], 0.0);
                for &j in table.row(i) {
                    let j = j as usize;
                    let Some(frame) = &frames[j] else { continue };
                    let (place, height) = frame.local(q);
                    let code = &codes[j * rank..(j + 1) * rank];
                    if let Some(map) = dictionary.height(place, code) {
                        sum = vec3::add(sum, vec3::scale(frame.n, trust[j] * (map - height)));
                        count += trust[j];
                    }
                }
                let step = vec3::scale(sum, 1.0 / count);
                // Not `> reach2`: a step that is no number is no step.
                if vec3::dot(step, step) <= reach2 { vec3::add(q, step) } else { q }
            },
        )
    }
}

/// Which patches to learn from: some thousand, by the numbers of their points, so that the choice
/// does not depend on where they lie.
fn examples_of(ordinals: &[u32]) -> Vec<u32> {
    let mut ranked: Vec<(u64, u32)> =
        ordinals.iter().enumerate().map(|(i, &o)| (scramble(u64::from(o)), i as u32)).collect();
    if ranked.len() > EXAMPLES {
        ranked.select_nth_unstable(EXAMPLES);
        ranked.truncate(EXAMPLES);
    }
    // In the order of the draw, so that sums do not depend on where the points lie either.
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, i)| i).collect()
}

/// Turns a frame so that it looks to the side of `n`.
fn face(frame: &mut Option<HeightFrame>, n: Point) {
    if let Some(frame) = frame.as_mut().filter(|f| vec3::dot(f.n, n) < 0.0) {
        frame.n = vec3::scale(frame.n, -1.0);
        frame.v = vec3::scale(frame.v, -1.0);
    }
}

fn frames(points: &[Point], table: &NeighborTable) -> Vec<Option<HeightFrame>> {
    let numbered = points.par_iter().enumerate().with_min_len(CHUNK);
    numbered
        .map_init(Vec::new, |members, (i, &q)| {
            members.clear();
            members.extend(table.row(i).iter().map(|&j| points[j as usize]));
            HeightFrame::new(q, members)
        })
        .collect()
}

/// The coefficients of every patch, patch after patch, and how far each map can be trusted: maps
/// that leave more than the noise `left` are of patches that are no height fields.
fn codes(
    points: &[Point],
    table: &NeighborTable,
    frames: &[Option<HeightFrame>],
    dictionary: &Dictionary,
    left: f64,
) -> (Vec<f64>, Vec<f64>) {
    let rank = dictionary.rank();
    let mut codes = vec![0.0; points.len() * rank];
    let mut trust = vec![1.0; points.len()];
    let rows = codes.par_chunks_mut(rank).zip(&mut trust).with_min_len(CHUNK);
    rows.enumerate().for_each_init(Scratch::default, |scratch, (i, (code, trust))| {
        let Some(frame) = &frames[i] else { return };
        let members = || table.row(i).iter().map(|&j| points[j as usize]);
        dictionary.code(frame, members(), scratch, code);
        let (mut sum, mut count) = (0.0, 1.0);
        for x in members() {
            let (place, height) = frame.local(x);
            if let Some(map) = dictionary.height(place, code) {
                sum += (height - map) * (height - map);
                count += 1.0;
            }
        }
        let residual2 = sum / (count * left * left);
        *trust = (0.25 + residual2).powi(-2);
    });
    (codes, trust)
}
