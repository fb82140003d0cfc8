//! Out-of-process Z3: it answers as Z3 in this process does. A process that hangs is killed, one
//! that crashes is restarted, and none is left over.
//!
//! The same executable is the solver process and the misbehaving processes, so it has no test
//! harness: its output would mix with the answers.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use plat_expr::{EvalMemo, ExprId, Pool};
use plat_solver::backend::z3_process::Z3Process;
use plat_solver::{Answer, BACKENDS, Query, Solver, SolverConfig, read_log, serve};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid};

fn main() {
    let role = std::env::args().nth(1).unwrap_or_default();
    match role.as_str() {
        "serve" => serve().expect("a conversation"),
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(60));
        },
        "crash" => {
            let _ = std::io::stdin().read(&mut [0; 8]);
            std::process::abort();
        }
        // Options of the test run are not a role.
        _ => {
            answers_are_the_logged_ones();
            a_hang_is_killed_and_a_crash_is_noticed();
            the_fallback_answers_without_a_process();
            a_process_that_exited_is_restarted();
            a_race_has_one_answer();
        }
    }
}

/// A solver whose process runs this program in a role.
fn solver(role: &str, time_limit: Option<Duration>) -> Z3Process {
    let this = std::env::current_exe().expect("a program");
    Z3Process::new(&SolverConfig {
        time_limit,
        process: vec![this.into(), role.into()],
        ..SolverConfig::default()
    })
}

/// This process has no children: every killed process was waited for.
fn no_child_is_left() {
    let found = rustix::process::waitpid(None, WaitOptions::NOHANG);
    assert_eq!(found.unwrap_err(), Errno::CHILD);
}

fn answers_are_the_logged_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/queries");
    let mut asked = 0;
    for name in ["factor", "make", "od", "text"] {
        let path = folder.join(name).with_extension("smt2");
        let text = std::fs::read_to_string(path).expect("a text");
        let mut pool = Pool::new();
        // Other symbols than the script's names say.
        pool.symbol("first", 0, 3);
        let queries = read_log(&mut pool, &text).expect("queries");
        let mut solver = solver("serve", None);
        for logged in &queries {
            let answer = solver.check(&mut pool, &Query::new(&logged.constraints));
            asked += 1;
            match answer {
                Answer::Sat(model) => {
                    assert_eq!(logged.satisfiable, Some(true), "{name}");
                    let memo = &mut EvalMemo::new();
                    let holds = |&c: &ExprId| pool.holds(c, &model, memo);
                    assert!(logged.constraints.iter().all(holds), "{name}");
                }
                Answer::Unsat => assert_eq!(logged.satisfiable, Some(false), "{name}"),
                Answer::Unknown(why) => panic!("{name}: {why}"),
            }
        }
    }
    assert!(asked > 30);
    no_child_is_left();
}

/// A byte above 250.
fn simple(pool: &mut Pool) -> ExprId {
    let symbol = pool.symbol("x", 0, 1);
    let (byte, least) = (pool.symbol_byte(symbol, 0), pool.constant(8, 250));
    pool.ult(least, byte)
}

fn check(solver: &mut Z3Process) -> Answer {
    let mut pool = Pool::new();
    let constraint = simple(&mut pool);
    solver.check(&mut pool, &Query::new(&[constraint]))
}

fn a_hang_is_killed_and_a_crash_is_noticed() {
    for (role, word) in [("hang", "timeout"), ("crash", "crashed")] {
        let limit = (role == "hang").then_some(Duration::from_millis(100));
        let mut solver = solver(role, limit);
        for _ in 0..2 {
            match check(&mut solver) {
                Answer::Unknown(why) => assert!(why.contains(word), "{why}"),
                other => panic!("{other:?}"),
            }
            no_child_is_left();
        }
    }
}

fn the_fallback_answers_without_a_process() {
    let mut solver = Z3Process::new(&SolverConfig {
        process: vec!["/nowhere/at/all".into()],
        ..SolverConfig::default()
    });
    assert!(matches!(check(&mut solver), Answer::Sat(_)));
}

fn a_process_that_exited_is_restarted() {
    let mut solver = solver("serve", None);
    assert!(matches!(check(&mut solver), Answer::Sat(_)));
    let child = solver.process().expect("a process");
    let child = Pid::from_raw(child.cast_signed()).expect("a process");
    kill_process(child, Signal::KILL).expect("killed");
    // It stays a zombie, which the solver is to notice.
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(child), ended).expect("an end");
    assert!(matches!(check(&mut solver), Answer::Sat(_)));
    drop(solver);
    no_child_is_left();
}

/// Factoring a number that is hard enough for a race: the answer is the same whichever back end is
/// first, or if one never answers.
fn a_race_has_one_answer() {
    let this = std::env::current_exe().expect("a program");
    let entry = BACKENDS.iter().find(|entry| entry.name == "portfolio");
    for role in ["serve", "hang", "crash"] {
        let mut portfolio = (entry.expect("a back end").make)(&SolverConfig {
            time_limit: None,
            process: vec![this.clone().into(), role.into()],
            ..SolverConfig::default()
        });
        let mut pool = Pool::new();
        let mut word = |name: &str| {
            let symbol = pool.symbol(name, 0, 2);
            let (low, high) = (pool.symbol_byte(symbol, 0), pool.symbol_byte(symbol, 1));
            pool.concat(high, low)
        };
        let (x, y) = (word("x"), word("y"));
        let (wide_x, wide_y) = (pool.zext(x, 32), pool.zext(y, 32));
        let product = pool.mul(wide_x, wide_y);
        let number = pool.constant(32, 10_007 * 10_037);
        let one = pool.constant(16, 1);
        let constraints = [pool.ult(one, x), pool.ult(x, y), pool.eq(product, number)];
        let answer = portfolio.check(&mut pool, &Query::new(&constraints));
        let Answer::Sat(model) = answer else {
            panic!("{role}: {answer:?}");
        };
        let memo = &mut EvalMemo::new();
        let found = [x, y].map(|e| pool.eval(e, &model, memo));
        assert_eq!(found, [10_007, 10_037], "{role}");
        drop(portfolio);
        no_child_is_left();
    }
}
