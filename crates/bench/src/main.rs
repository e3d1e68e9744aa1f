//! Experiments of papers, speed, studies of the default method, and attacks on the program.
#![allow(clippy::print_stdout)]

mod attack;
mod eval;
mod experiments;
mod fit;
mod sweep;

use std::process::ExitCode;

use attack::{hostile, mutate, soak};
use clap::{Parser, Subcommand};
use experiments::args::{PaperArgs, SpeedArgs};
use pellucid_cli::failure::Failure;
use pellucid_cli::{finish, interrupt};

/// Repeat published experiments, measure speed, study the default method, attack the program.
#[derive(Parser)]
#[command(name = "pellucid-bench", version, arg_required_else_help = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The tables of the feature graph learning paper, beside the published numbers
    Paper(PaperArgs),
    /// Time and memory of methods against the number of points
    Speed(SpeedArgs),
    /// One cell of the tables, described on stdin: what `paper` starts
    #[command(hide = true)]
    Cell,
    /// One run of one method, described on stdin: what `speed` starts
    #[command(hide = true)]
    SpeedRun,
    /// Measure a method on folders of clean and noisy clouds.
    Eval(eval::Args),
    /// Fit constants of the default method on generated shapes.
    Fit(fit::Args),
    /// Compare all methods on generated shapes, samplings and noises.
    Sweep(sweep::Args),
    /// Run the program on thousands of changed files of all formats.
    Mutate(mutate::Args),
    /// Run every method and preset of the program on clouds of hostile numbers.
    Hostile(hostile::Args),
    /// Run the program on random files with random options and kills, for some time.
    Soak(soak::Args),
}

fn main() -> ExitCode {
    let plain = |done: Result<(), Box<dyn std::error::Error>>| done.map_err(Failure::work);
    finish(match Args::parse().command {
        Command::Paper(args) => orderly(|| experiments::paper(&args)),
        Command::Speed(args) => orderly(|| experiments::speed(&args)),
        Command::Cell => orderly(experiments::cell),
        Command::SpeedRun => orderly(experiments::speed_run),
        Command::Eval(args) => plain(eval::run(&args)),
        Command::Fit(args) => plain(fit::run(&args)),
        Command::Sweep(args) => plain(sweep::run(&args)),
        Command::Mutate(args) => plain(mutate::run(&args)),
        Command::Hostile(args) => plain(hostile::run(&args)),
        Command::Soak(args) => plain(soak::run(&args)),
    })
}

/// Runs what ends in order after Ctrl-C.
fn orderly(job: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    interrupt::install();
    job()
}
