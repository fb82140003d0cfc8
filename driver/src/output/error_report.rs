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

/// An instruction without a source line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CodePlace {
    /// Its function.
    pub function: String,
    /// Its block, counted from 0 as they stand in `assembly.ll`.
    pub block: u32,
    /// Its text.
    pub text: String,
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
    /// Where it is where there is no debug information.
    pub code: Option<CodePlace>,
    /// The instruction's line in `assembly.ll`; 0 if it is not known.
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
        } else if let Some(code) = &self.code {
            let CodePlace {
                function,
                block,
                text,
            } = code;
            let _ = writeln!(out, "Function: {function}\nBlock: {block}");
            let _ = writeln!(out, "Instruction: {text}");
        }
        if !self.file.is_empty() || self.code.is_some() {
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

    /// `file:line`, or the instruction where there is no debug information.
    pub fn place(&self) -> String {
        match &self.code {
            _ if !self.file.is_empty() => format!("{}:{}", self.file, self.line),
            Some(code) if self.instruction > 0 => {
                format!("(in {}, assembly.ll:{})", code.function, self.instruction)
            }
            Some(code) => format!("(in {}, block {})", code.function, code.block),
            None => "(unknown)".to_string(),
        }
    }
}

impl ErrorReport {
    /// Reads a file's text; what is not there stays empty. The kind is not in it.
    pub fn parse(text: &str) -> Self {
        let mut report = ErrorReport::default();
        let mut code = CodePlace::default();
        for line in text.lines() {
            if let Some(line) = line.strip_prefix('\t') {
                match frame(line) {
                    Some(frame) if report.info.is_empty() => report.stack.push(frame),
                    _ => report.info.push(line.to_string()),
                }
                continue;
            }
            let Some((key, value)) = line.split_once(": ") else {
                continue;
            };
            match key {
                "Error" => report.message = value.to_string(),
                "File" => report.file = value.to_string(),
                "Line" => report.line = value.parse().unwrap_or(0),
                "Function" => code.function = value.to_string(),
                "Block" => code.block = value.parse().unwrap_or(0),
                "Instruction" => code.text = value.to_string(),
                "assembly.ll line" => report.instruction = value.parse().unwrap_or(0),
                "State" => report.state = value.parse().unwrap_or(0),
                _ => {}
            }
        }
        report.code = (!code.function.is_empty()).then_some(code);
        report
    }
}

/// Reads the line of a call: `#0NNNNNNNN in f(x=1) at a.c:3`. The number of the call is as long as it has to be,
/// that of the instruction has eight digits or more: the calls are counted by who reads them.
fn frame(line: &str) -> Option<Frame> {
    let (number, rest) = line.strip_prefix('#')?.split_once(" in ")?;
    let (call, place) = match rest.rsplit_once(") at ") {
        Some((call, place)) => (call, place.rsplit_once(':')),
        None => (rest.strip_suffix(')')?, None),
    };
    // Names of C++ have parentheses, arguments have none.
    let (function, args) = call.rsplit_once('(')?;
    let (file, at) = place.unwrap_or(("", "0"));
    let args = args.split(", ").filter(|arg| !arg.is_empty());
    Some(Frame {
        function: function.to_string(),
        args: args.map(str::to_string).collect(),
        file: file.to_string(),
        line: at.parse().ok()?,
        instruction: number.get(number.len().checked_sub(8)?..)?.parse().ok()?,
    })
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
            code: None,
            instruction: 17,
            state: 5,
            stack: vec![frame("f", 3), frame("main", 9)],
            info: vec!["address: 2048".into()],
        };
        let mut named = report.clone();
        named.stack[0].function = "(anonymous namespace)::operator()".into();
        let kind = named.kind.clone();
        let read = ErrorReport::parse(&named.to_text());
        assert_eq!(ErrorReport { kind, ..read }, named);
        assert_eq!(
            report.to_text(),
            "Error: memory error: out of bound pointer\nFile: a.c\nLine: 3\n\
             assembly.ll line: 17\nState: 5\nStack: \n\
             \t#000000017 in f(p=1024, n=symbolic) at a.c:3\n\
             \t#100000017 in main(p=1024, n=symbolic) at a.c:9\nInfo: \n\taddress: 2048\n"
        );
        assert_eq!(report.place(), "a.c:3");
        let read = ErrorReport::parse(&report.to_text());
        let kind = report.kind.clone();
        assert_eq!(ErrorReport { kind, ..read }, report);
    }

    #[test]
    fn without_a_line_the_instruction_is_named() {
        let report = ErrorReport {
            message: "memory error: out of bound pointer".into(),
            code: Some(CodePlace {
                function: "f".into(),
                block: 2,
                text: "store i32 1, %4".into(),
            }),
            instruction: 17,
            state: 5,
            ..ErrorReport::default()
        };
        assert_eq!(ErrorReport::parse(&report.to_text()), report);
        assert_eq!(
            report.to_text(),
            "Error: memory error: out of bound pointer\nFunction: f\nBlock: 2\n\
             Instruction: store i32 1, %4\nassembly.ll line: 17\nState: 5\nStack: \n"
        );
        assert_eq!(report.place(), "(in f, assembly.ll:17)");
        let unprinted = ErrorReport {
            instruction: 0,
            ..report
        };
        assert_eq!(unprinted.place(), "(in f, block 2)");
    }
}
