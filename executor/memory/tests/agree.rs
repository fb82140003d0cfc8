//! Random programs: whatever a model does, every input must see what a plain memory shows it.
//!
//! A program is a list of operations on values; some values are symbolic bytes. It runs once
//! symbolically under each model, and once for every input on the reference, a list of byte
//! vectors. For every input exactly one path must hold, it must fault where the reference faults
//! or not at all, and all values and the whole memory must agree.

mod common;
#[path = "common/dear.rs"]
mod dear;
#[path = "common/programs.rs"]
mod programs;

use common::{Path, Run, request};
use plat_expr::{BinaryOp, EvalMemo, IntPredicate, Value};
use plat_memory::model::{ALL, Entry, named};
use plat_memory::resolve::Splitting;
use plat_memory::{FaultKind, Join, Kind, ModelConfig};
use plat_solver::Feasible;
use programs::{Op, Operand, pooled_program, program};
use std::collections::BTreeSet;

/// The reference memory.
#[derive(Default)]
struct Reference {
    /// Number, bytes, kind, alive.
    objects: Vec<(u64, Vec<u8>, Kind, bool)>,
    values: Vec<u64>,
}

impl Reference {
    fn operand(&self, operand: &Operand, input: &[u8]) -> u64 {
        match *operand {
            Operand::Const(value) => value,
            Operand::Affine(base, at, mask, scale, offset) => self.values[base]
                .wrapping_add((u64::from(input[at]) & mask) * scale)
                .wrapping_add(offset),
            Operand::Choice(at, bound, a, b) => {
                self.values[if u64::from(input[at]) < bound { a } else { b }]
            }
            Operand::Hidden(base, at, mask) => self.values[base] ^ (u64::from(input[at]) & mask),
        }
    }

    /// The bytes of an access, or a fault.
    fn bytes(&mut self, address: u64, size: u64) -> Result<&mut [u8], Option<FaultKind>> {
        for (number, bytes, _, live) in &mut self.objects {
            if address < *number || address >= *number + bytes.len() as u64 {
                continue;
            }
            let offset = (address - *number) as usize;
            if !*live {
                return Err(Some(FaultKind::UseAfterFree));
            }
            return bytes
                .get_mut(offset..offset + size as usize)
                .ok_or(Some(FaultKind::OutOfBounds));
        }
        Err((address < 4096).then_some(FaultKind::NullPage))
    }

    fn step(&mut self, op: &Op, number: u64, input: &[u8]) -> Result<(), Option<FaultKind>> {
        match op {
            Op::Alloc(kind, size, _) => {
                self.values.push(number);
                let bytes = vec![0; *size as usize];
                self.objects.push((number, bytes, *kind, true));
            }
            Op::Let(operand) => {
                let value = self.operand(operand, input);
                self.values.push(value);
            }
            Op::Load(address, bits) => {
                let address = self.operand(address, input);
                let bytes = self.bytes(address, u64::from(bits.div_ceil(8)))?;
                let mut word = [0; 16];
                word[..bytes.len()].copy_from_slice(bytes);
                let mask = if *bits < 64 {
                    (1 << bits) - 1
                } else {
                    u128::MAX
                };
                let value = u128::from_le_bytes(word) & mask;
                // Wider values are folded into 64 bits, see `low_word`.
                self.values.push(value as u64 ^ (value >> 64) as u64);
            }
            Op::Store(address, value, bits) => {
                let address = self.operand(address, input);
                let value = self.operand(value, input);
                let mask = if *bits < 64 {
                    (1 << bits) - 1
                } else {
                    u64::MAX
                };
                let bytes = self.bytes(address, u64::from(bits.div_ceil(8)))?;
                let word = u128::from(value & mask).to_le_bytes();
                let n = bytes.len();
                bytes.copy_from_slice(&word[..n]);
            }
            Op::Free(operand) => {
                let address = self.operand(operand, input);
                if address == 0 {
                    return Ok(());
                }
                let object = self.objects.iter_mut().find(|object| object.0 == address);
                let Some((_, _, kind, live)) = object else {
                    return Err(Some(FaultKind::InvalidFree));
                };
                match (*kind, *live) {
                    (Kind::Heap, true) => *live = false,
                    (Kind::Heap, false) => return Err(Some(FaultKind::DoubleFree)),
                    (Kind::Stack, _) => return Err(Some(FaultKind::FreeOfAlloca)),
                    _ => return Err(Some(FaultKind::FreeOfGlobal)),
                }
            }
            Op::Copy(to, a, from, b, n) => {
                if *n == 0 {
                    return Ok(());
                }
                let (to, from) = (self.values[*to] + a, self.values[*from] + b);
                let source = self.bytes(from, *n)?.to_vec();
                self.bytes(to, *n)?.copy_from_slice(&source);
            }
            Op::Branch(..) => {}
        }
        Ok(())
    }
}

