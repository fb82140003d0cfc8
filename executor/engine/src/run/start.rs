//! The start of a program: globals, functions, arguments, and the first frame.

use crate::api::config::{Config, Pin};
use crate::api::outcome::PathEnd;
use crate::api::start_error::StartError;
use crate::code::errno::ErrnoPlace;
use crate::executor::Executor;
use crate::state::aside::Aside;
use crate::state::frame::{Callers, Frame, OnReturn};
use crate::state::{History, Others, PathInput, State};
use plat_allocator::{Quarantine, Region};
use plat_env::{Alternative, ArgSpec, Environment, InputSpec, Inputs, Reach};
use plat_expr::{Byte, ObjectId, Rare, Value};
use plat_memory::memory::Pins;
use plat_memory::{Kind, Memory, Request, Site};
use plat_program::{FuncId, Function, GlobalId, Inst, InstId, Program};
use plat_solver::PathCondition;
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// An empty memory of the model and allocator that were asked for.
pub fn empty_memory(config: &Config, program: &Program) -> Result<Memory, StartError> {
    let mut addresses = config.memory.addresses;
    if has_short_distances(program) {
        let constants = &mut addresses.regions[Region::Constants as usize];
        constants.size = constants.size.min(SHORT_DISTANCE);
    }
    if config.checks.loops {
        // A loop that calls functions is in the same state again after one turn.
        addresses.stack_quarantine = Some(Quarantine::Frees(0));
    }
    addresses.check().map_err(StartError::Addresses)?;
    let allocator = config.memory.allocator.make(&addresses);
    let model = config.memory.model_of(program);
    let model = model.make(&config.memory.options);
    let memory = Memory::new(model, allocator);
    Ok(memory
        .split(config.memory.options.splitting)
        .pin(pinned(&config.memory.pins, program)?))
}

/// The instructions that pins are about: those that access memory, and calls, which may do so.
fn pinned(pins: &[Pin], program: &Program) -> Result<Pins, StartError> {
    let mut pinned = FxHashMap::default();
    for pin in pins {
        let before = pinned.len();
        for function in &program.functions {
            for (at, inst) in function.insts.iter().enumerate() {
                let accesses = matches!(
                    inst,
                    Inst::Load { .. } | Inst::Store { .. } | Inst::Call { .. }
                );
                let location = program.location(function.locs[at]);
                if accesses && location.line == pin.line && is_named(&location.file, &pin.file) {
                    pinned.insert(InstId::new(function.first_inst.index() + at), pin.way);
                }
            }
        }
        if pinned.len() == before {
            return Err(StartError::Pin(format!("{}:{}", pin.file, pin.line)));
        }
    }
    Ok(Rc::new(pinned))
}

/// Whether a file is meant by a name that has the last parts of its path.
pub(super) fn is_named(file: &str, name: &str) -> bool {
    let before = file.strip_suffix(name);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/') || name.starts_with('/'))
}

/// The function of the runtime that calls the one to begin with.
pub const START: &str = "__plat_start";

/// The variable of the C library that says whether standard output has no buffer.
const UNBUFFERED: &str = "__plat_unbuffered";

/// The files that the program may see.
fn reach(config: &Config, spec: &InputSpec, start: &[u8]) -> Result<Reach, StartError> {
    let arguments = spec.args.iter().filter_map(|argument| match argument {
        ArgSpec::Concrete(bytes) => Some(&bytes[..]),
        ArgSpec::Symbolic { .. } | ArgSpec::SymbolicList { .. } => None,
    });
    let start = Path::new(OsStr::from_bytes(start));
    Reach::of(&config.start.files, start, arguments)
        .map_err(|(path, why)| StartError::AllowedFile(path, why.to_string()))
}

/// Constants no further apart than this can be told by distances of 32 bits.
const SHORT_DISTANCE: u64 = 1 << 31;

/// Whether a table holds distances between objects in less than a pointer, as relative lookup
/// tables do: then constants must lie close enough.
fn has_short_distances(program: &Program) -> bool {
    let initializers = program
        .globals
        .iter()
        .flat_map(|global| &global.initializer);
    let mut relocations = initializers.flat_map(|initializer| &initializer.relocations);
    relocations.any(|relocation| relocation.size < 8)
}

