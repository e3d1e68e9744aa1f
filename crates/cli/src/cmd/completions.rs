//! `pellucid completions`.

use clap::CommandFactory;

use crate::args::{Args, Completions};
use crate::failure::Failure;
use crate::output;

pub fn run(args: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "pellucid", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
