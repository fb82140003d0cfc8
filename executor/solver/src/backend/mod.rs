//! Back ends: solvers that decide queries by themselves.

pub mod apart;
pub mod bits;
pub mod enumerate;
mod portfolio;
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
        name: "portfolio",
        help: "bits, and beside it z3 on another core for what is not decided soon; which model a \
               path has, and so the order of paths, depends on who is first",
        make: |config| Box::new(portfolio::Portfolio::new(config)),
    },
    Entry {
        name: "z3",
        help: "the Z3 theorem prover, incrementally under assumptions",
        make: z3_of,
    },
];

/// Z3: in a process of its own, if there is a command for one, or else in this one. A question costs
/// half a millisecond more there, of the processor's time, and the first one 10 ms; the median of
/// what `bits` leaves to Z3, floats, is 200 ms (`plat-bench backends`), so that no class of queries
/// stays here.
fn z3_of(config: &Config) -> Box<dyn Solver> {
    match config.process.is_empty() {
        true => Box::new(z3::Z3::new(config)),
        false => Box::new(apart::Apart::new(config)),
    }
}
