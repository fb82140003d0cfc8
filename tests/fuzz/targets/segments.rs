//! Segment maps (`segments.json`). What is read can be written and read again, and drawn.

#![no_main]

use plat_segments::SegmentMap;

libfuzzer_sys::fuzz_target!(|data: &str| {
    let Ok(map) = SegmentMap::from_json("fuzz", data) else {
        return;
    };
    let again = SegmentMap::from_json("fuzz", &map.to_json()).expect("what was written");
    assert!(again == map);
    map.sizes();
    map.to_dot();
    map.to_html();
});
