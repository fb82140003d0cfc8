//! Free regions of a large-object bin: a persistent treap (KDAlloc, section 5.5).
//!
//! A search tree by address and a heap by size: regions are found by address, and the largest one
//! is the root. Ties are broken by a hash of the address. The hash is a bijection, so priorities
//! are unique and the shape of the tree depends only on its regions, not on their history. Clones
//! share nodes, which are copied on write.

use std::rc::Rc;

/// The addresses `start .. end`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// First address.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
}

impl Span {
    /// Number of bytes.
    pub fn size(self) -> u64 {
        self.end - self.start
    }

    fn priority(self) -> (u64, u64) {
        (self.size(), mix(self.start))
    }
}

/// A bijective hash of 64-bit numbers (the finaliser of splitmix64).
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

type Link = Option<Rc<Node>>;

#[derive(Clone, PartialEq, Eq, Debug)]
struct Node {
    free: Span,
    left: Link,
    right: Link,
}

/// Splits a tree into the regions below `start` and the others.
fn split(link: Link, start: u64) -> (Link, Link) {
    let Some(node) = link else {
        return (None, None);
    };
    let mut node = Rc::unwrap_or_clone(node);
    if node.free.start < start {
        let (low, high) = split(node.right.take(), start);
        node.right = low;
        (Some(Rc::new(node)), high)
    } else {
        let (low, high) = split(node.left.take(), start);
        node.left = high;
        (low, Some(Rc::new(node)))
    }
}

/// Joins two trees, where all of `low` is below all of `high`.
fn join(low: Link, high: Link) -> Link {
    match (low, high) {
        (None, link) | (link, None) => link,
        (Some(low), Some(high)) => Some(Rc::new(if low.free.priority() > high.free.priority() {
            let mut node = Rc::unwrap_or_clone(low);
            node.right = join(node.right.take(), Some(high));
            node
        } else {
            let mut node = Rc::unwrap_or_clone(high);
            node.left = join(Some(low), node.left.take());
            node
        })),
    }
}

/// The free regions. They never overlap.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Treap {
    root: Link,
}

impl Treap {
    /// No regions.
    pub fn new() -> Self {
        Self::default()
    }

    /// The largest region.
    pub fn largest(&self) -> Option<Span> {
        self.root.as_ref().map(|node| node.free)
    }

    /// Removes and returns the largest region.
    pub fn pop_largest(&mut self) -> Option<Span> {
        let mut node = Rc::unwrap_or_clone(self.root.take()?);
        self.root = join(node.left.take(), node.right.take());
        Some(node.free)
    }

    /// Adds a region.
    pub fn insert(&mut self, free: Span) {
        let priority = free.priority();
        let mut link = &mut self.root;
        while link
            .as_ref()
            .is_some_and(|node| node.free.priority() > priority)
        {
            let Some(node) = link else { break };
            let node = Rc::make_mut(node);
            link = if free.start < node.free.start {
                &mut node.left
            } else {
                &mut node.right
            };
        }
        let (left, right) = split(link.take(), free.start);
        *link = Some(Rc::new(Node { free, left, right }));
    }

    /// Removes and returns the region that starts at `start`.
    pub fn remove(&mut self, start: u64) -> Option<Span> {
        if self.floor(start)?.start != start {
            return None;
        }
        let mut link = &mut self.root;
        loop {
            if link.as_ref()?.free.start == start {
                let mut node = Rc::unwrap_or_clone(link.take()?);
                *link = join(node.left.take(), node.right.take());
                return Some(node.free);
            }
            let node = Rc::make_mut(link.as_mut()?);
            link = if start < node.free.start {
                &mut node.left
            } else {
                &mut node.right
            };
        }
    }

    /// The last region that starts at or before `address`.
    pub fn floor(&self, address: u64) -> Option<Span> {
        let (mut found, mut link) = (None, &self.root);
        while let Some(node) = link {
            if node.free.start <= address {
                found = Some(node.free);
                link = &node.right;
            } else {
                link = &node.left;
            }
        }
        found
    }

    /// The first region that starts after `address`.
    pub fn above(&self, address: u64) -> Option<Span> {
        let (mut found, mut link) = (None, &self.root);
        while let Some(node) = link {
            if node.free.start > address {
                found = Some(node.free);
                link = &node.left;
            } else {
                link = &node.right;
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use std::collections::BTreeMap;

    fn check(link: &Link, most: (u64, u64), out: &mut Vec<Span>) {
        let Some(node) = link else { return };
        assert!(node.free.priority() < most);
        check(&node.left, node.free.priority(), out);
        out.push(node.free);
        check(&node.right, node.free.priority(), out);
    }

    #[test]
    fn agrees_with_an_ordered_map_also_after_clones() {
        let mut random = Rng::with_seed(5);
        let mut pairs: Vec<(Treap, BTreeMap<u64, u64>)> = vec![Default::default()];
        for step in 0..20_000u32 {
            if step % 3_000 == 0 {
                let which = random.usize(..pairs.len());
                pairs.push(pairs[which].clone());
            }
            let which = random.usize(..pairs.len());
            let (treap, map) = &mut pairs[which];
            let start = random.u64(..500) * 10;
            match random.u64(..4) {
                0 => {
                    let removed = treap.remove(start).map(|free| free.end);
                    assert_eq!(removed, map.remove(&start));
                }
                1 if map.len() > 50 => {
                    let largest = treap.pop_largest().unwrap();
                    let sizes = map.iter().map(|(start, end)| end - start);
                    assert_eq!(Some(largest.size()), sizes.max());
                    assert_eq!(map.remove(&largest.start), Some(largest.end));
                }
                _ => {
                    let end = start + 1 + random.u64(..9);
                    if map.insert(start, end).is_some() {
                        treap.remove(start);
                    }
                    treap.insert(Span { start, end });
                }
            }
            let at = random.u64(..6_000);
            let expected = map.range(..=at).next_back().map(|(&at, _)| at);
            assert_eq!(treap.floor(at).map(|free| free.start), expected);
            let expected = map.range(at + 1..).next().map(|(&at, _)| at);
            assert_eq!(treap.above(at).map(|free| free.start), expected);
        }
        for (treap, map) in &pairs {
            let mut all = Vec::new();
            check(&treap.root, (u64::MAX, 0), &mut all);
            let expected: Vec<_> = map
                .iter()
                .map(|(&start, &end)| Span { start, end })
                .collect();
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn the_shape_depends_only_on_the_regions() {
        let regions: Vec<Span> = (0..200)
            .map(|at| (at * 10, at * 10 + 1 + at % 3))
            .map(|(start, end)| Span { start, end })
            .collect();
        let (mut forwards, mut backwards) = (Treap::new(), Treap::new());
        regions.iter().for_each(|&free| forwards.insert(free));
        regions
            .iter()
            .rev()
            .for_each(|&free| backwards.insert(free));
        for free in &regions[50..60] {
            backwards.remove(free.start);
            backwards.insert(*free);
        }
        assert_eq!(format!("{forwards:?}"), format!("{backwards:?}"));
    }
}
