//! Denoises a file with the default method.
//!
//! ```text
//! cargo run --release -p pellucid --example denoise_file -- noisy.ply clean.ply
//! ```

use std::error::Error;
use std::path::PathBuf;

use pellucid::Run;
use pellucid::denoise::registry;
use pellucid::io::{self, Document, WriteOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [input, output] = paths.as_slice() else {
        return Err("give an input and an output".into());
    };
    let document = io::read(input)?;
    let method = registry::find(registry::DEFAULT)?.build(None, &Default::default())?;
    let result = method.denoise(&document.cloud, &mut Run::default())?;
    eprintln!("{} iterations, stopped: {:?}", result.iterations, result.stop);

    // The source goes along, so that everything else in the file is kept.
    let clean = Document { cloud: result.cloud, source: document.source };
    let options = WriteOptions { forbid: vec![input.clone()], ..WriteOptions::default() };
    io::write(output, &clean, &options)?;
    Ok(())
}
