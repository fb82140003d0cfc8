//! Who may print, end the process, change its directory, start processes and write files; and that
//! the engine names no memory model and no searcher.

use plat_tidy::scan::{Named, Scan};
use plat_tidy::workspace::{Source, none, sources};
use std::collections::BTreeSet;

/// Something that only few files may do.
struct Effect {
    what: &'static str,
    /// Names that do it, fully qualified; what begins with one of them does it too. `!` marks a
    /// macro.
    names: &'static [&'static str],
    /// Files and folders that may, and why.
    may: &'static [(&'static str, &'static str)],
}

const EFFECTS: &[Effect] = &[
    Effect {
        what: "writes to standard output or standard error",
        names: &[
            "print!",
            "println!",
            "eprint!",
            "eprintln!",
            "dbg!",
            "std::io::stdout",
            "std::io::stderr",
            "rustix::stdio::stdout",
            "rustix::stdio::stderr",
        ],
        may: &[
            ("driver/command/src/say.rs", "all that the command says"),
            (
                "driver/src/llvm",
                "the pipe of the process in which LLVM works",
            ),
            (
                "executor/solver/src/backend/z3_process/server.rs",
                "the pipe of the process of Z3",
            ),
            (
                "executor/protocol/src",
                "a helper's error stream is the command's standard output",
            ),
            (
                "executor/external/src/helper.rs",
                "the pipe of the process that makes external calls",
            ),
            (
                "transform/src/file.rs",
                "the result of a stage, with `-o -`",
            ),
        ],
    },
    Effect {
        what: "ends the process",
        names: &[
            "std::process::exit",
            "std::process::abort",
            "libc::_exit",
            "libc::exit",
            "libc::abort",
            "rustix::runtime::exit_group",
        ],
        may: &[
            ("driver/command/src", "the command"),
            (
                "driver/src/llvm/serve.rs",
                "the process in which LLVM works",
            ),
            (
                "executor/external/src/helper.rs",
                "the process for external calls",
            ),
            (
                "executor/engine/src/workers/process.rs",
                "a worker, which is a process of the run",
            ),
        ],
    },
    Effect {
        what: "changes the directory of the process",
        names: &[
            "std::env::set_current_dir",
            "libc::chdir",
            "libc::fchdir",
            "rustix::process::chdir",
            "rustix::process::fchdir",
        ],
        may: &[(
            "executor/sandbox/src/layers.rs",
            "a child that is about to become the program under test",
        )],
    },
    Effect {
        what: "starts a process",
        names: &[
            "std::process::Command",
            "libc::fork",
            "libc::execv",
            "libc::posix_spawn",
        ],
        may: &[
            (
                "executor/protocol/src/helper.rs",
                "the processes of LLVM and Z3",
            ),
            (
                "executor/protocol/src/fork.rs",
                "workers and processes that wait are forked",
            ),
            (
                "driver/src/building",
                "a build command, compilers, and LLVM's tools",
            ),
            (
                "driver/command/src/serving.rs",
                "the process that serves the page of a run",
            ),
            ("driver/src/doctor.rs", "tools that tell their version"),
            (
                "driver/src/replay.rs",
                "the native build of the program under test",
            ),
            (
                "driver/src/cover/tools.rs",
                "gcov and LLVM's tools, which read counters",
            ),
            (
                "executor/sandbox/src/lib.rs",
                "the command of a native run is confined",
            ),
            (
                "executor/sandbox/src/answers.rs",
                "the command of a native run is given a filter",
            ),
            (
                "executor/sandbox/src/limits.rs",
                "the command of a native run is given limits",
            ),
            (
                "executor/external/src/helper.rs",
                "a process for each external call",
            ),
            (
                "executor/external/src/client.rs",
                "the process for external calls",
            ),
        ],
    },
    Effect {
        what: "finds its own executable",
        names: &["std::env::current_exe"],
        may: &[
            (
                "driver/command/src/helpers.rs",
                "plat's processes are the command itself",
            ),
            ("driver/src/libc.rs", "the C library lies beside it"),
        ],
    },
    Effect {
        what: "writes files",
        names: &[
            "std::fs::write",
            "std::fs::copy",
            "std::fs::rename",
            "std::fs::hard_link",
            "std::fs::set_permissions",
            "std::fs::create_dir",
            "std::fs::create_dir_all",
            "std::fs::remove_dir",
            "std::fs::remove_dir_all",
            "std::fs::remove_file",
            "std::fs::DirBuilder",
            "std::fs::OpenOptions",
            "std::fs::File::create",
            "std::fs::File::create_new",
            "std::os::unix::fs::symlink",
            "tempfile",
        ],
        may: &[
            ("analysis/pointers/src/report/file.rs", "points-to sets"),
            ("analysis/segments/src/file.rs", "segment maps"),
            (
                "driver/command/src/watch.rs",
                "removes what a command that is interrupted would leave",
            ),
            ("driver/src/output", "the files of a run"),
            (
                "driver/src/building",
                "the bitcode of a build, where it is run",
            ),
            (
                "driver/src/doctor.rs",
                "a program to try, in a scratch directory",
            ),
            (
                "driver/src/scratch.rs",
                "what a command leaves for itself, and removes",
            ),
            ("driver/src/scratch", "the same"),
            (
                "driver/src/llvm/serve.rs",
                "results of the process in which LLVM works",
            ),
            ("driver/src/replay.rs", "the files that a test case has"),
            (
                "executor/sandbox/src/network.rs",
                "who the user is in a namespace, for the kernel",
            ),
            (
                "driver/src/cover/native.rs",
                "counters of a native build, in a scratch directory",
            ),
            (
                "executor/store/src/writer.rs",
                "a store, where it is told to make one",
            ),
            ("transform/src/file.rs", "the results of stages"),
        ],
    },
];

