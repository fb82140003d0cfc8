//! The shape of a pointer: which objects it can point into, seen from the expression alone.

use std::sync::Arc;

use crate::ids::{ExprId, ObjectId, TableId};
use crate::node::{BinaryOp, Node};
use crate::pool::Pool;

/// The leaves in pointer position of a pointer-shaped expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The objects whose bases are leaves, ascending.
    pub objects: Vec<ObjectId>,
    /// Whether some leaf is not a base: null, or an integer.
    pub loose: bool,
}

impl Pool {
    /// The leaves of `e` if it is pointer-shaped: an object's base; a pointer plus or minus an
    /// expression without bases; a choice, or a read of a table, of which at least one
    /// alternative is a pointer and every other one is a pointer or has no base at all. `None`
    /// for anything else, in particular for an expression without bases.
    pub fn shape(&mut self, e: ExprId) -> Option<Arc<Shape>> {
        if !self.is_pointer(e) {
            return None;
        }
        if let Some(known) = self.shapes.get(&e) {
            return known.clone();
        }
        let mut stack = vec![(e, false)];
        while let Some((e, ready)) = stack.pop() {
            if !self.is_pointer(e) || self.shapes.contains_key(&e) {
                continue;
            }
            let position = self.pointer_position(e);
            if !ready {
                stack.push((e, true));
                self.push_pointers(position, &mut stack);
                continue;
            }
            let shape = match position {
                Position::Base(object) => Some(Arc::new(Shape {
                    objects: vec![object],
                    loose: false,
                })),
                Position::Sum(_, pointer, _) => self.shape_of(pointer),
                Position::Choice(_, a, b) => self.join_shapes(&[a, b]),
                Position::Read(table, _) => self.join_shapes(&self.shared_elements(table)),
                Position::Leaf => None,
            };
            self.shapes.insert(e, shape);
        }
        self.shape_of(e)
    }

    /// The shape of an expression that was visited before; without bases it is a loose leaf.
    fn shape_of(&self, e: ExprId) -> Option<Arc<Shape>> {
        if !self.has_base(e) {
            return Some(Arc::new(Shape {
                objects: Vec::new(),
                loose: true,
            }));
        }
        self.shapes.get(&e).cloned().flatten()
    }

    fn join_shapes(&self, alternatives: &[ExprId]) -> Option<Arc<Shape>> {
        let mut joined = Shape {
            objects: Vec::new(),
            loose: false,
        };
        for &e in alternatives {
            if !self.has_base(e) {
                joined.loose = true;
                continue;
            }
            let shape = self.shape_of(e)?;
            joined.objects.extend(&shape.objects);
            joined.loose |= shape.loose;
        }
        joined.objects.sort_unstable();
        joined.objects.dedup();
        (!joined.objects.is_empty()).then(|| Arc::new(joined))
    }

    /// Adds the pointers that a pointer is made of to those that are to be visited.
    pub(crate) fn push_pointers(&self, position: Position, stack: &mut Vec<(ExprId, bool)>) {
        match position {
            Position::Sum(_, pointer, _) => stack.push((pointer, false)),
            Position::Choice(_, a, b) => stack.extend([(a, false), (b, false)]),
            Position::Read(table, _) => {
                let elements = self.table_elements(table).iter();
                stack.extend(elements.map(|&element| (element, false)));
            }
            Position::Base(_) | Position::Leaf => {}
        }
    }

    /// How `e` is made of pointers.
    pub(crate) fn pointer_position(&self, e: ExprId) -> Position {
        if !self.is_pointer(e) {
            return Position::Leaf;
        }
        match self.node(e) {
            Node::Base(object) => Position::Base(object),
            Node::Binary(BinaryOp::Add, a, b) if self.is_pointer(a) => {
                Position::Sum(BinaryOp::Add, a, b)
            }
            Node::Binary(BinaryOp::Add, a, b) => Position::Sum(BinaryOp::Add, b, a),
            Node::Binary(BinaryOp::Sub, a, b) => Position::Sum(BinaryOp::Sub, a, b),
            Node::Ite(c, a, b) => Position::Choice(c, a, b),
            Node::Read(table, index) => Position::Read(table, index),
            _ => Position::Leaf,
        }
    }
}

/// How an expression in pointer position is made.
#[derive(Clone, Copy)]
pub(crate) enum Position {
    /// An object's address.
    Base(ObjectId),
    /// A pointer plus or minus an offset.
    Sum(BinaryOp, ExprId, ExprId),
    /// One of two.
    Choice(ExprId, ExprId, ExprId),
    /// One of a table.
    Read(TableId, ExprId),
    /// Anything else.
    Leaf,
}
