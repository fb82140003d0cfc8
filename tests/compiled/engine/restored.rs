//! A stack pointer that is restored out of order ends no path and no lifetime too many.

use plat_compiled_tests::{compile, config, run, scratch, source};
use plat_engine::PathEnd;

#[test]
fn a_stack_pointer_above_the_top_is_the_top() {
    let directory = scratch("restored");
    let bitcode = directory.join("restored.bc");
    compile(
        &["-c", "-emit-llvm", "-w"],
        &source("restored.ll"),
        &bitcode,
    );
    let program = plat_bitcode::read(&bitcode).expect("clang's bitcode is readable");
    for model in ["segmented", "forking", "flat"] {
        let (_, records) = run(&program, &config(model));
        assert_eq!(records.list.len(), 1, "{model}");
        let end = &records.list[0].end;
        assert!(matches!(end, PathEnd::Returned(7)), "{model}: {end:?}");
    }
}
