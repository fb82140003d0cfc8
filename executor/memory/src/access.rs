//! Reading and writing where a resolution says.

use crate::cx::Cx;
use crate::memory::Memory;
use crate::resolution::{AccessKind, Target};
use crate::storage::bytes_of;
use plat_expr::{ExprId, Pool, Value};

/// What depends on at most so many bytes of input is a table, and no question about it reaches a back end
/// (`docs/decisions/042-few-bytes-are-a-table.md`).
const TABLE: usize = 2;

impl Memory {
    /// Reads `bits` bits from the targets of an outcome whose guard holds.
    pub fn load_at(&mut self, cx: &mut Cx<'_>, targets: &[Target], bits: u32) -> Value {
        if let [target] = targets
            && target.low == target.high
        {
            let storage = self.segments.get(target.segment);
            return storage.load(cx.pool, target.low, bits);
        }
        let n = bytes_of(bits);
        let mut result: Option<ExprId> = None;
        for target in targets.iter().rev() {
            let storage = self.segments.get(target.segment);
            let (low, high) = (target.low, target.high);
            let here = storage.read_at(cx.pool, target.index, low, high, n);
            result = Some(match result {
                None => here,
                Some(otherwise) => cx.pool.ite(target.guard, here, otherwise),
            });
        }
        let Some(mut expr) = result else {
            debug_assert!(false, "an access has a target");
            return Value::Int(0);
        };
        if !bits.is_multiple_of(8) {
            expr = cx.pool.extract(expr, 0, bits);
        }
        Value::from_expr(cx.pool, expr)
    }

    /// Writes `bits` bits to the targets of an outcome whose guard holds.
    pub fn store_at(&mut self, cx: &mut Cx<'_>, targets: &[Target], value: Value, bits: u32) {
        if let [target] = targets
            && target.low == target.high
        {
            let storage = self.segments.get_mut(target.segment);
            return storage.store(cx.pool, target.low, value, bits);
        }
        let n = bytes_of(bits);
        let mut expr = value.to_expr(cx.pool, bits);
        if !bits.is_multiple_of(8) {
            expr = cx.pool.zext(expr, 8 * n);
        }
        let mut earlier: Option<ExprId> = None;
        for target in targets {
            // The first target whose guard holds is the one.
            let guard = match earlier {
                None => target.guard,
                Some(earlier) => {
                    let none = cx.pool.not(earlier);
                    cx.pool.and_bool(none, target.guard)
                }
            };
            earlier = Some(match earlier {
                None => target.guard,
                Some(earlier) => cx.pool.or_bool(earlier, target.guard),
            });
            let storage = self.segments.get_mut(target.segment);
            let range = (target.low, target.high);
            let guard = Some(guard).filter(|&guard| !cx.pool.is_true(guard));
            storage.write_at(cx.pool, target.index, range, expr, n, guard);
        }
    }

    /// Tells the model of an access that was made to targets, once for each: what it has read, or
    /// written, where that can be in several objects of a segment and is no table.
    pub fn weigh(&mut self, pool: &Pool, targets: &[Target], kind: AccessKind, value: Value) {
        for target in targets.iter().filter(|target| target.objects.len() > 1) {
            let of_value = match value {
                Value::Expr(value) => Some(pool.symbols(value)),
                _ => None,
            };
            let of_index = pool.symbols(target.index);
            let bytes = match (kind, of_value) {
                (AccessKind::Write, Some(value)) => value.union(of_index).len(),
                (AccessKind::Write, None) => of_index.len(),
                (_, value) => value.map_or(0, |value| value.len()),
            };
            if bytes > TABLE {
                let size = target.high - target.low + 1;
                self.model.accessed(target.segment, size);
            }
        }
    }
}
