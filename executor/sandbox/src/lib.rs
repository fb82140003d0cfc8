//! Confinement of machine code that is not trusted: native runs of programs under test, and callees
//! of external calls. They change no file outside of their directory, reach no network, signal nobody
//! outside, and leave no process behind, as far as the system can see to that. Reading is not
//! restricted.
//!
//! - Files: Landlock, and for a program a private layer over directories such as `/tmp`, in which its
//!   writes succeed and are gone afterwards.
//! - Network: a namespace with nothing but its own loopback device, within a user namespace where that
//!   is what it takes; else a filter of system calls.
//! - Processes: whoever starts them is the subreaper of all that they leave.
//!
//! [`answers`] and [`limits`] are for the other direction: what a native run hears from the system is
//! what its path heard.
//!
//! Each part is left out where the system lacks it, and [`Sandbox::lacking`] says so: containers
//! often refuse namespaces, older kernels have no Landlock.

pub mod answers;
pub mod descendants;
mod files;
mod filter;
mod layers;
pub mod limits;
mod listings;
mod network;

use network::Network;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

/// What this process and all that it starts are confined by.
#[derive(Debug)]
pub struct Sandbox {
    network: Network,
    files: bool,
    signals: bool,
}

/// Where a program may write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Room {
    /// The directory that it works in.
    pub work: PathBuf,
    /// Further files and directories that it may change.
    pub writable: Vec<PathBuf>,
    /// Directories in which it may change everything for itself alone, if the system can do that.
    pub private: Vec<PathBuf>,
    /// Directories that it may change for good, wherever they lie.
    pub kept: Vec<PathBuf>,
    /// An empty directory in which the system keeps such changes.
    pub layer: PathBuf,
}

impl Sandbox {
    /// Cuts this process off from the network and makes it the parent of all orphans among its
    /// descendants. It must have one thread only.
    ///
    /// # Errors
    /// When the system refuses what every system has.
    pub fn enter() -> io::Result<Self> {
        descendants::adopt_orphans()?;
        Ok(Sandbox {
            network: network::leave()?,
            files: files::are_confinable(),
            signals: files::are_signals_confinable(),
        })
    }

    /// The same for a process that runs untrusted code itself: from now on it changes no files.
    ///
    /// # Errors
    /// As [`Sandbox::enter`].
    pub fn enter_without_files() -> io::Result<Self> {
        let sandbox = Self::enter()?;
        files::restrict(files::rules([].into_iter())?, [].into_iter())?;
        Ok(sandbox)
    }

    /// What untrusted code can do here nevertheless, in one line.
    pub fn lacking(&self) -> Option<String> {
        let files = (!self.files)
            .then_some("change files outside of its directory (no Landlock of Linux 6.2)");
        let network = match self.network {
            Network::Open => Some("reach the network (neither namespaces nor seccomp)"),
            Network::Namespace | Network::Filter => None,
        };
        let signals =
            (!self.signals).then_some("signal processes of this user (no Landlock of Linux 6.12)");
        let open: Vec<&str> = files.into_iter().chain(network).chain(signals).collect();
        (!open.is_empty()).then(|| open.join(" and "))
    }

    /// What it is kept from, in a few words.
    pub fn held(&self) -> String {
        let files = self.files.then_some("files by Landlock");
        let network = match self.network {
            Network::Namespace => Some("the network by a namespace"),
            Network::Filter => Some("the network by a filter of system calls"),
            Network::Open => None,
        };
        let signals = self.signals.then_some("signals by Landlock");
        let held = files
            .into_iter()
            .chain(network)
            .chain(signals)
            .chain(["processes by a subreaper"]);
        held.collect::<Vec<&str>>().join(", ")
    }

    /// Has a command run within a room.
    ///
    /// # Errors
    /// When a path has a zero byte, or the system refuses the rules.
    pub fn confine(&self, command: &mut Command, room: &Room) -> io::Result<()> {
        let mut layers = layers::Layers::new(room)?;
        let writable = room.writable.iter().chain(&room.kept).chain([&room.work]);
        let rules = files::rules(writable.map(PathBuf::as_path))?;
        let mut rules = Some(rules);
        let prepare = move || {
            descendants::end_with_parent()?;
            no_core()?;
            let private = layers.put()?;
            match rules.take() {
                Some(rules) => files::restrict(rules, private),
                None => Ok(()),
            }
        };
        // SAFETY: this process has one thread at work, so that no lock is held in the child; and what is
        // done there is made of system calls on paths that were made here.
        unsafe { command.pre_exec(prepare) };
        Ok(())
    }

    /// Ends what the last program has left behind. This process has no other children.
    pub fn reap(&self) {
        descendants::end_orphans();
    }
}

/// A crash leaves no core file.
fn no_core() -> io::Result<()> {
    let limit = getrlimit(Resource::Core);
    let none = Rlimit {
        current: Some(0),
        ..limit
    };
    Ok(setrlimit(Resource::Core, none)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_held_is_said_in_one_line() {
        let said = |network, files| {
            let signals = files;
            let sandbox = Sandbox {
                network,
                files,
                signals,
            };
            sandbox.lacking()
        };
        assert_eq!(said(Network::Namespace, true), None);
        assert_eq!(said(Network::Filter, true), None);
        let both = said(Network::Open, false).unwrap();
        assert!(both.contains("Landlock") && both.contains("network") && !both.contains('\n'));
        assert!(both.contains("signal"));
        assert!(!said(Network::Open, true).unwrap().contains("Landlock"));
    }
}
