//! What every searcher must satisfy, and what each one promises in particular.

use super::random::Random;
use super::*;
use std::collections::BTreeSet;

fn summary(id: u32) -> Summary {
    Summary::new(StateId(id))
}

fn make(name: &str) -> Box<dyn Searcher> {
    (find(name).unwrap().make)(42)
}

/// A random run: selects, forks, ends states, updates facts. Returns the selections.
fn drive(searcher: &mut dyn Searcher, seed: u64, steps: usize) -> Vec<StateId> {
    let mut random = Random::new(seed);
    let mut live: BTreeSet<StateId> = BTreeSet::new();
    let mut next = 1;
    searcher.added(None, &[summary(0)]);
    live.insert(StateId(0));
    let mut selected = Vec::new();
    for step in 0..steps {
        let state = searcher.select();
        assert!(live.contains(&state), "selected a state that is not alive");
        selected.push(state);
        let mut facts = summary(state.0);
        facts.depth = random.below(40) as u32;
        facts.instructions = step as u64;
        facts.since_new = (random.below(2) == 0).then(|| random.below(5000) as u64);
        facts.distance = (random.below(3) > 0).then(|| random.below(50) as u32);
        facts.location_count = random.below(100) as u64;
        facts.queries = random.below(10) as u64;
        facts.subpaths = [4, 8, 16].map(|of| random.below(of) as u64);
        facts.discovery = random.below(5) as u32;
        facts.place = random.below(6) as u64;
        match random.below(5) {
            0 if live.len() > 1 => {
                searcher.removed(state);
                live.remove(&state);
                continue;
            }
            1 | 2 => {
                let children: Vec<Summary> = (0..=random.below(3))
                    .map(|at| summary(next + at as u32))
                    .collect();
                next += children.len() as u32;
                searcher.added(Some(state), &children);
                live.extend(children.iter().map(|child| child.id));
            }
            // A state other than the selected one may end: a limit, an interrupt.
            3 if live.len() > 2 => {
                let victim = *live.iter().nth(random.below(live.len())).unwrap();
                searcher.removed(victim);
                live.remove(&victim);
                if victim == state {
                    continue;
                }
            }
            _ => {}
        }
        searcher.updated(&facts);
    }
    // And every state can be run to its end.
    while !live.is_empty() {
        let state = searcher.select();
        assert!(live.remove(&state));
        searcher.removed(state);
        selected.push(state);
    }
    selected
}

#[test]
fn the_list_is_sorted_and_named_once() {
    let names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
    assert_eq!(SearcherChoice::default_choice().len(), DEFAULT.len());
    let needs = Needs::DISTANCE.and(Needs::SUBSUMPTION);
    assert_eq!(build(&[], 0).1, needs);
    assert!(SearcherChoice::named("nurs:nothing").is_err());
}

#[test]
fn every_searcher_selects_live_states_and_repeats_its_choices() {
    for entry in ALL {
        for seed in 0..20 {
            let first = drive(&mut *(entry.make)(seed), seed, 500);
            let again = drive(&mut *(entry.make)(seed), seed, 500);
            assert_eq!(first, again, "{}", entry.name);
        }
    }
    let choices: Vec<SearcherChoice> = ALL.iter().map(SearcherChoice::from).collect();
    let all_of_them = || Batching::new(build(&choices, 5).0, 10);
    assert_eq!(
        drive(&mut all_of_them(), 9, 500),
        drive(&mut all_of_them(), 9, 500)
    );
}

#[test]
fn dfs_runs_the_newest_and_bfs_the_oldest() {
    let mut dfs = make("dfs");
    dfs.added(None, &[summary(0)]);
    dfs.added(Some(StateId(0)), &[summary(1), summary(2)]);
    assert_eq!(dfs.select(), StateId(2));
    dfs.removed(StateId(2));
    assert_eq!(dfs.select(), StateId(1));
    dfs.removed(StateId(1));
    assert_eq!(dfs.select(), StateId(0));

    let mut bfs = make("bfs");
    bfs.added(None, &[summary(0)]);
    bfs.added(Some(StateId(0)), &[summary(1)]);
    // Both are one fork deep; after 0 forks again it stands behind 1.
    assert_eq!(bfs.select(), StateId(0));
    bfs.added(Some(StateId(0)), &[summary(2)]);
    assert_eq!(bfs.select(), StateId(1));
}

