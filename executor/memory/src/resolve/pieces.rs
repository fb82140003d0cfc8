//! Splitting large objects into pieces ("Relocatable Addressing Model for Symbolic Execution",
//! section 2.4).
//!
//! What is larger than the threshold is seen as adjacent pieces of equal size, and an access at a
//! symbolic position is followed on a path for each piece that it can start in. So whatever is made
//! of the access is as large as a piece and not as the object.
//!
//! In the paper each piece becomes an object with an array of its own. Here a piece is a range of
//! positions: contents at a symbolic position become a table of the feasible range only, and writes
//! that are pending count where their ranges overlap, so that a range is all that a smaller array
//! would be. Bounds stay those of the object, an access may go on behind the end of its piece, and a
//! segment that was put together of several objects is split like one large object.

use super::ResolutionQuery;
use crate::resolution::{Outcome, Stop, Target};
use plat_expr::{Assignment, EvalMemo, ExprId};
use plat_solver::Feasible;

/// Which objects are split, and into what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Splitting {
    /// Objects of more bytes than this are split.
    pub threshold: u64,
    /// The bytes of a piece, at least 1.
    pub piece: u64,
}

impl ResolutionQuery<'_, '_> {
    /// The outcomes with those among them divided that lead into large objects.
    pub(crate) fn in_pieces(
        &mut self,
        splitting: Splitting,
        outcomes: Vec<Outcome>,
    ) -> Result<Vec<Outcome>, Stop> {
        let mut divided = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            let target = match outcome.then.as_deref() {
                Ok([target]) if self.is_split(splitting, target) => target.clone(),
                _ => {
                    divided.push(outcome);
                    continue;
                }
            };
            self.divide(splitting.piece.max(1), outcome, &target, &mut divided)?;
        }
        Ok(divided)
    }

    /// Whether a target is in what is larger than the threshold, and in several pieces of it.
    fn is_split(&self, splitting: Splitting, target: &Target) -> bool {
        let Splitting { threshold, piece } = splitting;
        let piece = piece.max(1);
        if target.low / piece == target.high / piece {
            return false;
        }
        let ends = target.objects.iter().filter_map(|&object| {
            let start = self.memory.object(object)?.place.offset;
            Some((start, start + self.cx.objects.get(object).size))
        });
        let all = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        all.is_some_and(|(start, end)| end - start > threshold)
    }

    /// Adds an outcome for each feasible piece of a target.
    fn divide(
        &mut self,
        piece: u64,
        outcome: Outcome,
        target: &Target,
        divided: &mut Vec<Outcome>,
    ) -> Result<(), Stop> {
        let mut left = outcome.guard;
        let mut next = match outcome.model {
            Some(model) => Some(model),
            None => self.model_of(left)?,
        };
        let mut found: Vec<(u64, Outcome)> = Vec::new();
        while let Some(model) = next {
            let pool = &mut *self.cx.pool;
            let index = pool.number(target.index);
            let at = pool.eval(index, &model, &mut EvalMemo::default()) / piece;
            let low = target.low.max(at * piece);
            let high = target.high.min(at * piece + (piece - 1));
            if low > high || found.iter().any(|(known, _)| *known == at) {
                return Err(Stop::Solver("a model contradicts its query".into()));
            }
            // Two comparisons, so that the path condition tells the bounds of the index later.
            let (first, last) = (pool.constant(64, low), pool.constant(64, high));
            let (above, below) = (pool.ule(first, index), pool.ule(index, last));
            let here = pool.and_bool(above, below);
            let elsewhere = pool.not(here);
            left = pool.and_bool(left, elsewhere);
            let guard = pool.and_bool(outcome.guard, here);
            let target = Target {
                low,
                high,
                ..target.clone()
            };
            let part = Outcome {
                guard,
                then: Ok(vec![target]),
                model: Some(model),
            };
            found.push((at, part));
            next = self.model_of(left)?;
        }
        found.sort_by_key(|(at, _)| *at);
        divided.extend(found.into_iter().map(|(_, outcome)| outcome));
        Ok(())
    }

    fn model_of(&mut self, condition: ExprId) -> Result<Option<Assignment>, Stop> {
        match self.cx.oracle.feasible(self.cx.pool, self.cx.pc, condition) {
            Feasible::Yes(model) => Ok(Some(model)),
            Feasible::No => Ok(None),
            Feasible::Unknown(reason) => Err(Stop::Solver(reason)),
        }
    }
}
