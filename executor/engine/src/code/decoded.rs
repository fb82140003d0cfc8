//! Functions as the fast paths read them: widths and masks instead of types, and operands that are
//! all positions among a frame's registers, behind which the function's constants stand.
//!
//! There is one operation for each instruction, at its position, so that what a fast path declines
//! goes on with the instruction. Made when a function is first entered.

mod calls;

use crate::code::Code;
use crate::code::calls::{CallPlan, CopyPlan, IndirectPlan, NativePlan};
pub use crate::code::ops::{Exit, Op, Slot};
use crate::code::plans::{self, AllocaPlan, NOWHERE, Order, SwitchPlan};
use crate::code::{fused, guarded_shift};
use crate::values::mask;
use plat_expr::Value;
use plat_program::{
    BinaryOp, BlockId, CastOp, ConstId, EdgeId, Function, Inst, Operand, Program, Reg, TypeId,
};
use rustc_hash::FxHashMap;

/// One function.
#[derive(Clone, Default, Debug)]
pub struct Decoded {
    /// By position of the instruction.
    pub ops: Vec<Op>,
    /// By position: the end of its block.
    pub ends: Vec<u32>,
    exits: Vec<Exit>,
    moves: Vec<(Slot, Slot)>,
    terms: Vec<(Slot, u32, i64)>,
    arguments: Vec<Slot>,
    calls: Vec<CallPlan>,
    indirects: Vec<IndirectPlan>,
    natives: Vec<NativePlan>,
    copies: Vec<CopyPlan>,
    allocas: Vec<AllocaPlan>,
    switches: Vec<SwitchPlan>,
    /// Whether hooks watch instructions of it.
    pub watched: bool,
    /// The registers of a new frame: zeros and the constants.
    pub registers: Vec<Value>,
}

impl Decoded {
    /// Leaves an instruction to the general path, which asks hooks about it.
    pub fn watch(&mut self, position: usize) {
        self.watched = true;
        self.leave(position);
    }

    /// Leaves an instruction to the general path.
    fn leave(&mut self, position: usize) {
        self.ops[position] = Op::Other;
        let Some(before) = position.checked_sub(1).map(|at| &mut self.ops[at]) else {
            return;
        };
        // A comparison carries out the branch behind it, an address may carry out its access.
        match before {
            Op::Compare { branches, .. } | Op::CompareConst { branches, .. } => *branches = false,
            op => *op = fused::first(op).unwrap_or(*op),
        }
    }

    /// Leaves accesses that other threads may see to the general path, which asks who runs before.
    pub fn leave_shared_accesses(&mut self, function: &Function) {
        for (position, inst) in function.insts.iter().enumerate() {
            if let Inst::Load { access, .. } | Inst::Store { access, .. } = inst
                && (access.atomic || access.volatile)
            {
                self.leave(position);
            }
        }
    }

    /// An edge, and its moves, destinations first, which are to be made one after another.
    #[inline(always)]
    pub fn exit(&self, edge: EdgeId) -> (Exit, &[(Slot, Slot)]) {
        let exit = self.exits[edge.index()];
        let moves = &self.moves[exit.first as usize..][..exit.count as usize];
        (exit, moves)
    }

    /// Indices of an [`Op::Indices`]: position, width in bits (at most 64), scale.
    #[inline(always)]
    pub fn terms(&self, first: u32, count: u8) -> &[(Slot, u32, i64)] {
        &self.terms[first as usize..][..usize::from(count)]
    }

    /// A call, and the positions of its arguments.
    #[inline(always)]
    pub fn call(&self, plan: u32) -> (CallPlan, &[Slot]) {
        let plan = self.calls[plan as usize];
        (plan, self.arguments(plan))
    }

    /// The positions of a call's arguments.
    #[inline(always)]
    pub fn arguments(&self, plan: CallPlan) -> &[Slot] {
        &self.arguments[plan.args.0 as usize..][..plan.args.1 as usize]
    }

    /// A call through a pointer.
    #[inline(always)]
    pub fn indirect(&self, plan: u32) -> &IndirectPlan {
        &self.indirects[plan as usize]
    }

    /// A call that the executor carries out itself.
    pub fn native(&self, plan: u32) -> &NativePlan {
        &self.natives[plan as usize]
    }

    /// A call of a function that copies bytes.
    pub fn copy(&self, plan: u32) -> &CopyPlan {
        &self.copies[plan as usize]
    }

    /// A stack object.
    #[inline(always)]
    pub fn alloca(&self, plan: u32) -> &AllocaPlan {
        &self.allocas[plan as usize]
    }

    /// Where a switch goes with a word.
    #[inline(always)]
    pub fn switch(&self, plan: u32, word: u64) -> EdgeId {
        self.switches[plan as usize].edge(word)
    }
}

