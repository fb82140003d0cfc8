//! Tests, and what is wrong: from the run's tests, or from its messages if it has none.

use super::commands::commands;
use super::{Files, Notes};
use crate::model::{About, Call, Fault, Input, Place, Severity, Test};
use plat::output::error_report::ErrorReport;
use plat::output::tests_jsonl::End;
use plat::suite::{SavedTest, stem};
use std::fs;

/// Bytes of output that a fault shows.
const OUTPUT: usize = 4096;

/// Lines of source around a fault.
const AROUND: u32 = 6;

/// The tests of a run.
pub(super) fn tests(files: &Files, notes: &mut Notes) -> Vec<Test> {
    let tests = files.tests.iter().flat_map(|tests| tests.tests());
    let mut all = Vec::new();
    for test in tests {
        match test {
            Ok(test) => all.push(brief(&test)),
            Err(why) => {
                notes.0.push(format!("Tests are left out: {why}"));
                break;
            }
        }
    }
    all
}

fn brief(test: &SavedTest) -> Test {
    let fault = test.fault.as_ref();
    let end = match test.end {
        End::Returned => "returned",
        End::Exited => "exited",
        End::Fault => "fault",
        End::Unsupported => "unsupported",
        End::Limit => "limit",
    };
    Test {
        number: test.number,
        end: end.to_string(),
        message: fault.map(|it| it.message.clone()).unwrap_or_default(),
        place: fault.map_or_else(Place::default, |it| Place {
            file: it.file.clone(),
            line: it.line,
            column: 0,
        }),
        repeats: test.repeats,
        covered_new: test.covered_new,
        instructions: test.work.0,
        forks: test.work.1,
        made: test.made.as_secs_f64(),
    }
}

/// What is wrong, each once, the program's faults first.
pub(super) fn faults(files: &Files, about: &About, notes: &mut Notes) -> Vec<Fault> {
    let Some(container) = &files.tests else {
        return announced(files, about);
    };
    let mut all: Vec<Fault> = Vec::new();
    let mut lines: Vec<Vec<u32>> = Vec::new();
    for test in container.tests() {
        let Ok(test) = test else { break };
        if let Some((fault, of_calls)) = fault(&test, about) {
            all.push(fault);
            lines.push(of_calls);
        }
    }
    let places = all.iter_mut().zip(&lines).flat_map(|(fault, lines)| {
        let own = std::iter::once(&mut fault.place);
        let calls = fault.stack.iter_mut().map(|call| &mut call.place);
        own.chain(calls)
            .zip(lines)
            .map(|(place, &line)| (line, place))
    });
    let mut places: Vec<(u32, &mut Place)> = places.collect();
    files.assembly.fill(&mut places);
    for fault in &mut all {
        fault.excerpt = files.texts.around(&fault.place, AROUND);
        if fault.excerpt.1.is_empty() && !fault.place.file.is_empty() {
            let note = format!("{}: the source is not there.", fault.place.file);
            if !notes.0.contains(&note) {
                notes.0.push(note);
            }
        }
    }
    all.sort_by_key(|fault| fault.severity);
    all
}

/// The fault of a test that stands for one, and the lines in `assembly.ll` of its place and its calls.
fn fault(test: &SavedTest, about: &About) -> Option<(Fault, Vec<u32>)> {
    let kind = test.error()?;
    let suffix = format!("{kind}.err");
    let (_, text) = test.files.iter().find(|(end, _)| *end == suffix)?;
    let report = ErrorReport::parse(&String::from_utf8_lossy(text));
    let calls = report.stack.iter().map(|frame| frame.instruction);
    let lines = std::iter::once(report.instruction).chain(calls).collect();
    let file = about.directory.join(format!("{}.ktest", stem(test.number)));
    let inputs = test.inputs.iter().map(|input| Input {
        name: input.name.clone(),
        bytes: input.bytes.clone(),
    });
    let output = &test.stdout[..test.stdout.len().min(OUTPUT)];
    let mut fault = of_report(&report, kind);
    fault.inputs = inputs.collect();
    fault.output = String::from_utf8_lossy(output).into_owned();
    fault.commands = commands(about, test.number, &file);
    fault.test = Some(brief(test));
    Some((fault, lines))
}

fn of_report(report: &ErrorReport, kind: &str) -> Fault {
    let place = |file: &str, line| Place {
        file: file.to_string(),
        line,
        column: 0,
    };
    let calls = report.stack.iter().map(|frame| Call {
        function: frame.function.clone(),
        arguments: frame.args.clone(),
        place: place(&frame.file, frame.line),
    });
    let code = report.code.as_ref().map(|code| {
        let (function, line) = (&code.function, report.instruction);
        format!("in {function}, assembly.ll:{line}: {}", code.text)
    });
    Fault {
        kind: kind.to_string(),
        severity: match kind {
            "exec" | "external" => Severity::Unsupported,
            _ => Severity::Error,
        },
        message: report.message.clone(),
        place: place(&report.file, report.line),
        code,
        stack: calls.collect(),
        info: report.info.clone(),
        ..Fault::default()
    }
}

/// The faults that the messages of a run name.
fn announced(files: &Files, about: &About) -> Vec<Fault> {
    let text = fs::read_to_string(about.directory.join("messages.txt")).unwrap_or_default();
    let mut faults: Vec<Fault> = text
        .lines()
        .filter_map(|line| line.split_once(": ERROR: "))
        .filter_map(|(_, line)| message(line))
        .collect();
    for fault in &mut faults {
        fault.excerpt = files.texts.around(&fault.place, AROUND);
    }
    faults
}

/// `FILE:LINE: MESSAGE`. The kind is not named there.
fn message(line: &str) -> Option<Fault> {
    let (place, message) = line.split_once(": ")?;
    let (file, line) = place.rsplit_once(':')?;
    Some(Fault {
        kind: "error".to_string(),
        message: message.to_string(),
        place: Place {
            file: file.to_string(),
            line: line.parse().ok()?,
            column: 0,
        },
        ..Fault::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_faults() {
        let fault = message("/a/b c.c:39: memory error: out of bound pointer").expect("a fault");
        assert_eq!(
            (fault.place.file.as_str(), fault.place.line),
            ("/a/b c.c", 39)
        );
        assert_eq!(fault.message, "memory error: out of bound pointer");
        assert!(message("EXITING ON ERROR:").is_none());
    }
}
