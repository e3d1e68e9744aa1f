//! The program under test, with limits on its time and memory.

use std::error::Error;
use std::ffi::OsStr;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Seconds of processor time that a run may take, and of the clock, which is for runs that wait.
const CPU_SECONDS: u64 = 10;
const SECONDS: u64 = 600;
/// Kilobytes of address space: the program with its threads, the 64 MiB that any file may take, and
/// what a method takes for a few hundred points. Files are small enough for four times their size
/// not to matter.
const KILOBYTES: u64 = 320 << 10;

/// Where the program is.
pub struct Program(PathBuf);

/// What a run did.
pub struct Ran {
    pub status: ExitStatus,
    pub stderr: String,
}

impl Program {
    /// The given one, or the one beside this program.
    pub fn find(given: Option<&PathBuf>) -> Result<Program, Box<dyn Error>> {
        let path = match given {
            Some(path) => path.clone(),
            None => std::env::current_exe()?.with_file_name("pellucid"),
        };
        let path = path.canonicalize().map_err(|e| {
            format!("{}: {e}; build it with cargo build --release -p pellucid-cli", path.display())
        })?;
        Ok(Program(path))
    }

    /// Starts the program in a shell that sets the limits and becomes the program.
    pub fn start<S: AsRef<OsStr>>(&self, args: &[S]) -> std::io::Result<Child> {
        let limits = format!("ulimit -t {CPU_SECONDS}; ulimit -v {KILOBYTES}; exec \"$0\" \"$@\"");
        Command::new("sh")
            .args(["-c", &limits])
            .arg(&self.0)
            .args(args)
            // Each thread's own arena would take address space that nobody uses.
            .env("MALLOC_ARENA_MAX", "1")
            .env("RAYON_NUM_THREADS", "2")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
    }

    /// Runs the program to its end.
    pub fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> std::io::Result<Ran> {
        end_of(self.start(args)?)
    }
}

/// Waits for a run, and ends one that waits for ever.
pub fn end_of(mut child: Child) -> std::io::Result<Ran> {
    let mut pipe = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.as_mut().map(|p| p.read_to_end(&mut bytes));
        read.transpose().map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > Duration::from_secs(SECONDS) {
            child.kill()?;
        }
        // Seldom for long runs: on a busy machine frequent looks take as much time as the program.
        let pause = start.elapsed() / 10;
        std::thread::sleep(pause.clamp(Duration::from_millis(2), Duration::from_millis(200)));
    };
    let stderr = reader.join().unwrap_or_else(|_| Ok(String::new()))?;
    Ok(Ran { status, stderr })
}

impl Ran {
    /// What is wrong with a run that was left alone: it must end with 0, or with 2 and a message.
    pub fn fault(&self) -> Option<String> {
        let fault = match self.status.code() {
            None => format!("{} (no memory, too much time, or an abort)", self.status),
            Some(0 | 2) if self.stderr.contains("panicked") => "a panic was printed".to_owned(),
            Some(0) => return None,
            Some(2) if self.stderr.contains("error: ") => return None,
            Some(2) => "exit code 2 without a message".to_owned(),
            Some(code) => format!("exit code {code}"),
        };
        Some(format!("{fault}: {}", self.stderr.trim()))
    }
}
