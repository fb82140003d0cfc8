//! Bounds and lifetime of a pointer-shaped expression.
//!
//! Two readings of the pointer say when the access is right: its *offset* (bases become 0) and
//! its *limit* (bases become the number of starting offsets that are in bounds: 0 for an object
//! that is dead, too small, or read-only when written; leaves that are no base become 0). The
//! access is in bounds iff offset < limit. When all candidates have the same limit and offset,
//! that folds to a constant; otherwise it is the one query of most resolutions.

use super::narrow::Narrow;
use super::{Form, ResolutionQuery};
use crate::cx::Cx;
use crate::fault::{Fault, FaultKind};
use crate::memory::Memory;
use crate::objects::Kind;
use crate::resolution::{AccessKind, Outcome, Resolution, Stop};
use plat_expr::{Assignment, EvalMemo, ExprId, FALSE, ObjectId, TRUE};
use plat_solver::{Branch, Feasible};
use rustc_hash::FxHashMap;

/// Whether a condition can hold and can fail, with examples.
struct Sides {
    holds: Option<Assignment>,
    fails: Option<Assignment>,
}

fn sides(cx: &mut Cx<'_>, condition: ExprId) -> Result<Sides, Stop> {
    let now = || Some(cx.pc.model().clone());
    let (holds, fails) = match cx.oracle.branch(cx.pool, cx.pc, condition) {
        Branch::True => (now(), None),
        Branch::False => (None, now()),
        Branch::Both {
            other,
            model_takes: true,
        } => (now(), Some(other)),
        Branch::Both {
            other,
            model_takes: false,
        } => (Some(other), now()),
        Branch::Unknown(reason) => return Err(Stop::Solver(reason)),
    };
    Ok(Sides { holds, fails })
}

impl Memory {
    pub(super) fn resolve_shaped(
        &self,
        cx: &mut Cx<'_>,
        pointer: ExprId,
        mut narrow: Narrow,
        objects: &[ObjectId],
        size: u64,
        access: AccessKind,
    ) -> Result<Resolution, Stop> {
        let limits: Vec<u64> = objects
            .iter()
            .map(|&object| self.limit(cx.objects, object, size, access))
            .collect();
        let mut limit_of = |object: Option<ObjectId>| {
            let at = object.and_then(|object| objects.binary_search(&object).ok());
            at.map_or(0, |at| limits[at])
        };
        if let Some(values) = narrow.values()
            && (values.iter()).all(|leaf| leaf.value < limit_of(leaf.object))
        {
            let mut resolution = Resolution::default();
            let mut query = ResolutionQuery {
                memory: self,
                narrow,
                model: cx.pc.model().clone(),
                cx,
                size,
                access,
                form: Form::Shaped(pointer, objects.to_vec()),
                allowed: TRUE,
            };
            self.partition(&mut query, &mut resolution)?;
            return Ok(resolution);
        }
        let offset = cx
            .pool
            .offset_reading(pointer, &mut |_| 0, &mut FxHashMap::default());
        let limit = cx
            .pool
            .select_reading(pointer, &mut limit_of, &mut FxHashMap::default());
        let inside = cx.pool.compare(plat_expr::IntPredicate::Ult, offset, limit);

        let mut resolution = Resolution::default();
        let null = self.null(cx, pointer, access);
        let right = cx.pool.or_bool(inside, null);
        let farthest = narrow.interval(cx.pool, offset).1;
        let right = match farthest < narrow.interval(cx.pool, limit).0 {
            true => TRUE,
            false => right,
        };
        let Sides { holds, fails } = sides(cx, right)?;
        let constant = |&object| cx.objects.get(object).kind == Kind::Constant;
        if holds.is_none() && objects.iter().all(constant) {
            // Distances from a constant to other objects, see `Memory::relative`.
            let number = cx.pool.number(pointer);
            return self.resolve_number(cx, number, narrow, size, access);
        }
        let wrong = match &fails {
            Some(_) => cx.pool.not(right),
            None => FALSE,
        };
        let mut inside_model = holds;
        if null != FALSE && inside_model.is_some() {
            inside_model = self.split_null(cx, null, inside, inside_model, &mut resolution)?;
        }
        if let Some(model) = inside_model {
            // Given the path condition, being inside is the same as being right but not null.
            let allowed = if fails.is_none() && resolution.outcomes.is_empty() {
                TRUE
            } else {
                inside
            };
            let mut query = ResolutionQuery {
                memory: self,
                narrow,
                cx,
                size,
                access,
                form: Form::Shaped(pointer, objects.to_vec()),
                allowed,
                model,
            };
            let nulls = std::mem::take(&mut resolution.outcomes);
            self.partition(&mut query, &mut resolution)?;
            if !resolution.join.is_empty() {
                return Ok(resolution);
            }
            resolution.outcomes.extend(nulls);
        }
        if let Some(model) = fails {
            let mut wrongs = Wrongs {
                memory: self,
                pointer,
                objects,
                offset,
                size,
                access,
                guard: if resolution.outcomes.is_empty() {
                    TRUE
                } else {
                    wrong
                },
            };
            resolution.outcomes.extend(wrongs.outcomes(cx, model)?);
        }
        Ok(resolution)
    }

    /// When a pointer that is freed is null.
    fn null(&self, cx: &mut Cx<'_>, pointer: ExprId, access: AccessKind) -> ExprId {
        if access != AccessKind::Free {
            return FALSE;
        }
        let (number, zero) = (cx.pool.number(pointer), cx.pool.constant(64, 0));
        cx.pool.eq(number, zero)
    }