fn does(effect: &Effect, name: &Named, scan: &Scan) -> bool {
    let full = full_name(name, scan);
    effect
        .names
        .iter()
        .any(|does| match does.strip_suffix('!') {
            Some(does) => name.is_macro && full == [does],
            None => {
                let does: Vec<&str> = does.split("::").collect();
                full.len() >= does.len() && full.iter().zip(&does).all(|(a, b)| a == b)
            }
        })
}

/// A name with what its first step was imported as. What the prelude has stays as it is.
fn full_name(name: &Named, scan: &Scan) -> Vec<String> {
    let first = &name.path[0];
    let import = scan
        .imports
        .iter()
        .find(|import| import.name.as_ref() == Some(first));
    match import {
        Some(import) => [&import.path, &name.path[1..]].concat(),
        None => name.path.clone(),
    }
}

/// Lines of a file that do something.
fn lines(effect: &Effect, scan: &Scan) -> Vec<usize> {
    let mut lines: Vec<usize> = scan
        .named
        .iter()
        .filter(|name| does(effect, name, scan))
        .map(|name| name.line)
        .collect();
    lines.dedup();
    lines
}

#[test]
fn only_few_files_touch_the_world() {
    let mut wrong = Vec::new();
    for effect in EFFECTS {
        for source in sources().iter().filter(|source| source.is_shipped()) {
            let may = effect
                .may
                .iter()
                .any(|(may, _)| source.path.starts_with(may));
            if may {
                continue;
            }
            for line in source.scan.iter().flat_map(|scan| lines(effect, scan)) {
                wrong.push(format!("{}:{line}: {}", source.path.display(), effect.what));
            }
        }
    }
    none(&wrong, "only some files may do this (see EFFECTS)");
}

#[test]
fn every_permission_is_used() {
    let mut wrong = Vec::new();
    for effect in EFFECTS {
        for (may, _) in effect.may {
            let mut files = sources()
                .iter()
                .filter(|source| source.path.starts_with(may));
            let used = |source: &Source| {
                source
                    .scan
                    .iter()
                    .any(|scan| !lines(effect, scan).is_empty())
            };
            if !files.any(used) {
                wrong.push(format!("{may}: {}", effect.what));
            }
        }
    }
    none(
        &wrong,
        "nothing needs these permissions any more (see EFFECTS)",
    );
}

