//! Logged queries in SMT-LIB 2. What is read can be written and read again, and means the same.

#![no_main]

use plat_expr::{Assignment, EvalMemo, ExprId, Pool, SymbolId};
use plat_solver::read_log;

/// As many nodes as a query of a real run has.
const MANY: usize = 10_000;

libfuzzer_sys::fuzz_target!(|data: &str| {
    let mut pool = Pool::new();
    let Ok(queries) = read_log(&mut pool, data) else {
        return;
    };
    if pool.len() > MANY {
        return;
    }
    for query in queries {
        let script = pool.smtlib(&query.constraints);
        let mut copy = Pool::new();
        let again = copy.read_smtlib(&script).expect("what was written");
        for salt in [0, 1, 77, 200] {
            let value = |number: u32| salt ^ (number as u8).wrapping_mul(salt);
            let original = hold(&pool, &query.constraints, |symbol| value(symbol.0));
            let copied = hold(&copy, &again, |symbol| value(written_number(&copy, symbol)));
            assert_eq!(original, copied);
        }
    }
});

/// Whether all constraints hold for these values of the symbols, each of which is one byte.
fn hold(pool: &Pool, constraints: &[ExprId], value: impl Fn(SymbolId) -> u8) -> bool {
    let mut assignment = Assignment::new();
    for &constraint in constraints {
        for (symbol, index) in pool.symbols(constraint).iter() {
            assignment.set_byte(symbol, index, value(symbol));
        }
    }
    let memo = &mut EvalMemo::new();
    constraints
        .iter()
        .all(|&c| pool.holds(c, &assignment, memo))
}

/// The number of the symbol that was written as `sNUMBER_0`.
fn written_number(pool: &Pool, symbol: SymbolId) -> u32 {
    let name = &pool.symbol_info(symbol).name;
    let number = name
        .strip_prefix('s')
        .and_then(|rest| rest.split('_').next());
    number
        .and_then(|number| number.parse().ok())
        .expect("a written name")
}
