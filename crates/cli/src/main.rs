//! The `pellucid` program.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod args;
mod classes;
mod cmd;
mod failure;
mod fates;
mod interrupt;
mod output;
mod progress;
mod render;
mod report;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    interrupt::install();
    match run(Args::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = failure.message() {
                output::note(&format!("error: {message}"));
            }
            ExitCode::from(&failure)
        }
    }
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
        Command::Bench(a) => cmd::bench::run(&a),
        Command::Completions(a) => cmd::completions::run(&a),
        Command::Man(a) => cmd::man::run(&a),
    }
}
