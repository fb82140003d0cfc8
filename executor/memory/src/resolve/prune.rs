//! Leaving out of a pointer what the path condition has decided.
//!
//! A path that was forked on where a pointer leads keeps the pointer's expression. Its choices are
//! now constraints: `ite(c, a, b)` is `a` where `c` is a constraint, and a table whose index is
//! bounded is only a part of it. What is left is often a known object and offset, which needs no
//! resolution at all.

use super::narrow::Narrow;
use plat_expr::{BinaryOp, ExprId, Node, Pool};
use rustc_hash::FxHashMap;

/// The pointer without the alternatives that are excluded.
pub fn prune(pool: &mut Pool, narrow: &mut Narrow, pointer: ExprId) -> ExprId {
    let mut memo: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut stack = vec![(pointer, false)];
    while let Some((e, ready)) = stack.pop() {
        if memo.contains_key(&e) {
            continue;
        }
        let operands = operands(pool, narrow, e);
        if !ready {
            stack.push((e, true));
            stack.extend(operands.iter().map(|&operand| (operand, false)));
            continue;
        }
        let pruned = match (pool.node(e), operands[..].as_ref()) {
            (Node::Ite(..), [only]) => memo[only],
            (Node::Ite(condition, ..), [a, b]) => pool.ite(condition, memo[a], memo[b]),
            (Node::Binary(op, a, b), [pointer]) => {
                let other = if a == *pointer { b } else { a };
                pool.binary(op, memo[pointer], other)
            }
            (Node::Read(table, index), _) => slice(pool, narrow, e, table, index),
            _ => e,
        };
        memo.insert(e, pruned);
    }
    memo[&pointer]
}

/// The operands in pointer position that are left.
fn operands(pool: &Pool, narrow: &mut Narrow, e: ExprId) -> Vec<ExprId> {
    if !pool.has_base(e) {
        return Vec::new();
    }
    match pool.node(e) {
        Node::Ite(condition, a, b) => match narrow.decided(pool, condition) {
            Some(true) => vec![a],
            Some(false) => vec![b],
            None => vec![a, b],
        },
        Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            match (pool.has_base(a), pool.has_base(b)) {
                (true, false) => vec![a],
                (false, true) => vec![b],
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

/// The part of a table that the index can reach.
fn slice(
    pool: &mut Pool,
    narrow: &mut Narrow,
    e: ExprId,
    table: plat_expr::TableId,
    index: ExprId,
) -> ExprId {
    let (first, last) = narrow.interval(pool, index);
    let elements = pool.table_elements(table);
    let end = elements.len() as u64;
    if last >= end || (first, last) == (0, end - 1) {
        return e;
    }
    let part = elements[first as usize..=last as usize].to_vec();
    if let [only] = part[..] {
        return only;
    }
    let part = pool.table(&part);
    let start = pool.constant(64, first);
    let at = pool.sub(index, start);
    pool.read(part, at)
}