#[test]
fn the_deepest_runs_unless_it_has_run_for_long() {
    drive(&mut Deepest::default(), 3, 500);
    let at = |id, depth, instructions| Summary {
        depth,
        instructions,
        ..summary(id)
    };
    let mut deepest = Deepest::default();
    deepest.added(
        None,
        &[at(0, 2, 50), at(1, 7, 50), at(2, 7, 50), at(3, 1, 0)],
    );
    assert_eq!(deepest.select(), StateId(2));
    // It has no end: the others have their turn, and after them it has.
    deepest.updated(&at(2, 8, 60));
    assert_eq!(deepest.select(), StateId(2));
    deepest.updated(&at(2, 9, 2_000_000));
    assert_eq!(deepest.select(), StateId(1));
    for ended in [1, 0, 3] {
        assert_eq!(deepest.select(), StateId(ended));
        deepest.removed(StateId(ended));
    }
    assert_eq!(deepest.select(), StateId(2));
}

/// How often each of `states` states is selected out of `rounds`.
fn frequencies(searcher: &mut dyn Searcher, states: usize, rounds: usize) -> Vec<f64> {
    let mut counts = vec![0usize; states];
    for _ in 0..rounds {
        counts[searcher.select().0 as usize] += 1;
    }
    counts
        .iter()
        .map(|&count| count as f64 / rounds as f64)
        .collect()
}

fn assert_near(got: &[f64], expected: &[f64]) {
    for (got, expected) in got.iter().zip(expected) {
        assert!(
            (got - expected).abs() < 0.01,
            "{got} is not about {expected}"
        );
    }
}

/// A comb of binary forks: depth d is reached with probability 1/2^d; a fork in three is one
/// choice of three; a dead branch leaves its probability to its siblings.
#[test]
fn random_path_walks_the_fork_tree() {
    let mut searcher = make("random-path");
    let at = |id: u32, depth: u32| Summary {
        depth,
        ..summary(id)
    };
    searcher.added(None, &[summary(0)]);
    searcher.added(Some(StateId(0)), &[at(1, 1)]);
    searcher.added(Some(StateId(1)), &[at(2, 2), at(3, 2)]);
    let sixth = 1.0 / 6.0;
    assert_near(
        &frequencies(&mut *searcher, 4, 40_000),
        &[0.5, sixth, sixth, sixth],
    );
    searcher.removed(StateId(2));
    assert_near(
        &frequencies(&mut *searcher, 4, 40_000),
        &[0.5, 0.25, 0.0, 0.25],
    );
    searcher.removed(StateId(0));
    assert_near(
        &frequencies(&mut *searcher, 4, 40_000),
        &[0.0, 0.5, 0.0, 0.5],
    );
}

/// Forks of one batch are forks below each other.
#[test]
fn random_path_tells_the_forks_of_a_batch_apart() {
    let mut searcher = make("random-path");
    let at = |id: u32| Summary {
        depth: id,
        ..summary(id)
    };
    searcher.added(None, &[summary(0)]);
    searcher.added(Some(StateId(0)), &[at(1), at(2), at(3)]);
    assert_near(
        &frequencies(&mut *searcher, 4, 40_000),
        &[0.125, 0.5, 0.25, 0.125],
    );
}

/// The exits of a loop are equally likely, however many rounds it takes to each, and whichever path goes
/// round; what follows behind an exit shares its part.
#[test]
fn covnew_path_takes_the_rounds_of_a_loop_for_one_fork() {
    let mut searcher = make("covnew-path");
    let at = |id: u32, fork: u64| Summary {
        fork,
        ..summary(id)
    };
    searcher.added(None, &[summary(0)]);
    // Two conditions in a round, 7 and 8; state 0 goes round, then state 2 does.
    searcher.added(Some(StateId(0)), &[at(1, 7), at(2, 7)]);
    searcher.added(Some(StateId(2)), &[at(3, 9), at(4, 7)]);
    let fourth = 0.25;
    assert_near(
        &frequencies(&mut *searcher, 5, 40_000),
        &[fourth, fourth, 0.125, 0.125, fourth],
    );
}

