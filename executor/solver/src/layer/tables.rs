//! Decides constraints on one or two input bytes by their diagrams: the tables of all inputs.
//!
//! A program that looks up in a hash table what it read asks hundreds of questions about two
//! characters: is this bucket empty, is this the node, has it that length. Each constraint has its
//! diagram ([`plat_expr::Diagram`]), each prefix of a path condition has the conjunction of its own, and
//! a query is one more conjunction. So a question costs what its new expressions cost, once.
//!
//! Here only diagrams of few different values are made; [`super::enumeration`], which tries all inputs
//! otherwise, makes the others.

use plat_expr::{Assignment, Diagram, ExprId, Pool};

use super::decide::Decide;
use crate::answer::{Answer, Query};
use crate::path::PathCondition;

/// Input bytes of a query that may have diagrams.
const BYTES: usize = 2;

/// The layer.
#[derive(Default)]
pub struct Tables;

plat_expr::holder!(Tables {});

impl Decide for Tables {
    const NAME: &'static str = "tables";

    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer> {
        decide(pool, query.constraints, &mut 0)
    }
}

/// The answer, if all constraints together are about few bytes and have diagrams within an allowance.
pub(crate) fn decide(pool: &Pool, constraints: &[ExprId], allowance: &mut usize) -> Option<Answer> {
    few_bytes(pool, constraints).then_some(())?;
    let condition = conjunction(pool, constraints, allowance)?;
    Some(answer(pool, condition))
}

/// Whether constraints depend on no more bytes than expressions with diagrams.
pub(crate) fn few_bytes(pool: &Pool, constraints: &[ExprId]) -> bool {
    let mut all = [None; BYTES];
    for &constraint in constraints {
        let bytes = pool.symbols(constraint);
        if bytes.len() > BYTES {
            return false;
        }
        for byte in bytes.iter() {
            let known = all
                .iter()
                .position(|&other| other.is_none_or(|of| of == byte));
            let Some(at) = known else { return false };
            all[at] = Some(byte);
        }
    }
    true
}

/// The condition that all hold.
fn conjunction(pool: &Pool, constraints: &[ExprId], allowance: &mut usize) -> Option<Diagram> {
    let mut condition = pool.diagram_true();
    for &constraint in constraints {
        let of = pool.diagram_within(constraint, allowance)?;
        condition = pool.diagram_and_within(condition, of, allowance)?;
    }
    Some(condition)
}

impl PathCondition {
    /// When all constraints that matter to `e` hold, if these and `e` are about one or two bytes.
    pub fn diagram(&self, pool: &Pool, e: ExprId) -> Option<Diagram> {
        if pool.symbols(e).len() > BYTES {
            return None;
        }
        let relevant = self.relevant(pool, e);
        if self.relevant_bytes(pool, e).len() > BYTES {
            return None;
        }
        // What memory models decide by it must not depend on what other paths have asked.
        let mut unlimited = usize::MAX;
        conjunction(pool, &relevant, &mut unlimited)
    }

    /// An assignment under which `condition` holds, which must imply the constraints on its bytes.
    /// Other bytes are those of the path condition's model. `None` if it never holds.
    pub fn model_under(&self, pool: &Pool, condition: Diagram) -> Option<Assignment> {
        let mut model = self.model().clone();
        for ((symbol, index), value) in pool.diagram_model(condition)? {
            model.set_byte(symbol, index, value);
        }
        Some(model)
    }
}

/// Whether a condition can hold.
fn answer(pool: &Pool, condition: Diagram) -> Answer {
    let Some(model) = pool.diagram_model(condition) else {
        return Answer::Unsat;
    };
    let mut assignment = Assignment::new();
    for ((symbol, index), value) in model {
        assignment.set_byte(symbol, index, value);
    }
    Answer::Sat(assignment)
}
