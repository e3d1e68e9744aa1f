//! Studies of the default method, and attacks on the program.
#![allow(clippy::print_stdout)]

mod attack;
mod eval;
mod fit;
mod sweep;

use attack::{mutate, soak};
use clap::{Parser, Subcommand};

/// Measure, fit and take apart the default method; attack the program.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure a method on folders of clean and noisy clouds.
    Eval(eval::Args),
    /// Fit constants of the default method on generated shapes.
    Fit(fit::Args),
    /// Compare all methods on generated shapes, samplings and noises.
    Sweep(sweep::Args),
    /// Run the program on thousands of changed files of all formats.
    Mutate(mutate::Args),
    /// Run the program on random files with random options and kills, for some time.
    Soak(soak::Args),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Args::parse().command {
        Command::Eval(args) => eval::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Mutate(args) => mutate::run(&args),
        Command::Soak(args) => soak::run(&args),
    }
}
