//! Programs that are a fuzzer's harness: `LLVMFuzzerTestOneInput`, and no `main` or not that one.
//!
//! The link stage gives them the `main` of the runtime (`transform/runtime/fuzzer`), which calls the
//! harness with symbolic data of symbolic size; behind it they are programs as others are. Here is
//! what else is different: the names of the two symbolic objects, and what the engine is told.

use plat_engine::Config;
use plat_program::Program;

/// The function of a harness. As an entry point, it stands for the runtime's `main` that calls it.
pub use plat_transform::HARNESS;

pub use plat_engine::library::fuzzing::{DATA, SIZE, size_bytes};

/// Whether a linked program is a harness.
pub fn is_harness(program: &Program) -> bool {
    program.function_named("__plat_fuzz_size").is_some()
}

/// The most bytes that long seeds can give a harness by themselves.
const LONGEST: usize = 4096;

/// Tells the engine what a harness needs; nothing if the program is none. `longest` is the size of the
/// longest seed of plain bytes.
pub fn fit(config: &mut Config, program: &Program, longest: usize) {
    if !is_harness(program) {
        return;
    }
    if config.start.fuzz_max_len.is_none() && longest > config.start.most_fuzzed() as usize {
        config.start.fuzz_max_len = Some(longest.min(LONGEST) as u32);
    }
    if config.start.entry_point == HARNESS {
        config.start.entry_point = "main".into();
    }
    // The size of the input stays one expression up to its bound.
    let most = u64::from(config.start.most_fuzzed());
    config.memory.size_capacity = config.memory.size_capacity.max(most);
}

/// The bytes that a harness gets in a test: the first of the data, as many as the size says.
/// `None` if the test is of another program.
pub fn input_of<'t>(objects: impl IntoIterator<Item = (&'t str, &'t [u8])>) -> Option<Vec<u8>> {
    let (mut size, mut data) = (None, &[][..]);
    for (name, bytes) in objects {
        if name == SIZE && size.is_none() {
            let mut wide = [0; 8];
            let known = bytes.len().min(8);
            wide[..known].copy_from_slice(&bytes[..known]);
            size = usize::try_from(u64::from_le_bytes(wide)).ok();
        } else if name == DATA && data.is_empty() {
            data = bytes;
        }
    }
    Some(data[..data.len().min(size?)].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_as_long_as_the_size_says() {
        let input = |objects: &[(&str, &[u8])]| input_of(objects.iter().copied());
        assert_eq!(
            input(&[("n", b"1"), (SIZE, &[2, 0]), (DATA, b"abcd")]),
            Some(b"ab".to_vec())
        );
        assert_eq!(input(&[(SIZE, &[0])]), Some(Vec::new()));
        assert_eq!(
            input(&[(SIZE, &[9]), (DATA, b"abcd")]),
            Some(b"abcd".to_vec())
        );
        assert_eq!(input(&[("stdin", b"abcd")]), None);
    }
}
