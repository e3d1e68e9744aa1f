//! `paper --views`: a page for each cell that shows its clouds.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use pellucid::PointCloud;
use pellucid::cloud::{KdTree, Point};
use pellucid_page::{Group, Layer, Page};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::cells::Cell;
use super::data::{self, Loaded};
use super::published;
use super::results::{Key, Stopped};
use pellucid_cli::Head;
use pellucid_cli::failure::{Failure, naming};
use pellucid_cli::output;

/// Where they are, below the output folder.
const FOLDER: &str = "views";
/// Bytes of clouds that all pages share, and what one has at least and at most of them.
const ALL_BYTES: usize = 200_000_000;
const BYTES: [usize; 2] = [300_000, 4_000_000];
/// Points of a page.
const POINTS: usize = 60_000;

/// What a cell needs to know to make its page.
#[derive(Clone, Serialize, Deserialize)]
pub struct Views {
    folder: PathBuf,
    bytes: usize,
    /// The command that the pages come from.
    head: Value,
}

impl Views {
    /// Makes the folder; that many pages will share the room.
    pub fn new(out: &Path, pages: usize) -> Result<Self, Failure> {
        let folder = out.join(FOLDER);
        fs::create_dir_all(&folder)
            .map_err(|e| Failure::work(naming(&folder, format!("cannot be made: {e}"))))?;
        let bytes = (ALL_BYTES / pages.max(1)).clamp(BYTES[0], BYTES[1]);
        let head = serde_json::to_value(Head::of_command()).map_err(Failure::work)?;
        Ok(Views { folder, bytes, head })
    }

    /// Whether the page of a row is there.
    pub fn has(&self, key: &Key) -> bool {
        self.folder.join(name(key)).is_file()
    }

    /// Writes the page of one row: the cell's input, its truth and what came out.
    pub fn write(
        &self,
        cell: &Cell,
        key: &Key,
        loaded: &Loaded,
        result: &[Point],
    ) -> Result<(), Failure> {
        let clean = loaded.clean.without_attributes();
        let tree = KdTree::new(clean.positions());
        let result = PointCloud::new(result.to_vec());
        // The first and the last are what the page shows at first.
        let mut layers = vec![
            Layer::new("noisy", &loaded.noisy).truth(Some(&tree)),
            Layer::new("truth", &clean),
        ];
        if cell.item.is_some() {
            layers.push(Layer::new("denoised", &result).moved_from(0).truth(Some(&tree)));
        } else {
            layers.swap(0, 1);
        }
        let title = match key.stop {
            Stopped::None | Stopped::Grid => cell.name(),
            stop => format!("{}, {} stop", cell.name(), stop.name()),
        };
        let mut group = Group::pack(&title, &layers, POINTS, self.bytes);
        group.meta.insert("start".to_owned(), json!({ "color": "scalar:distance to truth" }));
        let mut page = Page::new(title);
        page.head = self.head.clone();
        page.groups.push(group);
        let html = page.html().map_err(Failure::work)?;
        output::write_file(&self.folder.join(name(key)), html.as_bytes(), true, &[])
    }
}

/// The file of a row: readable, and its own for any parameters and data.
fn name(key: &Key) -> String {
    let Key { label, model, level, stop, fingerprint, .. } = key;
    let level = level.parse().map_or_else(|_| level.clone(), data::level_name);
    let long = format!("{label}-{}-{level}-{}", published::printed(model), stop.name());
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    // Long lists of parameters would make names that no file system takes.
    let short: String = long.chars().map(plain).take(80).collect();
    format!("{short}-{fingerprint}.html")
}

/// Pages that are in an output folder.
#[derive(Default)]
pub struct Pages(HashSet<String>);

impl Pages {
    /// Looks what is there.
    pub fn of(out: &Path) -> Self {
        let entries = fs::read_dir(out.join(FOLDER)).into_iter().flatten().flatten();
        Pages(entries.filter_map(|e| e.file_name().into_string().ok()).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The address of a row's page, from the output folder.
    pub fn link(&self, key: &Key) -> Option<String> {
        let name = name(key);
        self.0.contains(&name).then(|| format!("{FOLDER}/{name}"))
    }
}
