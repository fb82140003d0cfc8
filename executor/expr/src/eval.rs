//! The value of an expression under an assignment. Iterative; of a choice only the chosen arm is
//! visited, of a table only the element that is read. A base counts as its number.

use rustc_hash::FxHashMap;

use crate::assignment::Assignment;
use crate::collection::{Moves, Weak};
use crate::diagram::BYTES;
use crate::float::{self, FloatFormat, FloatOp};
use crate::fold::{self, mask};
use crate::ids::ExprId;
use crate::limbs::{self, Limbs};
use crate::node::Node;
use crate::pool::Pool;

/// Values already computed under one assignment. Must not be used with another.
#[derive(Default, Clone, Debug)]
pub struct EvalMemo {
    narrow: FxHashMap<ExprId, u64>,
    wide: FxHashMap<ExprId, Limbs>,
    /// Some value is not what the assignment makes of it, nor are values that depend on it.
    assumes: bool,
}

impl Weak for EvalMemo {
    fn forget(&mut self, moves: &Moves) {
        let Self {
            narrow,
            wide,
            assumes: _,
        } = self;
        narrow.forget(moves);
        wide.forget(moves);
    }
}

impl EvalMemo {
    /// Nothing computed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes `value` as the value of `e` (at most 64 bits, not a leaf), whatever the assignment
    /// makes of it.
    pub fn assume(&mut self, e: ExprId, value: u64) {
        self.assumes = true;
        self.narrow.insert(e, value);
    }

    /// How many values are kept.
    pub fn len(&self) -> usize {
        self.narrow.len() + self.wide.len()
    }

    /// Whether no value is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The outcome of one step at a node: its value, or the operands that are needed first.
enum Progress {
    Done,
    Need,
}

impl Pool {
    /// The value of `e`, its lowest 64 bits if it is wider.
    pub fn eval(&self, e: ExprId, assignment: &Assignment, memo: &mut EvalMemo) -> u64 {
        if let Some(value) = self.known_value(e, assignment, memo) {
            return value;
        }
        self.run(e, assignment, memo);
        if self.width(e) > 64 {
            return memo.wide.get(&e).map_or(0, |value| value[0]);
        }
        self.known_value(e, assignment, memo).unwrap_or(0)
    }

    /// The value of `e`, of any width.
    pub fn eval_limbs(&self, e: ExprId, assignment: &Assignment, memo: &mut EvalMemo) -> Vec<u64> {
        if self.width(e) <= 64 {
            return vec![self.eval(e, assignment, memo)];
        }
        self.run(e, assignment, memo);
        self.limbs_of(e, assignment, memo).unwrap_or_default()
    }

    /// Whether a condition (1 bit) holds.
    pub fn holds(&self, e: ExprId, assignment: &Assignment, memo: &mut EvalMemo) -> bool {
        self.eval(e, assignment, memo) == 1
    }

    /// The value of a leaf, or of a node computed before, of at most 64 bits.
    fn known_value(&self, e: ExprId, assignment: &Assignment, memo: &EvalMemo) -> Option<u64> {
        match self.node(e) {
            Node::Const(value) => Some(value),
            Node::Symbol(symbol, index) => Some(u64::from(assignment.byte(symbol, index))),
            Node::Base(object) => Some(self.object_number(object)),
            _ => match memo.narrow.get(&e) {
                Some(&value) => Some(value),
                None if memo.assumes || self.sets.len_of(self.symbol_set_id(e)) > BYTES => None,
                None => self.tabled_value(e, assignment),
            },
        }
    }

    fn limbs_of(&self, e: ExprId, assignment: &Assignment, memo: &EvalMemo) -> Option<Limbs> {
        match self.node(e) {
            Node::Wide(at) => Some(self.wide_constant(at).to_vec()),
            _ if self.width(e) > 64 => memo.wide.get(&e).cloned(),
            _ => self
                .known_value(e, assignment, memo)
                .map(|value| vec![value]),
        }
    }

    fn run(&self, root: ExprId, assignment: &Assignment, memo: &mut EvalMemo) {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            let done = if self.width(e) > 64 {
                matches!(self.node(e), Node::Wide(_)) || memo.wide.contains_key(&e)
            } else {
                self.known_value(e, assignment, memo).is_some()
            };
            if done || matches!(self.step(e, assignment, memo, &mut stack), Progress::Done) {
                stack.pop();
            }
        }
    }

