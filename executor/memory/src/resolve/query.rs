//! What a memory model is asked, and the answers it can put together.
//!
//! By the time a model is asked, the faults are dealt with: [`ResolutionQuery::allowed`] says when the
//! access is in bounds of one of the candidates, and only then do the alternatives count.

use super::alternatives::{KeyOf, alternatives};
use super::narrow::Narrow;
use crate::cx::Cx;
use crate::join::Part;
use crate::memory::Memory;
use crate::model::policy::Way;
use crate::objects::{Kind, Objects};
use crate::resolution::{AccessKind, Outcome, SegmentIndex, Stop, Target};
use crate::state::ObjectState;
use crate::storage::positions::Positions;
use plat_expr::{Assignment, EvalMemo, ExprId, Leaf, ObjectId};
use plat_program::InstId;
use plat_solver::{Effort, Feasible};
use rustc_hash::FxHashMap;

/// A read at more possible positions than this is not turned into an expression.
const MAX_READ: u64 = 1 << 22;

/// The same for writes, which make an expression for each position.
const MAX_WRITE: u64 = 1 << 18;

/// With more positions than this, the solver is asked for the bounds of the index: a few queries
/// more here, and smaller ones from then on.
const ASK_BOUNDS: u64 = 1 << 12;

/// The work of each of these queries. The bounds of a hash take long to prove and exclude little:
/// only where there are too many positions is it worth more.
const BOUNDS_EFFORT: Effort = Effort::of(1 << 20);

/// An object that a pointer made by arithmetic can lead to.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub object: ObjectId,
    pub guard: ExprId,
    pub model: Assignment,
}

/// What the candidates are known from.
pub(crate) enum Form {
    /// The pointer's expression, which is pointer-shaped; the objects in it, sorted.
    Shaped(ExprId, Vec<ObjectId>),
    /// The pointer's number; the objects that it can lie in, all feasible, in address order.
    Number(ExprId, Vec<Found>),
}

/// A group of objects with the same key, as one place to go to.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// When it is this one; exact among the alternatives of a pointer that is in bounds.
    guard: ExprId,
    segment: SegmentIndex,
    index: ExprId,
    low: u64,
    high: u64,
    objects: Vec<ObjectId>,
    model: Option<Assignment>,
}

impl Alternative {
    /// The segment that it is in.
    pub fn segment(&self) -> SegmentIndex {
        self.segment
    }

    /// Whether it is known to be feasible.
    pub fn is_feasible(&self) -> bool {
        self.model.is_some()
    }
}

/// A symbolic pointer to divide among paths.
pub struct ResolutionQuery<'a, 'b> {
    pub(crate) memory: &'a Memory,
    pub(crate) cx: &'a mut Cx<'b>,
    pub(crate) size: u64,
    pub(crate) access: AccessKind,
    pub(crate) form: Form,
    /// When the access is in bounds of a candidate; true if it always is.
    pub(crate) allowed: ExprId,
    /// Satisfies the path condition and `allowed`.
    pub(crate) model: Assignment,
    /// What the path condition says about parts of the pointer.
    pub(crate) narrow: Narrow,
}

impl ResolutionQuery<'_, '_> {
    /// The candidates, grouped by `key`, which must tell segments apart.
    pub fn alternatives(
        &mut self,
        key: &dyn Fn(ObjectId, &ObjectState) -> u32,
    ) -> Vec<Alternative> {
        let memory = self.memory;
        let found = match &self.form {
            Form::Shaped(pointer, objects) => {
                let (pointer, objects) = (*pointer, objects.clone());
                self.shaped(pointer, &objects, key)
            }
            Form::Number(number, found) => {
                let (number, found) = (*number, found.clone());
                self.numbered(number, &found, key)
            }
        };
        debug_assert!(found.iter().all(|one| {
            let mut states = one
                .objects
                .iter()
                .filter_map(|&object| memory.object(object));
            states.all(|state| state.place.segment == one.segment)
        }));
        found
    }

    /// The instruction that makes the access, if it is known.
    pub fn at(&self) -> Option<InstId> {
        self.cx.at
    }

    /// How the user wants pointers at this instruction to be followed.
    pub fn pinned(&self) -> Option<Way> {
        self.memory.pins.get(&self.cx.at?).copied()
    }

    /// An alternative as a part to put together with others.
    pub fn part(&self, alternative: &Alternative) -> Part {
        let object = alternative.objects[0];
        Part {
            segment: alternative.segment,
            object,
            info: *self.cx.objects.get(object),
        }
    }

