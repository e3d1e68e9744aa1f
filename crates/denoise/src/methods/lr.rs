//! Low-rank patches (Sarkar et al. 2018): height maps over tangent planes are combinations of few
//! atoms, learned from the cloud itself; overlapping maps are averaged.

mod dictionary;

use pellucid_cloud::vec3::{self, Point};
use pellucid_cloud::{KdTree, NeighborTable, PointCloud};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::frame::{NOISE, check_noise};
use crate::graph::scramble;
use crate::local::{SIGN_NEIGHBORS, estimate_oriented};
use crate::passes::{Pass, Passes};
use crate::patch::{Grid, HeightFrame};
use crate::registry::{Method, Parameter, Parameters, Preset, Properties};
use crate::{DenoiseError, Denoised, Denoiser, ParameterError, Run};
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
    parameters: &[
        Parameter {
            name: "maps",
            unit: "",
            about: "what maps are made of: linear (atoms) or affine (a mean map and few atoms)",
        },
        Parameter {
            name: "neighbors",
            unit: "points",
            about: "points of a patch, its centre included; null: from the estimated noise",
        },
        Parameter { name: "grid", unit: "samples", about: "samples along a side of a height map" },
        Parameter { name: "rank", unit: "atoms", about: "most atoms of the dictionary" },
        Parameter {
            name: "strength",
            unit: "",
            about: "weight of the low-rank penalty, against the largest singular value of noise",
        },
        Parameter { name: "smoothness", unit: "", about: "how much atoms that bend cost" },
        Parameter {
            name: "iterations",
            unit: "iterations",
            about: "passes, each over the points as the one before left them",
        },
        NOISE,
    ],
    ..Method::new::<LrParameters>(
        NAME,
        "rebuilds overlapping height maps from a low-rank dictionary learned from the cloud",
        "Sarkar et al. 2018, Structured low-rank matrix factorization for point-cloud denoising",
        None,
    )
};

/// What height maps are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Maps {
    /// Combinations of atoms.
    Linear,
    /// A mean map and sparse combinations of atoms, as in the paper.
    Affine,
}

/// Parameters of [`METHOD`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LrParameters {
    /// What maps are made of.
    pub maps: Maps,
    /// Points of a patch; `None`: from the noise.
    pub neighbors: Option<usize>,
    /// Samples along a side of a height map.
    pub grid: usize,
    /// Most atoms.
    pub rank: usize,
    /// Weight of the low-rank penalty.
    pub strength: f64,
    /// Weight of the atoms' bending.
    pub smoothness: f64,
    /// Passes.
    pub iterations: usize,
    /// The noise in file units; `None`: estimated.
    pub noise: Option<f64>,
}

impl Default for LrParameters {
    fn default() -> Self {
        LrParameters {
            maps: Maps::Linear,
            neighbors: None,
            grid: 5,
            rank: 12,
            strength: 1.0,
            smoothness: 1.0,
            iterations: 2,
            noise: None,
        }
    }
}

impl Parameters for LrParameters {
    fn preset(name: &str) -> Option<Self> {
        let paper = LrParameters { maps: Maps::Affine, iterations: 1, ..Self::default() };
        (name == "paper").then_some(paper)
    }

    fn check(self) -> Result<Box<dyn Denoiser>, ParameterError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let few = self.neighbors.is_none_or(|k| (4..=10_000).contains(&k));
        ParameterError::check(few, "neighbors", self.neighbors, "between 4 and 10000, or null")?;
        ParameterError::check((3..=16).contains(&self.grid), "grid", self.grid, "3 to 16")?;
        ParameterError::check((1..=256).contains(&self.rank), "rank", self.rank, "1 to 256")?;
        ParameterError::check(positive(self.strength), "strength", self.strength, "above 0")?;
        let smooth = self.smoothness >= 0.0 && self.smoothness.is_finite();
        ParameterError::check(smooth, "smoothness", self.smoothness, "at least 0")?;
        let passes = (1..=1000).contains(&self.iterations);
        ParameterError::check(passes, "iterations", self.iterations, "between 1 and 1000")?;
        check_noise(self.noise)?;
        Ok(Box::new(Lr(self)))
    }
}

/// Points of a patch for noise of `sigma` spacings: it must reach past the noise.
fn automatic_neighbors(sigma: f64) -> usize {
    ((12.0 + 10.0 * sigma * sigma).round() as usize).min(MOST_NEIGHBORS)
}

struct Lr(LrParameters);

impl Denoiser for Lr {
    fn denoise(&self, noisy: &PointCloud, run: &mut Run) -> Result<Denoised, DenoiseError> {
        let mut passes = Passes::begin(noisy, NAME, MIN_POINTS, self.0.noise, run)?;
        if self.0.neighbors.is_none() && passes.is_clean() {
            return Ok(passes.leave_alone());
        }
        let sigma = passes.noise.sigma;
        let size = |sigma| self.0.neighbors.unwrap_or_else(|| automatic_neighbors(sigma));
        let k = size(sigma);
        passes.report.notes.push(format!("patches of {k}, for noise of {sigma:.2} spacings"));
        let reach = 1.0 + 6.0 * sigma;
        let chosen = examples_of(passes.frame.ordinals());
        passes.run(run, self.0.iterations, |pass, points, run| {
            // Each pass leaves about half of the noise.
            let left = sigma * 0.5_f64.powi(pass.index as i32 - 1);
            self.pass(pass, points, run, size(left), left, reach * reach, &chosen)
        })
    }
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
        let affine = self.0.maps == Maps::Affine;
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
        let p = &self.0;
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
