//! A hook that notes which basic blocks of a function each path has come through, and how many paths
//! share a way.
//!
//! ```text
//! clang-22 -O0 -Xclang -disable-O0-optnone -g -emit-llvm -fno-builtin \
//!     -c driver/examples/coverage_hook.c -o words.bc
//! cargo run --example coverage_hook words.bc classify
//! ```

use plat::hook::{Access, Command, EndCommand, Interest, Reached, Step};
use plat::{Explorer, Hook, PathEnd};
use std::collections::{BTreeMap, BTreeSet};

/// The lines that a path has come through: data of the path, which its forks inherit.
type Lines = BTreeSet<u32>;

struct Coverage {
    function: String,
    blocks: u32,
    /// Ways through the function, with how many paths took them: data of the run.
    ways: BTreeMap<Lines, u32>,
}

impl Hook for Coverage {
    fn name(&self) -> &str {
        "coverage"
    }

    fn interest(&self) -> Interest {
        let blocks = 0..self.blocks;
        blocks.fold(Interest::new().ends(), |interest, block| {
            interest.block(&self.function, block)
        })
    }

    fn reached(&mut self, access: &mut Access<'_, '_>, _: &Reached<'_>) -> Step<Command> {
        let line = access.source().line;
        access.data::<Lines>().insert(line);
        Ok(Command::Continue)
    }

    fn ended(&mut self, access: &mut Access<'_, '_>, _: &PathEnd) -> Step<EndCommand> {
        let lines = access.data::<Lines>().clone();
        *self.ways.entry(lines).or_default() += 1;
        Ok(EndCommand::Keep)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(bitcode), Some(function)) = (args.next(), args.next()) else {
        return Err("usage: coverage_hook PROGRAM.bc FUNCTION".into());
    };
    // The hook has to know how many blocks there are, so the stages before the run come first.
    let prepared = Explorer::bitcode(bitcode).sym_arg(2).prepare()?;
    let found = prepared.program().function_named(&function);
    let blocks = found.ok_or("no such function")?.blocks.len() as u32;
    let mut coverage = Coverage {
        function,
        blocks,
        ways: BTreeMap::new(),
    };
    prepared.hook(&mut coverage).run_observed()?;
    for (lines, paths) in &coverage.ways {
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        println!("{paths} paths: lines {}", lines.join(" "));
    }
    Ok(())
}
