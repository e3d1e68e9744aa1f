//! One cell: run, look, compare.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pellucid::cloud::quality::{self, QualityError, UnitSphere};
use pellucid::cloud::{KdTree, Point};
use pellucid::denoise::registry::ParameterMap;
use pellucid::denoise::{DenoiseError, Denoised};
use pellucid::{PointCloud, Run};
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::cells::Cell;
use super::data::{Kind, Loaded};
use super::item::{Item, ORACLE_LIMIT};
use super::oracle::{Oracle, Rule, StopRequest, Watch};
use super::results::{IterationRow, Row, Stopped};
use super::usage::{self, Clock};
use super::views::Views;
use pellucid_cli::failure::{Failure, naming};

/// The oracle stops when the error falls by less than this: in file units of the paper's models,
/// which are about this long.
const LEAST_GAIN: f64 = 5e-5;
const PAPER_LENGTH: f64 = 90.0;

/// How cells are run.
pub struct Bench {
    pub seed: u64,
    pub cancel: Arc<AtomicBool>,
    /// Pages that show the clouds, if they are wanted.
    pub views: Option<Views>,
}

/// What a cell gives: a row for each way of stopping, and the errors after each iteration.
#[derive(Serialize, Deserialize)]
pub struct Measured {
    pub rows: Vec<Row>,
    pub iterations: Vec<IterationRow>,
}

/// One state to report.
struct State {
    stop: Stopped,
    iterations: usize,
    positions: Vec<Point>,
    spent: [f64; 2],
}

/// What one run gave.
struct Ran {
    oracle: Oracle,
    denoised: Denoised,
    spent: [f64; 2],
}

impl Bench {
    /// Runs a cell in a pool.
    pub fn cell(&self, pool: &ThreadPool, cell: &Cell) -> Result<Measured, Failure> {
        let loaded = cell.subject.load()?;
        usage::forget_peak();
        let (states, oracle) = match &cell.item {
            None => {
                let positions = loaded.noisy.positions().to_vec();
                let stop = Stopped::None;
                (vec![State { stop, iterations: 0, positions, spent: [0.0; 2] }], None)
            }
            Some(item) => {
                let (states, oracle) = self.states(pool, cell, item, &loaded)?;
                (states, Some(oracle))
            }
        };
        let peak = usage::peak_mb();
        let row = |state: State| pool.install(|| self.row(cell, &loaded, state, peak));
        let rows = states.into_iter().map(row).collect::<Result<Vec<_>, _>>()?;
        let iterations = match (&rows.first(), oracle) {
            (Some(row), Some(oracle)) => trail(row, &oracle),
            _ => Vec::new(),
        };
        Ok(Measured { rows, iterations })
    }

    /// The states that the wanted ways of stopping report; one run for both where that is
    /// possible, because they walk through the same iterations.
    fn states(
        &self,
        pool: &ThreadPool,
        cell: &Cell,
        item: &Item,
        loaded: &Loaded,
    ) -> Result<(Vec<State>, Oracle), Failure> {
        let wants = |stop| cell.stops.contains(&stop);
        let own = item.own_stop()?;
        let mut states = Vec::new();
        let mut kept = None;
        if let Some(own) = own
            && wants(Stopped::Oracle)
        {
            let with_blind = wants(Stopped::Blind) && own.by_movement;
            let limit = if with_blind { own.limit.max(ORACLE_LIMIT) } else { ORACLE_LIMIT };
            let more = ParameterMap::from_iter([
                ("stop".to_owned(), json!("limit")),
                ("iterations".to_owned(), json!(limit)),
            ]);
            let wanted = StopRequest {
                oracle: Some(self.rule(pool, cell, loaded)?),
                blind_limit: with_blind.then_some(own.limit),
            };
            let mut ran = self.run(pool, cell, item, &more, loaded, wanted)?;
            ran.oracle.finish();
            if let (Some(best), Some(end)) = (ran.oracle.best.take(), ran.oracle.stopped) {
                let (iterations, positions) = (best.index, best.positions);
                let stop = Stopped::Oracle;
                states.push(State { stop, iterations, positions, spent: end.spent });
            }
            if let Some((state, end)) = ran.oracle.blind.take() {
                let (iterations, positions) = (state.index, state.positions);
                let stop = Stopped::Blind;
                states.push(State { stop, iterations, positions, spent: end.spent });
            }
            kept = Some(ran.oracle);
        }
        for stop in [Stopped::Blind, Stopped::Grid] {
            if wants(stop) && states.iter().all(|s| s.stop != stop) {
                let wanted = StopRequest { oracle: None, blind_limit: None };
                let ran = self.run(pool, cell, item, &ParameterMap::new(), loaded, wanted)?;
                let (iterations, spent) = (ran.denoised.iterations, ran.spent);
                let positions = ran.denoised.cloud.into_positions();
                states.push(State { stop, iterations, positions, spent });
                kept.get_or_insert(ran.oracle);
            }
        }
        match kept {
            Some(oracle) => Ok((states, oracle)),
            None => Err(Failure::work(format!("{}: nothing to run", cell.name()))),
        }
    }

