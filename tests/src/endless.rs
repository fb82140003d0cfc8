//! Explorations that do not end by themselves, and waiting for what they come to.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// A path for every value, each leaving a test, without end.
pub const ENDLESS: &str = "
#include <klee/klee.h>
int main(void)
{
\tunsigned long n;
\tklee_make_symbolic(&n, sizeof n, \"n\");
\tfor (unsigned long i = 0;; i++)
\t\tif (n == i)
\t\t\treturn 0;
}
";

/// The longest that anything may take on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `ready` holds.
pub fn wait_for(what: &str, mut ready: impl FnMut() -> bool) {
    let start = Instant::now();
    while !ready() {
        assert!(start.elapsed() < PATIENCE, "waited too long for {what}");
        sleep(Duration::from_millis(20));
    }
}