/// What has had many turns in vain gets fewer, until something is discovered there.
#[test]
fn covnew_path_leaves_what_brings_nothing() {
    let mut searcher = make("covnew-path");
    let at = |id: u32, fork: u64, discovery: u32| Summary {
        fork,
        discovery,
        ..summary(id)
    };
    searcher.added(None, &[at(0, 0, 1)]);
    searcher.added(Some(StateId(0)), &[at(1, 7, 1)]);
    searcher.added(Some(StateId(1)), &[at(2, 8, 1)]);
    let _ = frequencies(&mut *searcher, 3, 2_000);
    // A path that is new beside them has nearly all turns at first.
    searcher.added(Some(StateId(0)), &[at(3, 7, 1)]);
    let fresh = frequencies(&mut *searcher, 4, 100)[3];
    assert!(fresh > 0.6, "{fresh}");
    // A discovery of another makes it as good.
    searcher.updated(&at(1, 0, 2));
    let found = frequencies(&mut *searcher, 4, 20)[1];
    assert!(found > 0.3, "{found}");
}

#[test]
fn nurs_selects_in_proportion_to_weight() {
    let mut searcher = make("nurs:depth");
    let states: Vec<Summary> = (0..3)
        .map(|id| Summary {
            depth: [1, 2, 5][id as usize],
            ..summary(id)
        })
        .collect();
    searcher.added(None, &states);
    assert_near(
        &frequencies(&mut *searcher, 3, 40_000),
        &[0.125, 0.25, 0.625],
    );
    searcher.updated(&Summary {
        depth: 1,
        ..states[2]
    });
    assert_near(&frequencies(&mut *searcher, 3, 40_000), &[0.25, 0.5, 0.25]);
}

#[test]
fn batching_stays_until_the_turn_is_over() {
    let mut searcher = Batching::new(make("bfs"), 100);
    searcher.added(None, &[summary(0), summary(1)]);
    let at = |id: u32, instructions: u64| Summary {
        instructions,
        ..summary(id)
    };
    assert_eq!(searcher.select(), StateId(0));
    searcher.updated(&at(0, 50));
    searcher.added(Some(StateId(0)), &[summary(2)]);
    assert_eq!(searcher.select(), StateId(0));
    searcher.updated(&at(0, 150));
    assert_eq!(searcher.select(), StateId(1));
    searcher.removed(StateId(1));
    assert_eq!(searcher.select(), StateId(0));
}

#[test]
fn a_searcher_from_outside_is_made_like_any_other() {
    let own = SearcherChoice::new("mine", |_| make("dfs")).needing(Needs::CALL_PATHS);
    let (mut searcher, needs) = build(std::slice::from_ref(&own), 3);
    assert_eq!((own.name(), needs), ("mine", Needs::CALL_PATHS));
    searcher.added(None, &[summary(0), summary(4)]);
    assert_eq!(searcher.select(), StateId(4));
    let both = [own, SearcherChoice::named("nurs:md2u").unwrap()];
    let both = build(&both, 3).1;
    assert!(both.call_paths && both.distance);
}

#[test]
fn subpaths_that_were_gone_least_come_first() {
    let mut searcher = make("subpath:4");
    let at = |id: u32, subpath: u64| {
        let mut facts = summary(id);
        facts.subpaths[1] = subpath;
        facts
    };
    searcher.added(None, &[at(0, 7), at(1, 7), at(2, 7), at(3, 9)]);
    let selected: Vec<u32> = (0..20).map(|_| searcher.select().0).collect();
    assert_eq!(selected.iter().filter(|&&id| id == 3).count(), 10);
    // One that comes to a frequent subpath waits until the rare one has been gone as often.
    searcher.added(Some(StateId(0)), &[at(4, 11)]);
    let selected: Vec<u32> = (0..10).map(|_| searcher.select().0).collect();
    assert_eq!(selected, [4; 10]);
    searcher.updated(&at(4, 7));
    searcher.removed(StateId(3));
    assert!((0..20).all(|_| searcher.select().0 != 3));
}

