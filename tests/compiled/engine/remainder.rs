//! Remainders of symbolic floats are the machine's, the signs of zeros among them.

use plat_compiled_tests::{compile, config, run, scratch, source};

#[test]
fn remainders_of_symbolic_floats_are_those_of_the_machine() {
    let directory = scratch("remainder");
    let bitcode = directory.join("remainder.bc");
    let flags = ["-c", "-emit-llvm", "-w", "-O0", "-fno-math-errno"];
    compile(&flags, &source("remainder.c"), &bitcode);
    let program = plat_bitcode::read(&bitcode).expect("clang's bitcode is readable");
    let (_, records) = run(&program, &config("segmented"));
    let mut ways: Vec<(u8, Option<i32>)> = Vec::new();
    for record in &records.list {
        let way = record.inputs[0].bytes[0].min(10);
        ways.push((way, record.exit_code));
    }
    ways.sort_unstable();
    let mut expected: Vec<(u8, Option<i32>)> = (0..10).map(|way| (way, Some(0))).collect();
    expected.push((10, Some(2)));
    assert_eq!(ways, expected);
}
