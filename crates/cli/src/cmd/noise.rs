//! `pellucid noise`.

use pellucid::cloud::attribute::names;
use pellucid::cloud::synth::add_noise;
use pellucid::io::WriteOptions;

use super::jobs::{self, Job, Request};
use super::streams;
use crate::args::Noise;
use crate::failure::{Failure, naming};
use crate::progress::Show;

pub fn run(args: &Noise) -> Result<(), Failure> {
    let jobs = jobs::plan(&Request {
        inputs: &args.inputs,
        output: &args.output,
        recursive: args.recursive,
        streams: &args.streams,
        quiet: args.quiet,
        makes_folders: true,
        forbid: Vec::new(),
    })?;
    for job in &jobs {
        streams::check(&job.input, &job.output, &job.streams, &options(args, job))?;
    }
    jobs::each(&jobs, |job| one(args, job))
}

fn options(args: &Noise, job: &Job) -> WriteOptions {
    WriteOptions {
        overwrite: args.overwrite,
        forbid: job.forbid.clone(),
        las_scale: args.streams.las_scale,
        ..WriteOptions::default()
    }
}

fn one(args: &Noise, job: &Job) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    let mut document = streams::read(&job.input, job.streams.in_format.as_deref(), show)?;
    let fault = |e| Failure::input(naming(streams::source_name(&job.input), e));
    let sigma = args.scale.sigma(document.cloud.positions(), args.level).map_err(fault)?;
    document.cloud = add_noise(&document.cloud, args.model, sigma, args.seed).map_err(fault)?;
    if !args.keep_normals {
        document.cloud.remove_attribute(names::NORMAL);
    }
    let format = job.streams.format.as_deref();
    streams::write(&job.output, format, &document, &options(args, job), show)?;
    streams::say(&job.output, args.quiet, &format!("standard deviation {sigma:.6} file units\n"))
}
