//! Merging paths changes how many there are and not what they can do: each program of
//! `tests/programs/merging` ends in the same ways with and without it, under every memory model,
//! and its tests of merged paths do natively what plat says.
//!
//! ```c
//! /* What it is.
//!  * merged: yes      whether paths are merged (otherwise none is)
//!  * errors: ptr      the suffixes of the .err files, all of them (default: none) */
//! ```

use plat::output::summary::Summary;
use plat::output::tests_jsonl::{self, End};
use plat_tests::explore::{plat, plat_ok, prepare};
use plat_tests::program::{self, Program};
use plat_tests::{command, must_run, root, scratch};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// How the paths of a run end.
#[derive(PartialEq, Eq, Debug)]
struct Ends {
    exits: BTreeSet<u8>,
    errors: BTreeSet<String>,
}

/// The ends of a run, its tests, and how many paths became part of others.
fn run(program: &Path, options: &[&str], out: &Path) -> Result<(Ends, usize, u64), String> {
    let (out_text, program) = (out.to_string_lossy(), program.to_string_lossy());
    let mut args = vec!["run", "--quiet", "--max-time", "120s"];
    args.extend(options);
    args.extend(["--output-dir", &out_text, &program]);
    plat_ok(command(), &args)?;
    let read = |name: &str| std::fs::read_to_string(out.join(name)).map_err(|why| why.to_string());
    let tests = tests_jsonl::parse(&read("tests.jsonl")?)?;
    let summary: Summary =
        serde_json::from_str(&read("summary.json")?).map_err(|why| why.to_string())?;
    let unsupported = summary.paths.unsupported + summary.paths.limits;
    if unsupported > 0 {
        return Err(format!("{unsupported} paths are missing"));
    }
    let exits = tests.iter().filter_map(|test| test.exit_code).collect();
    let faults = tests.iter().filter_map(|test| test.fault.as_ref());
    let errors = faults.map(|fault| fault.kind.clone()).collect();
    // Tests of what paths have covered before they are merged are none of the end of a path.
    let of_ends = tests.iter().filter(|test| test.end != End::Limit).count();
    Ok((Ends { exits, errors }, of_ends, summary.paths.merged))
}

fn check(program: &Program, directory: &Path) -> Result<(), String> {
    let prepared = prepare(command(), &program.source, directory)?;
    let native = directory.join(format!("{}.native", program.stem()));
    let runtime = root().join("transform/runtime");
    must_run(
        Command::new("clang-22")
            .args(["-g", "-w", "-I"])
            .arg(runtime.join("include"))
            .args([&program.source, &runtime.join("native/replay.c")])
            .arg("-o")
            .arg(&native),
    );
    let merges = program.entry("merged") == "yes";
    let expected: BTreeSet<String> = program.words("errors").map(str::to_string).collect();
    // Another model follows one of several objects, and which one depends on the path.
    let complete = plat_memory::model::ALL
        .iter()
        .filter(|entry| entry.is_complete());
    for model in complete.map(|entry| entry.name) {
        let out = |how: &str| directory.join(format!("{}-{model}-{how}", program.stem()));
        let model = ["--memory-model", model];
        let (apart, tests, merged) = run(&prepared, &model, &out("apart"))?;
        let that = |holds: bool, what: &str| match holds {
            true => Ok(()),
            false => Err(format!("{}: {model:?}: {what}", program.file)),
        };
        that(merged == 0, "paths are merged without being asked to")?;
        that(apart.errors == expected, "errors")?;
        let ways: [(&str, &[&str]); 2] = [
            ("complete", &["--use-merge"]),
            (
                "incomplete",
                &["--use-merge", "--use-incomplete-merge", "--search=dfs"],
            ),
        ];
        for (how, options) in ways {
            let (together, fewer, merged) =
                run(&prepared, &[&model[..], options].concat(), &out(how))?;
            let differ = format!("{how}: {together:?} and not {apart:?}");
            that(together == apart, &differ)?;
            that((merged > 0) == merges, "whether paths are merged")?;
            that(fewer <= tests, "there are more tests")?;
        }
        let replayed = plat(
            command(),
            &[
                "replay",
                &out("complete").to_string_lossy(),
                "--",
                &native.to_string_lossy(),
            ],
        );
        let verdict = String::from_utf8_lossy(&replayed.stdout).into_owned();
        that(replayed.status.success(), &verdict)?;
    }
    Ok(())
}

#[test]
fn merged_paths_end_as_those_that_are_apart() {
    let directory = scratch("merging");
    let programs = program::all("merging");
    let failures: Vec<String> = programs
        .iter()
        .filter_map(|program| check(program, &directory).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
