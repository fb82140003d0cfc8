//! Operations on diagrams: byte by byte, class by class.

use rustc_hash::FxHashMap;

use super::store::{Byte, Diagram, Leaf, Store};

/// An operation under way.
pub(super) struct Work<'a> {
    pub store: &'a mut Store,
    /// How many more classes may be looked at.
    pub left: usize,
}

impl Work<'_> {
    /// Takes a part of the budget.
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }

    /// The first byte that any of these asks for.
    fn first(&self, operands: &[Diagram]) -> Option<Byte> {
        let bytes = operands.iter().filter_map(|&of| self.store.inner(of));
        bytes.map(|inner| inner.byte).min()
    }

    /// The partition by which all that ask for a byte tell its values apart.
    fn partition(&mut self, operands: &[Diagram], byte: Byte) -> u32 {
        let mut common = None;
        for &of in operands {
            let asks = self.store.inner(of).filter(|inner| inner.byte == byte);
            let Some(partition) = asks.map(|inner| inner.partition) else {
                continue;
            };
            common = Some(match common {
                Some(common) if common != partition => {
                    let product = self.store.product(common, partition);
                    self.store.product_at(product).partition
                }
                _ => partition,
            });
        }
        common.expect("some operand asks for the byte")
    }

    /// The first byte that any of these asks for, and how its values fall into the ways in which
    /// they go on.
    pub fn cases(&mut self, operands: &[Diagram]) -> Option<(Byte, u32)> {
        let byte = self.first(operands)?;
        let partition = self.partition(operands, byte);
        self.spend(self.store.examples(partition).len())?;
        Some((byte, partition))
    }

    /// An operation on one function.
    pub fn map(
        &mut self,
        of: Diagram,
        memo: &mut FxHashMap<Diagram, Diagram>,
        f: &dyn Fn(Leaf) -> Leaf,
    ) -> Option<Diagram> {
        if let Some(leaf) = self.store.as_leaf(of) {
            return Some(self.store.leaf(f(leaf)));
        }
        if let Some(&known) = memo.get(&of) {
            return Some(known);
        }
        let inner = self.store.inner(of)?;
        let (byte, partition, children) = (inner.byte, inner.partition, inner.children.clone());
        self.spend(children.len())?;
        let mut mapped = Vec::with_capacity(children.len());
        for &child in &children {
            mapped.push(self.map(child, memo, f)?);
        }
        let result = self.store.node(byte, partition, mapped);
        memo.insert(of, result);
        Some(result)
    }

    /// An operation on two functions. `short` may know the result from one that is constant.
    pub fn zip(
        &mut self,
        (a, b): (Diagram, Diagram),
        memo: &mut FxHashMap<(Diagram, Diagram), Diagram>,
        short: &dyn Fn(&Store, Diagram, Diagram) -> Option<Diagram>,
        f: &dyn Fn(Leaf, Leaf) -> Leaf,
    ) -> Option<Diagram> {
        if let Some(known) = short(self.store, a, b) {
            return Some(known);
        }
        if let (Some(x), Some(y)) = (self.store.as_leaf(a), self.store.as_leaf(b)) {
            return Some(self.store.leaf(f(x, y)));
        }
        if let Some(&known) = memo.get(&(a, b)) {
            return Some(known);
        }
        let byte = self.first(&[a, b])?;
        let asks = |store: &Store, of| {
            let inner = store.inner(of).filter(|inner| inner.byte == byte);
            inner.map(|inner| (inner.partition, inner.children.clone()))
        };
        let (of_a, of_b) = (asks(self.store, a), asks(self.store, b));
        let (partition, pairs): (u32, Vec<(Diagram, Diagram)>) = match (of_a, of_b) {
            (Some((p, x)), Some((q, y))) if p == q => {
                (p, x.iter().copied().zip(y.iter().copied()).collect())
            }
            (Some((p, x)), Some((q, y))) => {
                let product = self.store.product(p, q);
                let product = self.store.product_at(product);
                let pairs = product.pairs.iter();
                let pairs = pairs.map(|&(i, j)| (x[usize::from(i)], y[usize::from(j)]));
                (product.partition, pairs.collect())
            }
            (Some((p, x)), None) => (p, x.iter().map(|&x| (x, b)).collect()),
            (None, Some((q, y))) => (q, y.iter().map(|&y| (a, y)).collect()),
            (None, None) => return None,
        };
        self.spend(pairs.len())?;
        let mut children = Vec::with_capacity(pairs.len());
        for pair in pairs {
            children.push(self.zip(pair, memo, short, f)?);
        }
        let result = self.store.node(byte, partition, children);
        memo.insert((a, b), result);
        Some(result)
    }

    /// An operation on three functions; if it is a choice, the chosen one is taken as it is.
    pub fn zip3(
        &mut self,
        operands: [Diagram; 3],
        memo: &mut FxHashMap<[Diagram; 3], Diagram>,
        f: &dyn Fn([Leaf; 3]) -> Leaf,
        choice: bool,
    ) -> Option<Diagram> {
        let [c, a, b] = operands;
        if choice {
            if a == b {
                return Some(a);
            }
            if let Some(leaf) = self.store.as_leaf(c) {
                return Some(if leaf.value == 1 { a } else { b });
            }
        }
        if let Some(&known) = memo.get(&operands) {
            return Some(known);
        }
        let Some(byte) = self.first(&operands) else {
            let leaves = operands.map(|of| self.store.as_leaf(of));
            let [Some(x), Some(y), Some(z)] = leaves else {
                return None;
            };
            return Some(self.store.leaf(f([x, y, z])));
        };
        let partition = self.partition(&operands, byte);
        let classes = self.store.examples(partition).len();
        self.spend(classes)?;
        let mut children = Vec::with_capacity(classes);
        for class in 0..classes {
            let value = self.store.examples(partition)[class];
            let parts = operands.map(|of| self.store.after(of, byte, value));
            children.push(self.zip3(parts, memo, f, choice)?);
        }
        let result = self.store.node(byte, partition, children);
        memo.insert(operands, result);
        Some(result)
    }

    /// The function that is, where `index` has its n-th leaf of `leaves`, the n-th of `elements`.
    pub fn select(
        &mut self,
        index: Diagram,
        leaves: &[Diagram],
        elements: &[Diagram],
    ) -> Option<Diagram> {
        if index.is_leaf() {
            let at = leaves.binary_search(&index).ok()?;
            return Some(elements[at]);
        }
        // Only what this part of the index leads to.
        let here = self.store.leaves(index);
        let at = |leaf: &Diagram| leaves.binary_search(leaf).ok();
        let positions: Vec<usize> = here.iter().map(at).collect::<Option<_>>()?;
        let mut parts: Vec<Diagram> = positions.iter().map(|&at| elements[at]).collect();
        if parts.windows(2).all(|pair| pair[0] == pair[1]) {
            return Some(parts[0]);
        }
        if parts.iter().all(|part| part.is_leaf()) {
            return self.replace_leaves(index, &here, &parts);
        }
        parts.push(index);
        let byte = self.first(&parts)?;
        let partition = self.partition(&parts, byte);
        let classes = self.store.examples(partition).len();
        parts.pop();
        // To follow an element by a byte is much less than a step.
        self.spend(classes * (1 + parts.len() / 32))?;
        let mut children = Vec::with_capacity(classes);
        for class in 0..classes {
            let value = self.store.examples(partition)[class];
            let rest: Vec<Diagram> = (parts.iter())
                .map(|&part| self.store.after(part, byte, value))
                .collect();
            let index = self.store.after(index, byte, value);
            children.push(self.select(index, &here, &rest)?);
        }
        Some(self.store.node(byte, partition, children))
    }

    /// The function that has, for the n-th leaf of `leaves`, the n-th of `others`.
    fn replace_leaves(
        &mut self,
        of: Diagram,
        leaves: &[Diagram],
        others: &[Diagram],
    ) -> Option<Diagram> {
        // Looked up in up to 65,536 places. `leaves` are all that are met: what others have left in the
        // list is not read.
        debug_assert_eq!(self.store.leaves(of), leaves);
        let mut by_leaf = std::mem::take(&mut self.store.others);
        by_leaf.resize(self.store.leaf_count(), of);
        for (leaf, &other) in leaves.iter().zip(others) {
            by_leaf[leaf.leaf_position()?] = other;
        }
        let replaced = self.replace(of, &by_leaf, &mut FxHashMap::default());
        self.store.others = by_leaf;
        replaced
    }

    /// The function that has, for each leaf, what stands at its position.
    fn replace(
        &mut self,
        of: Diagram,
        by_leaf: &[Diagram],
        memo: &mut FxHashMap<Diagram, Diagram>,
    ) -> Option<Diagram> {
        if let Some(at) = of.leaf_position() {
            return Some(by_leaf[at]);
        }
        if let Some(&known) = memo.get(&of) {
            return Some(known);
        }
        let inner = self.store.inner(of)?;
        let (byte, partition, children) = (inner.byte, inner.partition, inner.children.clone());
        self.spend(children.len())?;
        let mut replaced = Vec::with_capacity(children.len());
        for &child in &children {
            replaced.push(self.replace(child, by_leaf, memo)?);
        }
        let result = self.store.node(byte, partition, replaced);
        memo.insert(of, result);
        Some(result)
    }
}
