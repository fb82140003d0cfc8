//! Copy-on-write access to shared data, with the fast path inlined.

use std::rc::Rc;

/// As [`Rc::make_mut`], but only the unshared case is inlined: every store calls this several
/// times.
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

/// As [`own`], for a slice.
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

/// As [`Option::get_or_insert_with`], optimised for a value that is present.
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
