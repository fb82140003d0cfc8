//! The targets of calls through pointers.
//!
//! In a large program thousands of calls reach the same thousand functions. Calls of one shape
//! (number and kinds of arguments) through pointers with the same set have the same targets, so the
//! targets are computed once and are one shared set.

use crate::constraints::{Call, Callable, Kinds, Location, System};
use crate::solver::set::Set;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What decides which functions a call fits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Shape {
    given: usize,
    kinds: Kinds,
    expects: bool,
}

impl Shape {
    fn of(call: &Call) -> Self {
        Self {
            given: call.arguments.len(),
            kinds: call.kinds,
            expects: call.expects,
        }
    }
}

/// A set and what was found for it. While it is kept, no other set gets its address.
#[derive(Debug)]
struct Found {
    _from: Rc<Set>,
    callees: Rc<Set>,
}

/// What was found for sets of places, by their addresses: all callables at them, and those that
/// calls of a shape fit.
#[derive(Default, Debug)]
pub(crate) struct Bindings {
    all: FxHashMap<*const Set, Found>,
    fitting: FxHashMap<(Shape, *const Set), Found>,
}

impl Bindings {
    /// What a call through a pointer to `places` calls.
    pub fn of(
        &mut self,
        system: &System,
        call: &Call,
        places: &Rc<Set>,
        location: impl Fn(u32) -> Location,
    ) -> Rc<Set> {
        let general = self.fitting(system, call, places, location);
        if call.own.is_empty() {
            return general;
        }
        let own = call.own.iter();
        let own = own.filter(|(of, _)| general.contains(of.0));
        let (replaced, instead): (Vec<u32>, Vec<u32>) =
            own.map(|(of, instead)| (of.0, instead.0)).unzip();
        let mut callees = general.minus(&replaced.into_iter().collect());
        callees.union_with(&instead.into_iter().collect());
        Rc::new(callees)
    }

    /// The functions that a call fits, without regard to instances for this call.
    fn fitting(
        &mut self,
        system: &System,
        call: &Call,
        places: &Rc<Set>,
        location: impl Fn(u32) -> Location,
    ) -> Rc<Set> {
        let (shape, at) = (Shape::of(call), Rc::as_ptr(places));
        if let Some(known) = self.fitting.get(&(shape, at)) {
            return Rc::clone(&known.callees);
        }
        let found = |callees: Set| Found {
            _from: Rc::clone(places),
            callees: Rc::new(callees),
        };
        let all = self.all.entry(at).or_insert_with(|| {
            let objects = places.iter().map(|place| location(place).object);
            let callables = objects.filter_map(|object| system.extent(object).callable);
            found(callables.map(|callable| callable.0).collect())
        });
        let all = all.callees.iter();
        let fitting = all.filter(|&callable| call.fits(&system.callables[callable as usize]));
        let found = found(fitting.collect());
        let callees = Rc::clone(&found.callees);
        self.fitting.insert((shape, at), found);
        callees
    }
}

/// Call edges as a set of callables for each call.
pub fn by_call(edges: impl Iterator<Item = (u32, Callable)>) -> Vec<Rc<Set>> {
    let mut all: Vec<Set> = Vec::new();
    for (call, callable) in edges {
        if all.len() <= call as usize {
            all.resize(call as usize + 1, Set::new());
        }
        all[call as usize].insert(callable.0);
    }
    all.into_iter().map(Rc::new).collect()
}
