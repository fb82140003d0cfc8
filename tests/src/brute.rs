//! What a program does natively: compiled with the address sanitizer and `native/brute.c`, which
//! runs it once for each input.

use crate::corpus::Case;
use crate::{Behaviour, must_run, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Exit code by which the sanitizer reports a fault (see `brute.c`).
const SANITIZER: u8 = 99;

/// Compiles the program for enumeration.
pub fn compile(case: &Case, directory: &Path) -> PathBuf {
    let native = directory.join(format!("{}.brute", case.name));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    must_run(
        Command::new(compiler)
            .args([
                "-g",
                "-O1",
                "-w",
                "-fsanitize=address",
                "-fsanitize=undefined",
            ])
            .args(["-fsanitize-undefined-trap-on-error", "-I"])
            .arg(root().join("transform/runtime/include"))
            .arg(&case.source)
            .arg(root().join("tests/native/brute.c"))
            .arg("-o")
            .arg(&native)
            .arg("-lm"),
    );
    native
}

/// What the program does for every input, without those that violate an assumption.
pub fn enumerate(case: &Case, native: &Path) -> BTreeMap<Vec<u8>, Behaviour> {
    let mut command = prepare(case, native);
    if !case.alphabet.is_empty() {
        command.env("BRUTE_ALPHABET", &case.alphabet);
    }
    let text = must_run(&mut command).stdout;
    parse(&text)
        .into_iter()
        .filter_map(|(input, did)| Some((input, did?)))
        .collect()
}

/// What it does for some inputs; `None` where one violates an assumption.
pub fn run_inputs(case: &Case, native: &Path, inputs: &[Vec<u8>]) -> Vec<Option<Behaviour>> {
    let hex = |input: &Vec<u8>| {
        input
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let list: Vec<String> = inputs.iter().map(hex).collect();
    let text = must_run(prepare(case, native).env("BRUTE_ONLY", list.join(","))).stdout;
    let runs = parse(&text);
    assert_eq!(
        runs.len(),
        inputs.len(),
        "{}: a run for each input",
        case.name
    );
    runs.into_iter().map(|(_, did)| did).collect()
}

fn prepare(case: &Case, native: &Path) -> Command {
    let list = |numbers: &[usize]| {
        let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
        words.join(",")
    };
    let mut command = Command::new(native);
    command
        .env("BRUTE_INPUTS", list(&case.inputs))
        .env("BRUTE_STDIN", case.stdin.to_string())
        .env("BRUTE_ARGS", list(&case.args))
        .env("LC_ALL", "C");
    // Room for the bytes of each argument.
    command.args(case.args.iter().map(|&length| "x".repeat(length)));
    command
}

/// Lines `INPUT_HEX exit|signal|skip NUMBER STDOUT_HEX`.
fn parse(text: &[u8]) -> Vec<(Vec<u8>, Option<Behaviour>)> {
    let text = String::from_utf8_lossy(text);
    text.lines()
        .map(|line| {
            let mut words = line.split(' ');
            let mut word = || words.next().unwrap_or_default();
            let (input, kind, number, stdout) = (word(), word(), word(), word());
            let number: u8 = number.parse().expect("a number");
            let did = match kind {
                "skip" => None,
                "exit" if number != SANITIZER => {
                    let out = String::from_utf8_lossy(&unhex(stdout)).into_owned();
                    Some(Behaviour::Ended(number, out))
                }
                _ => Some(Behaviour::Fault),
            };
            (unhex(input), did)
        })
        .collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
    (0..text.len() / 2).map(|at| digits(2 * at)).collect()
}
