//! Other programs on the same files, through Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::super::apart;
use super::table::Measured;
use pellucid_cli::failure::Failure;

/// Names the Python to use.
const VARIABLE: &str = "PELLUCID_PEERS_PYTHON";
/// Where `bench/peers.sh` puts one, seen from the repository.
const MADE: &str = "bench/peers-venv/bin/python";
/// The other side.
const SCRIPT: &str = include_str!("peers.py");
const HOW: &str = "run bench/peers.sh, or name a Python that has them in PELLUCID_PEERS_PYTHON";

/// Another program's method.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Peer {
    /// As the script knows it.
    pub tool: String,
    /// For people, with its version.
    pub name: String,
}

/// What there is to compare with.
#[derive(Debug, Default)]
pub struct Peers {
    pub peers: Vec<Peer>,
    /// What is missing, and why.
    pub notes: Vec<String>,
    python: PathBuf,
}

/// The order for the script.
#[derive(Serialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Order<'a> {
    List,
    Run { tool: &'a str, file: &'a Path, threads: usize },
}

#[derive(Deserialize)]
struct List {
    peers: Vec<Peer>,
    missing: Vec<String>,
}

#[derive(Deserialize)]
struct Spent {
    cpu_seconds: f64,
    wall_seconds: f64,
}

/// Looks for a Python and asks what it has; to find nothing is no failure.
pub fn find() -> Result<Peers, Failure> {
    let named = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()).map(PathBuf::from);
    let python = named.unwrap_or_else(|| PathBuf::from(MADE));
    let nothing = |why: String| Peers {
        notes: vec![format!("no other program was run: {why}; {HOW}")],
        ..Peers::default()
    };
    if !python.is_file() {
        return Ok(nothing(format!("{} is not there", python.display())));
    }
    let mut found = Peers { python, ..Peers::default() };
    let text = match apart::ask(found.command(None), &Order::List, "the list of other programs") {
        Err(Failure::Interrupted) => return Err(Failure::Interrupted),
        Err(e) => return Ok(nothing(e.message().unwrap_or_default().to_owned())),
        Ok(text) => text,
    };
    match serde_json::from_str::<List>(&text) {
        Err(e) => {
            Ok(nothing(format!("{} answers what is not a list: {e}", found.python.display())))
        }
        Ok(list) => {
            found.peers = list.peers;
            found.notes = list.missing.iter().map(|m| format!("not run: {m}; {HOW}")).collect();
            Ok(found)
        }
    }
}

impl Peers {
    /// Measures in another process; its memory would be mostly Python's and is not reported.
    pub fn run(
        &self,
        peer: &Peer,
        file: &Path,
        threads: usize,
        title: &str,
    ) -> Result<Measured, Failure> {
        let order = Order::Run { tool: &peer.tool, file, threads };
        let text = apart::ask(self.command(Some(threads)), &order, title)?;
        let spent: Spent = serde_json::from_str(&text).map_err(Failure::work)?;
        Ok(Measured {
            cpu: spent.cpu_seconds,
            wall: spent.wall_seconds,
            unit: None,
            peak: None,
            steps: Default::default(),
        })
    }

    fn command(&self, threads: Option<usize>) -> Command {
        let mut out = Command::new(&self.python);
        out.args(["-c", SCRIPT]);
        if let Some(n) = threads {
            out.env("OMP_NUM_THREADS", n.to_string());
        }
        out
    }
}
