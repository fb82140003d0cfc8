//! Caches: they keep no expression alive, and forget what nobody else holds.

use super::{Moves, Plain};
use crate::ids::{ExprId, TableId};
use rustc_hash::FxHashMap;

/// A cache whose entries about expressions that are gone are forgotten.
pub trait Weak {
    /// Forgets what is gone and takes the new ids of the rest.
    fn forget(&mut self, moves: &Moves);
}

/// What is known of expressions, and holds none.
impl<V: WeakValue> Weak for FxHashMap<ExprId, V> {
    fn forget(&mut self, moves: &Moves) {
        let all = std::mem::take(self).into_iter();
        let kept = all.filter_map(|(e, value)| Some((moves.kept(e)?, value.kept(moves)?)));
        *self = kept.collect();
    }
}

impl Weak for FxHashMap<TableId, TableId> {
    fn forget(&mut self, moves: &Moves) {
        let all = std::mem::take(self).into_iter();
        let kept = all.filter_map(|(from, to)| {
            let (from, to) = (moves.kept_table(from)?, moves.kept_table(to)?);
            Some((from, to))
        });
        *self = kept.collect();
    }
}

/// What is known of expressions with something else, such as assignments.
impl<K: Plain, W: Weak> Weak for Vec<(K, W)> {
    fn forget(&mut self, moves: &Moves) {
        self.iter_mut().for_each(|(_, weak)| weak.forget(moves));
    }
}

/// What a cache has for an expression.
pub trait WeakValue: Sized {
    /// What has become of it; none if something in it is gone.
    fn kept(self, moves: &Moves) -> Option<Self>;
}

impl WeakValue for ExprId {
    fn kept(self, moves: &Moves) -> Option<Self> {
        moves.kept(self)
    }
}

impl<V: WeakValue> WeakValue for Option<V> {
    fn kept(self, moves: &Moves) -> Option<Self> {
        match self {
            Some(value) => value.kept(moves).map(Some),
            None => Some(None),
        }
    }
}

impl<T: Plain> WeakValue for (ExprId, T) {
    fn kept(self, moves: &Moves) -> Option<Self> {
        Some((moves.kept(self.0)?, self.1))
    }
}

impl<T: Plain> WeakValue for T {
    fn kept(self, _: &Moves) -> Option<Self> {
        Some(self)
    }
}
