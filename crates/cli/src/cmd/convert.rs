//! `pellucid convert`.

use pellucid::io::{self, WriteOptions};

use crate::args::Convert;
use crate::failure::Failure;
use crate::progress::Show;

pub fn run(args: &Convert) -> Result<(), Failure> {
    let show = Show::new(args.quiet);
    let options = WriteOptions {
        overwrite: args.overwrite,
        encoding: args.encoding.map(Into::into),
        forbid: vec![args.input.clone()],
    };
    io::check_output(&args.output, &options)?;
    let document = super::read(&args.input, show)?;
    super::write(&args.output, &document, &options, show)?;
    Ok(())
}
