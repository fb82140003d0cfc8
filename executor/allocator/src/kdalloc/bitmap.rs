//! A persistent bitmap that finds its lowest zero.
//!
//! A 64-ary tree: leaves have 64 words, inner nodes 64 children, and each node has a word that says
//! which of its parts are full. A clone shares the tree; the first change after it copies one path
//! from the root. Finding the lowest zero and changing a bit visit one node per level: two levels
//! hold 262,144 bits, three 16 million. The first 64 bits are in a separate word, as most bins of
//! most programs need no more.

use crate::own::own;
use std::rc::Rc;

/// Parts (words or children) of a node.
const PARTS: usize = 64;
/// Bits of an index that select a part.
const PART_BITS: u32 = PARTS.ilog2();
/// Bits of an index within a leaf.
const LEAF_BITS: u32 = 2 * PART_BITS;

/// Bits that are not in the tree.
const FIRST: u64 = u64::BITS as u64;

type Link = Option<Rc<Node>>;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Parts {
    Words([u64; PARTS]),
    Nodes([Link; PARTS]),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Node {
    /// Bit `i` is set if every bit of part `i` is.
    full: u64,
    parts: Parts,
}

impl Node {
    fn zeros(height: u32) -> Self {
        let parts = match height {
            0 => Parts::Words([0; PARTS]),
            _ => Parts::Nodes([const { None }; PARTS]),
        };
        Self { full: 0, parts }
    }

    fn is_full(&self) -> bool {
        self.full == u64::MAX
    }

    fn set(&mut self, height: u32, index: u64) {
        match &mut self.parts {
            Parts::Words(words) => {
                let at = (index >> PART_BITS) as usize;
                words[at] |= 1 << (index % 64);
                self.full |= u64::from(words[at] == u64::MAX) << at;
            }
            Parts::Nodes(nodes) => {
                let (at, rest) = split(height, index);
                let child = nodes[at].get_or_insert_with(|| Rc::new(Node::zeros(height - 1)));
                let child = own(child);
                child.set(height - 1, rest);
                self.full |= u64::from(child.is_full()) << at;
            }
        }
    }

    fn clear(&mut self, height: u32, index: u64) {
        match &mut self.parts {
            Parts::Words(words) => {
                let at = (index >> PART_BITS) as usize;
                words[at] &= !(1 << (index % 64));
                self.full &= !(1 << at);
            }
            Parts::Nodes(nodes) => {
                let (at, rest) = split(height, index);
                if let Some(child) = &mut nodes[at] {
                    own(child).clear(height - 1, rest);
                    self.full &= !(1 << at);
                }
            }
        }
    }
}

/// The part of an inner node that contains an index, and the index within it.
fn split(height: u32, index: u64) -> (usize, u64) {
    let shift = LEAF_BITS + (height - 1) * PART_BITS;
    ((index >> shift) as usize, index & ((1 << shift) - 1))
}

/// The bitmap. Bits that were never set are zero.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Bitmap {
    /// The bits below [`FIRST`]; the others are in the tree.
    first: u64,
    root: Link,
    height: u32,
}

impl Bitmap {
    /// All zeros.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the tree is high enough for an index.
    fn covers(&self, index: u64) -> bool {
        let bits = LEAF_BITS + self.height * PART_BITS;
        bits >= u64::BITS || index >> bits == 0
    }

    /// The bit at an index.
    pub fn get(&self, index: u64) -> bool {
        let Some(index) = index.checked_sub(FIRST) else {
            return self.first >> index & 1 == 1;
        };
        if !self.covers(index) {
            return false;
        }
        let (mut link, mut height, mut index) = (&self.root, self.height, index);
        while let Some(node) = link {
            match &node.parts {
                Parts::Words(words) => {
                    return words[(index >> PART_BITS) as usize] >> (index % 64) & 1 == 1;
                }
                Parts::Nodes(nodes) => {
                    let (at, rest) = split(height, index);
                    (link, height, index) = (&nodes[at], height - 1, rest);
                }
            }
        }
        false
    }

