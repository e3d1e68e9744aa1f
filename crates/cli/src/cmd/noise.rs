//! `pellucid noise`.

use pellucid::cloud::attribute::names;
use pellucid::cloud::synth::add_noise;
use pellucid::io::{self, WriteOptions};

use crate::args::Noise;
use crate::failure::{Failure, naming};
use crate::progress::Show;

pub fn run(args: &Noise) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    let options = WriteOptions {
        overwrite: args.overwrite,
        forbid: vec![args.input.clone()],
        ..WriteOptions::default()
    };
    io::check_output(&args.output, &options)?;
    let mut document = super::read(&args.input, show)?;
    let fault = |e| Failure::input(naming(&args.input, e));
    let sigma = args.scale.sigma(document.cloud.positions(), args.level).map_err(fault)?;
    document.cloud = add_noise(&document.cloud, args.model, sigma, args.seed).map_err(fault)?;
    if !args.keep_normals {
        document.cloud.remove_attribute(names::NORMAL);
    }
    super::write(&args.output, &document, &options, show)?;
    super::say(args.quiet, &format!("standard deviation {sigma:.6} file units\n"))
}
