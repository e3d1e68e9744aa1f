//! The folder beside the output where unfinished work is kept.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use pellucid_denoise::tiles::AutoParameters;
use pellucid_io::IoError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::store::{self, Checksum};
use super::{BigError, TiledJob, private};

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

/// Why work on a changed input is not gone on with.
pub(super) const CHANGED: &str = "the input has changed since";

/// What the work is done on and with: with anything else it must not be gone on with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Identity {
    program: String,
    input: String,
    bytes: u64,
    /// Nanoseconds since 1970 as text, since not every reader of JSON has such numbers.
    modified: String,
    parameters: AutoParameters,
    seed: u64,
}

impl Identity {
    pub fn of(job: &TiledJob, seed: u64) -> Result<Identity, BigError> {
        let path = &job.input;
        let failed = |e| BigError::file(path, e);
        let meta = fs::metadata(path).map_err(failed)?;
        let since = meta.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
        let input = fs::canonicalize(path).map_err(failed)?;
        Ok(Identity {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            input: input.display().to_string(),
            bytes: meta.len(),
            modified: since.map_or(String::new(), |d| d.as_nanos().to_string()),
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
        } else if (self.bytes, &self.modified) != (now.bytes, &now.modified) {
            Some(CHANGED)
        } else if self.parameters != now.parameters || self.seed != now.seed {
            Some("it was made with other parameters")
        } else {
            None
        }
    }
}

/// The work folder and the names in it. While it is held no other run can enter it.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder, or goes on with one that belongs to the same work.
    pub fn enter(job: &TiledJob, seed: u64) -> Result<Folder, BigError> {
        let root = work_folder(&job.output);
        let now = Identity::of(job, seed)?;
        let here = || root.display().to_string();
        let failed = |e: io::Error| match e.kind() {
            // The name of the folder is longer than that of the output.
            io::ErrorKind::InvalidFilename => {
                IoError::OutputName { file: job.output.display().to_string(), source: e }.into()
            }
            _ => BigError::file(&root, e),
        };
        let is_there = fs::symlink_metadata(&root).is_ok();
        if is_there {
            if let Some(fault) = private::fault_of_folder(&root).map_err(failed)? {
                return Err(BigError::Foreign { folder: here(), fault });
            }
        } else if job.resume {
            return Err(BigError::NothingToResume { folder: here() });
        } else {
            // Whoever comes upon the folder finds both in it.
            let job = sealed(&now).map_err(|e| failed(e.into()))?;
            let fill = |folder: &Path| {
                private::create(&folder.join(LOCK))?;
                private::create(&folder.join(IDENTITY))?.write_all(&job)
            };
            private::make_folder(&root, fill).map_err(failed)?;
        }
        let lock = match private::lock(&root.join(LOCK)) {
            Ok(Some(lock)) => lock,
            Ok(None) => return Err(BigError::Busy { folder: here() }),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(not_ours(here())),
            Err(e) => return Err(failed(e)),
        };
        let folder = Folder { root, _lock: lock };
        let old: Option<Identity> = folder.load(&folder.identity())?;
        let Some(old) = old else { return Err(not_ours(folder.name())) };
        if is_there && !job.resume {
            return Err(BigError::Unfinished { folder: folder.name() });
        }
        match old.differs(&now) {
            Some(fault) => Err(folder.refused(fault)),
            None => Ok(folder),
        }
    }

    /// The work in the folder cannot be used.
    pub fn refused(&self, fault: impl Into<String>) -> BigError {
        BigError::Other { folder: self.name(), fault: fault.into() }
    }

    pub fn name(&self) -> String {
        self.root.display().to_string()
    }

    pub fn identity(&self) -> PathBuf {
        self.root.join(IDENTITY)
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

    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Reads what [`save`](Self::save) wrote; `None` if there is nothing.
    pub fn load<T: Serialize + DeserializeOwned>(
        &self,
        path: &Path,
    ) -> Result<Option<T>, BigError> {
        let mut bytes = Vec::new();
        match private::open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(BigError::file(path, e)),
            Ok(_) => {}
        }
        match unsealed(&bytes) {
            Ok(value) => Ok(Some(value)),
            Err(e) => Err(self.refused(format!("{} is damaged ({e})", path.display()))),
        }
    }

    pub fn save(&self, path: &Path, value: &impl Serialize) -> Result<(), BigError> {
        let bytes = sealed(value).map_err(|e| BigError::file(path, e.into()))?;
        store::whole(path, |out| out.write_all(&bytes).map_err(|e| BigError::file(path, e)))
    }

    /// Removes the folder if the cloud is at fault: then there is nothing to resume.
    pub fn unless_at_fault<T>(&self, result: Result<T, BigError>) -> Result<T, BigError> {
        if result.as_ref().is_err_and(BigError::is_of_the_cloud) {
            // The first error is the one to report.
            let _ = self.remove();
        }
        result
    }

    pub fn remove(&self) -> Result<(), BigError> {
        fs::remove_dir_all(&self.root).map_err(|e| BigError::file(&self.root, e))
    }
}

const LOCK: &str = "lock";
const IDENTITY: &str = "job.json";

fn not_ours(folder: String) -> BigError {
    let fault = format!("there is no {IDENTITY} or no {LOCK} in it");
    BigError::Foreign { folder, fault }
}

/// A value with a checksum: whatever is changed in the file, it is not used.
#[derive(Serialize, Deserialize)]
struct Sealed<T> {
    checksum: u64,
    value: T,
}

fn checksum(value: &impl Serialize) -> serde_json::Result<u64> {
    let mut sum = Checksum::new();
    sum.add(serde_json::to_vec(value)?.into_iter().map(u64::from));
    Ok(sum.0)
}

fn sealed(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec_pretty(&Sealed { checksum: checksum(value)?, value })
}

fn unsealed<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let Sealed { checksum: sum, value } =
        serde_json::from_slice::<Sealed<T>>(bytes).map_err(|e| e.to_string())?;
    match checksum(&value) {
        Ok(found) if found == sum => Ok(value),
        _ => Err("its checksum does not match".to_owned()),
    }
}