    /// The published rule; shapes of another size get it to scale.
    fn rule(&self, pool: &ThreadPool, cell: &Cell, loaded: &Loaded) -> Result<Rule, Failure> {
        let clean = loaded.clean.positions();
        let start = pool.install(|| quality::paper_mse(loaded.noisy.positions(), clean));
        let scale = match cell.subject.kind {
            Kind::Paper => 1.0,
            Kind::Shapes => UnitSphere::of(clean).map_or(1.0, |s| 2.0 * s.radius) / PAPER_LENGTH,
        };
        let start = start.map_err(|e| fault(cell, e))?;
        Ok(Rule { start, least_gain: LEAST_GAIN * scale, limit: ORACLE_LIMIT })
    }

    fn run(
        &self,
        pool: &ThreadPool,
        cell: &Cell,
        item: &Item,
        more: &ParameterMap,
        loaded: &Loaded,
        wanted: StopRequest,
    ) -> Result<Ran, Failure> {
        let denoiser = item.build(more)?;
        let mut oracle = Oracle::new(wanted);
        let mut clock = Clock::new(pool);
        let truth = Truth::new(loaded.clean.positions());
        let error = |positions: &[Point]| truth.mse(positions);
        clock.resume();
        let denoised = pool.install(|| {
            let watch = Watch { oracle: &mut oracle, error: &error, clock: &mut clock };
            let mut run = Run::default()
                .with_seed(self.seed)
                .with_cancel(self.cancel.clone())
                .with_observer(watch);
            denoiser.denoise(&loaded.noisy, &mut run)
        });
        clock.pause();
        let denoised = denoised.map_err(|e| match e {
            DenoiseError::Cancelled => Failure::Interrupted,
            e => Failure::work(format!("{}: {e}", cell.name())),
        })?;
        Ok(Ran { oracle, denoised, spent: clock.spent() })
    }

    fn row(
        &self,
        cell: &Cell,
        loaded: &Loaded,
        state: State,
        peak_mb: Option<f64>,
    ) -> Result<Row, Failure> {
        let State { stop, iterations, positions, spent } = state;
        if let Some(views) = &self.views {
            views.write(cell, &cell.key(stop, self.seed), loaded, &positions)?;
        }
        let parameters = cell.item.as_ref().map(|i| i.changes.clone()).unwrap_or_default();
        let result = PointCloud::new(positions);
        let all = quality::compare(&result, &loaded.clean, None).map_err(|e| fault(cell, e))?;
        let shape = match cell.subject.kind {
            Kind::Paper => (all.chamfer, None),
            Kind::Shapes => in_unit_sphere(&result, loaded).map_err(|e| fault(cell, e))?,
        };
        Ok(Row {
            method: cell.item.as_ref().map_or("noisy", |i| i.method.name).to_owned(),
            preset: cell.item.as_ref().and_then(|i| i.preset.clone()),
            model: cell.subject.model.clone(),
            level: cell.subject.level,
            stop,
            iterations,
            mse: all.paper_mse,
            snr: all.paper_snr,
            chamfer: shape.0,
            point_to_plane: all.point_to_plane,
            point_to_mesh: shape.1,
            uniformity: all.uniformity,
            seconds: spent[0],
            cpu_seconds: spent[1],
            peak_mb,
            input: cell.subject.input.clone(),
            parameters: serde_json::Value::Object(parameters).to_string(),
            seed: self.seed,
            version: super::VERSION.to_owned(),
            fingerprint: cell.fingerprint.clone(),
        })
    }
}

/// Chamfer and two-way point-to-mesh in the unit sphere of the truth, as the learned denoisers
/// are measured.
fn in_unit_sphere(
    result: &PointCloud,
    loaded: &Loaded,
) -> Result<(f64, Option<f64>), QualityError> {
    let clean = loaded.clean.positions();
    let chamfer = match UnitSphere::of(clean) {
        Some(frame) => quality::chamfer(&frame.apply(result.positions()), &frame.apply(clean))?,
        None => quality::chamfer(result.positions(), clean)?,
    };
    let Some(mesh) = &loaded.mesh else { return Ok((chamfer, None)) };
    let Some(frame) = UnitSphere::of(&mesh.vertices) else { return Ok((chamfer, None)) };
    let mut scaled = mesh.clone();
    scaled.vertices = frame.apply(&mesh.vertices);
    let to_mesh = quality::point_to_mesh_two_way(&frame.apply(result.positions()), &scaled)?;
    Ok((chamfer, Some(to_mesh)))
}

/// The clean cloud with its tree, which every iteration is held against.
struct Truth<'a> {
    points: &'a [Point],
    tree: KdTree,
}

impl<'a> Truth<'a> {
    fn new(points: &'a [Point]) -> Self {
        Truth { points, tree: KdTree::new(points) }
    }

    /// The paper's MSE; `quality::paper_mse` would build the tree of the clean cloud every time.
    fn mse(&self, result: &[Point]) -> f64 {
        let mean = |tree: &KdTree, from: &[Point]| {
            let found = tree.nearest_of(from);
            found.iter().map(|n| n.distance2.sqrt()).sum::<f64>() / found.len().max(1) as f64
        };
        0.5 * (mean(&self.tree, result) + mean(&KdTree::new(result), self.points))
    }
}

fn trail(row: &Row, oracle: &Oracle) -> Vec<IterationRow> {
    let of = |s: &super::oracle::Step| IterationRow {
        method: row.method.clone(),
        preset: row.preset.clone(),
        parameters: row.parameters.clone(),
        model: row.model.clone(),
        level: row.level,
        iteration: s.index,
        mse: s.mse,
    };
    oracle.steps.iter().map(of).collect()
}

fn fault(cell: &Cell, e: QualityError) -> Failure {
    Failure::input(naming(&cell.subject.clean, e))
}
