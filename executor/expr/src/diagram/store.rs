//! Diagrams: functions of input bytes, each kept once.
//!
//! A multi-valued decision diagram over input bytes in ascending order. A node asks for one byte; its
//! 256 values fall into *classes* that lead to the same child, so a test of a byte against a constant
//! has two children, whatever its value. How values fall into classes is a *partition*; equal ones are
//! kept once. Nodes with equal byte, partition and children are kept once, so equal functions have
//! equal ids. A function of one byte is a single node, at most a table of 256 values.
//!
//! A leaf is a number, or an object and an offset: what a pointer expression is, before its base is
//! read as a number.

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

use crate::ids::{ObjectId, SymbolId};

/// An input byte.
pub(super) type Byte = (SymbolId, u32);
/// For each value of a byte the number of its class, numbered by first occurrence.
pub(super) type Classes = [u8; 256];

/// A function of some input bytes; equal ids are equal functions. Ids are those of one store, and
/// valid until the pool's next collection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Diagram(u32);

/// Set in the ids of leaves.
const LEAF: u32 = 1 << 31;

/// A value of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Leaf {
    /// The object whose address is to be added, if it is a pointer.
    pub object: Option<ObjectId>,
    /// The number, or the offset.
    pub value: u64,
}

impl Leaf {
    /// A number.
    pub const fn number(value: u64) -> Self {
        let object = None;
        Self { object, value }
    }
}

/// A node: which child each class of values of a byte leads to.
pub(super) struct Inner {
    pub byte: Byte,
    pub partition: u32,
    pub children: Box<[Diagram]>,
    /// The next node with the same hash.
    next: u32,
}

/// Two partitions at once: which pairs of classes there are.
pub(super) struct Product {
    pub partition: u32,
    pub pairs: Box<[(u8, u8)]>,
}

/// All diagrams of a pool.
pub(super) struct Store {
    leaves: Vec<Leaf>,
    leaf_ids: FxHashMap<Leaf, u32>,
    inner: Vec<Inner>,
    /// The newest node of each hash.
    inner_ids: FxHashMap<u64, u32>,
    edges: usize,
    partitions: Vec<Classes>,
    /// The least value of each class of each partition.
    examples: Vec<Box<[u8]>>,
    partition_ids: FxHashMap<Classes, u32>,
    products: FxHashMap<(u32, u32), u32>,
    all_products: Vec<Product>,
    /// Positions of pairs of classes while a product is made.
    scratch: Vec<u16>,
    /// Positions of children while equal ones are united.
    firsts: Firsts,
    /// By position of a leaf: what stands for it while it is replaced.
    pub others: Vec<Diagram>,
}

/// For each leaf and each node a position; [`FREE`] but for those that are looked at. Nodes have up to
/// 256 children, and to look them up here is much less than to hash them.
#[derive(Default)]
struct Firsts {
    leaves: Vec<u16>,
    inner: Vec<u16>,
}

/// No position.
const FREE: u16 = u16::MAX;

impl Firsts {
    fn of(&mut self, child: Diagram) -> &mut u16 {
        match child.leaf_position() {
            Some(at) => &mut self.leaves[at],
            None => &mut self.inner[child.0 as usize],
        }
    }
}

/// The leaves that are numbers below this come first, in their order.
const SMALL_NUMBERS: u64 = 256;

/// No node.
const NONE: u32 = u32::MAX;

impl Diagram {
    fn leaf(at: usize) -> Self {
        Self(at as u32 | LEAF)
    }

    pub(super) fn is_leaf(self) -> bool {
        self.0 & LEAF != 0
    }

    /// The position among all leaves, of a leaf.
    pub(super) fn leaf_position(self) -> Option<usize> {
        self.is_leaf().then_some((self.0 & !LEAF) as usize)
    }
}

/// Renumbers classes by first occurrence after some were united. Returns for each new class an old
/// one that went into it.
fn renumber(classes: &mut Classes, united: &[u16]) -> Vec<u8> {
    let (mut numbers, mut from) = ([u16::MAX; 256], Vec::new());
    for class in classes.iter_mut() {
        let to = united[usize::from(*class)];
        let number = &mut numbers[usize::from(to)];
        if *number == u16::MAX {
            *number = from.len() as u16;
            from.push(to as u8);
        }
        *class = *number as u8;
    }
    from
}

/// The least value of each class.
fn examples(classes: &Classes) -> Box<[u8]> {
    let mut examples = Vec::new();
    for (value, &class) in (0..=u8::MAX).zip(classes) {
        if usize::from(class) == examples.len() {
            examples.push(value);
        }
    }
    examples.into()
}

