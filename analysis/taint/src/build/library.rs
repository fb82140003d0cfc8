//! Calls: sources of input, and data flow of library functions that have summaries (effects). Calls
//! of functions with a body are in the constraints.

use super::{ALL, Builder, Pointer};
use crate::taint::{Kind, Taint};
use plat_pointers::constraints::{Location, Object, Offset};
use plat_pointers::extract::Instance;
use plat_pointers::program::externals::{self, Effect};
use plat_program::{Call, Callee, Constant, FuncId, Function, Inst, InstId, Operand, Reg};
use rustc_hash::FxHashMap;

/// System calls that write input to a buffer: number on x86-64 and position of the buffer.
const READS: &[(u64, usize)] = &[(0, 2), (17, 2), (45, 2)];
/// System calls that write input to the buffers of an iovec.
const SCATTERED_READS: &[(u64, usize)] = &[(19, 2), (295, 2), (327, 2)];
/// `mmap`, whose mapping may contain a file.
const MMAP: u64 = 9;
/// `shmat`, to which other processes may write.
const SHMAT: u64 = 30;
/// `msgrcv`, and the position of its buffer.
const MSGRCV: (u64, usize) = (70, 2);

/// Functions without body whose result is input.
const INPUTS: &[&str] = &[
    "__plat_fuzz_size",
    "fgetc",
    "getc",
    "getchar",
    "getenv",
    "klee_choose",
    "klee_int",
    "klee_range",
];
/// Functions that fill the buffer at this argument with input.
const FILLED: &[(&str, usize)] = &[
    ("__plat_command_output", 0),
    ("__plat_fuzz_data", 0),
    ("fgets", 0),
    ("fread", 0),
    ("getcwd", 0),
    ("klee_make_symbolic", 0),
    ("read", 1),
];
/// Functions whose result is concrete afterwards, as it was decided by branches.
const COUNTS: &[&str] = &[
    "strcspn",
    "strlen",
    "strnlen",
    "strspn",
    "wcslen",
    "klee_get_value_i32",
    "klee_get_value_i64",
    "klee_get_valuel",
    "klee_is_symbolic",
];

/// A call with its operands.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub instance: &'a Instance,
    function: &'a Function,
    pub operands: &'a [Operand],
    dst: Option<Reg>,
}

impl At<'_> {
    fn argument(&self, at: usize) -> Option<Pointer> {
        Builder::pointer(self.instance, *self.operands.get(at)?)
    }

    pub fn result(&self) -> Option<u32> {
        self.dst.map(|reg| self.instance.node(reg).0)
    }
}

impl<'p> Builder<'p> {
    pub(super) fn call(
        &mut self,
        instance: &Instance,
        function: &Function,
        id: InstId,
        dst: Option<Reg>,
        call: &Call,
    ) {
        let at = At {
            instance,
            function,
            operands: &function.call_args[call.args.range()],
            dst,
        };
        let callee = match call.callee {
            Callee::Direct(callee) => callee,
            Callee::Indirect(_) => return self.indirect(at, id),
            Callee::Asm(text) => {
                self.popped(at, &function.asm_texts[text as usize]);
                return self.computed(at);
            }
        };
        let program = self.program;
        let target = program.function(callee);
        let name = target.name.as_str();
        if let Some(name) = name.strip_prefix("llvm.") {
            self.intrinsic(at, name);
        } else if name == "__plat_syscall" {
            self.system_call(at);
        } else if self.is_input(at, name) {
        } else if let Some(effects) = self.summary_of(target) {
            self.effects(at, name, effects);
        } else if let Some(entered) = self.entered(at, id, callee) {
            self.pass(at, entered);
        }
    }

