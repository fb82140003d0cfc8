//! The system calls: one file per family, each with its table.

mod connecting;
mod counting;
mod directories;
mod futex;
mod identity;
mod ipc;
mod mapping;
mod message_queues;
mod messages;
mod names;
mod opening;
mod polling;
mod processes;
mod reopening;
mod scheduling;
mod seeking;
mod semaphores;
mod shared_memory;
mod signalling;
mod status;
mod streams;
mod timing;
mod transfer;
mod users;
mod watching;

use crate::call::SystemCall;

/// All families.
pub static FAMILIES: &[&[SystemCall]] = &[
    connecting::CALLS,
    counting::CALLS,
    directories::CALLS,
    futex::CALLS,
    identity::CALLS,
    mapping::CALLS,
    message_queues::CALLS,
    messages::CALLS,
    names::CALLS,
    opening::CALLS,
    polling::CALLS,
    processes::CALLS,
    scheduling::CALLS,
    seeking::CALLS,
    semaphores::CALLS,
    shared_memory::CALLS,
    signalling::CALLS,
    status::CALLS,
    timing::CALLS,
    transfer::CALLS,
    users::CALLS,
    watching::CALLS,
];

/// The call of this number, if the model knows it.
pub fn find(number: u64) -> Option<&'static SystemCall> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .find(|entry| entry.number == number)
}

/// The calls that the model knows, by number, with their names.
pub fn modelled_calls() -> Vec<(u64, &'static str)> {
    let mut calls: Vec<(u64, &'static str)> = FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .map(|e| (e.number, e.name))
        .collect();
    calls.sort_unstable();
    calls
}

#[cfg(test)]
mod tests {
    use super::modelled_calls;

    #[test]
    fn each_call_once_under_its_own_name() {
        let calls = modelled_calls();
        assert!(
            calls.is_sorted_by(|a, b| a.0 < b.0),
            "a number twice: {calls:?}"
        );
        for (number, name) in calls {
            assert_eq!(crate::names::name(number), name);
        }
    }
}
