//! The places that a run is to reach: which instructions they are, and which have been reached.

use super::Run;
use super::start::{START, is_named};
use crate::api::config::Config;
use crate::api::observe::Observer;
use crate::api::outcome::Limit;
use crate::api::start_error::StartError;
use crate::api::target::{Reached, Target};
use crate::executor::executed::Executed;
use crate::search::toward::Toward;
use crate::state::State;
use plat_program::operands::address_taken;
use plat_program::{FuncId, Program};
use std::collections::BTreeMap;

/// Whether a run can be directed at its targets.
///
/// # Errors
/// When the program has no such place, or none can be reached.
pub fn check_targets(program: &Program, config: &Config) -> Result<(), StartError> {
    let mut searchers = config.search.searchers.iter();
    let wanted = searchers.any(|one| one.needs().targets);
    Targets::find(program, config, wanted).map(|_| ())
}

/// Names that are proposed in place of an unknown one.
const PROPOSALS: usize = 3;

/// A place that is to be reached.
struct Aim {
    target: Target,
    /// Its instructions: one of them is enough.
    insts: Vec<u32>,
    reached: bool,
}

/// All of them.
pub(super) struct Targets {
    aims: Vec<Aim>,
    /// The distances to those that have not been reached, or to all once they have; kept if a searcher
    /// wants them.
    pub toward: Option<Toward>,
}

impl Targets {
    /// The targets of a run: their instructions, and, if they are wanted, the distances to them.
    ///
    /// # Errors
    /// When the program has no such place, or none can be reached.
    pub fn find(program: &Program, config: &Config, wanted: bool) -> Result<Self, StartError> {
        let targets = &config.search.targets;
        let entry = &config.start.entry_point;
        if wanted && targets.is_empty() {
            let why = "--search directed: name what is to be reached: --target FILE:LINE or --target FUNCTION";
            return Err(StartError::Target(why.into()));
        }
        let mut aims = Vec::new();
        for target in targets {
            let insts = match target {
                Target::Function(name) => function(program, name),
                Target::Line(file, line) => line_of(program, file, *line),
                Target::Changed => Ok(config.trie.changed.iter().map(|inst| inst.0).collect()),
            };
            let insts =
                insts.map_err(|why| StartError::Target(format!("--target {target}: {why}")))?;
            aims.push(Aim {
                target: target.clone(),
                insts,
                reached: false,
            });
        }
        let mut targets = Targets { aims, toward: None };
        targets.check_reachable(program, entry)?;
        if wanted {
            targets.measure(program);
        }
        Ok(targets)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.aims.is_empty()
    }

    /// Computes distances to what has not been reached.
    fn measure(&mut self, program: &Program) {
        let all = self.aims.iter().all(|aim| aim.reached);
        let aims = self.aims.iter().filter(|aim| all || !aim.reached);
        let insts: Vec<u32> = aims.flat_map(|aim| aim.insts.iter().copied()).collect();
        self.toward = Some(Toward::new(program, &insts));
    }

    /// Whether each target has a way from where a program can begin: its entry, or a function whose
    /// address is taken.
    fn check_reachable(&self, program: &Program, entry: &str) -> Result<(), StartError> {
        // Nothing may lead to a change: then both versions do the same.
        let aims = self.aims.iter();
        let mut aims = aims.filter(|aim| aim.target != Target::Changed).peekable();
        if aims.peek().is_none() {
            return Ok(());
        }
        let named = [entry, START].into_iter();
        let named = named.filter_map(|name| program.function_names.get(name).copied());
        let mut beginnings: Vec<FuncId> = named.collect();
        beginnings.extend(program.constructors.iter().chain(&program.destructors));
        beginnings.extend(address_taken(program));
        for aim in aims {
            let toward = Toward::new(program, &aim.insts);
            let mut beginnings = beginnings.iter().map(|&id| program.function(id));
            if !beginnings.any(|function| toward.is_ahead_of(function)) {
                let target = &aim.target;
                return Err(StartError::Target(format!(
                    "--target {target}: no path can reach it: no call leads there from {entry}, and \
                     no function whose address is taken does"
                )));
            }
        }
        Ok(())
    }

