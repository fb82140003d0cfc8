//! The path condition of a merged state.

use crate::path::PathCondition;
use plat_expr::{ExprId, Pool, TRUE};
use std::collections::HashSet;

impl PathCondition {
    /// The disjunction of both path conditions, and the condition under which this path is the one
    /// taken: its constraints that the other does not have. Keeps this path's model.
    pub fn join(&self, pool: &mut Pool, other: &Self) -> (Self, ExprId) {
        let (mine, theirs): (HashSet<ExprId>, HashSet<ExprId>) =
            (self.constraints().collect(), other.constraints().collect());
        let difference = |pool: &mut Pool, of: &Self, without: &HashSet<ExprId>| {
            let own = of.constraints().filter(|one| !without.contains(one));
            own.fold(TRUE, |all, one| pool.and(all, one))
        };
        let here = difference(pool, self, &theirs);
        let there = difference(pool, other, &mine);
        let mut joined = Self::new();
        joined.set_model(self.model().clone());
        for one in self.constraints().filter(|one| theirs.contains(one)) {
            joined.add(pool, one, self.model());
        }
        let either = pool.or(here, there);
        joined.add(pool, either, self.model());
        (joined, here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_expr::{Assignment, EvalMemo, IntPredicate, SymbolId};

    fn assignment(symbol: SymbolId, values: [u8; 2]) -> Assignment {
        let mut assignment = Assignment::new();
        assignment.set(symbol, values.to_vec());
        assignment
    }

    #[test]
    fn the_joined_condition_holds_where_one_of_the_two_does() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("x", 0, 2);
        let bytes = [pool.symbol_byte(symbol, 0), pool.symbol_byte(symbol, 1)];
        let mut below = |at: usize, bound: u64| {
            let bound = pool.constant(8, bound);
            pool.compare(IntPredicate::Ult, bytes[at], bound)
        };
        let (common, left, last) = (below(0, 200), below(0, 5), below(1, 9));
        let right = pool.not(left);
        let path = |pool: &mut Pool, parts: &[ExprId], values: [u8; 2]| {
            let model = assignment(symbol, values);
            let mut path = PathCondition::new();
            for &part in parts {
                path.add(pool, part, &model);
            }
            path
        };
        let one = path(&mut pool, &[common, left], [1, 0]);
        let two = path(&mut pool, &[common, right, last], [7, 3]);
        let (joined, here) = one.join(&mut pool, &two);
        let holds = |pool: &Pool, path: &PathCondition, model: &Assignment| {
            let mut memo = EvalMemo::default();
            path.constraints()
                .all(|one| pool.eval(one, model, &mut memo) == 1)
        };
        for values in (0..=255).flat_map(|x| [[x, 0], [x, 8], [x, 9], [x, 255]]) {
            let model = assignment(symbol, values);
            let (a, b) = (holds(&pool, &one, &model), holds(&pool, &two, &model));
            assert_eq!(holds(&pool, &joined, &model), a || b, "{values:?}");
            if a || b {
                let first = pool.eval(here, &model, &mut EvalMemo::default()) == 1;
                assert_eq!(first, a, "{values:?}");
            }
        }
        assert!(holds(&pool, &joined, joined.model()));
    }
}
