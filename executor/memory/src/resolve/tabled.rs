//! Pointers that one or two bytes of input decide.
//!
//! A pointer that was found in a hash table is a choice among all entries of the table, each under a
//! comparison of hashes; one that was found through it a choice among such choices. Which object and
//! offset it is for which input is a table all the same ([`plat_expr::Diagram`]). Under the path
//! condition often one is left. Otherwise the pointer is made anew as a read of that table, so that
//! what is resolved, and what is loaded through it, does not grow with the history of the pointer.

use super::narrow::Narrow;
use plat_expr::{ExprId, Node, Pool};
use rustc_hash::FxHashSet;

/// Pointers of at most this many choices and reads are left as they are.
const SMALL: usize = 3;
/// A pointer with more different values is left as it is.
const VALUES: usize = 1 << 10;
/// A pointer is not made of more tables than this.
const ROWS: usize = 64;

/// The pointer as a table of those values that the path condition allows, if that is simpler. Lists
/// these values.
pub(super) fn flat(pool: &mut Pool, narrow: &mut Narrow, pointer: ExprId) -> Option<ExprId> {
    narrow.list(pool, pointer);
    let (of, condition) = (narrow.pointer()?, narrow.condition()?);
    let values = narrow.values()?;
    if values.len() > 1 && (values.len() > VALUES || is_small(pool, pointer)) {
        return None;
    }
    let object = values.first()?.object;
    let several = values.iter().any(|leaf| leaf.object != object);
    if values.len() > 1 && !several && pool.shape(pointer).is_some_and(|s| s.objects.len() == 1) {
        // An offset into one object: its form says more than a table of its values.
        return None;
    }
    let anew = pool.diagram_read(of, condition, 64, ROWS)?;
    narrow.made_anew(pool, anew);
    Some(anew)
}

/// Whether a pointer is made of few choices and reads.
fn is_small(pool: &Pool, pointer: ExprId) -> bool {
    let (mut seen, mut stack, mut parts) = (FxHashSet::default(), vec![pointer], 0);
    while let Some(e) = stack.pop() {
        if !pool.has_symbol(e) || !seen.insert(e) {
            continue;
        }
        parts += usize::from(matches!(pool.node(e), Node::Ite(..) | Node::Read(..)));
        if parts > SMALL {
            return false;
        }
        pool.node(e).for_each_operand(|operand| stack.push(operand));
        if let Node::Read(table, _) = pool.node(e)
            && !pool.table_is_constant(table)
        {
            stack.extend(pool.table_elements(table));
        }
    }
    true
}
