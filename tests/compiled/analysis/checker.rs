//! The closure checker accepts what the solver says of C programs, and names any single fact that
//! is taken away: a location of a pointer, a location in memory, an edge of the call graph.

use plat_compiled_tests::scratch;
use plat_pointers::PointsToConfig;
use plat_pointers::analyze::{Analysis, run};
use plat_pointers::check::check;
use plat_pointers::constraints::{Node, Offset};
use plat_pointers::solver::{Set, Solved};
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

/// Programs with tables in memory, block copies, calls through pointers, further arguments.
const PROGRAMS: [&str; 4] = ["hash_table", "growing_table", "callbacks", "va_struct"];

/// Facts of a kind that are taken away from each result, about.
const TRIED: usize = 150;

fn analysed(name: &str) -> Analysis {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pointers");
    let directory = scratch(&format!("checker-{name}"));
    let bitcode = directory.join("program.bc");
    let mut clang = Command::new("clang-22");
    clang.args(["-c", "-emit-llvm", "-w", "-O0", "-fno-strict-aliasing"]);
    clang.arg(source.join(name).with_extension("c"));
    let status = clang.arg("-o").arg(&bitcode).status();
    assert!(status.is_ok_and(|status| status.success()), "{clang:?}");
    let program = plat_bitcode::read(&bitcode);
    let program = program.unwrap_or_else(|why| panic!("{name}: {why}"));
    run(&program, &PointsToConfig::default()).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// The same sets but for one, which lacks one element.
fn without(solved: &Solved, set: u32, element: u32) -> (Solved, u32) {
    let mut wrong = solved.clone();
    let mut less = Set::clone(&solved.sets[set as usize]);
    less.retain(|other| other != element);
    wrong.sets.push(Rc::new(less));
    (wrong, solved.sets.len() as u32)
}

/// Whether another slot class of the object says the same of all slots of this one.
fn is_in_wider_class(solved: &Solved, slot: usize, element: u32) -> bool {
    let (object, class, _) = solved.memory[slot];
    let needed = solved.locations[element as usize];
    let others = solved.memory.iter();
    let mut wider =
        others.filter(|(of, other, _)| *of == object && *other != class && other.covers(class));
    wider.any(|&(_, _, set)| {
        let mut present = solved.located(&solved.sets[set as usize]);
        present.any(|at| at.covers(needed))
    })
}

/// Every so many of some facts.
fn some<T>(facts: Vec<T>) -> Vec<T> {
    let step = facts.len().div_ceil(TRIED).max(1);
    facts.into_iter().step_by(step).collect()
}

/// How many of how many facts are missed when they are gone. What is missed is named.
#[derive(Default)]
struct Count {
    missed: usize,
    of: usize,
}

impl Count {
    fn expect(&mut self, analysis: &Analysis, wrong: &Solved, named: &str) {
        self.of += 1;
        if let Err(violation) = check(&analysis.extraction.system, wrong) {
            let text = violation.to_string();
            assert!(text.contains(named), "{text}, not {named}");
            self.missed += 1;
        }
    }

    fn at_least(&self, percent: usize, what: &str) {
        let Count { missed, of } = self;
        println!("{what}: {missed} of {of}");
        assert!(
            *of > 0 && missed * 100 >= of * percent,
            "{missed} of {of} {what}"
        );
    }
}

#[test]
fn every_fact_that_is_taken_away_is_missed() {
    let (mut pointers, mut cells, mut edges) = <(Count, Count, Count)>::default();
    for name in PROGRAMS {
        let analysis = analysed(name);
        let solved = &analysis.solved;
        check(&analysis.extraction.system, solved).unwrap_or_else(|why| panic!("{name}: {why}"));
        // What another location of the set covers may go.
        let elements = |set: u32| {
            let set = &*solved.sets[set as usize];
            let at = |element: u32| solved.locations[element as usize];
            set.iter().filter(move |&element| {
                let mut others = set.iter().filter(|&other| other != element);
                !others.any(|other| at(other).covers(at(element)))
            })
        };
        let nodes = (0..).zip(&solved.of_node);
        let all = nodes.flat_map(|(node, &set)| elements(set).map(move |at| (node, set, at)));
        for (node, set, element) in some(all.collect()) {
            let (mut wrong, position) = without(solved, set, element);
            wrong.of_node[node as usize] = position;
            let at = solved.locations[element as usize];
            pointers.expect(&analysis, &wrong, &format!("{} lacks {at}", Node(node)));
        }
        let slots = (0..).zip(&solved.memory);
        let all = slots.flat_map(|(slot, &(_, _, set))| elements(set).map(move |at| (slot, at)));
        let all = all.filter(|&(slot, element)| !is_in_wider_class(solved, slot, element));
        for (slot, element) in some(all.collect()) {
            let (object, class, set): (_, Offset, u32) = solved.memory[slot];
            let (mut wrong, position) = without(solved, set, element);
            wrong.memory[slot].2 = position;
            let at = solved.locations[element as usize];
            let named = format!("slot {class} of {object} lacks {at}");
            cells.expect(&analysis, &wrong, &named);
        }
        for (call, callee) in some(solved.call_edges().collect()) {
            let mut wrong = solved.clone();
            let bound = &mut wrong.bound[call as usize];
            *bound = Rc::new(bound.minus(&Set::from_iter([callee.0])));
            edges.expect(&analysis, &wrong, &format!("no edge to {callee}"));
        }
    }
    // All of them today; around a cycle a widened location may be there only because it is there.
    pointers.at_least(95, "locations of pointers");
    cells.at_least(95, "locations in memory");
    edges.at_least(100, "edges of the call graph");
}
