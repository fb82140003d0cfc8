//! A shift by the width or more that may have been moved ahead of its test is a fault exactly for
//! the inputs that use its result.

use plat_compiled_tests::{compile, config, run, scratch, source};
use plat_engine::{FaultKind, PathEnd};
use std::ops::Range;

/// The amounts that make each function of the program fail.
const FAULTY: [Range<u16>; 20] = [
    0..0,
    32..40,
    0..0,
    32..256,
    0..0,
    0..0,
    32..256,
    0..0,
    // Lanes of vectors.
    32..256,
    32..256,
    32..40,
    0..0,
    32..256,
    0..0,
    32..256,
    0..0,
    32..40,
    0..0,
    0..0,
    33..256,
];

/// The way in which an amount must be odd to fail.
const ODD: usize = 19;

#[test]
fn poison_is_a_fault_where_it_is_used() {
    let directory = scratch("poison");
    let bitcode = directory.join("poison.bc");
    compile(&["-c", "-emit-llvm", "-w"], &source("poison.ll"), &bitcode);
    let program = plat_bitcode::read(&bitcode).expect("clang's bitcode is readable");
    let (_, records) = run(&program, &config("segmented"));
    let mut found = [(0, 0); FAULTY.len()];
    for record in &records.list {
        let (way, amount) = match record.inputs[0].bytes[..] {
            [way, amount] => (usize::from(way), u16::from(amount)),
            ref other => panic!("an input of {} bytes", other.len()),
        };
        let Some(faulty) = FAULTY.get(way) else {
            continue;
        };
        let faulty = |amount: u16| faulty.contains(&amount) && (way != ODD || amount % 2 == 1);
        match &record.end {
            PathEnd::Fault(fault) => {
                assert_eq!(fault.kind, FaultKind::Overshift);
                assert!(faulty(amount), "way {way}: fault for {amount}");
                found[way].0 += 1;
            }
            PathEnd::Returned(_) => {
                assert!(!faulty(amount), "way {way}: none for {amount}");
                found[way].1 += 1;
            }
            other => panic!("way {way}: {other:?}"),
        }
    }
    for (way, (faults, ends)) in found.into_iter().enumerate() {
        assert_eq!(faults, usize::from(!FAULTY[way].is_empty()), "way {way}");
        assert!(ends > 0, "way {way}");
    }
}

/// The program of known shifts by up to 89 of 58 bits, taken below `last`: how it ends.
fn guarded(last: u32) -> PathEnd {
    let directory = scratch(&format!("guarded{last}"));
    let (text, bitcode) = (directory.join("guarded.ll"), directory.join("guarded.bc"));
    let program = std::fs::read_to_string(source("guarded.ll")).expect("it is there");
    std::fs::write(&text, program.replace("LAST", &last.to_string())).expect("it is written");
    compile(&["-c", "-emit-llvm", "-w"], &text, &bitcode);
    let program = plat_bitcode::read(&bitcode).expect("clang's bitcode is readable");
    let (_, records) = run(&program, &config("segmented"));
    assert_eq!(records.list.len(), 1);
    records.list[0].end.clone()
}

#[test]
fn known_shifts_matter_where_they_are_selected() {
    let mut sum = 0u32;
    for c in 0..90u32 {
        let (inside, all) = (c < 58, (1u64 << 58) - 1);
        let member = inside && (-4_227_858_433i64).cast_unsigned() & all & 1 << (c % 64) != 0;
        let low = if inside { (3u64 << c) as u32 } else { 7 };
        let late = if inside { (-99i64 >> c) as u32 } else { 1 };
        sum = sum.wrapping_mul(3).wrapping_add(member.into());
        sum = sum.wrapping_add(low.wrapping_mul(5));
        sum = sum.wrapping_add(late.wrapping_mul(11));
    }
    assert_eq!(guarded(58), PathEnd::Returned(sum.cast_signed()));
    for last in [59, 80] {
        match guarded(last) {
            PathEnd::Fault(fault) => assert_eq!(fault.kind, FaultKind::Overshift),
            other => panic!("{last}: {other:?}"),
        }
    }
}
