//! `plat segment`.

use crate::args::SegmentArgs;
use crate::failure::Failure;
use crate::output::directory::write_whole;
use crate::pipeline;
use plat_segments::Unify;
use std::process::ExitCode;

pub(super) fn execute(args: &SegmentArgs) -> Result<ExitCode, Failure> {
    let unify = if args.unify_all {
        Unify::All
    } else {
        Unify::Dereferenced
    };
    let map = pipeline::segment(&args.input, &args.points_to, unify)?;
    write_whole(&args.output, map.to_json().as_bytes())?;
    if args.print {
        print!("{map}");
    }
    Ok(ExitCode::SUCCESS)
}
