//! Expressions by themselves: nodes built and evaluated in a second.

use std::hint::black_box;
use std::time::Duration;

use plat_expr::{Assignment, EvalMemo, ExprId, Pool, SymbolId};

use crate::process::thread_time;
use crate::table::{Table, median};

/// Nodes of a round.
const NODES: u64 = 1 << 16;
/// Assignments that a round tries.
const TRIED: u8 = 50;
const ROUNDS: usize = 15;

/// A tower of operations over some bytes; none of them folds.
fn tower(pool: &mut Pool, nodes: u64) -> ExprId {
    let symbol = pool.symbol("input", 0, 64);
    let words: Vec<ExprId> = (0..16)
        .map(|at| {
            let bytes: Vec<ExprId> = (0..4)
                .map(|byte| pool.symbol_byte(symbol, at * 4 + byte))
                .collect();
            bytes[1..]
                .iter()
                .fold(bytes[0], |low, &byte| pool.concat(byte, low))
        })
        .collect();
    let mut at = words[0];
    for step in 0..nodes / 2 {
        let word = words[(step % 15 + 1) as usize];
        let sum = pool.add(at, word);
        at = pool.xor(sum, words[(step % 7) as usize]);
    }
    at
}

#[expect(clippy::cast_precision_loss, reason = "counts below 2^53")]
fn millions(count: u64, start: Duration) -> f64 {
    count as f64 / (thread_time() - start).as_secs_f64() / 1e6
}

/// What is measured, with millions of nodes in a second.
pub fn figures() -> [(&'static str, f64); 4] {
    let (mut fresh, mut again, mut evaluated, mut tried) = (vec![], vec![], vec![], vec![]);
    let mut value = 0;
    for _ in 0..ROUNDS {
        let mut pool = Pool::new();
        let start = thread_time();
        let before = pool.len();
        let top = tower(&mut pool, NODES);
        let made = (pool.len() - before) as u64;
        fresh.push(millions(made, start));
        let start = thread_time();
        black_box(tower(&mut pool, NODES));
        again.push(millions(NODES, start));
        let model = Assignment::default();
        let start = thread_time();
        let mut memo = EvalMemo::default();
        value ^= pool.eval(top, &model, &mut memo);
        evaluated.push(millions(made, start));
        let bytes: Vec<(SymbolId, u32)> = pool.symbols(top).iter().collect();
        let zero = pool.constant(32, 0);
        let condition = pool.ne(top, zero);
        if let Some(mut code) = pool.straight(&[condition], &bytes, usize::MAX) {
            let start = thread_time();
            for byte in 0..TRIED {
                black_box(code.holds(&vec![byte; bytes.len()]));
            }
            tried.push(millions(code.len() as u64 * u64::from(TRIED), start));
        }
    }
    black_box(value);
    [
        ("built", median(fresh)),
        ("built again", median(again)),
        ("evaluated once", median(evaluated)),
        ("under many assignments", median(tried)),
    ]
}

/// Prints the table.
pub fn expressions() {
    let mut table = Table::new("expressions", &["what", "M nodes/s"]);
    for (what, figure) in figures() {
        table.row(vec![what.into(), format!("{figure:.1}")]);
    }
    table.print();
}
