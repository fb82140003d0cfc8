//! Random programs over memory.

use fastrand::Rng;
use plat_memory::Kind;

/// A value as the program computes it; positions are those of earlier values.
#[derive(Clone, Debug)]
pub enum Operand {
    Const(u64),
    /// An earlier value plus `(input & mask) * scale + offset`.
    Affine(usize, usize, u64, u64, u64),
    /// One of two earlier values: the first if the input is below the bound.
    Choice(usize, u64, usize, usize),
    /// An earlier value xor `input & mask`: hides what a pointer points to.
    Hidden(usize, usize, u64),
}

#[derive(Clone, Debug)]
pub enum Op {
    Alloc(Kind, u64, Option<u32>),
    Let(Operand),
    Load(Operand, u32),
    Store(Operand, Operand, u32),
    Free(Operand),
    Copy(usize, u64, usize, u64, u64),
    /// A path for either side of `input & mask < bound`.
    Branch(usize, u64, u64),
}

/// Makes programs in which most accesses are right.
struct Maker {
    random: Rng,
    inputs: u64,
    /// Whether all objects are heap objects of groups.
    pooled: bool,
    /// What each value is for: the size of the object it points to, if it is a pointer.
    sizes: Vec<Option<u64>>,
    ops: Vec<Op>,
}

impl Maker {
    fn push(&mut self, op: Op, size: Option<u64>) {
        if matches!(op, Op::Alloc(..) | Op::Let(_) | Op::Load(..)) {
            self.sizes.push(size);
        }
        self.ops.push(op);
    }

    fn pointer(&mut self) -> (usize, u64) {
        let pointers: Vec<usize> = (0..self.sizes.len())
            .filter(|&at| self.sizes[at].is_some())
            .collect();
        let mut pointers = &pointers[..];
        if self.pooled && self.random.bool() {
            // Often one of the latest, which may be a choice among objects.
            pointers = &pointers[pointers.len().saturating_sub(3)..];
        }
        let at = pointers[self.random.usize(..pointers.len())];
        (at, self.sizes[at].unwrap_or(8))
    }

    fn any(&mut self) -> usize {
        self.random.usize(..self.sizes.len())
    }

    fn input(&mut self) -> usize {
        self.random.u64(..self.inputs) as usize
    }

    /// An address near an object: at most 12 bytes off, which is less than the red zone.
    fn address(&mut self, access: u64) -> Operand {
        let (pointer, size) = self.pointer();
        let slack = if self.random.u64(..8) == 0 { 12 } else { 0 };
        let room = (size + slack).saturating_sub(access);
        let scale = [1, 2, 3, 4, 6, 8, 12][self.random.usize(..7)];
        let mask = [0, 1, 3, 7, 15][self.random.usize(..5)];
        let mask = if mask * scale > room { 0 } else { mask };
        let offset = self.random.u64(..room - mask * scale + 1);
        let offset = match self.random.u64(..3) {
            0 => offset,
            _ => offset / 8 * 8,
        };
        match self.random.u64(..16) {
            0 => Operand::Hidden(pointer, self.input(), 7.min(size / 2)),
            _ => Operand::Affine(pointer, self.input(), mask, scale, offset),
        }
    }

    fn value(&mut self) -> Operand {
        match self.random.u64(..5) {
            0 => Operand::Const(self.random.u64(..)),
            1 => Operand::Affine(self.any(), self.input(), 255, 1, 0),
            2 => Operand::Choice(self.input(), self.random.u64(..256), self.any(), self.any()),
            3 => {
                let (pointer, _) = self.pointer();
                Operand::Affine(pointer, 0, 0, 1, 0)
            }
            _ => {
                let pointer = self.pointer().0;
                Operand::Affine(pointer, self.input(), 3, 4, 0)
            }
        }
    }

    fn alloc(&mut self, size: u64) {
        if self.pooled {
            let group = Some(u32::from(self.random.u64(..4) == 0));
            return self.push(Op::Alloc(Kind::Heap, size, group), Some(size));
        }
        let kind = match self.random.u64(..5) {
            0 => Kind::Global,
            1 => Kind::Stack,
            _ => Kind::Heap,
        };
        let group = [None, Some(0), Some(0), Some(1)][self.random.usize(..4)];
        self.push(Op::Alloc(kind, size, group), Some(size));
    }

    /// An array of pointers, and a pointer read from it at a symbolic position.
    fn table(&mut self) {
        let entries = 2 + self.random.u64(..3);
        self.alloc(8 * entries);
        let table = self.sizes.len() - 1;
        for entry in 0..entries {
            if self.random.u64(..8) == 0 {
                continue;
            }
            let (pointer, _) = self.pointer();
            let offset = self.random.u64(..2) * 8;
            let value = Operand::Affine(pointer, 0, 0, 1, offset);
            self.push(
                Op::Store(Operand::Affine(table, 0, 0, 1, 8 * entry), value, 64),
                None,
            );
        }
        let mask = if entries >= 4 { 3 } else { 1 };
        let address = Operand::Affine(table, self.input(), mask, 8, 0);
        let size = 8 + self.random.u64(..9);
        self.push(Op::Load(address, 64), Some(size));
    }
}

/// A random program of about `length` operations over so many input bytes.
pub fn program(seed: u64, inputs: u64, length: usize) -> Vec<Op> {
    made(seed, inputs, length, false)
}

/// The same of heap objects that belong to groups.
pub fn pooled_program(seed: u64, inputs: u64, length: usize) -> Vec<Op> {
    made(seed, inputs, length, true)
}

fn made(seed: u64, inputs: u64, length: usize, pooled: bool) -> Vec<Op> {
    let mut maker = Maker {
        random: Rng::with_seed(seed),
        inputs,
        pooled,
        sizes: Vec::new(),
        ops: Vec::new(),
    };
    for _ in 0..3 {
        let size = 4 + maker.random.u64(..29);
        maker.alloc(size);
    }
    while maker.ops.len() < length {
        let bits = [1, 8, 16, 24, 32, 58, 64, 64, 80, 128][maker.random.usize(..10)];
        match maker.random.u64(..13) {
            12 => {
                let mask = [3, 7, 15, 255][maker.random.usize(..4)];
                let bound = 1 + maker.random.u64(..mask);
                let at = maker.input();
                maker.push(Op::Branch(at, mask, bound), None);
            }
            0 => {
                let size = maker.random.u64(..40);
                maker.alloc(size);
            }
            1 | 2 => maker.table(),
            3 => {
                let (a, size) = maker.pointer();
                let (b, other) = maker.pointer();
                let choice = Operand::Choice(maker.input(), maker.random.u64(..256), a, b);
                maker.push(Op::Let(choice), Some(size.min(other)));
            }
            4 if maker.random.u64(..3) == 0 => {
                let (pointer, _) = maker.pointer();
                maker.push(Op::Free(Operand::Affine(pointer, 0, 0, 1, 0)), None);
            }
            5 => {
                let (to, size) = maker.pointer();
                let (from, other) = maker.pointer();
                let n = maker.random.u64(..size.min(other) + 1);
                let (a, b) = (
                    maker.random.u64(..size - n + 1),
                    maker.random.u64(..other - n + 1),
                );
                maker.push(Op::Copy(to, a, from, b, n), None);
            }
            6..=8 => {
                let (address, value) = (maker.address(u64::from(bits / 8)), maker.value());
                maker.push(Op::Store(address, value, bits), None);
            }
            _ => {
                let address = maker.address(u64::from(bits / 8));
                maker.push(Op::Load(address, bits), None);
            }
        }
    }
    maker.ops
}
