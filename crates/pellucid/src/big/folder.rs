//! The folder beside the output where unfinished work is kept.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use pellucid_denoise::tiles::AutoParameters;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{BigError, Job, store};

/// Bytes at the start of the input that tell it from another one.
const HEAD: u64 = 1 << 16;

/// Where work towards `output` is kept until it is finished.
///
/// ```
/// let folder = pellucid::big::work_folder("scans/out.laz".as_ref());
/// assert_eq!(folder, std::path::Path::new("scans/.out.laz.pellucid-work"));
/// ```
pub fn work_folder(output: &Path) -> PathBuf {
    let name = output.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    output.with_file_name(format!(".{name}.pellucid-work"))
}

/// What the work is done on and with: with anything else it must not be gone on with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Identity {
    program: String,
    input: String,
    bytes: u64,
    /// Nanoseconds since 1970 as text, since not every reader of JSON has such numbers.
    modified: String,
    /// A checksum of the first bytes.
    head: u64,
    parameters: AutoParameters,
    seed: u64,
}

impl Identity {
    pub fn of(job: &Job, seed: u64) -> Result<Identity, BigError> {
        let path = &job.input;
        let failed = |e| BigError::file(path, e);
        let meta = fs::metadata(path).map_err(failed)?;
        let since = meta.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
        let mut head = Vec::new();
        File::open(path).and_then(|f| f.take(HEAD).read_to_end(&mut head)).map_err(failed)?;
        // FNV-1a.
        let sum = head.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3)
        });
        let input = fs::canonicalize(path).map_err(failed)?;
        Ok(Identity {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            input: input.display().to_string(),
            bytes: meta.len(),
            modified: since.map_or(String::new(), |d| d.as_nanos().to_string()),
            head: sum,
            parameters: job.parameters.clone(),
            seed,
        })
    }

    /// What keeps work on `self` from being gone on with as `now`.
    fn differs(&self, now: &Identity) -> Option<&'static str> {
        if self.program != now.program {
            Some("it was made by another version of the program")
        } else if self.input != now.input {
            Some("it was made for another input")
        } else if (self.bytes, &self.modified, self.head) != (now.bytes, &now.modified, now.head) {
            Some("the input has changed since")
        } else if self.parameters != now.parameters || self.seed != now.seed {
            Some("it was made with other parameters")
        } else {
            None
        }
    }
}

/// The work folder and the names in it.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Makes the folder, or goes on with one that belongs to the same work.
    pub fn enter(job: &Job, seed: u64) -> Result<Folder, BigError> {
        let folder = Folder { root: work_folder(&job.output) };
        let now = Identity::of(job, seed)?;
        let here = folder.name();
        if !folder.root.exists() {
            if job.resume {
                return Err(BigError::NothingToResume { folder: here });
            }
            fs::create_dir(&folder.root).map_err(|e| BigError::file(&folder.root, e))?;
        }
        match folder.load::<Identity>(&folder.identity())? {
            // New, or stopped before anything was done.
            None => folder.save(&folder.identity(), &now)?,
            Some(_) if !job.resume => return Err(BigError::Unfinished { folder: here }),
            Some(old) => {
                if let Some(fault) = old.differs(&now) {
                    return Err(BigError::Other { folder: here, fault: fault.to_owned() });
                }
            }
        }
        Ok(folder)
    }

    pub fn name(&self) -> String {
        self.root.display().to_string()
    }

    pub fn identity(&self) -> PathBuf {
        self.root.join("job.json")
    }

    pub fn plan(&self) -> PathBuf {
        self.root.join("plan.json")
    }

    pub fn positions(&self) -> PathBuf {
        self.root.join("positions.bin")
    }

    /// Is there once all points are with their tiles.
    pub fn sorted(&self) -> PathBuf {
        self.root.join("sorted")
    }

    pub fn core(&self, tile: usize) -> PathBuf {
        self.root.join(format!("tile-{tile}-core.bin"))
    }

    pub fn around(&self, tile: usize) -> PathBuf {
        self.root.join(format!("tile-{tile}-around.bin"))
    }

    pub fn done(&self, tile: usize) -> PathBuf {
        self.root.join(format!("tile-{tile}-done.bin"))
    }

    pub fn output(&self) -> PathBuf {
        self.root.join("output.part")
    }

    /// Reads what [`save`](Self::save) wrote; `None` if there is nothing.
    pub fn load<T: DeserializeOwned>(&self, path: &Path) -> Result<Option<T>, BigError> {
        match fs::read(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(BigError::file(path, e)),
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| BigError::Other {
                folder: self.name(),
                fault: format!("{} is damaged ({e})", path.display()),
            }),
        }
    }

    pub fn save(&self, path: &Path, value: &impl Serialize) -> Result<(), BigError> {
        let failed = |e: serde_json::Error| BigError::file(path, e.into());
        let bytes = serde_json::to_vec_pretty(value).map_err(failed)?;
        store::whole(path, |out| out.write_all(&bytes).map_err(|e| BigError::file(path, e)))
    }

    pub fn remove(&self) -> Result<(), BigError> {
        fs::remove_dir_all(&self.root).map_err(|e| BigError::file(&self.root, e))
    }
}