fn operand(run: &mut Run, path: &Path, operand: &Operand) -> Value {
    match *operand {
        Operand::Const(value) => Value::Int(value),
        Operand::Affine(base, _, 0, _, 0) => path.values[base],
        Operand::Affine(base, at, mask, scale, offset) => {
            let input = run.input(at);
            let pool = &mut run.pool;
            let (mask, scale) = (pool.constant(64, mask), pool.constant(64, scale));
            let base = path.values[base].to_expr(pool, 64);
            let term = pool.binary(BinaryOp::And, input, mask);
            let term = pool.mul(term, scale);
            let offset = pool.constant(64, offset);
            let sum = pool.add(base, term);
            let sum = pool.add(sum, offset);
            Value::from_expr(pool, sum)
        }
        Operand::Choice(at, bound, a, b) => {
            let input = run.input(at);
            let bound = run.constant(bound);
            let pool = &mut run.pool;
            let below = pool.compare(IntPredicate::Ult, input, bound);
            let (a, b) = (
                path.values[a].to_expr(pool, 64),
                path.values[b].to_expr(pool, 64),
            );
            let choice = pool.ite(below, a, b);
            Value::from_expr(pool, choice)
        }
        Operand::Hidden(base, at, mask) => {
            let input = run.input(at);
            let mask = run.constant(mask);
            let pool = &mut run.pool;
            let term = pool.binary(BinaryOp::And, input, mask);
            let base = path.values[base].to_expr(pool, 64);
            let hidden = pool.binary(BinaryOp::Xor, base, term);
            Value::from_expr(pool, hidden)
        }
    }
}

/// A loaded value as 64 bits: zero-extended, or the exclusive or of its two halves.
fn low_word(run: &mut Run, value: Value, bits: u32) -> Value {
    if bits == 64 {
        return value;
    }
    let pool = &mut run.pool;
    let mut expr = value.to_expr(pool, bits);
    if bits > 64 {
        let low = pool.extract(expr, 0, 64);
        let high = pool.extract(expr, 64, bits - 64);
        let high = pool.zext(high, 64);
        expr = pool.xor(low, high);
    } else {
        expr = pool.zext(expr, 64);
    }
    Value::from_expr(pool, expr)
}

