//! The program in executable form: constants as values, types as a dense table, functions with
//! what the executor does in their place. Made once per run.

pub(crate) mod calls;
pub(crate) mod decoded;
pub(crate) mod errno;
mod fused;
pub(crate) mod guarded_shift;
pub(crate) mod libraries;
pub(crate) mod liveness;
pub(crate) mod meeting;
pub(crate) mod native;
pub(crate) mod ops;
pub(crate) mod plans;
pub(crate) mod reads;
pub(crate) mod types;

use crate::code::errno::ErrnoPlace;
use crate::code::native::Native;
use crate::code::types::TypeInfo;
use crate::values;
use plat_expr::{ObjectId, Pool, Value};
use plat_program::{
    CastOp, ConstId, Constant, EdgeId, FloatKind, FuncId, Function, Inst, Operand, Program, Type,
    TypeId,
};
use rustc_hash::FxHashMap;

/// What the executor knows of a function beyond the program.
#[derive(Clone, Debug)]
pub struct FunctionCode {
    /// What runs in its place, or before it.
    pub native: Option<Native>,
    /// Whether calls need more than moving the arguments over: it is variadic, takes copies, is
    /// only declared, or is replaced.
    pub plain: bool,
    /// Whether hooks watch its calls or returns, or a native function from outside stands for it: no
    /// fast path takes its calls.
    pub intercepted: bool,
    /// Whether it belongs to a library: errors are located in its callers.
    pub library: bool,
    /// As [`Function::switch_cases`], each switch's sorted; wide ones stand as [`u64::MAX`].
    pub switch_cases: Box<[(u64, EdgeId)]>,
}

/// The cases of a function's switches, those of each switch in ascending order.
fn sorted_cases(function: &Function) -> Box<[(u64, EdgeId)]> {
    let cases = function.switch_cases.iter();
    let mut cases: Vec<(u64, EdgeId)> = cases
        .map(|&(value, edge)| (u64::try_from(value).unwrap_or(u64::MAX), edge))
        .collect();
    for inst in &function.insts {
        if let &Inst::Switch { cases: span, .. } = inst {
            cases[span.range()].sort_by_key(|case| case.0);
        }
    }
    cases.into()
}

/// The program's tables.
#[derive(Debug)]
pub struct Code {
    /// One entry per type.
    pub types: Vec<TypeInfo>,
    /// One entry per function.
    pub functions: Vec<FunctionCode>,
    constants: Vec<Value>,
    /// The object of each global.
    pub globals: Vec<ObjectId>,
    /// The object of each function.
    pub function_objects: Vec<ObjectId>,
    functions_by_object: FxHashMap<ObjectId, FuncId>,
    functions_by_number: FxHashMap<u64, FuncId>,
    /// Where the program keeps `errno`, if it does.
    pub errno: Option<ErrnoPlace>,
    /// Whether a function has words of `-fsanitize=function` before its code.
    prologues: bool,
    /// Constants that plat cannot read stand as this value.
    unreadable: Value,
}

impl Code {
    /// Everything but the constants, which need addresses. `natives` has an entry for each function.
    pub fn new(program: &Program, pool: &mut Pool, natives: Vec<Option<Native>>) -> Self {
        let functions = program.functions.iter().zip(natives);
        let functions = functions
            .map(|(function, native)| FunctionCode {
                native,
                plain: native.is_none()
                    && !function.declaration
                    && !function.variadic
                    && function.byval.iter().all(Option::is_none),
                intercepted: false,
                library: libraries::owns(program, function),
                switch_cases: sorted_cases(function),
            })
            .collect();
        // No program value is an aggregate of this one strange number.
        let mark = Value::Int(0x5e_ad_c0_de_0b_ad_c0_de);
        let unreadable = Value::Aggregate(pool.aggregate(&[mark, mark, mark]));
        Code {
            types: types::table(program),
            functions,
            constants: Vec::new(),
            globals: Vec::new(),
            function_objects: Vec::new(),
            functions_by_object: FxHashMap::default(),
            functions_by_number: FxHashMap::default(),
            errno: None,
            prologues: program.functions.iter().any(|one| one.prologue.is_some()),
            unreadable,
        }
    }

    /// Whether a function has words of `-fsanitize=function` before its code.
    pub fn has_prologues(&self) -> bool {
        self.prologues
    }

    /// Takes the addresses of globals and functions, and evaluates all constants.
    pub fn bind(
        &mut self,
        program: &Program,
        pool: &mut Pool,
        globals: Vec<ObjectId>,
        functions: Vec<ObjectId>,
    ) {
        for (at, &object) in functions.iter().enumerate() {
            self.functions_by_object.insert(object, FuncId::new(at));
            self.functions_by_number
                .insert(pool.object_number(object), FuncId::new(at));
        }
        self.globals = globals;
        self.function_objects = functions;
        let mut known = vec![None; program.constants.len()];
        for at in 0..program.constants.len() {
            self.evaluate(program, pool, ConstId::new(at), &mut known);
        }
        self.constants = known
            .into_iter()
            .map(|value| value.unwrap_or(self.unreadable))
            .collect();
    }

    /// Gives a constant another value.
    pub(crate) fn set_constant(&mut self, id: ConstId, value: Value) {
        self.constants[id.index()] = value;
    }

    /// The value of a constant operand.
    #[inline(always)]
    pub fn constant(&self, operand: Operand) -> Value {
        match operand.as_constant() {
            Some(id) => self.constants[id.index()],
            None => self.unreadable,
        }
    }