    /// Adds the outcome in which null is freed; the model of the other side.
    fn split_null(
        &self,
        cx: &mut Cx<'_>,
        null: ExprId,
        inside: ExprId,
        holds: Option<Assignment>,
        resolution: &mut Resolution,
    ) -> Result<Option<Assignment>, Stop> {
        let mut find = |condition: ExprId| {
            if let Some(model) = &holds
                && (cx.pool).holds(condition, model, &mut EvalMemo::default())
            {
                return Ok(holds.clone());
            }
            match cx.oracle.feasible(cx.pool, cx.pc, condition) {
                Feasible::Yes(model) => Ok(Some(model)),
                Feasible::No => Ok(None),
                Feasible::Unknown(reason) => Err(Stop::Solver(reason)),
            }
        };
        let (when_null, when_inside) = (find(null)?, find(inside)?);
        if let Some(model) = when_null {
            resolution.outcomes.push(Outcome {
                guard: null,
                then: Ok(Vec::new()),
                model: Some(model),
            });
        }
        Ok(when_inside)
    }
}

/// The class of pointers that belong to no object; the others are kinds of faults.
const WILD: u64 = u64::MAX;

/// The faults of one access.
struct Wrongs<'a> {
    memory: &'a Memory,
    pointer: ExprId,
    objects: &'a [ObjectId],
    offset: ExprId,
    size: u64,
    access: AccessKind,
    /// When something is wrong.
    guard: ExprId,
}

impl Wrongs<'_> {
    /// One outcome for each class of fault that is possible: a kind of fault for each object, and
    /// one class for leaves that are no object. `model` shows one of them.
    fn outcomes(&mut self, cx: &mut Cx<'_>, model: Assignment) -> Result<Vec<Outcome>, Stop> {
        let classes: Vec<u64> = self
            .objects
            .iter()
            .map(|&object| self.class(cx, object))
            .collect();
        let mut class_of = |object: Option<ObjectId>| {
            let at = object.and_then(|object| self.objects.binary_search(&object).ok());
            at.map_or(WILD, |at| classes[at])
        };
        let class = cx
            .pool
            .select_reading(self.pointer, &mut class_of, &mut FxHashMap::default());
        let class = match self.access {
            AccessKind::Free => self.unless_interior(cx, class),
            AccessKind::Read | AccessKind::Write => class,
        };
        let mut outcomes: Vec<(u64, Outcome)> = Vec::new();
        let mut left = self.guard;
        let mut next = Some(model);
        while let Some(model) = next {
            let seen = cx.pool.eval(class, &model, &mut EvalMemo::default());
            let code = cx.pool.constant(64, seen);
            let same = cx.pool.eq(class, code);
            let guard = cx.pool.and_bool(self.guard, same);
            let fault = self.fault(cx, &model);
            let then = Err(fault);
            let model = Some(model);
            outcomes.push((seen, Outcome { guard, then, model }));
            if same == TRUE {
                break;
            }
            let others = cx.pool.not(same);
            left = cx.pool.and_bool(left, others);
            next = match cx.oracle.feasible(cx.pool, cx.pc, left) {
                Feasible::Yes(model) => Some(model),
                Feasible::No => None,
                Feasible::Unknown(reason) => return Err(Stop::Solver(reason)),
            };
        }
        if let [(_, only)] = outcomes.as_mut_slice() {
            only.guard = self.guard;
        }
        outcomes.sort_by_key(|(class, _)| *class);
        Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
    }

    /// What is freed must be a start before it matters of what.
    fn unless_interior(&self, cx: &mut Cx<'_>, class: ExprId) -> ExprId {
        let zero = cx.pool.constant(64, 0);
        let at_start = cx.pool.eq(self.offset, zero);
        let interior = cx.pool.constant(64, FaultKind::InvalidFree as u64);
        cx.pool.ite(at_start, class, interior)
    }

    /// The kind of fault at the start of an object; where that is allowed, the fault is to be
    /// out of its bounds.
    fn class(&self, cx: &Cx<'_>, object: ObjectId) -> u64 {
        let limit = self
            .memory
            .limit(cx.objects, object, self.size, self.access);
        let kind = match self.access {
            AccessKind::Free if limit > 0 => FaultKind::InvalidFree,
            _ if limit > 0 => FaultKind::OutOfBounds,
            _ => {
                let (size, access) = (self.size, self.access);
                self.memory.fault(cx.objects, object, 0, size, access).kind
            }
        };
        kind as u64
    }

    /// The fault that happens under an assignment.
    fn fault(&self, cx: &mut Cx<'_>, model: &Assignment) -> Fault {
        let mut which_of = |object: Option<ObjectId>| object.map_or(0, |o| u64::from(o.0) + 1);
        let which = cx
            .pool
            .select_reading(self.pointer, &mut which_of, &mut FxHashMap::default());
        let memo = &mut EvalMemo::default();
        let which = cx.pool.eval(which, model, memo);
        let offset = cx.pool.eval(self.offset, model, memo).cast_signed();
        let object = ObjectId((which as u32).wrapping_sub(1));
        if which != 0 && self.objects.binary_search(&object).is_ok() {
            let (size, access) = (self.size, self.access);
            return self.memory.fault(cx.objects, object, offset, size, access);
        }
        let address = cx.pool.eval(self.pointer, model, memo);
        Memory::wild(address, self.size, self.access)
    }
}
