//! The positions that a symbolic index can take.
//!
//! The index lies in `low ..= high`, and its form says more: `c + k * x` takes every k-th
//! position only, so that a field of an array of structures is read at its own positions and
//! never mixed with its neighbours. Where the form is not that plain, the known low bits of the
//! index give a power of two.

use plat_expr::{BinaryOp, ExprId, Holder, Marks, Moves, Node, Pool};

/// Positions `low`, `low + stride`, ... up to `high`, by their index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Positions {
    /// The first.
    pub low: u64,
    /// The last.
    pub high: u64,
    /// The distance between two of them.
    pub stride: u64,
    form: Form,
}

/// How the number of the position follows from the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// `(index - low) >> shift`.
    Shift(ExprId, u32),
    /// `x - first`.
    Scaled(ExprId, i64),
}

plat_expr::holder!(Positions { form } plain { low, high, stride });

impl Holder for Form {
    fn mark(&self, marks: &mut Marks<'_>) {
        match self {
            Form::Shift(e, _) | Form::Scaled(e, _) => marks.expr(*e),
        }
    }

    fn relocate(&mut self, moves: &mut Moves) {
        match self {
            Form::Shift(e, _) | Form::Scaled(e, _) => moves.expr(e),
        }
    }
}

impl Positions {
    /// The positions in `low ..= high` that `index` can take; `None` if there is none.
    pub fn of(pool: &Pool, index: ExprId, low: u64, high: u64) -> Option<Self> {
        let known = pool.known_bits(index);
        let shift = (known.zeros | known.ones).trailing_ones().min(30);
        let stride = 1u64 << shift;
        if let Some((constant, scale, x)) = scaled(pool, index)
            && scale >= stride
        {
            let (c, k) = (i128::from(constant), i128::from(scale));
            let first = (c - i128::from(low)).rem_euclid(k) + i128::from(low);
            let form = Form::Scaled(x, i64::try_from((first - c) / k).ok()?);
            return Self::between(u64::try_from(first).ok()?, high, scale, form);
        }
        let residue = known.ones & (stride - 1);
        let first = low.checked_add(residue.wrapping_sub(low) & (stride - 1))?;
        Self::between(first, high, stride, Form::Shift(index, shift))
    }

    fn between(low: u64, high: u64, stride: u64, form: Form) -> Option<Self> {
        (low <= high).then(|| Self {
            low,
            high: low + (high - low) / stride * stride,
            stride,
            form,
        })
    }

    /// The same positions `by` higher, where `index` is the index that has them.
    pub fn moved(self, index: ExprId, by: u64) -> Self {
        let form = match self.form {
            Form::Shift(_, shift) => Form::Shift(index, shift),
            // The number of a position stays, and with it what is behind the index.
            scaled @ Form::Scaled(..) => scaled,
        };
        Self {
            low: self.low + by,
            high: self.high + by,
            form,
            ..self
        }
    }

    /// How many there are.
    pub fn count(self) -> u64 {
        (self.high - self.low) / self.stride + 1
    }

    /// All of them, in order.
    pub fn iter(self) -> impl Iterator<Item = u64> {
        (0..self.count()).map(move |number| self.low + number * self.stride)
    }

    /// All bytes that accesses of `n` bytes can touch, to make a table of.
    pub fn bytes(self, n: u32) -> Self {
        Self {
            high: self.high + u64::from(n) - 1,
            stride: 1,
            ..self
        }
    }

    /// The number of the position, as an expression.
    pub fn number(self, pool: &mut Pool) -> ExprId {
        match self.form {
            Form::Shift(index, shift) => {
                let first = pool.constant(64, self.low);
                let distance = pool.sub(index, first);
                let shift = pool.constant(64, u64::from(shift));
                pool.lshr(distance, shift)
            }
            Form::Scaled(x, first) => {
                let first = pool.constant(64, first.cast_unsigned());
                pool.sub(x, first)
            }
        }
    }

    /// Whether the index is at a position, as a condition.
    pub fn is_at(self, pool: &mut Pool, position: u64) -> ExprId {
        let (value, at) = match self.form {
            Form::Shift(index, _) => (index, position),
            Form::Scaled(x, first) => {
                let number = ((position - self.low) / self.stride).cast_signed();
                (x, first.wrapping_add(number).cast_unsigned())
            }
        };
        let at = pool.constant(64, at);
        pool.eq(value, at)
    }
}

/// `index` as `c + k * x` when that holds for integers, without wrapping.
fn scaled(pool: &Pool, index: ExprId) -> Option<(i64, u64, ExprId)> {
    let (sum, constant) = match pool.node(index) {
        Node::Binary(BinaryOp::Add, a, b) => match (pool.as_u64(a), pool.as_u64(b)) {
            (_, Some(constant)) => (a, constant),
            (Some(constant), _) => (b, constant),
            _ => return None,
        },
        _ => (index, 0),
    };
    let (x, scale) = match pool.node(sum) {
        Node::Binary(BinaryOp::Mul, a, b) => match (pool.as_u64(a), pool.as_u64(b)) {
            (_, Some(scale)) => (a, scale),
            (Some(scale), _) => (b, scale),
            _ => return None,
        },
        Node::Binary(BinaryOp::Shl, a, by) => (a, 1u64.checked_shl(pool.as_u64(by)? as u32)?),
        _ => (sum, 1),
    };
    let constant = constant.cast_signed();
    let scale_signed = i64::try_from(scale).ok().filter(|&scale| scale > 0)?;
    let (low, high) = pool.signed_range(x);
    for bound in [low, high] {
        bound.checked_mul(scale_signed)?.checked_add(constant)?;
    }
    Some((constant, scale, x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_expr::{Assignment, EvalMemo};

    /// Every position that a byte `b` gives `offset + scale * b (+ step * b)` is listed, at the
    /// number that the expression says; and none is listed twice.
    #[test]
    fn covers_exactly_what_the_index_can_be() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("b", 0, 1);
        let byte = pool.symbol_byte(symbol, 0);
        let wide = pool.zext(byte, 64);
        let signed = pool.sext(byte, 64);
        for (x, scale, offset) in [
            (wide, 24, 40),
            (wide, 1, 7),
            (wide, 12, 3),
            (signed, 24, 4_000),
            (signed, 8, 1_000),
            (signed, 3, 2),
        ] {
            let (k, c) = (pool.constant(64, scale), pool.constant(64, offset));
            let index = pool.mul(x, k);
            let index = pool.add(index, c);
            let (low, high) = (30, 4_321);
            let positions = Positions::of(&pool, index, low, high).unwrap();
            assert_eq!(positions.stride, scale);
            let listed: Vec<u64> = positions.iter().collect();
            assert_eq!(listed.len() as u64, positions.count());
            assert_eq!(listed.last(), Some(&positions.high));
            let number = positions.number(&mut pool);
            for value in 0..=255 {
                let mut input = Assignment::new();
                input.set_byte(symbol, 0, value);
                let mut memo = EvalMemo::default();
                let at = pool.eval(index, &input, &mut memo);
                if !(low..=high).contains(&at) {
                    continue;
                }
                let number = pool.eval(number, &input, &mut memo);
                assert_eq!(listed[number as usize], at);
                for &other in &listed {
                    let here = positions.is_at(&mut pool, other);
                    let mut memo = EvalMemo::default();
                    assert_eq!(pool.holds(here, &input, &mut memo), other == at);
                }
            }
        }
    }
}
