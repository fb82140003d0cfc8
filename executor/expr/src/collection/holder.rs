//! What holds expressions, and the standard types that may.

use super::{Marks, Moves};
use crate::assignment::Assignment;
use crate::ids::{AggregateId, ExprId, ObjectId, SymbolId, TableId};
use crate::value::{Byte, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Data that hold expressions while the pool may be collected. Implemented with [`crate::holder!`],
/// so that the two functions agree.
pub trait Holder {
    /// Says what it holds.
    fn mark(&self, marks: &mut Marks<'_>);
    /// Takes the new ids of what it holds.
    fn relocate(&mut self, moves: &mut Moves);
}

/// Data that never hold an expression.
pub trait Plain {}

impl<T: Plain> Plain for [T] {}
impl<T: Plain> Plain for Vec<T> {}
impl<T: Plain, const N: usize> Plain for [T; N] {}
impl<T: Plain + ?Sized> Plain for Rc<T> {}
impl<A: Plain, B: Plain> Plain for (A, B) {}

/// Declares how a type holds expressions. All its fields are named: those that hold expressions or
/// may, after `plain` those that do not, after `weak` caches (see [`Weak`](crate::Weak)) that forget
/// what nobody else holds. That what is `plain` holds none is not checked: an expression there is
/// found by runs with `--collect always` only.
///
/// ```
/// struct Visit {
///     condition: plat_expr::ExprId,
///     others: Vec<plat_expr::ExprId>,
///     times: u32,
/// }
/// plat_expr::holder!(Visit { condition, others } plain { times });
/// ```
#[macro_export]
macro_rules! holder {
    ($name:ty { $($held:ident),* $(,)? }
     $(plain { $($plain:ident),* $(,)? })?
     $(weak { $($weak:ident),* $(,)? })?) => {
        impl $crate::Holder for $name {
            fn mark(&self, _marks: &mut $crate::Marks<'_>) {
                let Self { $($held,)* $($($plain: _,)*)? $($($weak: _,)*)? } = self;
                $($crate::Holder::mark($held, _marks);)*
            }

            fn relocate(&mut self, _moves: &mut $crate::Moves) {
                let Self { $($held,)* $($($plain: _,)*)? $($($weak,)*)? } = self;
                $($crate::Holder::relocate($held, _moves);)*
                $($($crate::Weak::forget($weak, _moves);)*)?
            }
        }
    };
}

/// Declares types that never hold an expression.
#[macro_export]
macro_rules! plain {
    ($($name:ty),* $(,)?) => {$(
        impl $crate::Plain for $name {}
        impl $crate::Holder for $name {
            fn mark(&self, _: &mut $crate::Marks<'_>) {}
            fn relocate(&mut self, _: &mut $crate::Moves) {}
        }
    )*};
}

plain!(
    (),
    bool,
    char,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    f32,
    f64,
    String,
    &'static str,
    PathBuf,
    Duration,
    Instant,
    Assignment,
    ObjectId,
    SymbolId
);

impl Holder for ExprId {
    fn mark(&self, marks: &mut Marks<'_>) {
        marks.expr(*self);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        moves.expr(self);
    }
}

impl Holder for TableId {
    fn mark(&self, marks: &mut Marks<'_>) {
        marks.table(*self);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        moves.table(self);
    }
}

impl Holder for AggregateId {
    fn mark(&self, marks: &mut Marks<'_>) {
        marks.aggregate(*self);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        moves.aggregate(self);
    }
}

impl Holder for Value {
    #[inline]
    fn mark(&self, marks: &mut Marks<'_>) {
        match self {
            Self::Int(_) | Self::Pointer(..) => {}
            Self::Expr(e) => e.mark(marks),
            Self::Aggregate(aggregate) => aggregate.mark(marks),
        }
    }

    #[inline]
    fn relocate(&mut self, moves: &mut Moves) {
        match self {
            Self::Int(_) | Self::Pointer(..) => {}
            Self::Expr(e) => e.relocate(moves),
            Self::Aggregate(aggregate) => aggregate.relocate(moves),
        }
    }
}

impl Holder for Byte {
    fn mark(&self, marks: &mut Marks<'_>) {
        match self {
            Self::Concrete(_) => {}
            Self::Symbolic(e) => e.mark(marks),
        }
    }

    fn relocate(&mut self, moves: &mut Moves) {
        match self {
            Self::Concrete(_) => {}
            Self::Symbolic(e) => e.relocate(moves),
        }
    }
}

impl<T: Holder + ?Sized> Holder for &mut T {
    fn mark(&self, marks: &mut Marks<'_>) {
        (**self).mark(marks);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        (**self).relocate(moves);
    }
}

impl<T: Holder + ?Sized> Holder for Box<T> {
    fn mark(&self, marks: &mut Marks<'_>) {
        (**self).mark(marks);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        (**self).relocate(moves);
    }
}

impl<T: Holder> Holder for RefCell<T> {
    fn mark(&self, marks: &mut Marks<'_>) {
        self.borrow().mark(marks);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        self.get_mut().relocate(moves);
    }
}

impl<A: Holder, B: Holder> Holder for (A, B) {
    fn mark(&self, marks: &mut Marks<'_>) {
        self.0.mark(marks);
        self.1.mark(marks);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        self.0.relocate(moves);
        self.1.relocate(moves);
    }
}

/// Types of which each part is visited.
macro_rules! lists {
    ($([$($parameter:tt)*] $name:ty, $all:ident, $all_mut:ident;)*) => {$(
        impl<T: Holder, $($parameter)*> Holder for $name {
            fn mark(&self, marks: &mut Marks<'_>) {
                self.$all().for_each(|one| one.mark(marks));
            }

            fn relocate(&mut self, moves: &mut Moves) {
                self.$all_mut().for_each(|one| one.relocate(moves));
            }
        }
    )*};
}

lists! {
    [] Option<T>, iter, iter_mut;
    [] Vec<T>, iter, iter_mut;
    [] VecDeque<T>, iter, iter_mut;
    [] [T], iter, iter_mut;
    [const N: usize] [T; N], iter, iter_mut;
    [K: Plain] BTreeMap<K, T>, values, values_mut;
    [K: Plain, S] HashMap<K, T, S>, values, values_mut;
}

/// Sets, of what never moves.
macro_rules! sets {
    ($([$($parameter:ident)?] $name:ty;)*) => {$(
        impl<T: Plain, $($parameter)?> Plain for $name {}
        impl<T: Plain, $($parameter)?> Holder for $name {
            fn mark(&self, _: &mut Marks<'_>) {}
            fn relocate(&mut self, _: &mut Moves) {}
        }
    )*};
}

sets! {
    [] BTreeSet<T>;
    [S] HashSet<T, S>;
}

/// Shared data are visited once. Where they are in one hand only, they are changed in place; the
/// others are copied, if anything in them moves, and all get the same copy.
macro_rules! shared {
    ($($pointer:ident)*) => {$(
        impl<T: Holder + Clone + 'static> Holder for $pointer<T> {
            fn mark(&self, marks: &mut Marks<'_>) {
                let address = $pointer::as_ptr(self).addr();
                marks.shared(address, |marks| (**self).mark(marks));
            }

            fn relocate(&mut self, moves: &mut Moves) {
                let address = $pointer::as_ptr(self).addr();
                if !moves.moves(address) {
                    return;
                }
                if let Some(own) = $pointer::get_mut(self) {
                    return own.relocate(moves);
                }
                if let Some(copy) = moves.copy_of::<Self>(address) {
                    *self = copy;
                    return;
                }
                let mut copy = (**self).clone();
                copy.relocate(moves);
                let old = std::mem::replace(self, $pointer::new(copy));
                moves.note_copy(address, old, self.clone());
            }
        }

        impl<T: Holder + Clone + 'static> Holder for $pointer<[T]> {
            fn mark(&self, marks: &mut Marks<'_>) {
                let address = self.as_ptr().addr();
                marks.shared(address, |marks| (**self).mark(marks));
            }

            fn relocate(&mut self, moves: &mut Moves) {
                let address = self.as_ptr().addr();
                if !moves.moves(address) {
                    return;
                }
                if let Some(own) = $pointer::get_mut(self) {
                    return own.relocate(moves);
                }
                if let Some(copy) = moves.copy_of::<Self>(address) {
                    *self = copy;
                    return;
                }
                let mut copy = self.to_vec();
                copy.relocate(moves);
                let old = std::mem::replace(self, copy.into());
                moves.note_copy(address, old, self.clone());
            }
        }
    )*};
}

shared!(Rc Arc);

/// A link of a shared list, which may be longer than the stack is deep.
pub trait Link: Clone + 'static {
    /// The rest of the list.
    fn next(&self) -> Option<&Rc<Self>>;
    /// The rest of the list, to change.
    fn next_mut(&mut self) -> &mut Option<Rc<Self>>;
    /// What the link holds beside the list, as [`Holder::mark`].
    fn mark_own(&self, marks: &mut Marks<'_>);
    /// What the link holds beside the list, as [`Holder::relocate`].
    fn relocate_own(&mut self, moves: &mut Moves);

    /// Visits a list, the last link first.
    fn mark_list(first: Option<&Rc<Self>>, marks: &mut Marks<'_>) {
        let mut links = Vec::new();
        let mut at = first;
        while let Some(link) = at {
            links.push(link);
            at = (!marks.knows(Rc::as_ptr(link).addr()))
                .then(|| link.next())
                .flatten();
        }
        for link in links.into_iter().rev() {
            marks.shared(Rc::as_ptr(link).addr(), |marks| {
                link.mark_own(marks);
                if let Some(next) = link.next() {
                    // It is known by now.
                    marks.shared(Rc::as_ptr(next).addr(), |_| {});
                }
            });
        }
    }

    /// Tells a list of moves: links in one hand in place, from the first that is shared on copies.
    fn relocate_list(mut first: &mut Option<Rc<Self>>, moves: &mut Moves) {
        while let Some(link) = first {
            if !moves.moves(Rc::as_ptr(link).addr()) {
                return;
            }
            if Rc::get_mut(link).is_none() {
                *link = Self::relocated_copy(link, moves);
                return;
            }
            let Some(own) = Rc::get_mut(link) else {
                return;
            };
            own.relocate_own(moves);
            first = own.next_mut();
        }
    }

    /// The copy of a shared list.
    fn relocated_copy(first: &Rc<Self>, moves: &mut Moves) -> Rc<Self> {
        let mut links = Vec::new();
        let mut at = Some(first);
        let mut rest = None;
        while let Some(link) = at {
            let address = Rc::as_ptr(link).addr();
            let done = match moves.moves(address) {
                true => moves.copy_of::<Rc<Self>>(address),
                false => Some(Rc::clone(link)),
            };
            if done.is_some() {
                rest = done;
                break;
            }
            links.push(Rc::clone(link));
            at = link.next();
        }
        for link in links.into_iter().rev() {
            let mut copy = (*link).clone();
            copy.relocate_own(moves);
            *copy.next_mut() = rest;
            let copy = Rc::new(copy);
            moves.note_copy(Rc::as_ptr(&link).addr(), link, Rc::clone(&copy));
            rest = Some(copy);
        }
        rest.unwrap_or_else(|| Rc::clone(first))
    }
}