fn step(run: &mut Run, mut path: Path, op: &Op) -> Vec<Path> {
    match op {
        Op::Alloc(kind, size, group) => {
            let object = path.allocate(run, &request(*kind, *size, *group));
            path.values.push(Value::Pointer(object, 0));
            vec![path]
        }
        Op::Let(value) => {
            let value = operand(run, &path, value);
            path.values.push(value);
            vec![path]
        }
        Op::Load(address, bits) => {
            let address = operand(run, &path, address);
            let mut paths = Vec::new();
            for (mut path, value) in path.load(run, address, *bits) {
                if let Some(value) = value {
                    let value = low_word(run, value, *bits);
                    path.values.push(value);
                }
                paths.push(path);
            }
            paths
        }
        Op::Store(address, value, bits) => {
            let address = operand(run, &path, address);
            let value = operand(run, &path, value);
            let expr = value.to_expr(&mut run.pool, 64);
            let value = match bits {
                64 => value,
                0..64 => {
                    let low = run.pool.extract(expr, 0, *bits);
                    Value::from_expr(&run.pool, low)
                }
                _ => Value::Expr(run.pool.zext(expr, *bits)),
            };
            path.store(run, address, value, *bits)
        }
        Op::Free(pointer) => {
            let pointer = operand(run, &path, pointer);
            path.free(run, pointer)
        }
        Op::Branch(at, mask, bound) => branch(run, path, *at, *mask, *bound),
        Op::Copy(to, a, from, b, n) => copy(run, path, (*to, *a), (*from, *b), *n),
    }
}

fn branch(run: &mut Run, path: Path, at: usize, mask: u64, bound: u64) -> Vec<Path> {
    let input = run.input(at);
    let (mask, bound) = (run.constant(mask), run.constant(bound));
    let masked = run.pool.and(input, mask);
    let below = run.pool.ult(masked, bound);
    let above = run.pool.not(below);
    let mut paths = Vec::new();
    for condition in [below, above] {
        let feasible = run.oracle.feasible(&mut run.pool, &path.pc, condition);
        if let Feasible::Yes(model) = feasible {
            let mut path = path.clone();
            path.pc.add(&mut run.pool, condition, &model);
            paths.push(path);
        }
    }
    paths
}

/// Copies between known places; through other pointers, byte by byte.
fn copy(run: &mut Run, path: Path, to: (usize, u64), from: (usize, u64), n: u64) -> Vec<Path> {
    if n == 0 {
        return vec![path];
    }
    let mut path = path;
    let (target, source) = (path.values[to.0], path.values[from.0]);
    if let (Value::Pointer(target, at), Value::Pointer(source, start)) = (target, source) {
        let to = (target, at + to.1 as i64);
        let from = (source, start + from.1 as i64);
        let done = path.memory.copy(&mut run.pool, &run.objects, to, from, n);
        path.fault = done.err();
        return vec![path];
    }
    let shift = |run: &mut Run, value: Value, by: u64| {
        let pool = &mut run.pool;
        let (base, by) = (value.to_expr(pool, 64), pool.constant(64, by));
        let sum = pool.add(base, by);
        Value::from_expr(pool, sum)
    };
    // All bytes are read before any is written, as the reference does.
    let bits = 8 * n as u32;
    let address = shift(run, source, from.1);
    let mut result = Vec::new();
    for (path, value) in path.load(run, address, bits) {
        match value {
            None => result.push(path),
            Some(value) => {
                let address = shift(run, target, to.1);
                result.extend(path.store(run, address, value, bits));
            }
        }
    }
    result
}

/// Runs a program under a model; all its paths, finished or faulty with the position of the
/// faulty operation.
fn explore(run: &mut Run, (model, config): Variant, program: &[Op]) -> Vec<(Path, usize)> {
    let mut live = vec![Path::new(model, &config)];
    let mut ended = Vec::new();
    for (at, op) in program.iter().enumerate() {
        for path in std::mem::take(&mut live) {
            for path in step(run, path, op) {
                match path.fault {
                    Some(_) => ended.push((path, at)),
                    None => live.push(path),
                }
            }
        }
        assert!(live.len() < 3_000, "too many paths");
    }
    ended.extend(live.into_iter().map(|path| (path, program.len())));
    ended
}

fn numbers(run: &Run, path: &Path, program: &[Op]) -> Vec<u64> {
    // Allocations are the same on every path: the allocator never sees a symbolic value.
    let mut values = path.values.iter();
    let number = |op: &Op| match op {
        Op::Alloc(..) => match values.next() {
            Some(&Value::Pointer(object, _)) => run.objects.get(object).number,
            _ => 0,
        },
        Op::Let(_) | Op::Load(..) => {
            values.next();
            0
        }
        _ => 0,
    };
    program.iter().map(number).collect()
}

