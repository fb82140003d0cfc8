//! What the allocator does for a whole run (KDAlloc paper, listings 1 to 3 and section 3): freed
//! memory is told apart from what never was memory, and addresses are the same on every run and on
//! every path, in whatever order paths are explored.

use plat_allocator::kdalloc::Kdalloc;
use plat_allocator::{Allocator, AllocatorConfig, Quarantine, Region};
use plat_tests::explore::{plat_ok, prepare};
use plat_tests::{Scratch, command, root, scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A program of `tests/programs/addresses`, made ready.
struct Program {
    directory: Scratch,
    bitcode: PathBuf,
}

impl Program {
    fn new(name: &str) -> Self {
        // Tests run beside each other.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let directory = scratch(&format!("addresses-{name}-{number}"));
        let source = root().join(format!("tests/programs/addresses/{name}.c"));
        let bitcode = prepare(command(), &source, &directory).expect("a program");
        Self { directory, bitcode }
    }

    /// The files of a run that end in `suffix`, by name.
    fn run(&self, options: &str, suffix: &str) -> BTreeMap<String, String> {
        let out = self.directory.join("out");
        let _ = std::fs::remove_dir_all(&out);
        let (out_text, program) = (out.to_string_lossy(), self.bitcode.to_string_lossy());
        let mut args = vec!["run", "--quiet", "--emit-all-errors", "--test-files=all"];
        args.extend(options.split_whitespace());
        args.extend(["--output-dir", &out_text, &program]);
        plat_ok(command(), &args).expect("a run");
        let entries = std::fs::read_dir(&out).expect("a run directory");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths
            .filter(|path| path.to_string_lossy().ends_with(suffix))
            .map(|path| {
                let name = path.file_name().expect("a name").to_string_lossy();
                let text = std::fs::read(&path).expect("a file");
                (
                    name.into_owned(),
                    String::from_utf8_lossy(&text).into_owned(),
                )
            })
            .collect()
    }
}

#[test]
fn a_use_after_free_through_the_library_is_found_always() {
    let listing = Program::new("strdup_puts");
    let hidden = Program::new("through_number");
    for quarantine in [1, 2, 8, 1_000, -1] {
        for program in [&listing, &hidden] {
            let options = format!("--quarantine {quarantine}");
            let errors = program.run(&options, ".ptr.err");
            let [error] = errors.values().collect::<Vec<_>>()[..] else {
                panic!("--quarantine {quarantine}: {errors:?}");
            };
            assert!(
                error.starts_with("Error: memory error: use after free\n"),
                "{error}"
            );
            assert!(error.contains("in puts("), "{error}");
            assert!(error.contains("allocated at "), "{error}");
            assert!(error.contains("freed at: "), "{error}");
        }
    }
    // Without a quarantine only pointers know better than their numbers.
    assert_eq!(listing.run("--quarantine 0", ".err").len(), 1);
    assert!(hidden.run("--quarantine 0", ".err").is_empty());
    let out = hidden.run("--quarantine 0", ".out");
    assert_eq!(out.values().collect::<Vec<_>>(), ["B\n"]);
}

#[test]
fn faults_of_freed_memory_are_told_apart() {
    let program = Program::new("faults");
    for model in ["flat", "forking", "merging", "segmented"] {
        let errors = program.run(&format!("--memory-model {model}"), ".err");
        let mut found: Vec<(&str, bool)> = errors
            .values()
            .map(|text| {
                let first = text.lines().next().unwrap_or_default();
                let kind = first.trim_start_matches("Error: memory error: ");
                (kind, text.contains("freed at: main() at "))
            })
            .collect();
        found.sort_unstable();
        assert_eq!(
            found,
            [
                ("double free", true),
                ("double free", true),
                ("invalid pointer: free", false),
                ("out of bound pointer", false),
                ("use after free", true),
                ("use after free", true),
            ],
            "{model}"
        );
    }
}

#[test]
fn the_order_of_pointers_is_the_same_in_every_run() {
    let program = Program::new("pointer_order");
    let first = program.run("--search dfs", ".out");
    assert_eq!(first.len(), 8);
    assert_eq!(first, program.run("--search dfs", ".out"));
    // Other orders of exploration number the tests otherwise.
    let outputs: BTreeSet<&String> = first.values().collect();
    for search in ["bfs --batch-instructions 7", "random-path --seed 5"] {
        let other = program.run(&format!("--search {search}"), ".out");
        assert_eq!(outputs, other.values().collect(), "{search}");
    }
}

#[test]
fn two_runs_write_the_same_files_and_ask_the_same_questions() {
    for name in ["leaking_loop", "pointer_order"] {
        let program = Program::new(name);
        // Other files have times in them.
        let run = |options: &str| {
            let options = format!("--log-queries all,solver {options}");
            let mut files = program.run(&options, "");
            let same = [".err", ".ktest", ".out", ".smt2"];
            files.retain(|name, _| same.iter().any(|suffix| name.ends_with(suffix)));
            files
        };
        for search in ["dfs", "random-path,nurs:covnew"] {
            let options = format!("--search {search}");
            let first = run(&options);
            assert!(first["all-queries.smt2"].contains("(check-sat)"), "{name}");
            assert_eq!(first, run(&options), "{name} {search}");
        }
    }
}

#[test]
fn a_path_has_its_addresses_whatever_other_paths_do() {
    let program = Program::new("leaking_loop");
    for quarantine in [0, 2, 8] {
        let config = AllocatorConfig {
            quarantine: Quarantine::Frees(quarantine),
            ..AllocatorConfig::default()
        };
        for search in ["dfs", "bfs --batch-instructions 5"] {
            let options = format!("--search {search} --quarantine {quarantine}");
            let outputs = program.run(&options, ".out");
            assert_eq!(outputs.len(), 16);
            for text in outputs.values() {
                assert_eq!(*text, alone(&config, text), "{options}");
            }
        }
        if quarantine > 0 {
            continue;
        }
        let outputs = program.run("--quarantine 0", ".out");
        let loops = outputs.values().find(|text| !text.contains('l'));
        let addresses: BTreeSet<&str> = loops.expect("a path that leaks nothing").lines().collect();
        assert_eq!(addresses.len(), 1, "the loop is back where it was");
    }
}

/// What the path that makes these choices prints when it is the only one.
fn alone(config: &AllocatorConfig, choices: &str) -> String {
    let mut allocator = Kdalloc::new(config);
    let mut give = |freed: Option<u64>| {
        if let Some(address) = freed {
            allocator.release(Region::Heap, address, 1);
        }
        allocator.allocate(Region::Heap, 1, 16).expect("room")
    };
    let mut x = give(None);
    let mut text = String::new();
    for line in choices.lines() {
        let choice = &line[..1];
        x = give((choice == "f").then_some(x));
        text += &format!("{choice} {x:#x}\n");
    }
    text
}
