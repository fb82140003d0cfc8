//! `--function-alias`: what a program does with a function replaced is what it does natively when it is
//! compiled with the other name in its calls.

use plat_tests::beside::outputs;
use plat_tests::explore::{plat, plat_ok};
use plat_tests::{Scratch, command, compile_bitcode, must_run, scratch};
use std::fs;
use std::process::Command;

/// The functions, and calls by the names that a build may set otherwise.
const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#define OUT_OF_LINE __attribute__((noinline))
OUT_OF_LINE int add(int a, int b) { return a + b; }
OUT_OF_LINE int add_more(int a, int b) { return a + b + 100; }
OUT_OF_LINE int multiply(int a, int b) { return a * b; }
OUT_OF_LINE short narrow(short a, short b) { return a - b; }
OUT_OF_LINE int mine(int a) { return a * 7; }
int second(int, int) __attribute__((alias("multiply")));
#ifndef ADD
#define ADD add
#define ADD_MORE add_more
#define ABS abs
#endif
int main(void)
{
	int (*volatile through)(int, int) = ADD;
	printf("%d %d %d %d %d\n", ADD(2, 3), ADD_MORE(4, 5), through(6, 7), narrow(9, 1), ABS(-3));
	return 0;
}
"#;

struct Bench {
    directory: Scratch,
}

impl Bench {
    fn new(name: &str) -> Self {
        let directory = scratch(name);
        let source = directory.join("program.c");
        fs::write(&source, SOURCE).expect("a source");
        compile_bitcode(&source, &directory.join("program.bc"));
        Bench { directory }
    }

    fn path(&self, name: &str) -> String {
        self.directory.join(name).display().to_string()
    }

    /// What the program prints with aliases, and what the command says.
    fn explored(&self, aliases: &[&str]) -> (Vec<u8>, String) {
        let out = format!("out-{}", aliases.join("-").replace(['*', '.', ':'], "_"));
        let (out, program) = (self.path(&out), self.path("program.bc"));
        let options = aliases
            .iter()
            .map(|alias| format!("--function-alias={alias}"));
        let options: Vec<String> = options.collect();
        let mut words = vec!["explore", "--test-files=all", "--output-dir", &out];
        words.extend(options.iter().map(String::as_str));
        words.push(&program);
        let output = plat_ok(command(), &words).expect("an exploration");
        let mut printed: Vec<Vec<u8>> = outputs(out.as_ref()).into_iter().collect();
        assert_eq!(printed.len(), 1, "{aliases:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (printed.remove(0), said)
    }

    /// What it prints natively with these names in its calls.
    fn natively(&self, add: &str, add_more: &str, abs: &str) -> Vec<u8> {
        let native = self.path("native");
        let mut clang = Command::new("clang-22");
        clang.args(["-fno-builtin", "-o", &native, &self.path("program.c")]);
        let names = [("ADD", add), ("ADD_MORE", add_more), ("ABS", abs)];
        clang.args(names.map(|(name, value)| format!("-D{name}={value}")));
        must_run(&mut clang);
        must_run(&mut Command::new(&native)).stdout
    }

    /// What is said of an alias that cannot be.
    fn refused(&self, alias: &str) -> String {
        let alias = format!("--function-alias={alias}");
        let (out, program) = (self.path("refused"), self.path("program.bc"));
        let words = ["explore", "--output-dir", &out, &alias, &program];
        let output = plat(command(), &words);
        assert!(!output.status.success(), "{alias}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

#[test]
fn a_function_stands_in_for_others() {
    let bench = Bench::new("function-alias");
    let natively = |add, add_more, abs| bench.natively(add, add_more, abs);
    let rows: [(&[&str], Vec<u8>, &[&str]); 5] = [
        (&[], natively("add", "add_more", "abs"), &[]),
        (
            &["add:multiply"],
            natively("multiply", "add_more", "abs"),
            &["function-alias: replaced @add with @multiply"],
        ),
        // By another name of the replacement; one behind the other.
        (
            &["add_more:add", "add:second"],
            natively("multiply", "multiply", "abs"),
            &["function-alias: replaced @add_more with @add"],
        ),
        // What does not fit is left alone.
        (
            &["add.*|narrow|mult.*:multiply"],
            natively("multiply", "multiply", "abs"),
            &[
                "replaced @add_more (matching 'add.*|narrow|mult.*') with @multiply",
                "WARNING: function-alias: @narrow could not be replaced with @multiply: return types differ",
                "@multiply: cannot replace itself",
            ],
        ),
        // A function of the library.
        (&["abs:mine"], natively("add", "add_more", "mine"), &[]),
    ];
    for (aliases, expected, says) in rows {
        let (printed, said) = bench.explored(aliases);
        let [printed, expected] = [&printed, &expected].map(|text| String::from_utf8_lossy(text));
        assert_eq!(printed, expected, "{aliases:?}");
        for line in says {
            assert!(said.contains(line), "{aliases:?}: no {line:?} in\n{said}");
        }
    }
}

#[test]
fn aliases_that_cannot_be() {
    let bench = Bench::new("function-alias-refused");
    let rows = [
        ("add", "NAME:REPLACEMENT"),
        (":add", "name or pattern cannot be empty"),
        ("add:", "replacement cannot be empty"),
        ("add:add", "@add cannot replace itself"),
        ("(add:multiply", "not a pattern"),
        (
            "add:nothing",
            "replacement function @nothing could not be found",
        ),
        ("nobody.*:add", "no (replacable) match for 'nobody.*' found"),
        (
            "add:narrow",
            "@add could not be replaced with @narrow: return types differ",
        ),
        ("add:mine", "different number of parameters"),
    ];
    for (alias, says) in rows {
        let said = bench.refused(alias);
        assert!(said.contains(says), "{alias}: no {says:?} in\n{said}");
    }
}