/// A model, and how it is configured.
type Variant = (&'static Entry, ModelConfig);

fn config(join: Join, threshold: u64) -> ModelConfig {
    ModelConfig {
        threshold,
        join,
        ..ModelConfig::default()
    }
}

fn segmented(join: Join, threshold: u64) -> Variant {
    let model = named("segmented").expect("the model exists");
    (model, config(join, threshold))
}

/// Every model, `segmented` with both joins; with a threshold so small that groups overflow.
fn variants() -> Vec<Variant> {
    let mut all: Vec<Variant> = ALL
        .iter()
        .map(|model| (model, config(Join::Demand, 40)))
        .collect();
    all.push(segmented(Join::Allocation, 40));
    // What a fresh object shares a segment with depends on what the solver is asked.
    let dynamic = named("dynamic").expect("the model exists");
    for context_depth in [Some(4), None] {
        let config = ModelConfig {
            context_depth,
            ..ModelConfig::default()
        };
        all.push((dynamic, config));
    }
    for name in ["forking", "dynamic"] {
        let splitting = Splitting {
            threshold: 12,
            piece: 8,
        };
        let config = ModelConfig {
            splitting: Some(splitting),
            ..ModelConfig::default()
        };
        all.push((named(name).expect("the model exists"), config));
    }
    all
}

/// What the checked programs did, so that a test can tell that it tested something.
#[derive(Default, Debug)]
struct Seen {
    paths: u64,
    faults: BTreeSet<FaultKind>,
    symbolic: u64,
    multiple: u64,
    most: u64,
    joins: u64,
}

fn check(variant: Variant, seed: u64, inputs: usize, length: usize, seen: &mut Seen) {
    let program = program(seed, inputs as u64, length);
    check_program(variant, &program, seed, inputs, seen);
}

fn check_program(variant: Variant, program: &[Op], seed: u64, inputs: usize, seen: &mut Seen) {
    let model = variant.0;
    let mut run = Run::new(inputs);
    let paths = explore(&mut run, variant, program);
    seen.paths += paths.len() as u64;
    let faults = paths.iter().filter_map(|(path, _)| path.fault);
    seen.faults.extend(faults.map(|fault| fault.kind));
    seen.symbolic += run.stats.symbolic;
    seen.multiple += run.stats.multiple;
    seen.most = seen.most.max(run.stats.max_targets);
    seen.joins += run.stats.joins;
    let longest = paths.iter().max_by_key(|(path, _)| path.values.len());
    let numbers = numbers(&run, &longest.expect("there is a path").0, program);
    for input in 0..1u32 << (8 * inputs) {
        let bytes = &input.to_le_bytes()[..inputs];
        let assignment = run.assign(bytes);
        let mut taken = paths
            .iter()
            .filter(|(path, _)| run.takes(path, &assignment));
        let Some((path, end)) = taken.next() else {
            assert!(
                !model.is_complete(),
                "seed {seed}: input {bytes:?} has no path"
            );
            continue;
        };
        assert!(taken.next().is_none(), "seed {seed}: two paths");
        let mut reference = Reference::default();
        let mut memo = EvalMemo::default();
        for (at, op) in program.iter().enumerate() {
            let done = reference.step(op, numbers[at], bytes);
            let context = || format!("{} seed {seed} input {bytes:?} op {at} {op:?}", model.name);
            if let Err(kind) = done {
                assert_eq!(*end, at, "{}: fault of the reference only", context());
                let fault = path.fault.expect("faulty paths carry their fault");
                if let Some(kind) = kind {
                    assert_eq!(fault.kind, kind, "{}", context());
                }
                break;
            }
            assert_ne!(*end, at, "{}: {:?}", context(), path.fault);
            if let Some(&value) = reference.values.last() {
                let position = reference.values.len() - 1;
                let expr = path.values[position].to_expr(&mut run.pool, 64);
                let seen = run.pool.eval(expr, &assignment, &mut memo);
                assert_eq!(seen, value, "{}", context());
            }
        }
        if path.fault.is_none() {
            compare_contents(&mut run, path, &reference, &assignment, seed);
        }
    }
}

fn compare_contents(
    run: &mut Run,
    path: &Path,
    reference: &Reference,
    input: &plat_expr::Assignment,
    seed: u64,
) {
    let mut memo = EvalMemo::default();
    for (number, bytes, _, live) in &reference.objects {
        if bytes.is_empty() {
            continue;
        }
        let (object, _) = path.memory.find(*number).expect("the object is known");
        assert_eq!(
            path.memory.object(object).map(|state| state.live),
            Some(*live)
        );
        if !live {
            continue;
        }
        let size = bytes.len() as u64;
        let seen = path
            .memory
            .read_bytes(&mut run.pool, &run.objects, object, 0, size)
            .expect("the object is alive");
        for (seen, byte) in seen.iter().zip(bytes) {
            let seen = seen.to_expr(&mut run.pool);
            let seen = run.pool.eval(seen, input, &mut memo);
            assert_eq!(seen, u64::from(*byte), "seed {seed}: contents");
        }
    }
}

#[test]
fn every_model_agrees_with_plain_memory_for_one_symbolic_byte() {
    let seeds: u64 = std::env::var("SEEDS").map_or(30, |seeds| seeds.parse().expect("a number"));
    for (model, config) in variants() {
        let mut seen = Seen::default();
        for seed in 0..seeds {
            check((model, config), seed, 1, 24, &mut seen);
        }
        println!("{} {config:?}: {seen:?}", model.name);
        assert!(seen.symbolic > 2 * seeds && 3 * seen.multiple > seeds && seen.most > 2);
        assert!(seen.faults.len() >= 4, "{:?}", seen.faults);
    }
}

#[test]
fn objects_are_joined_and_freed_as_in_plain_memory() {
    let seeds: u64 = std::env::var("SEEDS").map_or(150, |seeds| seeds.parse().expect("a number"));
    let variants = [
        segmented(Join::Demand, 40),
        segmented(Join::Demand, 10_000),
        segmented(Join::Allocation, 40),
        (
            named("dynamic").expect("the model exists"),
            config(Join::Demand, 40),
        ),
        (
            named("auto").expect("the model exists"),
            config(Join::Demand, 10_000),
        ),
        (&dear::ENTRY, config(Join::Demand, 10_000)),
    ];
    let mut all = Vec::new();
    for (model, config) in variants {
        let mut seen = Seen::default();
        for seed in 0..seeds {
            let program = pooled_program(seed, 1, 30);
            check_program((model, config), &program, seed, 1, &mut seen);
        }
        println!("{config:?}: {seen:?}");
        all.push(seen);
    }
    let [few, many, never, dynamic, auto, dear] = &all[..] else {
        panic!("a run for each variant");
    };
    assert!(3 * few.joins > seeds && 3 * many.joins > seeds && never.joins == 0);
    assert!(3 * dynamic.joins > seeds && 3 * auto.joins > seeds);
    // What shares a segment is followed on a path for each object, once that is dear.
    assert!(3 * dear.joins > seeds && dear.paths > auto.paths, "{all:?}");
    // Where there is room, what a pointer can be is one alternative.
    assert!(
        many.paths <= never.paths && many.paths < few.paths,
        "{all:?}"
    );
}

#[test]
fn every_model_agrees_with_plain_memory_for_two_symbolic_bytes() {
    for model in ALL {
        let variant = (model, config(Join::Demand, 40));
        for seed in 1_000..1_002 {
            check(variant, seed, 2, 16, &mut Seen::default());
        }
    }
}
