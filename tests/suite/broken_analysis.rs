//! A wrong analysis costs forks, never paths. Segment maps are broken on purpose: allocations that
//! one pointer may reach lose their group, or get one each. All behaviours must still be found,
//! and what is new are forks by resolution; the check of groups tells.

use plat::output::summary::Summary;
use plat_segments::SegmentMap;
use plat_tests::corpus::{self, Case, LOOKUPS};
use plat_tests::explore::{plat_ok, prepare, run_to};
use plat_tests::{Behaviour, brute, command, scratch};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A way to break a map.
type Way = fn(&mut SegmentMap);

const WAYS: [(&str, Way); 3] = [
    ("dropped", |map| {
        // Every second context of a group leaves it.
        let mut odd = vec![true; map.groups as usize];
        for context in &mut map.contexts {
            if let Some(group) = context.group {
                odd[group.index()] ^= true;
                if odd[group.index()] {
                    context.group = None;
                }
            }
        }
    }),
    ("parted", |map| {
        // Each context is a group of its own.
        map.groups = map.contexts.len() as u32;
        for (at, context) in map.contexts.iter_mut().enumerate() {
            context.group = Some(plat_program::GroupId::new(at));
        }
    }),
    ("none", |map| {
        map.groups = 0;
        for context in &mut map.contexts {
            context.group = None;
        }
    }),
];

/// A program with its segments.
struct Ready<'a> {
    case: &'a Case,
    directory: &'a Path,
    expected: BTreeSet<Behaviour>,
}

impl Ready<'_> {
    fn file(&self, suffix: &str) -> PathBuf {
        self.directory.join(format!("{}.{suffix}", self.case.name))
    }

    /// Runs with a map: the behaviours, the forks by resolution, and how often a pointer reached
    /// more than one group.
    fn explore(&self, map: &SegmentMap, name: &str) -> (BTreeSet<Behaviour>, u64, usize) {
        let (segments, program) = (
            self.file(&format!("{name}.json")),
            self.file(&format!("{name}.bc")),
        );
        map.write(&segments).expect("a file");
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let (linked, map, out) = (
            text(&self.file("linked.bc")),
            text(&segments),
            text(&program),
        );
        let words = ["transform", &linked, "--segments", &map, "-o", &out];
        plat_ok(command(), &words).expect("a program");
        let out = self.file(&format!("{name}.out"));
        let tests = run_to(command(), self.case, &program, &[], &out).expect("a run");
        let behaviours = tests
            .into_iter()
            .map(|test| test.behaviour.expect("an end"));
        let behaviours: BTreeSet<Behaviour> = behaviours.collect();
        let summary = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
        let forks = Summary::from_json(&summary)
            .expect("a summary")
            .forks
            .resolution;
        (behaviours, forks, self.reaches(&program, name))
    }

    fn reaches(&self, program: &Path, name: &str) -> usize {
        let out = self.file(&format!("{name}.checked"));
        // Ends with another exit code than 0 when there is something to tell.
        let options = ["--check-points-to"];
        let _ = run_to(command(), self.case, program, &options, &out);
        let summary = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
        let summary = Summary::from_json(&summary).expect("a summary");
        let violations = summary.points_to.expect("a check").violations;
        assert!(violations.iter().all(|one| one.kind == "groups"));
        violations.len()
    }
}

#[test]
fn a_wrong_analysis_costs_forks_and_no_paths() {
    let directory = scratch("broken-analysis");
    let cases = corpus::all();
    let mut forks = [0; WAYS.len()];
    for &name in LOOKUPS {
        let case = cases.iter().find(|case| case.name == name).expect("a case");
        let native = brute::compile(case, &directory);
        prepare(command(), &case.source, &directory).expect("a program");
        let ready = Ready {
            case,
            directory: &directory,
            expected: brute::enumerate(case, &native).into_values().collect(),
        };
        let map = SegmentMap::read(&ready.file("segments.json")).expect("a map");
        let (behaviours, before, reached) = ready.explore(&map, "whole");
        assert_eq!(behaviours, ready.expected, "{name}");
        assert_eq!(reached, 0, "{name}");
        for (at, (way, change)) in WAYS.iter().enumerate() {
            let mut broken = map.clone();
            change(&mut broken);
            let (behaviours, after, reached) = ready.explore(&broken, way);
            assert_eq!(behaviours, ready.expected, "{name}, {way}");
            assert!(
                after >= before,
                "{name}, {way}: {after} forks, {before} before"
            );
            // Whoever forks more has been told why.
            assert!(
                after == before || reached > 0,
                "{name}, {way}: {after} forks"
            );
            forks[at] += after - before;
        }
    }
    assert!(forks.iter().all(|&more| more > 0), "{forks:?}");
}
