//! `plat analyze`.

use crate::args::AnalyzeArgs;
use crate::failure::Failure;
use crate::output::directory::write_whole;
use crate::pipeline;
use crate::say::{say, sayln};
use plat_pointers::claims::{self, Claim};
use plat_pointers::stages::Clock;
use plat_pointers::{Algorithm, Config};
use std::process::ExitCode;

pub(super) fn execute(args: &AnalyzeArgs) -> Result<ExitCode, Failure> {
    let config = Config {
        algorithm: algorithm(&args.algorithm)?,
        check: args.check,
        budget: args.budget.analysis_budget,
        ..Config::default()
    };
    if args.check_aliases {
        let code = check_aliases(args, &config)?;
        if args.output.is_none() || code != ExitCode::SUCCESS {
            return Ok(code);
        }
    }
    let mut clock = Clock::start();
    let program = pipeline::read(&args.input)?;
    clock.ended("reading");
    let mut sets = pipeline::analyze(&program, &config)?;
    clock.go_on(std::mem::take(&mut sets.statistics.stages));
    if let Some(output) = &args.output {
        write_whole(output, sets.to_json().as_bytes())?;
        clock.ended("writing");
    }
    sets.statistics.stages = clock.stages;
    if args.stats {
        say!("{}", sets.statistics);
        let peak = crate::exploration::peak_resident();
        sayln!("memory: {} MiB at most", peak >> 20);
    }
    if args.print {
        say!("{}", plat_pointers::text::listing(&program, &sets));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a line for each claim of the program, and how many hold.
fn check_aliases(args: &AnalyzeArgs, config: &Config) -> Result<ExitCode, Failure> {
    let program = pipeline::read_lowered(&args.input)?;
    let claims = claims::check(&program, config).map_err(pipeline::defect)?;
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

fn algorithm(name: &str) -> Result<Algorithm, Failure> {
    Algorithm::named(name).ok_or_else(|| {
        let known = Algorithm::ALL.map(|(known, _)| known).join(", ");
        Failure::input(format!("unknown algorithm `{name}`; known are {known}"))
    })
}
