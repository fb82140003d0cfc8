//! The first contents of global variables.

use crate::executor::Executor;
use crate::state::State;
use plat_expr::ObjectId;
use plat_program::GlobalId;

impl Executor<'_> {
    /// Writes a global variable's first contents into an object, which is zero.
    pub(crate) fn initialize_global(&mut self, state: &mut State, id: GlobalId, object: ObjectId) {
        let global = self.program.global(id);
        let Some(initializer) = &global.initializer else {
            // Weak symbols that nobody defines are addresses only; others read as zero.
            self.events.warn_once(format!(
                "global {} is only declared: it reads as zero",
                global.name
            ));
            return;
        };
        state.memory.set_writable(object, true);
        // Fresh objects are zero; what cannot be written here lies outside the global.
        for piece in initializer.bytes.pieces() {
            let (pool, offset) = (&mut self.pool, piece.offset.cast_signed());
            let _ = (state.memory).write_concrete(
                pool,
                &self.memory.objects,
                object,
                offset,
                &piece.bytes,
            );
        }
        for relocation in &initializer.relocations {
            let value = self.code.constant_value(relocation.value);
            let bits = (relocation.size * 8) as u32;
            let offset = relocation.offset as i64;
            let _ = state.memory.store(
                &mut self.pool,
                &self.memory.objects,
                object,
                offset,
                value,
                bits,
            );
        }
        state.memory.set_writable(object, !global.constant);
    }
}
