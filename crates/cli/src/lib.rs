//! The program `pellucid` as a library: what [`main`] runs, and what the experiments of the repository share with it
//! (`pellucid-bench`). To denoise clouds from Rust use the crate `pellucid`; this one follows the program, and changes
//! with it.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod args;
mod cmd;
pub mod failure;
pub mod interrupt;
pub mod output;
pub mod progress;
mod report;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;

pub use report::Head;

use pellucid_page::still as render;

/// Values of parameters, as they are written on the command line and in files.
pub mod parameters {
    pub use crate::cmd::denoise::parameters::{assignment, read_text};
}

/// The program: parses the command line, runs the command, and returns the code to end with.
pub fn main() -> ExitCode {
    interrupt::install();
    finish(run(Args::parse().command))
}

/// Says what went wrong, if anything; the code to end with.
pub fn finish(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = failure.message() {
                output::note(&format!("error: {message}"));
            }
            ExitCode::from(&failure)
        }
    }
}

/// Runs a command of the program, given as its arguments.
pub fn call(arguments: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    let all = std::iter::once(OsString::from("pellucid")).chain(arguments);
    run(Args::try_parse_from(all).map_err(Failure::input)?.command)
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Denoise(a) => cmd::denoise::run(&a),
        Command::Outliers(a) => cmd::outliers::run(&a),
        Command::Thin(a) => cmd::tools::thin::run(&a),
        Command::Crop(a) => cmd::tools::crop::run(&a),
        Command::Merge(a) => cmd::tools::merge::run(&a),
        Command::Split(a) => cmd::tools::split::run(&a),
        Command::Run(a) => cmd::run::run(&a),
        Command::Dedup(a) => cmd::tools::dedup::run(&a),
        Command::Normals(a) => cmd::tools::normals::run(&a),
        Command::Distance(a) => cmd::tools::distance::run(&a),
        Command::Noise(a) => cmd::noise::run(&a),
        Command::Compare(a) => cmd::compare::run(&a),
        Command::Info(a) => cmd::info::run(&a),
        Command::Convert(a) => cmd::convert::run(&a),
        Command::Render(mut a) => {
            a.inputs = cmd::in_folders(&a.inputs, a.quiet)?;
            cmd::render::run(&a)
        }
        Command::View(mut a) => {
            a.files = cmd::in_folders(&a.files, a.quiet)?;
            cmd::view::run(&a)
        }
        Command::Methods(a) => cmd::methods::run(&a),
        Command::Demo(a) => cmd::demo::run(&a),
        Command::Completions(a) => cmd::completions::run(&a),
        Command::Man(a) => cmd::man::run(&a),
    }
}
