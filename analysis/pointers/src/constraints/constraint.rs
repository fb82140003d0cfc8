//! The kinds of constraints.

use super::ids::{Node, Object};
use super::location::{Displacement, Location};
use std::fmt;

/// A constraint on points-to sets `p(n)` and memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Constraint {
    /// `at` is in `p(node)`.
    Address {
        /// The pointer.
        node: Node,
        /// What it points to.
        at: Location,
    },
    /// `p(to)` includes `p(from)`.
    Copy {
        /// The source.
        from: Node,
        /// The destination.
        to: Node,
    },
    /// `p(to)` includes `p(from)` moved by `step`.
    Shift {
        /// The source.
        from: Node,
        /// The step.
        step: Displacement,
        /// The destination.
        to: Node,
    },
    /// `p(to)` includes what the `width` bytes at each location of `p(pointer)` hold.
    Load {
        /// The address.
        pointer: Node,
        /// Bytes read.
        width: u64,
        /// The destination.
        to: Node,
    },
    /// The `width` bytes at each location of `p(pointer)` hold `p(from)`.
    Store {
        /// The address.
        pointer: Node,
        /// Bytes written.
        width: u64,
        /// The source.
        from: Node,
    },
    /// The `width` bytes at `at` hold `p(from)`, also if the object is constant.
    Hold {
        /// Where.
        at: Location,
        /// Bytes.
        width: u64,
        /// What.
        from: Node,
    },
    /// What `length` bytes (`None`: all) at each location of `p(pointer)` hold, `into` holds from
    /// offset 0 on.
    Gather {
        /// The address of the source block.
        pointer: Node,
        /// The destination object.
        into: Object,
        /// Bytes copied.
        length: Option<u64>,
    },
    /// What `from` holds, the `length` bytes (`None`: all) at each location of `p(pointer)` hold.
    Scatter {
        /// The source object.
        from: Object,
        /// The address of the destination block.
        pointer: Node,
        /// Bytes copied.
        length: Option<u64>,
    },
}

impl fmt::Display for Constraint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |length: &Option<u64>| length.map_or("all".to_string(), |n| n.to_string());
        match self {
            Constraint::Address { node, at } => {
                write!(out, "{node} = &{at}")
            }
            Constraint::Copy { from, to } => write!(out, "{to} = {from}"),
            Constraint::Shift { from, step, to } => write!(out, "{to} = {from} + {step}"),
            Constraint::Load { pointer, width, to } => write!(out, "{to} = *{pointer} [{width}]"),
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                write!(out, "*{pointer} [{width}] = {from}")
            }
            Constraint::Hold { at, width, from } => {
                write!(out, "{at} [{width}] holds {from}")
            }
            Constraint::Gather {
                pointer,
                into,
                length,
            } => {
                write!(out, "{into} = block *{pointer} [{}]", bytes(length))
            }
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => {
                write!(out, "block *{pointer} [{}] = {from}", bytes(length))
            }
        }
    }
}
