//! Subpath-guided search: a path whose last decisions have been gone least often ("Steering symbolic
//! execution to less traveled paths", Li, Su, Wang, Li, OOPSLA 2013).
//!
//! A subpath is the last k decisions of a path, each a place and a side. Every selection counts for
//! the subpath of the path selected; the subpath with the least count is next, and of its paths any.

use super::shares::Shares;
use super::{Entry, Needs, SUBPATHS};

/// Subpaths of one decision: how often each branch was taken. The only ones that runs are told of which go
/// on with earlier ones, whose decisions count.
pub const ONE: Entry = Entry {
    name: "subpath:1",
    help: "the path whose last decision was gone least often, by earlier runs too",
    needs: Needs::NOTHING,
    make: |seed| Box::new(Shares::new(seed, |state| state.subpaths[0]).counts_gone()),
};

/// Subpaths of four decisions.
pub const FOUR: Entry = Entry {
    name: "subpath:4",
    help: "the path whose last 4 decisions have been gone least often",
    needs: Needs::NOTHING,
    make: |seed| Box::new(Shares::new(seed, |state| state.subpaths[1])),
};

/// Subpaths of eight decisions.
pub const EIGHT: Entry = Entry {
    name: "subpath:8",
    help: "the path whose last 8 decisions have been gone least often",
    needs: Needs::NOTHING,
    make: |seed| Box::new(Shares::new(seed, |state| state.subpaths[2])),
};

const _: () = assert!(SUBPATHS[0] == 1 && SUBPATHS[1] == 4 && SUBPATHS[2] == 8);
