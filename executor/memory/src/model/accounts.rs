//! What it has cost a path that objects share a segment.
//!
//! The estimate of a merge ([`super::policy`]) counts the bytes of a segment once. What accesses come to
//! shows only afterwards: where two strings of a few bytes are input, each character that is read through
//! a pointer to either of them is another question to a back end, and a path for each string would ask
//! none. So such accesses are entered here, segment by segment, in the same bytes. Once they have cost as
//! much as the paths that forking by object would make, the path forks after all: to pay rent until it
//! comes to the price costs at most twice what the cheaper way does, whichever that is.
//!
//! Counted is what a path does and not what its questions take: that depends on what other paths have
//! asked before.

use super::policy::BYTES_PER_PATH;
use crate::join::Move;
use crate::resolution::SegmentIndex;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a segment has cost.
#[derive(Clone, Copy, Debug)]
struct Account {
    /// By accesses, in bytes.
    paid: u64,
    /// By how much forks by its objects have multiplied this path.
    factor: u64,
}

impl Default for Account {
    fn default() -> Self {
        Self { paid: 0, factor: 1 }
    }
}

/// What the segments of a path have cost that objects share.
#[derive(Clone, Default, Debug)]
pub(super) struct Accounts {
    by_segment: Rc<FxHashMap<SegmentIndex, Account>>,
}

impl Accounts {
    fn of(&self, segment: SegmentIndex) -> Account {
        let known = self.by_segment.get(&segment);
        known.copied().unwrap_or_default()
    }

    fn entry(&mut self, segment: SegmentIndex) -> &mut Account {
        let accounts = Rc::make_mut(&mut self.by_segment);
        accounts.entry(segment).or_default()
    }

    /// Enters an access that is no table, and can be in so many bytes of a segment. What is asked about it
    /// takes a back end about as long as a short path takes, and longer with more bytes.
    pub fn pay(&mut self, segment: SegmentIndex, bytes: u64) {
        let account = self.entry(segment);
        let cost = bytes.saturating_add(BYTES_PER_PATH);
        account.paid = account.paid.saturating_add(cost);
    }

    /// What accesses to a segment have cost.
    pub fn paid(&self, segment: SegmentIndex) -> u64 {
        self.of(segment).paid
    }

    /// Whether accesses to a segment have cost as much as a path.
    pub fn is_dear(&self, segment: SegmentIndex) -> bool {
        self.paid(segment) >= BYTES_PER_PATH
    }

    /// Whether accesses to a segment have cost as much as a path for each of so many of its objects.
    pub fn buys(&self, segment: SegmentIndex, objects: u64) -> bool {
        let Account { paid, factor } = self.of(segment);
        let paths = objects.saturating_sub(1).saturating_mul(factor);
        paid >= paths.saturating_mul(BYTES_PER_PATH)
    }

    /// The path has forked by so many objects of a segment.
    pub fn forked(&mut self, segment: SegmentIndex, objects: u64) {
        let account = self.entry(segment);
        account.factor = account.factor.saturating_mul(objects.max(1));
    }

    /// Segments have become part of others.
    pub fn moved(&mut self, moves: &[Move]) {
        for one in moves {
            if self.by_segment.contains_key(&one.from) {
                let gone = self.of(one.from);
                self.close(one.from);
                let account = self.entry(one.to);
                account.paid = account.paid.saturating_add(gone.paid);
                account.factor = account.factor.max(gone.factor);
            }
        }
    }

    /// A segment is gone; its number may be given to another one.
    pub fn close(&mut self, segment: SegmentIndex) {
        if self.by_segment.contains_key(&segment) {
            Rc::make_mut(&mut self.by_segment).remove(&segment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: SegmentIndex = SegmentIndex(1);
    const THERE: SegmentIndex = SegmentIndex(3);

    #[test]
    fn a_path_is_bought_when_its_price_is_paid_and_the_next_costs_more() {
        let mut accounts = Accounts::default();
        assert!(!accounts.is_dear(HERE) && !accounts.buys(HERE, 2));
        accounts.pay(HERE, 15);
        assert!(accounts.is_dear(HERE) && !accounts.is_dear(THERE));
        assert!(accounts.buys(HERE, 2) && !accounts.buys(HERE, 3));
        accounts.forked(HERE, 2);
        assert!(accounts.buys(HERE, 1) && !accounts.buys(HERE, 2));
        accounts.pay(HERE, BYTES_PER_PATH);
        assert!(accounts.buys(HERE, 2) && !accounts.buys(HERE, 3));
    }

    #[test]
    fn what_a_segment_has_cost_goes_where_it_goes() {
        let mut accounts = Accounts::default();
        accounts.pay(HERE, 0);
        let (from, to) = (HERE, THERE);
        let (by, only) = (16, None);
        accounts.moved(&[Move { from, to, by, only }]);
        assert!(accounts.is_dear(THERE) && !accounts.is_dear(HERE));
        accounts.close(THERE);
        assert!(!accounts.is_dear(THERE));
    }
}
