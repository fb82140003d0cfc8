//! All memory models agree with one another and with brute force.
//!
//! For every program of the corpus and every model: each test that plat wrote does natively what
//! plat says its path does, and the set of behaviours (standard output and exit code, or fault)
//! over all paths is the set over all inputs. A model that is not complete, as `single`, finds a
//! subset by its definition.

use plat_tests::corpus::{self, Case, LOOKUPS};
use plat_tests::{Behaviour, Scratch, brute, command, explore, scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// A program made ready once for all models.
struct Ready {
    case: Case,
    native: PathBuf,
    expected: BTreeSet<Behaviour>,
    program: Result<PathBuf, String>,
}

fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<Scratch> = OnceLock::new();
    DIRECTORY.get_or_init(|| scratch("agree"))
}

/// The programs to test: all, or those whose names contain $PLAT_AGREE.
fn cases() -> Vec<Case> {
    let only = std::env::var("PLAT_AGREE").unwrap_or_default();
    let cases = corpus::all().into_iter();
    cases.filter(|case| case.name.contains(&only)).collect()
}

fn ready(case: &Case) -> &'static Ready {
    static READY: Mutex<BTreeMap<String, &'static OnceLock<Ready>>> = Mutex::new(BTreeMap::new());
    let cell = *READY
        .lock()
        .expect("no panic while it was held")
        .entry(case.name.clone())
        .or_insert_with(|| Box::leak(Box::default()));
    cell.get_or_init(|| {
        let native = brute::compile(case, directory());
        let expected = brute::enumerate(case, &native).into_values().collect();
        Ready {
            case: case.clone(),
            native,
            expected,
            program: explore::prepare(command(), &case.source, directory()),
        }
    })
}

/// What is wrong with a program under a model, if anything.
fn disagreement(ready: &Ready, model: &str, further: &[&str]) -> Result<(), String> {
    let program = ready.program.as_ref().map_err(Clone::clone)?;
    let tests = explore::run(
        command(),
        &ready.case,
        program,
        (model, further),
        directory(),
    )?;
    let inputs: Vec<Vec<u8>> = tests.iter().map(|test| test.input.clone()).collect();
    let native = brute::run_inputs(&ready.case, &ready.native, &inputs);
    let mut found = BTreeSet::new();
    for (test, native) in tests.iter().zip(native) {
        let behaviour = test.behaviour.clone()?;
        if native.as_ref() != Some(&behaviour) {
            return Err(format!(
                "test {} (input {:02x?}): natively {native:?}, in plat {behaviour:?}",
                test.test, test.input
            ));
        }
        found.insert(behaviour);
    }
    let missing: Vec<_> = ready.expected.difference(&found).collect();
    let entry = plat_memory::model::named(model).ok_or("no such model")?;
    if entry.is_complete() && !missing.is_empty() {
        return Err(format!(
            "{} tests, missing behaviours: {missing:?}",
            tests.len()
        ));
    }
    if tests.is_empty() {
        return Err("no test at all".to_string());
    }
    Ok(())
}

fn check(model: &str) {
    check_with(model, &[], &cases());
}

fn check_with(model: &str, further: &[&str], cases: &[Case]) {
    let mut wrong = Vec::new();
    for case in cases {
        if let Err(why) = disagreement(ready(case), model, further) {
            wrong.push(format!("{}: {why}", case.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} programs under {model}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_corpus_is_what_its_heads_say() {
    let cases = cases();
    for case in &cases {
        let ready = ready(case);
        let fails = ready.expected.contains(&Behaviour::Fault);
        assert_eq!(fails, case.faults, "{}: faults", case.name);
        assert!(
            ready.expected.len() > 1,
            "{}: one behaviour only",
            case.name
        );
    }
}

/// Models side by side: a program is made ready for all of them once.
#[test]
fn every_model_agrees_with_brute_force() {
    std::thread::scope(|scope| {
        for model in plat_memory::model::ALL {
            scope.spawn(|| check(model.name));
        }
    });
}

#[test]
fn segmented_where_objects_come_together_when_they_are_allocated() {
    let mut cases = cases();
    cases.retain(|case| LOOKUPS.contains(&case.name.as_str()));
    check_with("segmented", &["--join", "allocation"], &cases);
}

#[test]
fn segmented_where_segments_are_full_at_once() {
    let mut cases = cases();
    cases.retain(|case| LOOKUPS.contains(&case.name.as_str()));
    check_with("segmented", &["--segment-threshold", "40"], &cases);
}

/// Objects that come together by objects, and in segments that are full at once.
#[test]
fn dynamic_without_contexts_and_with_small_segments() {
    let mut cases = cases();
    cases.retain(|case| LOOKUPS.contains(&case.name.as_str()) || is_about_moves(case));
    check_with("dynamic", &["--context-depth", "off"], &cases);
    check_with("dynamic", &["--segment-threshold", "40"], &cases);
}

/// Pieces so small that the objects of the corpus are large.
#[test]
fn what_is_followed_piece_by_piece() {
    let pieces = ["--split-threshold", "10", "--partition-size", "12"];
    let mut cases = cases();
    cases.retain(|case| LOOKUPS.contains(&case.name.as_str()) || is_about_moves(case));
    for model in ["forking", "segmented", "auto"] {
        check_with(model, &pieces, &cases);
    }
}

/// The programs on which the published implementation of relocatable addresses goes wrong.
fn is_about_moves(case: &Case) -> bool {
    let others = ["leaving_index", "straddling", "symbolic_free"];
    case.name.starts_with("moved_") || others.contains(&case.name.as_str())
}
