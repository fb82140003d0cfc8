//! Nothing fails silently: what a program asks for and does not get is named once, with the place
//! that asked for it, and counted in `summary.json`.

use plat::output::summary::Summary;
use plat_engine::library::REFUSED;
use plat_env::{Difference, LAST_SYSTEM_CALL, modelled_calls, system_call_name};
use plat_tests::explore::plat_ok;
use plat_tests::{command, compile_bitcode, must_run, root, scratch};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// What a run said was unsupported: the counts of the summary, and the warnings.
struct Unsupported {
    counts: BTreeMap<String, u64>,
    warnings: Vec<String>,
}

fn run(source: &Path, directory: &Path, args: &[&str]) -> Unsupported {
    let bitcode = directory.join("program.bc");
    compile_bitcode(source, &bitcode);
    let out = directory.join("out");
    let (bitcode, out_text) = (bitcode.to_string_lossy(), out.to_string_lossy());
    let command_line = ["explore", "--quiet", "--output-dir", &out_text, &bitcode];
    plat_ok(command(), &[&command_line[..], args].concat()).expect("an exploration");
    let text = |name: &str| std::fs::read_to_string(out.join(name)).expect("a file of the run");
    let summary = Summary::from_json(&text("summary.json")).expect("a summary");
    assert_eq!((summary.paths.completed, summary.paths.faults), (1, 0));
    Unsupported {
        counts: summary.unsupported,
        warnings: text("warnings.txt").lines().map(str::to_string).collect(),
    }
}

impl Unsupported {
    /// How often something was named, at a line of a file.
    fn named(&self, file: &str, line: usize, what: &str) -> usize {
        let place = format!("{file}:{line}: {what}: ");
        let warnings = self.warnings.iter();
        warnings.filter(|text| text.contains(&place)).count()
    }

    /// How often something was named anywhere.
    fn named_anywhere(&self, what: &str) -> usize {
        let part = format!(": {what}: ");
        let warnings = self.warnings.iter();
        warnings.filter(|text| text.contains(&part)).count()
    }
}

#[test]
fn what_a_program_does_not_get_is_named_and_counted() {
    let directory = scratch("unsupported");
    let (large, pipe) = (directory.join("large"), directory.join("pipe"));
    let file = File::create(&large).expect("a file");
    file.set_len(plat_env::MAX_SIZE + 1).expect("a size");
    must_run(Command::new("mkfifo").arg(&pipe));
    let source = root().join("tests/programs/unsupported/functions.c");
    let args = [large.to_string_lossy(), pipe.to_string_lossy()];
    let unsupported = run(&source, &directory, &[&args[0], &args[1]]);

    let text = std::fs::read_to_string(&source).expect("the source");
    let marks = (1..).zip(text.lines());
    let marks = marks.flat_map(|(line, text)| {
        let of_line = text.split("//~ ").skip(1);
        of_line.map(move |what| (line, what.trim_end()))
    });
    // Who is not the superuser has no policies of real time anyway.
    let root = std::fs::metadata("/proc/self").expect("this process").uid() == 0;
    let marks: Vec<(usize, &str)> = marks
        .filter(|(_, what)| root || !what.ends_with(Difference::RealTime.what()))
        .collect();
    let mut wrong = Vec::new();
    for (line, what) in &marks {
        if unsupported.named("functions.c", *line, what) != 1 {
            wrong.push(format!("not named once at line {line}: {what}"));
        }
        if !unsupported.counts.contains_key(*what) {
            wrong.push(format!("not counted: {what}"));
        }
    }
    for what in unsupported.counts.keys() {
        if !marks.iter().any(|(_, mark)| mark == what) {
            wrong.push(format!("not expected: {what}"));
        }
    }
    // The program has everything that there is.
    for refused in REFUSED {
        if !marks.iter().any(|(_, what)| what.ends_with(refused.name)) {
            wrong.push(format!("not in the program: {}", refused.name));
        }
    }
    // What a symbolic standard output does not support needs an option.
    let shown_here = |difference: &&Difference| **difference != Difference::SeekOutput;
    for difference in Difference::ALL.iter().filter(shown_here) {
        let shown = marks
            .iter()
            .any(|(_, what)| what.ends_with(difference.what()));
        if !shown && (root || *difference != Difference::RealTime) {
            wrong.push(format!("not in the program: {difference:?}"));
        }
    }
    // Whoever starts another program learns how to say what comes of it.
    for what in ["system: clone", "popen: clone", "execv: system call execve"] {
        let place = format!(": {what}: other programs are not run;");
        let mut said = unsupported.warnings.iter();
        if !said.any(|text| text.contains(&place) && text.contains("--system-result")) {
            wrong.push(format!("--system-result is not named: {what}"));
        }
    }
    let said = unsupported.warnings.join("\n");
    assert!(wrong.is_empty(), "{}\n{said}", wrong.join("\n"));
}

