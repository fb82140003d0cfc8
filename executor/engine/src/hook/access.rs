//! What a hook or a native function may do with a state.

use super::data::path_hooks;
use super::view::View;
use crate::api::id::StateId;
use crate::api::outcome::{InputObject, SourceLine, StackLine};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::hook::Step;
use crate::state::State;
use crate::state::stop::unsupported;
use crate::values;
use plat_expr::{Byte, EvalMemo, ExprId, Holder, IntPredicate, ObjectId, Pool, Value};
use plat_memory::ObjectInfo;
use plat_program::{FuncId, InstId, Program, Reg};
use std::any::Any;

/// A state, and what of the run a hook may use.
///
/// Values are words of at most 64 bits ([`Value::Int`]), pointers ([`Value::Pointer`]: an object and
/// an offset) and expressions. A function that returns a [`Step`] may have several answers on the
/// path; see [what a hook owes](super#what-a-hook-owes). An access of memory that is not in order
/// is an error, too: the end in a fault, which a hook passes on or drops.
pub struct Access<'e, 'a> {
    pub(crate) exec: &'e mut Executor<'a>,
    pub(crate) state: &'e mut State,
    pub(super) hook: usize,
}

impl<'e, 'a> Access<'e, 'a> {
    pub(super) fn new(exec: &'e mut Executor<'a>, state: &'e mut State, hook: usize) -> Self {
        Access { exec, state, hook }
    }
}

/// The path and where it stands.
impl<'a> Access<'_, 'a> {
    /// The program.
    pub fn program(&self) -> &'a Program {
        self.exec.program
    }

    /// The identity of the state.
    pub fn state(&self) -> StateId {
        self.state.id
    }

    /// Instructions on the path, with the one that is about to be executed.
    pub fn instructions(&self) -> u64 {
        self.state.instructions
    }

    /// The choices at the forks of the path, first to last.
    pub fn choices(&self) -> &[u32] {
        &self.state.history.path
    }

    /// The running function.
    pub fn function(&self) -> FuncId {
        self.state.frame.function
    }

    /// The instruction at which the path stands.
    pub fn instruction(&self) -> Option<InstId> {
        self.view().instruction()
    }

    /// Its line in the source; line 0 without debug information.
    pub fn source(&self) -> SourceLine {
        self.view().source()
    }

    /// The frames, innermost first; of a very deep stack those at its ends.
    pub fn stack(&self) -> Vec<StackLine> {
        self.view().stack()
    }

    /// The state as something to look at only.
    pub fn view(&self) -> View<'_, 'a> {
        View {
            exec: self.exec,
            state: self.state,
        }
    }

    /// Data of this path that the hook keeps: a copy of what was there when the path forked, or the
    /// default. A hook has data of each type once. Native functions share theirs.
    pub fn data<T: Any + Clone + Default + Holder>(&mut self) -> &mut T {
        path_hooks(self.state).data(self.hook)
    }

    /// Warns the user, once for each text.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.exec.events.warn_once(text);
    }
}

/// Values and conditions.
impl Access<'_, '_> {
    /// The pool that makes expressions: `access.pool().eq(a, b)`.
    pub fn pool(&mut self) -> &mut Pool {
        &mut self.exec.pool
    }

    /// A scalar of `bits` bits as an expression, with addresses as numbers.
    pub fn expression(&mut self, value: Value, bits: u32) -> ExprId {
        let expr = value.to_expr(&mut self.exec.pool, bits);
        self.exec.pool.number(expr)
    }

    /// The number that a scalar has under the model of the path condition: one of those that it can
    /// have on the path.
    pub fn evaluate(&mut self, value: Value) -> u64 {
        self.exec.sample(self.state, value)
    }

    /// The same for bytes.
    pub fn evaluate_bytes(&self, bytes: &[Byte]) -> Vec<u8> {
        let model = self.state.constraints.model();
        self.exec
            .bytes_under(bytes, model, &mut EvalMemo::default())
    }

