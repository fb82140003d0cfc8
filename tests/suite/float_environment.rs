//! The floating-point environment: programs that set rounding modes and read exception flags do so
//! as natively, however they are compiled; what is not modelled ends its path, and is named.

use plat::output::tests_jsonl::{self, End};
use plat_tests::explore::{plat, plat_ok};
use plat_tests::{command, compile_bitcode_with, must_run, root, scratch};
use std::path::Path;
use std::process::Command;

fn flags(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_string).collect()
}

/// What a program prints in plat and natively, both compiled with these flags.
fn both(source: &Path, level: &str, directory: &Path) -> (String, String) {
    let name = level.replace(['-', ' ', '='], "");
    let (native, bitcode) = (
        directory.join(format!("{name}.native")),
        directory.join(format!("{name}.bc")),
    );
    must_run(
        Command::new("clang-22")
            .args(flags(level))
            .arg("-w")
            .arg(source)
            .arg("-o")
            .arg(&native)
            .arg("-lm"),
    );
    compile_bitcode_with(source, &flags(level), &bitcode);
    let expected = must_run(&mut Command::new(&native)).stdout;
    let (out, bitcode) = (directory.join(format!("{name}.out")), bitcode.display());
    let (out, bitcode) = (out.display().to_string(), bitcode.to_string());
    let args = ["explore", "--quiet", "--output-dir", &out, &bitcode];
    let got = plat_ok(Path::new(command()), &args).expect("a run");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(got.stdout), text(expected))
}

#[test]
fn modes_and_flags_are_the_machines_however_a_program_is_compiled() {
    let directory = scratch("float-environment");
    let source = root().join("tests/programs/floats/float_environment.c");
    for level in [
        "-O0",
        "-O2 -frounding-math",
        "-O0 -ffp-model=strict",
        "-O2 -ffp-model=strict",
    ] {
        let (got, expected) = both(&source, level, &directory);
        assert!(expected.lines().count() > 80, "{expected}");
        assert_eq!(got, expected, "{level}");
    }
}

#[test]
fn symbolic_numbers_in_other_modes_end_their_path() {
    let directory = scratch("float-modes");
    let source = root().join("tests/programs/floats/float_modes.c");
    let (bitcode, out) = (directory.join("modes.bc"), directory.join("out"));
    compile_bitcode_with(&source, &[], &bitcode);
    let (out_text, bitcode) = (out.display().to_string(), bitcode.display().to_string());
    let args = ["explore", "--quiet", "--output-dir", &out_text, &bitcode];
    let ran = plat(Path::new(command()), &args);
    assert!(ran.status.success(), "{ran:?}");
    let text = std::fs::read_to_string(out.join("tests.jsonl")).expect("the tests");
    let tests = tests_jsonl::parse(&text).expect("lines of tests");
    let mut codes: Vec<u8> = tests.iter().filter_map(|test| test.exit_code).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 3]);
    let unsupported = tests.iter().filter(|test| test.end == End::Unsupported);
    let mut unsupported: Vec<&str> = unsupported
        .filter_map(|test| Some(test.fault.as_ref()?.message.as_str()))
        .collect();
    unsupported.sort_unstable();
    assert_eq!(
        unsupported,
        [
            "exception flags of floating-point operations on symbolic numbers",
            "floating-point arithmetic on symbolic numbers in another rounding mode than to nearest",
        ]
    );
}

#[test]
fn fused_multiplication_of_extended_floats_is_rounded_once() {
    let directory = scratch("float-fused");
    let source = root().join("tests/programs/floats/fused.c");
    let (got, expected) = both(&source, "-O0 -fno-math-errno", &directory);
    assert_eq!(expected.lines().count(), 1205);
    assert_eq!(got, expected);
}
