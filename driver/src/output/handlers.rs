//! Where KLEE says that an error of UBSan's is. Its handlers are a C++ file that is linked to the program,
//! and every one of them reports from the same line of it; scripts that read KLEE's output look for
//! that file. So under KLEE's names, in its message and in the first lines of the `.err` file, that is
//! the place. The call stack begins with the check's own line, and so do plat's own files.

use plat_engine::{PathEnd, TestRecord};
use plat_program::{Callee, Inst, Program};

/// The file, below KLEE's source directory.
const FILE: &str = "runtime/Sanitizer/ubsan/ubsan_handlers.cpp";

/// The line of it that reports, in KLEE 3.2.
const LINE: u32 = 37;

/// What the handlers' names begin with.
const PREFIX: &str = "__ubsan_handle_";

/// File and line for a path that has ended in the call of a handler.
pub fn place(program: &Program, record: &TestRecord) -> Option<(&'static str, u32)> {
    let innermost = record.stack.first()?;
    if !matches!(record.end, PathEnd::Fault(_)) {
        return None;
    }
    let (function, position) = program.position(innermost.inst);
    let (Inst::Call { call, .. } | Inst::Invoke { call, .. }) =
        program.function(function).insts.get(position)?
    else {
        return None;
    };
    let Callee::Direct(callee) = call.callee else {
        return None;
    };
    let handles = program.function(callee).name.starts_with(PREFIX);
    handles.then_some((FILE, LINE))
}
