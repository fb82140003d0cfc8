//! Reads and writes at symbolic positions against one plain byte list for each input.

use fastrand::Rng;
use plat_expr::{Assignment, EvalMemo, ExprId, Pool, Value};
use plat_memory::storage::Storage;

const SIZE: u64 = 96;

struct World {
    pool: Pool,
    random: Rng,
    byte: ExprId,
    inputs: Vec<Assignment>,
    storage: Storage,
    /// Where in the storage the bytes start.
    base: u64,
    /// The contents for each input.
    plain: Vec<Vec<u8>>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut pool = Pool::new();
        let symbol = pool.symbol("b", 0, 1);
        let byte = pool.symbol_byte(symbol, 0);
        let inputs = (0..=255).map(|value| {
            let mut input = Assignment::new();
            input.set_byte(symbol, 0, value);
            input
        });
        Self {
            byte,
            inputs: inputs.collect(),
            storage: Storage::zeros(SIZE),
            base: 0,
            plain: vec![vec![0; SIZE as usize]; 256],
            random: Rng::with_seed(seed),
            pool,
        }
    }

    fn values(&mut self, expr: ExprId) -> Vec<u64> {
        let pool = &self.pool;
        let inputs = self.inputs.iter();
        let value = |input| pool.eval(expr, input, &mut EvalMemo::default());
        inputs.map(value).collect()
    }

    /// `offset + scale * (byte >> shift & mask)` and the bounds of it for accesses of `n` bytes.
    fn index(&mut self, n: u64) -> (ExprId, u64, u64) {
        let scale = [1, 2, 4, 4, 8, 8, 12][self.random.usize(..7)];
        let mask = [1, 3, 7][self.random.usize(..3)];
        let room = SIZE - n - scale * mask.min((SIZE - n) / scale);
        let mask = mask.min((SIZE - n) / scale);
        let mask = [0, 1, 1, 3, 3, 3, 3, 7][mask as usize];
        let offset = match self.random.u64(..3) {
            0 => self.random.u64(..room + 1),
            _ => self.random.u64(..room + 1) / 8 * 8,
        };
        let pool = &mut self.pool;
        let wide = pool.zext(self.byte, 64);
        let by = pool.constant(64, self.random.u64(..5));
        let shifted = pool.lshr(wide, by);
        let ones = pool.constant(64, mask);
        let masked = pool.and(shifted, ones);
        let factor = pool.constant(64, scale);
        let term = pool.mul(masked, factor);
        let offset = self.base + offset;
        let start = pool.constant(64, offset);
        let index = pool.add(term, start);
        (index, offset, offset + scale * mask)
    }

    fn value(&mut self, n: u32) -> ExprId {
        let known = self.random.u64(..);
        let known = self.pool.constant(8 * n, known);
        if self.random.u64(..3) > 0 {
            return known;
        }
        let byte = self.pool.zext_or_trunc(self.byte, 8 * n);
        self.pool.xor(byte, known)
    }

    fn symbolic_write(&mut self, n: u32) {
        let (index, low, high) = self.index(u64::from(n));
        let value = self.value(n);
        let guard = (self.random.u64(..3) == 0).then(|| {
            let bound = self.pool.constant(8, self.random.u64(..256));
            self.pool.ult(self.byte, bound)
        });
        self.storage
            .write_at(&mut self.pool, index, (low, high), value, n, guard);
        let (positions, values) = (self.values(index), self.values(value));
        let guards = guard.map(|guard| self.values(guard));
        for (input, plain) in self.plain.iter_mut().enumerate() {
            if guards.as_ref().is_none_or(|guards| guards[input] == 1) {
                let at = (positions[input] - self.base) as usize;
                let bytes = values[input].to_le_bytes();
                plain[at..at + n as usize].copy_from_slice(&bytes[..n as usize]);
            }
        }
    }

    fn symbolic_read(&mut self, n: u32, context: &str) {
        let (index, low, high) = self.index(u64::from(n));
        let read = self.storage.read_at(&mut self.pool, index, low, high, n);
        let (positions, values) = (self.values(index), self.values(read));
        for (input, plain) in self.plain.iter().enumerate() {
            let at = (positions[input] - self.base) as usize;
            let mut word = [0; 8];
            word[..n as usize].copy_from_slice(&plain[at..at + n as usize]);
            assert_eq!(
                values[input],
                u64::from_le_bytes(word),
                "{context} input {input}"
            );
        }
    }

    fn plain_step(&mut self, n: u32) {
        let length = 1 + self.random.u64(..30);
        let at = self.random.u64(..SIZE - length.max(8) + 1);
        let from = self.random.u64(..SIZE - length + 1);
        let (start, end) = (at as usize, (at + length) as usize);
        let base = self.base;
        match self.random.u64(..4) {
            0 => {
                self.storage.fill(&mut self.pool, base + at, length, 7);
                for plain in &mut self.plain {
                    plain[start..end].fill(7);
                }
            }
            1 => {
                self.storage
                    .copy_within(&mut self.pool, base + at, base + from, length);
                for plain in &mut self.plain {
                    plain.copy_within(from as usize..(from + length) as usize, start);
                }
            }
            2 => {
                let bytes = self.storage.read_bytes(&mut self.pool, base + from, length);
                self.storage.write_bytes(&mut self.pool, base + at, &bytes);
                for plain in &mut self.plain {
                    plain.copy_within(from as usize..(from + length) as usize, start);
                }
            }
            _ => {
                let at = at / u64::from(n) * u64::from(n);
                let value = self.value(n);
                let values = self.values(value);
                let value = Value::from_expr(&self.pool, value);
                self.storage.store(&mut self.pool, base + at, value, 8 * n);
                for (plain, value) in self.plain.iter_mut().zip(values) {
                    let bytes = value.to_le_bytes();
                    plain[at as usize..at as usize + n as usize]
                        .copy_from_slice(&bytes[..n as usize]);
                }
            }
        }
    }

    /// Moves the bytes into another storage, where writes are pending that could hit them.
    fn move_away(&mut self) {
        let by = 8 * self.random.u64(..5);
        let mut target = Storage::zeros(by + SIZE + 16);
        let wide = self.pool.zext(self.byte, 64);
        for mask in [3, 15] {
            let mask = self.pool.constant(64, mask);
            let eight = self.pool.constant(64, 8);
            let index = self.pool.and(wide, mask);
            let index = self.pool.mul(index, eight);
            let value = self.value(4);
            target.write_at(&mut self.pool, index, (0, by + SIZE), value, 4, None);
        }
        // What lay in front of the bytes before is moved too.
        target.grow(by + self.storage.size());
        target.absorb(&mut self.pool, by, &self.storage);
        self.base += by;
        self.storage = target;
    }

    fn compare(&mut self, context: &str) {
        let bytes = self.storage.read_bytes(&mut self.pool, self.base, SIZE);
        for (at, byte) in bytes.into_iter().enumerate() {
            let byte = byte.to_expr(&mut self.pool);
            let values = self.values(byte);
            for (input, plain) in self.plain.iter().enumerate() {
                assert_eq!(values[input], u64::from(plain[at]), "{context} at {at}");
            }
        }
    }
}

