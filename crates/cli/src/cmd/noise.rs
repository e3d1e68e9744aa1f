//! `pellucid noise`.

use pellucid::Run;
use pellucid::big::Large;
use pellucid::cloud::attribute::names;
use pellucid::cloud::synth::add_noise;

use super::tools;
use crate::args::Noise;
use crate::failure::{Failure, naming};

pub fn run(args: &Noise) -> Result<(), Failure> {
    let pieces =
        |_: &Large, _: &mut Run| Err(Failure::input("noise cannot be added with --memory"));
    tools::change(&args.files, "adding noise", &pieces, |document, name| {
        let fault = |e| Failure::input(naming(name, e));
        let sigma = args.scale.sigma(document.cloud.positions(), args.level).map_err(fault)?;
        document.cloud = add_noise(&document.cloud, args.model, sigma, args.seed).map_err(fault)?;
        if !args.keep_normals {
            document.cloud.remove_attribute(names::NORMAL);
        }
        Ok(format!("standard deviation {sigma:.6} file units"))
    })
}