#[test]
fn every_system_call_that_is_not_modelled_is_named_and_counted() {
    let directory = scratch("unsupported-calls");
    let modelled = modelled_calls();
    let known = |number: &u64| modelled.iter().any(|(one, _)| one == number);
    let missing: Vec<(u64, &str)> = (0..=LAST_SYSTEM_CALL)
        .filter(|number| !known(number))
        .map(|number| (number, system_call_name(number)))
        .filter(|(_, name)| *name != "unknown")
        .collect();
    assert!(missing.len() >= 150, "{}", missing.len());
    let calls = missing.iter();
    let calls = calls.map(|(number, _)| format!("\tsyscall({number}, 0, 0, 0, 0, 0, 0);\n"));
    let calls: String = calls.collect();
    let source = directory.join("calls.c");
    let text = format!("long syscall(long, ...);\nint main(void)\n{{\n{calls}\treturn 0;\n}}\n");
    std::fs::write(&source, text).expect("a source");
    let unsupported = run(&source, &directory, &[]);
    for (at, (_, name)) in (4..).zip(&missing) {
        let what = format!("system call {name}");
        assert_eq!(unsupported.counts.get(&what), Some(&1), "{what}");
        assert_eq!(
            unsupported.named("calls.c", at, &what),
            1,
            "{what} at line {at}"
        );
    }
    assert_eq!(unsupported.counts.len(), missing.len());
}

/// Also if several processes meet it, each elsewhere; and a function of the program's own is not the
/// library's.
#[test]
fn something_is_named_once_by_all_processes_together() {
    let directory = scratch("unsupported-workers");
    let source = directory.join("program.c");
    let mut text = String::from(
        "int klee_range(int, int, const char *);\nint vhangup(void);\n\
         int getutxent(void) { return 3; }\n\
         int main(void)\n{\nint way = klee_range(0, 16, \"way\");\nint n = getutxent();\nswitch (way) {\n",
    );
    for way in 0..16 {
        text += &format!("case {way}: n += vhangup(); break;\n");
    }
    text += "}\nreturn n > 90;\n}\n";
    std::fs::write(&source, text).expect("a source");
    let bitcode = directory.join("program.bc");
    compile_bitcode(&source, &bitcode);
    for workers in ["1", "2"] {
        let out = directory.join(format!("out-{workers}"));
        let (bitcode, out_text) = (bitcode.to_string_lossy(), out.to_string_lossy());
        let args = [
            "explore",
            "--quiet",
            "--workers",
            workers,
            "--output-dir",
            &out_text,
        ];
        plat_ok(command(), &[&args[..], &[&bitcode]].concat()).expect("an exploration");
        let text = |name: &str| std::fs::read_to_string(out.join(name)).expect("a file of the run");
        let summary = Summary::from_json(&text("summary.json")).expect("a summary");
        let expected = BTreeMap::from([("system call vhangup".to_string(), 16)]);
        assert_eq!(summary.unsupported, expected);
        let warnings = text("warnings.txt").lines().map(str::to_string).collect();
        let unsupported = Unsupported {
            counts: summary.unsupported,
            warnings,
        };
        assert_eq!(
            unsupported.named_anywhere("system call vhangup"),
            1,
            "{:?}",
            unsupported.warnings
        );
    }
}