impl Default for Store {
    fn default() -> Self {
        Self {
            leaves: (0..SMALL_NUMBERS).map(Leaf::number).collect(),
            leaf_ids: FxHashMap::default(),
            inner: Vec::new(),
            inner_ids: FxHashMap::default(),
            edges: 0,
            partitions: Vec::new(),
            examples: Vec::new(),
            partition_ids: FxHashMap::default(),
            products: FxHashMap::default(),
            all_products: Vec::new(),
            scratch: Vec::new(),
            firsts: Firsts::default(),
            others: Vec::new(),
        }
    }
}

impl Store {
    pub fn leaf(&mut self, leaf: Leaf) -> Diagram {
        if leaf.object.is_none() && leaf.value < SMALL_NUMBERS {
            return Diagram::leaf(leaf.value as usize);
        }
        let next = self.leaves.len();
        let at = *self.leaf_ids.entry(leaf).or_insert(next as u32);
        if at as usize == next {
            self.leaves.push(leaf);
        }
        Diagram::leaf(at as usize)
    }

    /// How many leaves there are.
    pub fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// The leaves of a diagram, ascending by id.
    pub fn leaves(&mut self, of: Diagram) -> Vec<Diagram> {
        let (mut found, mut nodes, mut seen) = (Vec::new(), vec![of], FxHashSet::default());
        // A leaf stands in many places: only the few different ones are to be sorted.
        self.firsts.leaves.resize(self.leaves.len(), FREE);
        while let Some(of) = nodes.pop() {
            if let Some(inner) = self.inner(of) {
                if seen.insert(of) {
                    nodes.extend(&inner.children);
                }
                continue;
            }
            let first = self.firsts.of(of);
            if *first == FREE {
                *first = 0;
                found.push(of);
            }
        }
        for &leaf in &found {
            *self.firsts.of(leaf) = FREE;
        }
        found.sort_unstable();
        found
    }

    pub fn number(&mut self, value: u64) -> Diagram {
        self.leaf(Leaf::number(value))
    }

    /// The value of a diagram that depends on no byte.
    pub fn as_leaf(&self, of: Diagram) -> Option<Leaf> {
        of.is_leaf().then(|| self.leaves[(of.0 & !LEAF) as usize])
    }

    pub fn inner(&self, of: Diagram) -> Option<&Inner> {
        (!of.is_leaf()).then(|| &self.inner[of.0 as usize])
    }

    pub fn classes(&self, partition: u32) -> &Classes {
        &self.partitions[partition as usize]
    }

    /// A value of each class of a partition.
    pub fn examples(&self, partition: u32) -> &[u8] {
        &self.examples[partition as usize]
    }

    /// The partition that tells all values apart.
    pub fn all_values(&mut self) -> u32 {
        let mut classes = [0; 256];
        (classes.iter_mut().zip(0..=u8::MAX)).for_each(|(class, value)| *class = value);
        self.partition(&classes)
    }

    /// The function that is `value` itself.
    pub fn identity(&mut self, byte: Byte) -> Diagram {
        let partition = self.all_values();
        let children = (0..256).map(|value| self.number(value)).collect();
        self.node(byte, partition, children)
    }

    pub fn partition(&mut self, classes: &Classes) -> u32 {
        if let Some(&known) = self.partition_ids.get(classes) {
            return known;
        }
        let at = self.partitions.len() as u32;
        self.partitions.push(*classes);
        self.examples.push(examples(classes));
        self.partition_ids.insert(*classes, at);
        at
    }

    /// The function that has these values by the classes of a byte; they depend on later bytes only.
    pub fn node(&mut self, byte: Byte, partition: u32, children: Vec<Diagram>) -> Diagram {
        if children.windows(2).all(|pair| pair[0] == pair[1]) {
            return children[0];
        }
        let (partition, children) = self.unite(partition, children);
        let mut hasher = FxHasher::default();
        (byte, partition, &children[..]).hash(&mut hasher);
        let hash = hasher.finish();
        let newest = self.inner_ids.get(&hash).copied().unwrap_or(NONE);
        let mut at = newest;
        while at != NONE {
            let known = &self.inner[at as usize];
            if known.byte == byte && known.partition == partition && *known.children == children[..]
            {
                return Diagram(at);
            }
            at = known.next;
        }
        let at = self.inner.len() as u32;
        self.edges += children.len();
        self.inner.push(Inner {
            byte,
            partition,
            children: children.into(),
            next: newest,
        });
        self.inner_ids.insert(hash, at);
        Diagram(at)
    }

