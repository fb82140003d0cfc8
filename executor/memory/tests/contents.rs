//! Contents of several pages against a plain list of bytes.

use fastrand::Rng;
use plat_expr::{Assignment, Byte, EvalMemo, ExprId, Node, ObjectId, Pool, Value};
use plat_memory::storage::Storage;

const SIZE: u64 = 3_000;

/// A storage and what it must contain under one assignment of the symbolic bytes.
struct Twin {
    storage: Storage,
    bytes: Vec<u8>,
}

struct Tables {
    pool: Pool,
    random: Rng,
    input: Assignment,
    objects: Vec<ObjectId>,
    words: Vec<ExprId>,
}

impl Tables {
    fn new(seed: u64) -> Self {
        let mut pool = Pool::new();
        let symbol = pool.symbol("s", 0, 16);
        let mut input = Assignment::new();
        input.set(symbol, (100..116).collect::<Vec<u8>>());
        let bytes: Vec<ExprId> = (0..16).map(|at| pool.symbol_byte(symbol, at)).collect();
        let mut words = bytes.clone();
        for width in [2, 3, 4, 8, 10, 16] {
            let joined = bytes[1..width]
                .iter()
                .fold(bytes[0], |low, &high| pool.concat(high, low));
            words.push(joined);
        }
        let objects = (1..4).map(|at| pool.new_object(at << 33)).collect();
        Self {
            pool,
            random: Rng::with_seed(seed),
            input,
            objects,
            words,
        }
    }

    fn value(&mut self) -> (Value, u32) {
        match self.random.u64(..4) {
            0 => {
                let bits = [1, 8, 13, 16, 24, 32, 58, 64][self.random.usize(..8)];
                let mask = if bits == 64 { !0 } else { (1 << bits) - 1 };
                (Value::Int(self.random.u64(..) & mask), bits)
            }
            1 => {
                let object = self.objects[self.random.usize(..3)];
                (
                    Value::Pointer(object, self.random.u64(..99).cast_signed() - 9),
                    64,
                )
            }
            2 => {
                let limbs = [self.random.u64(..), self.random.u64(..)];
                let bits = [80, 128][self.random.usize(..2)];
                (Value::Expr(self.pool.constant_limbs(bits, &limbs)), bits)
            }
            _ => {
                let expr = self.words[self.random.usize(..self.words.len())];
                (Value::Expr(expr), self.pool.width(expr))
            }
        }
    }

    /// The bytes of a value in memory.
    fn bytes(&mut self, value: Value, bits: u32) -> Vec<u8> {
        let expr = value.to_expr(&mut self.pool, bits);
        let limbs = self
            .pool
            .eval_limbs(expr, &self.input, &mut EvalMemo::default());
        let bytes = limbs.iter().flat_map(|limb| limb.to_le_bytes());
        bytes.take(bits.div_ceil(8) as usize).collect()
    }

    fn range(&mut self, n: u64) -> u64 {
        match self.random.u64(..3) {
            0 => self.random.u64(..SIZE - n + 1),
            1 => self.random.u64(..(SIZE - n) / 8) * 8,
            _ => (1024 * (1 + self.random.u64(..2)) - self.random.u64(..n.min(900) + 1))
                .min(SIZE - n),
        }
    }
}

fn step(tables: &mut Tables, twins: &mut [Twin], which: usize) {
    let choice = tables.random.u64(..12);
    let n = match tables.random.u64(..4) {
        0 => tables.random.u64(..1_500),
        _ => tables.random.u64(..40),
    };
    match choice {
        0 => {
            let (at, byte) = (tables.range(n), tables.random.u8(..) & 1);
            let twin = &mut twins[which];
            twin.storage.fill(&mut tables.pool, at, n, byte);
            twin.bytes[at as usize..(at + n) as usize].fill(byte);
        }
        1 => {
            let (at, from) = (tables.range(n), tables.range(n));
            let twin = &mut twins[which];
            twin.storage.copy_within(&mut tables.pool, at, from, n);
            let from = from as usize;
            twin.bytes.copy_within(from..from + n as usize, at as usize);
        }
        2 => {
            let other = tables.random.usize(..twins.len());
            let (at, from) = (tables.range(n), tables.range(n));
            let source = twins[other].storage.clone();
            let bytes = twins[other].bytes[from as usize..(from + n) as usize].to_vec();
            let twin = &mut twins[which];
            twin.storage.copy(&mut tables.pool, at, &source, from, n);
            twin.bytes[at as usize..(at + n) as usize].copy_from_slice(&bytes);
        }
        3 => {
            let (at, from) = (tables.range(n), tables.range(n));
            let twin = &mut twins[which];
            let bytes = twin.storage.read_bytes(&mut tables.pool, from, n);
            twin.storage.write_bytes(&mut tables.pool, at, &bytes);
            let from = from as usize;
            twin.bytes.copy_within(from..from + n as usize, at as usize);
        }
        _ => {
            let (value, bits) = tables.value();
            let bytes = tables.bytes(value, bits);
            let n = bytes.len();
            let at = tables.range(n as u64);
            let twin = &mut twins[which];
            twin.storage.store(&mut tables.pool, at, value, bits);
            twin.bytes[at as usize..at as usize + n].copy_from_slice(&bytes);
            assert_eq!(
                twin.storage.load(&mut tables.pool, at, bits),
                value,
                "read back whole"
            );
        }
    }
}

