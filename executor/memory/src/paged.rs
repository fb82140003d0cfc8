//! A persistent vector: fixed-size pages behind counted references, which hang in groups on a short
//! list.
//!
//! Forking counts a reference to the list and does nothing else, whatever the vector holds; the first
//! write to a page after that copies the page, its group and the list. Entries may be absent, so that
//! run-wide ids index per-state tables. A state's own entries lie far apart in such a table, as most
//! ids are other states', and a state has its own copies of what it writes: so pages are short.

use plat_allocator::own::{own, own_slice, present};
use plat_expr::{Holder, Marks, Moves};
use std::rc::Rc;

/// Pages per group.
const GROUP: usize = 32;

type Page<T, const PAGE: usize> = Rc<[Option<T>; PAGE]>;
type Group<T, const PAGE: usize> = Rc<[Option<Page<T, PAGE>>; GROUP]>;

/// The vector. Indices that were never set read as absent.
#[derive(Debug)]
pub struct PagedVec<T, const PAGE: usize = 8> {
    groups: Rc<[Option<Group<T, PAGE>>]>,
}

impl<T, const PAGE: usize> Clone for PagedVec<T, PAGE> {
    fn clone(&self) -> Self {
        Self {
            groups: Rc::clone(&self.groups),
        }
    }
}

impl<T, const PAGE: usize> Default for PagedVec<T, PAGE> {
    fn default() -> Self {
        let groups = Rc::default();
        Self { groups }
    }
}

impl<T: Holder + Clone + 'static, const PAGE: usize> Holder for PagedVec<T, PAGE> {
    fn mark(&self, marks: &mut Marks<'_>) {
        let Self { groups } = self;
        groups.mark(marks);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        let Self { groups } = self;
        groups.relocate(moves);
    }
}

impl<T: Clone, const PAGE: usize> PagedVec<T, PAGE> {
    /// A vector in which everything is absent.
    pub fn new() -> Self {
        Self::default()
    }

    /// The entry at `index`.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<&T> {
        let group = self.groups.get(index / (PAGE * GROUP))?.as_ref()?;
        let page = group[index / PAGE % GROUP].as_ref()?;
        page[index % PAGE].as_ref()
    }

    /// The entry at `index`, to change in place.
    #[inline(always)]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let group = own_slice(&mut self.groups)
            .get_mut(index / (PAGE * GROUP))?
            .as_mut()?;
        let page = own(group)[index / PAGE % GROUP].as_mut()?;
        own(page)[index % PAGE].as_mut()
    }

    /// Sets the entry at `index`.
    #[inline]
    pub fn set(&mut self, index: usize, value: T) {
        *self.entry(index) = Some(value);
    }

    /// Removes and returns the entry at `index`.
    #[inline]
    pub fn take(&mut self, index: usize) -> Option<T> {
        self.get(index)?;
        self.entry(index).take()
    }

    /// Removes the entry at `index`; whether there was one.
    #[inline]
    pub fn remove(&mut self, index: usize) -> bool {
        let Some(Some(group)) = own_slice(&mut self.groups).get_mut(index / (PAGE * GROUP)) else {
            return false;
        };
        let Some(page) = &mut own(group)[index / PAGE % GROUP] else {
            return false;
        };
        own(page)[index % PAGE].take().is_some()
    }

    #[cold]
    #[inline(never)]
    fn extend(&mut self, groups: usize) {
        // Some more than asked for, as a long table is long to copy.
        let mut longer = self.groups.to_vec();
        longer.resize(groups + groups / 8, None);
        self.groups = longer.into();
    }

    /// The entry at `index`, present or absent.
    #[inline]
    pub fn entry(&mut self, index: usize) -> &mut Option<T> {
        let at = index / (PAGE * GROUP);
        if self.groups.len() <= at {
            self.extend(at + 1);
        }
        let group = present(&mut own_slice(&mut self.groups)[at], || {
            [const { None }; GROUP]
        });
        let page = &mut own(group)[index / PAGE % GROUP];
        let page = present(page, || [const { None }; PAGE]);
        &mut own(page)[index % PAGE]
    }

    /// Whether `same` says so of all entries of two vectors. It is not asked about those that both
    /// share.
    pub fn agree(
        &self,
        other: &Self,
        mut same: impl FnMut(usize, Option<&T>, Option<&T>) -> bool,
    ) -> bool {
        if Rc::ptr_eq(&self.groups, &other.groups) {
            return true;
        }
        let count = self.groups.len().max(other.groups.len());
        (0..count).all(|group| {
            let (mine, theirs) = (self.group(group), other.group(group));
            if shared(mine, theirs) {
                return true;
            }
            (0..GROUP).all(|page| {
                let pages = (page_of(mine, page), page_of(theirs, page));
                let first = (group * GROUP + page) * PAGE;
                shared(pages.0, pages.1)
                    || (0..PAGE).all(|at| {
                        let (mine, theirs) = (
                            pages.0.and_then(|page| page[at].as_ref()),
                            pages.1.and_then(|page| page[at].as_ref()),
                        );
                        same(first + at, mine, theirs)
                    })
            })
        })
    }

    fn group(&self, at: usize) -> Option<&Group<T, PAGE>> {
        self.groups.get(at)?.as_ref()
    }

    /// The entries that are present, with their indices, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let groups = self.groups.iter().enumerate();
        let pages = groups.flat_map(|(at, group)| {
            let pages = group.iter().flat_map(|group| group.iter().enumerate());
            pages.filter_map(move |(page, entries)| Some((at * GROUP + page, entries.as_ref()?)))
        });
        pages.flat_map(|(number, page)| {
            let entries = page.iter().enumerate();
            entries.filter_map(move |(at, entry)| Some((number * PAGE + at, entry.as_ref()?)))
        })
    }
}

