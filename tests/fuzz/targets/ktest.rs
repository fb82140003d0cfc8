//! `.ktest` files, as seeds, replays and `plat ktest` read them. What is read can be written and
//! read again, and the plan of its native run is made or refused.

#![no_main]

use plat_env::{Ktest, replay};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(test) = Ktest::from_bytes(data) else {
        return;
    };
    let written = test.to_bytes();
    let again = Ktest::from_bytes(&written).expect("what was written");
    // Writing drops objects without bytes, names those without a name, and then changes nothing.
    assert_eq!(again.to_bytes(), written);
    let _ = replay::plan(&test);
});
