//! The definition once more, as Datalog: every rule is one line of logic and one line of code.
//!
//! The rules below are the inference rules of inclusion-based analysis with the papers' names:
//! `points(v, l)` for `l ∈ pts(v)`, one rule for each kind of constraint ([`crate::constraints`]),
//! and the call graph found while solving. Three things are not relations but functions of their
//! arguments: the slots that an access touches, the slots that a block copy maps a slot to, and what
//! a node on a cycle of steps takes a location for ([`Moduli`], found between one evaluation of the
//! rules and the next); [`derive`] applies them. `datafrog` evaluates the rules semi-naively, each on what is new.
//!
//! It carries locations as sorted tuples, without sets, cycles or an order of the nodes, which is
//! why `wave` is what programs are solved with; `naive` says the same in loops, and the three are
//! compared.

mod facts;

use crate::constraints::{
    BlockCopy, Callable, Constraint, Displacement, Fresh, Location, Node, Object, Offset, System,
};
use crate::definition::solution::{Memory, Solution};
use crate::definition::widening::{self, Moduli};
use datafrog::{Iteration, Variable};
use facts::{Facts, fresh_node, of_constraints};
use std::collections::BTreeSet;

/// A slot class of an object.
type Cell = (Object, Offset);

/// Position of a call in the system.
type CallId = u32;

/// An argument's or a parameter's position in a call of a function.
type Place = (Callable, u32);

/// The least solution of `system`.
pub fn solve(system: &System) -> Solution {
    widening::least(system, |moduli| under(system, moduli)).0
}

/// How many rounds of the rules are evaluated before the moduli are looked at again.
const ROUNDS: u32 = 4;

/// The least solution of which each node takes offsets modulo its number.
fn under(system: &System, moduli: &Moduli) -> Result<Solution, Moduli> {
    let taken = |node: Node, at: Location| (node, moduli.taken(system, node, at));
    let mut iteration = Iteration::new();
    let facts = Facts::of(system);
    let derived = Derived::new(&mut iteration);
    derived.load(system, taken);
    let mut sets = vec![BTreeSet::new(); system.nodes as usize];
    let (mut bound, mut round) = (BTreeSet::new(), 0);
    while iteration.changed() {
        derived.pointers(system, &facts, taken);
        derived.memory(system, &facts, taken);
        derived.blocks(system);
        derived.calls(system, &facts);
        for &(node, at) in derived.points.recent.borrow().iter() {
            if let Some(set) = sets.get_mut(node.index()) {
                set.insert(at);
            }
        }
        bound.extend(derived.bound.recent.borrow().iter().copied());
        round += 1;
        if round % ROUNDS == 0 {
            widening::check_moduli(system, (&sets, &bound), moduli)?;
        }
    }
    widening::check_moduli(system, (&sets, &bound), moduli)?;
    let memory = derived.contents();
    Ok(Solution {
        sets,
        memory,
        bound,
    })
}

/// The relations that the rules derive. Those that end in `_at` are the left half of a rule with a
/// function in it.
struct Derived {
    /// `points(v, l)`: `l ∈ pts(v)`.
    points: Variable<(Node, Location)>,
    /// `flow(from, to)`: `pts(from) ⊆ pts(to)`.
    flow: Variable<(Node, Node)>,
    /// `store(pointer, (width, from))`: `*pointer = from`.
    store: Variable<(Node, (u64, Node))>,
    /// `gather(pointer, (into, length))`.
    gather: Variable<(Node, (Object, Option<u64>))>,
    /// `read(object, (slot, to))`: `to` receives what overlaps the slot.
    read: Variable<(Object, (Offset, Node))>,
    /// `sees(cell, to)`: `to` receives what was written to the cell.
    sees: Variable<(Cell, Node)>,
    /// `writes(from, cell)`: the cell receives `pts(from)`.
    writes: Variable<(Node, Cell)>,
    /// `written(object, slot)`: some pointer was written there.
    written: Variable<(Object, Offset)>,
    /// `holds(cell, l)`: `l` was written to the cell.
    holds: Variable<(Cell, Location)>,
    /// `copy(source, block)`: a copy of a block of that object.
    copy: Variable<(Object, BlockCopy)>,
    /// `moves(from, to)`: what was written to one cell is copied to the other.
    moves: Variable<(Cell, Cell)>,
    /// `bound(call, function)`: the call graph.
    bound: Variable<(CallId, Callable)>,
    /// `passed((function, position), node)`.
    passed: Variable<(Place, Node)>,
    /// Those that are pointers.
    passed_value: Variable<(Place, Node)>,
    /// Those that are addresses of arguments passed by value in memory.
    passed_block: Variable<(Place, Node)>,
    /// `allocates(call)`: it can call a function that returns a fresh block.
    allocates: Variable<(CallId, ())>,
    /// `reallocates(call)`: one whose fresh block has the contents of another.
    reallocates: Variable<(CallId, ())>,
    /// `delivers(call)`: one that stores the address of a fresh block.
    delivers: Variable<(CallId, ())>,
    shift_at: Variable<(Location, (Displacement, Node))>,
    load_at: Variable<(Location, (u64, Node))>,
    store_at: Variable<(Location, (u64, Node))>,
    read_at: Variable<(Cell, (Offset, Node))>,
    copy_at: Variable<(BlockCopy, Offset)>,
    spread_at: Variable<(Node, Object)>,
    called_at: Variable<(Callable, CallId)>,
    result_at: Variable<(Callable, Node)>,
}