    /// The constraints of the path condition.
    pub fn path_condition(&self) -> Vec<ExprId> {
        self.state.constraints.constraints().collect()
    }

    /// Whether a condition can hold on the path.
    ///
    /// # Errors
    /// The solver has no answer.
    pub fn may_hold(&mut self, condition: ExprId) -> Step<bool> {
        let condition = self.exec.deciding(self.state, condition)?;
        Ok(self.exec.feasible(self.state, condition)?.is_some())
    }

    /// Whether a condition holds for all inputs of the path.
    ///
    /// # Errors
    /// The solver has no answer.
    pub fn must_hold(&mut self, condition: ExprId) -> Step<bool> {
        let negation = self.exec.pool.not(condition);
        Ok(!self.may_hold(negation)?)
    }

    /// Goes on with the inputs only for which a condition holds. Says whether there are any; if not,
    /// nothing has changed.
    ///
    /// # Errors
    /// The solver has no answer.
    pub fn add_constraint(&mut self, condition: ExprId) -> Step<bool> {
        let condition = self.exec.deciding(self.state, condition)?;
        let Some(model) = self.exec.feasible(self.state, condition)? else {
            return Ok(false);
        };
        if !self.state.input.seeds.is_empty() {
            self.exec.adapt_seeds(self.state, condition, &model);
        }
        self.exec.assume(self.state, condition, &model);
        Ok(true)
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    /// It may be both: the path splits, and the hook is asked again.
    pub fn decide(&mut self, condition: ExprId) -> Step<bool> {
        self.exec.decide(self.state, ForkKind::Hook, condition)
    }

    /// The number that a scalar of `bits` bits is.
    ///
    /// # Errors
    /// There are several: the path splits, and the hook is asked again.
    pub fn concrete(&mut self, value: Value, bits: u32) -> Step<u64> {
        self.exec.concrete(self.state, ForkKind::Hook, value, bits)
    }

    /// So many new bytes of input, which tests have under this name.
    pub fn symbolic_bytes(&mut self, name: &str, count: u32) -> Vec<Byte> {
        let symbol = self.exec.new_symbol(self.state, name, count);
        let pool = &mut self.exec.pool;
        (0..count)
            .map(|at| Byte::of_symbol(pool, symbol, at))
            .collect()
    }

    /// A new word of input of 1 to 8 bytes, the first byte lowest.
    pub fn symbolic_word(&mut self, name: &str, bytes: u32) -> Value {
        let bytes = bytes.clamp(1, 8);
        self.exec.new_symbolic_word(self.state, name, bytes)
    }

    /// The symbolic objects with the values that they have under the model of the path condition: an
    /// input that leads to where the path stands.
    pub fn inputs(&self) -> Vec<InputObject> {
        let model = self.state.constraints.model();
        self.exec.inputs_under(self.state, model)
    }
}

/// Registers.
impl Access<'_, '_> {
    /// A register of the running function. One that the program does not read any more may be 0.
    pub fn register(&self, register: Reg) -> Option<Value> {
        self.register_in(0, register)
    }

    /// A register of the function so many calls further out; 0 is the running one.
    pub fn register_in(&self, frame: usize, register: Reg) -> Option<Value> {
        self.view().register_in(frame, register)
    }

