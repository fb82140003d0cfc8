//! A fingerprint of a program, so that a result made for another program is noticed.

use plat_program::Program;
use std::hash::{Hash, Hasher};

/// FNV-1a, 64 bits: the same on every machine and in every run.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Sixteen hexadecimal digits that depend on the functions, their instructions and registers, the
/// globals and their initial bytes.
pub fn fingerprint(program: &Program) -> String {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for function in &program.functions {
        function.name.hash(&mut hash);
        function.call_ordinals.hash(&mut hash);
        for inst in &function.insts {
            std::mem::discriminant(inst).hash(&mut hash);
            inst.dst().hash(&mut hash);
        }
    }
    for global in &program.globals {
        global.name.hash(&mut hash);
        global.size.hash(&mut hash);
        if let Some(initial) = &global.initializer {
            initial.bytes.hash(&mut hash);
        }
    }
    format!("{:016x}", hash.finish())
}
