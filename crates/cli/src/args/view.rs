//! The flags of `view`.

use std::path::PathBuf;

/// Arguments of `view`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The page is served to this computer only, at an address that cannot be \
                        guessed, until Ctrl-C. It is updated when a file changes.")]
pub struct View {
    /// The clouds to show, together
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// A clean cloud: distances to it can be shown
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// Only print the address; open no browser
    #[arg(long)]
    pub no_open: bool,
    /// Say nothing but errors and the address
    #[arg(short, long)]
    pub quiet: bool,
}
