//! Generated variadic calls receive in plat what they receive natively: each program, compiled at
//! `-O0` and at `-O2`, writes the same.
//!
//! `PLAT_VARARGS_SEEDS=FIRST..LAST` makes a long run of it, and `PLAT_VARARGS_FLAGS` adds flags of
//! the compiler; a failure names its seed.

use plat_tests::command::command;
use plat_tests::explore::plat_ok;
use plat_tests::{compile_bitcode_with, must_run, scratch, varargs};
use std::path::Path;
use std::process::Command;

fn disagreement(seed: u64, level: &str, further: &[&str], directory: &Path) -> Result<(), String> {
    let file = |suffix: &str| directory.join(format!("{seed}{level}.{suffix}"));
    let mut flags: Vec<String> = ["-std=gnu23", "-w", level].map(String::from).to_vec();
    flags.extend(further.iter().map(|flag| (*flag).to_string()));
    std::fs::write(file("c"), varargs::program(seed)).expect("a program");
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    let mut compile = Command::new(clang);
    compile.args(&flags).arg(file("c"));
    must_run(compile.arg("-o").arg(file("native")));
    let native = must_run(&mut Command::new(file("native")));
    compile_bitcode_with(&file("c"), &flags, &file("bc"));
    let (out, program) = (file("out"), file("bc"));
    let command = command();
    let output = plat_ok(
        command,
        &[
            "explore",
            "--quiet",
            "--exit-code",
            "--check-points-to",
            "--output-dir",
            &out.to_string_lossy(),
            &program.to_string_lossy(),
        ],
    )?;
    if output.stdout == native.stdout {
        let _ = std::fs::remove_dir_all(&out);
        for suffix in ["c", "native", "bc"] {
            let _ = std::fs::remove_file(file(suffix));
        }
        return Ok(());
    }
    let lines = |bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(bytes);
        text.lines().map(String::from).collect()
    };
    let (native, got) = (lines(&native.stdout), lines(&output.stdout));
    let pairs = native.iter().zip(&got).find(|(native, got)| native != got);
    Err(match pairs {
        Some((native, got)) => format!("natively {native}\nin plat  {got}"),
        None => format!("natively {} lines, in plat {}", native.len(), got.len()),
    })
}

#[test]
fn variadic_calls_receive_what_they_receive_natively() {
    let seeds = std::env::var("PLAT_VARARGS_SEEDS").unwrap_or_else(|_| "0..4".into());
    let further = std::env::var("PLAT_VARARGS_FLAGS").unwrap_or_default();
    let further: Vec<&str> = further.split_whitespace().collect();
    let (first, last) = seeds.split_once("..").expect("FIRST..LAST");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let directory = scratch("varargs");
    let mut wrong = Vec::new();
    for seed in number(first)..number(last) {
        for level in ["-O0", "-O2"] {
            if let Err(why) = disagreement(seed, level, &further, &directory) {
                wrong.push(format!("seed {seed} at {level}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
