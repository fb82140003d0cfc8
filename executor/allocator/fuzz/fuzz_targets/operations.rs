//! libFuzzer's door to `tests/operations`.

#![no_main]

#[path = "../../tests/operations/mod.rs"]
mod operations;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for entry in plat_allocator::ALL {
        operations::run(entry, data);
    }
});
