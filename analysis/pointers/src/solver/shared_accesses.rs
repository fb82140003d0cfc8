//! Loads, stores and block copies through pointers with equal sets share their edges.
//!
//! In a large program thousands of pointers have one of a few sets of a thousand locations. An edge
//! between each of their accesses and each memory cell would be most of the work. So each set of
//! locations has *hubs*: for each width one node that collects what is loaded from the set and one
//! node that passes on what is stored to it. Block copies have objects without a place in memory as
//! their hubs. The hub of a large set is connected to the hubs of its parts (the words of the set),
//! which similar sets have in common. The result is the same as without hubs.
//!
//! A pointer to very many locations (`MANY`) copies blocks between whole objects: it would copy
//! every slot at the distances of all these locations, and be no more precise.
//!
//! [`Accesses`] is the interface: any graph over [`Cells`] that implements it gets its accesses
//! through hubs. The solver implements it, and so does the taint analysis.

use crate::constraints::{BlockCopy, Location, Object, Offset, System};
use crate::solver::cells::{Cells, Role};
use crate::solver::set::Set;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Sets with fewer locations than this have no hubs.
pub const LEAST: usize = 3;

/// Pointers to at least as many locations copy blocks between whole objects.
const MANY: usize = 8192;

/// What is done through a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Access {
    Load(u64),
    Store(u64),
    /// Length, size of the destination, and offset in it.
    Gather(Option<u64>, Option<u64>, Offset),
    Scatter(Option<u64>),
}

/// The hubs: nodes for loads and stores, objects for blocks.
#[derive(Default, Debug)]
pub struct Hubs {
    known: FxHashMap<Access, FxHashMap<Set, u32>>,
    /// For large sets of places the objects there.
    objects: FxHashMap<Set, Rc<Set>>,
}

/// A graph of copies with memory, in which sets of places are accessed.
pub trait Accesses<'a>: Sized {
    /// What is solved.
    fn system(&self) -> &'a System;
    /// The location of a number.
    fn location(&self, place: u32) -> Location;
    /// Its memory.
    fn cells(&mut self) -> &mut Cells;
    /// Its hubs.
    fn hubs(&mut self) -> &mut Hubs;
    /// Turns what the cells ask for into edges of the graph.
    fn connect_cells(&mut self);
    /// `to` includes `from`.
    fn copy_edge(&mut self, from: u32, to: u32);

    /// Connects two objects.
    fn copy_block(&mut self, copy: BlockCopy) {
        let system = self.system();
        self.cells().copy(system, copy);
        self.connect_cells();
    }

    /// Connects what is loaded from `places` to `loaded`.
    fn load_from(&mut self, places: &Set, width: u64, loaded: u32) {
        if places.len() >= LEAST {
            let (hub, new) = hub(self, places, Access::Load(width));
            if new {
                fill(self, places, |graph, part| {
                    graph.load_from(part, width, hub)
                });
            }
            return self.copy_edge(hub, loaded);
        }
        for place in places.iter() {
            let at = self.location(place);
            for slot in self.system().slots(at, width) {
                let cell = self.cells().read(at.object, slot);
                self.connect_cells();
                self.copy_edge(cell.0, loaded);
            }
        }
    }

    /// Connects `stored` to what is stored to `places`.
    fn store_to(&mut self, places: &Set, width: u64, stored: u32) {
        if places.len() >= LEAST {
            let (hub, new) = hub(self, places, Access::Store(width));
            if new {
                fill(self, places, |graph, part| graph.store_to(part, width, hub));
            }
            return self.copy_edge(stored, hub);
        }
        for place in places.iter() {
            let at = self.location(place);
            if !self.system().extent(at.object).writable {
                continue;
            }
            for slot in self.system().slots(at, width) {
                let cell = self.cells().written(at.object, slot);
                self.connect_cells();
                self.copy_edge(stored, cell.0);
            }
        }
    }

    /// Copies the blocks at `places`, through a pointer to so many, to offset `to` of `into`.
    fn gather_through(
        &mut self,
        (places, all): (&Set, usize),
        length: Option<u64>,
        to: (Object, Offset),
    ) {
        match all < MANY {
            true => self.gather_from(places, length, to),
            false => {
                let objects = self.objects_at(places);
                self.gather_from(&objects, None, to);
            }
        }
    }

    /// Copies what `from` holds to the blocks at `places`, through a pointer to so many.
    fn scatter_through(&mut self, (places, all): (&Set, usize), length: Option<u64>, from: Object) {
        match all < MANY {
            true => self.scatter_to(places, length, from),
            false => {
                let objects = self.objects_at(places);
                self.scatter_to(&objects, None, from);
            }
        }
    }

    /// All offsets of the objects that can hold something.
    fn objects_at(&mut self, places: &Set) -> Rc<Set> {
        if let Some(known) = self.hubs().objects.get(places) {
            return Rc::clone(known);
        }
        let objects = places.iter().map(|place| self.location(place).object);
        let holding = objects.filter(|&object| self.system().extent(object).holds);
        let whole = |object: Object| {
            let whole = object.0;
            debug_assert_eq!(self.location(whole), Location::new(object, Offset::ANY));
            whole
        };
        let objects: Rc<Set> = Rc::new(holding.map(whole).collect());
        let known = &mut self.hubs().objects;
        known.insert(places.clone(), Rc::clone(&objects));
        objects
    }

    /// Copies the blocks at `places` to offset `to` of `into`.
    fn gather_from(&mut self, places: &Set, length: Option<u64>, (into, to): (Object, Offset)) {
        if places.len() >= LEAST {
            let system = self.system();
            let size = self.cells().extent(system, into).size;
            let (hub, new) = hub(self, places, Access::Gather(length, size, to));
            let source = Object(hub);
            if new {
                fill(self, places, |graph, part| {
                    graph.gather_from(part, length, (source, to))
                });
            }
            let at = Location::new(source, Offset::ZERO);
            return self.copy_block(BlockCopy::gather(at, into, None));
        }
        for place in places.iter() {
            let copy = BlockCopy::gather(self.location(place), into, length);
            self.copy_block(BlockCopy { to, ..copy });
        }
    }

    /// Copies what `from` holds to the blocks at `places`.
    fn scatter_to(&mut self, places: &Set, length: Option<u64>, from: Object) {
        if places.len() >= LEAST {
            let (hub, new) = hub(self, places, Access::Scatter(length));
            let target = Object(hub);
            if new {
                fill(self, places, |graph, part| {
                    graph.scatter_to(part, length, target)
                });
            }
            let at = Location::new(target, Offset::ZERO);
            return self.copy_block(BlockCopy::scatter(from, at, None));
        }
        for place in places.iter() {
            let at = self.location(place);
            self.copy_block(BlockCopy::scatter(from, at, length));
        }
    }
}

