//! From an ended state to the record of its path: the model, the inputs' bytes, output, and where
//! it ended.

use crate::blame::Blame;
use crate::engine::Engine;
use crate::frame::Frame;
use crate::outcome::{InputObject, Limit, PathEnd, SourceLine, StackLine, TestRecord};
use crate::reported::{self, ErrorKey, News};
use crate::state::State;
use crate::values;
use plat_env::Output;
use plat_expr::{Assignment, Byte, EvalMemo, ExprId, SymbolId, Value};
use plat_memory::Site;
use plat_program::InstId;
use plat_solver::{Feasible, PathCondition};

/// Frames of a call stack that reports show: so many innermost, so many outermost ones.
const INNERMOST: u32 = 128;
const OUTERMOST: u32 = 32;

/// The end of a path that is alive when the run is.
fn stopped_by(limit: Limit) -> PathEnd {
    PathEnd::Limit(limit, format!("the run was stopped: {}", limit.name()))
}

impl Engine<'_> {
    /// Ends a path whose path condition has a model.
    pub fn finish(&mut self, mut state: State, end: PathEnd) {
        if self.config.check_leaks {
            self.settle(&mut state);
        }
        let end = self.with_leaks(&state, end);
        self.finish_with(state, end, true, false);
    }

    /// Ends a part of a path of which it is not known whether there is any input for it.
    pub fn finish_unknown(&mut self, state: State, end: PathEnd) {
        self.finish_with(state, end, false, false);
    }

    /// Ends a live state because the run stops.
    pub fn finish_at_halt(&mut self, state: State, limit: Limit, with_test: bool) {
        self.finish_with(state, stopped_by(limit), with_test, true);
    }

    fn finish_with(
        &mut self,
        mut state: State,
        mut end: PathEnd,
        has_model: bool,
        mut at_halt: bool,
    ) {
        // After the deadline the solver has no answers: the run's limit is what ends the path.
        if matches!(end, PathEnd::Limit(Limit::Solver, _))
            && let Some(limit) = self.overdue()
        {
            (end, at_halt) = (stopped_by(limit), true);
            self.cut_short.get_or_insert(limit);
        }
        let end = self.panicked(&state, end, state.constraints.model());
        let error = reported::key(&end, self.blame(&state, &end).inst);
        let wanted = self.count(&state, &end, error.as_ref(), at_halt) && has_model;
        if state.covered_new && !wanted {
            self.counts.untested += 1;
        }
        let record = self.record(&mut state, end, wanted);
        self.conclude(record);
    }

    /// Tells of an ended path. Whether it is the first with its error shows here, where all paths
    /// come by, also those of other processes.
    pub(crate) fn conclude(&mut self, mut record: TestRecord) {
        let mut displaced = None;
        if let Some(error) = reported::key(&record.end, record.blamed)
            && !self.config.emit_all_errors
        {
            let known = self.reported.knows(&error);
            self.count_fault(&record.end, known);
            // Another process may have thought otherwise.
            (record.repeats, record.replaces) = (false, false);
            match self.reported.hear(error, &record) {
                News::First => {}
                News::Better(other) => (record.replaces, displaced) = (true, other),
                News::Old => {
                    record.wanted &= record.covered_new;
                    record.repeats = record.wanted;
                }
            }
        } else {
            self.count_fault(&record.end, false);
        }
        if record.wanted && !record.replaces {
            self.count_test();
        }
        self.observer.path_ended(self.program, &record);
        if let Some(mut other) = displaced {
            (other.repeats, other.replaces) = (true, false);
            self.further_test(&other);
        }
    }

    fn count_test(&mut self) {
        self.counts.tests += 1;
        let most = self.config.limits.tests;
        if most.is_some_and(|most| self.counts.tests >= most) {
            self.stop.get_or_insert(Limit::Tests);
        }
    }

    /// Tells of a test that is not the end of a path.
    fn further_test(&mut self, record: &TestRecord) {
        self.count_test();
        self.observer.further_test(self.program, record);
    }

    /// Makes a test for what a path has been the first to cover, before it becomes part of another.
    pub(crate) fn cover_before_merge(&mut self, mut state: State) {
        let record = self.record(&mut state, PathEnd::Merged, true);
        self.further_test(&record);
    }

    fn count_fault(&mut self, end: &PathEnd, known: bool) {
        if matches!(end, PathEnd::Fault(_)) {
            match known {
                true => self.counts.repeated_faults += 1,
                false => self.counts.faults += 1,
            }
        }
    }

    /// Counts an ended path. Returns whether a test case may be wanted.
    fn count(
        &mut self,
        state: &State,
        end: &PathEnd,
        error: Option<&ErrorKey>,
        at_halt: bool,
    ) -> bool {
        let new_enough =
            state.covered_new || !self.config.only_covering_new || !state.seeds.is_empty();
        let all = self.config.emit_all_errors;
        let first = all || error.is_none_or(|error| !self.reported.knows(error));
        let news = state.covered_new
            || first
            || error.is_some_and(|error| self.reported.expects(error, state.instructions));
        match end {
            PathEnd::Returned(_) | PathEnd::Exited(_) => {
                self.counts.completed += 1;
                new_enough
            }
            PathEnd::Fault(fault) => {
                let suffix = fault.kind.suffix();
                let fatal = &self.config.exit_on_error_types;
                if self.config.exit_on_error || fatal.iter().any(|one| one == suffix) {
                    self.stop.get_or_insert(Limit::Error);
                }
                news
            }
            PathEnd::Unsupported(what) => {
                self.counts.unsupported += 1;
                *self.counts.lacks.entry(what.clone()).or_default() += 1;
                if what.starts_with("internal") {
                    self.counts.internal_errors += 1;
                }
                news
            }
            PathEnd::Limit(limit, _) => {
                *self.counts.limited.entry(*limit).or_default() += 1;
                let left = *limit == Limit::Seeds && !at_halt;
                new_enough && !left && (!at_halt || self.config.dump_states_on_halt)
            }
            PathEnd::Silent => {
                self.counts.silent += 1;
                false
            }
            PathEnd::Merged => {
                self.counts.merged += 1;
                state.covered_new
            }
        }
    }

    /// A model of the path condition that honours the state's preferences, the earlier first: the
    /// least one, so that a path has the same test whatever else was explored; or the seed.
    fn chosen_model(&mut self, state: &State) -> Assignment {
        let mut constraints = state.constraints.clone();
        for &wish in &state.preferences {
            let feasible = self.oracle.feasible(&mut self.pool, &constraints, wish);
            if let Feasible::Yes(model) = feasible
                && !self.pool.is_true(wish)
            {
                constraints.add(&mut self.pool, wish, &model);
            }
        }
        match state.seeds.is_empty() {
            true => self.least_model(state, &constraints),
            false => constraints.model().clone(),
        }
    }

    /// The least model of a path condition; the bytes of the state's inputs count in their order.
    fn least_model(&mut self, state: &State, constraints: &PathCondition) -> Assignment {
        let mut order: Vec<SymbolId> = Vec::new();
        let objects = state.inputs.objects.iter();
        for expr in objects.flat_map(|object| object.bytes.symbolic()) {
            for (symbol, _) in self.pool.symbols(expr).iter() {
                if order.last() != Some(&symbol) && !order.contains(&symbol) {
                    order.push(symbol);
                }
            }
        }
        order.extend(state.symbolics.iter().map(|object| object.symbol));
        self.oracle.least_model(&mut self.pool, constraints, &order)
    }

    /// Gives a state the least model of its path condition: what is chosen by it then does not
    /// depend on what other paths have done.
    pub(crate) fn settle(&mut self, state: &mut State) {
        if state.seeds.is_empty() {
            let least = self.least_model(state, &state.constraints);
            state.constraints.set_model(least);
        }
    }

    fn record(&mut self, state: &mut State, end: PathEnd, wanted: bool) -> TestRecord {
        let model = if wanted {
            self.chosen_model(state)
        } else {
            state.constraints.model().clone()
        };
        let mut memo = EvalMemo::default();
        let end = self.under_model(end, state, &model, &mut memo);
        let end = self.panicked(state, end, &model);
        let mut inputs = Vec::new();
        if wanted {
            for object in &state.inputs.objects {
                let bytes = object.evaluate(&self.pool, &model, &mut memo);
                inputs.push(InputObject {
                    name: object.name.clone(),
                    bytes,
                });
            }
            for object in &state.symbolics {
                let size = self.pool.symbol_info(object.symbol).size;
                let bytes = (0..size).map(|at| model.byte(object.symbol, at)).collect();
                inputs.push(InputObject {
                    name: object.name.to_string(),
                    bytes,
                });
            }
        }
        let arguments = state.inputs.argv.iter().map(|arg| {
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
        let fault = matches!(end, PathEnd::Fault(_) | PathEnd::Unsupported(_));
        let kquery =
            (wanted && (fault || self.config.kqueries)).then(|| self.pool.kquery(&constraints));
        let smt2 = (wanted && self.config.smt2s).then(|| self.pool.smtlib(&constraints));
        let Blame { source, inst } = self.blame(state, &end);
        let mut written = |output: &Output| match wanted {
            true => output.concrete(|byte| self.pool.eval(byte, &model, &mut memo) as u8),
            false => Vec::new(),
        };
        TestRecord {
            state: state.id,
            wanted,
            repeats: false,
            replaces: false,
            exit_code,
            source,
            inst: self.place(state),
            blamed: inst,
            stack,
            instructions: state.instructions,
            depth: state.depth,
            path: state.path.clone(),
            branches: state.branches.clone(),
            covered_new: state.covered_new,
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

    /// The end with its exit code under the final model, which the preferences may have moved.
    fn under_model(
        &self,
        end: PathEnd,
        state: &State,
        model: &Assignment,
        memo: &mut EvalMemo,
    ) -> PathEnd {
        let Some(value) = state.exit_value else {
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
