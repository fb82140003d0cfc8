//! Thread-local variables. Those of the first thread are the program's globals; another thread gets an
//! object of its own when it first asks for one.

use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, internal};
use plat_env::PID;
use plat_expr::Value;
use plat_memory::{Kind, Request, Site};
use plat_program::GlobalId;

impl Executor<'_> {
    /// The running thread's address of a thread-local variable of the first thread.
    pub(crate) fn thread_local(&mut self, state: &mut State, first: Value) -> Step<Value> {
        let (Some(threads), Value::Pointer(object, offset)) = (&state.others.threads, first) else {
            return Ok(first);
        };
        if threads.running.id == PID {
            return Ok(first);
        }
        let mut known = threads.running.locals.iter();
        if let Some(&(_, own)) = known.find(|one| one.0 == object) {
            return Ok(Value::Pointer(own, offset));
        }
        let globals = &self.code.globals;
        let Some(at) = globals.iter().position(|&global| global == object) else {
            return internal("a thread-local variable that is no global");
        };
        let id = GlobalId::new(at);
        let global = self.program.global(id);
        let request = Request {
            kind: Kind::Global,
            size: global.size,
            align: global.align.max(1),
            site: Site::Global(id),
            group: None,
            context: None,
            zero: true,
        };
        let (memory, mut cx) = self.memory(state);
        let Ok(Value::Pointer(own, _)) = memory.allocate(&mut cx, &request) else {
            return internal("no memory for a thread-local variable");
        };
        self.initialize_global(state, id, own);
        if let Some(threads) = &mut state.others.threads {
            threads.running.locals.push((object, own));
        }
        Ok(Value::Pointer(own, offset))
    }
}
