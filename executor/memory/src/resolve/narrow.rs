//! Intervals of expressions under a path condition, without a solver.
//!
//! Constraints that compare an expression with a constant (`i < 10`) bound it; intervals of what is computed from it follow. So a table is cut to the part that a
//! checked index can reach, and a checked access needs no query. The intervals hold, but need not
//! be tight.

use plat_expr::{BinaryOp, CompareOp, Diagram, ExprId, Leaf, Node, Pool, THOROUGH};
use plat_solver::PathCondition;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Smallest and largest unsigned value.
type Interval = (u64, u64);

/// Expressions nested deeper than this are not looked into.
const DEPTH: u32 = 24;

/// Longer stretches of a table are not looked into.
const STRETCH: u64 = 1 << 12;

/// What the path condition says about the parts of some expressions.
pub struct Narrow {
    /// The constraints that matter, as long as nothing was learned from them: what has a diagram needs
    /// only their conjunction.
    unread: Vec<ExprId>,
    /// Conditions that follow from constraints, with their value; `None` if they do not.
    decided: FxHashMap<ExprId, Option<bool>>,
    bounds: FxHashMap<ExprId, Interval>,
    memo: FxHashMap<ExprId, Interval>,
    /// All that the constraints say, if they are about one or two bytes.
    condition: Option<Diagram>,
    /// What the pointer is wherever the constraints hold, and its values there.
    pointer: Option<(Diagram, Rc<[Leaf]>)>,
}

/// More different values than this are not listed.
const VALUES: usize = 1 << 12;

