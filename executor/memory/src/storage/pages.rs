//! The pages of contents, and what is absent among them.
//!
//! A page that was never written is absent and reads as zeros. Large contents keep their pages in
//! groups, which are absent as well as long as none of their pages is there: what an object costs
//! follows what was written and not its size. Fills and copies of long ranges share pages and
//! whole groups, which are copied when they are written to.

use super::page::{PAGE, Page};
use plat_allocator::own::{own, present};
use plat_expr::{Holder, Marks, Moves};
use std::rc::Rc;

/// Pages per group.
const GROUP: usize = 4096;

/// Bytes per group.
const SPAN: usize = GROUP * PAGE;

/// Ranges of at least so many bytes share pages: below, a copy now is cheaper than one at the next
/// write.
const SHARED: u64 = 64 << 10;

type Slot = Option<Rc<Page>>;
type Group = [Slot; GROUP];

#[derive(Clone, Debug)]
pub(super) enum Pages {
    /// At most [`PAGE`] bytes.
    One(Page),
    /// At most [`GROUP`] pages of [`PAGE`] bytes.
    Many(Vec<Slot>),
    /// Any number of pages.
    Groups(Vec<Option<Rc<Group>>>),
}

impl Holder for Pages {
    fn mark(&self, marks: &mut Marks<'_>) {
        match self {
            Pages::One(page) => page.mark(marks),
            Pages::Many(pages) => pages.mark(marks),
            Pages::Groups(groups) => groups.mark(marks),
        }
    }

    fn relocate(&mut self, moves: &mut Moves) {
        match self {
            Pages::One(page) => page.relocate(moves),
            Pages::Many(pages) => pages.relocate(moves),
            Pages::Groups(groups) => groups.relocate(moves),
        }
    }
}

fn no_pages() -> Group {
    [const { None }; GROUP]
}

impl Pages {
    /// Pages for `size` zero bytes.
    pub fn zeros(size: u64) -> Self {
        let size = size as usize;
        if size <= PAGE {
            Pages::One(Page::zeros(size))
        } else if size <= SPAN {
            Pages::Many(vec![None; size.div_ceil(PAGE)])
        } else {
            Pages::Groups(vec![None; size.div_ceil(SPAN)])
        }
    }

    /// Makes room for `size` bytes, more than before; new bytes are zero.
    pub fn grow(&mut self, size: u64) {
        let size = size as usize;
        if let Pages::One(page) = self {
            if size <= PAGE {
                if page.size() < size {
                    *page = page.grown(size.next_power_of_two());
                }
                return;
            }
            *self = Pages::Many(vec![Some(Rc::new(page.grown(PAGE)))]);
        }
        if let Pages::Many(pages) = self {
            if size <= SPAN {
                return pages.resize(size.div_ceil(PAGE), None);
            }
            let mut first = no_pages();
            for (slot, page) in first.iter_mut().zip(pages) {
                *slot = page.take();
            }
            *self = Pages::Groups(vec![Some(Rc::new(first))]);
        }
        if let Pages::Groups(groups) = self {
            groups.resize(size.div_ceil(SPAN), None);
        }
    }

    /// The page around `at` (absent: zeros) and the position in it.
    #[inline(always)]
    pub fn get(&self, at: u64) -> (Option<&Page>, usize) {
        let at = at as usize;
        match self {
            Pages::One(page) => (Some(page), at),
            Pages::Many(pages) => (pages[at / PAGE].as_deref(), at % PAGE),
            Pages::Groups(groups) => (page_of(groups, at), at % PAGE),
        }
    }

    /// As [`Pages::get`], if all of `at .. at + n` lies in that page.
    #[inline(always)]
    pub fn get_whole(&self, at: u64, n: usize) -> Option<(Option<&Page>, usize)> {
        let at = at as usize;
        let whole = at % PAGE + n <= PAGE;
        match self {
            Pages::One(page) => Some((Some(page), at)),
            Pages::Many(pages) if whole => Some((pages[at / PAGE].as_deref(), at % PAGE)),
            Pages::Groups(groups) if whole => Some((page_of(groups, at), at % PAGE)),
            _ => None,
        }
    }

