//! Where a pointer leads.
//!
//! A pointer-shaped expression names its candidates itself: the bases in pointer position. No
//! memory is scanned and no object is asked about one by one; one query decides whether the
//! access can be out of bounds, and its answer is the example for the fault. What is left is
//! divided among paths by the memory model. Other expressions are resolved by number, see
//! [`numbers`].
//!
//! Nothing is dropped on a guess: a candidate goes only if the solver or the expression itself
//! excludes it, and a solver that gives up stops the resolution.

pub mod alternatives;
mod narrow;
mod numbers;
mod pieces;
mod prune;
mod query;
mod shaped;
mod tabled;

pub use pieces::Splitting;
pub(crate) use query::Form;
pub use query::{Alternative, ResolutionQuery};

use crate::cx::Cx;
use crate::memory::Memory;
use crate::model::{Partition, forking};
use crate::resolution::{AccessKind, Outcome, Resolution, Stop, Target};
use crate::stats::Followed;
use narrow::Narrow;
use plat_expr::{ExprId, ObjectId, Pool, TRUE, Value};
use std::time::Instant;

impl Memory {
    /// Where an access of `size` bytes through `pointer` can go, and what can be wrong with it.
    /// For [`AccessKind::Free`], `size` is not used.
    pub fn resolve(
        &mut self,
        cx: &mut Cx<'_>,
        pointer: ExprId,
        size: u64,
        access: AccessKind,
    ) -> Result<Resolution, Stop> {
        let size = if access == AccessKind::Free { 0 } else { size };
        match Value::from_expr(cx.pool, pointer) {
            Value::Pointer(object, offset) => {
                return Ok(self.resolve_known(cx, object, offset, size, access));
            }
            Value::Int(address) => return Ok(self.resolve_address(cx, address, size, access)),
            Value::Expr(_) | Value::Aggregate(_) => {}
        }
        let start = Instant::now();
        let queries = cx.oracle.queries();
        let (joins, moved) = (cx.stats.joins, cx.stats.moved);
        cx.stats.symbolic += 1;
        let resolution = self.resolve_joining(cx, pointer, size, access);
        if let Ok(resolution) = &resolution {
            let mut followed = followed(cx, resolution);
            followed.joins = cx.stats.joins - joins;
            followed.moved = cx.stats.moved - moved;
            cx.stats.places.entry(cx.at).or_default().add(&followed);
        }
        cx.stats.queries += cx.oracle.queries() - queries;
        cx.stats.wall += start.elapsed();
        resolution
    }

    /// A pointer that is an object plus a known offset.
    fn resolve_known(
        &self,
        cx: &mut Cx<'_>,
        object: ObjectId,
        offset: i64,
        size: u64,
        access: AccessKind,
    ) -> Resolution {
        let limit = self.limit(cx.objects, object, size, access);
        let state = self.object(object);
        let then = match state.filter(|_| offset.cast_unsigned() < limit) {
            Some(state) => {
                let position = state.place.offset + offset.cast_unsigned();
                Ok(vec![Target {
                    guard: TRUE,
                    segment: state.place.segment,
                    index: cx.pool.constant(64, position),
                    low: position,
                    high: position,
                    objects: vec![object],
                }])
            }
            None => match self.relative(cx.objects, object, offset) {
                Some((object, offset)) => {
                    return self.resolve_known(cx, object, offset, size, access);
                }
                None => Err(self.fault(cx.objects, object, offset, size, access)),
            },
        };
        always(cx, then)
    }

    /// A pointer that is a plain number.
    fn resolve_address(
        &self,
        cx: &mut Cx<'_>,
        address: u64,
        size: u64,
        access: AccessKind,
    ) -> Resolution {
        if address == 0 && access == AccessKind::Free {
            return always(cx, Ok(Vec::new()));
        }
        match self.find(address) {
            Some((object, offset)) => self.resolve_known(cx, object, offset, size, access),
            None => always(cx, Err(Self::wild(address, size, access))),
        }
    }

    /// Resolves a pointer again after each join that the model wants first. Each makes segments
    /// fewer, or tells the model what it did not know on this path.
    fn resolve_joining(
        &mut self,
        cx: &mut Cx<'_>,
        pointer: ExprId,
        size: u64,
        access: AccessKind,
    ) -> Result<Resolution, Stop> {
        loop {
            let resolution = self.resolve_symbolic(cx, pointer, size, access)?;
            if let Some(choice) = &resolution.choice {
                cx.stats.chosen(cx.at, choice);
                self.model.chosen(cx.at, choice);
            }
            if resolution.join.is_empty() {
                return Ok(resolution);
            }
            self.join(cx, &resolution.join);
        }
    }

