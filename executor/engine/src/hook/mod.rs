//! Hooks: code from outside the engine that hears what happens on a path and may change it.
//!
//! An [`Observer`](crate::Observer) hears what a run does and changes nothing. A [`Hook`] gets an
//! [`Access`] to the state and answers with a [`Command`], which the engine alone carries out.
//!
//! A hook says its [`Interest`] when it is registered, and hears nothing else. The interest is bound
//! to the program before the run starts: watched functions and instructions leave the fast paths,
//! the rest of the program runs as without hooks. Only [`Interest::accesses`] and
//! [`Interest::watch_accesses`] make every instruction take the slow way, and
//! [`Interest::allocations`] those that make blocks of the stack. Names that the program does not have are errors at the start.
//!
//! # What a hook owes
//!
//! The functions of [`Access`] and the hooks themselves return a [`Step`]. An error in it is a
//! [`Stop`]: the path must end or split first, because what the hook asked for has several answers
//! on it. A hook passes it on with `?`. The engine splits the path and *asks the hook again* in each
//! part, where the answer is known. The same happens after [`Command::Fork`]. So a hook asks before
//! it acts: it changes the state only after the last question that can stop it. Hooks that have
//! answered already do not hear the event again, but for `resolved`, `called_indirectly` and
//! `decides`: these come again when the instruction is tried again.
//!
//! # Data
//!
//! Data of the whole run are fields of the hook. Data of one path are kept in its state
//! ([`Access::data`]), and copied when the path forks. When paths are merged (`klee_close_merge`),
//! the data of the path that goes on are kept.
//!
//! Expressions that nothing holds may be given back between batches, and ids of expressions change then.
//! So a hook keeps expressions and values in data of paths only, whose types say how they hold them
//! ([`plat_expr::holder!`], or [`plat_expr::plain!`] for those that hold none).
//!
//! # Several processes
//!
//! With [`Config::workers`](crate::Config::workers) above 1, each process has a copy of every hook.
//! Data of paths go where their path goes. Data of the run need a decision, which
//! [`Hook::across_workers`] is asked for; by default a hook keeps the run in one process.

mod access;
mod bind;
mod by_reference;
mod calls;
pub(crate) mod data;
mod dispatch;
mod event;
mod extensions;
mod interest;
pub mod native;
mod pause;
mod pausing;
mod pending;
mod registry;
mod view;
mod watch;

pub use access::Access;
pub use bind::BindError;
pub use event::{
    Allocated, Call, Decision, Forked, IndirectCall, MemoryAccess, Place, Reached, Resolved,
    Returned, Split,
};
pub use extensions::Extensions;
pub use interest::{Accesses, Interest, Location};
pub use native::{NativeFunction, Reply};
pub use pause::Pause;
pub use view::View;

pub use crate::state::stop::{Side, Step, Stop};
// What hooks meet of other crates.
pub(crate) use data::PathHooks;
pub(crate) use pause::Pausing;
pub use plat_expr::{Byte, ExprId, IntPredicate, ObjectId, Pool, Value};
pub use plat_memory::{AccessKind, ObjectInfo, Outcome};
pub use plat_program::{FuncId, InstId, Reg};
pub(crate) use registry::Hooks;

use crate::api::outcome::PathEnd;
use crate::api::summary::Summary;
use plat_program::Program;

/// What the engine is to do after an event.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Command {
    /// Nothing.
    Continue,
    /// Split the path by a condition, if both sides are possible. The hook is asked again in each.
    Fork(ExprId),
    /// End the path.
    End(PathEnd),
    /// Stop the run. The path stays alive, and has the test of a live path.
    Stop,
}

/// What the engine is to do at a call, or at the return from it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CallCommand {
    /// Nothing.
    Continue,
    /// At a call: do not make it, and take this as its result. At a return: take this as the result
    /// instead. A function without a result takes any value.
    Return(Value),
    /// As [`Command::Fork`].
    Fork(ExprId),
    /// As [`Command::End`].
    End(PathEnd),
    /// As [`Command::Stop`].
    Stop,
}

/// What the engine is to do when a path ends.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EndCommand {
    /// The path ends as it does.
    Keep,
    /// It ends in another way.
    Replace(PathEnd),
    /// It ends as it does, and the run stops.
    Stop,
}

/// What becomes of a hook's data of the run when several processes explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AcrossWorkers {
    /// The run stays in one process, and says why.
    OneProcess,
    /// The hook has no such data, or needs them in the process only in which they came to be.
    Independent,
    /// What [`Hook::save`] gives in a worker is sent to the first process, for [`Hook::merge`].
    Merged,
}

/// Hears events of paths and may act on them. All methods but the first two do nothing by default.
pub trait Hook {
    /// Its name in messages.
    fn name(&self) -> &str;

    /// What it hears. Asked once, when it is registered.
    fn interest(&self) -> Interest;