    /// The page around `at`, made if it is absent, and the position in it.
    #[inline(always)]
    pub fn get_mut(&mut self, at: u64) -> (&mut Page, usize) {
        let at = at as usize;
        if let Pages::One(page) = self {
            return (page, at);
        }
        let slot = match self {
            Pages::Many(pages) => &mut pages[at / PAGE],
            _ => self.slot_mut(at),
        };
        (own(present(slot, || Page::zeros(PAGE))), at % PAGE)
    }

    /// As [`Pages::get_mut`], if all of `at .. at + n` lies in that page.
    #[inline(always)]
    pub fn get_whole_mut(&mut self, at: u64, n: usize) -> Option<(&mut Page, usize)> {
        let at = at as usize;
        let whole = at % PAGE + n <= PAGE;
        let slot = match self {
            Pages::One(page) => return Some((page, at)),
            Pages::Many(pages) if whole => &mut pages[at / PAGE],
            Pages::Groups(groups) if whole => slot_of(groups, at),
            _ => return None,
        };
        Some((own(present(slot, || Page::zeros(PAGE))), at % PAGE))
    }

    /// The place of the page around `at` among several.
    fn slot_mut(&mut self, at: usize) -> &mut Slot {
        match self {
            Pages::One(_) => unreachable!("there is one page, which is always there"),
            Pages::Many(pages) => &mut pages[at / PAGE],
            Pages::Groups(groups) => slot_of(groups, at),
        }
    }

    /// Bytes from `at` to the end of its page.
    #[inline(always)]
    pub fn rest(&self, at: u64) -> usize {
        match self {
            Pages::One(page) => page.size() - at as usize,
            Pages::Many(_) | Pages::Groups(_) => PAGE - at as usize % PAGE,
        }
    }

    /// Bytes from `at` on that are known to be absent: to the end of the page or of the group.
    pub fn absent(&self, at: u64) -> u64 {
        let at = at as usize;
        let absent = match self {
            Pages::Groups(groups) if groups[at / SPAN].is_none() => SPAN - at % SPAN,
            _ if self.get(at as u64).0.is_none() => PAGE - at % PAGE,
            _ => 0,
        };
        absent as u64
    }

    /// Zeroes `at .. at + n`: whole pages become absent.
    pub fn clear(&mut self, at: u64, n: u64) {
        let mut done = 0;
        while done < n {
            let (here, rest) = (at + done, n - done);
            let absent = self.absent(here);
            if absent > 0 {
                done += absent;
                continue;
            }
            if let Some(group) = self.whole_group(here, rest) {
                *group = None;
                done += SPAN as u64;
                continue;
            }
            let chunk = rest.min(self.rest(here) as u64);
            if chunk == PAGE as u64 && !matches!(self, Pages::One(_)) {
                *self.slot_mut(here as usize) = None;
            } else {
                let (page, inside) = self.get_mut(here);
                page.fill(inside, chunk as usize, 0);
            }
            done += chunk;
        }
    }

    /// Writes the same byte `n` times.
    pub fn fill(&mut self, at: u64, n: u64, byte: u8) {
        if byte == 0 {
            return self.clear(at, n);
        }
        let (mut full_page, mut full_group) = (None, None);
        let mut done = 0;
        while done < n {
            let (here, rest) = (at + done, n - done);
            let chunk = rest.min(self.rest(here) as u64);
            let shares = n >= SHARED && chunk == PAGE as u64 && !matches!(self, Pages::One(_));
            if !shares {
                let (page, inside) = self.get_mut(here);
                page.fill(inside, chunk as usize, byte);
                done += chunk;
                continue;
            }
            let page = full_page.get_or_insert_with(|| {
                let mut page = Page::zeros(PAGE);
                page.fill(0, PAGE, byte);
                Rc::new(page)
            });
            if let Some(group) = self.whole_group(here, rest) {
                let full = full_group.get_or_insert_with(|| {
                    let pages: Group = std::array::from_fn(|_| Some(Rc::clone(page)));
                    Rc::new(pages)
                });
                *group = Some(Rc::clone(full));
                done += SPAN as u64;
                continue;
            }
            *self.slot_mut(here as usize) = Some(Rc::clone(page));
            done += chunk;
        }
    }

