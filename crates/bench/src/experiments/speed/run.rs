//! One run of one method, in a process of its own: the memory is then its own too.

use std::path::{Path, PathBuf};

use pellucid::Run;
use pellucid::cloud::KdTree;
use pellucid::io;
use serde::{Deserialize, Serialize};

use super::super::apart;
use super::super::item::{Item, ItemOrder};
use super::super::usage::{self, Clock};
use super::table::{Measured, Unit};
use pellucid_cli::failure::Failure;
use pellucid_cli::{interrupt, output};

/// Neighbors of the unit.
pub const UNIT_NEIGHBORS: usize = 16;
/// The unit is short, so that a disturbance would show: the quicker of two counts.
const UNIT_RUNS: usize = 2;

/// What the other process reads from stdin.
#[derive(Serialize, Deserialize)]
struct Order {
    item: ItemOrder,
    file: PathBuf,
    seed: u64,
    threads: usize,
}

/// Measures in another process.
pub fn apart(
    item: &Item,
    file: &Path,
    threads: usize,
    seed: u64,
    title: &str,
) -> Result<Measured, Failure> {
    let order = Order { item: item.order(), file: file.to_owned(), seed, threads };
    let text = apart::ask(apart::itself("speed-run")?, &order, title)?;
    serde_json::from_str(&text).map_err(Failure::work)
}

/// The other side: reads an order on stdin, answers on stdout.
pub fn obey() -> Result<(), Failure> {
    let Order { item, file, seed, threads } = apart::order("speed")?;
    let method = Item::from_order(item)?.build(&Default::default())?;
    let pool = apart::pool(threads)?;
    let cloud = io::read(&file)?.cloud.without_attributes();
    let measured = interrupt::listening(|cancel| {
        let mut run = Run::default().with_seed(seed).with_cancel(cancel);
        let mut clock = Clock::new(&pool);
        usage::forget_peak();
        clock.resume();
        let done = pool.install(|| method.denoise(&cloud, &mut run));
        clock.pause();
        // Before the unit, which needs memory as well.
        let peak = usage::peak_mb().map(|mb| mb * 1024.0 * 1024.0);
        let denoised = done.map_err(|e| Failure::denoise(&file, e))?;
        let [wall, cpu] = clock.spent();
        let steps = denoised.report.seconds.clone();
        drop(denoised);
        let mut unit = Unit { wall: f64::INFINITY, cpu: f64::INFINITY };
        for _ in 0..UNIT_RUNS {
            interrupt::check()?;
            let mut clock = Clock::new(&pool);
            clock.resume();
            let table = pool.install(|| KdTree::new(cloud.positions()).knn_table(UNIT_NEIGHBORS));
            clock.pause();
            drop(std::hint::black_box(table));
            let [wall, cpu] = clock.spent();
            unit = unit.least(Unit { wall, cpu });
        }
        Ok::<_, Failure>(Measured { cpu, wall, unit: Some(unit), peak, steps })
    })?;
    output::print(&serde_json::to_string(&measured).map_err(Failure::work)?)
}