    /// Writes a register of the running function. Says whether it has that register; a value of
    /// another width than the register's is not written.
    pub fn set_register(&mut self, register: Reg, value: Value) -> bool {
        let function = self.exec.program.function(self.state.frame.function);
        let Some(&ty) = function.reg_types.get(register.index()) else {
            return false;
        };
        let bits = self.exec.code.ty(ty).bits;
        let value = match value {
            Value::Int(word) => Value::Int(word & values::mask(bits.clamp(1, 64))),
            other => other,
        };
        let fits = match value {
            Value::Int(_) => bits != 0,
            Value::Pointer(..) => bits == 64,
            Value::Expr(expr) => self.exec.pool.width(expr) == bits,
            Value::Aggregate(_) => bits == 0,
        };
        if fits {
            self.state.frame.regs[register.index()] = value;
        }
        fits
    }
}

/// Memory.
impl Access<'_, '_> {
    /// The address of a global variable.
    pub fn global(&self, name: &str) -> Option<Value> {
        let globals = self.exec.program.globals.iter();
        let at = globals.into_iter().position(|global| global.name == name)?;
        let object = self.exec.code.globals.get(at)?;
        Some(Value::Pointer(*object, 0))
    }

    /// What is known of an object for the whole run: its address, size, kind and origin.
    pub fn object(&self, object: ObjectId) -> ObjectInfo {
        self.view().object(object)
    }

    /// Whether an address, an expression of 64 bits, can lead into an object on this path. What a
    /// resolution names need not be possible.
    ///
    /// # Errors
    /// The solver has no answer.
    pub fn may_lead_to(&mut self, address: ExprId, object: ObjectId) -> Step<bool> {
        let info = self.object(object);
        let pool = &mut self.exec.pool;
        let number = pool.number(address);
        let start = pool.constant(64, info.number);
        let size = pool.constant(64, info.size);
        let distance = pool.sub(number, start);
        let inside = pool.compare(IntPredicate::Ult, distance, size);
        Ok(self.exec.feasible(self.state, inside)?.is_some())
    }

    /// A pointer so many bytes further on.
    pub fn offset(&mut self, pointer: Value, bytes: u64) -> Value {
        self.exec.displaced(pointer, bytes)
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// The pointer leads to several objects, and the memory model splits the path; or it is a fault.
    pub fn read_bytes(&mut self, pointer: Value, count: u64) -> Step<Vec<Byte>> {
        self.exec.bytes_at(self.state, pointer, count)
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// As [`Access::read_bytes`].
    pub fn write_bytes(&mut self, pointer: Value, bytes: &[Byte]) -> Step<()> {
        self.exec.put_bytes(self.state, pointer, bytes)
    }

    /// Reads a word of `bits` bits, a multiple of 8 up to 64, as the machine does: the lowest byte
    /// first. A pointer that was stored is read as a pointer.
    ///
    /// # Errors
    /// As [`Access::read_bytes`].
    pub fn read_word(&mut self, pointer: Value, bits: u32) -> Step<Value> {
        check_word(bits)?;
        self.exec.load_word(self.state, pointer, bits)
    }

    /// Writes a word of `bits` bits, a multiple of 8 up to 64.
    ///
    /// # Errors
    /// As [`Access::read_bytes`].
    pub fn write_word(&mut self, pointer: Value, value: Value, bits: u32) -> Step<()> {
        check_word(bits)?;
        self.exec.store_word(self.state, pointer, value, bits)
    }

    /// The C string at an address, without its terminator.
    ///
    /// # Errors
    /// As [`Access::read_bytes`]; and symbolic bytes split the path by their values.
    pub fn read_string(&mut self, pointer: Value) -> Step<Vec<u8>> {
        self.exec.c_string(self.state, pointer)
    }

    /// The bytes of the C string at an address up to one that is certainly 0, at most `most`: what of
    /// them belongs to the string may depend on the input.
    ///
    /// # Errors
    /// As [`Access::read_bytes`].
    pub fn string_bytes(&mut self, pointer: Value, most: usize) -> Step<Vec<Byte>> {
        self.exec.string_bytes(self.state, pointer, most)
    }
}

/// Words have whole bytes and fit a register.
fn check_word(bits: u32) -> Step<()> {
    match bits.is_multiple_of(8) && (8..=64).contains(&bits) {
        true => Ok(()),
        false => unsupported(format!("a word of {bits} bits in a hook")),
    }
}
