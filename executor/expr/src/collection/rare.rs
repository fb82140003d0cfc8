//! What few paths have: empty in most states, which share one copy until they change it.

use super::{Holder, Marks, Moves, Plain};
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// A part of a state that is seldom there. It takes one word, and a fork counts a reference; to
/// change it is to own it, which copies what is shared.
#[derive(PartialEq, Eq, Debug)]
pub struct Rare<T>(Rc<T>);

impl<T> Clone for Rare<T> {
    fn clone(&self) -> Self {
        Rare(Rc::clone(&self.0))
    }
}

impl<T: Default> Default for Rare<T> {
    fn default() -> Self {
        Rare(Rc::default())
    }
}

impl<T> From<T> for Rare<T> {
    fn from(there: T) -> Self {
        Rare(Rc::new(there))
    }
}

impl<T> Deref for Rare<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
}

impl<T: Plain> Plain for Rare<T> {}

impl<T: Holder + Clone + 'static> Holder for Rare<T> {
    fn mark(&self, marks: &mut Marks<'_>) {
        self.0.mark(marks);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        self.0.relocate(moves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_of_one_copy_alone() {
        let mut one: Rare<Vec<u32>> = Rare::default();
        let other = one.clone();
        one.push(7);
        assert_eq!((&**one, &**other), (&[7][..], &[][..]));
        assert_ne!(one, other);
        let shared = one.clone();
        assert!(std::ptr::eq(&*one, &*shared));
    }
}
