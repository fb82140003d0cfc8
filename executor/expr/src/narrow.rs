//! What is known about an expression when some input bytes have few values: the facts of its nodes
//! once more, from the leaves up (abstract interpretation; see [`crate::facts`]).

use rustc_hash::FxHashMap;

use crate::facts::{Facts, KnownBits};
use crate::fold::mask;
use crate::ids::{ExprId, SymbolId};
use crate::node::{CompareOp, Node};
use crate::pool::Pool;
use crate::symbols::SymbolSet;

/// Nodes beyond which nothing more than before is known.
const NODES: usize = 1 << 12;
/// Elements of a table that are looked at one by one.
const ELEMENTS: u64 = 1 << 10;

/// Facts under which input bytes lie among given values.
pub struct Narrowed {
    bytes: SymbolSet,
    leaves: FxHashMap<(SymbolId, u32), Facts>,
    known: FxHashMap<ExprId, Facts>,
}

/// The facts of a byte with these values, bit `v % 64` of word `v / 64` for value `v`.
fn of_values(values: &[u64; 4]) -> Facts {
    let among = (0..256u64).filter(|&value| values[value as usize / 64] >> (value % 64) & 1 == 1);
    let all = among.map(|value| Facts::exact(value, 8));
    all.reduce(Facts::join).unwrap_or(Facts::top(8))
}

/// What is known of a comparison.
fn compare(op: CompareOp, a: Facts, b: Facts, width: u32) -> Facts {
    let decided = match op {
        CompareOp::Eq => {
            let bits = a.bits.zeros & b.bits.ones | a.bits.ones & b.bits.zeros;
            let apart = a.hi < b.lo || b.hi < a.lo || bits != 0;
            let same = a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
            (apart || same).then_some(same)
        }
        CompareOp::Ult => less((a.lo, a.hi), (b.lo, b.hi)),
        CompareOp::Slt => {
            let sign = 1u64 << (width - 1);
            // In the order of unsigned numbers with the sign flipped, unless a range has both signs.
            let flipped = |of: Facts| match of.lo & sign == of.hi & sign {
                true => (of.lo ^ sign, of.hi ^ sign),
                false => (0, mask(width)),
            };
            less(flipped(a), flipped(b))
        }
    };
    decided.map_or(Facts::top(1), |holds| Facts::exact(holds.into(), 1))
}

/// Whether all of one interval is below all of the other, or none.
fn less(a: (u64, u64), b: (u64, u64)) -> Option<bool> {
    (a.1 < b.0 || a.0 >= b.1).then_some(a.1 < b.0)
}

impl Narrowed {
    /// When bytes have no other than these values, one bit each.
    pub fn new(values: impl IntoIterator<Item = ((SymbolId, u32), [u64; 4])>) -> Self {
        let leaves = values.into_iter();
        let leaves: FxHashMap<_, _> = leaves
            .map(|(at, values)| (at, of_values(&values)))
            .collect();
        Self {
            bytes: leaves.keys().copied().collect(),
            leaves,
            known: FxHashMap::default(),
        }
    }

    /// Whether a condition (1 bit) holds, if that is the same for all inputs.
    pub fn holds(&mut self, pool: &Pool, condition: ExprId) -> Option<bool> {
        let Facts { lo, hi, .. } = self.facts(pool, condition);
        (lo == hi).then_some(lo == 1)
    }

