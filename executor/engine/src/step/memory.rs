//! Loads, stores, address computations and stack allocation.

use crate::api::outcome::{FaultKind, PathEnd};
use crate::code::types;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Flow, Step};
use crate::step::compare::lanes;
use crate::values;
use plat_expr::Value;
use plat_memory::{AccessKind, Kind, Request, Site, Target};
use plat_program::{BinaryOp, Function, Operand, Reg, Span, TypeId};

impl Executor<'_> {
    /// `dst = *pointer`.
    #[inline(never)]
    pub(super) fn load(
        &mut self,
        state: &mut State,
        ty: TypeId,
        dst: Reg,
        pointer: Value,
    ) -> Step<Flow> {
        let bits = self.code.ty(ty).bits;
        if let Value::Pointer(object, offset) = pointer
            && bits != 0
            && bits.is_multiple_of(8)
        {
            let loaded =
                state
                    .memory
                    .load(&mut self.pool, &self.memory.objects, object, offset, bits);
            let value = match loaded {
                Ok(value) => value,
                Err(fault) => {
                    if let Some(word) = self.prologue_word(state, pointer, bits)? {
                        state.frame.regs[dst.index()] = word;
                        return Ok(Flow::Next);
                    }
                    self.resolve_size_fault(state, fault)?;
                    return self.load(state, ty, dst, pointer);
                }
            };
            let place = (object, offset);
            self.accessed(state, AccessKind::Read, place, u64::from(bits / 8));
            state.frame.regs[dst.index()] = value;
            return Ok(Flow::Next);
        }
        self.require_scalar(pointer)?;
        if let Value::Pointer(..) = pointer {
            let value = self.load_parts(state, ty, pointer)?;
            state.frame.regs[dst.index()] = value;
            return Ok(Flow::Next);
        }
        let size = self.code.ty(ty).size;
        if size == 0 {
            state.frame.regs[dst.index()] = self.code.zero(self.program, &mut self.pool, ty);
            return Ok(Flow::Next);
        }
        let bits = (size * 8) as u32;
        if let Some(word) = self.prologue_word(state, pointer, bits)? {
            state.frame.regs[dst.index()] = word;
            return Ok(Flow::Next);
        }
        let mut failed = None;
        let flow = self.access(
            state,
            pointer,
            size,
            AccessKind::Read,
            &mut |exec, state, at| {
                let (memory, mut cx) = exec.memory(state);
                let image = memory.load_at(&mut cx, at, bits);
                memory.weigh(cx.pool, at, AccessKind::Read, image);
                match exec.unpack_image(ty, image, bits) {
                    Ok(value) => state.frame.regs[dst.index()] = value,
                    Err(stop) => failed = Some(stop),
                }
            },
        )?;
        failed.map_or(Ok(flow), Err)
    }

    /// Loads a value of any type through a pointer to a known place, part by part, so that
    /// pointers and symbolic words stay whole.
    pub(crate) fn load_parts(
        &mut self,
        state: &mut State,
        ty: TypeId,
        pointer: Value,
    ) -> Step<Value> {
        let info = *self.code.ty(ty);
        let packed = types::elements(self.program, ty)
            .filter(|list| list.iter().all(|&(position, _)| position.is_multiple_of(8)));
        let Some(elements) = packed else {
            if info.size == 0 {
                return Ok(self.code.zero(self.program, &mut self.pool, ty));
            }
            let bits = (info.size * 8) as u32;
            let image = self.load_word(state, pointer, bits)?;
            return self.unpack_image(ty, image, bits);
        };
        self.worked(size_of::<Value>() as u64 * elements.len() as u64);
        let mut list = Vec::with_capacity(elements.len());
        for (position, element) in elements {
            let at = self.displaced(pointer, position / 8);
            list.push(self.load_parts(state, element, at)?);
        }
        Ok(Value::Aggregate(self.pool.aggregate(&list)))
    }

    /// A value of a type from the bytes that its load touches.
    fn unpack_image(&mut self, ty: TypeId, image: Value, bits: u32) -> Step<Value> {
        let width = types::image_bits(self.program, ty) as u32;
        let image = values::extract(&mut self.pool, image, bits, 0, width.min(bits));
        self.unpack(ty, image, width.min(bits))
    }

    /// Loads a whole number of bytes on this path; splits when the pointer is ambiguous.
    pub(crate) fn load_word(
        &mut self,
        state: &mut State,
        pointer: Value,
        bits: u32,
    ) -> Step<Value> {
        if let Value::Pointer(object, offset) = pointer {
            let loaded =
                state
                    .memory
                    .load(&mut self.pool, &self.memory.objects, object, offset, bits);
            let value = match loaded {
                Ok(value) => value,
                Err(fault) => {
                    self.resolve_size_fault(state, fault)?;
                    return self.load_word(state, pointer, bits);
                }
            };
            let place = (object, offset);
            self.accessed(state, AccessKind::Read, place, u64::from(bits / 8));
            return Ok(value);
        }
        let at = self.targets(state, pointer, u64::from(bits / 8), AccessKind::Read)?;
        let (memory, mut cx) = self.memory(state);
        Ok(memory.load_at(&mut cx, &at, bits))
    }

    /// Stores a whole number of bytes on this path; splits when the pointer is ambiguous.
    pub(crate) fn store_word(
        &mut self,
        state: &mut State,
        pointer: Value,
        value: Value,
        bits: u32,
    ) -> Step<()> {
        if let Value::Pointer(object, offset) = pointer {
            let stored = (state.memory).store(
                &mut self.pool,
                &self.memory.objects,
                object,
                offset,
                value,
                bits,
            );
            if let Err(fault) = stored {
                self.resolve_size_fault(state, fault)?;
                return self.store_word(state, pointer, value, bits);
            }
            let place = (object, offset);
            self.accessed(state, AccessKind::Write, place, u64::from(bits / 8));
            return Ok(());
        }
        let at = self.targets(state, pointer, u64::from(bits / 8), AccessKind::Write)?;
        self.store_targets(state, &at, value, bits);
        Ok(())
    }

    pub(crate) fn store_targets(
        &mut self,
        state: &mut State,
        at: &[Target],
        value: Value,
        bits: u32,
    ) {
        let (memory, mut cx) = self.memory(state);
        memory.store_at(&mut cx, at, value, bits);
    }

    /// `pointer + distance`.
    pub(crate) fn displaced(&mut self, pointer: Value, distance: u64) -> Value {
        values::binary(
            &mut self.pool,
            BinaryOp::Add,
            64,
            pointer,
            Value::Int(distance),
        )
    }

    /// The bytes that a store of a value touches, as one integer.
    fn pack_image(&mut self, ty: TypeId, value: Value, bits: u32) -> Step<Value> {
        let width = types::image_bits(self.program, ty) as u32;
        let image = self.pack(ty, value)?;
        Ok(values::zext(&mut self.pool, image, width.min(bits), bits))
    }

    /// `*pointer = value`.
    #[inline(never)]
    pub(super) fn store(
        &mut self,
        state: &mut State,
        ty: TypeId,
        value: Operand,
        pointer: Value,
    ) -> Step<Flow> {
        let value = self.operand(state, value);
        let bits = self.code.ty(ty).bits;
        if let Value::Pointer(..) = pointer
            && bits != 0
            && bits.is_multiple_of(8)
            && !matches!(value, Value::Aggregate(_))
        {
            self.store_word(state, pointer, value, bits)?;
            return Ok(Flow::Next);
        }
        self.require_scalar(pointer)?;
        if let Value::Pointer(..) = pointer {
            self.store_parts(state, ty, value, pointer)?;
            return Ok(Flow::Next);
        }
        let size = self.code.ty(ty).size;
        if size == 0 {
            return Ok(Flow::Next);
        }
        let bits = (size * 8) as u32;
        let image = self.pack_image(ty, value, bits)?;
        self.access(
            state,
            pointer,
            size,
            AccessKind::Write,
            &mut |exec, state, at| {
                exec.store_targets(state, at, image, bits);
                state.memory.weigh(&exec.pool, at, AccessKind::Write, image);
            },
        )
    }

    /// Stores a value of any type through a pointer to a known place, part by part.
    pub(crate) fn store_parts(
        &mut self,
        state: &mut State,
        ty: TypeId,
        value: Value,
        pointer: Value,
    ) -> Step<()> {
        let info = *self.code.ty(ty);
        let packed = types::elements(self.program, ty)
            .filter(|list| list.iter().all(|&(position, _)| position.is_multiple_of(8)));
        let Some(elements) = packed else {
            if info.size == 0 {
                return Ok(());
            }
            let bits = (info.size * 8) as u32;
            let image = self.pack_image(ty, value, bits)?;
            return self.store_word(state, pointer, image, bits);
        };
        let list = lanes(self, value, elements.len() as u32)?;
        for ((position, element), part) in elements.into_iter().zip(list) {
            let at = self.displaced(pointer, position / 8);
            self.store_parts(state, element, part, at)?;
        }
        Ok(())
    }

    /// `dst = base + offset + sum(scale * sext(index))`.
    #[inline(never)]
    pub(super) fn gep(
        &mut self,
        state: &mut State,
        function: &Function,
        dst: Reg,
        base: Operand,
        offset: i64,
        terms: Span,
    ) -> Step<Flow> {
        let base = self.operand(state, base);
        // Pointer arithmetic on a vector of pointers is made lane by lane.
        let terms = &function.gep_terms[terms.range()];
        let indices: Vec<(Value, u32, i64)> = terms
            .iter()
            .map(|&(index, bits, scale)| (self.operand(state, index), bits, scale))
            .collect();
        let count = std::iter::once(base)
            .chain(indices.iter().map(|index| index.0))
            .find_map(|value| match value {
                Value::Aggregate(id) => Some(self.pool.aggregate_values(id).len()),
                _ => None,
            });
        let result = match count {
            None => self.gep_lane(base, offset, &indices),
            Some(count) => {
                let mut list = Vec::with_capacity(count);
                for lane in 0..count {
                    let base = self.lane(base, lane)?;
                    let mut picked = Vec::with_capacity(indices.len());
                    for &(index, bits, scale) in &indices {
                        picked.push((self.lane(index, lane)?, bits, scale));
                    }
                    list.push(self.gep_lane(base, offset, &picked));
                }
                Value::Aggregate(self.pool.aggregate(&list))
            }
        };
        state.frame.regs[dst.index()] = result;
        Ok(Flow::Next)
    }

    /// One lane of a vector; a scalar is the same in every lane.
    fn lane(&mut self, value: Value, lane: usize) -> Step<Value> {
        match value {
            Value::Aggregate(_) => Ok(lanes(self, value, 0)?[lane]),
            scalar => Ok(scalar),
        }
    }

    fn gep_lane(&mut self, base: Value, offset: i64, indices: &[(Value, u32, i64)]) -> Value {
        let mut result = values::binary(
            &mut self.pool,
            BinaryOp::Add,
            64,
            base,
            Value::Int(offset as u64),
        );
        for &(index, bits, scale) in indices {
            let index = if bits > 64 {
                values::trunc(&mut self.pool, index, bits, 64)
            } else {
                values::sext(&mut self.pool, index, bits, 64)
            };
            let scale = Value::Int(scale as u64);
            let scaled = match scale {
                Value::Int(1) => index,
                _ => values::binary(&mut self.pool, BinaryOp::Mul, 64, index, scale),
            };
            result = values::binary(&mut self.pool, BinaryOp::Add, 64, result, scaled);
        }
        result
    }

    pub(super) fn alloca(
        &mut self,
        state: &mut State,
        dst: Reg,
        element_size: u64,
        count: Operand,
        count_ty: TypeId,
        align: u32,
    ) -> Step<Flow> {
        let count = self.operand(state, count);
        let bits = self.code.ty(count_ty).bits;
        let count = values::resize(&mut self.pool, count, bits, 64);
        let size = self.size_product(state, count, Value::Int(element_size))?;
        let size = self.allocation_size(state, size)?;
        let site = Site::Inst(state.frame.inst(self.program));
        let address = self.stack_object(state, site, size.room(), u64::from(align.max(1)))?;
        self.bind_size(state, address, size);
        state.frame.regs[dst.index()] = address;
        Ok(Flow::Next)
    }

    /// A stack object of the running frame, released at its return.
    pub(crate) fn stack_object(
        &mut self,
        state: &mut State,
        site: Site,
        size: u64,
        align: u64,
    ) -> Step<Value> {
        if size > self.config.limits.stack {
            let message = "memory error: stack overflow";
            return Err(PathEnd::fault(FaultKind::Pointer, message).into());
        }
        let request = Request {
            kind: Kind::Stack,
            size,
            align,
            site,
            group: None,
            context: None,
            zero: false,
        };
        let (memory, mut cx) = self.memory(state);
        match memory.allocate(&mut cx, &request) {
            Ok(Value::Pointer(object, offset)) => {
                state.frame.allocas.push(object);
                self.check_stack(state)?;
                self.allocated_block(state, object, size);
                Ok(Value::Pointer(object, offset))
            }
            Ok(other) => Ok(other),
            Err(_) => {
                let end = PathEnd::Limit(
                    crate::api::outcome::Limit::StackFrames,
                    "stack is full".into(),
                );
                Err(end.into())
            }
        }
    }
}