/// The hub of a set, and whether it is new.
fn hub<'a, G: Accesses<'a>>(graph: &mut G, places: &Set, access: Access) -> (u32, bool) {
    let known = graph
        .hubs()
        .known
        .get(&access)
        .and_then(|hubs| hubs.get(places));
    if let Some(&hub) = known {
        return (hub, false);
    }
    let hub = match access {
        Access::Load(_) | Access::Store(_) => graph.cells().fresh().0,
        Access::Gather(_, size, _) => graph.cells().transit(Role::Collects(size)).0,
        Access::Scatter(_) => graph.cells().transit(Role::HandsOut).0,
    };
    graph.connect_cells();
    let hubs = graph.hubs().known.entry(access).or_default();
    hubs.insert(places.clone(), hub);
    (hub, true)
}

/// Connects a new hub to those of the words of its set, or to its elements.
pub(crate) fn fill<G>(graph: &mut G, places: &Set, mut connect: impl FnMut(&mut G, &Set)) {
    if places.chunks() > 1 {
        for word in places.words() {
            connect(graph, &word);
        }
    } else {
        for place in places.iter() {
            connect(graph, &Set::from_iter([place]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::constraints::{Constraint, Extent};
    use crate::solver::wave;

    /// A block goes from anywhere in thousands of objects to anywhere in them: nothing is lost, and
    /// the objects stay apart from one that the pointer does not point to.
    #[test]
    fn blocks_between_thousands_of_locations_arrive() {
        let mut system = System::new(4096);
        let objects: Vec<Object> = (0..3_000)
            .map(|_| system.object(Extent::memory(Some(64))))
            .collect();
        let [held, other, transit] = std::array::from_fn(|_| system.object(Extent::memory(None)));
        let [many, value, alone, loaded, kept] = std::array::from_fn(|_| system.node());
        let address = |node, object, at| Constraint::Address {
            node,
            at: Location::new(object, Offset::exact(at)),
        };
        for &object in &objects {
            let all = [0, 8, 16].map(|at| address(many, object, at));
            system.constraints.extend(all);
        }
        let width = 8;
        let load = |pointer, to| Constraint::Load { pointer, width, to };
        system.constraints.extend([
            address(value, held, 0),
            address(alone, other, 0),
            Constraint::Hold {
                at: Location::new(objects[7], Offset::exact(8)),
                width,
                from: value,
            },
            Constraint::Gather {
                pointer: many,
                into: transit,
                length: Some(16),
            },
            Constraint::Scatter {
                from: transit,
                pointer: many,
                length: Some(16),
            },
            Constraint::Store {
                pointer: alone,
                width,
                from: alone,
            },
            load(many, loaded),
            load(alone, kept),
        ]);
        let solved = wave::solve(&system);
        assert_eq!(check(&system, &solved), Ok(()));
        assert!(solved.set(many).len() >= MANY);
        let objects = |node| -> Vec<Object> {
            let set = solved.set(node);
            solved.located(set).map(|at| at.object).collect()
        };
        assert_eq!(objects(loaded), [held]);
        assert_eq!(objects(kept), [other]);
        let last = solved
            .memory
            .iter()
            .filter(|(object, ..)| object.0 == 2_999);
        assert!(
            last.clone()
                .any(|&(.., at)| !solved.sets[at as usize].is_empty())
        );
    }
}