/// What a node takes a location for.
trait Taken: Fn(Node, Location) -> (Node, Location) {}
impl<F: Fn(Node, Location) -> (Node, Location)> Taken for F {}

/// `out(y) :- from(x), y ∈ rule(x)`.
fn derive<From: Ord, To: Ord, Many: IntoIterator<Item = To>>(
    out: &Variable<To>,
    from: &Variable<From>,
    rule: impl Fn(&From) -> Many,
) {
    out.extend(from.recent.borrow().iter().flat_map(rule));
}

impl Derived {
    fn new(iteration: &mut Iteration) -> Self {
        Derived {
            points: iteration.variable("points"),
            flow: iteration.variable("flow"),
            store: iteration.variable("store"),
            gather: iteration.variable("gather"),
            read: iteration.variable("read"),
            sees: iteration.variable("sees"),
            writes: iteration.variable("writes"),
            written: iteration.variable("written"),
            holds: iteration.variable("holds"),
            copy: iteration.variable("copy"),
            moves: iteration.variable("moves"),
            bound: iteration.variable("bound"),
            passed: iteration.variable("passed"),
            passed_value: iteration.variable("passed_value"),
            passed_block: iteration.variable("passed_block"),
            allocates: iteration.variable("allocates"),
            reallocates: iteration.variable("reallocates"),
            delivers: iteration.variable("delivers"),
            shift_at: iteration.variable("shift_at"),
            load_at: iteration.variable("load_at"),
            store_at: iteration.variable("store_at"),
            read_at: iteration.variable("read_at"),
            copy_at: iteration.variable("copy_at"),
            spread_at: iteration.variable("spread_at"),
            called_at: iteration.variable("called_at"),
            result_at: iteration.variable("result_at"),
        }
    }

    /// The constraints as first tuples.
    fn load(&self, system: &System, taken: impl Taken) {
        self.points
            .insert(of_constraints(system, |constraint| match *constraint {
                Constraint::Address { node, at } => Some(taken(node, at)),
                _ => None,
            }));
        let calls = system.calls.iter().enumerate();
        self.points.extend(calls.filter_map(|(at, call)| {
            let block = Location::new(call.fresh?, Offset::ZERO);
            Some((fresh_node(system, at), block))
        }));
        self.flow
            .insert(of_constraints(system, |constraint| match *constraint {
                Constraint::Copy { from, to } => Some((from, to)),
                _ => None,
            }));
        self.store
            .insert(of_constraints(system, |constraint| match *constraint {
                Constraint::Store {
                    pointer,
                    width,
                    from,
                } => Some((pointer, (width, from))),
                _ => None,
            }));
        self.gather
            .insert(of_constraints(system, |constraint| match *constraint {
                Constraint::Gather {
                    pointer,
                    into,
                    length,
                } => Some((pointer, (into, length))),
                _ => None,
            }));
        let held = system.constraints.iter().flat_map(|constraint| {
            let Constraint::Hold { at, width, from } = *constraint else {
                return Vec::new();
            };
            let cells = cells(system, at, width);
            cells.into_iter().map(|cell| (from, cell)).collect()
        });
        self.writes.extend(held);
    }

