//! Shared data that is made one's own before it is written to.

use std::rc::Rc;

/// As [`Rc::make_mut`], with what is to be done when nobody else has the data where it is used: every
/// store comes through here several times.
#[inline(always)]
pub fn own<T: Clone>(shared: &mut Rc<T>) -> &mut T {
    if Rc::get_mut(shared).is_none() {
        return copied(shared);
    }
    match Rc::get_mut(shared) {
        Some(own) => own,
        None => unreachable!("nobody else had it just now"),
    }
}

/// The same of a slice.
#[inline(always)]
pub fn own_slice<T: Clone>(shared: &mut Rc<[T]>) -> &mut [T] {
    if Rc::get_mut(shared).is_none() {
        return copied_slice(shared);
    }
    match Rc::get_mut(shared) {
        Some(own) => own,
        None => unreachable!("nobody else had it just now"),
    }
}

#[cold]
#[inline(never)]
fn copied_slice<T: Clone>(shared: &mut Rc<[T]>) -> &mut [T] {
    Rc::make_mut(shared)
}

#[cold]
#[inline(never)]
fn copied<T: Clone>(shared: &mut Rc<T>) -> &mut T {
    Rc::make_mut(shared)
}

/// As [`Option::get_or_insert_with`]: something is there mostly.
#[inline(always)]
pub fn present<T>(place: &mut Option<Rc<T>>, fresh: impl FnOnce() -> T) -> &mut Rc<T> {
    if place.is_none() {
        fill(place, fresh);
    }
    match place {
        Some(there) => there,
        None => unreachable!("it was just made"),
    }
}

#[cold]
#[inline(never)]
fn fill<T>(place: &mut Option<Rc<T>>, fresh: impl FnOnce() -> T) {
    *place = Some(Rc::new(fresh()));
}
