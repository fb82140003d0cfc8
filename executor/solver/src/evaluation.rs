//! Whether conditions hold under models.
//!
//! A model is looked at once, and the conditions of a path are looked at under thousands of models. One that
//! is large (that a name is none of those in a directory has thousands of nodes) becomes straight-line
//! code when it comes again, which takes a thirtieth of the time of finding the way through its nodes.

use plat_expr::{Assignment, EvalMemo, ExprId, Moves, Pool, Straight, SymbolId, Weak};
use rustc_hash::FxHashMap;

/// A condition of which so many nodes were evaluated at once is large.
const LARGE: usize = 64;
/// The most nodes of a condition that becomes code.
const MOST: usize = 1 << 16;
/// How many steps are kept, of all conditions.
const STEPS: usize = 1 << 22;

/// What is known of a large condition.
enum Condition {
    /// It was evaluated once.
    Seen,
    Code(Box<Straight>, Vec<(SymbolId, u32)>),
    /// It has no code.
    Nodes,
}

/// Large conditions and their code.
#[derive(Default)]
pub(crate) struct Evaluation {
    large: FxHashMap<ExprId, Condition>,
    steps: usize,
    values: Vec<u8>,
}

impl Weak for Evaluation {
    fn forget(&mut self, moves: &Moves) {
        let all = std::mem::take(&mut self.large).into_iter();
        let kept = all.filter_map(|(e, condition)| Some((moves.kept(e)?, condition)));
        self.large = kept.collect();
        let steps = self.large.values().map(|condition| match condition {
            Condition::Code(code, _) => code.len(),
            Condition::Seen | Condition::Nodes => 0,
        });
        self.steps = steps.sum();
    }
}

impl Evaluation {
    /// Whether a condition holds under a model; the memo is that of the model.
    pub fn holds(
        &mut self,
        pool: &Pool,
        condition: ExprId,
        model: &Assignment,
        memo: &mut EvalMemo,
    ) -> bool {
        match self.large.get_mut(&condition) {
            None => {
                let before = memo.len();
                let holds = pool.holds(condition, model, memo);
                if memo.len() >= before + LARGE {
                    self.large.insert(condition, Condition::Seen);
                }
                return holds;
            }
            Some(Condition::Seen) => self.translate(pool, condition),
            Some(Condition::Code(..) | Condition::Nodes) => {}
        }
        match self.large.get_mut(&condition) {
            Some(Condition::Code(code, bytes)) => {
                self.values.clear();
                let values = bytes.iter().map(|&(symbol, at)| model.byte(symbol, at));
                self.values.extend(values);
                code.holds(&self.values)
            }
            _ => pool.holds(condition, model, memo),
        }
    }

    fn translate(&mut self, pool: &Pool, condition: ExprId) {
        if self.steps > STEPS {
            self.large.clear();
            self.steps = 0;
        }
        let bytes: Vec<_> = pool.symbols(condition).iter().collect();
        let code = pool.straight(&[condition], &bytes, MOST);
        self.steps += code.as_ref().map_or(0, Straight::len);
        let known = code.map_or(Condition::Nodes, |code| {
            Condition::Code(Box::new(code), bytes)
        });
        self.large.insert(condition, known);
    }
}
