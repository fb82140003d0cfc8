//! A persistent vector: fixed-size pages behind counted references.
//!
//! Forking clones the vector of page pointers and nothing else; the first write to a page after
//! that copies the page. Entries may be absent, so that run-wide ids index per-state tables.

use std::rc::Rc;

/// Entries per page.
const PAGE: usize = 64;

type Page<T> = Rc<[Option<T>; PAGE]>;

/// The vector. Indices that were never set read as absent.
#[derive(Debug)]
pub struct PagedVec<T> {
    pages: Vec<Option<Page<T>>>,
}

impl<T> Clone for PagedVec<T> {
    fn clone(&self) -> Self {
        Self {
            pages: self.pages.clone(),
        }
    }
}

impl<T> Default for PagedVec<T> {
    fn default() -> Self {
        Self { pages: Vec::new() }
    }
}

impl<T: Clone> PagedVec<T> {
    /// A vector in which everything is absent.
    pub fn new() -> Self {
        Self::default()
    }

    /// The entry at `index`.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.pages.get(index / PAGE)?.as_ref()?[index % PAGE].as_ref()
    }

    /// The entry at `index`, to change in place.
    #[inline(always)]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let page = self.pages.get_mut(index / PAGE)?.as_mut()?;
        Rc::make_mut(page)[index % PAGE].as_mut()
    }

    /// Sets the entry at `index`.
    pub fn set(&mut self, index: usize, value: T) {
        *self.entry(index) = Some(value);
    }

    /// Removes and returns the entry at `index`.
    pub fn take(&mut self, index: usize) -> Option<T> {
        self.get(index)?;
        self.entry(index).take()
    }

    fn entry(&mut self, index: usize) -> &mut Option<T> {
        if self.pages.len() <= index / PAGE {
            self.pages.resize(index / PAGE + 1, None);
        }
        let page =
            self.pages[index / PAGE].get_or_insert_with(|| Rc::new(std::array::from_fn(|_| None)));
        &mut Rc::make_mut(page)[index % PAGE]
    }

    /// The entries that are present, with their indices, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.pages.iter().enumerate().flat_map(|(number, page)| {
            let entries = page.iter().flat_map(|page| page.iter().enumerate());
            entries.filter_map(move |(at, entry)| Some((number * PAGE + at, entry.as_ref()?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_until_written() {
        let mut a = PagedVec::new();
        a.set(3, "three");
        a.set(1_000, "thousand");
        let mut b = a.clone();
        b.set(3, "drei");
        *b.get_mut(1_000).unwrap() = "tausend";
        assert_eq!(b.take(3), Some("drei"));
        assert_eq!(b.take(4), None);
        assert_eq!(a.get(3), Some(&"three"));
        assert_eq!(a.get(64), None);
        assert_eq!(b.iter().collect::<Vec<_>>(), [(1_000, &"tausend")]);
        assert_eq!(a.iter().count(), 2);
    }
}
