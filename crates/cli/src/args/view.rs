//! The flags of `view`.

use std::path::PathBuf;

/// Arguments of `view`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The page is served to this computer only, at an address that cannot be \
                        guessed, until Ctrl-C. It is updated when a file changes.")]
pub struct View {
    /// Show these clouds together
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Show distances to this clean cloud
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// Print the address only; do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// Print nothing but errors and the address
    #[arg(short, long)]
    pub quiet: bool,
}
