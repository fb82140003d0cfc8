//! The diagram of an expression, from those of its operands.

use rustc_hash::FxHashMap;

use super::apply::Work;
use super::known::{Diagrams, KEPT, Known};
use super::store::{Diagram, Leaf, Store};
use super::{BYTES, QUICK, evaluate};
use crate::collection::{Moves, Weak};
use crate::ids::{ExprId, TableId};
use crate::node::{BinaryOp, Node};
use crate::pool::Pool;

impl Pool {
    /// Computes the diagram of `root`: from those of its parts, if each of them takes few steps;
    /// else from its values, or else from those of its parts however many steps these take.
    pub(super) fn derive(
        &self,
        diagrams: &mut Diagrams,
        root: ExprId,
        steps: usize,
        allowance: &mut usize,
    ) -> Option<Diagram> {
        if self.affordable(root, steps, *allowance) >= evaluate::STEPS
            && self.sets.len_of(self.symbol_set_id(root)) == BYTES
        {
            if let Some(few) = self.derive_from_parts(diagrams, root, QUICK, allowance) {
                return Some(few);
            }
            if !diagrams.is_full()
                && let Some(diagram) = self.evaluated(diagrams, root)
            {
                pay(allowance, evaluate::STEPS);
                diagrams.known.insert(root, Known::Diagram(diagram));
                return Some(diagram);
            }
        }
        self.derive_from_parts(diagrams, root, steps, allowance)
    }

    /// Computes what is missing below `root`.
    fn derive_from_parts(
        &self,
        diagrams: &mut Diagrams,
        root: ExprId,
        steps: usize,
        allowance: &mut usize,
    ) -> Option<Diagram> {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            let steps = self.affordable(e, steps, *allowance);
            let settled = |known: &Known| match *known {
                Known::Diagram(_) => true,
                Known::Beyond(limit) => limit >= steps,
            };
            if diagrams.known.get(&e).is_some_and(settled) {
                continue;
            }
            if !ready {
                let node = self.node(e);
                let mut large = self.width(e) > 64;
                node.for_each_operand(|operand| large |= self.width(operand) > 64);
                if large {
                    diagrams.known.insert(e, Known::Beyond(usize::MAX));
                    continue;
                }
                stack.push((e, true));
                node.for_each_operand(|operand| {
                    if !self.is_constant(operand) {
                        stack.push((operand, false));
                    }
                });
                self.push_elements(node, &mut stack);
                continue;
            }
            let found = match diagrams.is_full() {
                false => self.diagram_of_node(diagrams, e, steps, allowance),
                true => None,
            };
            let known = found.map_or(Known::Beyond(steps), Known::Diagram);
            diagrams.known.insert(e, known);
        }
        diagrams.known.get(&root)?.diagram()
    }

    fn push_elements(&self, node: Node, stack: &mut Vec<(ExprId, bool)>) {
        if let Node::Read(table, _) = node
            && !self.table_is_constant(table)
        {
            let elements = self.table_elements(table).iter();
            let elements = elements.filter(|&&e| !self.is_constant(e));
            stack.extend(elements.map(|&e| (e, false)));
        }
    }

    /// The number that a leaf stands for.
    fn leaf_number(&self, leaf: Leaf) -> u64 {
        let base = leaf.object.map_or(0, |object| self.object_number(object));
        base.wrapping_add(leaf.value)
    }

    /// The diagram of a node whose operands have theirs, in at most that many steps, which are taken
    /// from the allowance.
    fn diagram_of_node(
        &self,
        diagrams: &mut Diagrams,
        e: ExprId,
        steps: usize,
        allowance: &mut usize,
    ) -> Option<Diagram> {
        let Diagrams { store, known, .. } = diagrams;
        let mut work = Work { store, left: steps };
        let found = self.operation(&mut work, known, e);
        if self.sets.len_of(self.symbol_set_id(e)) == BYTES {
            pay(allowance, steps - work.left);
        }
        found
    }

    fn operation(
        &self,
        work: &mut Work<'_>,
        known: &FxHashMap<ExprId, Known>,
        e: ExprId,
    ) -> Option<Diagram> {
        let (node, width) = (self.node(e), self.width(e));
        let of = |store: &mut Store, operand: ExprId| match self.node(operand) {
            Node::Const(value) => Some(store.number(value)),
            _ => known.get(&operand)?.diagram(),
        };
        match node {
            Node::Const(_) | Node::Wide(_) => None,
            Node::Symbol(symbol, index) => Some(work.store.identity((symbol, index))),
            Node::Base(object) => {
                let object = Some(object);
                Some(work.store.leaf(Leaf { object, value: 0 }))
            }
            Node::Ite(c, a, b) => {
                let operands = [of(work.store, c)?, of(work.store, a)?, of(work.store, b)?];
                work.zip3(operands, &mut FxHashMap::default(), &|[_, a, _]| a, true)
            }
            Node::Read(table, index) => {
                let index = of(work.store, index)?;
                self.read_diagram(work, &of, table, index)
            }
            Node::Not(a) | Node::Extract { value: a, .. } | Node::ZExt(a) | Node::SExt(a) => {
                let operand = of(work.store, a)?;
                let f = |leaf: Leaf| {
                    let value = self.leaf_number(leaf);
                    Leaf::number(self.apply(node, width, |_| value))
                };
                work.map(operand, &mut FxHashMap::default(), &f)
            }
            Node::Binary(_, a, b) | Node::Compare(_, a, b) | Node::Concat(a, b) => {
                let operands = (of(work.store, a)?, of(work.store, b)?);
                self.binary_diagram(work, node, width, operands)
            }
            Node::Float(op, _, operands) => {
                let mut leaves = [work.store.number(0); 3];
                for (leaf, &operand) in leaves.iter_mut().zip(&operands[..op.operands()]) {
                    *leaf = of(work.store, operand)?;
                }
                let f = |leaves: [Leaf; 3]| {
                    let value = |e: ExprId| {
                        let at = operands.iter().position(|&operand| operand == e);
                        self.leaf_number(leaves[at.unwrap_or(0)])
                    };
                    Leaf::number(self.apply(node, width, value))
                };
                work.zip3(leaves, &mut FxHashMap::default(), &f, false)
            }
        }
    }

    fn binary_diagram(
        &self,
        work: &mut Work<'_>,
        node: Node,
        width: u32,
        operands: (Diagram, Diagram),
    ) -> Option<Diagram> {
        let [first, second, _] = node.operands()?;
        let f = |a: Leaf, b: Leaf| {
            if let Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), ..) = node
                && let Some(pointer) = pointer_sum(op, a, b)
            {
                return pointer;
            }
            let (x, y) = (self.leaf_number(a), self.leaf_number(b));
            let get = |e: ExprId| if e == first { x } else { y };
            debug_assert!(first != second || x == y, "one operand, one value");
            Leaf::number(self.apply(node, width, get))
        };
        // What one side decides alone.
        let zero = work.store.number(0);
        let ones = work.store.number(crate::fold::mask(width));
        let short = |_: &Store, a: Diagram, b: Diagram| match node {
            Node::Binary(BinaryOp::And | BinaryOp::Mul, ..) if a == zero || b == zero => Some(zero),
            Node::Binary(BinaryOp::And, ..) if a == ones || a == b => Some(b),
            Node::Binary(BinaryOp::And, ..) if b == ones => Some(a),
            Node::Binary(BinaryOp::Or, ..) if a == ones || b == ones => Some(ones),
            Node::Binary(BinaryOp::Or, ..) if a == zero || a == b => Some(b),
            Node::Binary(BinaryOp::Or, ..) if b == zero => Some(a),
            _ => None,
        };
        work.zip(operands, &mut FxHashMap::default(), &short, &f)
    }

    fn read_diagram(
        &self,
        work: &mut Work<'_>,
        of: &dyn Fn(&mut Store, ExprId) -> Option<Diagram>,
        table: TableId,
        index: Diagram,
    ) -> Option<Diagram> {
        let elements = self.table_elements(table);
        let last = elements.len().checked_sub(1)? as u64;
        let leaves = work.store.leaves(index);
        let mut reached = Vec::with_capacity(leaves.len());
        for &leaf in &leaves {
            let at = self.leaf_number(work.store.as_leaf(leaf)?).min(last);
            reached.push(of(work.store, elements[at as usize])?);
        }
        work.select(index, &leaves, &reached)
    }
}

