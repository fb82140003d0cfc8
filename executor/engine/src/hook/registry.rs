//! The hooks and native functions of a run.

use super::bind::{self, BindError, Bound};
use super::native::{Native, NativeFunction};
use super::{AcrossWorkers, Hook};
use crate::api::summary::Summary;
use crate::code::decoded::Decoded;
use plat_expr::{ExprId, Pool};
use plat_program::{FuncId, Function, Inst, InstId, Program};
use plat_solver::panic_text;
use rustc_hash::{FxHashMap, FxHashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// The hooks and native functions of a run, and what they watch.
#[derive(Default)]
pub(crate) struct Hooks<'a> {
    /// What is watched.
    pub bound: Rc<Bound>,
    /// Whether memory accesses are heard: every instruction takes the slow way.
    pub accesses: bool,
    /// Whether hooks hear what paths decide by.
    pub decisions: bool,
    /// Whether hooks hear of new blocks: those of the stack take the slow way.
    pub allocations: bool,
    /// Whether paths pause for hooks.
    pub pauses: bool,
    /// Whether frames keep all their registers.
    pub all_registers: bool,
    /// The hooks, plat's own first. One is out while it is asked: what it does, it does not hear.
    pub(super) all: Vec<Option<Box<dyn Hook + 'a>>>,
    /// Native functions from outside, by what they stand for.
    natives: FxHashMap<FuncId, Rc<dyn NativeFunction + 'a>>,
    /// What hooks have panicked about that were not asked about a path.
    panics: Vec<String>,
}

impl<'a> Hooks<'a> {
    /// Binds further hooks to a program.
    pub fn add(
        &mut self,
        program: &Program,
        hooks: Vec<Box<dyn Hook + 'a>>,
    ) -> Result<(), BindError> {
        let bound = Rc::make_mut(&mut self.bound);
        for hook in hooks {
            let who = format!("hook {}", hook.name());
            let interest = hook.interest();
            bound.add(program, self.all.len(), &who, &interest)?;
            self.all_registers |= interest.all_registers;
            self.pauses |= interest.pauses;
            self.all.push(Some(hook));
        }
        self.accesses = !(bound.accessed.is_empty() && bound.watched_accesses.is_empty());
        self.decisions = !bound.decisions.is_empty();
        self.allocations = !bound.allocations.is_empty();
        Ok(())
    }

    /// Binds further native functions to a program.
    pub fn add_natives(
        &mut self,
        program: &Program,
        natives: Vec<Native<'a>>,
    ) -> Result<(), BindError> {
        let mut names = FxHashSet::default();
        for native in natives {
            let name = native.name().to_string();
            if !names.insert(name.clone()) {
                return Err(BindError::Twice { name });
            }
            if native.is_optional() && program.function_named(&name).is_none() {
                continue;
            }
            let who = format!("native function {name}");
            let function = bind::function(program, &who, &name)?;
            let function = bind::with_parameters(&who, function, native.parameters())?;
            if self.natives.insert(function, native.run()).is_some() {
                return Err(BindError::Twice { name });
            }
        }
        Ok(())
    }

    /// Tells the hooks that are not being asked something, by their numbers. What one of them makes of
    /// it is lost if it panics, and nothing else.
    fn tell_each(&mut self, mut tell: impl FnMut(usize, &mut (dyn Hook + 'a))) {
        for (number, hook) in self.all.iter_mut().enumerate() {
            let Some(hook) = hook else { continue };
            let told = catch_unwind(AssertUnwindSafe(|| tell(number, &mut **hook)));
            if let Err(panic) = told {
                let text = panic_text(&*panic);
                self.panics.push(format!("hook {}: {text}", hook.name()));
            }
        }
    }

    /// What hooks have panicked about since the last time, beside ends of paths.
    pub fn take_panics(&mut self) -> Vec<String> {
        std::mem::take(&mut self.panics)
    }

    /// Whether ends of paths are heard.
    pub fn hear_ends(&self) -> bool {
        !self.bound.ended.is_empty()
    }

    /// The functions whose calls or returns do not take the fast paths.
    pub fn intercepted(&self) -> impl Iterator<Item = FuncId> {
        let watched = self.bound.calls.keys().chain(self.bound.returns.keys());
        watched.chain(self.natives.keys()).copied()
    }

    /// Has the fast paths leave what is watched of a function.
    pub fn mark(&self, function: &Function, decoded: &mut Decoded) {
        let returns = self.bound.returns.contains_key(&function.id);
        if !returns && !self.bound.functions.contains(&function.id) {
            return;
        }
        for (position, inst) in function.insts.iter().enumerate() {
            let id = InstId::new(function.first_inst.index() + position);
            let leaves = returns && matches!(inst, Inst::Return { .. });
            if leaves || self.bound.places.contains_key(&id) {
                decoded.watch(position);
            }
        }
    }

    /// The native function from outside that stands for a function.
    pub fn native(&self, function: FuncId) -> Option<Rc<dyn NativeFunction + 'a>> {
        self.natives.get(&function).cloned()
    }

    /// Why the run must stay in one process, if it must.
    pub fn needs_one_process(&self) -> Option<String> {
        let mut hooks = self.all.iter().flatten();
        hooks
            .find(|hook| hook.across_workers() == AcrossWorkers::OneProcess)
            .map(|hook| format!("hook {} keeps data of the whole run", hook.name()))
    }

    /// What hooks have gathered in this process since the last time, by their numbers.
    pub fn save(&mut self) -> Vec<(usize, Vec<u8>)> {
        let mut saved = Vec::new();
        self.tell_each(|number, hook| {
            if hook.across_workers() == AcrossWorkers::Merged {
                saved.push((number, hook.save()));
            }
        });
        saved.retain(|(_, bytes)| !bytes.is_empty());
        saved
    }

    /// Takes what a hook has gathered in another process.
    pub fn merge(&mut self, number: usize, saved: &[u8]) {
        self.tell_each(|at, hook| {
            if at == number {
                hook.merge(saved);
            }
        });
    }

    /// Tells hooks that this process is a new one.
    pub fn worker_started(&mut self) {
        self.tell_each(|_, hook| hook.worker_started());
    }

    /// Lets hooks enter their results into the summary.
    pub fn finish(&mut self, program: &Program, summary: &mut Summary) {
        self.tell_each(|_, hook| hook.finished(program, summary));
    }

    /// Whether an expression must not be mixed with others.
    pub fn keep_whole(&self, pool: &Pool, expr: ExprId) -> bool {
        let hooks = self.bound.decisions.iter();
        let mut hooks = hooks.filter_map(|&number| self.all[number].as_ref());
        hooks.any(|hook| hook.keeps_whole(pool, expr))
    }

    /// Whether a hook is being asked.
    pub fn is_asking(&self) -> bool {
        self.all.iter().any(Option::is_none)
    }
}
