//! Expressions as affine maps over GF(2): a constant, and for each input bit the bits that it flips.
//!
//! A map is kept by columns, as whole words: what shifts, cuts and joins values does the same to
//! every column. A table of constants is affine when each element is the first one with the flips
//! of the index's bits; those of cyclic redundancy checks are. Whatever sees its operands through
//! a single sum of bits has two values only, and is affine in that sum: `-(crc & 1) & POLYNOMIAL`.

use std::rc::Rc;

use plat_expr::{
    Assignment, BinaryOp, CompareOp, EvalMemo, ExprId, Node, Pool, TableId, mask, sign_extend,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::layer::byte_tables::Byte;

/// Most input bytes of a form.
const BYTES: usize = 256;
/// Most columns that are kept, those of all forms together (72 bytes each): about those of a checksum
/// of 90 bytes that was made bit by bit. Expressions for which they are not enough count as not affine.
const COLUMNS: usize = 1 << 20;

/// An expression of at most 64 bits: `constant`, with `columns` of the bits that are 1 flipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    pub width: u32,
    pub constant: u64,
    /// For each bit of each byte what it flips; ascending, and never all 0.
    pub columns: Vec<(Byte, [u64; 8])>,
}

impl Form {
    fn constant(width: u32, constant: u64) -> Self {
        Self {
            width,
            constant,
            columns: Vec::new(),
        }
    }

    /// The bits that are not the same for all inputs.
    pub fn varying(&self) -> u64 {
        let columns = self.columns.iter().flat_map(|(_, flips)| flips);
        columns.fold(0, |all, flips| all | flips)
    }

    /// Whether all input cancels out.
    pub fn is_constant(&self) -> bool {
        self.columns.is_empty()
    }

    /// Whether some bit is a sum of several input bits.
    pub fn mixes(&self) -> bool {
        let mut seen = 0;
        let mut columns = self.columns.iter().flat_map(|(_, flips)| flips);
        columns.any(|flips| {
            let both = seen & flips != 0;
            seen |= flips;
            both
        })
    }

    /// Under a map that respects exclusive or.
    fn map(&self, width: u32, linear: impl Fn(u64) -> u64) -> Self {
        let columns = self.columns.iter();
        let mapped = columns.map(|&(byte, flips)| (byte, flips.map(&linear)));
        Self {
            width,
            constant: linear(self.constant),
            columns: mapped.filter(|&(_, flips)| flips != [0; 8]).collect(),
        }
    }

    /// With bits of the constant flipped.
    fn flipped(mut self, bits: u64) -> Self {
        self.constant ^= bits;
        self
    }

    pub fn xor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (&self.columns[..], &other.columns[..]);
        let mut columns = Vec::with_capacity(a.len().max(b.len()));
        while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
            let kept = match x.0.cmp(&y.0) {
                std::cmp::Ordering::Less => {
                    a = a_rest;
                    *x
                }
                std::cmp::Ordering::Greater => {
                    b = b_rest;
                    *y
                }
                std::cmp::Ordering::Equal => {
                    (a, b) = (a_rest, b_rest);
                    (x.0, std::array::from_fn(|bit| x.1[bit] ^ y.1[bit]))
                }
            };
            if kept.1 != [0; 8] {
                columns.push(kept);
            }
        }
        columns.extend_from_slice(a);
        columns.extend_from_slice(b);
        Self {
            width: self.width,
            constant: self.constant ^ other.constant,
            columns,
        }
    }

    /// Bit by bit, where no bit of both varies.
    fn and(&self, other: &Self) -> Option<Self> {
        let (mine, theirs) = (self.varying(), other.varying());
        if mine & theirs != 0 {
            return None;
        }
        let these = self.map(self.width, |value| value & mine & other.constant);
        let those = other.map(self.width, |value| value & theirs & self.constant);
        let both = self.constant & other.constant & !mine & !theirs;
        Some(these.xor(&those).flipped(both))
    }

    /// The two values, the first where the sum of bits is 0, and the sum: for each byte the bits
    /// that are in it. None if there are more than two values, or only one.
    fn two_values(&self) -> Option<([u64; 2], Self)> {
        let all = self.columns.iter().flat_map(|(_, flips)| flips);
        let mut nonzero = all.copied().filter(|&flips| flips != 0);
        let flips = nonzero.next()?;
        if nonzero.any(|other| other != flips) {
            return None;
        }
        let mut sum = self.map(1, |value| u64::from(value == flips));
        sum.constant = 0;
        Some(([self.constant, self.constant ^ flips], sum))
    }
}