#[test]
fn any_mixture_reads_back() {
    for seed in 0..12 {
        let mut tables = Tables::new(seed);
        let mut twins = vec![Twin {
            storage: Storage::zeros(SIZE),
            bytes: vec![0; SIZE as usize],
        }];
        for round in 0..1_200 {
            let which = tables.random.usize(..twins.len());
            if round % 300 == 299 {
                let (storage, bytes) = (twins[which].storage.clone(), twins[which].bytes.clone());
                twins.push(Twin { storage, bytes });
            }
            step(&mut tables, &mut twins, which);
            for _ in 0..4 {
                let bits: u32 = [1, 8, 16, 32, 58, 64, 80, 128][tables.random.usize(..8)];
                let n = u64::from(bits.div_ceil(8));
                let at = tables.range(n);
                let seen = twins[which].storage.load(&mut tables.pool, at, bits);
                let mut expected = twins[which].bytes[at as usize..(at + n) as usize].to_vec();
                if !bits.is_multiple_of(8) {
                    expected[n as usize - 1] &= (1 << (bits % 8)) - 1;
                }
                assert_eq!(
                    tables.bytes(seen, bits),
                    expected,
                    "seed {seed} at {at} of {bits}"
                );
            }
        }
        for twin in &twins {
            let seen = twin.storage.read_bytes(&mut tables.pool, 0, SIZE);
            let mut memo = EvalMemo::default();
            for (at, (seen, &byte)) in seen.iter().zip(&twin.bytes).enumerate() {
                let expr = seen.to_expr(&mut tables.pool);
                let seen = tables.pool.eval(expr, &tables.input, &mut memo);
                assert_eq!(seen, u64::from(byte), "seed {seed} at {at}");
            }
        }
    }
}

#[test]
fn pointers_survive_partial_reads_and_moves() {
    let mut pool = Pool::new();
    let object = pool.new_object(7 << 32);
    let pointer = Value::Pointer(object, 24);
    let mut storage = Storage::zeros(64);
    storage.store(&mut pool, 8, pointer, 64);
    // Byte by byte to an unaligned position, and whole from there.
    for at in 0..8 {
        let byte = storage.load(&mut pool, 8 + at, 8);
        storage.store(&mut pool, 21 + at, byte, 8);
    }
    assert_eq!(storage.load(&mut pool, 21, 64), pointer);
    // Two halves as 4-byte words.
    for half in [0, 4] {
        let word = storage.load(&mut pool, 21 + half, 32);
        storage.store(&mut pool, 40 + half, word, 32);
    }
    assert_eq!(storage.load(&mut pool, 40, 64), pointer);
    // Overwriting one byte leaves the other seven as they were.
    storage.store(&mut pool, 47, Value::Int(0), 8);
    let rest = storage.read_bytes(&mut pool, 40, 8);
    assert_eq!(rest[7], Byte::Concrete(0));
    let number = (7u64 << 32) + 24;
    for (at, byte) in rest.iter().enumerate().take(7) {
        let expr = byte.to_expr(&mut pool);
        let seen = pool.eval(expr, &Assignment::new(), &mut EvalMemo::default());
        assert_eq!(seen, number >> (8 * at) & 255);
    }
}

#[test]
fn pointers_read_at_a_symbolic_position_stay_pointer_shaped() {
    let mut pool = Pool::new();
    let objects: Vec<ObjectId> = (1..4).map(|at| pool.new_object(at << 33)).collect();
    let symbol = pool.symbol("i", 0, 1);
    let mut storage = Storage::zeros(64);
    for (at, &object) in objects.iter().enumerate() {
        let pointer = Value::Pointer(object, at.cast_signed() as i64);
        storage.store(&mut pool, 16 + 8 * at as u64, pointer, 64);
    }
    let byte = pool.symbol_byte(symbol, 0);
    let index = pool.zext(byte, 64);
    let (three, eight) = (pool.constant(64, 3), pool.constant(64, 8));
    let (index, sixteen) = (pool.mul(index, eight), pool.constant(64, 16));
    let index = pool.add(index, sixteen);
    let shift = pool.zext(byte, 64);
    let shifted = pool.shl(shift, three);
    assert_eq!(pool.mul(shift, eight), shifted, "one form for both");
    // Only the three feasible words are in the table; the next read makes the same one.
    let read = storage.read_at(&mut pool, index, 16, 32, 8);
    let Node::Read(table, _) = pool.node(read) else {
        panic!("{:?}", pool.node(read));
    };
    assert_eq!(pool.table_elements(table).len(), 3);
    let shape = pool.shape(read).expect("pointer-shaped");
    assert_eq!(
        (shape.objects.clone(), shape.loose),
        (objects.clone(), false)
    );
    assert_eq!(storage.read_at(&mut pool, index, 16, 32, 8), read);
    // A pointer written at a symbolic position, read back at another.
    let value = Value::Pointer(objects[0], 40).to_expr(&mut pool, 64);
    storage.write_at(&mut pool, index, (16, 32), value, 8, None);
    let word = storage.load(&mut pool, 24, 64).to_expr(&mut pool, 64);
    let shape = pool.shape(word).expect("pointer-shaped");
    assert_eq!(shape.objects, [objects[0], objects[1]]);
}
