//! A cell in a process of its own: its memory is then its own too, whatever runs beside it.

use std::env;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cells::Cell;
use super::data::Subject;
use super::item::{Item, ItemOrder};
use super::measure::{Bench, Measured};
use super::results::Stopped;
use super::views::Views;
use pellucid_cli::failure::Failure;
use pellucid_cli::{interrupt, output};

/// How often to check whether the other process has ended.
const CHECK: Duration = Duration::from_millis(20);

/// What the other process reads from stdin.
#[derive(Serialize, Deserialize)]
struct Order {
    item: Option<ItemOrder>,
    subject: Subject,
    stops: Vec<Stopped>,
    fingerprint: String,
    seed: u64,
    threads: usize,
    views: Option<Views>,
}

/// Runs a cell in another process.
pub fn run(
    cell: &Cell,
    seed: u64,
    threads: usize,
    views: Option<&Views>,
) -> Result<Measured, Failure> {
    let order = Order {
        item: cell.item.as_ref().map(Item::order),
        subject: cell.subject.clone(),
        stops: cell.stops.clone(),
        fingerprint: cell.fingerprint.clone(),
        seed,
        threads,
        views: views.cloned(),
    };
    let text = ask(itself("cell")?, &order, &cell.name())?;
    serde_json::from_str(&text).map_err(Failure::work)
}

/// This program again, with a hidden command.
pub fn itself(command: &str) -> Result<Command, Failure> {
    let mut out = Command::new(
        program().map_err(|e| Failure::work(format!("the program cannot be run again: {e}")))?,
    );
    out.arg(command);
    Ok(out)
}

/// Runs a program that reads its order from stdin, and returns what it writes to stdout.
pub fn ask(mut program: Command, order: &impl Serialize, name: &str) -> Result<String, Failure> {
    let order = serde_json::to_vec(order).map_err(Failure::work)?;
    let fault = |e: std::io::Error| Failure::work(format!("{name}: cannot be run: {e}"));
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(fault)?;
    let sent = child.stdin.take().map(|mut pipe| pipe.write_all(&order));
    let answer = child.stdout.take().map(|mut pipe| {
        thread::spawn(move || {
            let mut text = String::new();
            pipe.read_to_string(&mut text).map(|_| text)
        })
    });
    let code = wait(&mut child)?;
    let answer = answer.and_then(|a| a.join().ok()).transpose().map_err(fault)?;
    match (code, answer) {
        (Some(0), Some(text)) => Ok(text),
        (Some(130), _) => Err(Failure::Interrupted),
        // It has said on stderr what was wrong.
        _ => {
            sent.transpose().map_err(fault)?;
            Err(Failure::work(format!("{name} failed")))
        }
    }
}

/// Waits for the end; on Ctrl-C ends it.
fn wait(child: &mut Child) -> Result<Option<i32>, Failure> {
    loop {
        if let Some(status) = child.try_wait().map_err(Failure::work)? {
            return Ok(status.code());
        }
        if interrupt::check().is_err() {
            // It may have ended by itself in the meantime.
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::Interrupted);
        }
        thread::sleep(CHECK);
    }
}

/// This program, also when its file has been replaced since it was started.
fn program() -> std::io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    if own.exists() { Ok(own.to_owned()) } else { env::current_exe() }
}

/// The other side: reads the order from stdin.
pub fn order<T: DeserializeOwned>(by: &str) -> Result<T, Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(Failure::input)?;
    serde_json::from_str(&text)
        .map_err(|e| Failure::input(format!("this command is for `{by}` only: {e}")))
}

/// Threads for what was ordered.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|e| Failure::work(format!("cannot start threads: {e}")))
}

/// The other side: reads an order on stdin, answers on stdout.
pub fn obey() -> Result<(), Failure> {
    let Order { item, subject, stops, fingerprint, seed, threads, views } = order("paper")?;
    let item = item.map(Item::from_order).transpose()?;
    let cell = Cell { item, subject, stops, fingerprint };
    let pool = pool(threads)?;
    let measured = interrupt::listening(|cancel| Bench { seed, cancel, views }.cell(&pool, &cell))?;
    output::print(&serde_json::to_string(&measured).map_err(Failure::work)?)
}