    /// Copies and steps. Every `points(to, l)` of the rules is of `l` as `to` takes it.
    fn pointers(&self, system: &System, facts: &Facts, taken: impl Taken) {
        // points(to, l) :- flow(from, to), points(from, l).
        self.points
            .from_join(&self.flow, &self.points, |_, &to, &l| taken(to, l));
        // points(to, m) :- points(from, l), shift(from, step, to), m ∈ displaced(l, step).
        self.shift_at
            .from_join(&self.points, &facts.shift, |_, &l, &shift| (l, shift));
        derive(&self.points, &self.shift_at, |&(l, (step, to))| {
            system.displaced(l, step).map(|moved| taken(to, moved))
        });
    }

    /// Loads and stores. A load sees every written slot that overlaps one of those it touches.
    fn memory(&self, system: &System, facts: &Facts, taken: impl Taken) {
        // read(o, s, to) :- points(p, l), load(p, width, to), (o, s) ∈ cells(l, width).
        self.load_at
            .from_join(&self.points, &facts.load, |_, &l, &load| (l, load));
        derive(&self.read, &self.load_at, |&(l, (width, to))| {
            let cells = cells(system, l, width).into_iter();
            cells.map(move |(object, slot)| (object, (slot, to)))
        });
        // sees((o, w), to) :- read(o, s, to), written(o, w), s overlaps w.
        self.read_at
            .from_join(&self.read, &self.written, |&o, &read, &w| ((o, w), read));
        derive(&self.sees, &self.read_at, |&(cell, (slot, to))| {
            slot.overlaps(cell.1).then_some((cell, to))
        });
        // points(to, l) :- sees(cell, to), holds(cell, l).
        self.points
            .from_join(&self.sees, &self.holds, |_, &to, &l| taken(to, l));

        // writes(from, cell) :- points(p, l), store(p, width, from), cell ∈ cells(l, width),
        //                       l is writable.
        self.store_at
            .from_join(&self.points, &self.store, |_, &l, &store| (l, store));
        derive(&self.writes, &self.store_at, |&(l, (width, from))| {
            let mut cells = cells(system, l, width);
            cells.retain(|&(object, _)| system.extent(object).writable);
            cells.into_iter().map(move |cell| (from, cell))
        });
        // holds(cell, l) :- writes(from, cell), points(from, l).
        self.holds
            .from_join(&self.writes, &self.points, |_, &cell, &l| (cell, l));
        // written(o, s) :- holds((o, s), l).
        self.written.from_map(&self.holds, |&(cell, _)| cell);
    }

    /// Block copies.
    fn blocks(&self, system: &System) {
        // moves((source, s), (target, t)) :- copy(source, c), written(source, s), t ∈ image(c, s).
        self.copy_at
            .from_join(&self.copy, &self.written, |_, &copy, &slot| (copy, slot));
        derive(&self.moves, &self.copy_at, |&(copy, slot)| {
            let images = copy.image(system, slot).into_iter();
            images.map(move |image| ((copy.source, slot), (copy.target, image)))
        });
        // holds(to, l) :- moves(from, to), holds(from, l).
        self.holds
            .from_join(&self.moves, &self.holds, |_, &to, &l| (to, l));
    }

    /// Calls through pointers, and the blocks that gathers and scatters copy.
    fn calls(&self, system: &System, facts: &Facts) {
        // copy(l, into) :- points(p, l), gather(p, into, length).
        self.copy
            .from_join(&self.points, &self.gather, |_, &l, &(into, length)| {
                (l.object, BlockCopy::gather(l, into, length))
            });
        // copy(from, l) :- points(p, l), scatter(p, from, length).
        self.copy
            .from_join(&self.points, &facts.scatter, |_, &l, &(from, length)| {
                (from, BlockCopy::scatter(from, l, length))
            });

        // bound(call, f) :- points(p, l), callee(p, call), f = called(call, l), code(f).
        // What is not called is no function.
        self.called_at
            .from_join(&self.points, &facts.callee, |_, &l, &call| {
                let called = system.called(&system.calls[call as usize], l.object);
                (called.unwrap_or(Callable(u32::MAX)), call)
            });
        self.bound
            .from_join(&self.called_at, &facts.code, |&f, &call, ()| (call, f));
        self.arguments(facts);
        self.results(system, facts);
    }

