//! Expressions as text, in the manner of KQuery: prefix operators with the width, a name `N3:`
//! where an expression that occurs again is first printed, and `N3` from then on.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::ids::ExprId;
use crate::node::{CompareOp, Node};
use crate::pool::Pool;

/// An expression with the pool that it belongs to, for printing.
pub struct Display<'a> {
    pool: &'a Pool,
    root: ExprId,
}

/// What is left to print.
enum Item {
    Expr(ExprId),
    Elements(crate::ids::TableId),
    Text(&'static str),
}

impl Pool {
    /// `e` as text.
    pub fn display(&self, e: ExprId) -> Display<'_> {
        Display {
            pool: self,
            root: e,
        }
    }
}

impl Display<'_> {
    /// How often each inner node is reached, elements of tables included.
    fn uses(&self) -> FxHashMap<ExprId, u32> {
        let mut uses = FxHashMap::default();
        let mut stack = vec![self.root];
        while let Some(e) = stack.pop() {
            let count = uses.entry(e).or_insert(0);
            *count += 1;
            if *count == 1 {
                self.pool
                    .node(e)
                    .for_each_operand(|operand| stack.push(operand));
                if let Node::Read(table, _) = self.pool.node(e) {
                    stack.extend(self.pool.table_elements(table));
                }
            }
        }
        uses
    }

    fn leaf(&self, f: &mut fmt::Formatter<'_>, e: ExprId) -> Result<bool, fmt::Error> {
        match self.pool.node(e) {
            Node::Const(value) if self.pool.width(e) == 1 => {
                write!(f, "{}", if value == 1 { "true" } else { "false" })?;
            }
            Node::Const(value) => write!(f, "{value}")?,
            Node::Wide(at) => {
                write!(f, "0x")?;
                for (position, limb) in self.pool.wide_constant(at).iter().rev().enumerate() {
                    if position == 0 {
                        write!(f, "{limb:x}")?;
                    } else {
                        write!(f, "{limb:016x}")?;
                    }
                }
            }
            Node::Symbol(symbol, index) => {
                let info = self.pool.symbol_info(symbol);
                match info.occurrence {
                    0 => write!(f, "{}[{index}]", info.name)?,
                    n => write!(f, "{}_{n}[{index}]", info.name)?,
                }
            }
            Node::Base(object) => write!(f, "(Base o{})", object.0)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uses = self.uses();
        let mut names: FxHashMap<ExprId, usize> = FxHashMap::default();
        let mut stack = vec![Item::Expr(self.root)];
        while let Some(item) = stack.pop() {
            let e = match item {
                Item::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Item::Elements(table) => {
                    stack.push(Item::Text("]"));
                    for &element in self.pool.table_elements(table).iter().rev() {
                        stack.extend([Item::Expr(element), Item::Text(" ")]);
                    }
                    f.write_str("[")?;
                    continue;
                }
                Item::Expr(e) => e,
            };
            if self.leaf(f, e)? {
                continue;
            }
            if let Some(name) = names.get(&e) {
                write!(f, "N{name}")?;
                continue;
            }
            if uses.get(&e).copied().unwrap_or(0) > 1 {
                write!(f, "N{}:", names.len())?;
                names.insert(e, names.len());
            }
            let (node, width) = (self.pool.node(e), self.pool.width(e));
            match node {
                Node::Binary(op, ..) => write!(f, "({op:?} w{width}")?,
                Node::Compare(CompareOp::Eq, ..) => write!(f, "(Eq")?,
                Node::Compare(op, ..) => write!(f, "({op:?}")?,
                Node::Not(_) => write!(f, "(Not")?,
                Node::Ite(..) => write!(f, "(Select w{width}")?,
                Node::Extract { low, .. } => write!(f, "(Extract w{width} {low}")?,
                Node::Concat(..) => write!(f, "(Concat w{width}")?,
                Node::ZExt(_) => write!(f, "(ZExt w{width}")?,
                Node::SExt(_) => write!(f, "(SExt w{width}")?,
                Node::Read(table, _) => {
                    write!(f, "(Read w{width} t{}", table.0)?;
                }
                Node::Float(op, format, _) => write!(f, "(F{op:?} {format:?} w{width}")?,
                Node::Const(_) | Node::Wide(_) | Node::Symbol(..) | Node::Base(_) => {}
            }
            stack.push(Item::Text(")"));
            if let Node::Read(table, _) = node
                && self.pool.table_elements(table).len() <= 16
            {
                stack.extend([Item::Elements(table), Item::Text(" ")]);
            }
            let mut operands = Vec::new();
            node.for_each_operand(|operand| operands.push(operand));
            for operand in operands.into_iter().rev() {
                stack.extend([Item::Expr(operand), Item::Text(" ")]);
            }
        }
        Ok(())
    }
}
