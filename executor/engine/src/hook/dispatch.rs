//! Asking hooks, and carrying out their commands.

use super::bind::{BindError, Bound};
use super::data::{Once, path_hooks};
use super::event::{IndirectCall, Reached, Resolved};
use super::{Access, Command, EndCommand, Extensions, Hook};
use crate::api::outcome::PathEnd;
use crate::api::summary::ForkKind;
use crate::executor::{Executor, recovery};
use crate::hook::{Step, Stop};
use crate::state::State;
use plat_expr::ExprId;
use plat_memory::{AccessKind, Outcome};
use plat_program::{Function, InstId};
use std::rc::Rc;

impl<'a> Executor<'a> {
    /// Registers hooks and native functions, before the run has decoded anything. Hooks that were
    /// registered before come first.
    pub(crate) fn register(&mut self, extensions: Extensions<'a>) -> Result<(), BindError> {
        self.hooks.add(self.program, extensions.hooks)?;
        self.hooks.add_natives(self.program, extensions.natives)?;
        for function in self.hooks.intercepted() {
            let code = &mut self.code.functions[function.index()];
            (code.intercepted, code.plain) = (true, false);
        }
        Ok(())
    }

    /// Does something with one hook, which hears nothing meanwhile; nothing if it is asked already.
    pub(super) fn with_hook<R>(
        &mut self,
        number: usize,
        work: impl FnOnce(&mut Self, &mut (dyn Hook + 'a)) -> R,
    ) -> Option<R> {
        recovery::with(
            self,
            |exec| &mut exec.hooks.all[number],
            |exec, hook| work(exec, &mut **hook),
        )
    }
}

impl<'a> Executor<'a> {
    /// Asks one hook.
    pub(super) fn ask<R>(
        &mut self,
        state: &mut State,
        number: usize,
        question: impl FnOnce(&mut (dyn Hook + 'a), &mut Access<'_, 'a>) -> Step<R>,
    ) -> Step<Option<R>> {
        may_panic!();
        let answer = self.with_hook(number, |exec, hook| {
            let mut access = Access::new(exec, state, number);
            question(hook, &mut access)
        });
        answer.transpose()
    }

    /// Carries out a command before an instruction, or says what must happen first.
    pub(super) fn carry_out_command(&mut self, state: &mut State, command: Command) -> Step<()> {
        match command {
            Command::Continue => Ok(()),
            Command::Fork(condition) => self.fork_by(state, condition),
            Command::End(end) => Err(end.into()),
            Command::Stop => {
                self.stop_run();
                Err(Box::new(Stop::Overdue))
            }
        }
    }

    /// Splits a path by a condition, if both sides are possible.
    pub(super) fn fork_by(&mut self, state: &mut State, condition: ExprId) -> Step<()> {
        self.decide(state, ForkKind::Hook, condition).map(|_| ())
    }

    /// Stops the run, in all processes.
    pub(super) fn stop_run(&mut self) {
        self.clock.stop();
        self.batch.end = 0;
    }

    /// Asks hooks about an event of the instruction that is about to be executed. Each is asked until
    /// it lets the path go on; then the event is over for it.
    fn ask_once(
        &mut self,
        state: &mut State,
        hooks: &[usize],
        question: &mut dyn FnMut(&mut (dyn Hook + 'a), &mut Access<'_, 'a>, usize) -> Step<Command>,
    ) -> Step<()> {
        let instruction = state.instructions;
        loop {
            let answered = *path_hooks(state).answered(instruction, Once::Reached);
            let Some(&number) = hooks.get(answered) else {
                return Ok(());
            };
            let command = self.ask(state, number, |hook, access| {
                question(hook, access, answered)
            })?;
            self.carry_out_command(state, command.unwrap_or(Command::Continue))?;
            *path_hooks(state).answered(instruction, Once::Reached) += 1;
        }
    }

    /// Tells hooks that globals and constants have their values.
    pub(crate) fn tell_prepared(&mut self, state: &mut State) {
        for number in 0..self.hooks.all.len() {
            self.with_hook(number, |exec, hook| {
                hook.prepared(&mut Access::new(exec, state, number));
            });
        }
    }

    /// Tells hooks that an instruction is about to be executed, if one of them watches it.
    #[cold]
    #[inline(never)]
    pub(crate) fn arrive(&mut self, state: &mut State, function: &Function) -> Step<()> {
        let bound = Rc::clone(&self.hooks.bound);
        let inst = InstId::new(function.first_inst.index() + state.frame.pc as usize);
        let Some(places) = bound.places.get(&inst) else {
            return Ok(());
        };
        let hooks: Vec<usize> = places.iter().map(|place| place.0).collect();
        self.ask_once(state, &hooks, &mut |hook, access, at| {
            let location = &places[at].1;
            hook.reached(access, &Reached { inst, location })
        })
    }

    /// Asks hooks about an event in the middle of an instruction that has done nothing yet.
    fn ask_all(
        &mut self,
        state: &mut State,
        hooks: impl Fn(&Bound) -> &[usize],
        mut question: impl FnMut(&mut (dyn Hook + 'a), &mut Access<'_, 'a>) -> Step<Command>,
    ) -> Step<()> {
        let bound = Rc::clone(&self.hooks.bound);
        for &number in hooks(&bound) {
            let command = self.ask(state, number, &mut question)?;
            self.carry_out_command(state, command.unwrap_or(Command::Continue))?;
        }
        Ok(())
    }

    /// Tells hooks what a pointer was resolved to.
    pub(crate) fn tell_resolution(
        &mut self,
        state: &mut State,
        (pointer, address): (plat_expr::Value, ExprId),
        (size, kind): (u64, AccessKind),
        outcomes: &[Outcome],
    ) -> Step<()> {
        let event = Resolved {
            pointer,
            address,
            size,
            kind,
            outcomes,
        };
        self.ask_all(
            state,
            |bound| &bound.resolved,
            |hook, access| hook.resolved(access, &event),
        )
    }

    /// Tells hooks what a call through a pointer leads to.
    pub(crate) fn tell_indirect_call(
        &mut self,
        state: &mut State,
        event: &IndirectCall,
    ) -> Step<()> {
        self.ask_all(
            state,
            |bound| &bound.called_indirectly,
            |hook, access| hook.called_indirectly(access, event),
        )
    }

    /// The end of a path, as hooks leave it.
    pub(crate) fn tell_end(&mut self, state: &mut State, mut end: PathEnd) -> PathEnd {
        let bound = Rc::clone(&self.hooks.bound);
        for &number in &bound.ended {
            let answer = self.ask(state, number, |hook, access| {
                let name = hook.name().to_string();
                match hook.ended(access, &end) {
                    Ok(command) => Ok((name, Ok(command))),
                    Err(stop) => Ok((name, Err(stop))),
                }
            });
            let Ok(Some((name, answer))) = answer else {
                continue;
            };
            match answer {
                Ok(EndCommand::Keep) => {}
                Ok(EndCommand::Replace(other)) => end = other,
                Ok(EndCommand::Stop) => self.stop_run(),
                Err(stop) => match *stop {
                    Stop::End(other) => end = other,
                    _ => self.events.warn_once(format!(
                        "hook {name}: what it asks at the end of a path has several answers there: \
                         the path keeps its end"
                    )),
                },
            }
        }
        end
    }
}
