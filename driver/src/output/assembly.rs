//! `assembly.ll`: the program that is executed as text, and on which line of it each instruction
//! stands. Error reports and `run.istats` speak of these lines.

use crate::Error;
use crate::llvm::Printing;
use plat_program::{FuncId, InstId, Program};
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

/// Where instructions stand in the text, which may be in the making: whoever asks waits for it.
#[derive(Default, Debug)]
pub struct Lines {
    numbers: OnceCell<Result<Numbers, Error>>,
    printing: RefCell<Option<Printing>>,
}

/// The line of each instruction of a program; 0 where it is not known.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Numbers {
    #[serde(with = "steps")]
    of_inst: Vec<u32>,
    /// The line of each function's head.
    #[serde(with = "steps")]
    of_function: Vec<u32>,
}

/// Lines as differences to the line before, which are small: they wait in a pipe, which has little
/// room, and as long as they do not fit the process that has sent them waits too.
mod steps {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(lines: &[u32], to: S) -> Result<S::Ok, S::Error> {
        let mut last = 0;
        let step = |&line: &u32| line.wrapping_sub(std::mem::replace(&mut last, line));
        let steps: Vec<i32> = lines.iter().map(step).map(u32::cast_signed).collect();
        steps.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u32>, D::Error> {
        let mut line = 0u32;
        let steps = Vec::<i32>::deserialize(from)?.into_iter();
        let lines = steps.map(|step| {
            line = line.wrapping_add(step.cast_unsigned());
            line
        });
        Ok(lines.collect())
    }
}

impl Lines {
    /// Those of a text that is being written.
    pub fn printed(text: Printing) -> Self {
        Lines {
            printing: RefCell::new(Some(text)),
            ..Lines::default()
        }
    }

    fn numbers(&self) -> &Result<Numbers, Error> {
        self.numbers.get_or_init(|| match self.printing.take() {
            Some(text) => text.wait(),
            None => Ok(Numbers::default()),
        })
    }

    /// Waits for the text.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn finish(&self) -> Result<(), Error> {
        self.numbers().as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// Ends the writing if it goes on.
    pub fn abandon(&self) {
        self.printing.take();
    }

    /// The line of an instruction; 0 if it is not known.
    pub fn of(&self, inst: InstId) -> u32 {
        let line = (self.numbers().as_ref().ok()).and_then(|known| known.of_inst.get(inst.index()));
        line.copied().unwrap_or(0)
    }

    /// The line of a function's head; 0 if it is not known.
    pub fn of_function(&self, function: FuncId) -> u32 {
        let known = self.numbers().as_ref().ok();
        let line = known.and_then(|known| known.of_function.get(function.index()));
        line.copied().unwrap_or(0)
    }
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

/// Finds the instructions of a program in its text, as LLVM prints it.
pub fn numbers(program: &Program, text: &[u8]) -> Numbers {
    let bodies = bodies(text);
    let mut lines = Numbers {
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

fn bodies(text: &[u8]) -> HashMap<String, Body> {
    let mut all = HashMap::new();
    let mut open: Option<(String, Body)> = None;
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let line = String::from_utf8_lossy(line);
        if line.starts_with("define ") {
            let body = Body {
                head: number,
                ..Body::default()
            };
            open = function_name(&line).map(|name| (name, body));
        } else if line == "}" {
            all.extend(open.take());
        } else if let Some((_, body)) = &mut open
            && let Some(inst) = instruction(&line)
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
    fn lines_are_handed_over_in_a_byte_or_two_each() {
        let numbers = Numbers {
            of_inst: vec![7, 8, 9, 0, 4_000_000_000, 4_000_000_001, 1],
            of_function: (5..1000).collect(),
        };
        let bytes = postcard::to_stdvec(&numbers).expect("bytes");
        assert!(bytes.len() < 1030, "{} bytes", bytes.len());
        assert_eq!(postcard::from_bytes(&bytes), Ok(numbers));
    }

    #[test]
    fn instructions_are_told_from_what_surrounds_them() {
        let text = "define i32 @f(i32 %x) {\nentry:\n  %p = alloca i32, align 4, !dbg !1\n    \
                    #dbg_value(i32 %x, !2)\n  switch i32 %x, label %a [\n    i32 1, label %b\n  ]\n\
                    \na:                     ; preds = %entry\n  %q = phi i32 [ 1, %entry ]\n  \
                    %r = tail call i32 @g()\n  invoke void @h()\n          to label %b unwind %c\n}\n";
        let bodies = bodies(text.as_bytes());
        let body = &bodies["f"];
        assert_eq!(
            (body.head, &body.calls[..], &body.others[..]),
            (1, &[11, 12][..], &[3, 5][..])
        );
    }
}
