//! The bytes in which a program goes from the process that reads bitcode to the one that runs it:
//! those of a program with every construct, damaged at places that the input says, or the input
//! itself. They are read or refused; what is read can be written and read again.

#![no_main]

use plat_program::Program;
use std::sync::LazyLock;

/// A program with every construct.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let text = include_bytes!("../../../analysis/program/tests/constructs.txt");
    bytes(&plat_program::parse(text).expect("a program"))
});

fn bytes(program: &Program) -> Vec<u8> {
    let mut bytes = Vec::new();
    program.write_to(&mut bytes).expect("memory can be written");
    bytes
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let bytes_of_it = match data.split_first() {
        Some((0, raw)) => raw.to_vec(),
        Some((_, damage)) => damaged(damage),
        None => return,
    };
    let Ok(program) = Program::from_bytes(&bytes_of_it) else {
        return;
    };
    // Equal programs may have their tables in another order.
    let again = Program::from_bytes(&bytes(&program)).expect("what was written");
    assert!(again == program);
});

/// The bytes with some replaced, each by three bytes of input: two for the place, one for the value.
fn damaged(damage: &[u8]) -> Vec<u8> {
    let mut bytes = BYTES.clone();
    for change in damage.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
        bytes[place] = change[2];
    }
    bytes
}
