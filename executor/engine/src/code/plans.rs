//! Calls, allocations on the stack and switches as the fast paths read them, and intrinsics that
//! are one operation on words.

use crate::code::decoded::Slot;
use crate::code::native::Effect;
use crate::code::{Code, constant_bits};
use crate::values::{mask, signed};
use plat_expr::Value;
use plat_memory::StackPlan;
use plat_program::{
    Call, Callee, EdgeId, FuncId, Function, Inst, InstId, IntPredicate, Operand, Program, Span,
};
use rustc_hash::FxHashMap;

/// No position among a frame's registers.
pub const NOWHERE: Slot = Slot::MAX;

/// Width of a scalar operand; 0 of others.
pub fn operand_bits(code: &Code, program: &Program, function: &Function, operand: Operand) -> u32 {
    match (operand.as_reg(), operand.as_constant()) {
        (Some(reg), _) => code.ty(function.reg_types[reg.index()]).bits,
        (None, Some(id)) => constant_bits(program, id),
        (None, None) => 0,
    }
}

/// A stack object of known size.
#[derive(Clone, Copy, Debug)]
pub struct AllocaPlan {
    /// Where its address goes.
    pub dst: Slot,
    /// What it is.
    pub object: StackPlan,
}

impl AllocaPlan {
    /// The plan for an allocation, if its size is a constant.
    pub fn of(code: &Code, function: &Function, at: usize) -> Option<Self> {
        let Inst::Alloca {
            dst,
            element_size,
            count,
            count_ty,
            align,
        } = function.insts[at]
        else {
            return None;
        };
        count.as_constant()?;
        let Value::Int(count) = code.constant(count) else {
            return None;
        };
        if !(1..=64).contains(&code.ty(count_ty).bits) {
            return None;
        }
        Some(AllocaPlan {
            dst: dst.0,
            object: StackPlan::new(
                count.checked_mul(element_size)?,
                u64::from(align.max(1)),
                InstId::new(function.first_inst.index() + at),
            ),
        })
    }
}

/// A comparison of words of a width, without a case for each predicate.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// The predicate.
    pub predicate: IntPredicate,
    /// For which of less, equal, greater it holds: bits 0, 1, 2.
    holds: u8,
    /// The highest bit of a word.
    high: u8,
    signed: bool,
}

impl Order {
    /// A predicate on words of `bits` bits.
    pub fn of(predicate: IntPredicate, bits: u8) -> Self {
        use IntPredicate as P;
        let (holds, signed) = match predicate {
            P::Eq => (0b010, false),
            P::Ne => (0b101, false),
            P::Ult => (0b001, false),
            P::Ule => (0b011, false),
            P::Ugt => (0b100, false),
            P::Uge => (0b110, false),
            P::Slt => (0b001, true),
            P::Sle => (0b011, true),
            P::Sgt => (0b100, true),
            P::Sge => (0b110, true),
        };
        Order {
            predicate,
            holds,
            high: bits - 1,
            signed,
        }
    }

    /// Whether words are as wide as addresses.
    pub fn wide(self) -> bool {
        self.high == 63
    }

    /// Whether it holds. Numbers with a sign are in order once their sign is turned over.
    #[inline(always)]
    pub fn compare(self, a: u64, b: u64) -> bool {
        let flip = u64::from(self.signed) << (self.high & 63);
        let (a, b) = (a ^ flip, b ^ flip);
        let order = u8::from(a >= b) + u8::from(a > b);
        self.holds >> order & 1 != 0
    }
}

/// A switch.
#[derive(Clone, Debug)]
pub struct SwitchPlan {
    default: EdgeId,
    /// The value of the first of `near`.
    low: u64,
    /// By value: the edges of cases that lie close together.
    near: Box<[EdgeId]>,
    /// The cases in ascending order, if they do not.
    far: Box<[(u64, EdgeId)]>,
}

