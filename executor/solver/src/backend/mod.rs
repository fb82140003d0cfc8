//! Back ends: solvers that decide queries by themselves.

pub mod bits;
mod choice;
pub mod dummy;
pub mod enumerate;
mod portfolio;
mod size;
pub mod z3;
pub mod z3_process;

pub use choice::BackEndChoice;

use crate::answer::Solver;
use crate::config::SolverConfig;

/// One of plat's own back ends.
#[derive(Clone, Copy)]
pub struct BackEndEntry {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    /// Makes one.
    pub make: fn(&SolverConfig) -> Box<dyn Solver>,
}

/// Bit-blasting.
pub const BITS: BackEndEntry = BackEndEntry {
    name: "bits",
    help: "bit-blasting to a SAT solver; floats and very large circuits go to z3",
    make: |config| Box::new(bits::Bits::new(config)),
};

/// Nothing.
pub const DUMMY: BackEndEntry = BackEndEntry {
    name: "dummy",
    help: "answers no query: a path goes as far as the layers before it decide",
    make: |_| Box::new(dummy::Dummy),
};

/// Trying every value of the input.
pub const ENUMERATE: BackEndEntry = BackEndEntry {
    name: "enumerate",
    help: "tries every value of up to two input bytes; a reference for the others",
    make: |_| Box::new(enumerate::Enumerate),
};

/// Bit-blasting, and Z3 beside it.
pub const PORTFOLIO: BackEndEntry = BackEndEntry {
    name: "portfolio",
    help: "bits, and beside it z3 on another core for what is not decided soon; which model a \
           path has, and so the order of paths, depends on who is first",
    make: |config| Box::new(portfolio::Portfolio::new(config)),
};

/// Z3.
pub const Z3: BackEndEntry = BackEndEntry {
    name: "z3",
    help: "the Z3 theorem prover, incrementally under assumptions",
    make: z3_of,
};

/// All back ends, sorted by name.
pub static BACKENDS: &[BackEndEntry] = &[BITS, DUMMY, ENUMERATE, PORTFOLIO, Z3];

/// Z3 in a process of its own if the configuration has a command for one, else in this process. A
/// query costs half a millisecond more there, the first one 10 ms. As the median query that `bits`
/// leaves to Z3 (floats) takes 200 ms (`plat-bench backends`), all of them go there.
fn z3_of(config: &SolverConfig) -> Box<dyn Solver> {
    match config.process.is_empty() {
        true => Box::new(z3::Z3::new(config)),
        false => Box::new(z3_process::Z3Process::new(config)),
    }
}