    /// The instance that a call enters: the one with the longest matching context.
    pub(super) fn entered(&self, at: At<'_>, id: InstId, callee: FuncId) -> Option<&'p Instance> {
        if let Some(single) = self.single[callee.index()] {
            return Some(single);
        }
        let mut context = at.instance.context.clone();
        context.extend(self.sites.get(&id));
        let suffixes = (0..=context.len()).map(|from| &context[from..]);
        let mut found = suffixes.filter_map(|one| self.instances.get(&(callee, one)));
        found.next().copied()
    }

    /// Passes data to and from a function instance.
    pub(super) fn pass(&mut self, at: At<'_>, entered: &Instance) {
        let parameters = self.program.function(entered.function).params.len();
        let mut further = Vec::new();
        for (position, &operand) in at.operands.iter().enumerate() {
            let Some(from) = Self::node(at.instance, operand) else {
                continue;
            };
            if position < parameters {
                let parameter = entered.node(Reg::new(position));
                self.edge(from, parameter.0, Kind::Data);
            } else if !self.is_address_operand(at, operand) {
                further.push(from);
            }
        }
        if let (Some(rest), false) = (entered.rest, further.is_empty()) {
            let all = self.memory.fresh();
            for from in further {
                self.edge(from, all, Kind::Data);
            }
            let place = Location::new(rest, Offset::ANY);
            self.memory.hold(place, 8, all);
        }
        if let Some(result) = at.result() {
            self.edge(entered.result.0, result, Kind::Data);
        }
    }

    fn is_address_operand(&self, at: At<'_>, operand: Operand) -> bool {
        let reg = operand.as_reg();
        reg.is_some_and(|reg| self.is_address(at.function.reg_types[reg.index()]))
    }

    /// The summary of a function, if the constraints use it instead of the body.
    fn summary_of(&self, target: &Function) -> Option<&'static [Effect]> {
        let summary_of = target.declaration || self.extraction.summarised.contains(&target.id);
        summary_of
            .then(|| externals::effects(&target.name))
            .flatten()
    }

    /// A call whose result is computed from its arguments.
    /// What inline assembly pops may be input.
    fn popped(&mut self, at: At<'_>, text: &str) {
        if !text.contains("pop") {
            return;
        }
        for position in 0..at.operands.len() {
            if let Some(place) = at.argument(position) {
                self.input_at(place, 8);
            }
        }
        if let Some(result) = at.result() {
            self.memory.graph.seed(result, Taint::DATA);
        }
    }

    fn computed(&mut self, at: At<'_>) {
        if let Some(dst) = at.dst {
            for &operand in at.operands {
                self.influence(at.instance, operand, dst, Kind::Data);
            }
        }
    }

    fn intrinsic(&mut self, at: At<'_>, name: &str) {
        if name.starts_with("memset") {
            if let (Some(pointer), Some(value)) = (at.argument(0), at.operands.get(1)) {
                let length = at.operands.get(2).and_then(|&one| self.integer(one));
                self.fill(at.instance, pointer, *value, length.unwrap_or(ALL));
            }
        } else if !name.starts_with("mem") && !name.starts_with("va_") {
            self.computed(at);
        }
    }

    /// Fills memory with the bytes of one value.
    fn fill(&mut self, instance: &Instance, pointer: Pointer, value: Operand, length: u64) {
        let written = self.written(pointer, length);
        if let Some(value) = Self::node(instance, value) {
            self.edge(value, written, Kind::Data);
        }
        self.stores_through(pointer, length, Kind::StoreNull);
    }

