//! Pointers made by arithmetic that hides their objects: resolved by number.
//!
//! The solver is asked for values of the number one after the other. Each value lies in an
//! object, or in a gap between objects; that interval is then excluded, until nothing is left. So
//! the enumeration is complete, and costs a query for each interval that is feasible, however
//! many objects there are.

use super::query::Found;
use crate::cx::Cx;
use crate::fault::Fault;
use crate::memory::Memory;
use crate::resolution::{AccessKind, Outcome, Stop};
use plat_allocator::NULL_PAGE;
use plat_expr::{Assignment, EvalMemo, ExprId};
use plat_solver::Feasible;

/// Where a number can lie.
pub(super) struct Enumeration {
    /// The objects, in address order.
    pub found: Vec<Found>,
    /// A fault of each kind that is possible.
    pub faults: Vec<Outcome>,
    /// Freeing null, if that is possible.
    pub null: Option<Outcome>,
}

/// What is at an address.
enum Spot {
    Object(Found),
    Null(Assignment),
    Fault(Fault, Assignment),
}

/// Sorted disjoint intervals, neighbours joined.
#[derive(Default)]
struct Covered(Vec<(u64, u64)>);

impl Covered {
    fn add(&mut self, low: u64, high: u64) {
        let at = self.0.partition_point(|interval| interval.0 < low);
        self.0.insert(at, (low, high));
        let mut joined: Vec<(u64, u64)> = Vec::with_capacity(self.0.len());
        for &(low, high) in &self.0 {
            match joined.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        self.0 = joined;
    }
}

impl Memory {
    /// All intervals that `number` can lie in.
    pub(super) fn enumerate(
        &self,
        cx: &mut Cx<'_>,
        number: ExprId,
        size: u64,
        access: AccessKind,
    ) -> Result<Enumeration, Stop> {
        let mut spots: Vec<(u64, u64, Spot)> = Vec::new();
        let mut covered = Covered::default();
        let (low, high) = cx.pool.range(number);
        let mut model = cx.pc.model().clone();
        loop {
            let value = cx.pool.eval(number, &model, &mut EvalMemo::default());
            let (first, last, spot) = self.spot(cx, value, size, access, number, model);
            covered.add(first, last);
            spots.push((first, last, spot));
            if matches!(covered.0[..], [(a, b)] if a <= low && high <= b) {
                break;
            }
            let mut elsewhere = cx.pool.bool(true);
            for &(first, last) in &covered.0 {
                let inside = inside(cx, number, first, last);
                let outside = cx.pool.not(inside);
                elsewhere = cx.pool.and_bool(elsewhere, outside);
            }
            match cx.oracle.feasible(cx.pool, cx.pc, elsewhere) {
                Feasible::Yes(next) => model = next,
                Feasible::No => break,
                Feasible::Unknown(reason) => return Err(Stop::Solver(reason)),
            }
            let value = cx.pool.eval(number, &model, &mut EvalMemo::default());
            if covered.0.iter().any(|&(a, b)| a <= value && value <= b) {
                return Err(Stop::Solver("a model contradicts its query".into()));
            }
        }
        spots.sort_by_key(|spot| spot.0);
        Ok(collect(cx, number, spots))
    }

    /// The interval of starting addresses around `value` that are alike.
    fn spot(
        &self,
        cx: &mut Cx<'_>,
        value: u64,
        size: u64,
        access: AccessKind,
        number: ExprId,
        model: Assignment,
    ) -> (u64, u64, Spot) {
        if let Some((object, offset)) = self.find(value) {
            let info = *cx.objects.get(object);
            let limit = self.limit(cx.objects, object, size, access);
            let start = info.number;
            if offset.cast_unsigned() < limit {
                let guard = inside(cx, number, start, start + limit - 1);
                let found = Found {
                    object,
                    guard,
                    model,
                };
                return (start, start + limit - 1, Spot::Object(found));
            }
            let fault = self.fault(cx.objects, object, offset, size, access);
            let last = start + info.size.max(1) - 1;
            let (first, last) = match access {
                AccessKind::Free if offset == 0 => (start, start),
                AccessKind::Free => (start + 1, last),
                AccessKind::Read | AccessKind::Write => (start + limit, last),
            };
            return (first, last, Spot::Fault(fault, model));
        }
        if value == 0 && access == AccessKind::Free {
            return (0, 0, Spot::Null(model));
        }
        let fault = Spot::Fault(Self::wild(value, size, access), model);
        if value < NULL_PAGE {
            return (u64::from(access == AccessKind::Free), NULL_PAGE - 1, fault);
        }
        let (first, last) = self.gap(value);
        (first.max(NULL_PAGE), last, fault)
    }
}

/// `first <= number <= last`.
fn inside(cx: &mut Cx<'_>, number: ExprId, first: u64, last: u64) -> ExprId {
    let start = cx.pool.constant(64, first);
    if first == last {
        return cx.pool.eq(number, start);
    }
    let distance = cx.pool.sub(number, start);
    let span = cx.pool.constant(64, last - first);
    cx.pool.ule(distance, span)
}

/// Sorts what was seen into objects and faults; one outcome for each kind of fault.
fn collect(cx: &mut Cx<'_>, number: ExprId, spots: Vec<(u64, u64, Spot)>) -> Enumeration {
    let (mut found, mut null) = (Vec::new(), None);
    let mut faults: Vec<(Fault, Outcome)> = Vec::new();
    for (first, last, spot) in spots {
        match spot {
            Spot::Object(object) => found.push(object),
            Spot::Null(model) => {
                let guard = inside(cx, number, first, last);
                null = Some(Outcome {
                    guard,
                    then: Ok(Vec::new()),
                    model: Some(model),
                });
            }
            Spot::Fault(fault, model) => {
                let guard = inside(cx, number, first, last);
                match faults
                    .iter_mut()
                    .find(|(other, _)| other.kind == fault.kind)
                {
                    Some((_, outcome)) => {
                        outcome.guard = cx.pool.or_bool(outcome.guard, guard);
                    }
                    None => faults.push((
                        fault,
                        Outcome {
                            guard,
                            then: Err(fault),
                            model: Some(model),
                        },
                    )),
                }
            }
        }
    }
    faults.sort_by_key(|(fault, _)| fault.kind);
    Enumeration {
        found,
        faults: faults.into_iter().map(|(_, outcome)| outcome).collect(),
        null,
    }
}
