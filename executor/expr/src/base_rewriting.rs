//! Readings: what an expression with bases means to different parts of the executor.
//!
//! By *number*, every base is its address. By *place* (or *offset*, *size*...), a base in pointer
//! position is what the reader chooses for its object, and everything else is by number. All are
//! iterative and memoised: the number of an expression as long as both are held, the others by the
//! caller.

use rustc_hash::FxHashMap;

use crate::ids::{ExprId, ObjectId, TableId};
use crate::node::Node;
use crate::pool::Pool;
use crate::shape::Position;
use crate::table::Derivation;

impl Pool {
    /// `e` with every base replaced by its number: what comparisons, arithmetic and solvers see.
    pub fn number(&mut self, e: ExprId) -> ExprId {
        if !self.has_base(e) {
            return e;
        }
        if let Some(&known) = self.numbers.get(&e) {
            return known;
        }
        let mut stack = vec![(e, false)];
        while let Some((e, ready)) = stack.pop() {
            if !self.has_base(e) || self.numbers.contains_key(&e) {
                continue;
            }
            if !ready {
                stack.push((e, true));
                self.node(e)
                    .for_each_operand(|operand| stack.push((operand, false)));
                if let Node::Read(table, _) = self.node(e) {
                    let elements = self.table_elements(table).iter();
                    stack.extend(elements.map(|&element| (element, false)));
                }
                continue;
            }
            let number = match self.node(e) {
                Node::Base(object) => {
                    let number = self.object_number(object);
                    self.constant(64, number)
                }
                Node::Read(table, index) => {
                    let (table, index) = (self.number_table(table), self.number_of(index));
                    self.read(table, index)
                }
                _ => self.rebuild(e, |pool, operand| pool.number_of(operand)),
            };
            self.numbers.insert(e, number);
        }
        self.number_of(e)
    }

    /// The number of an expression that was visited before.
    fn number_of(&self, e: ExprId) -> ExprId {
        if self.has_base(e) {
            self.numbers.get(&e).copied().unwrap_or(e)
        } else {
            e
        }
    }

    fn number_table(&mut self, table: TableId) -> TableId {
        let numbered = self.derived(Derivation::Number { of: table }, |pool| {
            let elements = pool.table_elements(table).iter();
            Some(elements.map(|&e| pool.number_of(e)).collect())
        });
        numbered.unwrap_or(table)
    }

    /// `e` with each base in pointer position replaced by `leaf` of its object, offsets kept, and
    /// everything else by number. A leaf that is no base stays its number. `memo` belongs to one
    /// meaning of `leaf`.
    pub fn place_reading(
        &mut self,
        e: ExprId,
        leaf: &mut dyn FnMut(ObjectId) -> u64,
        memo: &mut FxHashMap<ExprId, ExprId>,
    ) -> ExprId {
        let mut replace = |pool: &mut Self, e: ExprId, object: Option<ObjectId>| match object {
            Some(object) => pool.constant(64, leaf(object)),
            None => e,
        };
        self.pointer_reading(e, &mut replace, memo, true)
    }

    /// The same as [`Pool::place_reading`]; with bases read as 0 it gives the offset.
    pub fn offset_reading(
        &mut self,
        e: ExprId,
        leaf: &mut dyn FnMut(ObjectId) -> u64,
        memo: &mut FxHashMap<ExprId, ExprId>,
    ) -> ExprId {
        self.place_reading(e, leaf, memo)
    }

    /// A property of the object that `e` points to: each leaf in pointer position replaced by
    /// `leaf` of its object (`None` for a leaf that is no base), offsets dropped; 64 bits wide.
    pub fn select_reading(
        &mut self,
        e: ExprId,
        leaf: &mut dyn FnMut(Option<ObjectId>) -> u64,
        memo: &mut FxHashMap<ExprId, ExprId>,
    ) -> ExprId {
        let mut replace =
            |pool: &mut Self, _: ExprId, object: Option<ObjectId>| pool.constant(64, leaf(object));
        self.pointer_reading(e, &mut replace, memo, false)
    }

    /// The reading of pointer positions. `replace` is given a leaf and its object; `offsets`
    /// says whether summands stay.
    fn pointer_reading(
        &mut self,
        root: ExprId,
        replace: &mut dyn FnMut(&mut Self, ExprId, Option<ObjectId>) -> ExprId,
        memo: &mut FxHashMap<ExprId, ExprId>,
        offsets: bool,
    ) -> ExprId {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if memo.contains_key(&e) {
                continue;
            }
            let position = self.pointer_position(e);
            if !ready && !matches!(position, Position::Base(_) | Position::Leaf) {
                stack.push((e, true));
                self.push_pointers(position, &mut stack);
                continue;
            }
            let read = match position {
                Position::Base(object) => replace(self, e, Some(object)),
                Position::Leaf => {
                    let number = self.number(e);
                    replace(self, number, None)
                }
                Position::Sum(op, pointer, offset) => {
                    let pointer = memo[&pointer];
                    if offsets {
                        let offset = self.number(offset);
                        self.binary(op, pointer, offset)
                    } else {
                        pointer
                    }
                }
                Position::Choice(c, a, b) => {
                    let c = self.number(c);
                    self.ite(c, memo[&a], memo[&b])
                }
                Position::Read(table, index) => {
                    let elements = self.shared_elements(table);
                    let elements: Vec<ExprId> = elements.iter().map(|e| memo[e]).collect();
                    let table = self.table(&elements);
                    let index = self.number(index);
                    self.read(table, index)
                }
            };
            memo.insert(e, read);
        }
        memo[&root]
    }
}
