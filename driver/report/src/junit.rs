//! Tests as JUnit's XML, which services of continuous integration show. There is a case for each test of new
//! code and of a fault; a run has many others, which would be no news to anybody.

use crate::kinds;
use crate::model::{Fault, Place, Report, Run, Severity, Test};
use plat::Error;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

impl Report {
    /// The text of the file: a suite for each run.
    ///
    /// # Errors
    /// When it cannot be written as XML.
    pub fn to_junit(&self) -> Result<String, Error> {
        let mut report = quick_junit::Report::new("plat");
        let suites = self.runs.iter().map(suite);
        report.add_test_suites(suites);
        report
            .to_string()
            .map_err(|why| Error::internal(format!("JUnit: {why}")))
    }
}

fn suite(run: &Run) -> TestSuite {
    let mut suite = TestSuite::new(format!("{} ({})", run.about.program, run.about.name));
    suite.set_time(Duration::from_secs_f64(run.totals.seconds.max(0.0)));
    suite.add_property(("directory", &*run.about.directory.display().to_string()));
    suite.add_property(("state", run.about.state.name()));
    suite.add_property(("tests", &*run.totals.tests.to_string()));
    let is_of_fault = |test: &Test| {
        let mut faults = run.faults.iter();
        faults.any(|fault| {
            fault
                .test
                .as_ref()
                .is_some_and(|it| it.number == test.number)
        })
    };
    let others = run.tests.iter();
    let others = others.filter(|test| test.covered_new && !is_of_fault(test));
    suite.add_test_cases(others.map(|test| case(run, test)));
    suite.add_test_cases(run.faults.iter().map(|fault| failed(run, fault)));
    suite
}

fn case(run: &Run, test: &Test) -> TestCase {
    let mut case = TestCase::new(format!("test {}", test.number), TestCaseStatus::success());
    case.set_classname(run.about.program.clone());
    if test.repeats {
        let text = format!("ends in a fault that has a test: {}", test.message);
        case.set_system_out(text);
    }
    case
}

fn failed(run: &Run, fault: &Fault) -> TestCase {
    let kind = match fault.severity {
        Severity::Error => NonSuccessKind::Failure,
        Severity::Unsupported => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(fault.kind.clone());
    status.set_message(fault.message.clone());
    status.set_description(description(fault));
    let place = place(&fault.place);
    let name = match &fault.test {
        Some(test) => format!(
            "test {}: {} at {place}",
            test.number,
            kinds::name(&fault.kind)
        ),
        None => format!("{} at {place}", kinds::name(&fault.kind)),
    };
    let mut case = TestCase::new(name, status);
    case.set_classname(run.about.program.clone());
    if !fault.output.is_empty() {
        case.set_system_out(fault.output.clone());
    }
    case
}

fn description(fault: &Fault) -> String {
    let mut lines = vec![format!("{}: {}", place(&fault.place), fault.message)];
    for call in &fault.stack {
        let (function, arguments) = (&call.function, call.arguments.join(", "));
        lines.push(format!(
            "  in {function}({arguments}) at {}",
            place(&call.place)
        ));
    }
    lines.extend(fault.info.iter().map(|line| format!("  {line}")));
    lines.extend(
        fault
            .commands
            .iter()
            .map(|it| format!("{}: {}", it.does, it.line)),
    );
    lines.join("\n")
}

fn place(place: &Place) -> String {
    match place.file.as_str() {
        "" => "an unknown place".to_string(),
        file => format!("{file}:{}", place.line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::About;

    #[test]
    fn a_fault_is_a_failure_and_its_output_is_text() {
        let test = |number, covered_new| Test {
            number,
            covered_new,
            ..Test::default()
        };
        let fault = Fault {
            kind: "div".into(),
            message: "divide <by> zero".into(),
            test: Some(test(2, true)),
            output: "a\u{0}b & c\n".into(),
            ..Fault::default()
        };
        let run = Run {
            about: About {
                program: "p.bc".into(),
                ..About::default()
            },
            tests: vec![test(1, true), test(2, true), test(3, false)],
            faults: vec![fault],
            ..Run::default()
        };
        let runs = vec![run];
        let text = Report { runs }.to_junit().expect("XML");
        let read = quick_junit::Report::deserialize_from_str(&text).expect("JUnit");
        let suite = &read.test_suites[0];
        assert_eq!((suite.tests, suite.failures, suite.errors), (2, 1, 0));
        let names: Vec<&str> = suite.test_cases.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            names,
            ["test 1", "test 2: Division by zero at an unknown place"]
        );
        assert!(text.contains("divide &lt;by&gt; zero"), "{text}");
        assert!(!text.contains('\u{0}'), "{text}");
    }
}
