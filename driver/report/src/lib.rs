//! What runs have come to, for people and for other tools.
//!
//! [`Report::gather`] reads the directories of runs, whether they are over, go on, were killed or are damaged in
//! parts, into one typed model ([`model`]). From it are made:
//!
//! - [`Report::to_html`]: one page that needs nothing else, neither files nor a network;
//! - [`Report::to_sarif`]: faults for editors and for services that show results of analyses;
//! - [`Report::to_junit`]: tests for services that show results of tests;
//! - [`Report::to_lines`]: a line for each fault, as compilers print them.
//!
//! [`Live`] serves the page of a run that goes on.

#![forbid(unsafe_code)]

mod gather;
mod junit;
mod kinds;
mod lines;
mod live;
pub mod model;
mod page;
mod sarif;
mod tree;

pub use gather::Named;
pub use live::Live;
pub use model::Report;
pub use page::look;
