//! A decision is a fault for exactly the inputs for which it depends on what was never written;
//! for the others the path goes on, however the compiler has written the decision.

use plat_compiled_tests::{compile, config, run, scratch, source};
use plat_engine::{FaultKind, PathEnd};
use plat_memory::model;
use std::ops::Range;

/// The second bytes that make each function of the program fail.
const FAULTY: [Range<u16>; 6] = [101..256, 0..0, 5..6, 200..256, 0..50, 0..0];

#[test]
fn decisions_are_faults_where_they_depend_on_unwritten_bytes() {
    let directory = scratch("unwritten");
    let bitcode = directory.join("unwritten.bc");
    compile(
        &["-c", "-emit-llvm", "-w"],
        &source("unwritten.ll"),
        &bitcode,
    );
    let program = plat_bitcode::read(&bitcode).expect("clang's bitcode is readable");
    for model in model::ALL {
        let mut config = config(model.name);
        config.checks.uninitialised = true;
        let (_, records) = run(&program, &config);
        let mut found = [(0, 0); FAULTY.len()];
        for record in &records.list {
            let [way, a] = record.inputs[0].bytes[..] else {
                panic!("an input of another size");
            };
            let (way, a) = (usize::from(way), u16::from(a));
            let Some(faulty) = FAULTY.get(way) else {
                continue;
            };
            match &record.end {
                PathEnd::Fault(fault) => {
                    assert_eq!(fault.kind, FaultKind::Uninitialised);
                    assert!(faulty.contains(&a), "way {way}: fault for {a}");
                    found[way].0 += 1;
                }
                PathEnd::Returned(_) => {
                    assert!(!faulty.contains(&a), "way {way}: none for {a}");
                    found[way].1 += 1;
                }
                other => panic!("way {way}: {other:?}"),
            }
        }
        for (way, (faults, ends)) in found.into_iter().enumerate() {
            let expected = usize::from(!FAULTY[way].is_empty());
            assert_eq!(faults, expected, "way {way} under {}", model.name);
            assert!(ends > 0, "way {way} under {}", model.name);
        }
    }
}
