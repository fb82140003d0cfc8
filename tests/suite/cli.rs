//! The help texts, and that a script written for KLEE runs.

use plat_tests::explore::{plat, plat_ok, prepared, summary};
use plat_tests::{command, compile_bitcode, root, scratch};
use std::path::Path;

fn help(words: &[&str]) -> String {
    let output = plat_ok(command(), words).expect("help");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn help_teaches() {
    let top = help(&["--help"]);
    for stage in [
        "link",
        "analyze",
        "segment",
        "transform",
        "run",
        "explore",
        "replay",
    ] {
        assert!(
            top.contains(&format!("\n  {stage} ")),
            "{stage} is missing:\n{top}"
        );
    }
    assert!(top.contains("plat explore prog.bc --sym-arg 3"));
    let run = help(&["run", "--help"]);
    for entry in plat_engine::search::ALL {
        assert!(
            run.contains(entry.name) && run.contains(entry.help),
            "{}",
            entry.name
        );
    }
    for entry in plat_memory::model::ALL {
        assert!(
            run.contains(entry.name) && run.contains(entry.help),
            "{}",
            entry.name
        );
    }
    assert!(run.contains("--stdin-template <FILE>"));
    assert!(run.contains("plat run --exit-code prog.plat.bc 1 2 3"));
    assert!(run.lines().all(|line| line.chars().count() <= 110), "{run}");
}

/// Options as people type them for KLEE, and the files that their scripts read.
#[test]
fn a_script_for_klee_runs() {
    let directory = scratch("klee");
    let source = root().join("tests/programs/agree/number_arg.c");
    let bitcode = directory.join("number_arg.bc");
    compile_bitcode(&source, &bitcode);
    let program = bitcode.to_string_lossy().into_owned();
    let line = "explore -search=dfs --max-time=10min -max-memory=2000 --libc=uclibc \
                --posix-runtime --only-output-states-covering-new --use-cex-cache=true";
    let mut words: Vec<&str> = line.split_whitespace().collect();
    words.extend([program.as_str(), "--sym-arg", "2"]);
    let output = plat_ok(command(), &words).expect("a run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("plat: note: --posix-runtime is left out"),
        "{said}"
    );
    assert!(said.contains("plat: done: completed paths = "), "{said}");
    let last = directory.join("plat-last");
    assert_eq!(
        std::fs::read_link(&last).expect("the link"),
        Path::new("plat-out-0")
    );
    for file in [
        "info",
        "messages.txt",
        "warnings.txt",
        "summary.json",
        "test000001.ktest",
    ] {
        assert!(last.join(file).is_file(), "{file}");
    }
    let info = std::fs::read_to_string(last.join("info")).expect("info");
    assert!(info.contains("\nStarted: ") && info.contains("BEGIN searcher description\ndfs\n"));
    let test = last.join("test000001.ktest");
    let text = help(&["ktest", &test.to_string_lossy()]);
    assert!(
        text.contains("object 0: name: 'arg00'\nobject 0: size: 3\n"),
        "{text}"
    );
}

#[test]
fn json_and_the_table_come_from_the_summary() {
    let directory = scratch("json");
    let source = root().join("tests/programs/agree/matrix_rows.c");
    let bitcode = directory.join("matrix.bc");
    compile_bitcode(&source, &bitcode);
    let out = directory.join("out").to_string_lossy().into_owned();
    let program = bitcode.to_string_lossy().into_owned();
    let words = [
        "explore",
        "--quiet",
        "--json",
        "--output-dir",
        &out,
        &program,
    ];
    let output = plat(command(), &words);
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("text");
    let written = std::fs::read_to_string(Path::new(&out).join("summary.json")).expect("summary");
    assert_eq!(printed, written);
    let table = help(&["table", &format!("rows={out}")]);
    assert!(
        table.starts_with("run ") && table.contains("\nrows  auto "),
        "{table}"
    );
    // The directory is there: a second run must not touch it.
    assert_eq!(plat(command(), &words).status.code(), Some(2));
}

/// Who names no memory model has one that needs no analysis, unless the program has segments or an option
/// is about them.
#[test]
fn the_memory_model_where_none_is_named() {
    let (directory, transformed) = prepared("agree", "matrix_rows");
    let path = |suffix: &str| directory.join(suffix).to_string_lossy().into_owned();
    let (program, linked) = (path("matrix_rows.bc"), path("matrix_rows.linked.bc"));
    let (map, transformed) = (
        path("matrix_rows.segments.json"),
        transformed.to_string_lossy().into_owned(),
    );
    let lines: [(&[&str], &str); 7] = [
        (&["explore", &program], "auto"),
        (&["run", &linked], "auto"),
        (&["run", &transformed], "segmented"),
        (
            &["run", "--memory-model", "merging", &transformed],
            "merging",
        ),
        (&["explore", "--join", "demand", &program], "segmented"),
        (&["explore", "--unify", "all", &program], "segmented"),
        (&["explore", "--segments", &map, &program], "segmented"),
    ];
    for (at, (line, model)) in lines.into_iter().enumerate() {
        let out = directory.join(format!("out{at}"));
        let place = out.to_string_lossy();
        let options = [line[0], "--quiet", "--output-dir", &place];
        plat_ok(command(), &[&options[..], &line[1..]].concat()).expect("a run");
        let summary = summary(&out);
        assert_eq!(summary.memory_model, model, "{line:?}");
        assert_eq!(
            out.join("segments.json").exists(),
            line[0] == "explore" && model == "segmented"
        );
    }
}

/// Claims about aliases, of a program that another suite could contain.
#[test]
fn claims_about_aliases_are_checked() {
    let directory = scratch("aliases");
    let (source, bitcode) = (directory.join("claims.c"), directory.join("claims.bc"));
    let check = |claims: &str, more: &[&str]| {
        let text = format!(
            "void MUSTALIAS(void *p, void *q) {{}} void MAYALIAS(void *p, void *q) {{}}\n\
             void NOALIAS(void *p, void *q) {{}} void EXPECTEDFAIL_NOALIAS(void *, void *);\n\
             int x, y, *p, *q;\nint main(int argc, char **argv) {{\n\
             p = argc > 1 ? &x : &y; q = &y; {claims} return 0; }}\n"
        );
        std::fs::write(&source, text).expect("a source file");
        compile_bitcode(&source, &bitcode);
        let program = bitcode.to_string_lossy();
        let mut words = vec![
            "analyze",
            "--check-aliases",
            &program,
            "--algorithm",
            "compare",
        ];
        words.extend(more);
        let output = plat(command(), &words);
        let said = String::from_utf8(output.stdout).expect("text");
        (output.status.code().expect("an exit code"), said)
    };
    let (code, said) = check(
        "MAYALIAS(p, q); MUSTALIAS(q, &y); NOALIAS(q, &x);",
        &["--strict"],
    );
    assert_eq!(code, 0, "{said}");
    assert!(said.ends_with("3 claims: 3 hold, 0 unsound, 0 imprecise, 0 failing as expected\n"));
    let (code, said) = check("MUSTALIAS(q, &x);", &[]);
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("claims.c:5: MUSTALIAS FAILS: {global y+0} and {global x+0}"),
        "{said}"
    );
    let imprecise = "NOALIAS(p, q); EXPECTEDFAIL_NOALIAS(p, q);";
    let (code, said) = check(imprecise, &[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.ends_with("2 claims: 0 hold, 0 unsound, 1 imprecise, 1 failing as expected\n"));
    assert_eq!(check(imprecise, &["--strict"]).0, 1);
}
