//! What functions and calls through pointers look like to each other: which parameters are
//! pointers, which are numbers, how many are read. And which functions can be called so at all.

use crate::program::connected::Connected;
use plat_program::operands::address_taken;
use plat_program::{
    Call, Callee, CastOp, Constant, FuncId, Function, Inst, InstId, Operand, Program, Type, TypeId,
};
use rustc_hash::FxHashMap;

/// Which of up to 64 arguments or parameters are pointers, and which are numbers that no pointer
/// fits in: integers of less than 64 bits and floating point. Bit `i` stands for position `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Kinds {
    /// The pointers.
    pub pointers: u64,
    /// The numbers.
    pub numbers: u64,
}

/// A function as callers through pointers see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interface {
    /// How many parameters it reads: up to the last that is used.
    pub needs: u32,
    /// Whether it returns anything that can be a pointer.
    pub returns: bool,
    /// What the parameters that it reads are.
    pub kinds: Kinds,
}

impl Interface {
    /// That of a defined function.
    pub fn of(program: &Program, function: &Function) -> Self {
        let reads = Reads::of(function);
        let types = function.params.iter().copied();
        Interface {
            needs: reads.past(),
            returns: !is_number(program, function.ret),
            kinds: kinds(program, types, |at| reads.has(at)),
        }
    }

    /// Whether a function can be what a call with `given` arguments of these kinds means: it gets
    /// all arguments that it reads, none of them a pointer where it wants a number that no pointer
    /// fits in or the other way round, and it returns something if a pointer is expected. Every
    /// other mismatch is taken as it comes.
    pub fn fits(&self, given: usize, kinds: Kinds, expects: bool) -> bool {
        let wanted = self.kinds;
        let mixed = kinds.pointers & wanted.numbers | kinds.numbers & wanted.pointers;
        given >= self.needs as usize && (self.returns || !expects) && mixed == 0
    }
}

/// The parameters that a function reads.
struct Reads(Vec<bool>);

impl Reads {
    fn of(function: &Function) -> Self {
        let mut read = vec![false; function.params.len()];
        let mut see = |operand: Operand| {
            if let Some(read) = operand.as_reg().and_then(|reg| read.get_mut(reg.index())) {
                *read = true;
            }
        };
        for inst in &function.insts {
            plat_program::operands::each(function, inst, &mut see);
        }
        function.moves.iter().for_each(|step| see(step.src));
        Reads(read)
    }

    fn has(&self, at: usize) -> bool {
        self.0[at]
    }

    fn past(&self) -> u32 {
        self.0
            .iter()
            .rposition(|&read| read)
            .map_or(0, |at| at as u32 + 1)
    }
}

/// Whether no pointer fits in a type: less than 64 bits, floating point, or nothing at all.
pub fn is_number(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Void | Type::Float(_) => true,
        Type::Int(bits) => *bits < 64,
        _ => false,
    }
}

/// What the values of these types are, as far as they count.
pub fn kinds(
    program: &Program,
    types: impl Iterator<Item = TypeId>,
    counts: impl Fn(usize) -> bool,
) -> Kinds {
    let mut kinds = Kinds::default();
    for (at, ty) in types.enumerate().take(64).filter(|&(at, _)| counts(at)) {
        let pointer = matches!(program.types.get(ty), Type::Pointer);
        kinds.pointers |= u64::from(pointer) << at;
        kinds.numbers |= u64::from(is_number(program, ty)) << at;
    }
    kinds
}

/// What the arguments of a call are. A plain 0 is nothing in particular: it is passed for a null
/// pointer.
pub fn kinds_of(program: &Program, caller: &Function, operands: &[Operand]) -> Kinds {
    let mut all = Kinds::default();
    for (at, operand) in operands.iter().enumerate().take(64) {
        let Some(reg) = operand.as_reg() else {
            let constant = operand.as_constant().map(|id| program.constant(id));
            let pointer = match constant {
                Some(Constant::Cast(op, ..)) => *op == CastOp::IntToPtr,
                Some(Constant::Null | Constant::Global(..) | Constant::Function(_)) => true,
                _ => false,
            };
            let number = matches!(constant, Some(Constant::Int { value, width }) if *width < 64 && *value != 0);
            all.pointers |= u64::from(pointer) << at;
            all.numbers |= u64::from(number) << at;
            continue;
        };
        let ty = caller.reg_types[reg.index()];
        let own = kinds(program, [ty].into_iter(), |_| true);
        all.pointers |= own.pointers << at;
        all.numbers |= own.numbers << at;
    }
    all
}

/// For each call through a pointer that expects a pointer the defined functions that it fits, of
/// those whose address is taken, that return pointers, and that it is connected with.
pub fn fitting(program: &Program) -> FxHashMap<InstId, Vec<FuncId>> {
    let returns_pointer = |id: &FuncId| {
        let function = program.function(*id);
        !function.declaration && matches!(program.types.get(function.ret), Type::Pointer)
    };
    let callees = address_taken(program).into_iter().filter(returns_pointer);
    let mut connected = Connected::new(program);
    let mut callees_of: FxHashMap<u32, Vec<(FuncId, Interface)>> = FxHashMap::default();
    for id in callees {
        let function = program.function(id);
        let class = callees_of
            .entry(connected.of_function(function))
            .or_default();
        class.push((id, Interface::of(program, function)));
    }
    let mut fitting = FxHashMap::default();
    for function in &program.functions {
        for (at, inst) in function.insts.iter().enumerate() {
            let Some(call) = pointer_call(program, inst) else {
                continue;
            };
            let operands = &function.call_args[call.args.range()];
            let given = kinds_of(program, function, operands);
            let Callee::Indirect(pointer) = call.callee else {
                continue;
            };
            let class = connected.of_operand(function, pointer);
            let callees = class.and_then(|class| callees_of.get(&class));
            let callees = callees.into_iter().flatten();
            let fits = callees.filter(|(_, one)| one.fits(operands.len(), given, true));
            let fits: Vec<FuncId> = fits.map(|&(id, _)| id).collect();
            if !fits.is_empty() {
                fitting.insert(InstId::new(function.first_inst.index() + at), fits);
            }
        }
    }
    fitting
}

/// A call through a pointer whose result is a pointer.
fn pointer_call<'a>(program: &Program, inst: &'a Inst) -> Option<&'a Call> {
    match inst {
        Inst::Call { dst: Some(_), call }
        | Inst::Invoke {
            dst: Some(_), call, ..
        } if matches!(call.callee, Callee::Indirect(_))
            && matches!(program.types.get(call.ret), Type::Pointer) =>
        {
            Some(call)
        }
        _ => None,
    }
}