    /// The next target that was executed since.
    fn newly(&mut self, executed: &Executed) -> Option<Target> {
        let unreached = self.aims.iter_mut().filter(|aim| !aim.reached);
        let mut reached =
            unreached.filter(|aim| aim.insts.iter().any(|&at| executed.once(at as usize)));
        let aim = reached.next()?;
        aim.reached = true;
        Some(aim.target.clone())
    }
}

impl Run<'_> {
    /// Notes targets that were reached: by a state that has run, or by an earlier run.
    pub(super) fn note_targets(&mut self, state: Option<&State>) {
        if self.guidance.targets.is_empty() {
            return;
        }
        let mut any = false;
        while let Some(target) = self.guidance.targets.newly(&self.exec.counters.executed) {
            any = true;
            let reached = Reached {
                target: &target,
                state: state.map(|state| state.id),
                instructions: self.exec.counters.counts.instructions,
            };
            self.exec.events.observer.reached(&reached);
        }
        if !any {
            return;
        }
        let all = self.guidance.targets.aims.iter().all(|aim| aim.reached);
        if all && self.exec.config.search.exit_on_targets {
            self.ends.stop.get_or_insert(Limit::Target);
        } else if self.guidance.targets.toward.is_some() {
            self.guidance.targets.measure(self.exec.program);
            self.tell_summaries();
        }
    }
}

/// The first instruction of a function.
fn function(program: &Program, name: &str) -> Result<Vec<u32>, String> {
    let id = program.function_names.get(name);
    match id.map(|&id| program.function(id)) {
        Some(function) if !function.declaration => Ok(vec![function.first_inst.0]),
        Some(_) => Err("the program only declares this function".into()),
        None => {
            let names = program.function_names.keys().map(String::as_str);
            let near = nearest(name, names);
            Err(format!(
                "the program has no function of this name (it may have been inlined){near}"
            ))
        }
    }
}

/// The instructions of a line, inlined ones included.
fn line_of(program: &Program, file: &str, line: u32) -> Result<Vec<u32>, String> {
    let mut insts = Vec::new();
    // The lines with code of each file that is meant.
    let mut files: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for function in program.functions.iter().filter(|one| !one.declaration) {
        for (at, &loc) in function.locs.iter().enumerate() {
            let mut here = false;
            for location in program.inlining(loc).filter(|one| one.line != 0) {
                if is_named(&location.file, file) {
                    files.entry(&location.file).or_default().push(location.line);
                    here |= location.line == line;
                }
            }
            if here {
                insts.push(function.first_inst.0 + at as u32);
            }
        }
    }
    if !insts.is_empty() {
        return Ok(insts);
    }
    let mut lines: Vec<u32> = files.into_values().flatten().collect();
    if lines.is_empty() {
        let all = program.locations.iter();
        let all = all.filter(|one| one.line != 0).map(|one| one.file.as_str());
        let last = |file: &'_ str| file.rsplit('/').next().unwrap_or_default().to_string();
        let names: Vec<String> = all.map(last).collect();
        if names.is_empty() {
            return Err("the program has no debug information: compile it with -g".into());
        }
        let near = nearest(&last(file), names.iter().map(String::as_str));
        return Err(format!("no instruction is from this file{near}"));
    }
    lines.sort_by_key(|one| (one.abs_diff(line), *one));
    lines.dedup();
    lines.truncate(PROPOSALS);
    lines.sort_unstable();
    let near: Vec<String> = lines.iter().map(u32::to_string).collect();
    let near = near.join(", ");
    Err(format!(
        "no instruction is from this line; the nearest that have one: {near}"
    ))
}

/// The names that are most like one, as a further part of a message.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut all: Vec<(usize, &str)> = names
        .map(|one| (strsim::damerau_levenshtein(one, name), one))
        .filter(|&(distance, one)| distance <= one.len().max(name.len()) / 2)
        .collect();
    all.sort_unstable();
    all.dedup();
    all.truncate(PROPOSALS);
    let all: Vec<&str> = all.into_iter().map(|(_, one)| one).collect();
    match all.is_empty() {
        true => String::new(),
        false => format!("; nearest: {}", all.join(", ")),
    }
}