#[test]
fn every_input_reads_what_it_wrote() {
    for seed in 0..60 {
        let mut world = World::new(seed);
        for round in 0..40 {
            let context = format!("seed {seed} round {round}");
            let n = [1, 2, 4, 4, 4, 8][world.random.usize(..6)];
            match world.random.u64(..7) {
                0..=2 => world.symbolic_write(n),
                3..=4 => world.symbolic_read(n, &context),
                _ => world.plain_step(n),
            }
            if seed % 3 == 0 && round % 16 == 15 {
                world.move_away();
            }
        }
        world.compare(&format!("seed {seed}"));
    }
}

#[test]
fn a_read_at_the_index_of_a_write_is_what_was_written() {
    let mut world = World::new(1);
    let mut storage = Storage::zeros(4_096);
    let pool = &mut world.pool;
    let wide = pool.zext(world.byte, 64);
    let eight = pool.constant(64, 8);
    let index = pool.mul(wide, eight);
    let value = pool.constant(64, 42);
    let before = pool.len();
    storage.write_at(pool, index, (0, 255 * 8), value, 8, None);
    assert!(
        pool.len() < before + 20,
        "a write does not spread over its positions"
    );
    assert_eq!(storage.read_at(pool, index, 0, 255 * 8, 8), value);
    // Overwriting known positions keeps the others.
    for at in 0..100 {
        storage.store(pool, 8 * at, Value::Int(at), 64);
    }
    let read = storage.read_at(pool, index, 0, 255 * 8, 8);
    let values = world.values(read);
    for (input, value) in values.into_iter().enumerate() {
        assert_eq!(value, if input < 100 { input as u64 } else { 42 });
    }
}
