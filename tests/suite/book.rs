//! The worked examples of the book and the README, run ([`plat_tests::pages`]).

use plat_tests::pages::{blocks, fits, follow};
use plat_tests::root;

#[test]
fn the_readme() {
    assert!(follow("README.md") >= 5);
}

#[test]
fn test_generation() {
    assert!(follow("docs/book/src/test-generation.md") >= 5);
}

#[test]
fn bug_finding() {
    assert!(follow("docs/book/src/bug-finding.md") >= 5);
}

#[test]
fn a_klee_harness() {
    assert!(follow("docs/book/src/klee-harness.md") >= 5);
}

#[test]
fn a_fuzzers_harness() {
    assert!(follow("docs/book/src/fuzzer-harness.md") >= 5);
}

#[test]
fn a_makefile() {
    assert!(follow("docs/book/src/own-makefile.md") >= 5);
}

#[test]
fn a_program_in_cxx() {
    assert!(follow("docs/book/src/cxx-programs.md") >= 5);
}

#[test]
fn a_program_in_rust() {
    assert!(follow("docs/book/src/rust-programs.md") >= 8);
}

#[test]
fn memory_models() {
    assert!(follow("docs/book/src/memory-models.md") >= 5);
}

#[test]
fn regression() {
    assert!(follow("docs/book/src/regression.md") >= 5);
}

#[test]
fn threads() {
    assert!(follow("docs/book/src/threads.md") >= 5);
}

#[test]
fn sockets() {
    assert!(follow("docs/book/src/sockets.md") >= 5);
}

#[test]
fn a_report() {
    assert!(follow("docs/book/src/report.md") >= 5);
}

/// A page with commands that no test runs would rot.
#[test]
fn no_other_page_has_commands() {
    let run = [
        "test-generation.md",
        "bug-finding.md",
        "klee-harness.md",
        "fuzzer-harness.md",
        "own-makefile.md",
        "cxx-programs.md",
        "rust-programs.md",
        "memory-models.md",
        "report.md",
        "regression.md",
        "threads.md",
        "sockets.md",
        // By `outsider.rs`.
        "embedding.md",
    ];
    for entry in std::fs::read_dir(root().join("docs/book/src")).expect("the book") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("a page");
        let console = blocks(&text).iter().any(|block| block.kind == "console");
        assert_eq!(console, run.contains(&name.as_ref()), "{name}");
    }
}

#[test]
fn a_page_that_is_wrong_is_noticed() {
    let expected = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(fits(&expected(&["a", "...", "d"]), &["a", "b", "c", "d"]));
    assert!(fits(&expected(&["x = ... y ... z"]), &["x = 1 y 2 z"]));
    assert!(!fits(&expected(&["a", "...", "d"]), &["a", "b", "c"]));
    assert!(!fits(&expected(&["a"]), &["a", "b"]));
    assert!(!fits(&expected(&["a", "b"]), &["a"]));
    assert!(!fits(&expected(&["paths = 9"]), &["paths = 10"]));
    assert!(!fits(&expected(&["x ... y"]), &["x"]));
}