    fn facts(&mut self, pool: &Pool, root: ExprId) -> Facts {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.known.contains_key(&e) {
                continue;
            }
            if self.known.len() + stack.len() > NODES {
                return pool.facts(root);
            }
            let same = pool.width(e) > 64 || !pool.symbols(e).intersects(&self.bytes);
            if same {
                self.known.insert(e, pool.facts(e));
            } else if ready {
                let facts = self.derive(pool, e);
                self.known.insert(e, facts);
            } else {
                stack.push((e, true));
                pool.node(e)
                    .for_each_operand(|operand| stack.push((operand, false)));
            }
        }
        self.known[&root]
    }

    /// The facts of a node whose operands are known.
    fn derive(&self, pool: &Pool, e: ExprId) -> Facts {
        let width = pool.width(e);
        let of = |operand: ExprId| self.known[&operand];
        let found = match pool.node(e) {
            Node::Symbol(symbol, index) => self.leaves.get(&(symbol, index)).copied(),
            Node::Compare(CompareOp::Eq, a, b) if let Some(no) = self.outside(pool, a, b) => {
                Some(no)
            }
            Node::Compare(op, a, b) if pool.width(a) <= 64 => {
                Some(compare(op, of(a), of(b), pool.width(a)))
            }
            Node::Ite(c, a, b) => {
                let (lo, hi) = (of(c).lo, of(c).hi);
                (lo == hi).then(|| if lo == 1 { of(a) } else { of(b) })
            }
            Node::Read(table, _) if !pool.table_is_constant(table) => Some(pool.facts(e)),
            _ => None,
        };
        let found = found.unwrap_or_else(|| pool.facts_by(pool.node(e), width, of));
        found.meet(pool.facts(e), width)
    }

    /// The comparison of a number with an element of a table: false if no element within reach is
    /// such a number.
    fn outside(&self, pool: &Pool, a: ExprId, b: ExprId) -> Option<Facts> {
        let (number, table, index) = match (pool.node(a), pool.node(b)) {
            (_, Node::Read(table, index)) => (a, table, index),
            (Node::Read(table, index), _) => (b, table, index),
            _ => return None,
        };
        if !pool.table_is_constant(table) {
            return None;
        }
        let elements = pool.table_elements(table);
        // An element that has none of the bytes, or more than 64 bits, is known without its index.
        let known = self.known.get(&index).copied();
        let index = known.unwrap_or_else(|| pool.facts(index));
        let number = self.known[&number];
        let last = elements.len().saturating_sub(1) as u64;
        let (first, last) = (index.lo.min(last), index.hi.min(last));
        if last - first >= ELEMENTS {
            return None;
        }
        let mut reached = elements[first as usize..=last as usize].iter();
        let KnownBits { zeros, ones } = number.bits;
        let fits = |value: u64| {
            (number.lo..=number.hi).contains(&value) && value & zeros == 0 && !value & ones == 0
        };
        let none = !reached.any(|&e| pool.as_u64(e).is_none_or(fits));
        none.then_some(Facts::exact(0, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::Assignment;
    use crate::eval::EvalMemo;
    use crate::node::{BinaryOp, IntPredicate};

    /// What is said of random conditions on two bytes holds for all their values.
    #[test]
    fn what_is_known_holds_for_all_values() {
        let mut numbers = fastrand::Rng::with_seed(1);
        let mut random = move |bound: u64| numbers.u64(..bound);
        let mut decided = [0, 0];
        for _ in 0..3000 {
            let mut pool = Pool::new();
            let symbol = pool.symbol("x", 0, 2);
            let mut values = [[0u64; 4]; 2];
            let mut listed = [Vec::new(), Vec::new()];
            for (of, list) in values.iter_mut().zip(&mut listed) {
                let first = random(256);
                for value in (0..1 + random(5)).map(|at| (first + at * random(9)) % 256) {
                    of[value as usize / 64] |= 1 << (value % 64);
                    list.push(value as u8);
                }
            }
            let mut terms: Vec<ExprId> = Vec::new();
            for at in 0..2 {
                let byte = pool.symbol_byte(symbol, at);
                terms.push(pool.zext(byte, 16));
                terms.push(pool.sext(byte, 16));
            }
            let elements: Vec<ExprId> = (0..20)
                .map(|_| pool.constant(16, random(1 << 16)))
                .collect();
            let table = pool.table(&elements);
            for _ in 0..6 {
                let pick =
                    |random: &mut dyn FnMut(u64) -> u64| terms[random(terms.len() as u64) as usize];
                let (a, b) = (pick(&mut random), pick(&mut random));
                let constant = pool.constant(16, random(1 << 16) >> random(16));
                const OPS: [BinaryOp; 9] = {
                    use BinaryOp::{Add, And, LShr, Mul, Or, Sub, UDiv, URem, Xor};
                    [Add, Sub, Mul, UDiv, URem, LShr, And, Or, Xor]
                };
                let term = match random(12) {
                    at @ 0..9 => pool.binary(
                        OPS[at as usize],
                        a,
                        if random(2) == 0 { b } else { constant },
                    ),
                    9 => {
                        let index = pool.zext(a, 64);
                        pool.read(table, index)
                    }
                    10 => {
                        let less = pool.ult(a, constant);
                        pool.ite(less, a, b)
                    }
                    _ => pool.not(a),
                };
                terms.push(term);
            }
            let (a, b) = (
                terms[terms.len() - 1],
                terms[random(terms.len() as u64) as usize],
            );
            const PREDICATES: [IntPredicate; 3] =
                [IntPredicate::Eq, IntPredicate::Ult, IntPredicate::Slt];
            let condition = pool.compare(PREDICATES[random(3) as usize], a, b);
            let bytes = [(symbol, 0), (symbol, 1)];
            let mut narrowed = Narrowed::new(bytes.into_iter().zip(values));
            let Some(holds) = narrowed.holds(&pool, condition) else {
                continue;
            };
            decided[usize::from(holds)] += 1;
            for (&first, &second) in listed[0]
                .iter()
                .flat_map(|x| listed[1].iter().map(move |y| (x, y)))
            {
                let mut model = Assignment::new();
                model.set(symbol, vec![first, second]);
                assert_eq!(pool.holds(condition, &model, &mut EvalMemo::new()), holds);
            }
        }
        assert!(decided.iter().all(|&count| count > 100), "{decided:?}");
    }
}
