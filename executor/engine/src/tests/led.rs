//! A run that is stopped anywhere and led along what it has decided comes to the same paths as one that
//! is not stopped, and asks the solver nothing twice.

use crate::Run;
use crate::api::config::Config;
use crate::api::observe::Observer;
use crate::api::outcome::TestRecord;
use crate::api::summary::Summary;
use crate::search::SearcherChoice;
use crate::trie::{Branching, Decision, Leaf, Left, Next, NodeId, Plan, PlanNode, Side};
use plat_env::InputSpec;
use plat_memory::model::{self, ModelChoice};
use plat_program::{Program, parse};
use plat_solver::Answers;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

static NO_INTERRUPT: AtomicBool = AtomicBool::new(false);

fn program() -> Program {
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/panics.txt"));
    parse(&text.expect("a text")).unwrap_or_else(|why| panic!("{why}"))
}

/// What a run tells of its trie, in order.
#[derive(Clone)]
enum Told {
    Decided(Decision),
    Ended(NodeId),
    Left(Left),
    Renewed(NodeId),
}

#[derive(Clone, Default)]
struct Listener {
    told: Vec<Told>,
    /// The paths that have come to an end, by what they are.
    ended: BTreeMap<String, usize>,
    /// What ended last.
    last: String,
}

impl Observer for Listener {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        let inputs: Vec<_> = record.inputs.iter().map(|input| &input.bytes).collect();
        let what = format!(
            "{:?} {} {:?} {:?} {inputs:?} {}",
            std::mem::discriminant(&record.end),
            record.end.message(),
            record.inst,
            record.stdout,
            record.instructions
        );
        self.last = what;
    }

    fn closed(&mut self, node: NodeId, _: Leaf) {
        self.told.push(Told::Ended(node));
        *self.ended.entry(self.last.clone()).or_default() += 1;
    }

    fn decided(&mut self, decision: &Decision) {
        self.told.push(Told::Decided(decision.clone()));
    }

    fn left(&mut self, left: &Left) {
        self.told.push(Told::Left(left.clone()));
    }

    fn renewed(&mut self, node: NodeId) {
        self.told.push(Told::Renewed(node));
    }
}

/// The plan that leads to all open nodes.
fn plan(told: &[Told]) -> (Plan, NodeId) {
    #[derive(Clone)]
    enum Node {
        Inner(Decision),
        Leaf,
        Left(Answers),
    }
    let mut nodes = BTreeMap::new();
    let mut next = 1;
    for one in told {
        match one {
            Told::Decided(decision) => {
                next = next.max(decision.first + decision.sides.len() as u64);
                nodes.insert(decision.node, Node::Inner(decision.clone()));
            }
            Told::Ended(node) => {
                nodes.insert(*node, Node::Leaf);
            }
            Told::Left(left) => {
                nodes.insert(left.node, Node::Left(left.answers.clone()));
            }
            Told::Renewed(node) => {
                nodes.remove(node);
            }
        }
    }
    fn build(nodes: &BTreeMap<NodeId, Node>, id: NodeId, plan: &mut Plan) -> Option<u32> {
        let next = match nodes.get(&id) {
            Some(Node::Leaf) => return None,
            None => Next::Open(Answers::default()),
            Some(Node::Left(answers)) => Next::Open(answers.clone()),
            Some(Node::Inner(decision)) => {
                let sides = decision.sides.iter().zip(decision.first..);
                let sides = sides.map(|(&side, node)| Side {
                    side,
                    node,
                    next: build(nodes, node, plan),
                });
                let sides: Vec<Side> = sides.collect();
                if sides.iter().all(|side| side.next.is_none()) {
                    return None;
                }
                Next::Split(Branching {
                    inst: decision.inst,
                    kind: decision.kind,
                    answers: decision.answers.clone(),
                    whole: true,
                    sides,
                })
            }
        };
        plan.nodes.push(PlanNode { id, next });
        Some(plan.nodes.len() as u32 - 1)
    }
    let mut whole = Plan::default();
    let root = build(&nodes, 0, &mut whole);
    whole.roots.push(root);
    (whole, next)
}

struct Session<'a> {
    model: &'a str,
    searcher: &'a str,
    /// Instructions until it is stopped.
    most: Option<u64>,
}

fn explore(program: &Program, session: &Session<'_>, before: &[Told]) -> (Listener, Summary) {
    let mut config = Config::default();
    let named = model::named(session.model).expect("a memory model");
    config.memory.model = Some(ModelChoice::from(named));
    config.errors.all = true;
    config.tests.of_live_states = false;
    config.search.batch_instructions = 7;
    config.search.searchers = vec![SearcherChoice::named(session.searcher).expect("a searcher")];
    config.limits.instructions = session.most;
    config.trie.keep = true;
    if !before.is_empty() {
        let (plan, next) = plan(before);
        config.trie.plan = Some(Arc::new(plan));
        config.trie.next = next;
    }
    let mut listener = Listener::default();
    let run = Run::new(program, &config, &mut listener, &NO_INTERRUPT).expect("a run");
    let summary = run.explore(&InputSpec::default()).expect("an exploration");
    (listener, summary)
}

