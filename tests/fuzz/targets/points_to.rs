//! `.pts` files. What is read can be written and read again, and its objects can be printed.

#![no_main]

use plat_pointers::PointsTo;
use plat_pointers::report::text;

libfuzzer_sys::fuzz_target!(|data: &str| {
    let Ok(result) = PointsTo::from_json("fuzz", data) else {
        return;
    };
    let again = PointsTo::from_json("fuzz", &result.to_json()).expect("what was written");
    assert!(again == result);
    for object in &result.objects {
        text::object(&result, object);
    }
});
