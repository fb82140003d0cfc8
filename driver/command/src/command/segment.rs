//! `plat segment`.

use crate::args::SegmentArgs;
use crate::helpers;
use crate::say::{say, sayln};
use plat::Error;
use plat::output::directory::write_whole;
use plat::pipeline;
use plat_pointers::PointsTo;
use plat_program::Program;
use plat_segments::explain::{Joins, named, narrate, place};
use plat_segments::{SegmentMap, Unify, partition};
use std::process::ExitCode;

/// How many of the instructions that unite most are printed.
const MOST: usize = 10;

pub(super) fn execute(args: &SegmentArgs) -> Result<ExitCode, Error> {
    let program = pipeline::read(&helpers::processes()?, &args.input)?;
    let sets = pipeline::analyzed(&program, &args.points_to)?;
    let mut map = partition(&program, &sets, args.unify);
    map.note_unions(&program, &sets);
    if let Some(output) = &args.output {
        write_whole(output, map.to_json().as_bytes())?;
    }
    if let Some(dot) = &args.dot {
        write_whole(dot, map.to_dot().as_bytes())?;
    }
    if let Some(html) = &args.html {
        write_whole(html, map.to_html().as_bytes())?;
    }
    if args.print {
        say!("{map}");
    }
    if args.stats {
        statistics(&program, &sets, &map);
    }
    if let [from, to] = args.explain.as_slice() {
        explain(&program, &sets, &map, from, to)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn statistics(program: &Program, sets: &PointsTo, map: &SegmentMap) {
    sayln!(
        "{:<14} {:>6} {:>9} {:>7} {:>8} {:>6}",
        "united",
        "sites",
        "contexts",
        "groups",
        "largest",
        "alone"
    );
    for (name, unify) in Unify::ALL {
        let map = partition(program, sets, unify);
        let sizes = map.sizes();
        let grouped: usize = sizes.iter().sum();
        sayln!(
            "{name:<14} {:>6} {:>9} {:>7} {:>8} {:>6}",
            map.allocating_sites(),
            map.contexts.len(),
            map.groups,
            sizes.iter().max().unwrap_or(&0),
            map.contexts.len() - grouped,
        );
    }
    sayln!("what unites most ({}):", map.unify.name());
    let joins = Joins::new(sets, map);
    for (size, inst) in joins.greatest().into_iter().take(MOST) {
        sayln!("{size:>6} contexts: {}", place(program, inst));
    }
}

fn explain(
    program: &Program,
    sets: &PointsTo,
    map: &SegmentMap,
    from: &str,
    to: &str,
) -> Result<(), Error> {
    let find = |text: &str| {
        let found = named(map, text);
        match found.is_empty() {
            true => Err(Error::input(format!(
                "no allocation context has a call `{text}`; `plat segment --print` lists them"
            ))),
            false => Ok(found),
        }
    };
    let (from, to) = (find(from)?, find(to)?);
    match Joins::new(sets, map).chain(&from, &to) {
        Some(links) if links.is_empty() => sayln!("they are the same allocation context"),
        Some(links) => say!("{}", narrate(program, map, &links)),
        None => sayln!("nothing unites them"),
    }
    Ok(())
}
