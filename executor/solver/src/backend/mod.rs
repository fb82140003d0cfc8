//! Back ends: solvers that decide queries by themselves.

pub mod bits;
pub mod enumerate;
mod size;
pub mod z3;

use crate::answer::Solver;
use crate::config::Config;

/// A kind of back end.
pub struct Entry {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    /// Makes one.
    pub make: fn(&Config) -> Box<dyn Solver>,
}

/// All back ends, sorted by name.
pub static BACKENDS: &[Entry] = &[
    Entry {
        name: "bits",
        help: "bit-blasting to a SAT solver; floats and very large circuits go to z3",
        make: |config| Box::new(bits::Bits::new(config)),
    },
    Entry {
        name: "enumerate",
        help: "tries every value of up to two input bytes; a reference for the others",
        make: |_| Box::new(enumerate::Enumerate),
    },
    Entry {
        name: "z3",
        help: "the Z3 theorem prover, incrementally under assumptions",
        make: |config| Box::new(z3::Z3::new(config)),
    },
];
