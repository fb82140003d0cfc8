//! All solvers on one system, and the first thing they disagree about.
//!
//! `naive` and `datalog` are the definition and must agree to the last location. `wave` must name
//! the same but for locations that others of the same set cover, from which nothing follows. This
//! is said of a system whose nodes differ: the nodes that `substitution` makes one stand on the same
//! cycles from then on.
//!
//! Two bounds keep the number of slots finite, and what they give up depends on what came first:
//! the window for offsets that no cycle of steps makes ([`System::window`]; blocks that are copied
//! behind themselves), and the number of slot classes that block copies may make in an object
//! ([`Limits::most_copied`]). Where the definition meets the window, `wave` must have all that it
//! names. The second is lifted for the comparison.

use super::{datalog, naive};
use crate::check::{Violation, check, check_plain};
use crate::constraints::{Constraint, Location, System};
use crate::definition::solution::Solution;
use crate::definition::widening::Graph;
use crate::solver::solved::Solved;
use crate::solver::substitution::{self, Reduced};
use crate::solver::wave::{self, Limits};
use std::collections::BTreeSet;
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
    let reduced = substitution::reduce(system);
    let expected = defined(&reduced.system)?;
    let open = |why: Violation| Difference(format!("wave is {why}"));
    let solved = wave::solve(system);
    check(system, &solved).map_err(open)?;
    equal(&reduced, &expected)?;
    Ok(solved)
}

/// The solution of a system by both definitions.
///
/// # Errors
/// The first difference, or the first rule under which it is not closed.
pub fn defined(system: &System) -> Result<Solution, Difference> {
    let (expected, rules) = (naive::solve(system), datalog::solve(system));
    let names = ["naive", "datalog"];
    same(names, [&expected.sets, &rules.sets], "node")?;
    let cells = |solution: &Solution| -> Vec<_> { solution.memory.clone().into_iter().collect() };
    same(names, [&cells(&expected), &cells(&rules)], "written object")?;
    same(names, [&bound(&expected), &bound(&rules)], "call edge")?;
    let open = |why: Violation| Difference(format!("naive is {why}"));
    check_plain(system, &expected).map_err(open)?;
    Ok(expected)
}

/// Holds `wave` against the definition.
fn equal(reduced: &Reduced, expected: &Solution) -> Result<(), Difference> {
    let exact = Limits {
        most_copied: u32::MAX,
        ..Limits::NONE
    };
    let solved = wave::propagated(&reduced.system, &exact).expect("no limit");
    let found = solved.plain();
    if meets_window(&reduced.system, expected) {
        return covers(&found, expected);
    }
    let names = ["naive", "wave"];
    same(names, [&expected.reduced(), &found.reduced()], "node")?;
    same(names, [&bound(expected), &bound(&found)], "call edge")
}

/// Whether the solution would be another one if the window were larger.
pub fn meets_window(system: &System, solution: &Solution) -> bool {
    let unlimited = System {
        window: i64::MAX,
        ..system.clone()
    };
    let graph = Graph::of(system, (&solution.sets, &solution.bound));
    let mut copies = graph.copies();
    let is_copied_far = copies.any(|copy| {
        let mut slots = graph.written(copy.source);
        slots.any(|slot| copy.image(system, slot) != copy.image(&unlimited, slot))
    });
    is_copied_far
        || system.constraints.iter().any(|constraint| {
            let Constraint::Shift { from, step, .. } = *constraint else {
                return false;
            };
            let mut set = solution.sets[from.index()].iter();
            set.any(|&at| system.displaced(at, step) != unlimited.displaced(at, step))
        })
}

/// Whether `found` has all that is expected.
pub(crate) fn covers(found: &Solution, expected: &Solution) -> Result<(), Difference> {
    let lacks = |(there, all): (&BTreeSet<Location>, &BTreeSet<Location>)| {
        let mut all = all.iter();
        let lacking = all.find(|at| !there.iter().any(|by| by.covers(**at)));
        lacking.copied()
    };
    let pairs = found.sets.iter().zip(&expected.sets);
    if let Some((node, at)) = pairs
        .enumerate()
        .find_map(|(node, pair)| Some((node, lacks(pair)?)))
    {
        return Err(Difference(format!("node {node}: wave lacks {at}")));
    }
    match expected.bound.difference(&found.bound).next() {
        Some(edge) => Err(Difference(format!("wave lacks call edge {edge:?}"))),
        None => Ok(()),
    }
}

fn bound(solution: &Solution) -> Vec<impl PartialEq + Debug> {
    solution.bound.iter().copied().collect()
}

fn same<T: PartialEq + Debug>(
    names: [&str; 2],
    all: [&[T]; 2],
    what: &str,
) -> Result<(), Difference> {
    let mut pairs = all[0].iter().zip(all[1]);
    if let Some(at) = pairs.position(|(a, b)| a != b) {
        let [a, b] = all.map(|all| &all[at]);
        let [left, right] = names;
        let text = format!("{what} {at}: {left} says {a:?}, {right} says {b:?}");
        return Err(Difference(text));
    }
    if all[0].len() != all[1].len() {
        let ([left, right], [a, b]) = (names, all.map(<[T]>::len));
        let text = format!("{left} has {a}, {right} has {b} of kind {what}");
        return Err(Difference(text));
    }
    Ok(())
}