    /// Takes over the page or the group of pages of `source` at `from`, as a part of a copy of
    /// `n` bytes to `at`, of which `rest` are left: how many bytes that were, 0 if they cannot be
    /// shared.
    pub fn share(&mut self, at: u64, source: &Pages, from: u64, (n, rest): (u64, u64)) -> u64 {
        let one = |pages: &Pages| matches!(pages, Pages::One(_));
        if n < SHARED || rest < PAGE as u64 || one(self) || one(source) {
            return 0;
        }
        let (at, from) = (at as usize, from as usize);
        if !at.is_multiple_of(PAGE) || !from.is_multiple_of(PAGE) {
            return 0;
        }
        if let Pages::Groups(groups) = source
            && from.is_multiple_of(SPAN)
            && let Some(group) = self.whole_group(at as u64, rest)
        {
            group.clone_from(&groups[from / SPAN]);
            return SPAN as u64;
        }
        let page = match source {
            Pages::One(_) => return 0,
            Pages::Many(pages) => pages[from / PAGE].clone(),
            Pages::Groups(groups) => {
                let group = groups[from / SPAN].as_ref();
                group.and_then(|group| group[from / PAGE % GROUP].clone())
            }
        };
        *self.slot_mut(at) = page;
        PAGE as u64
    }

    /// The group that begins at `at`, if all of it is among the `rest` bytes from there on.
    fn whole_group(&mut self, at: u64, rest: u64) -> Option<&mut Option<Rc<Group>>> {
        match self {
            Pages::Groups(groups) if rest >= SPAN as u64 && at.is_multiple_of(SPAN as u64) => {
                Some(&mut groups[at as usize / SPAN])
            }
            _ => None,
        }
    }

    /// How many bytes from `at` on lie in the very same page or group of pages, or are absent, in
    /// both.
    pub fn same(&self, other: &Pages, at: u64) -> u64 {
        fn shared<T: ?Sized>(mine: Option<&Rc<T>>, theirs: Option<&Rc<T>>) -> bool {
            match (mine, theirs) {
                (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
                (None, None) => true,
                _ => false,
            }
        }
        let at = at as usize;
        let slots = match (self, other) {
            (Pages::Many(mine), Pages::Many(theirs)) => {
                (mine.get(at / PAGE), theirs.get(at / PAGE))
            }
            (Pages::Groups(mine), Pages::Groups(theirs)) => {
                let (Some(mine), Some(theirs)) = (mine.get(at / SPAN), theirs.get(at / SPAN))
                else {
                    return 0;
                };
                if shared(mine.as_ref(), theirs.as_ref()) {
                    return (SPAN - at % SPAN) as u64;
                }
                match (mine, theirs) {
                    (Some(mine), Some(theirs)) => {
                        let page = at / PAGE % GROUP;
                        (mine.get(page), theirs.get(page))
                    }
                    _ => return 0,
                }
            }
            _ => return 0,
        };
        match slots {
            (Some(mine), Some(theirs)) if shared(mine.as_ref(), theirs.as_ref()) => {
                (PAGE - at % PAGE) as u64
            }
            _ => 0,
        }
    }
}

/// The place of the page around `at`, whose group is made if it is absent.
fn slot_of(groups: &mut [Option<Rc<Group>>], at: usize) -> &mut Slot {
    &mut own(present(&mut groups[at / SPAN], no_pages))[at / PAGE % GROUP]
}

/// The page around `at`, if it and its group are there.
fn page_of(groups: &[Option<Rc<Group>>], at: usize) -> Option<&Page> {
    groups[at / SPAN].as_ref()?[at / PAGE % GROUP].as_deref()
}
