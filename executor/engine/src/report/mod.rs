//! From an ended state to the record of its path: the model, the inputs' bytes, output, and where
//! it ended.

pub(crate) mod blame;
pub mod deduplication;
mod failed_tests;
pub(crate) mod panicking;
mod threads;
pub(crate) mod unsupported;

use crate::api::outcome::{InputObject, PathEnd, SourceLine, StackLine, TestRecord};
use crate::executor::Executor;
use crate::report::blame::Blame;
use crate::state::State;
use crate::state::frame::Frame;
use crate::values;
use plat_env::Output;
use plat_expr::{Assignment, Byte, EvalMemo, ExprId, SymbolId, Value};
use plat_memory::Site;
use plat_program::InstId;
use plat_solver::{Feasible, PathCondition};

/// Frames of a call stack that reports show: so many innermost, so many outermost ones.
const INNERMOST: u32 = 128;
const OUTERMOST: u32 = 32;

impl Executor<'_> {
    /// A model of the path condition that honours the state's preferences, the earlier first: the
    /// least one, so that a path has the same test whatever else was explored; or the seed.
    fn chosen_model(&mut self, state: &State) -> Assignment {
        may_panic!();
        let mut constraints = state.constraints.clone();
        for &wish in state.input.preferences.iter() {
            let feasible = self
                .solving
                .oracle
                .feasible(&mut self.pool, &constraints, wish);
            if let Feasible::Yes(model) = feasible
                && !self.pool.is_true(wish)
            {
                constraints.add(&mut self.pool, wish, &model);
            }
        }
        match state.input.seeds.is_empty() {
            true => self.least_model(state, &constraints),
            false => constraints.model().clone(),
        }
    }

    /// The least model of a path condition; the bytes of the state's inputs count in their order.
    fn least_model(&mut self, state: &State, constraints: &PathCondition) -> Assignment {
        let mut order: Vec<SymbolId> = Vec::new();
        let objects = state.input.given.objects.iter();
        for expr in objects.flat_map(|object| object.bytes.symbolic()) {
            for (symbol, _) in self.pool.symbols(expr).iter() {
                if order.last() != Some(&symbol) && !order.contains(&symbol) {
                    order.push(symbol);
                }
            }
        }
        order.extend(state.input.symbolics.iter().map(|object| object.symbol));
        self.solving
            .oracle
            .least_model(&mut self.pool, constraints, &order)
    }

    /// Gives a state the least model of its path condition: a choice by the model then does not
    /// depend on other paths.
    pub(crate) fn take_least_model(&mut self, state: &mut State) {
        if state.input.seeds.is_empty() {
            let least = self.least_model(state, &state.constraints);
            state.constraints.set_model(least);
        }
    }

    /// The symbolic objects of a path, in the order of their making, with their values under a model.
    pub(crate) fn inputs_under(&self, state: &State, model: &Assignment) -> Vec<InputObject> {
        may_panic!();
        let mut memo = EvalMemo::default();
        let given = state.input.given.objects.iter().map(|object| InputObject {
            name: object.name.clone(),
            bytes: object.evaluate(&self.pool, model, &mut memo),
        });
        let mut inputs: Vec<InputObject> = given.collect();
        inputs.extend(state.input.symbolics.iter().map(|object| {
            let size = self.pool.symbol_info(object.symbol).size;
            InputObject {
                name: object.name.to_string(),
                bytes: (0..size).map(|at| model.byte(object.symbol, at)).collect(),
            }
        }));
        inputs
    }

    pub(crate) fn record(&mut self, state: &mut State, end: PathEnd, wanted: bool) -> TestRecord {
        may_panic!();
        let model = if wanted {
            let model = self.chosen_model(state);
            let place = self.place(state);
            self.charge(place);
            model
        } else {
            state.constraints.model().clone()
        };
        let mut memo = EvalMemo::default();
        let end = self.under_model(end, state, &model, &mut memo);
        let end = self.panicked(state, end, &model);
        let end = self.in_threads(state, end);
        let inputs = match wanted {
            true => self.inputs_under(state, &model),
            false => Vec::new(),
        };
        let arguments = state.input.given.argv.iter().map(|arg| {
            let mut bytes = self.bytes_under(arg, &model, &mut memo);
            let end = bytes
                .iter()
                .position(|&byte| byte == 0)
                .unwrap_or(bytes.len());
            bytes.truncate(end);
            bytes
        });
        let arguments = arguments.collect();
        let stack = match wanted {
            true => self.stack_lines(state),
            false => Vec::new(),
        };
        let exit_code = match end {
            PathEnd::Returned(code) | PathEnd::Exited(code) => Some(code & 0xff),
            _ => None,
        };
        let constraints: Vec<ExprId> = state.constraints.constraints().collect();
        let fault = matches!(
            end,
            PathEnd::Fault(_) | PathEnd::Unsupported(_) | PathEnd::Internal(_)
        );
        let kquery =
            (wanted && (fault || self.config.tests.kquery)).then(|| self.pool.kquery(&constraints));
        let smt2 = (wanted && self.config.tests.smt2).then(|| self.pool.smtlib(&constraints));
        let Blame { source, inst } = self.blame(state, &end);
        let mut written = |output: &Output| match wanted {
            true => output.concrete(|byte| self.pool.eval(byte, &model, &mut memo) as u8),
            false => Vec::new(),
        };
        TestRecord {
            state: state.id,
            leaf: state.leaf(),
            wanted,
            repeats: false,
            replaces: false,
            exit_code,
            source,
            inst: self.place(state),
            blamed: inst,
            stack,
            instructions: state.instructions,
            depth: state.history.depth,
            path: state.history.path.clone(),
            branches: state.history.branches.to_vec(),
            covered_new: state.history.novelty.covered,
            new_side: state.history.novelty.side,
            arguments,
            inputs,
            stdout: written(&state.environment.stdout),
            stdout_cut: state.environment.stdout.cut(),
            stderr: written(&state.environment.stderr),
            kquery,
            smt2,
            end,
        }
    }

    /// The record of a path of which no more can be made: without a test, and without what its model
    /// would say.
    pub(crate) fn bare_record(&self, state: &State, end: PathEnd) -> TestRecord {
        let inst = self.place(state);
        TestRecord {
            state: state.id,
            leaf: state.leaf(),
            end,
            wanted: false,
            repeats: false,
            replaces: false,
            exit_code: None,
            source: SourceLine::default(),
            inst,
            blamed: inst,
            stack: Vec::new(),
            instructions: state.instructions,
            depth: state.history.depth,
            path: state.history.path.clone(),
            branches: state.history.branches.to_vec(),
            covered_new: state.history.novelty.covered,
            new_side: state.history.novelty.side,
            arguments: Vec::new(),
            inputs: Vec::new(),
            stdout: Vec::new(),
            stdout_cut: 0,
            stderr: Vec::new(),
            kquery: None,
            smt2: None,
        }
    }

    /// The end with its exit code under the final model, which the preferences may have moved.
    fn under_model(
        &self,
        end: PathEnd,
        state: &State,
        model: &Assignment,
        memo: &mut EvalMemo,
    ) -> PathEnd {
        let Some(value) = state.history.exit_value else {
            return end;
        };
        let code = match value {
            Value::Expr(expr) => self.pool.eval(expr, model, memo),
            other => values::number(&self.pool, other).unwrap_or(0),
        };
        match end {
            PathEnd::Returned(_) => PathEnd::Returned(code as i32),
            PathEnd::Exited(_) => PathEnd::Exited(code as i32),
            other => other,
        }
    }

    pub(crate) fn bytes_under(
        &self,
        bytes: &[Byte],
        model: &Assignment,
        memo: &mut EvalMemo,
    ) -> Vec<u8> {
        bytes
            .iter()
            .map(|byte| match *byte {
                Byte::Concrete(byte) => byte,
                Byte::Symbolic(expr) => self.pool.eval(expr, model, memo) as u8,
            })
            .collect()
    }

    /// The instruction at which a path stands.
    pub(crate) fn place(&self, state: &State) -> Option<InstId> {
        let function = self.program.function(state.frame.function);
        ((state.frame.pc as usize) < function.insts.len()).then(|| state.frame.inst(self.program))
    }

    /// The frames, innermost first.
    pub(crate) fn stack_lines(&self, state: &State) -> Vec<StackLine> {
        may_panic!();
        // Of a very deep stack the ends are enough.
        let hidden = state.frames().saturating_sub(INNERMOST + OUTERMOST);
        let shown = |&(at, _): &(u32, &Frame)| at < INNERMOST || at >= INNERMOST + hidden;
        let frames = (0u32..).zip(state.stack()).filter(shown).map(|(_, frame)| {
            let function = self.program.function(frame.function);
            let arguments = frame.regs.iter().take(function.params.len()).enumerate();
            let named = |at: usize| match function.param_names.get(at) {
                Some(name) if !name.is_empty() => format!("{name}="),
                _ => String::new(),
            };
            let arguments = arguments.map(|(at, &value)| match value {
                Value::Expr(_) => named(at) + "symbolic",
                Value::Aggregate(_) => named(at) + "aggregate",
                other => {
                    let number = values::number(&self.pool, other).unwrap_or(0);
                    format!("{}{number}", named(at))
                }
            });
            let location = function.locs.get(frame.pc as usize).copied();
            StackLine {
                function: function.name.clone(),
                arguments: arguments.collect(),
                source: location
                    .map(|location| SourceLine::of(self.program.location(location)))
                    .unwrap_or_default(),
                inst: frame.inst(self.program),
            }
        });
        frames.collect()
    }

    /// Further lines about a memory fault.
    pub(crate) fn describe(&self, fault: &plat_memory::Fault) -> Vec<String> {
        fault.details(&|site| self.describe_site(site))
    }

    /// An allocation site in words.
    pub(crate) fn describe_site(&self, site: Site) -> String {
        match site {
            Site::Inst(inst) | Site::Call(inst, _) => {
                let location = self.program.location_of(inst);
                let (function, _) = self.program.position(inst);
                let name = &self.program.function(function).name;
                match location.line {
                    0 => format!("{name}()"),
                    line => format!("{name}() at {}:{line}", location.file),
                }
            }
            Site::Global(global) => format!("global {}", self.program.global(global).name),
            Site::Function(function) => {
                format!("function {}", self.program.function(function).name)
            }
            Site::Frame(function) => {
                format!("entry of {}()", self.program.function(function).name)
            }
            Site::Entry => "program start".into(),
        }
    }
}
