//! plat as a library: symbolic execution of LLVM bitcode.
//!
//! The stages in order ([`pipeline`]), and what a run leaves behind, one file for each format
//! ([`output`]). The command `plat` is a shell over this: whatever it can do, a program can.
//!
//! Nothing here prints, ends the process or changes its working directory, and no process is started
//! but by commands that the caller gives ([`Processes`]).

#![forbid(unsafe_code)]

pub mod broadcast;
pub mod building;
mod choices;
mod clock;
pub mod corpus;
pub mod cover;
pub mod demangle;
pub mod doctor;
mod error;
mod event;
mod explorer;
pub mod fuzzing;
pub mod ideal;
pub mod input;
mod interrupt;
pub mod libc;
pub mod llvm;
pub mod names;
pub mod output;
pub mod pipeline;
pub mod prediction;
pub mod processes;
pub mod regress;
pub mod replay;
mod report;
pub mod resident;
pub mod scratch;
pub mod seeds;
pub mod suite;
pub mod trie;

pub use choices::{back_ends, memory_models, searchers};
pub use error::{Error, ErrorKind};
pub use event::Event;
pub use explorer::check_entry;
pub use explorer::{
    Exchanged, Executed, Explorer, Fuzzer, Linked, MakeDirectory, OnDirectory, Output, Prepared,
    Replayer,
};
pub use interrupt::Interrupt;
pub use processes::Processes;
pub use report::{Outcome, Report, Test};

pub use plat_engine::give_memory_back_by;
pub use plat_engine::{
    Config, Fault, FaultKind, Hook, Observer, PathEnd, StopReason, Summary, TestRecord, hook,
    native,
};
pub use plat_env::{FileAccess, InputSpec, Source};
pub use plat_program::{Program, parse};

// The parts that plat is made of, so that one dependency is enough.
pub use plat_allocator as allocator;
pub use plat_engine as engine;
pub use plat_env as env;
pub use plat_expr as expr;
pub use plat_memory as memory;
pub use plat_pointers as pointers;
pub use plat_program as program;
pub use plat_segments as segments;
pub use plat_solver as solver;
