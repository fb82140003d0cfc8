//! Reading and writing where a resolution says.

use crate::cx::Cx;
use crate::memory::Memory;
use crate::resolution::Target;
use crate::storage::bytes_of;
use plat_expr::{ExprId, Value};

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
}
