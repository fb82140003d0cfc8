//! Z3 in a process of its own: it answers as it does here; what hangs is ended, what crashes or goes
//! is started again, and no process is left over.
//!
//! This program is its own solver process, and others that misbehave, so it has no test harness,
//! which would speak where answers are expected.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use plat_expr::{EvalMemo, ExprId, Pool};
use plat_solver::backend::apart::Apart;
use plat_solver::{Answer, BACKENDS, Config, Query, Solver, read_log, serve};

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
        // What the options of a test run filter by is no role.
        _ => {
            answers_are_the_logged_ones();
            what_hangs_is_ended_and_what_crashes_is_noticed();
            without_a_process_there_is_an_answer();
            a_process_that_has_gone_is_started_again();
            who_is_first_answers();
        }
    }
}

/// A solver whose process has a role of this program's.
fn solver(role: &str, time_limit: Option<Duration>) -> Apart {
    let this = std::env::current_exe().expect("a program");
    Apart::new(&Config {
        time_limit,
        process: vec![this.into(), role.into()],
        ..Config::default()
    })
}

/// This process has no children: a process that was ended has been waited for.
fn nobody_is_left() {
    // SAFETY: the status may be null.
    let found = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
    let error = std::io::Error::last_os_error().raw_os_error();
    assert_eq!((found, error), (-1, Some(libc::ECHILD)));
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
    nobody_is_left();
}

/// A byte above 250.
fn simple(pool: &mut Pool) -> ExprId {
    let symbol = pool.symbol("x", 0, 1);
    let (byte, least) = (pool.symbol_byte(symbol, 0), pool.constant(8, 250));
    pool.ult(least, byte)
}

fn check(solver: &mut Apart) -> Answer {
    let mut pool = Pool::new();
    let constraint = simple(&mut pool);
    solver.check(&mut pool, &Query::new(&[constraint]))
}

fn what_hangs_is_ended_and_what_crashes_is_noticed() {
    for (role, word) in [("hang", "timeout"), ("crash", "crashed")] {
        let limit = (role == "hang").then_some(Duration::from_millis(100));
        let mut solver = solver(role, limit);
        for _ in 0..2 {
            match check(&mut solver) {
                Answer::Unknown(why) => assert!(why.contains(word), "{why}"),
                other => panic!("{other:?}"),
            }
            nobody_is_left();
        }
    }
}

fn without_a_process_there_is_an_answer() {
    let mut solver = Apart::new(&Config {
        process: vec!["/nowhere/at/all".into()],
        ..Config::default()
    });
    assert!(matches!(check(&mut solver), Answer::Sat(_)));
}

fn a_process_that_has_gone_is_started_again() {
    let mut solver = solver("serve", None);
    assert!(matches!(check(&mut solver), Answer::Sat(_)));
    let child = solver.process().expect("a process");
    // SAFETY: the process is our child, and is not waited for by others: it stays a zombie.
    unsafe {
        libc::kill(child.cast_signed(), libc::SIGKILL);
        let mut state: libc::siginfo_t = std::mem::zeroed();
        let ended = libc::WEXITED | libc::WNOWAIT;
        libc::waitid(libc::P_PID, child, &raw mut state, ended);
    }
    assert!(matches!(check(&mut solver), Answer::Sat(_)));
    drop(solver);
    nobody_is_left();
}

/// The two prime factors of a number that is hard enough for a race: whoever of the two is first, or
/// does not come at all, the answer is the same.
fn who_is_first_answers() {
    let this = std::env::current_exe().expect("a program");
    let entry = BACKENDS.iter().find(|entry| entry.name == "portfolio");
    for role in ["serve", "hang", "crash"] {
        let mut portfolio = (entry.expect("a back end").make)(&Config {
            time_limit: None,
            process: vec![this.clone().into(), role.into()],
            ..Config::default()
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
        nobody_is_left();
    }
}