/// Takes the steps beyond those that are free from an allowance.
pub(super) fn pay(allowance: &mut usize, steps: usize) {
    *allowance = allowance.saturating_sub(steps.saturating_sub(QUICK));
}

/// A sum of a pointer and a number, or a pointer without one.
fn pointer_sum(op: BinaryOp, a: Leaf, b: Leaf) -> Option<Leaf> {
    let (pointer, value) = match (op, a.object, b.object) {
        (BinaryOp::Add, Some(_), None) => (a, a.value.wrapping_add(b.value)),
        (BinaryOp::Add, None, Some(_)) => (b, a.value.wrapping_add(b.value)),
        (BinaryOp::Sub, Some(_), None) => (a, a.value.wrapping_sub(b.value)),
        _ => return None,
    };
    let object = pointer.object;
    Some(Leaf { object, value })
}

impl Weak for Diagrams {
    fn forget(&mut self, moves: &Moves) {
        let all = std::mem::take(&mut self.known).into_iter();
        let kept = all.filter_map(|(e, known)| match known {
            Known::Beyond(steps) if steps < usize::MAX => None,
            _ => Some((moves.kept(e)?, known)),
        });
        self.known = kept.collect();
        self.read.clear();
        self.under.clear();
        self.listed = 0;
        // To copy a store takes as long as it is large, so it may double first.
        if self.store.bytes() >= 2 * self.compacted {
            self.compact();
        }
    }
}

impl Diagrams {
    /// Drops the diagrams that no expression has any more; all, if the others are too large.
    fn compact(&mut self) {
        let (mut store, mut copied) = (Store::default(), FxHashMap::default());
        for known in self.known.values_mut() {
            if let Known::Diagram(of) = known {
                *of = self.store.copy(*of, &mut store, &mut copied);
            }
        }
        if store.bytes() > KEPT {
            (store, self.known) = Default::default();
        }
        self.store = store;
        self.both.clear();
        self.compacted = self.store.bytes();
    }
}