    /// For each child the position of the first one that equals it.
    fn united(&mut self, children: &[Diagram]) -> Vec<u16> {
        let mut united: Vec<u16> = (0..children.len() as u16).collect();
        if children.len() <= 8 {
            for at in 1..children.len() {
                let first = children[..at].iter().position(|&c| c == children[at]);
                united[at] = first.unwrap_or(at) as u16;
            }
            return united;
        }
        self.firsts.leaves.resize(self.leaves.len(), FREE);
        self.firsts.inner.resize(self.inner.len(), FREE);
        for (at, &child) in united.iter_mut().zip(children) {
            let first = self.firsts.of(child);
            match *first {
                FREE => *first = *at,
                first => *at = first,
            }
        }
        for &child in children {
            *self.firsts.of(child) = FREE;
        }
        united
    }

    /// Unites classes with the same child.
    fn unite(&mut self, partition: u32, children: Vec<Diagram>) -> (u32, Vec<Diagram>) {
        let united = self.united(&children);
        if united
            .iter()
            .enumerate()
            .all(|(at, &to)| at == usize::from(to))
        {
            return (partition, children);
        }
        let mut classes = *self.classes(partition);
        let from = renumber(&mut classes, &united);
        let children = from.iter().map(|&old| children[usize::from(old)]).collect();
        (self.partition(&classes), children)
    }

    /// The partition of pairs of classes.
    pub fn product(&mut self, a: u32, b: u32) -> u32 {
        if let Some(&known) = self.products.get(&(a, b)) {
            return known;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.resize(1 << 16, FREE);
        let (mut classes, mut pairs) = ([0; 256], Vec::new());
        {
            let (a, b) = (self.classes(a), self.classes(b));
            for (class, (&x, &y)) in classes.iter_mut().zip(a.iter().zip(b)) {
                let slot = &mut scratch[usize::from(x) << 8 | usize::from(y)];
                if *slot == FREE {
                    *slot = pairs.len() as u16;
                    pairs.push((x, y));
                }
                *class = *slot as u8;
            }
        }
        for &(x, y) in &pairs {
            scratch[usize::from(x) << 8 | usize::from(y)] = FREE;
        }
        self.scratch = scratch;
        let partition = self.partition(&classes);
        let at = self.all_products.len() as u32;
        self.all_products.push(Product {
            partition,
            pairs: pairs.into(),
        });
        self.products.insert((a, b), at);
        at
    }

    pub fn product_at(&self, at: u32) -> &Product {
        &self.all_products[at as usize]
    }

    /// The function when a byte has a value, for a diagram whose first byte is not before it.
    pub fn after(&self, of: Diagram, byte: Byte, value: u8) -> Diagram {
        match self.inner(of) {
            Some(inner) if inner.byte == byte => {
                let class = self.classes(inner.partition)[usize::from(value)];
                inner.children[usize::from(class)]
            }
            _ => of,
        }
    }

    /// The value for some input.
    pub fn value(&self, mut of: Diagram, byte: impl Fn(Byte) -> u8) -> Leaf {
        while let Some(inner) = self.inner(of) {
            let class = self.classes(inner.partition)[usize::from(byte(inner.byte))];
            of = inner.children[usize::from(class)];
        }
        self.leaves[(of.0 & !LEAF) as usize]
    }

    /// Bytes in use, roughly.
    pub fn bytes(&self) -> usize {
        let inner = self.inner.capacity() * size_of::<Inner>() + self.inner_ids.capacity() * 13;
        let leaves = self.leaves.capacity() * 16 + self.leaf_ids.capacity() * 21;
        let partitions = self.partitions.len() * 640;
        let products = self.all_products.len() * 64 + self.products.capacity() * 13;
        let firsts = 2 * (self.firsts.leaves.capacity() + self.firsts.inner.capacity());
        let looked_up = firsts + 4 * self.others.capacity();
        inner + self.edges * size_of::<Diagram>() + leaves + partitions + products + looked_up
    }

    /// Puts a diagram into another store.
    pub fn copy(
        &self,
        of: Diagram,
        to: &mut Self,
        copied: &mut FxHashMap<Diagram, Diagram>,
    ) -> Diagram {
        if let Some(&known) = copied.get(&of) {
            return known;
        }
        let copy = match self.inner(of) {
            None => to.leaf(self.leaves[(of.0 & !LEAF) as usize]),
            Some(inner) => {
                let children = inner.children.iter();
                let children = children
                    .map(|&child| self.copy(child, to, copied))
                    .collect();
                let partition = to.partition(self.classes(inner.partition));
                to.node(inner.byte, partition, children)
            }
        };
        copied.insert(of, copy);
        copy
    }
}
