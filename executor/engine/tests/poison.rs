//! A shift by the width or more that may have been moved ahead of its test is a fault exactly for
//! the inputs that use its result.

mod common;

use common::{compile, config, run, scratch, source};
use plat_engine::{FaultKind, PathEnd};
use plat_program::reader;
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
    let program = reader::read(&bitcode).expect("clang's bitcode is readable");
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
