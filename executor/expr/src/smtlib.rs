//! Constraints as an SMT-LIB 2 script (logic QF_ABV, or QF_ABVFP): one constant per symbolic byte,
//! one definition per node in an order in which operands come first, tables as arrays whose
//! elements are asserted one by one, floats in [`float`]. Iterative, and linear in the number of
//! distinct nodes.

mod float;
mod read;

use std::collections::BTreeSet;
use std::fmt::Write;

use rustc_hash::FxHashSet;

use crate::ids::{ExprId, TableId};
use crate::node::{BinaryOp, CompareOp, Node};
use crate::pool::Pool;

impl Pool {
    /// A script that asserts every one of `constraints` (1 bit each) and asks for a model.
    pub fn smtlib(&mut self, constraints: &[ExprId]) -> String {
        let constraints: Vec<ExprId> = constraints.iter().map(|&c| self.number(c)).collect();
        let order = self.postorder(&constraints);
        let floats = order
            .iter()
            .any(|&e| matches!(self.node(e), Node::Float(..)));
        let logic = if floats { "QF_ABVFP" } else { "QF_ABV" };
        let mut script = format!("(set-logic {logic})\n");
        let bytes: BTreeSet<_> = constraints
            .iter()
            .flat_map(|&c| self.symbols(c).iter())
            .collect();
        for &(symbol, index) in &bytes {
            let info = self.symbol_info(symbol);
            let _ = writeln!(
                script,
                "(declare-const s{}_{index} (_ BitVec 8)) ; {}_{} byte {index}",
                symbol.0,
                info.name.escape_default(),
                info.occurrence,
            );
        }
        let mut tables = FxHashSet::default();
        for e in order {
            if let Node::Read(table, _) = self.node(e)
                && tables.insert(table)
            {
                self.smtlib_table(&mut script, table);
            }
            let width = self.width(e);
            if let Node::Float(op, format, operands) = self.node(e) {
                self.smtlib_float(&mut script, e, op, format, operands);
                continue;
            }
            let _ = writeln!(
                script,
                "(define-fun e{} () (_ BitVec {width}) {})",
                e.0,
                self.smtlib_node(e)
            );
        }
        for c in &constraints {
            let _ = writeln!(script, "(assert (= e{} #b1))", c.0);
        }
        script.push_str("(check-sat)\n(get-model)\n(exit)\n");
        script
    }

    /// All nodes below `roots`, elements of tables included, operands first, each once.
    pub fn postorder(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(ExprId, bool)> = roots.iter().rev().map(|&e| (e, false)).collect();
        while let Some((e, ready)) = stack.pop() {
            if ready {
                order.push(e);
            } else if seen.insert(e) {
                stack.push((e, true));
                self.node(e)
                    .for_each_operand(|operand| stack.push((operand, false)));
                if let Node::Read(table, _) = self.node(e) {
                    stack.extend(self.table_elements(table).iter().map(|&e| (e, false)));
                }
            }
        }
        order
    }

    fn smtlib_table(&self, script: &mut String, table: TableId) {
        let (name, width) = (table.0, self.table_width(table));
        let _ = writeln!(
            script,
            "(declare-const t{name} (Array (_ BitVec 64) (_ BitVec {width})))"
        );
        for (at, e) in self.table_elements(table).iter().enumerate() {
            let _ = writeln!(
                script,
                "(assert (= (select t{name} (_ bv{at} 64)) e{}))",
                e.0
            );
        }
    }

    fn smtlib_node(&self, e: ExprId) -> String {
        let width = self.width(e);
        match self.node(e) {
            Node::Const(value) => format!("(_ bv{value} {width})"),
            Node::Wide(at) => {
                let limbs = self.wide_constant(at);
                let bits = (0..width).rev().map(|bit| {
                    if crate::limbs::bit(limbs, bit) {
                        '1'
                    } else {
                        '0'
                    }
                });
                format!("#b{}", bits.collect::<String>())
            }
            Node::Symbol(symbol, index) => format!("s{}_{index}", symbol.0),
            Node::Base(object) => format!("(_ bv{} 64)", self.object_number(object)),
            Node::Binary(op, a, b) => format!("({} e{} e{})", smtlib_op(op), a.0, b.0),
            Node::Compare(op, a, b) => {
                let op = match op {
                    CompareOp::Eq => "=",
                    CompareOp::Ult => "bvult",
                    CompareOp::Slt => "bvslt",
                };
                format!("(ite ({op} e{} e{}) #b1 #b0)", a.0, b.0)
            }
            Node::Not(a) => format!("(bvnot e{})", a.0),
            Node::Ite(c, a, b) => format!("(ite (= e{} #b1) e{} e{})", c.0, a.0, b.0),
            Node::Extract { value, low } => {
                format!("((_ extract {} {low}) e{})", low + width - 1, value.0)
            }
            Node::Concat(high, low) => format!("(concat e{} e{})", high.0, low.0),
            Node::ZExt(a) => format!("((_ zero_extend {}) e{})", width - self.width(a), a.0),
            Node::SExt(a) => format!("((_ sign_extend {}) e{})", width - self.width(a), a.0),
            Node::Float(..) => String::new(),
            Node::Read(table, index) => {
                let last = self.table_elements(table).len().saturating_sub(1);
                format!(
                    "(select t{} (ite (bvult e{i} (_ bv{last} 64)) e{i} (_ bv{last} 64)))",
                    table.0,
                    i = index.0
                )
            }
        }
    }
}

const fn smtlib_op(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "bvadd",
        BinaryOp::Sub => "bvsub",
        BinaryOp::Mul => "bvmul",
        BinaryOp::UDiv => "bvudiv",
        BinaryOp::SDiv => "bvsdiv",
        BinaryOp::URem => "bvurem",
        BinaryOp::SRem => "bvsrem",
        BinaryOp::Shl => "bvshl",
        BinaryOp::LShr => "bvlshr",
        BinaryOp::AShr => "bvashr",
        BinaryOp::And => "bvand",
        BinaryOp::Or => "bvor",
        BinaryOp::Xor => "bvxor",
    }
}
