//! A line for each fault, as compilers print them: `file:line:column: error: message`. Editors know them.

use crate::model::{Fault, Report, Severity};

impl Report {
    /// The lines, those of one run behind those of another, each once.
    pub fn to_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for fault in self.runs.iter().flat_map(|run| &run.faults) {
            let line = line(fault);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }
}

fn line(fault: &Fault) -> String {
    let place = match (fault.place.file.as_str(), &fault.code) {
        ("", Some(code)) => code.clone(),
        ("", None) => "plat".to_string(),
        (file, _) => format!("{file}:{}:{}", fault.place.line, fault.place.column.max(1)),
    };
    let level = match fault.severity {
        Severity::Error => "error",
        Severity::Unsupported => "warning",
    };
    let test = fault.test.as_ref();
    let test = test.map_or(String::new(), |test| format!(", test {}", test.number));
    format!("{place}: {level}: {} [{}{test}]", fault.message, fault.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Place, Run, Test};

    #[test]
    fn lines_are_those_of_compilers() {
        let mut fault = Fault {
            kind: "div".into(),
            message: "divide by zero".into(),
            place: Place {
                file: "/a/b.c".into(),
                line: 39,
                column: 0,
            },
            ..Fault::default()
        };
        let of = |faults: &[Fault]| {
            let run = Run {
                faults: faults.to_vec(),
                ..Run::default()
            };
            let runs = vec![run.clone(), run];
            Report { runs }.to_lines()
        };
        assert_eq!(
            of(std::slice::from_ref(&fault)),
            ["/a/b.c:39:1: error: divide by zero [div]"]
        );
        fault.place.column = 51;
        fault.test = Some(Test {
            number: 7,
            ..Test::default()
        });
        fault.severity = Severity::Unsupported;
        assert_eq!(
            of(std::slice::from_ref(&fault)),
            ["/a/b.c:39:51: warning: divide by zero [div, test 7]"]
        );
        fault.place = Place::default();
        fault.code = Some("in f, assembly.ll:17".into());
        assert_eq!(
            of(&[fault]),
            ["in f, assembly.ll:17: warning: divide by zero [div, test 7]"]
        );
    }
}
