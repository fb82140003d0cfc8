//! Unsupported features that do not end their path: each is counted, and named once, with the place in
//! the program that needed it first.

use crate::code::libraries;
use crate::executor::Executor;
use crate::report::blame::place_text;
use crate::state::State;
use plat_program::FuncId;

impl Executor<'_> {
    /// Counts something unsupported, and says at the first time what the program sees.
    pub(crate) fn note_unsupported(&mut self, state: &State, what: String, sees: &str) {
        self.counters.counts.note_unsupported(&what);
        if self.events.has_warned(&what) {
            return;
        }
        let place = self.calling_place(state);
        let text = format!("{place}: {what}: {sees}");
        self.events.warn_first(what, text);
    }

    /// Where the program's own code stands, as warnings show it.
    pub(crate) fn calling_place(&self, state: &State) -> String {
        let place = place_text(&self.line_outside_libraries(self.calling_inst(state)));
        place.unwrap_or_else(|| {
            let (function, _) = self.program.position(self.calling_inst(state));
            format!("(in {})", self.program.function(function).name)
        })
    }

    /// What is unsupported, by the function of a library that the program has called for it: `popen:
    /// clone`.
    pub(crate) fn unsupported_name(
        &self,
        state: &State,
        callee: Option<FuncId>,
        what: &str,
    ) -> String {
        // Symbols of the library behind its aliases begin with underscores.
        let entry = self.library_entry(state, callee);
        match entry.map(|entry| entry.trim_start_matches('_').to_string()) {
            Some(entry) if !what.ends_with(&entry) && entry != "syscall" => {
                format!("{entry}: {what}")
            }
            _ => what.to_string(),
        }
    }

    /// The function of a library that the program has called, in which a path is; of one that the
    /// running frame calls, `callee`.
    fn library_entry(&self, state: &State, callee: Option<FuncId>) -> Option<String> {
        let mut entry = callee;
        for frame in state.stack() {
            if self.is_own(frame) {
                let name = &self.program.function(entry?).name;
                return Some(libraries::rust_path(name).unwrap_or_else(|| name.clone()));
            }
            entry = Some(frame.function);
        }
        None
    }
}
