//! `pellucid noise`.

use pellucid::cloud::attribute::names;
use pellucid::cloud::synth::add_noise;
use pellucid::io::WriteOptions;

use super::streams;
use crate::args::Noise;
use crate::failure::{Failure, naming};
use crate::progress::Show;

pub fn run(args: &Noise) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    let options = WriteOptions {
        overwrite: args.overwrite,
        forbid: vec![args.input.clone()],
        las_scale: args.streams.las_scale,
        ..WriteOptions::default()
    };
    streams::check(&args.input, &args.output, &args.streams, &options)?;
    let mut document = streams::read(&args.input, args.streams.in_format.as_deref(), show)?;
    let fault = |e| Failure::input(naming(streams::source_name(&args.input), e));
    let sigma = args.scale.sigma(document.cloud.positions(), args.level).map_err(fault)?;
    document.cloud = add_noise(&document.cloud, args.model, sigma, args.seed).map_err(fault)?;
    if !args.keep_normals {
        document.cloud.remove_attribute(names::NORMAL);
    }
    streams::write(&args.output, args.streams.format.as_deref(), &document, &options, show)?;
    streams::say(&args.output, args.quiet, &format!("standard deviation {sigma:.6} file units\n"))
}
