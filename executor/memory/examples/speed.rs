//! How long memory operations take: `cargo run --release -p plat-memory --example speed`.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Path, Run, request};
use plat_expr::{BinaryOp, ObjectId, Value};
use plat_memory::model::named;
use plat_memory::{Kind, ModelConfig};
use plat_program::InstId;
use std::hint::black_box;
use std::time::Instant;

/// Prints the time of one of `count` rounds.
fn time(what: &str, count: u64, mut round: impl FnMut(u64)) {
    let start = Instant::now();
    for at in 0..count {
        round(at);
    }
    let each = start.elapsed().as_nanos() as f64 / count as f64;
    println!("{what:<56} {each:>10.1} ns");
}

fn fresh(model: &str) -> (Run, Path) {
    let model = named(model).expect("the model exists");
    (Run::new(2), Path::new(model, &ModelConfig::default()))
}

fn concrete() {
    let (mut run, mut path) = fresh("segmented");
    let small = path.allocate(&mut run, &request(Kind::Stack, 64, None));
    let large = path.allocate(&mut run, &request(Kind::Heap, 1 << 20, None));
    let input = run.inputs[0];
    let Run { pool, objects, .. } = &mut run;
    let memory = &mut path.memory;
    for (name, object, mask) in [("64 byte", small, 56), ("1 MiB", large, (1 << 20) - 8)] {
        time(&format!("store 8 bytes, {name} object"), 10_000_000, |at| {
            let offset = ((at * 8) & mask).cast_signed();
            black_box(memory.store(pool, objects, object, offset, Value::Int(at), 64)).ok();
        });
        time(&format!("load 8 bytes, {name} object"), 10_000_000, |at| {
            let offset = ((at * 8) & mask).cast_signed();
            black_box(memory.load(pool, objects, object, offset, 64)).ok();
        });
    }
    time("store a pointer", 10_000_000, |at| {
        let value = Value::Pointer(large, at.cast_signed());
        black_box(memory.store(pool, objects, small, 8, value, 64)).ok();
    });
    time("load a pointer", 10_000_000, |_| {
        black_box(memory.load(pool, objects, small, 8, 64)).ok();
    });
    time("load 1 byte beside a pointer", 10_000_000, |_| {
        black_box(memory.load(pool, objects, small, 17, 8)).ok();
    });
    let byte = pool.symbol_byte(input, 0);
    let word = pool.zext(byte, 32);
    time("store a symbolic 4-byte word", 10_000_000, |_| {
        black_box(memory.store(pool, objects, small, 24, Value::Expr(word), 32)).ok();
    });
    time("load a symbolic 4-byte word", 10_000_000, |_| {
        black_box(memory.load(pool, objects, small, 24, 32)).ok();
    });
    time("copy 4096 plain bytes", 100_000, |_| {
        black_box(memory.copy(pool, objects, (large, 0), (large, 8192), 4096)).ok();
    });
}

fn lifetimes() {
    for model in ["forking", "flat", "segmented"] {
        let (mut run, mut path) = fresh(model);
        let pc = path.pc.clone();
        time(
            &format!("{model}: alloca of 32 bytes and return"),
            1_000_000,
            |_| {
                let object = path.allocate(&mut run, &request(Kind::Stack, 32, None));
                path.memory.release(&mut run.cx(&pc), object, InstId(1));
            },
        );
        time(
            &format!("{model}: malloc of 32 bytes and free"),
            300_000,
            |_| {
                let object = path.allocate(&mut run, &request(Kind::Heap, 32, Some(0)));
                path.memory.release(&mut run.cx(&pc), object, InstId(1));
            },
        );
        let mut held = Vec::new();
        time(
            &format!("{model}: malloc of 32 bytes, kept"),
            100_000,
            |_| {
                held.push(path.allocate(&mut run, &request(Kind::Heap, 32, Some(0))));
            },
        );
        time(&format!("{model}: fork with 100000 objects"), 1_000, |_| {
            black_box(path.clone());
        });
        time(
            &format!("{model}: fork, and first store after it"),
            1_000,
            |at| {
                let mut child = path.clone();
                let pool = &mut run.pool;
                let (memory, value) = (&mut child.memory, Value::Int(at));
                memory
                    .store(pool, &run.objects, held[77], 0, value, 64)
                    .ok();
            },
        );
    }
}

/// `rows` pointers to rows of 64 bytes; an element of a row is read at two symbolic positions.
fn lookups() {
    for model in ["forking", "merging", "flat", "segmented"] {
        for rows in [16u64, 128] {
            let (mut run, mut path) = fresh(model);
            let table = path.allocate(&mut run, &request(Kind::Heap, 8 * rows, Some(0)));
            let rows_held: Vec<ObjectId> = (0..rows)
                .map(|_| path.allocate(&mut run, &request(Kind::Heap, 64, Some(1))))
                .collect();
            for (at, &row) in rows_held.iter().enumerate() {
                let (pool, objects) = (&mut run.pool, &run.objects);
                let value = Value::Pointer(row, 0);
                let done = (path.memory).store(pool, objects, table, 8 * at as i64, value, 64);
                done.expect("in bounds");
            }
            let index = |run: &mut Run, base: Value, at: usize, mask: u64, scale: u64| {
                let input = run.input(at);
                let (mask, scale) = (run.constant(mask), run.constant(scale));
                let pool = &mut run.pool;
                let term = pool.binary(BinaryOp::And, input, mask);
                let term = pool.mul(term, scale);
                let base = base.to_expr(pool, 64);
                let sum = pool.add(base, term);
                Value::from_expr(pool, sum)
            };
            let slot = index(&mut run, Value::Pointer(table, 0), 0, rows - 1, 8);
            let mut loaded = None;
            time(
                &format!("{model}: load one of {rows} pointers"),
                1_000,
                |_| {
                    let mut paths = path.clone().load(&mut run, slot, 64);
                    loaded = paths.pop().and_then(|(_, value)| value);
                },
            );
            let row = loaded.expect("the pointer is in bounds");
            let element = index(&mut run, row, 1, 15, 4);
            let rounds = if model == "forking" { 3 } else { 200 };
            time(&format!("{model}: load through it"), rounds, |_| {
                black_box(path.clone().load(&mut run, element, 32));
            });
            time(&format!("{model}: store through it"), 3, |_| {
                black_box(path.clone().store(&mut run, element, Value::Int(1), 32));
            });
        }
    }
}

fn main() {
    concrete();
    lifetimes();
    lookups();
}