/// Tells which expressions are affine, and remembers it.
#[derive(Default)]
pub(super) struct Forms {
    forms: FxHashMap<ExprId, Option<Rc<Form>>>,
    /// What each bit of an index flips in the first elements of a table, if that is all: by table
    /// and number of bits.
    tables: FxHashMap<(TableId, u32), Option<Rc<[u64]>>>,
    columns: usize,
}

impl Forms {
    /// The form of an expression, if it is affine.
    pub fn of(&mut self, pool: &Pool, root: ExprId) -> Option<Rc<Form>> {
        let mut missing = self.missing(pool, root);
        if self.columns + missing > COLUMNS {
            self.forms.clear();
            self.columns = 0;
            missing = self.missing(pool, root);
        }
        if missing > COLUMNS {
            self.forms.insert(root, None);
            return None;
        }
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.forms.contains_key(&e) {
                continue;
            }
            if !ready && pool.width(e) <= 64 {
                stack.push((e, true));
                pool.node(e)
                    .for_each_operand(|operand| stack.push((operand, false)));
                continue;
            }
            let form = ready.then(|| self.compute(pool, e)).flatten();
            let form = form.filter(|form| form.columns.len() <= BYTES);
            self.columns += 1 + form.as_ref().map_or(0, |form| form.columns.len());
            self.forms.insert(e, form.map(Rc::new));
        }
        self.forms[&root].clone()
    }

    /// How many columns the forms of an expression and its parts may have that are not there yet:
    /// one for each byte. Beyond the most that there may be it is not counted any further.
    fn missing(&self, pool: &Pool, root: ExprId) -> usize {
        let (mut seen, mut stack, mut count) = (FxHashSet::default(), vec![root], 0);
        while let Some(e) = stack.pop() {
            if count > COLUMNS {
                break;
            }
            if !self.forms.contains_key(&e) && seen.insert(e) {
                count += 1 + pool.symbols(e).len();
                pool.node(e).for_each_operand(|operand| stack.push(operand));
            }
        }
        count
    }

    /// The form of a node whose operands have been looked at.
    fn compute(&mut self, pool: &Pool, e: ExprId) -> Option<Form> {
        let width = pool.width(e);
        let of = |operand: ExprId| self.forms[&operand].clone();
        Some(match pool.node(e) {
            Node::Const(value) => Form::constant(width, value),
            Node::Base(object) => Form::constant(width, pool.object_number(object)),
            Node::Symbol(symbol, index) => Form {
                width,
                constant: 0,
                columns: vec![((symbol, index), std::array::from_fn(|bit| 1 << bit))],
            },
            Node::Binary(op, a, b) => {
                let (x, y) = (of(a)?, of(b)?);
                return binary(op, &x, &y).or_else(|| one_sum(pool, e, &[(a, &x), (b, &y)]));
            }
            Node::Compare(op, a, b) => {
                let (x, y) = (of(a)?, of(b)?);
                let equal = op == CompareOp::Eq;
                let found = equal.then(|| is_zero(&x.xor(&y))).flatten();
                return found.or_else(|| one_sum(pool, e, &[(a, &x), (b, &y)]));
            }
            Node::Not(a) => (*of(a)?).clone().flipped(mask(width)),
            Node::Ite(c, a, b) => {
                let (condition, x, y) = (of(c)?, of(a)?, of(b)?);
                let difference = x.xor(&y);
                if difference.varying() != 0 {
                    return one_sum(pool, e, &[(c, &condition), (a, &x), (b, &y)]);
                }
                let flips = difference.constant;
                y.xor(&condition.map(width, |bit| if bit == 1 { flips } else { 0 }))
            }
            Node::Extract { value, low } => of(value)?.map(width, |v| v >> low & mask(width)),
            Node::Concat(high, low) => {
                let shift = pool.width(low);
                let high = of(high)?.map(width, |value| value << shift);
                high.xor(&*of(low)?)
            }
            Node::ZExt(a) => of(a)?.map(width, |value| value),
            Node::SExt(a) => {
                let from = pool.width(a);
                of(a)?.map(width, |value| sign_extend(value, from, width))
            }
            Node::Read(table, index) => {
                let form = of(index)?;
                let constant = pool.table_is_constant(table);
                let by_value = || one_sum(pool, e, &[(index, &form)]).filter(|_| constant);
                return self.read(pool, table, &form).or_else(by_value);
            }
            Node::Wide(_) | Node::Float(..) => return None,
        })
    }

    /// The element of a table at an affine index.
    fn read(&mut self, pool: &Pool, table: TableId, index: &Form) -> Option<Form> {
        let possible = index.varying() | index.constant;
        let bits = u64::BITS - possible.leading_zeros();
        let flips = (self.tables.entry((table, bits)))
            .or_insert_with(|| flips_of(pool, table, bits))
            .clone()?;
        let first = pool.as_u64(*pool.table_elements(table).first()?)?;
        let linear = |index: u64| {
            let set = flips.iter().enumerate();
            let set = set.filter(|&(bit, _)| index >> bit & 1 == 1);
            set.fold(0, |value, (_, flips)| value ^ flips)
        };
        Some(index.map(pool.table_width(table), linear).flipped(first))
    }
}

