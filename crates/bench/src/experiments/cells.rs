//! Which cells the tables ask for.

use std::collections::HashSet;

use pellucid::denoise::registry::ParameterMap;
use serde_json::json;

use super::args::{PaperTable, StopBy};
use super::data::{DataSet, Generate, Kind, Subject};
use super::grid::Grid;
use super::item::Item;
use super::published::MAIN_LEVEL;
use super::results::{Key, Stopped};
use pellucid_cli::failure::Failure;

/// The variants of the paper.
pub const DEFAULT_METHODS: &str = "fgl:reference,fgl:text,fgl:text-literal,fgl:standard,\
                                   fgl:diagonal,fgl:baseline1,fgl:baseline2,fgl:vanilla";

/// The model of the search over C unless others are named.
const TRACE_MODEL: &str = "lordquas";

/// One run of the program's work; it fills one row for each way of stopping.
#[derive(Clone)]
pub struct Cell {
    /// `None`: the noisy cloud itself.
    pub item: Option<Item>,
    pub subject: Subject,
    pub stops: Vec<Stopped>,
    /// Of every parameter and of the data.
    pub fingerprint: String,
}

impl Cell {
    /// For messages.
    pub fn name(&self) -> String {
        let item = self.item.as_ref().map_or_else(|| "noisy".to_owned(), Item::to_string);
        let model = super::published::printed(&self.subject.model);
        format!("{item} on {model} {}", super::data::level_name(self.subject.level))
    }

    /// The row for one way of stopping.
    pub fn key(&self, stop: Stopped, seed: u64) -> Key {
        Key {
            label: self.item.as_ref().map_or_else(|| "noisy".to_owned(), Item::to_string),
            model: self.subject.model.clone(),
            level: self.subject.level.to_string(),
            stop,
            seed,
            version: super::VERSION.to_owned(),
            fingerprint: self.fingerprint.clone(),
        }
    }
}

/// What was asked for.
pub struct Request<'a> {
    pub data: &'a DataSet,
    pub items: &'a [Item],
    pub tables: &'a [PaperTable],
    pub stop: StopBy,
    pub grid: &'a Grid,
    pub generate: Option<&'a Generate>,
    /// Whether the models were named.
    pub named_models: bool,
}

/// Every cell once, in the order of the tables.
pub fn plan(request: &Request) -> Result<Vec<Cell>, Failure> {
    let mut plan = CellList { request, cells: Vec::new(), seen: HashSet::new() };
    let has = |table| request.tables.contains(&table);
    let data = request.data;
    if data.kind == Kind::Shapes {
        plan.all(&data.models, &data.levels)?;
        return Ok(plan.cells);
    }
    let main = [MAIN_LEVEL];
    if has(PaperTable::Iterations) {
        plan.all(&data.models, &main)?;
    }
    if has(PaperTable::Vanilla) {
        for item in ["fgl:vanilla", "fgl:reference"] {
            plan.item(&Item::parse(item)?, &data.models, MAIN_LEVEL)?;
        }
    }
    if has(PaperTable::Partial) {
        for item in partial_items()?.into_iter().chain(whole_items()?) {
            plan.item(&item, &data.models, MAIN_LEVEL)?;
        }
    }
    if has(PaperTable::Trace) {
        let one = [TRACE_MODEL.to_owned()];
        let models = if request.named_models { &data.models[..] } else { &one };
        for item in trace_items()? {
            plan.item(&item, models, MAIN_LEVEL)?;
        }
    }
    if has(PaperTable::Mse) || has(PaperTable::Snr) {
        plan.all(&data.models, &data.levels)?;
    }
    Ok(plan.cells)
}

/// Learning from all edges of 20 % of the points.
pub fn partial_items() -> Result<Vec<Item>, Failure> {
    partial_presets(&[("learn_edges", 1.0), ("learn_points", 0.2)])
}

/// What it is compared with: learning from all edges of all points.
pub fn whole_items() -> Result<Vec<Item>, Failure> {
    partial_presets(&[("learn_edges", 1.0)])
}

fn partial_presets(changes: &[(&str, f64)]) -> Result<Vec<Item>, Failure> {
    let changes: ParameterMap =
        changes.iter().map(|&(name, value)| (name.to_owned(), json!(value))).collect();
    ["reference", "diagonal"]
        .into_iter()
        .map(|p| Item::new("fgl", Some(p), changes.clone()))
        .collect()
}

/// The search over the trace limit C, from 2 to 4 in steps of 0.1.
pub fn trace_items() -> Result<Vec<Item>, Failure> {
    (20..=40_u32)
        .map(|tenths| {
            let c = f64::from(tenths) / 10.0;
            let limit = ParameterMap::from_iter([("trace_limit".to_owned(), json!(c))]);
            Item::new("fgl", Some("standard"), limit)
        })
        .collect()
}

struct CellList<'a> {
    request: &'a Request<'a>,
    cells: Vec<Cell>,
    seen: HashSet<(String, String, u64, bool)>,
}

impl CellList<'_> {
    /// The noisy clouds and every item that was asked for.
    fn all(&mut self, models: &[String], levels: &[f64]) -> Result<(), Failure> {
        for &level in levels {
            for model in models {
                self.add(None, model, level, vec![Stopped::None])?;
            }
        }
        for item in self.request.items {
            for &level in levels {
                self.item(item, models, level)?;
            }
        }
        Ok(())
    }

    /// An item on some models at one level.
    fn item(&mut self, item: &Item, models: &[String], level: f64) -> Result<(), Failure> {
        let Request { stop, grid, .. } = *self.request;
        let combinations = grid.of(item);
        let mut stops = Vec::new();
        if item.own_stop()?.is_some() {
            if stop != StopBy::Blind {
                stops.push(Stopped::Oracle);
            }
            if stop != StopBy::Oracle {
                stops.push(Stopped::Blind);
            }
        } else if stop != StopBy::Oracle || combinations.is_empty() {
            // Nothing to stop and nothing to choose: the default is all there is.
            stops.push(Stopped::Blind);
        }
        for model in models {
            if !stops.is_empty() {
                self.add(Some(item.clone()), model, level, stops.clone())?;
            }
            if stop != StopBy::Blind {
                for more in &combinations {
                    self.add(Some(item.with(more)?), model, level, vec![Stopped::Grid])?;
                }
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        item: Option<Item>,
        model: &str,
        level: f64,
        stops: Vec<Stopped>,
    ) -> Result<(), Failure> {
        let name = item.as_ref().map(Item::to_string).unwrap_or_default();
        let grid = stops.contains(&Stopped::Grid);
        if !self.seen.insert((name, model.to_owned(), level.to_bits(), grid)) {
            return Ok(());
        }
        let subject = self.request.data.subject(model, level, self.request.generate)?;
        let values = item.as_ref().map(Item::values).transpose()?.unwrap_or_default();
        let [noisy, clean] = subject.sizes();
        let all = format!("{values:?} {} {noisy} {clean}", subject.input);
        let fingerprint = format!("{:016x}", fnv(&all));
        self.cells.push(Cell { item, subject, stops, fingerprint });
        Ok(())
    }
}

/// FNV-1a: the same in every build, unlike the standard library's hashes.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}
