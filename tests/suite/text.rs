//! Whole programs come back from their text: linked with the C library, and with the annotations of
//! the transform.

use plat_program::{Program, parse};
use plat_tests::explore::prepare;
use plat_tests::{command, corpus, scratch};
use std::path::Path;

/// Programs with heap objects that are confused, so that there are annotations.
const PROGRAMS: &[&str] = &["hash_table", "linked_list"];

fn comes_back(path: &Path) -> Program {
    let program = plat_bitcode::read(path).expect("bitcode");
    let text = program.to_string();
    let parsed = parse(text.as_bytes()).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    assert!(parsed == program.renumbered(), "{}", path.display());
    assert!(parsed.to_string() == text, "{}", path.display());
    parsed
}

#[test]
fn whole_programs_come_back_from_their_text() {
    let directory = scratch("text");
    for name in PROGRAMS {
        let cases = corpus::all();
        let case = cases
            .iter()
            .find(|case| case.name == *name)
            .expect("a case");
        let path = prepare(command(), &case.source, &directory).expect("a program");
        let linked = comes_back(&directory.join(format!("{name}.linked.bc")));
        let start = linked.function_named("__plat_start");
        assert!(start.is_some(), "the C library is missing");
        let annotated = comes_back(&path);
        assert!(annotated.annotations.transformed);
        assert!(!annotated.annotations.sites.is_empty());
    }
}
