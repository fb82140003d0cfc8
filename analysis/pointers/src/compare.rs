//! All solvers on one system, and the first thing they disagree about.
//!
//! `naive` and `datalog` are the definition and must agree to the last location. `wave` must agree
//! with them too, except that it may leave out a location where the set has all offsets of that
//! object, and that it may take offsets modulo the weight of a cycle: then it must still be closed
//! under the rules, and name no object that the definition does not name.

use crate::check::{Violation, check, check_plain};
use crate::constraints::System;
use crate::solution::Solution;
use crate::solved::Solved;
use crate::{datalog, naive, wave};
use std::fmt::{Debug, Display};

/// What two solvers do not agree about, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference(pub String);

impl Display for Difference {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "the solvers disagree: {}", self.0)
    }
}

impl std::error::Error for Difference {}

/// Solves `system` in every way; the result is that of `wave`.
///
/// # Errors
/// The first difference, or the first rule under which a solution is not closed.
pub fn solve(system: &System) -> Result<Solved, Difference> {
    let (expected, rules) = (naive::solve(system), datalog::solve(system));
    same("naive", &expected.sets, "datalog", &rules.sets, "node")?;
    let cells = |solution: &Solution| -> Vec<_> { solution.memory.clone().into_iter().collect() };
    let pair = (cells(&expected), cells(&rules));
    same("naive", &pair.0, "datalog", &pair.1, "written object")?;
    let edges = |solution: &Solution| -> Vec<_> { solution.bound.iter().copied().collect() };
    same(
        "naive",
        &edges(&expected),
        "datalog",
        &edges(&rules),
        "call edge",
    )?;

    let solved = wave::solve(system);
    let found = solved.plain();
    let open = |name: &'static str| move |why: Violation| Difference(format!("{name} is {why}"));
    check_plain(system, &expected).map_err(open("naive"))?;
    check(system, &solved).map_err(open("wave"))?;
    if solved.measures.widened == 0 {
        let (left, right) = (expected.reduced(), found.reduced());
        same("naive", &left, "wave", &right, "node")?;
        same(
            "naive",
            &edges(&expected),
            "wave",
            &edges(&found),
            "call edge",
        )?;
    } else {
        let pairs = expected.objects().into_iter().zip(found.objects());
        for (node, (all, some)) in pairs.enumerate() {
            if let Some(more) = some.difference(&all).next() {
                return Err(Difference(format!("node {node}: wave alone names {more}")));
            }
        }
    }
    Ok(solved)
}

fn same<T: PartialEq + Debug>(
    left: &str,
    ours: &[T],
    right: &str,
    theirs: &[T],
    what: &str,
) -> Result<(), Difference> {
    if let Some(at) = ours.iter().zip(theirs).position(|(a, b)| a != b) {
        let (a, b) = (&ours[at], &theirs[at]);
        let text = format!("{what} {at}: {left} says {a:?}, {right} says {b:?}");
        return Err(Difference(text));
    }
    if ours.len() != theirs.len() {
        let (a, b) = (ours.len(), theirs.len());
        let text = format!("{left} has {a}, {right} has {b} of kind {what}");
        return Err(Difference(text));
    }
    Ok(())
}
