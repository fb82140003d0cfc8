//! Questions that diagrams answer.

use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

use super::apply::Work;
use super::derive::pay;
use super::known::{Diagrams, Known};
use super::store::{Byte, Diagram, Leaf, Store};
use super::{QUICK, THOROUGH};
use crate::assignment::Assignment;
use crate::ids::{ExprId, SymbolId};
use crate::pool::Pool;

/// Bytes with their values.
pub type Input = Vec<((SymbolId, u32), u8)>;

impl Pool {
    /// The value of an expression whose diagram was computed before, without a walk.
    pub(crate) fn tabled_value(&self, e: ExprId, assignment: &Assignment) -> Option<u64> {
        let diagrams = self.diagrams.borrow();
        let Some(&Known::Diagram(of)) = diagrams.known.get(&e) else {
            return None;
        };
        let byte = |(symbol, index): Byte| assignment.byte(symbol, index);
        let leaf = diagrams.store.value(of, byte);
        let base = leaf.object.map_or(0, |object| self.object_number(object));
        Some(base.wrapping_add(leaf.value))
    }

    /// The values of a byte for which a condition on it alone holds, one bit each. `None` if it
    /// depends on another byte.
    pub fn diagram_values(&self, condition: Diagram, byte: Byte) -> Option<[u64; 4]> {
        let Diagrams { store, .. } = &*self.diagrams.borrow();
        let holds = |leaf: Leaf| leaf.value == 1;
        let mut values = [0; 4];
        let inner = match store.inner(condition) {
            None if holds(store.as_leaf(condition)?) => return Some([u64::MAX; 4]),
            None => return Some(values),
            Some(inner) => inner,
        };
        let leaves = inner.children.iter().map(|&child| store.as_leaf(child));
        let leaves: Vec<Leaf> = leaves.collect::<Option<_>>()?;
        if inner.byte != byte {
            return None;
        }
        for (value, &class) in store.classes(inner.partition).iter().enumerate() {
            values[value / 64] |= u64::from(holds(leaves[usize::from(class)])) << (value % 64);
        }
        Some(values)
    }

    /// The values of a function of one byte, for each value of the byte.
    pub fn diagram_table(&self, of: Diagram, byte: Byte) -> Option<[u64; 256]> {
        let Diagrams { store, .. } = &*self.diagrams.borrow();
        let number = |leaf: Leaf| {
            let base = leaf.object.map_or(0, |object| self.object_number(object));
            base.wrapping_add(leaf.value)
        };
        let Some(inner) = store.inner(of) else {
            return Some([number(store.as_leaf(of)?); 256]);
        };
        let leaves = inner.children.iter().map(|&child| store.as_leaf(child));
        let leaves: Vec<Leaf> = leaves.collect::<Option<_>>()?;
        let classes = store.classes(inner.partition);
        (inner.byte == byte).then(|| classes.map(|class| number(leaves[usize::from(class)])))
    }

    /// The condition that both hold. `None` if it takes too many steps.
    pub fn diagram_and(&self, a: Diagram, b: Diagram) -> Option<Diagram> {
        let mut unlimited = usize::MAX;
        self.diagram_and_within(a, b, &mut unlimited)
    }

    /// The same with what it takes beyond [`QUICK`] steps from `allowance`.
    pub fn diagram_and_within(
        &self,
        a: Diagram,
        b: Diagram,
        allowance: &mut usize,
    ) -> Option<Diagram> {
        let Diagrams { store, both, .. } = &mut *self.diagrams.borrow_mut();
        let steps = THOROUGH.min(allowance.saturating_add(QUICK));
        let key = (a.min(b), a.max(b));
        if let Some(&known) = both.get(&key) {
            return Some(known);
        }
        let (no, yes) = (store.number(0), store.number(1));
        let short = |_: &Store, a: Diagram, b: Diagram| match () {
            () if a == no || b == no => Some(no),
            () if a == yes || a == b => Some(b),
            () if b == yes => Some(a),
            () => None,
        };
        let f = |a: Leaf, b: Leaf| Leaf::number(a.value & b.value);
        let mut work = Work { store, left: steps };
        let result = work.zip(key, &mut FxHashMap::default(), &short, &f);
        pay(allowance, steps - work.left);
        both.insert(key, result?);
        result
    }

    /// The condition that always holds.
    pub fn diagram_true(&self) -> Diagram {
        self.diagrams.borrow_mut().store.number(1)
    }

    /// The value of a diagram that is the same for all inputs.
    pub fn diagram_constant(&self, of: Diagram) -> Option<Leaf> {
        self.diagrams.borrow().store.as_leaf(of)
    }