impl SwitchPlan {
    /// The plan for a switch on words; `cases` are sorted.
    pub fn new(cases: &[(u64, EdgeId)], default: EdgeId) -> Self {
        let low = cases.first().map_or(0, |case| case.0);
        let range = cases.last().map_or(0, |case| case.0 - low);
        let dense = range < 16 * cases.len() as u64 + 64;
        let mut near = vec![default; if dense { range as usize + 1 } else { 0 }];
        if dense {
            // Of equal cases, which no module has, the first one counts.
            for &(value, edge) in cases.iter().rev() {
                near[(value - low) as usize] = edge;
            }
        }
        SwitchPlan {
            default,
            low,
            near: near.into(),
            far: if dense { Box::default() } else { cases.into() },
        }
    }

    /// Where it goes with a word.
    #[inline]
    pub fn edge(&self, word: u64) -> EdgeId {
        if self.far.is_empty() {
            let at = usize::try_from(word.wrapping_sub(self.low)).ok();
            let edge = at.and_then(|at| self.near.get(at));
            return edge.copied().unwrap_or(self.default);
        }
        let found = self.far.binary_search_by_key(&word, |case| case.0);
        found.map_or(self.default, |at| self.far[at].1)
    }
}

/// Parallel moves, destinations first, as moves that are made one after another; `spare` is a
/// register that none of them names.
pub fn in_turn(mut moves: Vec<(Slot, Slot)>, spare: Slot, made: &mut Vec<(Slot, Slot)>) {
    moves.retain(|(dst, src)| dst != src);
    let mut readers: FxHashMap<Slot, u32> = FxHashMap::default();
    for (_, src) in &moves {
        *readers.entry(*src).or_default() += 1;
    }
    let by_dst: FxHashMap<Slot, usize> = moves
        .iter()
        .enumerate()
        .map(|(at, one)| (one.0, at))
        .collect();
    let mut done = vec![false; moves.len()];
    // Moves to registers that nobody reads any more.
    let unread = |at: &usize| !readers.contains_key(&moves[*at].0);
    let mut free: Vec<usize> = (0..moves.len()).filter(unread).collect();
    for start in 0..moves.len() {
        while let Some(at) = free.pop() {
            let (dst, src) = moves[at];
            made.push((dst, src));
            done[at] = true;
            if let Some(left) = readers.get_mut(&src) {
                *left -= 1;
                free.extend(by_dst.get(&src).filter(|&&at| *left == 0 && !done[at]));
            }
        }
        if !done[start] {
            // What is left is circles: one value is kept, for the one move that reads it.
            let kept = moves[start].0;
            made.push((spare, kept));
            for (at, (_, src)) in moves.iter_mut().enumerate() {
                if *src == kept && !done[at] {
                    *src = spare;
                }
            }
            free.push(start);
        }
    }
}

/// An intrinsic that is one operation on words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Abs,
    Bswap,
    Ctlz,
    Ctpop,
    Cttz,
    Fshl,
    Fshr,
    Smax,
    Smin,
    UaddSat,
    Umax,
    Umin,
    UsubSat,
}

const SCALARS: &[(&str, Scalar, usize)] = &[
    ("llvm.abs.i", Scalar::Abs, 2),
    ("llvm.bswap.i", Scalar::Bswap, 1),
    ("llvm.ctlz.i", Scalar::Ctlz, 1),
    ("llvm.ctpop.i", Scalar::Ctpop, 1),
    ("llvm.cttz.i", Scalar::Cttz, 1),
    ("llvm.fshl.i", Scalar::Fshl, 3),
    ("llvm.fshr.i", Scalar::Fshr, 3),
    ("llvm.smax.i", Scalar::Smax, 2),
    ("llvm.smin.i", Scalar::Smin, 2),
    ("llvm.uadd.sat.i", Scalar::UaddSat, 2),
    ("llvm.umax.i", Scalar::Umax, 2),
    ("llvm.umin.i", Scalar::Umin, 2),
    ("llvm.usub.sat.i", Scalar::UsubSat, 2),
];

