//! `testNNNNNN.<type>.err` in KLEE's layout: message, source position, call stack, details.

use std::fmt::Write as _;

/// One frame of a call stack, innermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// The function.
    pub function: String,
    /// Its arguments, as `name=value` where known.
    pub args: Vec<String>,
    /// Source file; empty without debug information.
    pub file: String,
    /// Source line; 0 without debug information.
    pub line: u32,
    /// Number of the instruction in the whole program.
    pub instruction: u32,
}

/// A fault of the program under test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ErrorReport {
    /// The file suffix that tells the kind: `ptr`, `free`, `assert`, `abort`, `div`, ...
    pub kind: String,
    /// One line.
    pub message: String,
    /// Source file of the fault; empty without debug information.
    pub file: String,
    /// Source line; 0 without debug information.
    pub line: u32,
    /// Number of the instruction in the whole program.
    pub instruction: u32,
    /// The state that ended.
    pub state: u32,
    /// The call stack, innermost frame first.
    pub stack: Vec<Frame>,
    /// Further lines: address, range, neighbouring objects.
    pub info: Vec<String>,
}

impl ErrorReport {
    /// The file's text.
    pub fn to_text(&self) -> String {
        let mut out = format!("Error: {}\n", self.message);
        if !self.file.is_empty() {
            let _ = writeln!(out, "File: {}\nLine: {}", self.file, self.line);
            let _ = writeln!(out, "assembly.ll line: {}", self.instruction);
            let _ = writeln!(out, "State: {}", self.state);
        }
        out += "Stack: \n";
        out += &stack_text(self.stack.iter().cloned());
        if !self.info.is_empty() {
            out += "Info: \n";
            for line in &self.info {
                let _ = writeln!(out, "\t{line}");
            }
        }
        out
    }

    /// `file:line`, or the function where there is no debug information.
    pub fn place(&self) -> String {
        match self.stack.first() {
            _ if !self.file.is_empty() => format!("{}:{}", self.file, self.line),
            Some(frame) => format!("(in {})", frame.function),
            None => "(unknown)".to_string(),
        }
    }
}

/// The lines of calls, innermost first.
pub fn stack_text(frames: impl IntoIterator<Item = Frame>) -> String {
    let mut out = String::new();
    for (at, frame) in frames.into_iter().enumerate() {
        let _ = write!(out, "\t#{at}{:08} in {}", frame.instruction, frame.function);
        let _ = write!(out, "({})", frame.args.join(", "));
        if !frame.file.is_empty() {
            let _ = write!(out, " at {}:{}", frame.file, frame.line);
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_klees_layout() {
        let frame = |function: &str, line| Frame {
            function: function.into(),
            args: vec!["p=1024".into(), "n=symbolic".into()],
            file: "a.c".into(),
            line,
            instruction: 17,
        };
        let report = ErrorReport {
            kind: "ptr".into(),
            message: "memory error: out of bound pointer".into(),
            file: "a.c".into(),
            line: 3,
            instruction: 17,
            state: 5,
            stack: vec![frame("f", 3), frame("main", 9)],
            info: vec!["address: 2048".into()],
        };
        assert_eq!(
            report.to_text(),
            "Error: memory error: out of bound pointer\nFile: a.c\nLine: 3\n\
             assembly.ll line: 17\nState: 5\nStack: \n\
             \t#000000017 in f(p=1024, n=symbolic) at a.c:3\n\
             \t#100000017 in main(p=1024, n=symbolic) at a.c:9\nInfo: \n\taddress: 2048\n"
        );
        assert_eq!(report.place(), "a.c:3");
    }
}
