//! A run under a bound on memory does not end because of memory that is free and that the allocator keeps.

use crate::Run;
use crate::api::config::Config;
use crate::api::observe::Silent;
use crate::api::outcome::Limit;
use crate::api::summary::StopReason;
use crate::executor::resident::{give_memory_back_by, resident_memory};
use plat_env::InputSpec;
use plat_program::parse;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

static NO_INTERRUPT: AtomicBool = AtomicBool::new(false);

/// What the allocator keeps.
static KEPT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

const FOR_EVER: &str = "program \"for_ever\"

define i32 @main() {
b0:
  jump b1
b1:
  jump b1
}
";

#[test]
fn what_the_allocator_keeps_does_not_count() {
    let program = parse(FOR_EVER.as_bytes()).unwrap_or_else(|why| panic!("{why}"));
    let kept = vec![1; 256 << 20];
    *KEPT.lock().expect("a vector") = kept;
    give_memory_back_by(|| *KEPT.lock().expect("a vector") = Vec::new());
    let mut config = Config::default();
    config.limits.time = Some(Duration::from_millis(500));
    config.limits.memory = Some(resident_memory() - (128 << 20));
    let mut observer = Silent;
    let run = Run::new(&program, &config, &mut observer, &NO_INTERRUPT).expect("a run");
    let summary = run.explore(&InputSpec::default()).expect("explored");
    assert_eq!(summary.reason, StopReason::Limit(Limit::Time));
}