const SEARCHERS: [&str; 3] = ["dfs", "bfs", "random-path"];

#[test]
fn a_stopped_run_goes_on_without_asking_again() {
    let program = program();
    for model in model::ALL.iter().map(|entry| entry.name) {
        let whole = Session {
            model,
            searcher: "dfs",
            most: None,
        };
        let (calm, undisturbed) = explore(&program, &whole, &[]);
        assert!(
            calm.ended.len() >= 10,
            "{model}: {} paths",
            calm.ended.len()
        );
        for most in [1, 20, 50, 90, 130, 200, 400] {
            let (mut told, mut ended) = (Vec::new(), BTreeMap::new());
            let (mut queries, mut remembered, mut turns) = (0, 0, 0);
            for turn in 0.. {
                assert!(turn < 2000, "it does not come to an end");
                let session = Session {
                    model,
                    searcher: SEARCHERS[turn % 3],
                    // Each time a little further.
                    most: Some(most * (turn as u64 + 1)),
                };
                let (listener, summary) = explore(&program, &session, &told);
                assert_eq!(summary.counts.trie.divergences, BTreeMap::new());
                assert_eq!(summary.counts.internal_errors, 0);
                told.extend(listener.told);
                for (what, count) in listener.ended {
                    *ended.entry(what).or_default() += count;
                }
                queries += summary.solver.queries;
                remembered += summary.solver.remembered;
                turns += 1;
                if matches!(summary.reason, crate::StopReason::Finished) {
                    break;
                }
            }
            assert_eq!(
                ended, calm.ended,
                "{model}, stopped each {most} instructions"
            );
            assert_eq!(queries, undisturbed.solver.queries, "{model} {most}");
            assert_eq!(remembered > 0, turns > 1, "{model} {most}");
        }
    }
}

/// What a kill leaves is any first part of what was told.
#[test]
fn a_killed_run_goes_on_from_what_was_written() {
    let program = program();
    for searcher in SEARCHERS {
        let whole = Session {
            model: "forking",
            searcher,
            most: None,
        };
        let (calm, _) = explore(&program, &whole, &[]);
        for cut in (0..calm.told.len()).step_by(3) {
            let known = &calm.told[..cut];
            let (rest, summary) = explore(&program, &whole, known);
            assert_eq!(summary.counts.trie.divergences, BTreeMap::new());
            let ended = |told: &[Told]| {
                told.iter()
                    .filter(|one| matches!(one, Told::Ended(_)))
                    .count()
            };
            // Just those paths that it is not known of how they end.
            let expected = ended(&calm.told) - ended(known);
            assert_eq!(
                rest.ended.values().sum::<usize>(),
                expected,
                "{searcher} {cut}"
            );
            assert!(rest.ended.keys().all(|what| calm.ended.contains_key(what)));
        }
    }
}

/// A decision that is not the program's, or an answer that is wrong, is noticed, and the paths behind it
/// are found all the same.
#[test]
fn a_wrong_decision_is_a_divergence() {
    let program = program();
    let whole = Session {
        model: "forking",
        searcher: "dfs",
        most: None,
    };
    let (calm, _) = explore(&program, &whole, &[]);
    let decisions = calm
        .told
        .iter()
        .filter(|one| matches!(one, Told::Decided(_)));
    let decisions: Vec<Told> = decisions.cloned().collect();
    let mut diverged = 0;
    for at in 0..decisions.len() {
        for way in 0..4 {
            let mut wrong = decisions.clone();
            let Told::Decided(decision) = &mut wrong[at] else {
                unreachable!()
            };
            match way {
                0 => decision.answers.noes += 1,
                1 => decision.inst = decision.inst.map(|inst| plat_program::InstId(inst.0 + 1)),
                2 => decision.answers.digest ^= 0x55,
                _ => {
                    let mut bytes = decision.answers.bytes.to_vec();
                    if let Some(last) = bytes.last_mut() {
                        *last ^= 0xff;
                    }
                    decision.answers.bytes = bytes.into();
                }
            }
            let (found, summary) = explore(&program, &whole, &wrong);
            diverged += summary.counts.trie.divergences.values().sum::<u64>();
            let missing = calm
                .ended
                .keys()
                .find(|what| !found.ended.contains_key(*what));
            assert_eq!(missing, None, "decision {at}, way {way}");
            assert_eq!(summary.counts.internal_errors, 0);
            let strange = found
                .ended
                .keys()
                .find(|what| !calm.ended.contains_key(*what));
            assert_eq!(strange, None, "decision {at}, way {way}");
        }
    }
    assert!(diverged >= decisions.len() as u64 * 2, "{diverged}");
}