    /// The program's globals and constants have their values, and nothing has been executed. Asked
    /// once, with the first initial state, of every hook whatever its interest.
    fn prepared(&mut self, _access: &mut Access<'_, '_>) {}

    /// An initial state is about to execute its first instruction.
    fn started(&mut self, _access: &mut Access<'_, '_>) -> Step<Command> {
        Ok(Command::Continue)
    }

    /// A state that was split off another is about to go on: the access is to the new one. Parts that
    /// end where they are split off are heard as ends only.
    fn forked(&mut self, _access: &mut Access<'_, '_>, _event: &Forked) -> Step<Command> {
        Ok(Command::Continue)
    }

    /// A symbolic pointer was resolved, and nothing was done with it yet.
    fn resolved(&mut self, _access: &mut Access<'_, '_>, _event: &Resolved<'_>) -> Step<Command> {
        Ok(Command::Continue)
    }

    /// Memory was read, written or freed, and the instruction is done. Accesses that end their path
    /// in a fault are not heard here, but as its end.
    fn accessed(&mut self, _access: &mut Access<'_, '_>, _event: &MemoryAccess) -> Step<Command> {
        Ok(Command::Continue)
    }

    /// A function is about to be called.
    fn called(&mut self, _access: &mut Access<'_, '_>, _event: &Call<'_>) -> Step<CallCommand> {
        Ok(CallCommand::Continue)
    }

    /// A function is about to return; if it has a body, it is still the innermost one on the stack.
    /// A function that is left by an exception, `longjmp` or `exit` does not return.
    fn returned(
        &mut self,
        _access: &mut Access<'_, '_>,
        _event: &Returned<'_>,
    ) -> Step<CallCommand> {
        Ok(CallCommand::Continue)
    }

    /// A call through a pointer has been found to lead to a function, and is about to be made.
    fn called_indirectly(
        &mut self,
        _access: &mut Access<'_, '_>,
        _event: &IndirectCall,
    ) -> Step<Command> {
        Ok(Command::Continue)
    }

    /// A location was reached: its instruction is about to be executed.
    fn reached(&mut self, _access: &mut Access<'_, '_>, _event: &Reached<'_>) -> Step<Command> {
        Ok(Command::Continue)
    }

    /// The path has come to where the hook has asked to be told ([`Access::pause`]), and stands between
    /// two instructions. The pause stays as it is until the hook asks for another.
    fn paused(&mut self, _access: &mut Access<'_, '_>) -> Step<Command> {
        Ok(Command::Continue)
    }

    /// The path is about to decide something by the input, or freezes a value. The answer is the
    /// expression to decide by instead: one of the same width that means the same, or what the event
    /// has. The hook is asked again if the instruction is tried again.
    fn decides(&mut self, _access: &mut Access<'_, '_>, event: &Decision) -> Step<ExprId> {
        Ok(event.expr)
    }

    /// With [`Interest::decisions`]: whether an expression must not be mixed with others in an
    /// if-then-else, as a copy of symbolic length does with the bytes at its end. That copy is then
    /// made another way.
    fn keeps_whole(&self, _pool: &Pool, _expr: ExprId) -> bool {
        false
    }

    /// A block of the heap or the stack was made, in the middle of the instruction. The hook may
    /// fill it. It cannot split or end the path here.
    fn allocated(&mut self, _access: &mut Access<'_, '_>, _event: &Allocated) {}

    /// Memory is accessed at once, in the middle of the instruction: the hook looks and changes
    /// nothing. Heard are also accesses of instructions that are then tried again or end in a fault.
    fn watch_access(&mut self, _view: &View<'_, '_>, _event: &MemoryAccess) {}

    /// A path is split, at once: the hook looks and changes nothing.
    fn watch_split(&mut self, _view: &View<'_, '_>, _event: &Split) {}

    /// A path ends of which inputs are known, also by a limit. It cannot be split any more: where a
    /// function of the access would have to, it fails, and the path keeps its end with a warning.
    fn ended(&mut self, _access: &mut Access<'_, '_>, _end: &PathEnd) -> Step<EndCommand> {
        Ok(EndCommand::Keep)
    }

    /// What becomes of its data of the run when several processes explore.
    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::OneProcess
    }

    /// In a worker: what has been gathered since the last time, with [`AcrossWorkers::Merged`].
    /// Asked about twice a second and at the end.
    fn save(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// In the first process: takes what `save` has given in a worker.
    fn merge(&mut self, _saved: &[u8]) {}

    /// In a worker that was just forked: forgets what the first process has gathered, so that
    /// it is not saved twice.
    fn worker_started(&mut self) {}

    /// The run is over. In the first process, with what all processes have gathered: the hook may
    /// enter its result into the summary.
    fn finished(&mut self, _program: &Program, _summary: &mut Summary) {}
}
