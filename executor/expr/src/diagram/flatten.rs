//! A diagram as an expression: reads of tables at single bytes, however deep the expression was that
//! it was made from.

use rustc_hash::FxHashMap;

use super::THOROUGH;
use super::apply::Work;
use super::known::Diagrams;
use super::store::{Byte, Diagram, Leaf, Store};
use crate::ids::ExprId;
use crate::pool::Pool;

/// An expression that is being made.
struct Flattening {
    condition_only: FxHashMap<Diagram, Diagram>,
    /// None where the condition does not hold.
    made: FxHashMap<(Diagram, Diagram), Option<ExprId>>,
    width: u32,
    /// How many more tables may be made.
    rows: usize,
}

impl Pool {
    /// An expression that has the values of `of` wherever `condition` holds, and some of them
    /// elsewhere, made of reads of tables at single bytes. `None` if it takes more than `rows`
    /// tables, or if the condition never holds.
    pub fn diagram_read(
        &mut self,
        of: Diagram,
        condition: Diagram,
        width: u32,
        rows: usize,
    ) -> Option<ExprId> {
        let key = (of, condition, width, rows);
        if let Some(&known) = self.diagrams.get_mut().read.get(&key) {
            return known;
        }
        let mut flattening = Flattening {
            condition_only: FxHashMap::default(),
            made: FxHashMap::default(),
            width,
            rows,
        };
        let made = self.flat(&mut flattening, of, condition).flatten();
        self.diagrams.get_mut().read.insert(key, made);
        made
    }

    /// `None` if it takes too many tables.
    fn flat(
        &mut self,
        flattening: &mut Flattening,
        of: Diagram,
        condition: Diagram,
    ) -> Option<Option<ExprId>> {
        let key = (of, condition);
        if let Some(&known) = flattening.made.get(&key) {
            return Some(known);
        }
        let diagrams = self.diagrams.get_mut();
        let store = &mut diagrams.store;
        let never = store.as_leaf(condition).is_some_and(|leaf| leaf.value == 0);
        let first = |of| store.inner(of).map(|inner| inner.byte);
        let made = match (first(of), first(condition)) {
            _ if never => None,
            (None, _) => {
                let leaf = store.as_leaf(of)?;
                Some(self.leaf_expr(leaf, flattening.width))
            }
            (Some(byte), Some(earlier)) if earlier < byte => {
                let later = any_value(diagrams, condition, &mut flattening.condition_only)?;
                self.flat(flattening, of, later)?
            }
            (Some(byte), _) => {
                flattening.rows = flattening.rows.checked_sub(1)?;
                let (mut work, operands) = (Work { store, left: 256 }, [of, condition]);
                let (_, partition) = work.cases(&operands)?;
                let mut classes = Vec::new();
                for class in 0..store.examples(partition).len() {
                    let store = &self.diagrams.get_mut().store;
                    let value = store.examples(partition)[class];
                    let [of, condition] = operands.map(|of| store.after(of, byte, value));
                    classes.push(self.flat(flattening, of, condition)?);
                }
                let of_value = *self.diagrams.get_mut().store.classes(partition);
                let values = of_value.map(|class| classes[usize::from(class)]);
                Some(self.row(byte, &values)?)
            }
        };
        flattening.made.insert(key, made);
        Some(made)
    }

    /// The element for a byte's value. Values that do not occur have that of the one before.
    fn row(&mut self, (symbol, index): Byte, values: &[Option<ExprId>; 256]) -> Option<ExprId> {
        let first = values.iter().position(Option::is_some)?;
        let last = values.iter().rposition(Option::is_some)?;
        let mut current = values[first]?;
        let elements = values[first..=last].iter();
        let elements: Vec<ExprId> = elements
            .map(|value| {
                current = value.unwrap_or(current);
                current
            })
            .collect();
        if elements.iter().all(|&e| e == elements[0]) {
            return Some(elements[0]);
        }
        let table = self.table(&elements);
        let byte = self.symbol_byte(symbol, index);
        let (byte, first) = (self.zext(byte, 64), self.constant(64, first as u64));
        let at = self.sub(byte, first);
        Some(self.read(table, at))
    }

    fn leaf_expr(&mut self, leaf: Leaf, width: u32) -> ExprId {
        let value = self.constant(width, leaf.value);
        match leaf.object {
            Some(object) => {
                let base = self.base(object);
                self.add(base, value)
            }
            None => value,
        }
    }
}

/// The condition on later bytes, when the first one may have any value.
fn any_value(
    diagrams: &mut Diagrams,
    condition: Diagram,
    memo: &mut FxHashMap<Diagram, Diagram>,
) -> Option<Diagram> {
    if let Some(&known) = memo.get(&condition) {
        return Some(known);
    }
    let store = &mut diagrams.store;
    let children = store.inner(condition)?.children.clone();
    let (no, yes) = (store.number(0), store.number(1));
    let short = |_: &Store, a: Diagram, b: Diagram| match () {
        () if a == yes || b == yes => Some(yes),
        () if a == no || a == b => Some(b),
        () if b == no => Some(a),
        () => None,
    };
    let f = |a: Leaf, b: Leaf| Leaf::number(a.value | b.value);
    let mut left = THOROUGH;
    let mut any = no;
    for &child in &children {
        let mut work = Work { store, left };
        any = work.zip((any, child), &mut FxHashMap::default(), &short, &f)?;
        left = work.left;
    }
    memo.insert(condition, any);
    Some(any)
}
