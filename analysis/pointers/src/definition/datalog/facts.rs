//! A constraint system as relations: what the rules start from.

use super::{CallId, Place};
use crate::constraints::{Call, Callable, Constraint, Displacement, Node, Object, System};
use datafrog::Relation;

/// The relations that are given: those of calls, and the constraints that do not come to be while
/// solving (the others are first tuples of `Derived`).
pub(super) struct Facts {
    /// `shift(from, (step, to))`: `to = from + step`.
    pub(super) shift: Relation<(Node, (Displacement, Node))>,
    /// `load(pointer, (width, to))`: `to = *pointer`.
    pub(super) load: Relation<(Node, (u64, Node))>,
    /// `scatter(pointer, (from, length))`.
    pub(super) scatter: Relation<(Node, (Object, Option<u64>))>,
    /// `callee(pointer, call)`.
    pub(super) callee: Relation<(Node, CallId)>,
    /// `code(function)`.
    pub(super) code: Relation<(Callable, ())>,
    /// `argument(call, (position, node))`.
    pub(super) argument: Relation<(CallId, (u32, Node))>,
    /// `value(call, (position, node))`: the arguments that are pointers.
    pub(super) value: Relation<(CallId, (u32, Node))>,
    /// `block(call, (position, node))`: the addresses of arguments passed by value in memory.
    pub(super) block: Relation<(CallId, (u32, Node))>,
    /// `parameter((function, position), node)`.
    pub(super) parameter: Relation<(Place, Node)>,
    /// `copied((function, position), (copy, size))`: parameters passed by value in memory.
    pub(super) copied: Relation<(Place, (Object, u64))>,
    /// `further((function, position), object)`: where a variadic function finds that argument.
    pub(super) further: Relation<(Place, Object)>,
    /// `result(call, node)`.
    pub(super) result: Relation<(CallId, Node)>,
    /// `returns(function, node)`.
    pub(super) returns: Relation<(Callable, Node)>,
    /// `fresh_result(call, (block, to))`: a node that points to the block which the call
    /// allocates, and the call's result.
    pub(super) fresh_result: Relation<(CallId, (Node, Node))>,
    /// `fresh_place(call, (block, first))`: the same node, and the first argument.
    pub(super) fresh_place: Relation<(CallId, (Node, Node))>,
    /// `fresh_contents(call, (object, first))`: the block itself, and the first argument.
    pub(super) fresh_contents: Relation<(CallId, (Object, Node))>,
}

/// The node that points to the block which a call allocates; such nodes are numbered after those
/// of the system.
pub(super) fn fresh_node(system: &System, call: usize) -> Node {
    Node::new(system.nodes as usize + call)
}

/// A relation of what `row` says about each call.
fn of_calls<T: Ord, R: IntoIterator<Item = T>>(
    system: &System,
    row: impl Fn(CallId, &Call) -> R,
) -> Relation<(CallId, T)> {
    let calls = (0..).zip(&system.calls);
    let rows = calls.flat_map(|(at, call)| row(at, call).into_iter().map(move |row| (at, row)));
    rows.collect()
}

/// A relation of what `row` says about each constraint.
pub(super) fn of_constraints<T: Ord>(
    system: &System,
    row: impl Fn(&Constraint) -> Option<T>,
) -> Relation<T> {
    system.constraints.iter().filter_map(row).collect()
}

/// The arguments of a call that can be pointers, with their positions.
fn arguments(call: &Call) -> Vec<(u32, Node)> {
    let places = (0..).zip(&call.arguments);
    places
        .filter_map(|(at, argument)| Some((at, (*argument)?)))
        .collect()
}

/// The first argument of a call.
fn first(call: &Call) -> Option<Node> {
    call.arguments.first().copied().flatten()
}

impl Facts {
    pub(super) fn of(system: &System) -> Self {
        let most = system.calls.iter().map(|call| call.arguments.len()).max();
        let most = most.unwrap_or(0) as u32;
        let (mut parameter, mut copied, mut further) = (Vec::new(), Vec::new(), Vec::new());
        for (at, signature) in system.callables.iter().enumerate() {
            let callable = Callable::new(at);
            for (position, one) in (0..).zip(&signature.parameters) {
                match one.copy {
                    Some(copy) => copied.push(((callable, position), copy)),
                    None => parameter.push(((callable, position), one.node)),
                }
            }
            let rest = signature.parameters.len() as u32..most;
            further.extend(signature.rest.into_iter().flat_map(|object| {
                let places = rest.clone();
                places.map(move |position| ((callable, position), object))
            }));
        }
        let by_value = |call: &Call, at: u32| call.by_value.iter().any(|&(other, _)| other == at);
        Facts {
            shift: of_constraints(system, |constraint| match *constraint {
                Constraint::Shift { from, step, to } => Some((from, (step, to))),
                _ => None,
            }),
            load: of_constraints(system, |constraint| match *constraint {
                Constraint::Load { pointer, width, to } => Some((pointer, (width, to))),
                _ => None,
            }),
            scatter: of_constraints(system, |constraint| match *constraint {
                Constraint::Scatter {
                    from,
                    pointer,
                    length,
                } => Some((pointer, (from, length))),
                _ => None,
            }),
            callee: (0..)
                .zip(&system.calls)
                .map(|(at, call)| (call.callee, at))
                .collect(),
            code: (0..system.callables.len())
                .map(|at| (Callable::new(at), ()))
                .collect(),
            argument: of_calls(system, |_, call| arguments(call)),
            value: of_calls(system, |_, call| {
                let mut values = arguments(call);
                values.retain(|&(at, _)| !by_value(call, at));
                values
            }),
            block: of_calls(system, |_, call| {
                let mut blocks = arguments(call);
                blocks.retain(|&(at, _)| by_value(call, at));
                blocks
            }),
            parameter: parameter.into(),
            copied: copied.into(),
            further: further.into(),
            result: of_calls(system, |_, call| call.result),
            returns: (0..system.callables.len())
                .map(|at| (Callable::new(at), system.callables[at].result))
                .collect(),
            fresh_result: of_calls(system, |at, call| {
                let block = call.fresh.map(|_| fresh_node(system, at as usize));
                block.zip(call.result)
            }),
            fresh_place: of_calls(system, |at, call| {
                let block = call.fresh.map(|_| fresh_node(system, at as usize));
                block.zip(first(call))
            }),
            fresh_contents: of_calls(system, |_, call| call.fresh.zip(first(call))),
        }
    }
}
