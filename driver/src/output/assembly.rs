//! `assembly.ll`: the program that is executed as text, and on which line of it each instruction
//! stands. Error reports and `run.istats` speak of these lines.

use super::directory::Directory;
use crate::failure::Failure;
use plat_program::{InstId, Program};
use std::path::Path;

/// The line of each instruction of a program; 0 where it is not known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Lines {
    of_inst: Vec<u32>,
    /// The line of each function's head.
    of_function: Vec<u32>,
}

/// Writes `assembly.ll`, the text of the bitcode that is executed, and finds the program's
/// instructions in it.
///
/// # Errors
/// When it cannot be written.
pub fn write(bitcode: &Path, program: &Program, directory: &Directory) -> Result<Lines, Failure> {
    let text = plat_transform::disassemble(bitcode).map_err(Failure::input)?;
    directory.write("assembly.ll", text.as_bytes())?;
    Ok(Lines::new(program, &text))
}

/// One function's instructions in the text.
#[derive(Default)]
struct Body {
    head: u32,
    /// Calls in order: what call ordinals count.
    calls: Vec<u32>,
    /// All others but phis, in order.
    others: Vec<u32>,
}

impl Lines {
    /// Finds the instructions of a program in its text, as LLVM prints it.
    pub fn new(program: &Program, text: &str) -> Self {
        let bodies = bodies(text);
        let mut lines = Lines {
            of_inst: vec![0; program.inst_count()],
            of_function: vec![0; program.functions.len()],
        };
        for function in &program.functions {
            let Some(body) = bodies.get(function.name.as_str()) else {
                continue;
            };
            lines.of_function[function.id.index()] = body.head;
            let mut others = body.others.iter().copied();
            let first = function.first_inst.index();
            for (at, &ordinal) in function.call_ordinals.iter().enumerate() {
                let line = match ordinal {
                    u32::MAX => others.next(),
                    ordinal => body.calls.get(ordinal as usize).copied(),
                };
                lines.of_inst[first + at] = line.unwrap_or(0);
            }
        }
        lines
    }

    /// The line of an instruction.
    pub fn of(&self, inst: InstId) -> u32 {
        self.of_inst.get(inst.index()).copied().unwrap_or(0)
    }

    /// The line of a function's head.
    pub fn of_function(&self, function: plat_program::FuncId) -> u32 {
        let line = self.of_function.get(function.index());
        line.copied().unwrap_or(0)
    }
}

fn bodies(text: &str) -> std::collections::HashMap<String, Body> {
    let mut all = std::collections::HashMap::new();
    let mut open: Option<(String, Body)> = None;
    for (at, line) in text.lines().enumerate() {
        let number = at as u32 + 1;
        if line.starts_with("define ") {
            let body = Body {
                head: number,
                ..Body::default()
            };
            open = function_name(line).map(|name| (name, body));
        } else if line == "}" {
            all.extend(open.take());
        } else if let Some((_, body)) = &mut open
            && let Some(inst) = instruction(line)
        {
            match inst {
                Kind::Call => body.calls.push(number),
                Kind::Other => body.others.push(number),
                Kind::Phi => {}
            }
        }
    }
    all
}

/// The symbol in a `define` line, without the byte that marks it as final.
fn function_name(line: &str) -> Option<String> {
    let rest = &line[line.find(" @")? + 2..];
    if let Some(quoted) = rest.strip_prefix('"') {
        let name = &quoted[..quoted.find('"')?];
        return Some(name.strip_prefix("\\01").unwrap_or(name).to_string());
    }
    Some(rest[..rest.find('(')?].to_string())
}

enum Kind {
    Call,
    Phi,
    Other,
}

/// What kind of instruction begins on a line, if one does: they are indented by two blanks, and
/// what continues them by more.
fn instruction(line: &str) -> Option<Kind> {
    let body = line.strip_prefix("  ")?;
    if body.starts_with([' ', ']', ';', '#']) {
        return None;
    }
    let body = match body.strip_prefix('%') {
        Some(named) => named.split_once(" = ")?.1,
        None => body,
    };
    let mut words = body.split(' ');
    let word = words.next()?;
    Some(match word {
        "phi" => Kind::Phi,
        "call" | "invoke" | "callbr" => Kind::Call,
        "tail" | "musttail" | "notail" => Kind::Call,
        // The rest of an invoke on a line of its own.
        "to" | "cleanup" | "catch" | "filter" => return None,
        _ => Kind::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_plain_quoted_and_final() {
        let name = |line| function_name(line).unwrap();
        assert_eq!(name("define i32 @main(i32 %0) #0 !dbg !5 {"), "main");
        assert_eq!(name("define void @\"a b\"() {"), "a b");
        assert_eq!(name("define void @\"\\01f\"(ptr @g) {"), "f");
    }

    #[test]
    fn instructions_are_told_from_what_surrounds_them() {
        let text = "define i32 @f(i32 %x) {\nentry:\n  %p = alloca i32, align 4, !dbg !1\n    \
                    #dbg_value(i32 %x, !2)\n  switch i32 %x, label %a [\n    i32 1, label %b\n  ]\n\
                    \na:                     ; preds = %entry\n  %q = phi i32 [ 1, %entry ]\n  \
                    %r = tail call i32 @g()\n  invoke void @h()\n          to label %b unwind %c\n}\n";
        let bodies = bodies(text);
        let body = &bodies["f"];
        assert_eq!(
            (body.head, &body.calls[..], &body.others[..]),
            (1, &[11, 12][..], &[3, 5][..])
        );
    }
}
