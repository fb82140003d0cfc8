//! Panics of Rust as faults: the place that the panic names and its text, from what the program has
//! written to standard error.
//!
//! A panic ends in `abort`, or it unwinds to the start of the program. Both happen deep in Rust's
//! library, behind the panic's message, which its hook writes: `thread 'main' panicked at
//! src/main.rs:5:10:`, and the text in the lines behind that. A program with a hook of its own may
//! write something else; then the place is that of the call of the library.

use crate::api::outcome::{Fault, FaultKind, PathEnd, SourceLine};
use crate::code::libraries;
use crate::executor::Executor;
use crate::state::State;
use plat_expr::{Assignment, EvalMemo};
use plat_program::FuncId;

/// What stands between the name of a thread and the place of its panic.
pub(super) const AT: &str = " panicked at ";
/// How the line behind the text of a panic begins.
const NOTE: &str = "note: run with";

impl Executor<'_> {
    /// The end as a panic, if it is one: with what the program says of it under a model.
    pub(crate) fn panicked(&self, state: &State, end: PathEnd, model: &Assignment) -> PathEnd {
        may_panic!();
        let fault = match end {
            PathEnd::Fault(fault) if matches!(fault.kind, FaultKind::Abort | FaultKind::Panic) => {
                fault
            }
            other => return self.failed_test(state, other, model),
        };
        if self.panicking_frames(state) == 0 {
            return PathEnd::Fault(fault);
        }
        let written = state.environment.stderr.bytes();
        let written = self.bytes_under(&written, model, &mut EvalMemo::default());
        let (named, mut lines) = message(&String::from_utf8_lossy(&written));
        let text = match lines.is_empty() {
            true => "without a message".to_string(),
            false => lines.remove(0),
        };
        PathEnd::Fault(Fault {
            info: lines,
            named: named.or(fault.named),
            ..Fault::new(FaultKind::Panic, format!("panic: {text}"))
        })
    }

    /// The innermost frames up to the outermost one that belongs to a panic on its way; 0 if there is
    /// no panic.
    pub(crate) fn panicking_frames(&self, state: &State) -> usize {
        let frames = (1..).zip(state.stack());
        let panicking = frames.filter(|(_, frame)| self.panics(frame.function));
        panicking.map(|(count, _)| count).last().unwrap_or(0)
    }

    /// Whether a function is a part of panicking.
    fn panics(&self, function: FuncId) -> bool {
        let name = &self.program.function(function).name;
        self.code.functions[function.index()].library
            && libraries::rust_path(name).is_some_and(|path| is_panicking(&path))
    }

    /// Whether only libraries and the start of the program are left behind so many frames. A harness of
    /// tests is neither: it may want a panic.
    pub(crate) fn leaves_the_program(&self, state: &State, behind: usize) -> bool {
        let mut rest = state.stack().skip(behind);
        !self.within_harness(state, behind)
            && rest.all(|frame| {
                let name = &self.program.function(frame.function).name;
                self.code.functions[frame.function.index()].library || name == "main"
            })
    }
}

/// Whether a function of Rust's library runs only while a panic is on its way.
fn is_panicking(path: &str) -> bool {
    let of_std = path.strip_prefix("std::panicking::");
    let name = of_std.and_then(|rest| rest.split([':', '<']).next());
    // `std::panicking` also has what catches panics.
    path.starts_with("core::panicking::")
        || path.ends_with("rust_begin_unwind")
        || name.is_some_and(|name| name.contains("panic"))
}

/// The place and the lines of the last panic that a text tells of.
pub(super) fn message(text: &str) -> (Option<SourceLine>, Vec<String>) {
    let Some((_, behind)) = text.rsplit_once(AT) else {
        return (None, Vec::new());
    };
    let mut lines = behind.lines();
    let head = lines.next().unwrap_or_default();
    let said = lines.take_while(|line| !line.starts_with(NOTE) && !line.is_empty());
    (place(head), said.map(str::to_string).collect())
}

/// `src/main.rs:5:10:`
fn place(head: &str) -> Option<SourceLine> {
    let mut parts = head.strip_suffix(':')?.rsplitn(3, ':');
    let (_column, line) = (parts.next()?, parts.next()?);
    Some(SourceLine {
        line: line.parse().ok()?,
        file: parts.next()?.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn the_last_panic_is_told_with_its_place() {
        let text = "thread 'main' panicked at old.rs:1:1:\nfirst\n\n\
                    thread 'main' (7) panicked at src/main.rs:5:10:\n\
                    assertion `left == right` failed\n  left: 1\n right: 2\n\
                    note: run with `RUST_BACKTRACE=1`\n";
        let (place, lines) = message(text);
        let place = place.expect("a place");
        assert_eq!((place.file.as_str(), place.line), ("src/main.rs", 5));
        let expected = ["assertion `left == right` failed", "  left: 1", " right: 2"];
        assert_eq!(lines, expected);
        assert_eq!(message("nothing of that kind"), (None, vec![]));
    }
}
