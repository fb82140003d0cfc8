//! The truth table of a condition on one input byte: all 256 values are evaluated node by node,
//! which costs little more than evaluating a single one.

use rustc_hash::FxHashMap;

use crate::ids::{ExprId, SymbolId};
use crate::node::Node;
use crate::pool::Pool;

type Column = [u64; 256];

impl Pool {
    /// For which values of one symbolic byte the condition `e` (1 bit) holds: bit `v % 64` of
    /// word `v / 64` for value `v`. `e` must depend on no other byte. `None` if it has more than
    /// `limit` nodes, or values wider than 64 bits inside.
    pub fn byte_table(&self, e: ExprId, byte: (SymbolId, u32), limit: usize) -> Option<[u64; 4]> {
        let mut positions: FxHashMap<ExprId, usize> = FxHashMap::default();
        let mut columns: Vec<Column> = Vec::new();
        let mut stack = vec![(e, false)];
        while let Some((e, ready)) = stack.pop() {
            if positions.contains_key(&e) {
                continue;
            }
            if !ready {
                if self.width(e) > 64 || columns.len() + stack.len() > limit {
                    return None;
                }
                stack.push((e, true));
                self.node(e)
                    .for_each_operand(|operand| stack.push((operand, false)));
                if let Node::Read(table, _) = self.node(e)
                    && !self.table_is_constant(table)
                {
                    stack.extend(self.table_elements(table).iter().map(|&e| (e, false)));
                }
                continue;
            }
            let column = self.column(e, byte, &positions, &columns);
            positions.insert(e, columns.len());
            columns.push(column);
        }
        let column = columns.last()?;
        let mut table = [0u64; 4];
        for (value, &holds) in column.iter().enumerate() {
            table[value / 64] |= (holds & 1) << (value % 64);
        }
        Some(table)
    }

    /// The values of one node for all values of the byte.
    fn column(
        &self,
        e: ExprId,
        byte: (SymbolId, u32),
        positions: &FxHashMap<ExprId, usize>,
        columns: &[Column],
    ) -> Column {
        let (node, width) = (self.node(e), self.width(e));
        let at = |e: ExprId| &columns[positions[&e]];
        let mut column = [0u64; 256];
        match node {
            Node::Const(value) => column.fill(value),
            Node::Base(object) => column.fill(self.object_number(object)),
            Node::Symbol(symbol, index) if (symbol, index) == byte => {
                for (value, slot) in column.iter_mut().enumerate() {
                    *slot = value as u64;
                }
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (at(c), at(a), at(b));
                for (value, slot) in column.iter_mut().enumerate() {
                    *slot = if c[value] == 1 { a[value] } else { b[value] };
                }
            }
            Node::Read(table, index) => {
                let elements = self.table_elements(table);
                let last = elements.len().saturating_sub(1) as u64;
                let index = at(index);
                for (value, slot) in column.iter_mut().enumerate() {
                    let element = elements[index[value].min(last) as usize];
                    *slot = match self.node(element) {
                        Node::Const(constant) => constant,
                        _ => at(element)[value],
                    };
                }
            }
            _ => {
                let mut operands = [(e, 0); 3];
                let mut count = 0;
                node.for_each_operand(|operand| {
                    operands[count] = (operand, positions[&operand]);
                    count += 1;
                });
                let find = |x: ExprId| {
                    let known = operands.iter().find(|(operand, _)| *operand == x);
                    known.map_or(0, |&(_, position)| position)
                };
                for (value, slot) in column.iter_mut().enumerate() {
                    *slot = self.apply(node, width, |x| columns[find(x)][value]);
                }
            }
        }
        column
    }
}