    /// The value of a constant.
    pub fn constant_value(&self, id: ConstId) -> Value {
        self.constants[id.index()]
    }

    /// Whether this is what stands for a constant that plat cannot read.
    pub fn is_unreadable(&self, value: Value) -> bool {
        value == self.unreadable
    }

    /// The layout of a type.
    #[inline(always)]
    pub fn ty(&self, id: TypeId) -> &TypeInfo {
        &self.types[id.index()]
    }

    /// The function at an address.
    pub fn function_at(&self, pool: &Pool, value: Value) -> Option<FuncId> {
        match value {
            Value::Pointer(object, 0) => self.functions_by_object.get(&object).copied(),
            other => self
                .functions_by_number
                .get(&values::number(pool, other)?)
                .copied(),
        }
    }

    /// The function whose code begins 4 or 8 bytes behind an address, and that distance.
    pub fn function_behind(&self, pool: &Pool, address: Value) -> Option<(FuncId, u64)> {
        [4, 8].into_iter().find_map(|distance| {
            let function = match address {
                Value::Pointer(object, offset) => {
                    let start = offset + i64::try_from(distance).ok()?;
                    self.function_at(pool, Value::Pointer(object, start))
                }
                other => {
                    let start = values::number(pool, other)?.checked_add(distance)?;
                    self.function_at(pool, Value::Int(start))
                }
            };
            Some((function?, distance))
        })
    }

    /// The addresses of all functions, in order.
    pub fn function_numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.functions_by_number.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// The zero value of a type.
    pub fn zero(&self, program: &Program, pool: &mut Pool, ty: TypeId) -> Value {
        if let Some(elements) = types::elements(program, ty) {
            let mut list = Vec::with_capacity(elements.len());
            let mut last: Option<(TypeId, Value)> = None;
            for (_, element) in elements {
                let value = match last {
                    Some((of, value)) if of == element => value,
                    _ => self.zero(program, pool, element),
                };
                last = Some((element, value));
                list.push(value);
            }
            return Value::Aggregate(pool.aggregate(&list));
        }
        let bits = self.ty(ty).bits;
        if bits > 64 {
            values::from_u128(pool, bits, 0)
        } else {
            Value::Int(0)
        }
    }

    /// Evaluates a constant and those it refers to, without recursion over their depth: constants
    /// come in any order, but are nested only as deep as the program's text.
    fn evaluate(
        &self,
        program: &Program,
        pool: &mut Pool,
        id: ConstId,
        known: &mut Vec<Option<Value>>,
    ) -> Value {
        if let Some(value) = known[id.index()] {
            return value;
        }
        // Guards against a cycle, which no module has.
        known[id.index()] = Some(self.unreadable);
        let value = match program.constant(id) {
            Constant::Int { width, value } => values::from_u128(pool, *width, *value),
            Constant::WideInt(width, limbs) => {
                let expr = pool.constant_limbs(*width, limbs);
                Value::from_expr(pool, expr)
            }
            Constant::Float(kind, bits) => values::from_u128(pool, kind.bits(), *bits),
            Constant::Null => Value::Int(0),
            Constant::Global(global, offset) => {
                Value::Pointer(self.globals[global.index()], *offset)
            }
            Constant::Function(function) => {
                Value::Pointer(self.function_objects[function.index()], 0)
            }
            Constant::Undef(ty) | Constant::Poison(ty) | Constant::Zero(ty) => {
                self.zero(program, pool, *ty)
            }
            Constant::Aggregate(_, elements) => {
                let list: Vec<Value> = elements
                    .iter()
                    .map(|&element| self.evaluate(program, pool, element, known))
                    .collect();
                Value::Aggregate(pool.aggregate(&list))
            }
            Constant::Binary(op, width, lhs, rhs) => {
                let lhs = self.evaluate(program, pool, *lhs, known);
                let rhs = self.evaluate(program, pool, *rhs, known);
                values::binary(pool, *op, *width, lhs, rhs)
            }
            Constant::Cast(op, from, to, operand) => {
                let operand = self.evaluate(program, pool, *operand, known);
                match op {
                    CastOp::SExt => values::sext(pool, operand, *from, *to),
                    _ => values::resize(pool, operand, *from, *to),
                }
            }
            Constant::Compare(predicate, width, lhs, rhs) => {
                let lhs = self.evaluate(program, pool, *lhs, known);
                let rhs = self.evaluate(program, pool, *rhs, known);
                values::compare(pool, *predicate, *width, lhs, rhs)
            }
            Constant::Unsupported(_) => self.unreadable,
        };
        known[id.index()] = Some(value);
        value
    }
}

/// Width in bits of a constant that is a scalar; 0 of others.
pub fn constant_bits(program: &Program, id: ConstId) -> u32 {
    match program.constant(id) {
        Constant::Int { width, .. } | Constant::WideInt(width, _) => *width,
        Constant::Float(kind, _) => FloatKind::bits(*kind),
        Constant::Null | Constant::Global(..) | Constant::Function(_) => 64,
        Constant::Undef(ty) | Constant::Poison(ty) | Constant::Zero(ty) => {
            match program.types.get(*ty) {
                Type::Pointer => 64,
                _ => program.types.bits(*ty).unwrap_or(0),
            }
        }
        Constant::Aggregate(..) | Constant::Unsupported(_) => 0,
        Constant::Binary(_, width, ..) => *width,
        Constant::Cast(_, _, to, _) => *to,
        Constant::Compare(..) => 1,
    }
}