#[test]
fn what_earlier_runs_have_gone_counts_for_single_decisions() {
    let of = |id: u32, subpath: u64| Summary {
        subpaths: [subpath; SUBPATHS.len()],
        ..summary(id)
    };
    // (In turns with another searcher, and in batches, as a run has it.)
    let once = SearcherChoice::named("subpath:1").unwrap();
    let (mut searcher, _) = build(&[once.clone(), once], 1);
    searcher.gone(7, 3);
    searcher.gone(9, 5);
    searcher.added(None, &[of(0, 7), of(1, 9), of(2, 11)]);
    let selected: Vec<u32> = (0..40).map(|_| searcher.select().0).collect();
    let first = |id: u32| selected.iter().position(|&one| one == id);
    assert_eq!(first(2), Some(0));
    assert!(first(0) > first(2) && first(1) > first(0), "{selected:?}");
    // Longer subpaths begin anew.
    let mut searcher = make("subpath:4");
    searcher.gone(7, 3);
    searcher.added(None, &[of(0, 7), of(1, 9)]);
    let selected: Vec<u32> = (0..4).map(|_| searcher.select().0).collect();
    assert_eq!(selected.iter().filter(|&&id| id == 0).count(), 2);
}

#[test]
fn discoveries_have_equal_turns_however_many_paths_follow_them() {
    let mut searcher = make("fresh");
    let of = |id: u32, discovery: u32| Summary {
        discovery,
        ..summary(id)
    };
    searcher.added(None, &[of(0, 1)]);
    searcher.added(Some(StateId(0)), &[of(1, 1), of(2, 1), of(3, 1)]);
    searcher.added(Some(StateId(0)), &[of(4, 2)]);
    let turns = |searcher: &mut dyn Searcher, of: &[u32], rounds: usize| {
        let selected = (0..rounds).map(|_| searcher.select().0);
        selected.filter(|id| of.contains(id)).count()
    };
    assert_eq!(turns(&mut *searcher, &[4], 100), 50);
    // The walk begins where the discovery was made: a quarter for what becomes of one of four.
    let below = |id: u32| Summary {
        fork: 1,
        ..of(id, 1)
    };
    searcher.added(Some(StateId(1)), &[below(5), below(6), below(7)]);
    let deep = turns(&mut *searcher, &[1, 5, 6, 7], 4000);
    assert!((400..600).contains(&deep), "{deep}");
    // A path that makes a discovery itself leaves its family.
    searcher.updated(&of(2, 3));
    let caught_up = turns(&mut *searcher, &[2], 2050);
    assert!(caught_up >= 2050, "{caught_up}");
    assert_eq!(turns(&mut *searcher, &[2], 300), 100);
    for id in [0, 1, 3, 5, 6, 7, 2] {
        searcher.removed(StateId(id));
    }
    assert_eq!(turns(&mut *searcher, &[4], 10), 10);
}

#[test]
fn places_have_equal_turns() {
    let mut searcher = make("places");
    let at = |id: u32, place: u64| Summary {
        place,
        ..summary(id)
    };
    searcher.added(None, &[at(0, 7), at(1, 7), at(2, 7), at(3, 9)]);
    let selected: Vec<u32> = (0..20).map(|_| searcher.select().0).collect();
    assert_eq!(selected.iter().filter(|&&id| id == 3).count(), 10);
    searcher.updated(&at(3, 7));
    let selected: Vec<u32> = (0..400).map(|_| searcher.select().0).collect();
    let last = selected.iter().filter(|&&id| id == 3).count();
    assert!((60..140).contains(&last), "{last}");
}
