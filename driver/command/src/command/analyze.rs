//! `plat analyze`.

use crate::args::AnalyzeArgs;
use crate::helpers;
use crate::say::{note, say, sayln};
use crate::watch::Watch;
use plat::Error;
use plat::output::directory::write_whole;
use plat::pipeline;
use plat_pointers::analyze::Clock;
use plat_pointers::claims::{self, Claim};
use plat_pointers::{Algorithm, PointsToConfig};
use std::process::ExitCode;

pub(super) fn execute(args: &AnalyzeArgs) -> Result<ExitCode, Error> {
    let config = PointsToConfig {
        algorithm: algorithm(&args.algorithm)?,
        check: args.check,
        budget: args.budget.analysis_budget,
        ..PointsToConfig::default()
    };
    if args.check_aliases {
        let code = check_aliases(args, &config)?;
        if args.output.is_none() || code != ExitCode::SUCCESS {
            return Ok(code);
        }
    }
    let processes = helpers::processes()?;
    let mut clock = Clock::start();
    let program = pipeline::read(&processes, &args.input)?;
    clock.ended("reading");
    let mut sets = pipeline::analyze(&program, &config)?;
    for line in pipeline::coarseness(&sets, config.budget) {
        note!("plat: WARNING: {line}");
    }
    clock.go_on(std::mem::take(&mut sets.statistics.stages));
    if let Some(output) = &args.output {
        write_whole(output, sets.to_json().as_bytes())?;
        clock.ended("writing");
    }
    sets.statistics.stages = clock.stages;
    if args.stats {
        say!("{}", sets.statistics);
        let peak = plat::resident::peak();
        sayln!("memory: {} MiB at most", peak >> 20);
    }
    if args.print {
        say!("{}", plat_pointers::report::text::listing(&program, &sets));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a line for each claim of the program, and how many hold.
fn check_aliases(args: &AnalyzeArgs, config: &PointsToConfig) -> Result<ExitCode, Error> {
    let watch = Watch::unbounded()?;
    let scratch = watch.scratch()?;
    let program = pipeline::read_lowered(&helpers::processes()?, &args.input, &scratch)?;
    let claims = claims::check(&program, config).map_err(Error::analysis)?;
    for claim in &claims {
        sayln!("{}", line(claim));
    }
    let count = |which: fn(&Claim) -> bool| claims.iter().filter(|claim| which(claim)).count();
    let (unsound, imprecise) = (count(Claim::unsound), count(Claim::imprecise));
    let holding = count(|claim| claim.holds);
    let expected = claims.len() - holding - unsound - imprecise;
    sayln!(
        "{} claims: {holding} hold, {unsound} unsound, {imprecise} imprecise, \
         {expected} failing as expected",
        claims.len()
    );
    match unsound > 0 || args.strict && imprecise > 0 {
        true => Ok(ExitCode::FAILURE),
        false => Ok(ExitCode::SUCCESS),
    }
}

fn line(claim: &Claim) -> String {
    let place = match claim.line {
        0 => claim.function.clone(),
        line => format!("{}:{line}", claim.file),
    };
    let answer = match claim {
        _ if claim.holds && claim.expected_failure => "holds, against expectation".to_string(),
        _ if claim.holds => "holds".to_string(),
        _ if claim.expected_failure => "fails, as expected".to_string(),
        _ if !claim.reached => "FAILS: the analysis finds no way to this call".to_string(),
        _ => {
            let [p, q] = claim.sets.each_ref().map(|set| set.join(", "));
            format!("FAILS: {{{p}}} and {{{q}}}")
        }
    };
    format!("{place}: {} {answer}", claim.name)
}

fn algorithm(name: &str) -> Result<Algorithm, Error> {
    Algorithm::named(name).ok_or_else(|| {
        let known = Algorithm::ALL.map(|(known, _)| known).join(", ");
        Error::input(format!("unknown algorithm `{name}`; known are {known}"))
    })
}
