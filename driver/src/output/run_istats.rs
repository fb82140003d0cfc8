//! `run.istats`: what each instruction and line of the program has cost, in the format of
//! callgrind, for KCachegrind and `callgrind_annotate`.
//!
//! Events are KLEE's: `Q` questions to the solver, `Qv` and `Qiv` those that left one possibility
//! or several, `I` executions, `Forks`, `Icov` and `Iuncov` instructions executed and not, `Qtime`
//! microseconds of the solver. How the cost of callees is divided among callers: [`super::call_profile`].

use super::assembly::Lines;
use super::call_profile::{self, Arc};
use super::directory::write_whole;
use super::trouble::Trouble;
use plat_engine::{Fork, Observer, Progress};
use plat_program::{FuncId, InstId, Program};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// Short and long names, in order.
const EVENTS: &[(&str, &str)] = &[
    ("Q", "Queries"),
    ("Qv", "QueriesValid"),
    ("Qiv", "QueriesInvalid"),
    ("I", "Instructions"),
    ("Forks", "Forks"),
    ("Icov", "CoveredInstructions"),
    ("Iuncov", "UncoveredInstructions"),
    ("Qtime", "QueryTime"),
];

/// What the observer counts itself, by instruction.
#[derive(Clone, Copy, Default, Debug)]
struct Counted {
    asked: u64,
    decided: u64,
    forks: u64,
    solving: Duration,
}

/// The observer that writes the file.
pub struct RunIstats<'a> {
    path: PathBuf,
    program: &'a Program,
    lines: Rc<Lines>,
    /// What was executed, as the header names it.
    object: String,
    /// Whether positions are lines of `assembly.ll`.
    listed: bool,
    counted: Vec<Counted>,
    interval: Duration,
    due: Duration,
    trouble: Trouble,
}

impl<'a> RunIstats<'a> {
    /// Writes to `path`, each `interval` and at the end. With the lines of instructions, whether there
    /// is a listing that has them.
    pub fn new(
        path: PathBuf,
        program: &'a Program,
        (lines, listed): (Rc<Lines>, bool),
        interval: Duration,
        trouble: Trouble,
    ) -> Self {
        RunIstats {
            path,
            program,
            lines,
            object: program.name.clone(),
            listed,
            counted: vec![Counted::default(); program.inst_count()],
            interval,
            due: interval,
            trouble,
        }
    }

    /// The events of one instruction.
    fn costs(&self, inst: usize, executed: &[u64]) -> [u64; EVENTS.len()] {
        let counted = self.counted[inst];
        let times = executed.get(inst).copied().unwrap_or(0);
        [
            counted.asked,
            counted.decided,
            counted.asked - counted.decided,
            times,
            counted.forks,
            u64::from(times > 0),
            u64::from(times == 0),
            counted.solving.as_micros() as u64,
        ]
    }

    fn text(&self, executed: &[u64], indirect: &BTreeMap<(InstId, FuncId), u64>) -> String {
        let own: Vec<Vec<u64>> = self
            .program
            .functions
            .iter()
            .map(|function| {
                let first = function.first_inst.index();
                let mut sum = vec![0; EVENTS.len()];
                for at in first..first + function.insts.len() {
                    for (sum, cost) in sum.iter_mut().zip(self.costs(at, executed)) {
                        *sum += cost;
                    }
                }
                sum
            })
            .collect();
        let arcs = call_profile::arcs(self.program, executed, indirect, &own);
        let mut text = self.header();
        let mut from = 0;
        let mut file = None;
        for function in &self.program.functions {
            if function.declaration {
                continue;
            }
            let end = function.first_inst.index() + function.insts.len();
            let len = arcs[from..]
                .iter()
                .take_while(|arc| arc.call.index() < end)
                .count();
            let source = &self.program.location(function.location).file;
            if file != Some(source) {
                let _ = writeln!(text, "fl={source}");
                file = Some(source);
            }
            self.write_function(&mut text, function, executed, &arcs[from..from + len]);
            from += len;
        }
        text
    }

    fn header(&self) -> String {
        let mut text = format!(
            "version: 1\ncreator: plat\npid: {}\ncmd: {}\n\n\npositions: instr line\n",
            std::process::id(),
            self.object
        );
        for (short, long) in EVENTS {
            let _ = writeln!(text, "event: {short} : {long}");
        }
        let names: Vec<&str> = EVENTS.iter().map(|event| event.0).collect();
        let positions_in = match self.listed {
            true => "assembly.ll",
            false => &self.object,
        };
        let _ = writeln!(text, "events: {}\nob={positions_in}", names.join(" "));
        text
    }

    fn write_function(
        &self,
        text: &mut String,
        function: &plat_program::Function,
        executed: &[u64],
        arcs: &[Arc],
    ) {
        let own_file = &self.program.location(function.location).file;
        let _ = writeln!(text, "fn={}", function.name);
        let mut inlined: Option<&str> = None;
        let mut arcs = arcs.iter().peekable();
        for at in 0..function.insts.len() {
            let inst = InstId::new(function.first_inst.index() + at);
            let location = self.program.location_of(inst);
            // Code that was inlined comes from another file.
            let other = (!location.file.is_empty() && location.file != *own_file)
                .then_some(location.file.as_str());
            if other != inlined {
                match other {
                    Some(file) => {
                        let _ = writeln!(text, "fi={file}");
                    }
                    None => {
                        let _ = writeln!(text, "fe={own_file}");
                    }
                }
                inlined = other;
            }
            let position = [self.lines.of(inst), location.line].map(u64::from);
            write_line(text, &position, &self.costs(inst.index(), executed));
            while let Some(arc) = arcs.next_if(|arc| arc.call == inst) {
                let callee = self.program.function(arc.callee);
                let place = self.program.location(callee.location);
                let _ = writeln!(
                    text,
                    "cfl={}\ncfn={}\ncalls={} {} {}",
                    place.file,
                    callee.name,
                    arc.count,
                    self.lines.of_function(arc.callee),
                    place.line,
                );
                write_line(text, &position, &arc.inclusive);
            }
        }
    }
}

/// Writes a line of numbers. There is one for each instruction of a program, and most of its numbers
/// have one digit.
fn write_line(text: &mut String, position: &[u64], costs: &[u64]) {
    for (at, &number) in position.iter().chain(costs).enumerate() {
        if at > 0 {
            text.push(' ');
        }
        match u8::try_from(number) {
            Ok(digit @ 0..=9) => text.push(char::from(b'0' + digit)),
            _ => {
                let _ = write!(text, "{number}");
            }
        }
    }
    text.push('\n');
}

impl Observer for RunIstats<'_> {
    fn forked(&mut self, fork: &Fork) {
        if let Some(inst) = fork.inst {
            self.counted[inst.index()].forks += 1;
        }
    }

    fn asked(&mut self, inst: Option<InstId>, decided: bool) {
        if let Some(inst) = inst {
            let counted = &mut self.counted[inst.index()];
            counted.asked += 1;
            counted.decided += u64::from(decided);
        }
    }

    fn solved(&mut self, inst: Option<InstId>, wall: Duration) {
        if let Some(inst) = inst {
            self.counted[inst.index()].solving += wall;
        }
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        if progress.elapsed < self.due && progress.states > 0 {
            return;
        }
        self.due = progress.elapsed + self.interval;
        let text = self.text(progress.executed, progress.indirect_calls);
        if let Err(failure) = write_whole(&self.path, text.as_bytes()) {
            self.trouble.report(failure.message);
        }
    }
}