fn all_ones(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

fn meet(a: Interval, b: Interval) -> Interval {
    let met = (a.0.max(b.0), a.1.min(b.1));
    // An empty interval means that the path condition contradicts itself: anything is right.
    if met.0 <= met.1 { met } else { a }
}

fn join(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

impl Narrow {
    /// What the constraints that matter to `e` say.
    pub fn new(pool: &Pool, pc: &PathCondition, e: ExprId) -> Self {
        Self {
            unread: pc.relevant(pool, e),
            decided: FxHashMap::default(),
            bounds: FxHashMap::default(),
            memo: FxHashMap::default(),
            condition: pc.diagram(pool, e),
            pointer: None,
        }
    }

    /// Collects what single constraints say, if that was not done before.
    fn read(&mut self, pool: &Pool) {
        let constraints = std::mem::take(&mut self.unread);
        // Twice: a bound from below can make a signed bound from above useful, and the reverse.
        for _ in 0..2 {
            for &constraint in &constraints {
                self.learn(pool, constraint);
            }
        }
    }

    /// Lists the values of the pointer, which is what the constraints were collected for, if they and it
    /// are about one or two bytes.
    pub fn list(&mut self, pool: &Pool, pointer: ExprId) {
        self.pointer = (|| {
            let condition = self.condition?;
            let of = pool.diagram(pointer, THOROUGH)?;
            Some((of, pool.diagram_leaves_under(of, condition, VALUES)?))
        })();
    }

    /// The pointer was made anew as `pointer`, which has the same values.
    pub fn made_anew(&mut self, pool: &Pool, pointer: ExprId) {
        if let Some((of, _)) = &mut self.pointer
            && let Some(anew) = pool.diagram(pointer, THOROUGH)
        {
            *of = anew;
        }
    }

    /// A diagram that has the values of the pointer wherever the constraints hold.
    pub fn pointer(&self) -> Option<Diagram> {
        self.pointer.as_ref().map(|(of, _)| *of)
    }

    /// All values of the pointer.
    pub fn values(&self) -> Option<&Rc<[Leaf]>> {
        self.pointer.as_ref().map(|(_, values)| values)
    }

    fn learn(&mut self, pool: &Pool, constraint: ExprId) {
        let (comparison, holds) = match pool.node(constraint) {
            Node::Not(inner) => (inner, false),
            _ => (constraint, true),
        };
        self.decided.insert(comparison, Some(holds));
        let Node::Compare(op, a, b) = pool.node(comparison) else {
            return;
        };
        let width = pool.width(a);
        if width > 64 {
            return;
        }
        let (subject, constant, swapped) = match (pool.as_u64(a), pool.as_u64(b)) {
            (None, Some(constant)) => (a, constant, false),
            (Some(constant), None) => (b, constant, true),
            _ => return,
        };
        let before = self.bound(pool, subject);
        let Some(learned) = compared(op, holds, swapped, constant, width, before) else {
            return;
        };
        self.bounds.insert(subject, meet(before, learned));
    }

    /// When all constraints hold, if they and the expression are about one or two bytes.
    pub fn condition(&self) -> Option<Diagram> {
        self.condition
    }

    /// The condition that the constraints hold and `e` does, if it has a diagram.
    pub fn and(&self, pool: &Pool, e: ExprId) -> Option<Diagram> {
        pool.diagram_and(self.condition?, pool.diagram(e, THOROUGH)?)
    }

    /// The value of a condition, if the constraints decide it.
    pub fn decided(&mut self, pool: &Pool, condition: ExprId) -> Option<bool> {
        if let Some(both) = self.and(pool, condition) {
            let never = pool
                .diagram_constant(both)
                .is_some_and(|leaf| leaf.value == 0);
            let always = Some(both) == self.condition;
            return (never || always).then_some(always);
        }
        self.read(pool);
        if self.decided.is_empty() {
            return None;
        }
        self.decide(pool, condition, 8 * DEPTH)
    }

    fn decide(&mut self, pool: &Pool, e: ExprId, depth: u32) -> Option<bool> {
        if let Some(&known) = self.decided.get(&e) {
            return known;
        }
        let depth = depth.checked_sub(1)?;
        let value = match pool.node(e) {
            Node::Const(bit) => Some(bit == 1),
            Node::Not(a) => self.decide(pool, a, depth).map(|value| !value),
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let absorbing = op == BinaryOp::Or;
                let a = self.decide(pool, a, depth);
                let b = self.decide(pool, b, depth);
                match (a, b) {
                    _ if a == Some(absorbing) || b == Some(absorbing) => Some(absorbing),
                    (Some(_), Some(_)) => Some(!absorbing),
                    _ => None,
                }
            }
            Node::Ite(c, a, b) => match self.decide(pool, c, depth) {
                Some(holds) => self.decide(pool, if holds { a } else { b }, depth),
                None => None,
            },
            _ => None,
        };
        self.decided.insert(e, value);
        value
    }

    fn bound(&self, pool: &Pool, e: ExprId) -> Interval {
        let range = pool.range(e);
        self.bounds
            .get(&e)
            .map_or(range, |&bound| meet(range, bound))
    }

    /// An interval that `e` (at most 64 bits) lies in.
    pub fn interval(&mut self, pool: &Pool, e: ExprId) -> Interval {
        if let Some(exact) = self.exact(pool, e) {
            return exact;
        }
        self.read(pool);
        if self.bounds.is_empty() {
            return pool.range(e);
        }
        self.visit(pool, e, DEPTH)
    }

    /// The least and the greatest value under the constraints, if all values can be listed.
    fn exact(&mut self, pool: &Pool, e: ExprId) -> Option<Interval> {
        let condition = self.condition?;
        if pool.width(e) > 64 || pool.is_constant(e) || pool.has_base(e) {
            return None;
        }
        if let Some(&known) = self.memo.get(&e) {
            return Some(known);
        }
        let of = pool.diagram(e, THOROUGH)?;
        let values = pool.diagram_leaves_under(of, condition, VALUES)?;
        let interval = (values.first()?.value, values.last()?.value);
        self.memo.insert(e, interval);
        Some(interval)
    }

    fn visit(&mut self, pool: &Pool, e: ExprId, depth: u32) -> Interval {
        if let Some(&known) = self.memo.get(&e) {
            return known;
        }
        let bound = self.bound(pool, e);
        if depth == 0 || bound.0 == bound.1 {
            return bound;
        }
        let computed = self.compute(pool, e, depth - 1);
        let interval = computed.map_or(bound, |computed| meet(bound, computed));
        self.memo.insert(e, interval);
        interval
    }

    fn compute(&mut self, pool: &Pool, e: ExprId, depth: u32) -> Option<Interval> {
        let width = pool.width(e);
        if width > 64 {
            return None;
        }
        match pool.node(e) {
            Node::ZExt(a) => Some(self.visit(pool, a, depth)),
            Node::SExt(a) => {
                let inner = self.visit(pool, a, depth);
                let positive = inner.1 <= all_ones(pool.width(a)) >> 1;
                positive.then_some(inner)
            }
            Node::Ite(condition, a, b) => {
                if let Some(holds) = self.decided(pool, condition) {
                    return Some(self.visit(pool, if holds { a } else { b }, depth));
                }
                let (a, b) = (self.visit(pool, a, depth), self.visit(pool, b, depth));
                Some(join(a, b))
            }
            Node::Extract { value, low: 0 } if pool.width(value) <= 64 => {
                let inner = self.visit(pool, value, depth);
                (inner.1 <= all_ones(width)).then_some(inner)
            }
            Node::Concat(high, low) => {
                let by = pool.width(low);
                let (high, low) = (self.visit(pool, high, depth), self.visit(pool, low, depth));
                Some((high.0 << by | low.0, high.1 << by | low.1))
            }
            Node::Read(table, index) => {
                let (first, last) = self.visit(pool, index, depth);
                let elements = pool.table_elements(table);
                let last = last.min(elements.len() as u64 - 1);
                if first > last || last - first > STRETCH {
                    return None;
                }
                let stretch = &elements[first as usize..=last as usize];
                stretch.iter().map(|&e| self.bound(pool, e)).reduce(join)
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.visit(pool, a, depth), self.visit(pool, b, depth));
                arithmetic(op, width, a, b)
            }
            _ => None,
        }
    }
}