/// What each of so many bits of an index flips in a table of constants, if that is all.
fn flips_of(pool: &Pool, table: TableId, bits: u32) -> Option<Rc<[u64]>> {
    let elements = pool.table_elements(table);
    let inside = bits < 32 && 1 << bits <= elements.len();
    if !inside || pool.table_width(table) > 64 {
        return None;
    }
    let constants = elements[..1 << bits].iter().map(|&e| pool.as_u64(e));
    let values: Vec<u64> = constants.collect::<Option<_>>()?;
    let affine = (1..values.len()).all(|at| {
        let rest = at & (at - 1);
        values[at] == values[rest] ^ values[at ^ rest] ^ values[0]
    });
    affine.then(|| (0..bits).map(|bit| values[1 << bit] ^ values[0]).collect())
}

/// Whether a form is 0, if that depends on one sum of bits.
fn is_zero(form: &Form) -> Option<Form> {
    let varying = form.varying();
    if form.constant & !varying != 0 {
        return Some(Form::constant(1, 0));
    }
    if varying == 0 {
        return Some(Form::constant(1, 1));
    }
    let ([first, second], sum) = form.two_values()?;
    let value = [u64::from(first == 0), u64::from(second == 0)];
    Some(two_valued(1, &sum, value))
}

/// One value or the other by a sum of bits.
fn two_valued(width: u32, sum: &Form, [first, second]: [u64; 2]) -> Form {
    let flips = first ^ second;
    sum.map(width, |bit| if bit == 1 { flips } else { 0 })
        .flipped(first)
}

fn binary(op: BinaryOp, a: &Form, b: &Form) -> Option<Form> {
    let width = a.width;
    let possible = |form: &Form| form.varying() | form.constant;
    let apart = possible(a) & possible(b) == 0;
    let shift = || (b.columns.is_empty() && b.constant < u64::from(width)).then_some(b.constant);
    match op {
        BinaryOp::Xor => Some(a.xor(b)),
        // No carries.
        BinaryOp::Add | BinaryOp::Or if apart => Some(a.xor(b)),
        BinaryOp::And => a.and(b),
        BinaryOp::Or => {
            let all = mask(width);
            let (x, y) = (a.clone().flipped(all), b.clone().flipped(all));
            Some(x.and(&y)?.flipped(all))
        }
        BinaryOp::Shl => {
            let by = shift()?;
            Some(a.map(width, |value| value << by & mask(width)))
        }
        BinaryOp::LShr => {
            let by = shift()?;
            Some(a.map(width, |value| value >> by))
        }
        BinaryOp::AShr => {
            let by = shift()?;
            let wide = |value| (sign_extend(value, width, 64) as i64 >> by) as u64;
            Some(a.map(width, |value| wide(value) & mask(width)))
        }
        _ => None,
    }
}

/// A node that sees its operands through one sum of bits, by its value for both.
fn one_sum(pool: &Pool, e: ExprId, operands: &[(ExprId, &Rc<Form>)]) -> Option<Form> {
    let mut sum: Option<Form> = None;
    let mut memos = [EvalMemo::new(), EvalMemo::new()];
    for (operand, form) in operands {
        let mut values = [form.constant; 2];
        if !form.columns.is_empty() {
            let (both, of) = form.two_values()?;
            if *sum.get_or_insert_with(|| of.clone()) != of {
                return None;
            }
            values = both;
        }
        for (memo, value) in memos.iter_mut().zip(values) {
            memo.assume(*operand, value);
        }
    }
    let nothing = Assignment::new();
    let values = memos.map(|mut memo| pool.eval(e, &nothing, &mut memo));
    Some(two_valued(pool.width(e), &sum?, values))
}
