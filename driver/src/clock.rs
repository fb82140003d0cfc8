//! The time of day of native runs: a library that is loaded before a program lets its clock begin when
//! that of the path began.

use crate::building::elf;
use std::path::Path;

/// Functions that tell the time of day; the last one stands in C++'s library.
const TELLS: [&[u8]; 5] = [
    b"clock_gettime",
    b"gettimeofday",
    b"time",
    b"timespec_get",
    b"_ZNSt6chrono3_V212system_clock3nowEv",
];

/// Functions that wait for a time of day, which stays the system's; and what AddressSanitizer as a shared
/// library asks for, before which no other library may be loaded.
const FORBIDS: [&[u8]; 16] = [
    b"__asan_init",
    b"clock_nanosleep",
    b"clock_settime",
    b"cnd_timedwait",
    b"mq_timedreceive",
    b"mq_timedsend",
    b"mtx_timedlock",
    b"pthread_cond_clockwait",
    b"pthread_cond_timedwait",
    b"pthread_mutex_clocklock",
    b"pthread_mutex_timedlock",
    b"pthread_rwlock_timedrdlock",
    b"pthread_rwlock_timedwrlock",
    b"sem_timedwait",
    b"timer_settime",
    b"timerfd_settime",
];

/// Whether the clock of this executable can be set, and it looks at it.
pub fn can_be_set(native: &Path) -> bool {
    let asked = elf::imports(native).unwrap_or_default();
    let any = |names: &[&[u8]]| asked.iter().any(|name| names.contains(&&name[..]));
    any(&TELLS) && !any(&FORBIDS)
}
