//! Expressions as affine maps over GF(2): a constant, and for each input bit the bits that it flips.
//!
//! A map is stored by columns, each a word, because shifts, extracts and concatenations act on
//! every column alike. A table of constants is affine if each element is the first one with the
//! flips of the index's set bits, as in tables of cyclic redundancy checks. An expression whose
//! operands depend on the input only through one parity (a sum of bits over GF(2)) has two values
//! and is affine in that parity: `-(crc & 1) & POLYNOMIAL`.

use std::rc::Rc;

use plat_expr::{
    Assignment, BinaryOp, CompareOp, EvalMemo, ExprId, Moves, Node, Pool, TableId, Weak, mask,
    sign_extend,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::layer::byte_tables::Byte;

/// The most input bytes of a form.
const BYTES: usize = 256;
/// The most columns of all forms together (72 bytes each): enough for a checksum of 90 bytes that
/// is computed bit by bit. Expressions that need more count as not affine.
const COLUMNS: usize = 1 << 20;

/// An affine expression of at most 64 bits: `constant` xor the columns of the input bits that are
/// 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    pub width: u32,
    pub constant: u64,
    /// For each bit of each byte, the bits that it flips; ascending, never all 0.
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

    /// Whether the value does not depend on the input.
    pub fn is_constant(&self) -> bool {
        self.columns.is_empty()
    }

    /// Whether some bit is the parity of several input bits.
    pub fn has_parity(&self) -> bool {
        let mut seen = 0;
        let mut columns = self.columns.iter().flat_map(|(_, flips)| flips);
        columns.any(|flips| {
            let both = seen & flips != 0;
            seen |= flips;
            both
        })
    }

    /// The image under a map that is linear over exclusive or.
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

    /// Bitwise and, if no bit varies in both operands.
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

    /// If the form has exactly two values: these, the first for parity 0, and the parity that
    /// selects between them.
    fn two_values(&self) -> Option<([u64; 2], Self)> {
        let all = self.columns.iter().flat_map(|(_, flips)| flips);
        let mut nonzero = all.copied().filter(|&flips| flips != 0);
        let flips = nonzero.next()?;
        if nonzero.any(|other| other != flips) {
            return None;
        }
        let mut parity = self.map(1, |value| u64::from(value == flips));
        parity.constant = 0;
        Some(([self.constant, self.constant ^ flips], parity))
    }
}

/// Computes and caches the forms of expressions.
#[derive(Default)]
pub(super) struct Forms {
    forms: FxHashMap<ExprId, Option<Rc<Form>>>,
    /// For an affine table: the bits that each bit of the index flips. By table and number of index
    /// bits.
    tables: FxHashMap<(TableId, u32), Option<Rc<[u64]>>>,
    columns: usize,
}

impl Weak for Forms {
    fn forget(&mut self, moves: &Moves) {
        let Self {
            forms,
            tables,
            columns,
        } = self;
        forms.forget(moves);
        let all = std::mem::take(tables).into_iter();
        let kept =
            all.filter_map(|((of, bits), flips)| Some(((moves.kept_table(of)?, bits), flips)));
        *tables = kept.collect();
        let forms = forms.values().flatten();
        *columns = forms.map(|form| 1 + form.columns.len()).sum();
    }
}

plat_expr::plain!(Form);

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

    /// An upper bound on the columns of the forms of `root` and its operands that are not cached:
    /// one for each byte. Stops counting at the limit.
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

    /// The form of a node whose operands have forms in the cache.
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
                return binary(op, &x, &y).or_else(|| of_one_parity(pool, e, &[(a, &x), (b, &y)]));
            }
            Node::Compare(op, a, b) => {
                let (x, y) = (of(a)?, of(b)?);
                let equal = op == CompareOp::Eq;
                let found = equal.then(|| is_zero(&x.xor(&y))).flatten();
                return found.or_else(|| of_one_parity(pool, e, &[(a, &x), (b, &y)]));
            }
            Node::Not(a) => (*of(a)?).clone().flipped(mask(width)),
            Node::Ite(c, a, b) => {
                let (condition, x, y) = (of(c)?, of(a)?, of(b)?);
                let difference = x.xor(&y);
                if difference.varying() != 0 {
                    return of_one_parity(pool, e, &[(c, &condition), (a, &x), (b, &y)]);
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
                let by_parity = || of_one_parity(pool, e, &[(index, &form)]).filter(|_| constant);
                return self.read(pool, table, &form).or_else(by_parity);
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

/// The bits that each of `bits` index bits flips in a table of constants, if the table is affine.
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

/// Whether a form is 0, if that depends on one parity.
fn is_zero(form: &Form) -> Option<Form> {
    let varying = form.varying();
    if form.constant & !varying != 0 {
        return Some(Form::constant(1, 0));
    }
    if varying == 0 {
        return Some(Form::constant(1, 1));
    }
    let ([first, second], parity) = form.two_values()?;
    let value = [u64::from(first == 0), u64::from(second == 0)];
    Some(select(1, &parity, value))
}

/// The first value if the parity is 0, else the second.
fn select(width: u32, parity: &Form, [first, second]: [u64; 2]) -> Form {
    let flips = first ^ second;
    parity
        .map(width, |bit| if bit == 1 { flips } else { 0 })
        .flipped(first)
}

fn binary(op: BinaryOp, a: &Form, b: &Form) -> Option<Form> {
    let width = a.width;
    let possible = |form: &Form| form.varying() | form.constant;
    let disjoint = possible(a) & possible(b) == 0;
    let shift = || (b.columns.is_empty() && b.constant < u64::from(width)).then_some(b.constant);
    match op {
        BinaryOp::Xor => Some(a.xor(b)),
        // No carries.
        BinaryOp::Add | BinaryOp::Or if disjoint => Some(a.xor(b)),
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

/// The form of a node whose operands depend on one parity only: evaluated for both its values.
fn of_one_parity(pool: &Pool, e: ExprId, operands: &[(ExprId, &Rc<Form>)]) -> Option<Form> {
    let mut parity: Option<Form> = None;
    let mut memos = [EvalMemo::new(), EvalMemo::new()];
    for (operand, form) in operands {
        let mut values = [form.constant; 2];
        if !form.columns.is_empty() {
            let (both, of) = form.two_values()?;
            if *parity.get_or_insert_with(|| of.clone()) != of {
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
    Some(select(pool.width(e), &parity?, values))
}