    fn step(
        &self,
        e: ExprId,
        assignment: &Assignment,
        memo: &mut EvalMemo,
        stack: &mut Vec<ExprId>,
    ) -> Progress {
        let node = self.node(e);
        let width = self.width(e);
        // Which operand decides, and which one is the value then.
        let chosen = match node {
            Node::Ite(c, a, b) => match self.known_value(c, assignment, memo) {
                Some(value) => Some(if value == 1 { a } else { b }),
                None => {
                    stack.push(c);
                    return Progress::Need;
                }
            },
            Node::Read(table, index) => match self.known_value(index, assignment, memo) {
                Some(at) => {
                    let elements = self.table_elements(table);
                    Some(elements[at.min(elements.len() as u64 - 1) as usize])
                }
                None => {
                    stack.push(index);
                    return Progress::Need;
                }
            },
            _ => None,
        };
        let mut wide = width > 64;
        let mut missing = false;
        let mut visit = |operand: ExprId| {
            let known = if self.width(operand) > 64 {
                wide = true;
                matches!(self.node(operand), Node::Wide(_)) || memo.wide.contains_key(&operand)
            } else {
                self.known_value(operand, assignment, memo).is_some()
            };
            if !known {
                missing = true;
                stack.push(operand);
            }
        };
        match chosen {
            Some(operand) => visit(operand),
            None => node.for_each_operand(visit),
        }
        if missing {
            return Progress::Need;
        }
        if wide {
            let get = |x| self.limbs_of(x, assignment, memo).unwrap_or_default();
            let value = match chosen {
                Some(operand) => get(operand),
                None => self.apply_wide(node, width, get),
            };
            if width > 64 {
                memo.wide.insert(e, value);
            } else {
                memo.narrow.insert(e, value[0]);
            }
        } else {
            let get = |x| self.known_value(x, assignment, memo).unwrap_or(0);
            let value = match chosen {
                Some(operand) => get(operand),
                None => self.apply(node, width, get),
            };
            memo.narrow.insert(e, value);
        }
        Progress::Done
    }

    /// One operation on operands of at most 64 bits.
    pub(crate) fn apply(&self, node: Node, width: u32, get: impl Fn(ExprId) -> u64) -> u64 {
        match node {
            Node::Binary(op, a, b) => fold::binary(op, width, get(a), get(b)),
            Node::Compare(op, a, b) => u64::from(fold::compare(op, self.width(a), get(a), get(b))),
            Node::Not(a) => !get(a) & mask(width),
            Node::Extract { value, low } => get(value) >> low & mask(width),
            Node::Concat(high, low) => get(high) << self.width(low) | get(low),
            Node::ZExt(a) => get(a),
            Node::SExt(a) => fold::sign_extend(get(a), self.width(a), width),
            Node::Float(op, format, operands) => {
                self.apply_float(op, format, operands, width, |e| u128::from(get(e))) as u64
            }
            Node::Const(_)
            | Node::Wide(_)
            | Node::Symbol(..)
            | Node::Base(_)
            | Node::Ite(..)
            | Node::Read(..) => 0,
        }
    }

    /// One operation whose result or operand is wider than 64 bits.
    fn apply_wide(&self, node: Node, width: u32, get: impl Fn(ExprId) -> Limbs) -> Limbs {
        match node {
            Node::Binary(op, a, b) => limbs::binary(op, width, &get(a), &get(b)),
            Node::Compare(op, a, b) => {
                vec![u64::from(limbs::compare(
                    op,
                    self.width(a),
                    &get(a),
                    &get(b),
                ))]
            }
            Node::Not(a) => limbs::not(&get(a), width),
            Node::Extract { value, low } => limbs::extract(&get(value), low, width),
            Node::Concat(high, low) => limbs::concat(&get(high), &get(low), self.width(low), width),
            Node::ZExt(a) => limbs::resize(get(a), width),
            Node::SExt(a) => limbs::sign_extend(&get(a), self.width(a), width),
            Node::Float(op, format, operands) => {
                let result =
                    self.apply_float(op, format, operands, width, |e| limbs::to_u128(&get(e)));
                limbs::resize(vec![result as u64, (result >> 64) as u64], width)
            }
            Node::Const(_)
            | Node::Wide(_)
            | Node::Symbol(..)
            | Node::Base(_)
            | Node::Ite(..)
            | Node::Read(..) => vec![0; limbs::limb_count(width)],
        }
    }

    /// A floating-point operation.
    fn apply_float(
        &self,
        op: FloatOp,
        format: FloatFormat,
        operands: [ExprId; 3],
        width: u32,
        get: impl Fn(ExprId) -> u128,
    ) -> u128 {
        let mut values = [0; 3];
        for (value, &e) in values.iter_mut().zip(&operands[..op.operands()]) {
            *value = get(e);
        }
        float::fold(op, format, self.width(operands[0]), width, values)
    }
}
