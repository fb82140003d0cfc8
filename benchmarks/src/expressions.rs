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

/// Nodes of a round with a pool larger than any cache.
const MANY_NODES: u64 = 1 << 20;
const FEW_ROUNDS: usize = 5;

/// Words of input, each of four bytes.
fn words(pool: &mut Pool) -> Vec<ExprId> {
    let symbol = pool.symbol("input", 0, 64);
    (0..16)
        .map(|at| {
            let bytes: Vec<ExprId> = (0..4)
                .map(|byte| pool.symbol_byte(symbol, at * 4 + byte))
                .collect();
            bytes[1..]
                .iter()
                .fold(bytes[0], |low, &byte| pool.concat(byte, low))
        })
        .collect()
}

/// A tower of operations over some bytes; none of them folds.
fn tower(pool: &mut Pool, nodes: u64) -> ExprId {
    let words = words(pool);
    let mut at = words[0];
    for step in 0..nodes / 2 {
        let word = words[(step % 15 + 1) as usize];
        let sum = pool.add(at, word);
        at = pool.xor(sum, words[(step % 7) as usize]);
    }
    at
}

/// What a program does with its input, in 22 requests that make 17 nodes: constants, some of them
/// new, sums, bytes cut out and widened, masks, comparisons that are remembered, choices.
fn program(pool: &mut Pool, nodes: u64) -> ExprId {
    let words = words(pool);
    let (mut at, mut any) = (words[0], pool.constant(1, 0));
    for step in 0..nodes / 17 {
        let word = |k: u64| words[((step * 7 + k) % 16) as usize];
        let moved = pool.add(at, word(1));
        let summand = pool.constant(32, step * 2_654_435_761 % 65_536 + 1);
        let moved = pool.add(moved, summand);
        let mixed = pool.xor(moved, word(2));
        let byte = pool.extract(mixed, 8, 8);
        let byte = pool.zext(byte, 32);
        let factor = pool.constant(32, 33);
        let scaled = pool.mul(byte, factor);
        let left = pool.sub(mixed, scaled);
        let limit = pool.constant(32, 1000 + step % 64);
        let small = pool.ult(left, limit);
        let same = pool.eq(byte, limit);
        let mask = pool.constant(32, 0x0f0f);
        let masked = pool.and(left, mask);
        let chosen = pool.ite(small, masked, left);
        let wide = pool.sext(chosen, 64);
        let other = pool.not(same);
        any = pool.or(any, other);
        let negative = pool.slt(chosen, word(3));
        let both = pool.and(negative, small);
        any = pool.xor(any, both);
        let low = pool.extract(wide, 0, 32);
        at = pool.or(low, word(4));
    }
    let any = pool.sext(any, 32);
    pool.xor(at, any)
}

/// Millions of nodes of `of` that are made in a second, and found again when all are asked for
/// once more.
fn built(of: fn(&mut Pool, u64) -> ExprId, nodes: u64, rounds: usize) -> (f64, f64) {
    let (mut fresh, mut again) = (vec![], vec![]);
    for _ in 0..rounds {
        let mut pool = Pool::new();
        let start = thread_time();
        black_box(of(&mut pool, nodes));
        let made = pool.len() as u64;
        fresh.push(millions(made, start));
        let start = thread_time();
        black_box(of(&mut pool, nodes));
        again.push(millions(made, start));
    }
    (median(fresh), median(again))
}

#[expect(clippy::cast_precision_loss, reason = "counts below 2^53")]
fn millions(count: u64, start: Duration) -> f64 {
    count as f64 / (thread_time() - start).as_secs_f64() / 1e6
}

/// What is measured, with millions of nodes in a second. The first is the target's: a program's
/// mixture, all of it new.
pub fn figures() -> [(&'static str, f64); 7] {
    let (mixed, mixed_again) = built(program, NODES, ROUNDS);
    let (many, many_again) = built(program, MANY_NODES, FEW_ROUNDS);
    let (tower, _) = built(tower, NODES, ROUNDS);
    let (evaluated, tried) = evaluated();
    [
        ("built", mixed),
        ("built again", mixed_again),
        ("built, a million", many),
        ("built again, a million", many_again),
        ("built, sums alone", tower),
        ("evaluated once", evaluated),
        ("under many assignments", tried),
    ]
}

/// Millions of nodes evaluated in a second, once and as straight-line code.
fn evaluated() -> (f64, f64) {
    let (mut evaluated, mut tried) = (vec![], vec![]);
    let mut value = 0;
    for _ in 0..ROUNDS {
        let mut pool = Pool::new();
        let top = tower(&mut pool, NODES);
        let made = pool.len() as u64;
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
    (median(evaluated), median(tried))
}

/// Prints the table.
pub fn expressions() {
    let mut table = Table::new("expressions", &["what", "M nodes/s"]);
    for (what, figure) in figures() {
        table.row(vec![what.into(), format!("{figure:.1}")]);
    }
    table.print();
}
