//! Evaluation caches for a few assignments. The model of one state is evaluated again and again on
//! expressions that share most of their nodes.

use plat_expr::{Assignment, EvalMemo, ExprId, Moves, Pool, Weak};

/// How many assignments are kept. Each state runs for a while, so a few are enough.
const ASSIGNMENTS: usize = 16;
/// How many values are kept for one assignment before they are dropped.
const VALUES: usize = 1 << 20;

/// Assignments with the values computed under them, in LRU order, the newest last.
#[derive(Default)]
pub(crate) struct EvalMemos(Vec<(Assignment, EvalMemo)>);

impl Weak for EvalMemos {
    fn forget(&mut self, moves: &Moves) {
        self.0.forget(moves);
    }
}

impl EvalMemos {
    /// The memo of an assignment.
    pub fn of(&mut self, assignment: &Assignment) -> &mut EvalMemo {
        let found = self.0.iter().rposition(|(known, _)| known.same(assignment));
        let mut entry = match found {
            Some(at) => self.0.remove(at),
            None => {
                if self.0.len() == ASSIGNMENTS {
                    self.0.remove(0);
                }
                (assignment.clone(), EvalMemo::new())
            }
        };
        if entry.1.len() > VALUES {
            entry.1 = EvalMemo::new();
        }
        self.0.push(entry);
        let last = self.0.len() - 1;
        &mut self.0[last].1
    }

    /// The value of `e` under an assignment.
    pub fn eval(&mut self, pool: &Pool, e: ExprId, assignment: &Assignment) -> u64 {
        pool.eval(e, assignment, self.of(assignment))
    }
}
