//! Studies of the default method.
#![allow(clippy::print_stdout)]

mod eval;

use clap::{Parser, Subcommand};

/// Measure, fit and take apart the default method.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure a method on folders of clean and noisy clouds.
    Eval(eval::Args),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match Args::parse().command {
        Command::Eval(args) => eval::run(&args),
    }
}