    fn resolve_symbolic(
        &self,
        cx: &mut Cx<'_>,
        pointer: ExprId,
        size: u64,
        access: AccessKind,
    ) -> Result<Resolution, Stop> {
        let mut narrow = Narrow::new(cx.pool, cx.pc, pointer);
        let pointer = match tabled::flat(cx.pool, &mut narrow, pointer) {
            Some(table) => table,
            None => prune::prune(cx.pool, &mut narrow, pointer),
        };
        if let Value::Pointer(object, offset) = Value::from_expr(cx.pool, pointer) {
            return Ok(self.resolve_known(cx, object, offset, size, access));
        }
        if let Some(shape) = cx.pool.shape(pointer)
            && (!shape.loose || self.loose_leaves_are_wild(cx.pool, pointer))
        {
            return self.resolve_shaped(cx, pointer, narrow, &shape.objects, size, access);
        }
        let number = cx.pool.number(pointer);
        if let Some(address) = cx.pool.as_u64(number) {
            return Ok(self.resolve_address(cx, address, size, access));
        }
        self.resolve_number(cx, number, narrow, size, access)
    }

    /// Whether every leaf that is no base is a known number which lies in no object, alive or
    /// dead: then following it is a fault whatever is added to it.
    fn loose_leaves_are_wild(&self, pool: &Pool, pointer: ExprId) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![pointer];
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            if pool.has_base(e) {
                match alternatives::pointer_operands(pool, e) {
                    Some(operands) => stack.extend(operands),
                    None => return false,
                }
            } else if pool.as_u64(e).is_none_or(|at| self.find(at).is_some()) {
                return false;
            }
        }
        true
    }

    pub(super) fn resolve_number(
        &self,
        cx: &mut Cx<'_>,
        number: ExprId,
        narrow: Narrow,
        size: u64,
        access: AccessKind,
    ) -> Result<Resolution, Stop> {
        let spots = self.enumerate(cx, number, size, access)?;
        let mut resolution = Resolution::default();
        if let Some(first) = spots.found.first() {
            let model = first.model.clone();
            let mut allowed = TRUE;
            if !spots.faults.is_empty() || spots.null.is_some() {
                allowed = cx.pool.bool(false);
                for found in &spots.found {
                    allowed = cx.pool.or_bool(allowed, found.guard);
                }
            }
            let mut query = ResolutionQuery {
                memory: self,
                narrow,
                cx,
                size,
                access,
                form: Form::Number(number, spots.found),
                allowed,
                model,
            };
            self.partition(&mut query, &mut resolution)?;
        }
        resolution.outcomes.extend(spots.null);
        resolution.outcomes.extend(spots.faults);
        Ok(resolution)
    }

    /// Lets the model partition the candidates. What is freed must be one object, so that freeing
    /// forks under every model.
    fn partition(
        &self,
        query: &mut ResolutionQuery<'_, '_>,
        resolution: &mut Resolution,
    ) -> Result<(), Stop> {
        let Partition {
            outcomes,
            dropped,
            join,
            pieces,
            choice,
        } = match query.access {
            AccessKind::Free => forking::by_object(query)?,
            AccessKind::Read | AccessKind::Write => self.model().partition(query)?,
        };
        resolution.choice = choice;
        if !join.is_empty() {
            resolution.join = join;
            return Ok(());
        }
        let outcomes = match (pieces.or(self.splitting), query.access) {
            (Some(splitting), AccessKind::Read | AccessKind::Write) => {
                query.in_pieces(splitting, outcomes)?
            }
            _ => outcomes,
        };
        let targets = outcomes
            .iter()
            .flat_map(|outcome| outcome.then.iter().flatten());
        let reached: usize = targets.map(|target| target.objects.len()).sum();
        let reached = reached as u64 + u64::from(dropped);
        let stats = &mut *query.cx.stats;
        stats.multiple += u64::from(reached > 1);
        stats.max_targets = stats.max_targets.max(reached);
        stats.dropped += u64::from(dropped);
        resolution.outcomes.extend(outcomes);
        resolution.dropped += dropped;
        Ok(())
    }
}

/// What a resolution has come to, to be counted.
fn followed(cx: &Cx<'_>, resolution: &Resolution) -> Followed {
    let mut followed = Followed {
        count: 1,
        objects: u64::from(resolution.dropped),
        ..Followed::default()
    };
    for outcome in &resolution.outcomes {
        let Ok(targets) = &outcome.then else {
            followed.faults += 1;
            continue;
        };
        followed.ways += 1;
        for &object in targets.iter().flat_map(|target| &target.objects) {
            followed.objects += 1;
            followed.most_bytes += cx.objects.get(object).size;
        }
    }
    followed.most_objects = followed.objects;
    followed.most_ways = followed.ways;
    followed
}

/// The resolution with one outcome, whatever the inputs are.
fn always(cx: &mut Cx<'_>, then: Result<Vec<Target>, crate::fault::Fault>) -> Resolution {
    Resolution {
        outcomes: vec![Outcome {
            guard: TRUE,
            then,
            model: Some(cx.pc.model().clone()),
        }],
        ..Resolution::default()
    }
}