    /// The lowest index whose bit is zero.
    #[inline]
    pub fn lowest_zero(&self) -> u64 {
        match self.first {
            u64::MAX => FIRST + self.lowest_in_tree(),
            first => u64::from(first.trailing_ones()),
        }
    }

    fn lowest_in_tree(&self) -> u64 {
        let Some(mut node) = self.root.as_deref() else {
            return 0;
        };
        if node.is_full() {
            return 1 << (LEAF_BITS + self.height * PART_BITS);
        }
        let (mut found, mut height) = (0, self.height);
        loop {
            let at = node.full.trailing_ones();
            found = found << PART_BITS | u64::from(at);
            match &node.parts {
                Parts::Words(words) => {
                    let bit = words[at as usize].trailing_ones();
                    return found << PART_BITS | u64::from(bit);
                }
                Parts::Nodes(nodes) => match &nodes[at as usize] {
                    Some(child) => (node, height) = (child, height - 1),
                    // A missing child is all zeros.
                    None => return found << (LEAF_BITS + (height - 1) * PART_BITS),
                },
            }
        }
    }

    /// Sets the bit at an index.
    #[inline]
    pub fn set(&mut self, index: u64) {
        match index.checked_sub(FIRST) {
            None => self.first |= 1 << index,
            Some(index) => self.set_in_tree(index),
        }
    }

    fn set_in_tree(&mut self, index: u64) {
        while !self.covers(index) {
            self.height += 1;
            if let Some(old) = self.root.take() {
                let mut root = Node::zeros(self.height);
                root.full = u64::from(old.is_full());
                if let Parts::Nodes(nodes) = &mut root.parts {
                    nodes[0] = Some(old);
                }
                self.root = Some(Rc::new(root));
            }
        }
        let height = self.height;
        let root = self
            .root
            .get_or_insert_with(|| Rc::new(Node::zeros(height)));
        own(root).set(height, index);
    }

    /// Clears the bit at an index.
    #[inline]
    pub fn clear(&mut self, index: u64) {
        match index.checked_sub(FIRST) {
            None => self.first &= !(1 << index),
            Some(index) => self.clear_in_tree(index),
        }
    }

    fn clear_in_tree(&mut self, index: u64) {
        if self.covers(index)
            && let Some(root) = &mut self.root
        {
            own(root).clear(self.height, index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_a_set_also_after_clones() {
        let mut random = Rng::with_seed(3);
        let mut pairs = vec![(Bitmap::new(), BTreeSet::new())];
        for step in 0..60_000u32 {
            if step % 7_000 == 0 {
                let which = random.usize(..pairs.len());
                pairs.push(pairs[which].clone());
            }
            let which = random.usize(..pairs.len());
            let (bitmap, set) = &mut pairs[which];
            let bits = 4 + random.u64(..17);
            let index = random.u64(..1 << bits);
            match random.u64(..5) {
                0 => {
                    bitmap.clear(index);
                    set.remove(&index);
                }
                1 => assert_eq!(bitmap.get(index), set.contains(&index)),
                2 => {
                    bitmap.set(index);
                    set.insert(index);
                }
                _ => {
                    let lowest = (0..).find(|at| !set.contains(at)).unwrap();
                    assert_eq!(bitmap.lowest_zero(), lowest);
                    bitmap.set(lowest);
                    set.insert(lowest);
                }
            }
        }
        for (bitmap, set) in &pairs {
            assert!((0..1 << 20).all(|at| bitmap.get(at) == set.contains(&at)));
        }
    }

    #[test]
    fn grows_when_it_is_full() {
        let mut bitmap = Bitmap::new();
        for expected in 0..300_000 {
            assert_eq!(bitmap.lowest_zero(), expected);
            bitmap.set(expected);
        }
        bitmap.clear(4_097);
        bitmap.clear(262_144);
        bitmap.clear(63);
        assert_eq!(bitmap.lowest_zero(), 63);
        bitmap.set(63);
        assert_eq!(bitmap.lowest_zero(), 4_097);
        bitmap.set(4_097);
        assert_eq!(bitmap.lowest_zero(), 262_144);
    }
}
