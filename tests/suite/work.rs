//! Pieces of work that are explored apart come to the tests of one run, whoever does them, and however
//! often what they leave is divided again.

use super::resume::{programs, resume, run, summary, tests};
use plat_tests::endless::{ENDLESS, wait_for};
use plat_tests::explore::{plat, plat_ok, prepare};
use plat_tests::{command, scratch};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Programs with a table that input changes, and with faults that many paths meet.
const PROGRAMS: [&str; 3] = ["double_free", "hash_table", "option_args"];

/// Divides what a run has left into pieces.
fn divide(of: &Path, pieces: u32) -> Vec<PathBuf> {
    let (to, pieces) = (of.join("work"), pieces.to_string());
    let (of, to) = (of.to_string_lossy(), to.to_string_lossy());
    let args = ["trie", "divide", &of, "--pieces", &pieces, "-o", &to];
    let said = plat_ok(command(), &args).expect("divided").stdout;
    let said = String::from_utf8_lossy(&said);
    let files = said.lines().map(|line| {
        let words: Vec<&str> = line.rsplitn(3, ' ').collect();
        let [share, paths, file] = words[..] else {
            panic!("a file and two numbers: {line}");
        };
        let share: f64 = share.parse().expect("a share");
        assert!(paths != "0" && 0.0 < share && share <= 1.0, "{line}");
        PathBuf::from(file)
    });
    files.collect()
}

fn merge(runs: &[PathBuf], to: &Path) {
    let runs: Vec<_> = runs.iter().map(|run| run.to_string_lossy()).collect();
    let to = to.to_string_lossy();
    let mut args = vec!["tests", "merge", "-o", &to];
    args.extend(runs.iter().map(|run| &**run));
    let said = plat_ok(command(), &args).expect("merged").stdout;
    let said = String::from_utf8_lossy(&said);
    let lines = std::fs::read_dir(Path::new(&*to)).expect("the directory");
    let names = lines.map(|entry| entry.expect("an entry").file_name());
    let reports = names.filter(|name| name.to_string_lossy().ends_with(".err"));
    let reports = format!(" {} of them of errors;", reports.count());
    assert!(said.contains(&reports), "{said}{reports}");
}

/// Explores a part of a program, then what is left in pieces; what one of them leaves is divided
/// again. Returns the directories of all.
fn in_pieces(program: &Path, inputs: &[String], room: &Path, part: &str) -> Vec<PathBuf> {
    let first = room.join("first");
    let little = ["--max-instructions", part, "--max-halt-tests", "0"];
    run(program, &first, &little, inputs);
    let mut done = Vec::new();
    let mut explore = |work: &Path, how: &[&str]| {
        let results = room.join(done.len().to_string());
        let work = work.to_string_lossy();
        run(
            program,
            &results,
            &[&["--work", &*work], how].concat(),
            inputs,
        );
        done.push(results.clone());
        results
    };
    for (piece, number) in divide(&first, 3).iter().zip(0..) {
        if number > 0 {
            explore(piece, &[]);
            continue;
        }
        let left = explore(piece, &["--max-instructions", part]);
        for piece in divide(&left, 2) {
            explore(&piece, &[]);
        }
    }
    done.push(first);
    done
}

#[test]
fn pieces_come_to_the_tests_of_one_run() {
    let directory = scratch("work");
    let mut pieces = 0;
    let programs = programs(&directory).into_iter();
    for (name, program, inputs) in programs.filter(|(name, ..)| PROGRAMS.contains(&&**name)) {
        let whole = directory.join(format!("{name}.whole"));
        run(&program, &whole, &[], &inputs);
        let expected = tests(&whole);
        let instructions = summary(&whole)["instructions"].as_u64().expect("a number");
        let room = directory.join(format!("{name}.pieces"));
        fs::create_dir(&room).expect("a directory");
        let mut done = in_pieces(&program, &inputs, &room, &(instructions / 4).to_string());
        pieces += done.len() - 1;
        // Work that was given out twice.
        done.extend(done.first().cloned());
        let all = room.join("all");
        merge(&done, &all);
        assert_eq!(tests(&all), expected, "{name}");
        // Their decisions are those of one run, which has nothing left to do.
        done.reverse();
        let mut runs: Vec<_> = done.iter().map(|run| run.to_string_lossy()).collect();
        // The first one before it was divided.
        let first = runs.iter().position(|run| run.ends_with("first"));
        runs.swap(0, first.expect("the first"));
        let (to, whole) = (all.to_string_lossy(), whole.to_string_lossy());
        let mut args = vec!["trie", "merge", "-o", &to];
        args.extend(runs.iter().map(|run| &**run));
        plat_ok(command(), &args).expect("merged");
        plat_ok(command(), &["trie", "diff", &whole, &to]).expect("the same");
        let last = resume(&all, &[]);
        assert_eq!(last["stop"], "finished");
        assert_eq!(tests(&all), expected, "{name}");
    }
    assert!(pieces >= 9, "only {pieces} pieces");
}

/// `plat run --pieces-from-stdin`, which is told pieces and says how they end.
struct Pieces {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Pieces {
    fn begin(program: &Path, inputs: &[String]) -> Self {
        let mut child = Command::new(command())
            .args(["run", "--quiet", "--batch-instructions", "100"])
            .args(["--output-source=false", "--pieces-from-stdin"])
            .arg(program)
            .args(inputs)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("plat runs");
        let to = child.stdin.take().expect("a pipe");
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        Pieces { child, to, from }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.to, "{line}").expect("somebody reads");
    }

    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }
}