/// Whether two are the very same, or both are absent.
fn shared<T>(mine: Option<&Rc<T>>, theirs: Option<&Rc<T>>) -> bool {
    match (mine, theirs) {
        (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
        (None, None) => true,
        _ => false,
    }
}

/// A page of a group, if both are there.
fn page_of<T, const PAGE: usize>(
    group: Option<&Group<T, PAGE>>,
    at: usize,
) -> Option<&Page<T, PAGE>> {
    group?[at].as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_until_written() {
        let mut a = PagedVec::<_, 16>::new();
        a.set(3, "three");
        a.set(1_000, "thousand");
        let mut b = a.clone();
        a.set(100_000, "far");
        assert_eq!(b.get(100_000), None);
        b.set(3, "drei");
        *b.get_mut(1_000).unwrap() = "tausend";
        assert_eq!(b.take(3), Some("drei"));
        assert_eq!(b.take(4), None);
        assert_eq!(a.get(3), Some(&"three"));
        assert_eq!(a.get(64), None);
        assert_eq!(b.iter().collect::<Vec<_>>(), [(1_000, &"tausend")]);
        let all: Vec<usize> = a.iter().map(|(at, _)| at).collect();
        assert_eq!(all, [3, 1_000, 100_000]);
    }

    #[test]
    fn what_is_shared_is_not_compared() {
        let mut a = PagedVec::<_, 16>::new();
        for at in 0..5_000 {
            a.set(at, at);
        }
        let mut b = a.clone();
        assert!(a.agree(&b, |_, _, _| panic!("all is shared")));
        b.set(2_000, 7);
        b.set(60_000, 8);
        let mut asked = Vec::new();
        let all = a.agree(&b, |at, mine, theirs| {
            asked.push(at);
            let expected = match at {
                2_000 => Some(&7),
                60_000 => Some(&8),
                _ => mine,
            };
            assert_eq!(theirs, expected);
            true
        });
        let pages = (1_984..2_000 + 16).take(32).chain(60_000..60_016);
        assert!(
            all && asked
                .iter()
                .all(|at| pages.clone().any(|near| near / 16 == at / 16))
        );
        assert!(asked.contains(&2_000) && asked.contains(&60_000));
        assert!(!a.agree(&b, |_, mine, theirs| mine == theirs));
        b.set(2_000, 2_000);
        b.remove(60_000);
        assert!(a.agree(&b, |_, mine, theirs| mine == theirs));
    }
}
