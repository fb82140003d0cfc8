//! Estimates of circuit sizes.

use plat_expr::{BinaryOp, ExprId, FloatOp, Node, Pool, TableId};

/// An estimate of the gates of one node, tables not counted.
pub(super) fn gates(pool: &Pool, e: ExprId) -> u64 {
    let width = u64::from(pool.width(e));
    match pool.node(e) {
        Node::Binary(op, _, b) => {
            let constant = pool.as_u64(b);
            match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => width,
                BinaryOp::Add | BinaryOp::Sub => 5 * width,
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => 8 * width,
                _ => match constant {
                    Some(c) => 5 * width * u64::from(c.count_ones() + 2),
                    None => 6 * width * width,
                },
            }
        }
        Node::Compare(_, a, _) => 4 * u64::from(pool.width(a)),
        Node::Ite(..) => width,
        Node::Float(op, format, _) => {
            let width = u64::from(format.bits());
            match op {
                FloatOp::Mul | FloatOp::Div | FloatOp::Sqrt | FloatOp::Fma => 12 * width * width,
                FloatOp::Eq | FloatOp::Lt | FloatOp::Le => 8 * width,
                _ => 60 * width,
            }
        }
        _ => 0,
    }
}

/// The bits of a table.
pub(super) fn table_bits(pool: &Pool, table: TableId) -> u64 {
    u64::from(pool.table_width(table)) * pool.table_elements(table).len() as u64
}
