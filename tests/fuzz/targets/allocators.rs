//! Operations on forking allocators, each checked against a plain interval map.

#![no_main]

#[path = "../../../executor/allocator/tests/operations/mod.rs"]
mod operations;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    for entry in plat_allocator::ALL {
        operations::run(entry, data);
    }
});
