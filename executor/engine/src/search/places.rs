//! Equal turns for each place at which paths stand.
//!
//! A place is a position in the program's own code with the calls that led there; a path in a library
//! stands at the call of it. Where loops over input split paths without end, all of them stand at a
//! few places.

use super::shares::Shares;
use super::{Entry, Needs};

/// Its entry in the list.
pub const ENTRY: Entry = Entry {
    name: "places",
    help: "equal turns for each place in the program's code at which paths stand",
    needs: Needs::PLACES,
    make: |seed| Box::new(Shares::new(seed, |state| state.place)),
};
