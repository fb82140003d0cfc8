//! What is done with the locations of a pointer: loads, stores, block copies, calls.

use super::Wave;
use super::graph::{Use, nothing};
use crate::constraints::{Location, Object, Offset};
use crate::solver::set::Set;
use crate::solver::shared_accesses::Accesses;
use std::rc::Rc;

impl Wave<'_> {
    /// Lets loads, stores and other uses see the locations that are new in a pointer.
    pub(super) fn resolve(&mut self, node: u32) {
        let vertex = &mut self.vertices[node as usize];
        let pending = std::mem::replace(&mut vertex.pending, nothing());
        let Some(used) = vertex.used.clone() else {
            return;
        };
        let all = match used.others.is_empty() {
            true => 0,
            false => vertex.set.len(),
        };
        for &(width, loaded) in &used.loads {
            self.load_from(&pending, width, loaded);
        }
        for &(width, stored) in &used.stores {
            self.store_to(&pending, width, stored);
        }
        for &how in &used.others {
            if self.is_spent() {
                return;
            }
            self.see(how, &pending, all);
        }
    }

    fn see(&mut self, how: Use, pending: &Rc<Set>, all: usize) {
        let seen: (&Set, usize) = (pending, all);
        match how {
            Use::Gather { into, length } => {
                self.gather_through(seen, length, (into, Offset::ZERO));
            }
            Use::GatherRest { into } => {
                self.gather_through(seen, None, (into, Offset::ANY));
            }
            Use::Scatter { from, length } => self.scatter_through(seen, length, from),
            Use::Receive { fresh } => {
                for place in pending.iter() {
                    self.receive(self.places.location(place), fresh);
                }
            }
            Use::Call(call) => self.call_to(pending, call),
        }
    }

    /// Lets `at` hold the address of `fresh`.
    fn receive(&mut self, at: Location, fresh: Object) {
        let block = Location::new(fresh, Offset::ZERO);
        if self.system.extent(at.object).writable {
            for slot in self.system.slots(at, 8) {
                let cell = self.cells.written(at.object, slot);
                self.connect_cells();
                self.absorb_one(cell.0, block);
            }
        }
    }
}
