//! Text as a program. What is accepted is well-formed and comes back from its text.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(program) = plat_program::parse(data) {
        assert!(plat_program::verify(&program).is_empty());
        let text = program.to_string();
        assert_eq!(plat_program::parse(text.as_bytes()), Ok(program));
    }
});
