//! Pointers lead where the points-to analysis says: the analysis' own corpus, run; and a result
//! that says too little is found out.

use plat::output::summary::Summary;
use plat_pointers::PointsTo;
use plat_tests::explore::{plat, plat_ok, points_to, prepare};
use plat_tests::{command, must_run, root, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

fn compile(source: &Path, level: &[&str], bitcode: &Path) {
    must_run(
        Command::new("clang-22")
            .args(level)
            .args(["-g", "-emit-llvm", "-fno-builtin", "-w", "-c"])
            .arg(source)
            .arg("-o")
            .arg(bitcode),
    );
}

/// The programs of the analysis' corpus, and the code that they call.
fn corpus() -> (Vec<PathBuf>, PathBuf) {
    let directory = root().join("tests/pointers");
    let entries = std::fs::read_dir(&directory).expect("the corpus");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut programs: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "c"))
        .filter(|path| path.file_stem().is_some_and(|name| name != "native"))
        .collect();
    programs.sort();
    (programs, directory.join("native.c"))
}

#[test]
fn the_corpus_runs_as_predicted() {
    let directory = scratch("points-to");
    let (programs, native) = corpus();
    assert!(programs.len() > 40);
    let rest = directory.join("native.bc");
    compile(&native, &["-O1"], &rest);
    let mut wrong = Vec::new();
    for source in programs {
        let name = source.file_stem().expect("a name").to_string_lossy();
        let levels: [&[&str]; 2] = [&["-O0", "-Xclang", "-disable-O0-optnone"], &["-O1"]];
        for (level, flags) in levels.into_iter().enumerate() {
            let file = |suffix: &str| directory.join(format!("{name}-{level}.{suffix}"));
            compile(&source, flags, &file("own.bc"));
            must_run(
                Command::new("llvm-link-22")
                    .args([&file("own.bc"), &rest])
                    .arg("-o")
                    .arg(file("bc")),
            );
            let (out, program) = (file("out"), file("bc"));
            let (out, program) = (out.to_string_lossy(), program.to_string_lossy());
            let mut words = vec!["explore", "--quiet", "--check-points-to"];
            words.extend(["--max-time", "60s", "--output-dir", &out, &program]);
            if let Err(why) = plat_ok(command(), &words) {
                wrong.push(why);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_result_that_says_too_little_is_found_out() {
    let directory = scratch("points-to-less");
    let source = root().join("tests/programs/agree/hash_table.c");
    let program = prepare(command(), &source, &directory).expect("a program");
    let whole = PointsTo::read(&points_to(&program)).expect("points-to sets");
    let run = |sets: &PointsTo, name: &str| {
        let (file, out) = (directory.join(name), directory.join(format!("{name}.out")));
        sets.write(&file).expect("a file");
        let check = format!("--check-points-to={}", file.display());
        let (program, out_text) = (program.to_string_lossy(), out.to_string_lossy());
        let words = [
            "run",
            "--quiet",
            &check,
            "--output-dir",
            &out_text,
            &program,
        ];
        let output = plat(command(), &words);
        let summary = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
        let summary = Summary::from_json(&summary).expect("a summary");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let checked = summary.points_to.expect("a check");
        (output.status.code(), said, checked)
    };
    let (code, said, checked) = run(&whole, "whole.pts");
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert!(checked.dereferences > 0 && checked.resolutions > 0);
    // Without the heap, every pointer to it is a surprise.
    let mut less = whole.clone();
    for set in &mut less.sets {
        let heap = |&at: &u32| {
            let object = &whole.objects[at as usize];
            matches!(object, plat_pointers::AbstractObject::Heap { .. })
        };
        set.retain(|at| !heap(at));
    }
    let (code, said, checked) = run(&less, "less.pts");
    assert_eq!(code, Some(3), "{said}");
    assert!(!checked.violations.is_empty());
    assert!(said.contains("lacks heap object"), "{said}");
    assert!(said.contains("hash_table.c:"), "{said}");
}