    fn integer(&self, operand: Operand) -> Option<u64> {
        match self.program.constant(operand.as_constant()?) {
            Constant::Int { value, .. } => u64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// The constant value of an operand in this instance, also if the calling context passes it.
    fn integer_in(&self, instance: &Instance, operand: Operand) -> Option<u64> {
        let (mut id, mut operand) = (instance.function, operand);
        let mut context = instance.context.as_slice();
        loop {
            if operand.as_constant().is_some() {
                return self.integer(operand);
            }
            let reg = operand.as_reg()?;
            if reg.index() >= self.program.function(id).params.len() {
                return None;
            }
            let (&site, outer) = context.split_last()?;
            let (caller, at) = self.program.position(self.extraction.sites[site as usize]);
            let function = self.program.function(caller);
            let (Inst::Call { call, .. } | Inst::Invoke { call, .. }) = &function.insts[at] else {
                return None;
            };
            operand = *function.call_args[call.args.range()].get(reg.index())?;
            (id, context) = (caller, outer);
        }
    }

    fn system_call(&mut self, at: At<'_>) {
        let number = at.operands.first();
        let number = number.and_then(|&number| self.integer_in(at.instance, number));
        let can_be = |call: u64| number.is_none_or(|number| number == call);
        for &(_, position) in READS.iter().filter(|entry| can_be(entry.0)) {
            let length = at.operands.get(position + 1);
            let length = length.and_then(|&length| self.integer_in(at.instance, length));
            if let Some(buffer) = at.argument(position) {
                self.input_at(buffer, length.unwrap_or(ALL));
            }
        }
        for &(_, position) in SCATTERED_READS.iter().filter(|entry| can_be(entry.0)) {
            if let Some(table) = at.argument(position) {
                self.input_behind(table);
            }
        }
        // The type of a message stands before its text.
        if can_be(MSGRCV.0)
            && let Some(buffer) = at.argument(MSGRCV.1)
        {
            self.input_at(buffer, ALL);
        }
        if [MMAP, SHMAT].into_iter().any(can_be)
            && let Some(result) = at.result()
        {
            self.input_at(Pointer::Node(plat_pointers::constraints::Node(result)), ALL);
        }
    }

    /// Writes input through a pointer.
    fn input_at(&mut self, pointer: Pointer, length: u64) {
        let written = self.written(pointer, length);
        self.memory.graph.seed(written, Taint::DATA);
    }

    /// Writes input through every address in a table.
    fn input_behind(&mut self, table: Pointer) {
        let mut slots: FxHashMap<Object, Vec<Offset>> = FxHashMap::default();
        for at in self.locations(table) {
            let touched = self.extraction.system.slots(at, ALL);
            slots.entry(at.object).or_default().extend(touched);
        }
        let mut sets: Vec<u32> = Vec::new();
        for &(object, slot, set) in &self.solved.memory {
            let touched = slots.get(&object).into_iter().flatten();
            if touched.into_iter().any(|one| one.overlaps(slot)) {
                sets.push(set);
            }
        }
        sets.sort_unstable();
        sets.dedup();
        let places = sets
            .iter()
            .flat_map(|&set| self.solved.sets[set as usize].iter());
        let mut buffers: Vec<Object> = places
            .map(|place| self.solved.locations[place as usize].object)
            .collect();
        buffers.sort_unstable();
        buffers.dedup();
        let source = self.memory.fresh();
        self.memory.graph.seed(source, Taint::DATA);
        for object in buffers {
            if self.extraction.system.extent(object).writable {
                let at = Location::new(object, Offset::ANY);
                self.memory.hold(at, 1, source);
            }
        }
    }

    /// Handles a function whose result or output buffer is input. Returns whether it is one.
    fn is_input(&mut self, at: At<'_>, name: &str) -> bool {
        if INPUTS.contains(&name) || name.starts_with("__VERIFIER_nondet_") {
            if let Some(result) = at.result() {
                self.memory.graph.seed(result, Taint::DATA);
            }
            return true;
        }
        let filled = FILLED.iter().find(|entry| entry.0 == name);
        if let Some(buffer) = filled.and_then(|entry| at.argument(entry.1)) {
            let length = at.operands.get(1).filter(|_| name == "klee_make_symbolic");
            let length = length.and_then(|&length| self.integer_in(at.instance, length));
            self.input_at(buffer, length.unwrap_or(ALL));
        }
        filled.is_some()
    }

    /// Data flow of a function with a summary: results and writes depend on all data that it reads.
    fn effects(&mut self, at: At<'_>, name: &str, effects: &'static [Effect]) {
        let copies = |effect: &Effect| matches!(effect, Effect::CopiesBlock(..));
        if effects.iter().any(copies) {
            return;
        }
        let all = self.memory.fresh();
        for (position, &operand) in at.operands.iter().enumerate() {
            let passed = !self.is_address_operand(at, operand);
            let read = effects.contains(&Effect::Reads(position as u8));
            if let Some(from) = Self::node(at.instance, operand).filter(|_| passed || read) {
                self.edge(from, all, Kind::Data);
            }
            if let Some(pointer) = at.argument(position).filter(|_| read) {
                let read = self.read(pointer, ALL);
                self.edge(read, all, Kind::Data);
            }
        }
        for effect in effects {
            let Effect::Writes(position) = *effect else {
                continue;
            };
            if let Some(pointer) = at.argument(usize::from(position)) {
                let written = self.written(pointer, ALL);
                self.edge(all, written, Kind::Data);
                self.stores_through(pointer, ALL, Kind::StoreBytes);
            }
        }
        let number = at.dst.filter(|reg| {
            let ty = at.function.reg_types[reg.index()];
            !COUNTS.contains(&name) && !self.is_address(ty)
        });
        if let Some(reg) = number {
            self.edge(all, at.instance.node(reg).0, Kind::Data);
        }
    }
}