    /// The least input for which a condition holds, by its bytes in ascending order; bytes that it
    /// does not ask for are left out. `None` if it never holds.
    pub fn diagram_model(&self, condition: Diagram) -> Option<Input> {
        let Diagrams { store, .. } = &*self.diagrams.borrow();
        let (mut of, mut model) = (condition, Vec::new());
        let never = |of: Diagram| store.as_leaf(of).is_some_and(|leaf| leaf.value == 0);
        if never(of) {
            return None;
        }
        while let Some(inner) = store.inner(of) {
            // Every node of a condition holds for some input: no two are equal.
            let classes = store.classes(inner.partition);
            let child = |&(_, &class): &(u8, &u8)| inner.children[usize::from(class)];
            let mut values = (0..=u8::MAX).zip(classes);
            let found = values.find(|at| !never(child(at)))?;
            model.push((inner.byte, found.0));
            of = child(&found);
        }
        Some(model)
    }

    /// The condition when a byte has a value.
    pub fn diagram_after(&self, condition: Diagram, byte: Byte, value: u8) -> Option<Diagram> {
        let Diagrams { store, .. } = &mut *self.diagrams.borrow_mut();
        fn after(store: &mut Store, of: Diagram, byte: Byte, value: u8) -> Diagram {
            let Some(inner) = store.inner(of) else {
                return of;
            };
            if inner.byte >= byte {
                return store.after(of, byte, value);
            }
            let (first, partition, children) =
                (inner.byte, inner.partition, inner.children.clone());
            let children = children
                .iter()
                .map(|&child| after(store, child, byte, value));
            let children = children.collect();
            store.node(first, partition, children)
        }
        Some(after(store, condition, byte, value))
    }

    /// The value of a function for some input.
    pub fn diagram_value(&self, of: Diagram, assignment: &Assignment) -> Leaf {
        let byte = |(symbol, index): Byte| assignment.byte(symbol, index);
        self.diagrams.borrow().store.value(of, byte)
    }

    /// The function with its values replaced. `None` if it takes too many steps.
    pub fn diagram_map(&self, of: Diagram, f: &dyn Fn(Leaf) -> Leaf) -> Option<Diagram> {
        let Diagrams { store, .. } = &mut *self.diagrams.borrow_mut();
        let mut work = Work {
            store,
            left: THOROUGH,
        };
        work.map(of, &mut FxHashMap::default(), f)
    }

    /// The values that a function has where a condition holds, ascending. `None` if there are more
    /// than that many, or too many steps. They are kept: a pointer is followed more than once.
    pub fn diagram_leaves_under(
        &self,
        of: Diagram,
        condition: Diagram,
        most: usize,
    ) -> Option<Rc<[Leaf]>> {
        let key = (of, condition, most);
        if let Some(known) = self.diagrams.borrow().under.get(&key) {
            return known.clone();
        }
        let found = self.diagram_values_under(of, condition, most);
        let found: Option<Rc<[Leaf]>> =
            found.map(|found| found.into_iter().map(|(leaf, _)| leaf).collect());
        let diagrams = &mut *self.diagrams.borrow_mut();
        diagrams.listed += found.as_ref().map_or(0, |found| found.len());
        diagrams.under.insert(key, found.clone());
        found
    }

    /// The values that an expression has where a condition holds, each once, with an input for
    /// which it does. `None` if there are more than that many, or too many steps.
    pub fn diagram_values_under(
        &self,
        of: Diagram,
        condition: Diagram,
        most: usize,
    ) -> Option<Vec<(Leaf, Input)>> {
        let Diagrams { store, .. } = &mut *self.diagrams.borrow_mut();
        let mut search = Reachable {
            work: Work {
                store,
                left: THOROUGH,
            },
            most,
            input: Vec::new(),
            seen: FxHashSet::default(),
            found: FxHashMap::default(),
        };
        search.visit(of, condition)?;
        let mut found: Vec<_> = search.found.into_iter().collect();
        found.sort_unstable();
        Some(found)
    }
}

/// A search for the leaves of a diagram under a condition.
struct Reachable<'a> {
    work: Work<'a>,
    most: usize,
    input: Input,
    seen: FxHashSet<(Diagram, Diagram)>,
    found: FxHashMap<Leaf, Input>,
}

impl Reachable<'_> {
    fn visit(&mut self, of: Diagram, condition: Diagram) -> Option<()> {
        let store = &self.work.store;
        let holds = store.as_leaf(condition).map(|leaf| leaf.value == 1);
        if holds == Some(false) || !self.seen.insert((of, condition)) {
            return Some(());
        }
        if let (Some(leaf), Some(true)) = (store.as_leaf(of), holds) {
            if !self.found.contains_key(&leaf) {
                if self.found.len() == self.most {
                    return None;
                }
                self.found.insert(leaf, self.input.clone());
            }
            return Some(());
        }
        let (byte, partition) = self.work.cases(&[of, condition])?;
        for class in 0..self.work.store.examples(partition).len() {
            let store = &self.work.store;
            let value = store.examples(partition)[class];
            let of = store.after(of, byte, value);
            let condition = store.after(condition, byte, value);
            self.input.push((byte, value));
            self.visit(of, condition)?;
            self.input.pop();
        }
        Some(())
    }
}