/// Makes a function's [`Decoded`].
struct Decoder<'a> {
    code: &'a Code,
    program: &'a Program,
    function: &'a Function,
    constants: FxHashMap<ConstId, Slot>,
    /// An unused register.
    spare: Option<Slot>,
    made: Decoded,
}

/// The operations of a function whose constants are known. Unless it is to be `fast`, every
/// operation is left to the general path.
pub fn decode(code: &Code, program: &Program, function: &Function, fast: bool) -> Decoded {
    let mut decoder = Decoder {
        code,
        program,
        function,
        constants: FxHashMap::default(),
        spare: None,
        made: Decoded {
            registers: vec![Value::Int(0); function.reg_types.len()],
            ..Decoded::default()
        },
    };
    for at in 0..function.insts.len() {
        let op = decoder.op(at).filter(|_| fast);
        decoder.made.ops.push(op.unwrap_or(Op::Other));
    }
    fused::fuse(&mut decoder.made.ops);
    for block in &function.blocks {
        let end = block.first + block.len;
        decoder.made.ends.resize(end as usize, end);
    }
    for edge in &function.edges {
        let exit = decoder.exit(edge.to, &function.moves[edge.moves.range()]);
        decoder.made.exits.push(exit);
    }
    decoder.made
}

impl Decoder<'_> {
    fn slot(&mut self, operand: Operand) -> Slot {
        let constant = match (operand.as_reg(), operand.as_constant()) {
            (Some(reg), _) => return reg.0,
            (None, Some(constant)) => constant,
            (None, None) => ConstId(u32::MAX),
        };
        let registers = &mut self.made.registers;
        *self.constants.entry(constant).or_insert_with(|| {
            registers.push(self.code.constant(operand));
            registers.len() as u32 - 1
        })
    }

    /// The number that an operand is, if it is a constant.
    fn number(&self, operand: Operand) -> Option<u64> {
        operand.as_constant()?;
        match self.code.constant(operand) {
            Value::Int(word) => Some(word),
            _ => None,
        }
    }

    /// Width of a type of scalars of at most 64 bits.
    fn bits(&self, ty: TypeId) -> Option<u8> {
        let bits = self.code.ty(ty).bits;
        (1..=64).contains(&bits).then_some(bits as u8)
    }

    fn bytes(&self, ty: TypeId) -> Option<u8> {
        Some(self.code.ty(ty).bytes as u8).filter(|&bytes| bytes != 0)
    }

    fn exit(&mut self, to: BlockId, moves: &[plat_program::Move]) -> Exit {
        let first = self.made.moves.len() as u32;
        let moves: Vec<(Slot, Slot)> = moves
            .iter()
            .map(|one| (one.dst.0, self.slot(one.src)))
            .collect();
        let mut spare = NOWHERE;
        if moves.len() > 1 {
            let registers = &mut self.made.registers;
            spare = *self.spare.get_or_insert_with(|| {
                registers.push(Value::Int(0));
                registers.len() as u32 - 1
            });
        }
        plans::in_turn(moves, spare, &mut self.made.moves);
        let block = self.function.blocks[to.index()];
        Exit {
            pc: block.first,
            end: block.first + block.len,
            first,
            count: self.made.moves.len() as u32 - first,
        }
    }

    /// The operation of an instruction, if there is one.
    fn op(&mut self, at: usize) -> Option<Op> {
        let next = self.function.insts.get(at + 1);
        Some(match self.function.insts[at] {
            Inst::Binary {
                op,
                ty,
                dst,
                lhs,
                rhs,
            } => {
                let bits = self.bits(ty)?;
                let (dst, a, b) = (dst.0, self.slot(lhs), self.slot(rhs));
                let mask = mask(bits.into());
                match (op, self.number(rhs)) {
                    (BinaryOp::Add, Some(by)) => Op::AddConst { bits, dst, a, by },
                    (BinaryOp::Add, None) => Op::Add { dst, a, b, mask },
                    (BinaryOp::Sub, _) => Op::Sub { dst, a, b, mask },
                    (BinaryOp::And, _) => Op::And { bits, dst, a, b },
                    (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, None)
                        if let Some((cond, when)) = guarded_shift::guard(self.function, at) =>
                    {
                        Op::Guarded {
                            op,
                            bits,
                            when,
                            dst,
                            a,
                            b,
                            cond: self.slot(cond),
                        }
                    }
                    _ => Op::Binary {
                        op,
                        bits,
                        dst,
                        a,
                        b,
                    },
                }
            }
            Inst::Compare {
                predicate,
                ty,
                dst,
                lhs,
                rhs,
            } => {
                let order = Order::of(predicate, self.bits(ty)?);
                let branches = matches!(next, Some(Inst::Branch { cond, .. })
                    if cond.as_reg() == Some(dst));
                let (dst, a) = (dst.0, self.slot(lhs));
                match self.number(rhs) {
                    Some(with) => Op::CompareConst {
                        order,
                        branches,
                        dst,
                        a,
                        with,
                    },
                    None => Op::Compare {
                        order,
                        branches,
                        dst,
                        a,
                        b: self.slot(rhs),
                    },
                }
            }
            Inst::Load {
                ty, dst, pointer, ..
            } => {
                let (dst, pointer) = (dst.0, self.slot(pointer));
                if let Some(bits @ 1..8) = self.bits(ty) {
                    return Some(Op::LoadBits { bits, dst, pointer });
                }
                match self.bytes(ty)? {
                    1 => Op::Load1 { dst, pointer },
                    4 => Op::Load4 { dst, pointer },
                    8 => Op::Load8 { dst, pointer },
                    bytes => Op::Load {
                        bytes,
                        dst,
                        pointer,
                    },
                }
            }
            Inst::Store {
                ty, value, pointer, ..
            } => {
                let (value, pointer) = (self.slot(value), self.slot(pointer));
                if let Some(1..8) = self.bits(ty) {
                    // The bits above are zero in the register, and in memory.
                    return Some(Op::Store1 { value, pointer });
                }
                match self.bytes(ty)? {
                    1 => Op::Store1 { value, pointer },
                    4 => Op::Store4 { value, pointer },
                    8 => Op::Store8 { value, pointer },
                    bytes => Op::Store {
                        bytes,
                        value,
                        pointer,
                    },
                }
            }
            Inst::Gep { .. } => return self.gep(at),
            Inst::Jump { edge } => Op::Jump { edge },
            Inst::Branch {
                cond,
                then,
                otherwise,
            } => Op::Branch {
                cond: self.slot(cond),
                then,
                otherwise,
            },
            Inst::Cast {
                op,
                from,
                to,
                dst,
                value,
            } => return self.cast(op, from, to, dst, value),
            Inst::Select {
                dst,
                cond,
                then,
                otherwise,
                ..
            } => Op::Select {
                dst: dst.0,
                cond: self.slot(cond),
                then: self.slot(then),
                otherwise: self.slot(otherwise),
            },
            Inst::Freeze { ty, dst, value } if self.bits(ty).is_some() => Op::Cut {
                dst: dst.0,
                value: self.slot(value),
                mask: u64::MAX,
            },
            Inst::Switch {
                ty,
                value,
                cases,
                default,
            } => {
                self.bits(ty)?;
                let cases = plans::sorted(self.code, self.function.id, cases);
                self.made.switches.push(SwitchPlan::new(cases, default));
                Op::Switch {
                    value: self.slot(value),
                    plan: self.made.switches.len() as u32 - 1,
                }
            }
            Inst::Alloca { .. } => {
                let plan = AllocaPlan::of(self.code, self.function, at)?;
                self.made.allocas.push(plan);
                let plan = self.made.allocas.len() as u32 - 1;
                Op::Alloca { plan }
            }
            Inst::Return { value } => Op::Return {
                value: value.map_or(NOWHERE, |value| self.slot(value)),
            },
            Inst::Call { .. } => return self.call(at),
            _ => return None,
        })
    }

    fn gep(&mut self, at: usize) -> Option<Op> {
        let Inst::Gep {
            dst,
            base,
            offset,
            terms,
        } = self.function.insts[at]
        else {
            return None;
        };
        let (dst, base) = (dst.0, self.slot(base));
        let terms = &self.function.gep_terms[terms.range()];
        if terms.iter().any(|&(_, bits, _)| !(1..=64).contains(&bits)) {
            return None;
        }
        Some(match *terms {
            [] => Op::Move { dst, base, offset },
            [(index, bits, scale)] if i32::try_from(scale).is_ok() => Op::Index {
                bits: bits as u8,
                dst,
                base,
                index: self.slot(index),
                scale: scale as i32,
                offset: i32::try_from(offset).ok()?,
            },
            _ => {
                let first = self.made.terms.len() as u32;
                for &(index, bits, scale) in terms {
                    let index = self.slot(index);
                    self.made.terms.push((index, bits, scale));
                }
                Op::Indices {
                    terms: u8::try_from(terms.len()).ok()?,
                    dst,
                    base,
                    first,
                    offset: i32::try_from(offset).ok()?,
                }
            }
        })
    }

    fn cast(
        &mut self,
        op: CastOp,
        from: TypeId,
        to: TypeId,
        dst: Reg,
        value: Operand,
    ) -> Option<Op> {
        let (from, to) = (self.bits(from)?, self.bits(to)?);
        let (dst, value) = (dst.0, self.slot(value));
        Some(match op {
            CastOp::Bitcast => Op::Cut {
                dst,
                value,
                mask: u64::MAX,
            },
            CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Trunc => Op::Cut {
                dst,
                value,
                mask: mask(to.into()),
            },
            CastOp::SExt => Op::Extend {
                from,
                to,
                dst,
                value,
            },
            _ => return None,
        })
    }
}