impl Scalar {
    /// Which one a call is of, and how many words it takes.
    pub fn of(program: &Program, call: &Call) -> Option<(Self, usize)> {
        let Callee::Direct(callee) = call.callee else {
            return None;
        };
        let name = program.function(callee).name.as_str();
        let found = SCALARS.iter().find(|(base, ..)| {
            (name.strip_prefix(base)).is_some_and(|rest| rest.parse::<u32>().is_ok())
        });
        found.map(|&(_, scalar, count)| (scalar, count))
    }

    /// The result, of words of `bits` bits; `None` if it has none.
    #[inline]
    pub fn fold(self, bits: u32, a: u64, b: u64, c: u64) -> Option<u64> {
        let mask = mask(bits);
        let (first, second) = (signed(a, bits), signed(b, bits));
        Some(match self {
            // Poison where the flag forbids the least number: the intrinsic's own way says what becomes of it.
            Scalar::Abs if b & 1 == 1 && a == 1 << (bits - 1) => return None,
            Scalar::Abs => first.unsigned_abs() & mask,
            Scalar::Bswap if bits.is_multiple_of(8) => a.swap_bytes() >> (64 - bits),
            Scalar::Bswap => return None,
            Scalar::Ctlz => u64::from(a.leading_zeros() - (64 - bits)),
            Scalar::Ctpop => u64::from(a.count_ones()),
            Scalar::Cttz => u64::from(a.trailing_zeros().min(bits)),
            Scalar::Fshl => match c % u64::from(bits) {
                0 => a,
                by => (a << by | b >> (u64::from(bits) - by)) & mask,
            },
            Scalar::Fshr => match c % u64::from(bits) {
                0 => b,
                by => (b >> by | a << (u64::from(bits) - by)) & mask,
            },
            Scalar::Smax => first.max(second) as u64 & mask,
            Scalar::Smin => first.min(second) as u64 & mask,
            Scalar::UaddSat => a.checked_add(b).map_or(mask, |sum| sum.min(mask)),
            Scalar::Umax => a.max(b),
            Scalar::Umin => a.min(b),
            Scalar::UsubSat => a.saturating_sub(b),
        })
    }
}

/// Whether a call does nothing at all.
pub fn is_hint(code: &Code, inst: &Inst) -> bool {
    let &Inst::Call { dst: None, call } = inst else {
        return false;
    };
    let Callee::Direct(callee) = call.callee else {
        return false;
    };
    let native = code.functions[callee.index()].native;
    native.is_some_and(|native| native.effect == Effect::Nothing)
}

