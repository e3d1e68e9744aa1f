//! Work folders with a damaged file: a resumed run ends with all points or with a message.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pellucid::Run;
use pellucid::big::{self, TiledJob, Memory, work_folder};
use pellucid::denoise::{Control, Observer, Progress};
use pellucid::io::{self, Document, WriteOptions};
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use serde_json::{Value, json};

use crate::{guarded_whole, scratch};

const POINTS: usize = 300;
const SECONDS: f64 = 10.0;

/// What a run left that was interrupted: names and content.
type Folder = BTreeMap<String, Vec<u8>>;

/// Gives up at a step of that name.
struct Until(&'static str);

impl Observer for Until {
    fn progress(&mut self, p: &Progress) -> Control {
        if p.step.starts_with(self.0) { Control::Cancel } else { Control::Continue }
    }
}

fn input() -> PathBuf {
    scratch().join("in.ply")
}

fn job(output: &Path) -> TiledJob {
    TiledJob::new(input(), output, Memory(300_000_000))
}

/// The folders of runs that were interrupted at two steps.
fn folders() -> &'static [Folder] {
    static FOLDERS: OnceLock<Vec<Folder>> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let clean = Shape::Torus.sample(POINTS, 1);
        let cloud = add_noise(&clean, NoiseModel::Gaussian, 0.02, 2).unwrap_or(clean);
        io::write(&input(), &Document::from(cloud), &WriteOptions::default()).expect("an input");
        let output = scratch().join("first.ply");
        ["sorting", "writing"]
            .map(|step| {
                let mut run = Run::default().with_observer(Until(step));
                assert!(big::denoise(&job(&output), &mut run).is_err());
                let folder = work_folder(&output);
                let files = fs::read_dir(&folder).expect("a folder").flatten();
                let read = |e: fs::DirEntry| {
                    (
                        e.file_name().to_string_lossy().into_owned(),
                        fs::read(e.path()).expect("a file"),
                    )
                };
                let all = files.map(read).collect();
                fs::remove_dir_all(folder).expect("ours");
                all
            })
            .into()
    })
}

/// The first byte is the folder, the second the file in it, the others are what the file holds.
pub fn run(bytes: &[u8]) {
    let [folder, file, content @ ..] = bytes else { return };
    let folder = &folders()[usize::from(*folder) % folders().len()];
    let damaged = folder.keys().nth(usize::from(*file) % folder.len()).expect("not empty");
    let output = scratch().join("out.ply");
    let work = work_folder(&output);
    let _ = fs::remove_dir_all(&work);
    let _ = fs::remove_file(&output);
    make_private(&work);
    for (name, bytes) in folder {
        let bytes = if name == damaged { sealed(content, bytes) } else { bytes.clone() };
        fs::write(work.join(name), bytes).expect("a file");
    }
    guarded_whole(bytes.len(), SECONDS, || {
        let job = TiledJob { resume: true, ..job(&output) };
        match big::denoise(&job, &mut Run::default()) {
            Ok(_) => {
                let points = io::read(&output).expect("an output").cloud.len();
                assert_eq!(points, POINTS);
            }
            Err(e) => assert!(!output.exists(), "{e}"),
        }
    });
}

fn make_private(folder: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(folder).expect("a folder");
}

/// JSON with the right checksum: else every change ends there. What was learned stays as it was, since
/// only the checksum guards it.
fn sealed(content: &[u8], before: &[u8]) -> Vec<u8> {
    let Ok(Value::Object(mut all)) = serde_json::from_slice(content) else {
        return content.to_vec();
    };
    let before: Value = serde_json::from_slice(before).unwrap_or_default();
    if let (Some(learned), Some(value)) =
        (before.pointer("/value/learned"), all.get_mut("value").and_then(Value::as_object_mut))
    {
        value.insert("learned".to_owned(), learned.clone());
    }
    let Some(value) = all.get("value").and_then(|v| serde_json::to_vec(v).ok()) else {
        return content.to_vec();
    };
    let step = |sum: u64, byte: &u8| {
        (sum.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    all.insert("checksum".to_owned(), json!(value.iter().fold(1, step)));
    serde_json::to_vec(&all).unwrap_or_default()
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (i, folder) in folders().iter().enumerate() {
        let files = folder.values().enumerate();
        seeds.extend(files.map(|(k, bytes)| [&[i as u8, k as u8], bytes.as_slice()].concat()));
    }
    seeds
}
