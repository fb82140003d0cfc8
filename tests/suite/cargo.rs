//! `plat build -- cargo build`: one module of a package in Rust, with its crates and its code in C, that
//! runs as natively.

use plat_tests::explore::plat_ok;
use plat_tests::{command, faulty, scratch};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A package with a crate of its own, code in C that a build script compiles, and a thread.
const FILES: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"tally\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
         [dependencies]\nwords = { path = \"words\" }\n",
    ),
    (
        "words/Cargo.toml",
        "[package]\nname = \"words\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "words/src/lib.rs",
        "use std::collections::HashMap;\n\
         pub fn tally<'a, F: Fn(u8) -> u8>(words: impl Iterator<Item = &'a str>, map: F) -> HashMap<Vec<u8>, u8> {\n\
         \tlet mut counts = HashMap::new();\n\
         \tfor word in words {\n\
         \t\t*counts.entry(word.bytes().map(&map).collect()).or_insert(253u8) += 1;\n\
         \t}\n\tcounts\n}\n",
    ),
    (
        "low.c",
        "int low(int byte) { return byte >= 'A' && byte <= 'Z' ? byte + 32 : byte; }\n",
    ),
    (
        "build.rs",
        "use std::process::Command;\nfn main() {\n\
         \tlet out = std::env::var(\"OUT_DIR\").unwrap();\n\
         \tlet run = |name: &str, args: &[&str]| assert!(Command::new(name).args(args).status().unwrap().success());\n\
         \trun(\"cc\", &[\"-c\", \"low.c\", \"-o\", &format!(\"{out}/low.o\")]);\n\
         \trun(\"ar\", &[\"rcs\", &format!(\"{out}/liblow.a\"), &format!(\"{out}/low.o\")]);\n\
         \tprintln!(\"cargo:rustc-link-search=native={out}\\ncargo:rustc-link-lib=static=low\");\n}\n",
    ),
    (
        "src/main.rs",
        "extern \"C\" { fn low(byte: i32) -> i32; }\n\
         fn main() {\n\
         \tlet text = std::env::args().nth(1).unwrap_or_default();\n\
         \tlet count = move || words::tally(text.split(','), |byte| unsafe { low(byte.into()) as u8 });\n\
         \tlet counts = std::thread::spawn(count).join().unwrap();\n\
         \tlet mut counts: Vec<_> = counts.into_iter().collect();\n\
         \tcounts.sort();\n\
         \tfor (word, count) in counts {\n\
         \t\tprintln!(\"{} {}\", String::from_utf8_lossy(&word), count.wrapping_sub(253));\n\
         \t}\n}\n",
    ),
];

fn package(directory: &Path) {
    for (name, text) in FILES {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
}

fn run_in(directory: &Path, program: &Path, words: &[&str]) -> Output {
    let mut run = Command::new(program);
    // The toolchain of the tests tells its cargo of itself.
    run.args(words)
        .current_dir(directory)
        .env_remove("CARGO_TARGET_DIR");
    run.output().expect("a run")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Builds the package; the bitcode, beside the executable.
fn build(directory: &Path, profile: &str) -> String {
    let built = run_in(
        directory,
        command(),
        &[
            "build",
            "--",
            "cargo",
            "build",
            "--offline",
            "--profile",
            profile,
        ],
    );
    let (said, complained) = (text(&built.stdout), text(&built.stderr));
    assert!(built.status.success(), "{said}{complained}");
    assert!(!complained.contains("no bitcode"), "{complained}");
    let place = match profile {
        "dev" => "debug",
        other => other,
    };
    let executable = format!("target/plat/{place}/tally");
    // The build script is no program of the package.
    assert!(
        said.ends_with(&format!(
            "{executable}.bc of 2 files
"
        )),
        "{said}"
    );
    assert!(!said.contains("build-script"), "{said}");
    executable
}

#[test]
fn a_package_with_crates_and_c_runs_as_natively() {
    let directory = scratch("cargo");
    package(&directory);
    let executable = build(&directory, "release");
    let bitcode = format!("{executable}.bc");
    let line = [
        "explore",
        "--quiet",
        "--output-dir",
        "out",
        &bitcode,
        "a,B,b,A,a",
    ];
    let explored = run_in(&directory, command(), &line);
    assert!(explored.status.success(), "{}", text(&explored.stderr));
    let native = run_in(&directory, &directory.join(&executable), &["a,B,b,A,a"]);
    assert_eq!(text(&native.stdout), "a 3\nb 2\n");
    let output = fs::read(directory.join("out/test000001.out")).expect("an output");
    assert_eq!(text(&output), text(&native.stdout));

    // And with every input of three bytes.
    let line = [
        "explore",
        "--quiet",
        "--output-dir",
        "all",
        &bitcode,
        "--sym-arg",
        "2",
    ];
    let explored = run_in(&directory, command(), &line);
    assert!(explored.status.success(), "{}", text(&explored.stderr));
    let replayed = run_in(
        &directory,
        command(),
        &["replay", "--quiet", "all", "--", &executable],
    );
    let said = text(&replayed.stdout);
    assert!(
        said.ends_with(" same, 0 differ, 0 not compared\n"),
        "{said}"
    );
    // `,,`, `a,`, `a` and others.
    let tests: usize = said
        .split(' ')
        .next()
        .and_then(|count| count.parse().ok())
        .expect("a count");
    assert!(tests >= 6, "{said}");
}

/// What a profile says of overflows holds for the bitcode.
#[test]
fn overflows_are_checked_as_the_profile_says() {
    let directory = scratch("cargo-overflow");
    package(&directory);
    for (profile, expected) in [("dev", 1), ("release", 0)] {
        let bitcode = build(&directory, profile) + ".bc";
        let out = directory.join(profile);
        let (bitcode, place) = (directory.join(bitcode), out.to_string_lossy());
        let args = [
            "explore",
            "--quiet",
            "--output-dir",
            &place,
            &bitcode.to_string_lossy(),
            "a,a,a",
        ];
        plat_ok(command(), &args).expect("an exploration");
        let reports = faulty::reports(&out);
        assert_eq!(reports.len(), expected, "{reports:#?}");
        for report in reports {
            assert_eq!(report.message, "panic: attempt to add with overflow");
            assert_eq!((report.file.as_str(), report.line), ("words/src/lib.rs", 5));
        }
    }
}