/// The sorted cases of a switch.
pub fn sorted(code: &Code, function: FuncId, cases: Span) -> &[(u64, EdgeId)] {
    &code.functions[function.index()].switch_cases[cases.range()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_goes_where_its_cases_say() {
        let near: Vec<(u64, EdgeId)> = [3, 4, 9, 40]
            .into_iter()
            .zip((1..).map(EdgeId::new))
            .collect();
        let far = [(2, EdgeId::new(7)), (1 << 40, EdgeId::new(8))];
        for cases in [&near[..], &far, &[]] {
            let plan = SwitchPlan::new(cases, EdgeId::new(0));
            for word in (0..70).chain([1 << 40, u64::MAX]) {
                let case = cases.iter().find(|case| case.0 == word);
                assert_eq!(plan.edge(word), case.map_or(EdgeId::new(0), |case| case.1));
            }
        }
    }

    #[test]
    fn orders_compare_as_predicates_do() {
        use IntPredicate as P;
        for predicate in [
            P::Eq,
            P::Ne,
            P::Ult,
            P::Ule,
            P::Ugt,
            P::Uge,
            P::Slt,
            P::Sle,
            P::Sgt,
            P::Sge,
        ] {
            for bits in [1, 7, 8, 33, 64] {
                let order = Order::of(predicate, bits);
                assert_eq!(order.wide(), bits == 64);
                let mask = mask(bits.into());
                let ends = [0, 1, 2, mask / 2, mask / 2 + 1, mask - 1, mask];
                for (a, b) in ends
                    .into_iter()
                    .flat_map(|a| ends.map(|b| (a & mask, b & mask)))
                {
                    let expected =
                        plat_basics::integer::word::compare(predicate, bits.into(), a, b);
                    assert_eq!(order.compare(a, b), expected, "{a} {predicate:?} {b}");
                }
            }
        }
    }

    #[test]
    fn moves_in_turn_do_what_parallel_moves_do() {
        let mut random = fastrand::Rng::with_seed(9);
        for _ in 0..2_000 {
            let count = random.u32(..7);
            let moves: Vec<(Slot, Slot)> = (0..count)
                .map(|dst| (dst, random.u64(..9) as Slot))
                .collect();
            let before: Vec<u32> = (0..10).collect();
            let mut parallel = before.clone();
            for &(dst, src) in &moves {
                parallel[dst as usize] = before[src as usize];
            }
            let (mut made, mut after) = (Vec::new(), before);
            in_turn(moves, 9, &mut made);
            for (dst, src) in made {
                after[dst as usize] = after[src as usize];
            }
            assert_eq!(after[..9], parallel[..9]);
        }
    }

    /// Each in another way: bit by bit, or by wider arithmetic.
    #[test]
    fn intrinsics_on_words() {
        for a in 0..=255u64 {
            for b in (0..=255).step_by(5) {
                for c in [0, 1, 7, 8, 13] {
                    let fold = |scalar: Scalar| scalar.fold(8, a, b, c).unwrap() as u8;
                    let (x, y, by) = (a as u8, b as u8, c as u32 % 8);
                    let pair = u32::from(x) << 8 | u32::from(y);
                    assert_eq!(fold(Scalar::Fshl), (pair << by >> 8) as u8);
                    assert_eq!(fold(Scalar::Fshr), (pair >> by) as u8);
                    let positive = (x as i8).wrapping_abs() as u64 & 0xff;
                    assert_eq!(Scalar::Abs.fold(8, a, 0, c), Some(positive));
                    let defined = (x as i8).checked_abs().map(|positive| positive as u64);
                    assert_eq!(Scalar::Abs.fold(8, a, 1, c), defined);
                    assert_eq!(fold(Scalar::Smax), (x as i8).max(y as i8) as u8);
                    assert_eq!(fold(Scalar::Smin), (x as i8).min(y as i8) as u8);
                    assert_eq!(fold(Scalar::UaddSat), x.saturating_add(y));
                    assert_eq!(fold(Scalar::UsubSat), x.saturating_sub(y));
                    assert_eq!(fold(Scalar::Ctlz), x.leading_zeros() as u8);
                    assert_eq!(fold(Scalar::Cttz), x.trailing_zeros() as u8);
                    assert_eq!(fold(Scalar::Ctpop), x.count_ones() as u8);
                    assert_eq!(fold(Scalar::Bswap), x);
                    assert_eq!(fold(Scalar::Umax), x.max(y));
                    assert_eq!(fold(Scalar::Umin), x.min(y));
                }
            }
        }
        assert_eq!(Scalar::UaddSat.fold(64, !0, 1, 0), Some(!0));
        assert_eq!(Scalar::Abs.fold(64, 1 << 63, 0, 0), Some(1 << 63));
        assert_eq!(Scalar::Abs.fold(64, 1 << 63, 1, 0), None);
        assert_eq!(Scalar::Bswap.fold(12, 1, 0, 0), None);
        assert_eq!(Scalar::Fshl.fold(64, 1, 1 << 63, 1), Some(3));
    }
}