    /// The positions at which an access to `object` can start.
    fn span(&self, object: ObjectId) -> Option<(u64, u64)> {
        let limit = (self.memory).limit(self.cx.objects, object, self.size, self.access);
        let state = self.memory.object(object)?;
        let start = state.place.offset;
        (limit > 0).then(|| (start, start + limit - 1))
    }

    fn shaped(
        &mut self,
        pointer: ExprId,
        objects: &[ObjectId],
        key: &dyn Fn(ObjectId, &ObjectState) -> u32,
    ) -> Vec<Alternative> {
        let memory = self.memory;
        let spans: Vec<_> = objects.iter().map(|&object| self.span(object)).collect();
        let reached = self.reached(objects, &spans);
        // An object that the pointer does not lead to is as one that cannot be accessed.
        let possible =
            |at: usize| spans[at].filter(|_| reached.as_ref().is_none_or(|all| all[at].is_some()));
        let leaf: &KeyOf<'_> = &|object| {
            let at = objects.binary_search(&object).ok()?;
            let (start, _) = possible(at)?;
            Some((key(object, memory.object(object)?), start))
        };
        let branches = alternatives(self.cx.pool, pointer, &mut self.narrow, leaf);
        let branches = branches.expect("the pointer is pointer-shaped");
        let mut found = Vec::with_capacity(branches.len());
        for branch in branches {
            let mut alternative = Alternative {
                guard: branch.guard,
                segment: SegmentIndex(u32::MAX),
                index: branch.index,
                low: u64::MAX,
                high: 0,
                objects: Vec::new(),
                model: None,
            };
            for (at, &object) in objects.iter().enumerate() {
                let (Some(span), Some(state)) = (possible(at), memory.object(object)) else {
                    continue;
                };
                if key(object, state) == branch.key {
                    let known = reached.as_ref().and_then(|all| all[at]);
                    let (low, high) = known.unwrap_or(span);
                    alternative.segment = state.place.segment;
                    alternative.low = alternative.low.min(low);
                    alternative.high = alternative.high.max(high);
                    alternative.objects.push(object);
                }
            }
            if reached.is_none() {
                let (low, high) = self.narrow.interval(self.cx.pool, branch.index);
                alternative.low = alternative.low.max(low);
                alternative.high = alternative.high.min(high);
            }
            if alternative.low <= alternative.high {
                found.push(alternative);
            }
        }
        found
    }

    /// For each object, the least and the greatest position that the pointer can have in it, if its
    /// values are listed.
    fn reached(
        &self,
        objects: &[ObjectId],
        spans: &[Option<(u64, u64)>],
    ) -> Option<Vec<Option<(u64, u64)>>> {
        let mut reached = vec![None; objects.len()];
        for leaf in self.narrow.values()?.iter() {
            let at = leaf.object.and_then(|of| objects.binary_search(&of).ok());
            let Some((at, (start, end))) = at.and_then(|at| Some((at, spans[at]?))) else {
                continue;
            };
            if leaf.value <= end - start {
                let position = start + leaf.value;
                let (low, high) = reached[at].unwrap_or((position, position));
                reached[at] = Some((low.min(position), high.max(position)));
            }
        }
        Some(reached)
    }

    fn numbered(
        &mut self,
        number: ExprId,
        objects: &[Found],
        key: &dyn Fn(ObjectId, &ObjectState) -> u32,
    ) -> Vec<Alternative> {
        let memory = self.memory;
        let mut keyed: Vec<(u32, Alternative)> = Vec::new();
        for found in objects {
            let (Some((low, high)), Some(state)) =
                (self.span(found.object), memory.object(found.object))
            else {
                continue;
            };
            let start = self.cx.objects.get(found.object).number;
            let pool = &mut *self.cx.pool;
            let shift = pool.constant(64, low.wrapping_sub(start));
            let index = pool.add(number, shift);
            let key = key(found.object, state);
            match keyed.iter_mut().find(|(other, _)| *other == key) {
                None => keyed.push((
                    key,
                    Alternative {
                        guard: found.guard,
                        segment: state.place.segment,
                        index,
                        low,
                        high,
                        objects: vec![found.object],
                        model: Some(found.model.clone()),
                    },
                )),
                Some((_, alternative)) => {
                    alternative.index = pool.ite(found.guard, index, alternative.index);
                    alternative.guard = pool.or_bool(alternative.guard, found.guard);
                    alternative.low = alternative.low.min(low);
                    alternative.high = alternative.high.max(high);
                    alternative.objects.push(found.object);
                }
            }
        }
        keyed.sort_by_key(|(key, _)| *key);
        let mut all: Vec<_> = keyed.into_iter().map(|(_, one)| one).collect();
        for alternative in &mut all {
            alternative.objects.sort_unstable();
        }
        all
    }

    /// The alternatives that the path condition allows, each with an assignment that leads there.
    ///
    /// The assignment at hand shows one for free. Each query then asks for one that has not been
    /// seen yet; its answer shows the next. So `k` feasible alternatives cost `k` queries at
    /// most, however many there are.
    pub fn feasible(&mut self, alternatives: Vec<Alternative>) -> Result<Vec<Alternative>, Stop> {
        let mut alternatives = alternatives;
        self.explore(&mut alternatives, &|_, _| false)?;
        alternatives.retain(Alternative::is_feasible);
        Ok(alternatives)
    }

    /// Finds out which alternatives are feasible. Nothing is asked about those that are `settled`,
    /// given the alternatives as they are known by then.
    pub fn explore(
        &mut self,
        alternatives: &mut [Alternative],
        settled: &dyn Fn(&[Alternative], usize) -> bool,
    ) -> Result<(), Stop> {
        if let Form::Number(..) = self.form {
            return Ok(());
        }
        if self.explore_tables(alternatives, settled).is_some() {
            return Ok(());
        }
        let mut model = self.model.clone();
        // More may be asked about alternatives of which some are known.
        let mut known = alternatives.iter().any(Alternative::is_feasible);
        loop {
            match self.holding(alternatives, &model) {
                Some(at) if alternatives[at].model.is_none() => {
                    alternatives[at].model = Some(model);
                }
                Some(_) if std::mem::take(&mut known) => {}
                _ => {
                    let reason = "a model satisfies none of the alternatives that are left";
                    return Err(Stop::Solver(reason.into()));
                }
            }
            let open = |&at: &usize| !alternatives[at].is_feasible() && !settled(alternatives, at);
            let open = (0..alternatives.len()).filter(open);
            let unseen: Vec<ExprId> = open.map(|at| alternatives[at].guard).collect();
            if unseen.is_empty() {
                return Ok(());
            }
            let pool = &mut *self.cx.pool;
            let mut another = pool.bool(false);
            for guard in unseen {
                another = pool.or_bool(another, guard);
            }
            let another = pool.and_bool(self.allowed, another);
            match self.cx.oracle.feasible(pool, self.cx.pc, another) {
                Feasible::Yes(next) => model = next,
                Feasible::No => return Ok(()),
                Feasible::Unknown(reason) => return Err(Stop::Solver(reason)),
            }
        }
    }

    /// The same by look-ups, if pointer and constraints are about one or two bytes.
    fn explore_tables(
        &mut self,
        alternatives: &mut [Alternative],
        settled: &dyn Fn(&[Alternative], usize) -> bool,
    ) -> Option<()> {
        let (pool, pc) = (&*self.cx.pool, self.cx.pc);
        let condition = self.narrow.and(pool, self.allowed)?;
        // Which of them it is: the guards say the same, but each is an expression of its own.
        let places = alternatives.iter().zip(1..);
        let places = places.flat_map(|(one, at)| one.objects.iter().map(move |&of| (of, at)));
        let places: FxHashMap<ObjectId, u64> = places.collect();
        let place = |leaf: Leaf| places.get(&leaf.object?).copied();
        let which = pool.diagram_map(self.narrow.pointer()?, &|leaf| {
            Leaf::number(place(leaf).unwrap_or(0))
        })?;
        let reached = pool.diagram_leaves_under(which, condition, alternatives.len() + 1)?;
        let now = pool.diagram_value(which, &self.model).value;
        alternatives.get_mut((now as usize).checked_sub(1)?)?.model = Some(self.model.clone());
        for leaf in reached.iter().filter(|leaf| leaf.value > 0) {
            let at = leaf.value as usize - 1;
            if !alternatives[at].is_feasible() && !settled(alternatives, at) {
                let is_it = |other: Leaf| Leaf::number(u64::from(other == *leaf));
                let here = pool.diagram_and(condition, pool.diagram_map(which, &is_it)?)?;
                alternatives[at].model = pc.model_under(pool, here);
            }
        }
        Some(())
    }

    /// The alternative whose guard holds under an assignment.
    fn holding(&mut self, alternatives: &[Alternative], model: &Assignment) -> Option<usize> {
        let mut memo = EvalMemo::default();
        let pool = &mut *self.cx.pool;
        alternatives
            .iter()
            .position(|alternative| pool.eval(alternative.guard, model, &mut memo) == 1)
    }

    /// The alternative that the assignment at hand leads to, and how many objects are given up by
    /// following it alone: 0 if the solver says that the pointer leads nowhere else.
    pub fn one(&mut self, alternatives: Vec<Alternative>) -> Result<(Alternative, u32), Stop> {
        let model = self.model.clone();
        let Some(at) = self.holding(&alternatives, &model) else {
            let reason = "a model satisfies none of the alternatives";
            return Err(Stop::Solver(reason.into()));
        };
        let others = alternatives.len() as u32 - 1;
        let mut chosen = alternatives
            .into_iter()
            .nth(at)
            .expect("the position exists");
        chosen.model = Some(model);
        if others == 0 {
            return Ok((chosen, 0));
        }
        let pool = &mut *self.cx.pool;
        let elsewhere = pool.not(chosen.guard);
        let elsewhere = pool.and_bool(self.allowed, elsewhere);
        match self.cx.oracle.feasible(pool, self.cx.pc, elsewhere) {
            Feasible::Yes(_) => Ok((chosen, others)),
            Feasible::No => Ok((chosen, 0)),
            Feasible::Unknown(reason) => Err(Stop::Solver(reason)),
        }
    }

    /// An outcome of its own for an alternative.
    pub fn outcome(&mut self, alternative: Alternative) -> Result<Outcome, Stop> {
        let guard = self.cx.pool.and_bool(alternative.guard, self.allowed);
        let model = alternative.model.clone();
        let always = self.cx.pool.bool(true);
        let target = self.target(alternative, always)?;
        Ok(Outcome {
            guard,
            then: Ok(vec![target]),
            model,
        })
    }

    /// One outcome for all alternatives.
    pub fn merged(&mut self, alternatives: Vec<Alternative>) -> Result<Outcome, Stop> {
        let count = alternatives.len();
        let mut targets = Vec::with_capacity(count);
        for (at, alternative) in alternatives.into_iter().enumerate() {
            let last = at + 1 == count;
            let guard = match last {
                true => self.cx.pool.bool(true),
                false => alternative.guard,
            };
            targets.push(self.target(alternative, guard)?);
        }
        Ok(Outcome {
            guard: self.allowed,
            then: Ok(targets),
            model: Some(self.model.clone()),
        })
    }

    /// One outcome for all heap objects, and one for each other object.
    pub fn merged_heap(&mut self, alternatives: Vec<Alternative>) -> Result<Vec<Outcome>, Stop> {
        let is_heap = |alternative: &Alternative, objects: &Objects| {
            let kinds = alternative.objects.iter();
            kinds
                .map(|&object| objects.get(object).kind)
                .all(|kind| kind == Kind::Heap)
        };
        if alternatives.iter().all(|one| is_heap(one, self.cx.objects)) {
            return Ok(vec![self.merged(alternatives)?]);
        }
        let feasible = self.feasible(alternatives)?;
        let objects = &*self.cx.objects;
        let (heap, others): (Vec<_>, Vec<_>) =
            feasible.into_iter().partition(|one| is_heap(one, objects));
        let mut outcomes = Vec::new();
        if let Some(first) = heap.first() {
            let model = first.model.clone();
            let mut guard = first.guard;
            for other in &heap[1..] {
                guard = self.cx.pool.or_bool(guard, other.guard);
            }
            let mut outcome = self.merged(heap)?;
            outcome.guard = self.cx.pool.and_bool(guard, outcome.guard);
            outcome.model = model;
            outcomes.push(outcome);
        }
        for other in others {
            outcomes.push(self.outcome(other)?);
        }
        Ok(outcomes)
    }

    /// The number of positions of an index between two values.
    fn positions(&self, index: ExprId, low: u64, high: u64) -> u64 {
        Positions::of(self.cx.pool, index, low, high).map_or(0, Positions::count)
    }

    fn target(&mut self, alternative: Alternative, guard: ExprId) -> Result<Target, Stop> {
        let Alternative {
            segment,
            index,
            mut low,
            mut high,
            objects,
            ..
        } = alternative;
        let most = match self.access {
            AccessKind::Write => MAX_WRITE,
            AccessKind::Read | AccessKind::Free => MAX_READ,
        };
        for (limit, effort) in [(ASK_BOUNDS, BOUNDS_EFFORT), (most, Effort::FULL)] {
            if self.positions(index, low, high) > limit {
                let (pool, pc) = (&mut *self.cx.pool, self.cx.pc);
                let (least, greatest) = self.cx.oracle.bounds_within(pool, pc, index, effort);
                if least.max(low) <= greatest.min(high) {
                    (low, high) = (least.max(low), greatest.min(high));
                }
            }
        }
        let positions = self.positions(index, low, high);
        if positions > most {
            return Err(Stop::TooManyPositions(positions));
        }
        Ok(Target {
            guard,
            segment,
            index,
            low,
            high,
            objects,
        })
    }
}
