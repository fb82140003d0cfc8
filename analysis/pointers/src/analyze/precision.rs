//! What is left out when an analysis exceeds its budget.
//!
//! The budget is counted work of the solver, not time, so that a result does not depend on the
//! machine. A program that exceeds it is analysed again with the next coarser precision, which has
//! the budget again. Every precision is sound; the last one costs nothing.

use crate::constraints::{Location, Object, Offset, System};
use crate::solver::bindings::Bindings;
use crate::solver::set::Set;
use crate::solver::solved::{Measures, Solved};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// How precise an analysis is, the most precise first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
pub enum Precision {
    /// As configured.
    #[default]
    Full,
    /// No function is analysed once per call string.
    NoContexts,
    /// Nor are offsets in an object told apart.
    NoFields,
    /// Every pointer can point to every object.
    NoDistinction,
}

impl Precision {
    /// All of them, the most precise first.
    pub const ALL: [Precision; 4] = [
        Precision::Full,
        Precision::NoContexts,
        Precision::NoFields,
        Precision::NoDistinction,
    ];

    /// What the analysis does without, in words.
    pub const fn lacks(self) -> &'static str {
        match self {
            Precision::Full => "nothing",
            Precision::NoContexts => "contexts",
            Precision::NoFields => "contexts and fields",
            Precision::NoDistinction => "any distinction between objects",
        }
    }
}

/// The solution in which every pointer can point to every object, and every call through a pointer
/// calls every function that it fits.
pub fn indistinct(system: &System) -> Solved {
    let objects = (0..system.objects.len()).map(Object::new);
    // In the order of `LocationNumbers`.
    let whole = |integer| {
        objects.clone().map(move |object| Location {
            integer,
            ..Location::new(object, Offset::ANY)
        })
    };
    let locations: Vec<Location> = whole(false).chain(whole(true)).collect();
    let all: Rc<Set> = Rc::new((0..locations.len() as u32).collect());
    let mut bindings = Bindings::default();
    let calls = system.calls.iter();
    let bound =
        calls.map(|call| bindings.of(system, call, &all, |place| locations[place as usize]));
    let bound = bound.collect();
    let holding = objects.filter(|&object| system.extent(object).holds);
    Solved {
        sets: vec![all],
        locations,
        of_node: vec![0; system.nodes as usize],
        memory: holding.map(|object| (object, Offset::ANY, 0)).collect(),
        bound,
        measures: Measures::default(),
    }
}