#[test]
fn pieces_of_a_program_that_is_loaded_once_come_to_the_same() {
    let directory = scratch("work-stdin");
    let programs = programs(&directory).into_iter();
    for (name, program, inputs) in programs.filter(|(name, ..)| PROGRAMS.contains(&&**name)) {
        let room = directory.join(&name);
        fs::create_dir(&room).expect("a directory");
        let first = room.join("first");
        let little = ["--max-instructions", "300", "--max-halt-tests", "0"];
        run(&program, &first, &little, &inputs);
        let mut pieces = Pieces::begin(&program, &inputs);
        for (work, number) in divide(&first, 3).iter().zip(0..) {
            let (alone, other) = (
                room.join(format!("{number}")),
                room.join(format!("{number}+")),
            );
            let work = work.to_string_lossy();
            let how = ["--output-source=false", "--work", &work];
            run(&program, &alone, &how, &inputs);
            // The piece before has left nothing behind, nor has one that is wrong.
            pieces.say(&format!("--work none --results '{}'", other.display()));
            // The next line may come before the piece is over.
            pieces.say(&format!("--work '{work}' --results '{}'", other.display()));
            assert_eq!(pieces.hear(), "ended 2", "{name}");
            assert_eq!(pieces.hear(), "ended 0", "{name}");
            assert_eq!(tests(&other), tests(&alone), "{name}");
            let whole = ["instructions", "paths", "led"];
            let told = |of: &Path| whole.map(|key| summary(of)[key].clone());
            assert_eq!(told(&other), told(&alone), "{name}");
        }
        drop(pieces.to);
        assert!(pieces.child.wait().expect("it ends").success());
    }
}

#[test]
fn a_piece_ends_when_it_is_to_and_when_nobody_waits_for_it() {
    let directory = scratch("work-end");
    let source = directory.join("endless.c");
    fs::write(&source, ENDLESS).expect("a file");
    let program = prepare(command(), &source, &directory).expect("a program");
    let mut pieces = Pieces::begin(&program, &[]);
    let wait_for = |file: &Path| wait_for(&file.to_string_lossy(), || file.exists());
    // Before a piece begins, there is none to end.
    pieces.say("end");
    let ended = directory.join("ended");
    pieces.say(&format!("--results '{}'", ended.display()));
    wait_for(&ended.join("run.trie"));
    // It heeds requests once it explores.
    sleep(Duration::from_millis(500));
    pieces.say("end");
    assert_eq!(pieces.hear(), "ended 0");
    assert_eq!(summary(&ended)["stop"], "interrupted");
    let killed = directory.join("killed");
    let mut other = Pieces::begin(&program, &[]);
    other.say(&format!("--results '{}'", killed.display()));
    wait_for(&killed.join("run.trie"));
    other.child.kill().expect("it is there");
    other.child.wait().expect("it ends");
    check_that_it_ended(&killed);
    let orphan = directory.join("orphan");
    pieces.say(&format!("--results '{}'", orphan.display()));
    wait_for(&orphan.join("run.trie"));
    drop(pieces.to);
    assert!(pieces.child.wait().expect("it ends").success());
    check_that_it_ended(&orphan);
}

/// A piece without end writes nothing more.
fn check_that_it_ended(results: &Path) {
    let size = || fs::metadata(results.join("run.trie")).map(|file| file.len());
    // The signal of its parent's death may come a moment later.
    sleep(Duration::from_millis(200));
    let before = size().expect("the file");
    sleep(Duration::from_secs(1));
    assert_eq!(size().expect("the file"), before);
    assert!(!results.join("summary.json").exists());
}

#[test]
fn work_of_another_run_is_refused() {
    let directory = scratch("work-refused");
    let mut programs = programs(&directory).into_iter();
    let (_, program, inputs) = programs.next().expect("a program");
    let (_, other, _) = programs.next().expect("another one");
    let first = directory.join("first");
    let little = ["--max-instructions", "200", "--max-halt-tests", "0"];
    run(&program, &first, &little, &inputs);
    let work = divide(&first, 1);
    let work = work.first().expect("a piece").to_string_lossy();
    let none = directory.join("none");
    let none = none.to_string_lossy();
    let results = directory.join("results");
    let at = results.to_string_lossy();
    let (program, other) = (program.to_string_lossy(), other.to_string_lossy());
    for (says, args) in [
        (
            "the run cannot go on",
            vec!["--work", &*work, "--results", &at, &*other],
        ),
        (
            "--memory-model",
            vec![
                "--memory-model=forking",
                "--work",
                &work,
                "--results",
                &at,
                &program,
            ],
        ),
        (
            "--allow-file",
            vec!["--files=host", "--work", &work, "--results", &at, &program],
        ),
        ("none", vec!["--work", &none, "--results", &at, &program]),
        (
            "no store",
            vec!["--work", &program, "--results", &at, &program],
        ),
        ("--output-dir", vec!["--work", &work, &program]),
    ] {
        let mut line = vec!["run", "--quiet"];
        line.extend(args);
        line.extend(inputs.iter().map(String::as_str));
        let refused = plat(command(), &line);
        assert!(!refused.status.success(), "{line:?}");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(said.contains(says), "{line:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
        assert!(!results.exists(), "{line:?} left a directory");
    }
}