    /// What calls pass.
    fn arguments(&self, facts: &Facts) {
        // passed((f, i), a) :- bound(call, f), argument(call, i, a).
        self.passed
            .from_join(&self.bound, &facts.argument, |_, &f, &(i, a)| ((f, i), a));
        // passed_value((f, i), a) :- bound(call, f), value(call, i, a).
        self.passed_value
            .from_join(&self.bound, &facts.value, |_, &f, &(i, a)| ((f, i), a));
        // passed_block((f, i), a) :- bound(call, f), block(call, i, a).
        self.passed_block
            .from_join(&self.bound, &facts.block, |_, &f, &(i, a)| ((f, i), a));

        // flow(a, v) :- passed(place, a), parameter(place, v).
        self.flow
            .from_join(&self.passed, &facts.parameter, |_, &a, &v| (a, v));
        // gather(a, copy, size) :- passed(place, a), copied(place, copy, size).
        self.gather
            .from_join(&self.passed, &facts.copied, |_, &a, &(copy, size)| {
                (a, (copy, Some(size)))
            });
        // writes(a, (o, any)) :- passed_value(place, a), further(place, o).
        self.writes
            .from_join(&self.passed_value, &facts.further, |_, &a, &object| {
                (a, (object, Offset::ANY))
            });
        // copy(l, o + any) :- passed_block(place, a), further(place, o), points(a, l).
        self.spread_at
            .from_join(&self.passed_block, &facts.further, |_, &a, &o| (a, o));
        self.copy
            .from_join(&self.spread_at, &self.points, |_, &object, &l| {
                let copy = BlockCopy {
                    to: Offset::ANY,
                    ..BlockCopy::gather(l, object, None)
                };
                (l.object, copy)
            });
    }

    /// What calls return and allocate.
    fn results(&self, system: &System, facts: &Facts) {
        // flow(v, to) :- bound(call, f), result(call, to), returns(f, v).
        self.result_at
            .from_join(&self.bound, &facts.result, |_, &f, &to| (f, to));
        self.flow
            .from_join(&self.result_at, &facts.returns, |_, &to, &v| (v, to));

        let made = |f: Callable| system.callables[f.index()].fresh;
        // allocates(call) :- bound(call, f), f returns a fresh block.
        derive(&self.allocates, &self.bound, |&(call, f)| {
            matches!(made(f), Fresh::Returned | Fresh::Reallocated).then_some((call, ()))
        });
        // reallocates(call) :- bound(call, f), f copies the old block to a fresh one.
        derive(&self.reallocates, &self.bound, |&(call, f)| {
            (made(f) == Fresh::Reallocated).then_some((call, ()))
        });
        // delivers(call) :- bound(call, f), f stores the address of a fresh block.
        derive(&self.delivers, &self.bound, |&(call, f)| {
            (made(f) == Fresh::Stored).then_some((call, ()))
        });
        // flow(block, to) :- allocates(call), fresh_result(call, block, to).
        self.flow
            .from_join(&self.allocates, &facts.fresh_result, |_, (), &flow| flow);
        // gather(old, fresh, all) :- reallocates(call), fresh_contents(call, fresh, old).
        self.gather.from_join(
            &self.reallocates,
            &facts.fresh_contents,
            |_, (), &(fresh, old)| (old, (fresh, None)),
        );
        // store(place, block) :- delivers(call), fresh_place(call, block, place).
        self.store.from_join(
            &self.delivers,
            &facts.fresh_place,
            |_, (), &(block, place)| (place, (8, block)),
        );
    }

    /// What the objects hold.
    fn contents(self) -> Memory {
        let mut memory = Memory::new();
        for &((object, slot), at) in self.holds.complete().iter() {
            let slots = memory.entry(object).or_default();
            slots.entry(slot).or_default().insert(at);
        }
        memory
    }
}

/// The cells that an access touches.
fn cells(system: &System, at: Location, width: u64) -> Vec<Cell> {
    let slots = system.slots(at, width).into_iter();
    slots.map(|slot| (at.object, slot)).collect()
}
