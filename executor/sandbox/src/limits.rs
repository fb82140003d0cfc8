//! The limits on resources that a native run has. A program asks for them, and takes them for the
//! number of its descriptors or its workers: they are those that its path was told.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// A soft and a hard limit; none is no limit.
pub type Bounds = (Option<u64>, Option<u64>);

/// The resources, by their number on Linux. Those that are not here stay as they are: they bound what
/// the run takes (processor time, memory), or count what others take, too (processes of this user).
const RESOURCES: [(usize, Resource); 7] = [
    (3, Resource::Stack),
    (7, Resource::Nofile),
    (8, Resource::Memlock),
    (11, Resource::Sigpending),
    (12, Resource::Msgqueue),
    (13, Resource::Nice),
    (14, Resource::Rtprio),
];

/// Has a command run with these limits, by number, as far as its own hard limits allow it.
pub fn set(command: &mut Command, limits: &[Bounds]) {
    let wanted = RESOURCES.map(|(number, resource)| (resource, limits.get(number).copied()));
    let prepare = move || {
        wanted
            .into_iter()
            .try_for_each(|(resource, limit)| put(resource, limit))
    };
    // SAFETY: what is done in the child is made of system calls, without memory from the heap.
    unsafe { command.pre_exec(prepare) };
}

fn put(resource: Resource, limit: Option<Bounds>) -> io::Result<()> {
    let Some((current, maximum)) = limit else {
        return Ok(());
    };
    let maximum = least(maximum, getrlimit(resource).maximum);
    let current = least(current, maximum);
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}

/// The lower one of two limits.
fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_the_limits_or_its_own_lower_ones() {
        let mut limits = [(None, None); 16];
        limits[7] = (Some(100), Some(120));
        limits[3] = (Some(1 << 20), None);
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -Sn; ulimit -Hn; ulimit -Ss; ulimit -Hs"]);
        set(&mut command, &limits);
        let output = command.output().unwrap();
        let stack = match getrlimit(Resource::Stack).maximum {
            Some(bytes) => (bytes / 1024).to_string(),
            None => "unlimited".to_string(),
        };
        let expected = format!("100\n120\n1024\n{stack}\n");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}