/// What a comparison with a constant says about its other operand, which lies in `before`.
fn compared(
    op: CompareOp,
    holds: bool,
    swapped: bool,
    constant: u64,
    width: u32,
    before: Interval,
) -> Option<Interval> {
    let top = all_ones(width);
    let middle = top >> 1;
    let less = |constant: u64, least: u64, most: u64| match (swapped, holds) {
        // subject < constant, subject >= constant, constant < subject, constant >= subject
        (false, true) => Some((least, constant.checked_sub(1)?)),
        (false, false) => Some((constant, most)),
        (true, true) => Some((constant.checked_add(1)?, most)),
        (true, false) => Some((least, constant)),
    };
    match op {
        CompareOp::Eq => holds.then_some((constant, constant)),
        CompareOp::Ult => less(constant, 0, top),
        CompareOp::Slt if constant <= middle => {
            // A bound from below excludes negative numbers; one from above is a bound for unsigned
            // numbers only if they are excluded already.
            let from_below = swapped == holds;
            (from_below || before.1 <= middle)
                .then(|| less(constant, 0, middle))
                .flatten()
        }
        // -1 < subject
        CompareOp::Slt if constant == top && swapped && holds => Some((0, middle)),
        CompareOp::Slt => None,
    }
}

fn arithmetic(op: BinaryOp, width: u32, a: Interval, b: Interval) -> Option<Interval> {
    let top = all_ones(width);
    let wide = |(low, high): Interval| (u128::from(low), u128::from(high));
    let ((a0, a1), (b0, b1)) = (wide(a), wide(b));
    let fits = |low: u128, high: u128| {
        let same_wrap = low >> width == high >> width;
        same_wrap.then_some((low as u64 & top, high as u64 & top))
    };
    let known = |interval: Interval| (interval.0 == interval.1).then_some(interval.0);
    match op {
        BinaryOp::Add => fits(a0 + b0, a1 + b1),
        BinaryOp::Sub => {
            let turn = 1u128 << width;
            fits(a0 + turn - b1, a1 + turn - b0)
        }
        BinaryOp::Mul => {
            let (low, high) = (a0 * b0, a1 * b1);
            (high <= u128::from(top)).then_some((low as u64, high as u64))
        }
        BinaryOp::Shl => {
            let by = known(b).filter(|&by| by < u64::from(width))?;
            let high = a1 << by;
            (high <= u128::from(top)).then_some(((a0 << by) as u64, high as u64))
        }
        BinaryOp::LShr => {
            let by = known(b).filter(|&by| by < u64::from(width))?;
            Some((a.0 >> by, a.1 >> by))
        }
        BinaryOp::And => Some((0, a.1.min(b.1))),
        BinaryOp::UDiv => {
            let by = known(b).filter(|&by| by > 0)?;
            Some((a.0 / by, a.1 / by))
        }
        BinaryOp::URem => {
            let by = known(b).filter(|&by| by > 0)?;
            if a.1 < by { Some(a) } else { Some((0, by - 1)) }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use plat_expr::{Assignment, EvalMemo, IntPredicate};

    const PREDICATES: [IntPredicate; 10] = [
        IntPredicate::Eq,
        IntPredicate::Ne,
        IntPredicate::Ult,
        IntPredicate::Ule,
        IntPredicate::Ugt,
        IntPredicate::Uge,
        IntPredicate::Slt,
        IntPredicate::Sle,
        IntPredicate::Sgt,
        IntPredicate::Sge,
    ];

    /// A random expression over a byte, and what it was made of.
    fn expression(pool: &mut Pool, random: &mut Rng, byte: ExprId) -> Vec<ExprId> {
        let mut made = vec![byte];
        for _ in 0..4 {
            let last = made[made.len() - 1];
            let width = pool.width(last);
            let constant = pool.constant(width, random.u64(..) >> (random.u64(..60) + 4));
            made.push(match random.u64(..9) {
                0 => pool.zext_or_trunc(last, [8, 16, 32, 64][random.usize(..4)]),
                1 => pool.sext_or_trunc(last, [8, 16, 32, 64][random.usize(..4)]),
                2 => pool.add(last, constant),
                3 => pool.sub(last, constant),
                4 => pool.sub(constant, last),
                5 => {
                    let factor = pool.constant(width, random.u64(..30));
                    pool.mul(last, factor)
                }
                6 => pool.and(last, constant),
                7 => {
                    let by = pool.constant(width, random.u64(..4));
                    pool.lshr(last, by)
                }
                _ => pool.binary(BinaryOp::URem, last, constant),
            });
        }
        made
    }

    #[test]
    fn conditions_made_of_constraints_are_decided() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("b", 0, 1);
        let byte = pool.symbol_byte(symbol, 0);
        let bits: Vec<ExprId> = (0..4).map(|at| pool.extract(byte, at, 1)).collect();
        let (either, both) = (pool.or(bits[0], bits[1]), pool.and(bits[2], bits[3]));
        let mut model = Assignment::new();
        model.set_byte(symbol, 0, 0b1100);
        let mut pc = PathCondition::new();
        let neither = pool.not(either);
        for constraint in [neither, both] {
            pc.add(&mut pool, constraint, &model);
        }
        let other = pool.extract(byte, 4, 1);
        let mixed = pool.and(either, other);
        let open = pool.or(either, other);
        let mut narrow = Narrow::new(&pool, &pc, byte);
        assert_eq!(narrow.decided(&pool, either), Some(false));
        assert_eq!(narrow.decided(&pool, both), Some(true));
        assert_eq!(narrow.decided(&pool, mixed), Some(false));
        assert_eq!(narrow.decided(&pool, open), None);
    }

    #[test]
    fn intervals_hold_for_every_input_and_bound_some() {
        let (mut cut, mut random) = (0, Rng::with_seed(5));
        for _ in 0..3_000 {
            let mut pool = Pool::new();
            let symbol = pool.symbol("b", 0, 1);
            let byte = pool.symbol_byte(symbol, 0);
            let parts = expression(&mut pool, &mut random, byte);
            let mut model = Assignment::new();
            model.set_byte(symbol, 0, random.u8(..));
            let mut pc = PathCondition::new();
            for _ in 0..3 {
                let part = parts[random.usize(..parts.len())];
                let near = pool.eval(part, &model, &mut EvalMemo::default());
                let near = near.wrapping_add(random.u64(..9)).wrapping_sub(4);
                let constant = pool.constant(pool.width(part), near);
                let predicate = PREDICATES[random.usize(..10)];
                let condition = pool.compare(predicate, part, constant);
                if pool.holds(condition, &model, &mut EvalMemo::default()) {
                    pc.add(&mut pool, condition, &model);
                }
            }
            let e = parts[parts.len() - 1];
            let (low, high) = Narrow::new(&pool, &pc, e).interval(&pool, e);
            cut += u32::from((low, high) != pool.range(e));
            for value in 0..=255 {
                let mut input = Assignment::new();
                input.set_byte(symbol, 0, value);
                let mut memo = EvalMemo::default();
                if pc.constraints().all(|c| pool.holds(c, &input, &mut memo)) {
                    let seen = pool.eval(e, &input, &mut memo);
                    assert!((low..=high).contains(&seen), "{seen} not in {low}..={high}");
                }
            }
        }
        assert!(cut > 500, "only {cut} intervals were cut");
    }
}