impl Executor<'_> {
    /// The states that a run starts with: one for each choice of the number of arguments.
    pub fn initial_states(&mut self, spec: &InputSpec) -> Result<Vec<State>, StartError> {
        let mut spec = spec.clone();
        spec.read_templates().map_err(StartError::Input)?;
        let mut states: Vec<State> = Vec::new();
        for alternative in spec.alternatives() {
            let (inputs, environment) = self.realised(&spec, &alternative)?;
            let mut state = self.first_state(inputs, environment)?;
            if !self.config.search.seeds.all.is_empty() {
                self.attach_seeds(&mut state);
            }
            self.begin(&mut state)?;
            states.push(state);
        }
        if self.config.search.seeds.only_replay {
            states.retain(|state| !state.input.seeds.is_empty());
            if states.is_empty() {
                self.events
                    .warn_once("no seed fits the input that was asked for");
            }
        }
        Ok(states)
    }

    /// The function to begin with.
    fn entry(&self) -> Result<&'_ Function, StartError> {
        let name = &self.config.start.entry_point;
        self.program
            .function_named(name)
            .filter(|function| !function.declaration)
            .ok_or_else(|| StartError::NoEntry(name.clone()))
    }

    /// The input of a choice of the number of arguments, and the environment with it.
    pub(super) fn realised(
        &mut self,
        spec: &InputSpec,
        alternative: &Alternative,
    ) -> Result<(Inputs, Rc<Environment>), StartError> {
        self.entry()?;
        let name = self.program.name.as_bytes();
        let mut inputs = plat_env::realise(spec, alternative, name, &mut self.pool)
            .map_err(StartError::Input)?;
        let Some(host) = &mut self.system.host else {
            return Err(StartError::Constraints);
        };
        host.show(reach(self.config, spec, host.start_directory())?);
        let environment = Environment::new(host, &inputs);
        environment.add_status(host, &mut self.pool, &mut inputs);
        let environment = Rc::new(environment);
        if self.system.idle_environment.is_none() {
            self.system.idle_environment = Some(Rc::clone(&environment));
        }
        Ok((inputs, environment))
    }

    /// A state with this input in which nothing has happened. Globals are made once: later states
    /// start from a copy of the first memory.
    pub(super) fn first_state(
        &mut self,
        inputs: Inputs,
        environment: Rc<Environment>,
    ) -> Result<State, StartError> {
        if let Some(memory) = &self.memory.initial {
            let memory = memory.clone();
            return Ok(self.blank(memory, environment, inputs));
        }
        let memory = empty_memory(self.config, self.program)?;
        let mut state = self.blank(memory, environment, inputs);
        self.globals(&mut state)?;
        self.memory.initial = Some(state.memory.clone());
        Ok(state)
    }

    /// Puts a first state before its first instruction.
    pub(super) fn begin(&mut self, state: &mut State) -> Result<(), StartError> {
        self.constrain(state)?;
        let program = self.program;
        let entry = program.function_named(&self.config.start.entry_point);
        let entry = entry.ok_or(StartError::Globals)?;
        self.first_frame(state, entry)?;
        self.note_start(state);
        Ok(())
    }

    fn blank(&mut self, memory: Memory, environment: Rc<Environment>, inputs: Inputs) -> State {
        let mut preferences = inputs.statuses.preferences.to_vec();
        if self.config.tests.readable {
            preferences.extend(&inputs.preferences);
        }
        State {
            id: self.next_state_id(),
            frame: Frame::empty(),
            callers: Callers::new(),
            memory,
            constraints: PathCondition::new(),
            environment,
            input: PathInput {
                given: Arc::new(inputs),
                symbolics: Rare::default(),
                seeds: Rare::default(),
                late: None,
                preferences: preferences.into(),
            },
            instructions: 0,
            history: History::default(),
            requests: Rare::default(),
            float: Default::default(),
            distances: Rare::default(),
            exceptions: Default::default(),
            aside: Aside::default(),
            others: Others::default(),
        }
    }

    /// Adds the conditions that the input comes with.
    fn constrain(&mut self, state: &mut State) -> Result<(), StartError> {
        for &condition in &Arc::clone(&state.input.given).constraints {
            self.add_constraint(state, condition, PathEnd::Silent)
                .map_err(|_| StartError::Constraints)?;
        }
        Ok(())
    }

    fn object(
        &mut self,
        state: &mut State,
        kind: Kind,
        site: Site,
        size: u64,
        align: u64,
    ) -> Result<ObjectId, StartError> {
        let request = Request {
            kind,
            size,
            align: align.max(1),
            site,
            group: None,
            context: None,
            zero: true,
        };
        let (memory, mut cx) = self.memory(state);
        match memory.allocate(&mut cx, &request) {
            Ok(Value::Pointer(object, _)) => Ok(object),
            _ => Err(StartError::Globals),
        }
    }

    /// Makes functions and globals, evaluates constants, and writes the globals' first contents.
    fn globals(&mut self, state: &mut State) -> Result<(), StartError> {
        let program = self.program;
        let mut functions = Vec::with_capacity(program.functions.len());
        for at in 0..program.functions.len() {
            let site = Site::Function(FuncId::new(at));
            functions.push(self.object(state, Kind::Function, site, 1, 16)?);
        }
        let mut globals = Vec::with_capacity(program.globals.len());
        for (at, global) in program.globals.iter().enumerate() {
            let kind = if global.constant {
                Kind::Constant
            } else {
                Kind::Global
            };
            let site = Site::Global(GlobalId::new(at));
            globals.push(self.object(state, kind, site, global.size, global.align)?);
        }
        self.code.bind(program, &mut self.pool, globals, functions);
        for at in 0..program.globals.len() {
            let object = self.code.globals[at];
            self.initialize_global(state, GlobalId::new(at), object);
        }
        self.code.errno = self.errno_place(state)?;
        if self.config.start.as_klee {
            self.write_at_once(state);
        }
        // Before any function is decoded, which copies constants.
        self.tell_prepared(state);
        Ok(())
    }

    /// Has standard output written to the descriptor at once, if the program has the library's.
    fn write_at_once(&mut self, state: &mut State) {
        let mut named = self.program.globals.iter().enumerate();
        if let Some((at, _)) = named.find(|(_, global)| global.name == UNBUFFERED) {
            let (object, one) = (self.code.globals[at], Value::Int(1));
            let (pool, objects) = (&mut self.pool, &self.memory.objects);
            let stored = state.memory.store(pool, objects, object, 0, one, 32);
            if stored.is_err() {
                self.events.warn_once(format!(
                    "standard output keeps its buffer: the program has a {UNBUFFERED} of its own, and it is no int"
                ));
            }
        }
    }

    /// Where the program keeps `errno`: what its `__errno_location` returns, or an object made
    /// for programs that only declare it.
    fn errno_place(&mut self, state: &mut State) -> Result<Option<ErrnoPlace>, StartError> {
        let Some(function) = self.program.function_named("__errno_location") else {
            return Ok(None);
        };
        if function.declaration {
            let object = self.object(state, Kind::Global, Site::Entry, 4, 4)?;
            return Ok(Some(ErrnoPlace::At(Value::Pointer(object, 0))));
        }
        Ok(ErrnoPlace::returned_by(&self.code, function))
    }

    /// Writes argument and environment strings, and enters the program.
    fn first_frame(&mut self, state: &mut State, entry: &Function) -> Result<(), StartError> {
        let inputs = Arc::clone(&state.input.given);
        let mut environment: Vec<Vec<Byte>> = Vec::new();
        for entry in &self.config.start.environment {
            environment.push(
                entry
                    .iter()
                    .chain([&0])
                    .map(|&byte| Byte::Concrete(byte))
                    .collect(),
            );
        }
        let argc = Value::Int(inputs.argv.len() as u64);
        let argv = self.string_array(state, &inputs.argv)?;
        let envp = self.string_array(state, &environment)?;
        let program = self.program;
        let start = program
            .function_named(START)
            .filter(|start| !start.declaration);
        let (function, arguments) = match start {
            Some(start) => {
                let main = Value::Pointer(self.code.function_objects[entry.id.index()], 0);
                (start, vec![main, argc, argv, envp])
            }
            None => (entry, vec![argc, argv, envp]),
        };
        let mut registers = self.registers(function.id);
        for (register, at) in registers.iter_mut().zip(0..function.params.len()) {
            *register = arguments.get(at).copied().unwrap_or(Value::Int(0));
        }
        state.frame = Frame {
            function: function.id,
            regs: registers,
            ..Frame::empty()
        };
        if start.is_some() {
            return Ok(());
        }
        for &constructor in program.constructors.iter().rev() {
            if program.function(constructor).declaration {
                continue;
            }
            let registers = self.registers(constructor);
            // The stack is not deep here.
            let _ = self.push_frame(state, constructor, registers);
            state.frame.on_return = OnReturn::Resume;
        }
        Ok(())
    }

    /// An array of pointers to strings, with a null pointer at its end.
    fn string_array(
        &mut self,
        state: &mut State,
        strings: &[Vec<Byte>],
    ) -> Result<Value, StartError> {
        let size = 8 * (strings.len() as u64 + 1);
        let array = self.object(state, Kind::Global, Site::Entry, size, 16)?;
        for (at, string) in strings.iter().enumerate() {
            let object = self.object(state, Kind::Global, Site::Entry, string.len() as u64, 1)?;
            let (pool, objects) = (&mut self.pool, &self.memory.objects);
            let written = state.memory.write_bytes(pool, objects, object, 0, string);
            debug_assert!(written.is_ok());
            let pointer = Value::Pointer(object, 0);
            let stored = state
                .memory
                .store(pool, objects, array, 8 * at as i64, pointer, 64);
            debug_assert!(stored.is_ok());
        }
        Ok(Value::Pointer(array, 0))
    }
}
