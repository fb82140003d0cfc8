//! The descriptors that `epoll` watches.

use crate::descriptors::OpenId;
use plat_expr::Value;
use std::collections::BTreeMap;

plat_basics::ids! {
    /// A set of watched descriptors.
    WatchedId
}

/// What is watched of one descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interest {
    /// The open file that the descriptor referred to.
    pub open: OpenId,
    /// The events, with the flags.
    pub events: u32,
    /// What the program is told with them.
    pub data: Value,
    /// What was told last: the events, and how much had arrived then.
    pub told: (u32, u64),
}

plat_expr::plain!(WatchedId);
plat_expr::holder!(Interest { data } plain { open, events, told });
plat_expr::holder!(Watched { interests });

/// The watched descriptors, by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Watched {
    /// See above.
    pub interests: BTreeMap<u32, Interest>,
}
