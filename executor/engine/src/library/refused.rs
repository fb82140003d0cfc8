//! Functions of the C library that cannot do what they are for and answer so without a system call,
//! or that answer with success and have no effect. They are named and counted, and run.
//!
//! What fails in a system call is named there: see [`crate::library::system`].

use super::{Invocation, Native, Reply, When};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Step;

/// A function: its symbol in the library, the name that programs call it by, what they see.
pub struct Refused {
    /// The symbol, behind aliases.
    pub symbol: &'static str,
    /// The name.
    pub name: &'static str,
    /// What the program sees.
    pub sees: &'static str,
}

const fn refused(symbol: &'static str, name: &'static str, sees: &'static str) -> Refused {
    Refused { symbol, name, sees }
}

const CLONE: &str = "new processes are not supported; it fails with ENOSYS";
const DATABASE: &str = "there is no such database; it returns NULL";
const ETHERS: &str = "there is no such database; it returns -1";
const LOGINS: &str = "there are no records of logins; it returns NULL";
const SPAWNING: &str = "scheduling is not supported; it returns ENOSYS";

/// All of them, by symbol.
pub const TABLE: &[Refused] = &[
    refused("__clone", "clone", CLONE),
    refused(
        "__utmpxname",
        "utmpxname",
        "there are no records of logins; it fails with ENOTSUP",
    ),
    refused(
        "brk",
        "brk",
        "the break does not move; it fails with ENOMEM",
    ),
    refused(
        "dlsym",
        "dlsym",
        "symbols cannot be looked up; it returns NULL",
    ),
    refused("ether_hostton", "ether_hostton", ETHERS),
    refused("ether_line", "ether_line", ETHERS),
    refused("ether_ntohost", "ether_ntohost", ETHERS),
    refused("gethostent", "gethostent", DATABASE),
    refused("getnetbyaddr", "getnetbyaddr", DATABASE),
    refused("getnetbyname", "getnetbyname", DATABASE),
    refused("getnetent", "getnetent", DATABASE),
    refused("getutxent", "getutxent", LOGINS),
    refused("getutxid", "getutxid", LOGINS),
    refused("getutxline", "getutxline", LOGINS),
    refused(
        "posix_spawnattr_getschedparam",
        "posix_spawnattr_getschedparam",
        SPAWNING,
    ),
    refused(
        "posix_spawnattr_getschedpolicy",
        "posix_spawnattr_getschedpolicy",
        SPAWNING,
    ),
    refused(
        "posix_spawnattr_setschedparam",
        "posix_spawnattr_setschedparam",
        SPAWNING,
    ),
    refused(
        "posix_spawnattr_setschedpolicy",
        "posix_spawnattr_setschedpolicy",
        SPAWNING,
    ),
    refused("pututxline", "pututxline", LOGINS),
    refused(
        "sbrk",
        "sbrk",
        "the break does not move; it fails with ENOMEM",
    ),
    refused(
        "stub_dladdr",
        "dladdr",
        "addresses have no names; it returns 0",
    ),
    refused(
        "stub_dlopen",
        "dlopen",
        "libraries cannot be loaded; it returns NULL",
    ),
    refused(
        "updwtmpx",
        "updwtmpx",
        "there are no records of logins; it does nothing",
    ),
];

fn find(symbol: &str) -> Option<&'static Refused> {
    let at = TABLE.binary_search_by(|entry| entry.symbol.cmp(symbol));
    at.ok().map(|at| &TABLE[at])
}

/// The entry of such a function.
pub(super) fn of(symbol: &str) -> Option<Native> {
    find(symbol)?;
    Some(Native {
        when: When::Always,
        run: name,
    })
}

/// Names the function, unless the program has one of its own of this name; then its body runs.
fn name(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let symbol = &exec.program.function(call.callee).name;
    if exec.code.functions[call.callee.index()].library
        && let Some(refused) = find(symbol)
    {
        let called = match symbol.starts_with("stub_") {
            // What programs call is an alias.
            true => None,
            false => Some(call.callee),
        };
        let what = exec.unsupported_name(state, called, refused.name);
        exec.note_unsupported(state, what, refused.sees);
    }
    Ok(Reply::Body)
}
