//! External calls: functions without a body, called as machine code by a helper process.
//!
//! Only functions that the user has named are called. A symbolic argument, and each symbolic byte
//! of the memory that the callee can reach, takes the value that it has under the state's model;
//! the path goes on with that value as a condition, and it is counted: what other values would
//! have done is not explored. The callee gets the objects that can be reached from its arguments,
//! at their addresses. What it changes there comes back; anything else it does stays in its
//! process.

use crate::api::outcome::{Fault, FaultKind, Limit, PathEnd};
use crate::api::start_error::StartError;
use crate::code::types::Class;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, unsupported};
use crate::values;
use plat_expr::{Assignment, Byte, EvalMemo, ExprId, ObjectId, Value};
use plat_external::{Block, Client, Reply, Request, Returned, Scalar, Setup};
use plat_memory::Kind;
use plat_program::{Call, Constant, FloatKind, Function, Operand, TypeId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Objects beyond this many bytes together are not handed over.
const MOST_BYTES: u64 = 1 << 30;

/// What a call would have to have to be made, and does not.
fn refused<T>(target: &Function, why: &str) -> Step<T> {
    unsupported(format!("external function {} {why}", target.name))
}

/// The memory that a callee can reach, as the path sees it.
struct Reached {
    object: ObjectId,
    bytes: Vec<Byte>,
}

/// Arguments as they are passed, and those of them that are addresses.
#[derive(Default)]
struct Passed {
    arguments: Vec<(Scalar, u128)>,
    addresses: Vec<u64>,
}

/// Values made concrete for a call: each expression with the number that it takes.
#[derive(Default)]
struct Choices {
    memo: EvalMemo,
    chosen: Vec<(ExprId, u64)>,
}

impl Executor<'_> {
    /// Starts the process that makes external calls, if they are asked for: what is wrong with it is
    /// known before the run.
    pub(crate) fn start_external(&mut self, initial: &State) -> Result<(), StartError> {
        let Some(external) = &self.config.external else {
            return Ok(());
        };
        let regions = initial.memory.regions();
        let regions = regions.map(|bounds| (bounds.base, bounds.size));
        let setup = Setup {
            libraries: external.libraries.clone(),
            longest: external.longest.as_millis() as u64,
        };
        let client = Client::start(
            external.helper.clone(),
            self.config.start.directory.clone(),
            &regions,
            setup,
        );
        let client = client.map_err(StartError::External)?;
        if let Some(lacking) = client.lacking() {
            self.events
                .warn_once(format!("external calls: here a callee can {lacking}"));
        }
        self.system.external = Some(client);
        Ok(())
    }

    /// Calls a function that has no body; its result, if it has one.
    pub(crate) fn external(
        &mut self,
        state: &mut State,
        function: &Function,
        call: &Call,
        target: &Function,
    ) -> Step<Value> {
        let Some(external) = &self.config.external else {
            return unsupported(format!("external function {}", target.name));
        };
        if !external.allow.contains(&target.name) {
            return refused(target, "is not among those of --external-allow");
        }
        self.take_least_model(state);
        let model = state.constraints.model().clone();
        let mut choices = Choices::default();
        let passed =
            self.external_arguments(state, function, call, target, &model, &mut choices)?;
        let result = match self.passing(call.ret) {
            Some(scalar) => scalar,
            None => return refused(target, "returns what cannot be passed"),
        };
        let reached = self.reachable(state, target, passed.addresses, &model, &mut choices)?;
        let blocks: Vec<Block> = reached
            .iter()
            .map(|reached| Block {
                address: self.memory.objects.get(reached.object).number,
                bytes: self.bytes_of_choice(&reached.bytes, &model, &mut choices),
            })
            .collect();
        self.commit(state, choices, &model);
        let request = Request {
            function: target.name.clone(),
            result,
            fixed: target.variadic.then_some(target.params.len() as u32),
            arguments: passed.arguments,
            errno: self.errno_number(state),
            blocks,
        };
        let returned = self.make_call(target, &request)?;
        Rc::make_mut(&mut state.environment).heard.calls += 1;
        self.take_back(state, &returned)?;
        self.external_result(state, target, call.ret, result, returned.value)
    }

    /// How a value of a type is passed, if it can be.
    fn passing(&self, ty: TypeId) -> Option<Scalar> {
        let info = self.code.ty(ty);
        Some(match info.class {
            Class::Void => Scalar::Void,
            Class::Int if matches!(self.program.types.get(ty), plat_program::Type::Pointer) => {
                Scalar::Pointer
            }
            Class::Int => integer(info.bits)?,
            Class::Float(kind) => float(kind)?,
            Class::Vector(..) | Class::Aggregate => return None,
        })
    }

    fn operand_passing(&self, function: &Function, operand: Operand) -> Option<Scalar> {
        if let Some(reg) = operand.as_reg() {
            return self.passing(function.reg_types[reg.index()]);
        }
        match self.program.constant(operand.as_constant()?) {
            Constant::Float(kind, _) => float(*kind),
            Constant::Null | Constant::Global(..) | Constant::Function(_) => Some(Scalar::Pointer),
            &Constant::Undef(ty) | &Constant::Poison(ty) | &Constant::Zero(ty) => self.passing(ty),
            _ => integer(self.operand_bits(function, operand)),
        }
    }

    /// The arguments of a call.
    fn external_arguments(
        &mut self,
        state: &mut State,
        function: &Function,
        call: &Call,
        target: &Function,
        model: &Assignment,
        choices: &mut Choices,
    ) -> Step<Passed> {
        let mut passed = Passed::default();
        for (at, position) in call.args.range().enumerate() {
            let position = position as u32;
            if function
                .byval_args
                .binary_search_by_key(&position, |&(at, ..)| at)
                .is_ok()
            {
                return refused(target, "takes a structure by value");
            }
            let operand = function.call_args[position as usize];
            let declared = target.params.get(at).and_then(|&ty| self.passing(ty));
            let scalar = declared.or_else(|| self.operand_passing(function, operand));
            let Some(scalar) = scalar else {
                return refused(target, "takes what cannot be passed");
            };
            let value = self.operand(state, operand);
            let bits = self.operand_bits(function, operand);
            let number = self.choose(value, bits, model, choices);
            if scalar == Scalar::Pointer || matches!(value, Value::Pointer(..)) {
                passed.addresses.push(number as u64);
            }
            passed.arguments.push((scalar, number));
        }
        Ok(passed)
    }

    /// The number that a value has under the model; noted if it could have another.
    fn choose(
        &mut self,
        value: Value,
        bits: u32,
        model: &Assignment,
        choices: &mut Choices,
    ) -> u128 {
        if let Some(number) = values::wide_number(&self.pool, value) {
            return number;
        }
        let expr = value.to_expr(&mut self.pool, bits);
        let expr = self.pool.number(expr);
        if bits > 64 {
            let low = self.pool.extract(expr, 0, 64);
            let high = self.pool.extract(expr, 64, bits - 64);
            let [low, high] = [low, high].map(|part| self.choose_word(part, model, choices));
            return u128::from(high) << 64 | u128::from(low);
        }
        u128::from(self.choose_word(expr, model, choices))
    }

    fn choose_word(&mut self, expr: ExprId, model: &Assignment, choices: &mut Choices) -> u64 {
        let number = self.pool.eval(expr, model, &mut choices.memo);
        if self.pool.as_u64(expr).is_none() {
            choices.chosen.push((expr, number));
        }
        number
    }

    fn bytes_of_choice(
        &mut self,
        bytes: &[Byte],
        model: &Assignment,
        choices: &mut Choices,
    ) -> Vec<u8> {
        let chosen = bytes.iter().map(|&byte| match byte {
            Byte::Concrete(byte) => byte,
            Byte::Symbolic(expr) => {
                let expr = self.pool.number(expr);
                self.choose_word(expr, model, choices) as u8
            }
        });
        chosen.collect()
    }

    /// The live objects that addresses lead to, and those that these hold addresses of.
    fn reachable(
        &mut self,
        state: &mut State,
        target: &Function,
        roots: Vec<u64>,
        model: &Assignment,
        choices: &mut Choices,
    ) -> Step<Vec<Reached>> {
        let mut found: Vec<Reached> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut total = 0;
        let count = roots.len();
        let mut queue = roots;
        let mut next = 0;
        while let Some(&address) = queue.get(next) {
            let argument = next < count;
            next += 1;
            let Some((object, _)) = state.memory.find(address) else {
                continue;
            };
            let info = *self.memory.objects.get(object);
            if info.kind == Kind::Function && argument {
                return refused(target, "takes a function: the callee cannot call back");
            }
            let live = state.memory.object(object).is_some_and(|known| known.live);
            if !live || info.kind == Kind::Function || info.size == 0 || !seen.insert(object) {
                continue;
            }
            let size = self.known_size(state, object)?;
            total += size;
            if total > MOST_BYTES {
                return refused(target, "can reach more than 1 GiB of memory");
            }
            let bytes = state
                .memory
                .read_bytes(&mut self.pool, &self.memory.objects, object, 0, size)
                .map_err(|fault| self.fault_end(fault))?;
            let words = self.bytes_of_choice(&bytes, model, &mut Choices::default());
            // Objects are aligned as their words are.
            let skip = info.number.wrapping_neg() as usize % 8;
            let words = words.get(skip..).unwrap_or_default().chunks_exact(8);
            queue.extend(words.filter_map(|word| {
                let word = u64::from_le_bytes(word.try_into().ok()?);
                (word >= plat_allocator::NULL_PAGE).then_some(word)
            }));
            found.push(Reached { object, bytes });
        }
        // The memo of choices may be large: what was looked at for addresses is not needed.
        choices.memo = EvalMemo::default();
        Ok(found)
    }

    /// Makes the choices conditions of the path.
    fn commit(&mut self, state: &mut State, choices: Choices, model: &Assignment) {
        let mut chosen = choices.chosen;
        chosen.sort_unstable();
        chosen.dedup();
        self.counters.counts.outside.choices += chosen.len() as u64;
        if !chosen.is_empty() {
            self.events.warn_once(
                "an external call was given one value of symbolic data: other values are not \
                 explored"
                    .to_string(),
            );
        }
        for (expr, number) in chosen {
            let bits = self.pool.width(expr);
            let number = self.pool.constant(bits, number);
            let equal = self.pool.eq(expr, number);
            state.constraints.add(&mut self.pool, equal, model);
        }
    }

    fn errno_number(&mut self, state: &State) -> i32 {
        let Some(Value::Pointer(object, offset)) = self.errno(state) else {
            return 0;
        };
        let value = state
            .memory
            .load(&mut self.pool, &self.memory.objects, object, offset, 32);
        match value {
            Ok(Value::Int(number)) => number as i32,
            _ => 0,
        }
    }

    /// Has the helper make the call; ends the path if it does not come back.
    fn make_call(&mut self, target: &Function, request: &Request) -> Step<Returned> {
        let (Some(external), Some(client)) = (&self.config.external, &mut self.system.external)
        else {
            return refused(target, "is not called");
        };
        self.counters.counts.outside.calls += 1;
        let reply = match client.call(request) {
            Ok(reply) => reply,
            Err(error) => return refused(target, &format!("cannot be called: {error}")),
        };
        let failed = |info: String| {
            let mut fault = Fault::new(
                FaultKind::Reported("external".into()),
                format!("failed external call: {}", target.name),
            );
            fault.info.push(info);
            Err(PathEnd::Fault(fault).into())
        };
        match reply {
            Reply::Returned(returned) => Ok(returned),
            Reply::Stray(address) => {
                failed(format!("it wrote outside of every object, at {address}"))
            }
            Reply::Crashed(signal) => failed(format!("it ended by signal {signal}")),
            Reply::Exited(code) => Err(PathEnd::Exited(code).into()),
            Reply::Hung => {
                let longest = external.longest.as_secs_f64();
                let text = format!(
                    "external function {} did not return in {longest} s",
                    target.name
                );
                Err(PathEnd::Limit(Limit::External, text).into())
            }
            Reply::Missing => refused(target, "is in no library"),
            Reply::Failed(why) => refused(target, &format!("cannot be called: {why}")),
        }
    }

    /// What the callee has changed: memory, `errno`, output.
    fn take_back(&mut self, state: &mut State, returned: &Returned) -> Step<()> {
        for block in &returned.changes {
            let Some((object, offset)) = state.memory.find(block.address) else {
                return unsupported("an external call changed memory that is in no object");
            };
            state
                .memory
                .write_concrete(
                    &mut self.pool,
                    &self.memory.objects,
                    object,
                    offset,
                    &block.bytes,
                )
                .map_err(|fault| self.fault_end(fault))?;
            self.point_again(state, object, offset, block);
        }
        self.set_errno(state, u64::from(returned.errno.cast_unsigned()));
        let bytes = |text: &[u8]| text.iter().map(|&byte| Byte::Concrete(byte)).collect();
        let (stdout, stderr): (Vec<Byte>, Vec<Byte>) =
            (bytes(&returned.stdout), bytes(&returned.stderr));
        let environment = Rc::make_mut(&mut state.environment);
        let written = (environment.stdout.size(), environment.stderr.size());
        environment.stdout.append(&stdout);
        environment.stderr.append(&stderr);
        self.show_output(state, written);
        Ok(())
    }

    /// Makes the words of changed memory that are addresses of objects pointers again.
    fn point_again(&mut self, state: &mut State, object: ObjectId, offset: i64, block: &Block) {
        let skip = block.address.wrapping_neg() % 8;
        let words = block.bytes.get(skip as usize..).unwrap_or_default();
        for (at, word) in words.chunks_exact(8).enumerate() {
            let address = u64::from_le_bytes(word.try_into().unwrap_or_default());
            let Some((target, inside)) = state.memory.find(address) else {
                continue;
            };
            let at = offset + (skip + 8 * at as u64).cast_signed();
            let pointer = Value::Pointer(target, inside);
            // The same place was written just now.
            let _ = state.memory.store(
                &mut self.pool,
                &self.memory.objects,
                object,
                at,
                pointer,
                64,
            );
        }
    }

    /// The result as the program's value.
    fn external_result(
        &mut self,
        state: &State,
        target: &Function,
        ty: TypeId,
        scalar: Scalar,
        value: u128,
    ) -> Step<Value> {
        let bits = self.code.ty(ty).bits;
        if scalar == Scalar::Void {
            return Ok(Value::Int(0));
        }
        if scalar != Scalar::Pointer {
            let value = match bits {
                128.. => value,
                _ => value & ((1 << bits) - 1),
            };
            return Ok(values::from_u128(&mut self.pool, bits, value));
        }
        let address = value as u64;
        match state.memory.find(address) {
            Some((object, offset)) => Ok(Value::Pointer(object, offset)),
            None if address < plat_allocator::NULL_PAGE => Ok(Value::Int(address)),
            None if address.cast_signed() < 0 => Ok(Value::Int(address)),
            None => refused(target, "returned a pointer to memory of its own"),
        }
    }
}

fn integer(bits: u32) -> Option<Scalar> {
    match bits {
        1 | 8 | 16 | 32 | 64 => Some(Scalar::Int(bits as u8)),
        _ => None,
    }
}

fn float(kind: FloatKind) -> Option<Scalar> {
    match kind {
        FloatKind::Single => Some(Scalar::Single),
        FloatKind::Double => Some(Scalar::Double),
        FloatKind::X86Fp80 => Some(Scalar::Extended),
        FloatKind::Half | FloatKind::BFloat | FloatKind::Quad => None,
    }
}
