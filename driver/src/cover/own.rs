//! What a run has covered by the engine's own count, as coverage of source files.

use super::places::own_functions;
use super::source::{Function, SourceCoverage};
use plat_program::{Inst, Program};
use rustc_hash::FxHashMap;

/// The coverage of a program's own code (not that of libraries) by how often each instruction was
/// executed and which ways each branch has taken: bit 0 if it was not taken, bit 1 if it was.
///
/// A line counts as often as the instruction on it that was executed most. That a way was taken is known, not
/// how often: it counts once.
pub fn of_run(program: &Program, executed: &[u64], ways: &[u8]) -> SourceCoverage {
    let mut coverage = SourceCoverage::default();
    // How often each location was executed: a large program has many instructions on few.
    let mut times: Vec<Option<u64>> = vec![None; program.locations.len()];
    for function in own_functions(program) {
        let first = function.first_inst.index();
        let count = |at: usize| executed.get(first + at).copied().unwrap_or(0);
        let place = program.location(function.location);
        if place.line > 0 {
            let file = coverage.files.entry(place.file.clone()).or_default();
            let entry = Function {
                line: place.line,
                count: count(0),
            };
            file.functions.insert(function.name.clone(), entry);
        }
        for (at, (inst, id)) in function.insts.iter().zip(&function.locs).enumerate() {
            let known = times[id.index()].get_or_insert(0);
            *known = (*known).max(count(at));
            let location = program.location(*id);
            if location.line > 0 && matches!(inst, Inst::Branch { .. }) {
                let file = coverage.files.entry(location.file.clone()).or_default();
                let taken = ways.get(first + at).copied().unwrap_or(0);
                let on_line = (location.line, 0, 0)..(location.line + 1, 0, 0);
                let place = file.branches.range(on_line).count() as u32 / 2;
                for way in 0..2 {
                    let known = u64::from(taken >> (1 - way) & 1);
                    let counted = (count(at) > 0 || taken > 0).then_some(known);
                    file.branches.insert((location.line, place, way), counted);
                }
            }
        }
    }
    let mut lines: FxHashMap<&str, Vec<(u32, u64)>> = FxHashMap::default();
    for (location, times) in program.locations.iter().zip(times) {
        if let Some(times) = times.filter(|_| location.line > 0) {
            let of_file = lines.entry(&location.file).or_default();
            of_file.push((location.line, times));
        }
    }
    for (file, mut lines) in lines {
        lines.sort_unstable();
        let file = coverage.files.entry(file.to_owned()).or_default();
        // Of those of one line, the last one counts.
        file.lines = lines.into_iter().collect();
    }
    coverage
}