/// Names of the members of a family, from the entries in its folder.
fn entries(folder: &str) -> BTreeSet<String> {
    let files = sources()
        .iter()
        .filter(|source| source.path.starts_with(folder));
    let entries = files
        .filter_map(|source| source.scan.as_ref())
        .flat_map(|scan| &scan.entries);
    let names: BTreeSet<String> = entries.cloned().collect();
    assert!(names.len() > 2, "{folder}: where are the entries?");
    names
}

/// Lines of the engine that name a member of a family, though the family's list is all that there
/// is to know. Where the lists are, they have names.
fn named_members(source: &Source) -> Vec<usize> {
    let mut names = entries("executor/memory/src/model");
    let has_searchers = source.path.starts_with("executor/engine/src/search");
    if !has_searchers {
        names.extend(entries("executor/engine/src/search"));
    }
    let strings = source.scan.iter().flat_map(|scan| &scan.strings);
    // The names of one family of searchers are arguments of a macro.
    let named = strings
        .filter(|(text, _)| names.contains(text) || text.starts_with("nurs:") && !has_searchers);
    named.map(|(_, line)| *line).collect()
}

#[test]
fn the_engine_names_no_memory_model_and_no_searcher() {
    let mut wrong = Vec::new();
    for source in sources() {
        if source.path.starts_with("executor/engine/src") && source.is_shipped() {
            let lines = named_members(source);
            wrong.extend(
                lines
                    .iter()
                    .map(|line| format!("{}:{line}", source.path.display())),
            );
        }
    }
    none(&wrong, "a memory model or a searcher is named");
}

mod bad_examples {
    use super::*;
    use plat_tidy::scan::scan;

    fn found(what: &str, text: &str) -> Vec<usize> {
        let mut effects = EFFECTS.iter();
        let effect = effects
            .find(|effect| effect.what.contains(what))
            .expect("an effect");
        lines(effect, &scan(text).expect("Rust"))
    }

    #[test]
    fn effects_are_found_under_every_name() {
        let text = "fn f() {\n println!(\"a\");\n let x = || std::io::stdout();\n}";
        assert_eq!(found("standard output", text), [2, 3]);
        let text = "use std::process::{self, exit as end};\nfn f() { end(1);\n process::exit(2) }";
        assert_eq!(found("ends the process", text), [2, 3]);
        let text = "fn f() {\n use std::fs;\n fs::write(\"a\", \"b\");\n}";
        assert_eq!(found("writes files", text), [3]);
        let text = "use std::process::Command;\nfn f() { Command::new(\"a\").stdout(b); }";
        assert_eq!(found("starts a process", text), [2]);
        assert_eq!(found("standard output", text), [0; 0]);
        let text = "fn f() { let _ = env::set_current_dir(a); }\nuse std::env;";
        assert_eq!(found("directory", text), [1]);
    }

    #[test]
    fn comments_strings_and_unit_tests_are_no_effects() {
        let text = "/// println!()\nfn f() { \"println!()\"; }\n#[cfg(test)] mod t { fn g() { println!() } }";
        assert_eq!(found("standard output", text), [0; 0]);
        let text = "use std::io::{self, Write};\nfn f(out: &mut impl Write) { writeln!(out); io::copy(a, b); }";
        assert_eq!(found("standard output", text), [0; 0]);
    }

    #[test]
    fn names_of_models_are_found() {
        let source = |path: &str| Source {
            path: path.into(),
            package: None,
            text: String::new(),
            scan: scan(
                "/// forking\nfn f() { g(\"forking\"); g(\"dfs\") }\nfn h() { g(\"forking a\") }",
            )
            .ok(),
        };
        assert_eq!(
            named_members(&source("executor/engine/src/run/mod.rs")),
            [2, 2]
        );
        assert_eq!(
            named_members(&source("executor/engine/src/search/dfs.rs")),
            [2]
        );
    }
}
