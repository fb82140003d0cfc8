//! What `summary.json` says of allocations that came into one segment, and of those that were followed on
//! paths of their own.

use super::summarise::place;
use crate::demangle;
use plat_engine::is_library;
use plat_engine::sharing::{self, Member, Origin};
use plat_program::{Callee, Inst, InstId, Program};
use serde::{Deserialize, Serialize};

/// An allocation: objects that come from one place.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Allocation {
    /// heap, stack, argument, global, function or start.
    pub kind: String,
    /// The calls on the way, outermost first; the variable's or the function's name.
    pub name: String,
    /// Source file of the program's own call on the way to it; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// The size of the smallest of its objects.
    pub min_bytes: u64,
    /// The size of the largest.
    pub max_bytes: u64,
}

/// Where segments were put together.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Join {
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// The function; empty if unknown.
    pub function: String,
    /// How often, over all paths.
    pub count: u64,
    /// The most objects that the pointer could lead to.
    pub max_objects: u64,
}

/// Allocations whose objects came into one segment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Together {
    /// The most bytes of one of the segments when it was put together.
    pub max_bytes: u64,
    /// The allocations.
    pub allocations: Vec<Allocation>,
    /// Where, the most frequent first.
    pub joins: Vec<Join>,
}

/// Allocations that a pointer could lead to and that were followed on paths of their own.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Apart {
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// The function; empty if unknown.
    pub function: String,
    /// Why.
    pub reason: String,
    /// How often, over all paths.
    pub count: u64,
    /// The most paths that this made of one.
    pub max_ways: u64,
    /// The allocations.
    pub allocations: Vec<Allocation>,
}

/// Those that came together.
pub(super) fn together(program: &Program, all: &[sharing::Together]) -> Vec<Together> {
    let described = all.iter().map(|one| Together {
        max_bytes: one.most_bytes,
        allocations: allocations(program, &one.members),
        joins: joins(program, &one.joins),
    });
    described.collect()
}

/// The places of joins; instructions of one line are one.
fn joins(program: &Program, all: &[sharing::JoinPlace]) -> Vec<Join> {
    let mut joins: Vec<Join> = Vec::new();
    for one in all {
        let (file, line, function) = place(program, one.at);
        let same = |known: &&mut Join| {
            (&known.file, known.line, &known.function) == (&file, line, &function)
        };
        if let Some(known) = joins.iter_mut().find(same) {
            known.count += one.count;
            known.max_objects = known.max_objects.max(one.most_objects);
            continue;
        }
        joins.push(Join {
            file,
            line,
            function,
            count: one.count,
            max_objects: one.most_objects,
        });
    }
    joins
}

/// Those that were followed apart.
pub(super) fn apart(program: &Program, all: &[sharing::Apart]) -> Vec<Apart> {
    let described = all.iter().map(|one| {
        let (file, line, function) = place(program, one.at);
        Apart {
            file,
            line,
            function,
            reason: one.reason.clone(),
            count: one.count,
            max_ways: one.most_ways,
            allocations: allocations(program, &one.members),
        }
    });
    described.collect()
}

fn allocations(program: &Program, members: &[Member]) -> Vec<Allocation> {
    let described = members.iter().map(|member| {
        let (kind, name, at) = named(program, &member.origin);
        let (file, line, _) = place(program, at);
        Allocation {
            kind: kind.to_string(),
            name,
            file,
            line,
            min_bytes: member.least_bytes,
            max_bytes: member.most_bytes,
        }
    });
    described.collect()
}

/// What an allocation is, its name, and the instruction that stands for it.
fn named(program: &Program, origin: &Origin) -> (&'static str, String, Option<InstId>) {
    let text = |name: &str| demangle::text(name).into_owned();
    let function_of = |inst: InstId| program.function(program.position(inst).0);
    match origin {
        Origin::Calls(calls) => {
            let own = |&&call: &&InstId| !is_library(program, function_of(call));
            let at = calls.iter().find(own).or(calls.first());
            ("heap", chain(program, calls), at.copied())
        }
        Origin::Stack(inst) => ("stack", text(&function_of(*inst).name), Some(*inst)),
        Origin::Frame(function) => ("argument", text(&program.function(*function).name), None),
        Origin::Global(global) => ("global", text(&program.global(*global).name), None),
        Origin::Function(function) => ("function", text(&program.function(*function).name), None),
        Origin::Entry => ("start", "arguments and environment".to_string(), None),
    }
}

/// The calls on the way to an allocation, outermost first, as segment maps have them.
fn chain(program: &Program, calls: &[InstId]) -> String {
    let mut text: Vec<String> = calls
        .iter()
        .rev()
        .map(|&call| {
            let (file, line, function) = place(program, Some(call));
            match (line, file.rsplit('/').next()) {
                (0, _) | (_, None) => function,
                (line, Some(file)) => format!("{function} ({file}:{line})"),
            }
        })
        .collect();
    text.extend(calls.first().and_then(|&call| callee(program, call)));
    text.join(" > ")
}

/// The function that a call names.
fn callee(program: &Program, call: InstId) -> Option<String> {
    let (function, position) = program.position(call);
    let Inst::Call { call, .. } = program.function(function).insts.get(position)? else {
        return None;
    };
    let Callee::Direct(callee) = call.callee else {
        return None;
    };
    let name = &program.function(callee).name;
    Some(demangle::text(name).into_owned())
}
