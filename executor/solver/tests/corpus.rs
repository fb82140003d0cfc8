//! Queries of real runs (`queries/README.md`): every back end gives the logged answer, and its
//! models satisfy the queries.

use std::path::Path;

use plat_expr::{EvalMemo, Pool};
use plat_solver::backend::bits::Bits;
use plat_solver::backend::z3::{Tuning, Z3};
use plat_solver::{Answer, Query, Solver, SolverConfig, read_log};

/// Asks the decided queries of every file. Returns their number.
fn answers_are_the_logged_ones(make: impl Fn(&SolverConfig) -> Box<dyn Solver>) -> usize {
    let config = SolverConfig {
        time_limit: None,
        ..SolverConfig::default()
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/queries");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "smt2") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut pool = Pool::new();
        let queries = read_log(&mut pool, &text);
        let queries = queries.unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
        assert!(!queries.is_empty(), "{}", path.display());
        let mut solver = make(&config);
        for (at, logged) in queries.iter().enumerate() {
            let Some(expected) = logged.satisfiable else {
                continue;
            };
            let constraints = &logged.constraints;
            let found = match solver.check(&mut pool, &Query::new(constraints)) {
                Answer::Sat(model) => {
                    let memo = &mut EvalMemo::new();
                    let holds = constraints.iter().all(|&c| pool.holds(c, &model, memo));
                    assert!(holds, "query {} of {}", at + 1, path.display());
                    true
                }
                Answer::Unsat => false,
                Answer::Unknown(why) => panic!("query {} of {}: {why}", at + 1, path.display()),
            };
            assert_eq!(found, expected, "query {} of {}", at + 1, path.display());
            count += 1;
        }
    }
    count
}

#[test]
fn z3() {
    let count = answers_are_the_logged_ones(|config| Box::new(Z3::new(config)));
    assert!(count >= 80, "{count} queries");
}

#[test]
fn z3_with_choices() {
    let tuning = Tuning {
        constant_mux_limit: usize::MAX,
        mux_limit: usize::MAX,
        ..Tuning::default()
    };
    answers_are_the_logged_ones(|config| Box::new(Z3::with_tuning(config, tuning)));
}

#[test]
fn bits() {
    answers_are_the_logged_ones(|config| Box::new(Bits::new(config)));
}
