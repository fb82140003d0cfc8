//! What plat needs on this machine: what is installed, the C library, permissions, limits, and a run.
//! A list of findings, each fine or with what to do about it.

use crate::building::tools;
use crate::scratch::Scratch;
use crate::{Error, Explorer, Processes, back_ends, libc};
use rustix::process::{Resource, getrlimit};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How it stands with something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// As it should be.
    Fine,
    /// plat works; something that some do with it does not.
    Lacking,
    /// plat does not work.
    Wrong,
}

/// One thing that was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What.
    pub what: String,
    /// How it stands with it.
    pub state: State,
    /// What there is, or what to do.
    pub said: String,
}

impl Finding {
    fn fine(what: &str, said: impl Into<String>) -> Self {
        Finding {
            what: what.into(),
            state: State::Fine,
            said: said.into(),
        }
    }

    fn lacking(what: &str, said: impl Into<String>) -> Self {
        Finding {
            what: what.into(),
            state: State::Lacking,
            said: said.into(),
        }
    }

    fn wrong(what: &str, said: impl Into<String>) -> Self {
        Finding {
            what: what.into(),
            state: State::Wrong,
            said: said.into(),
        }
    }
}

/// Memory that a run may take if nothing else is said, in MiB.
const MEMORY: u64 = 2000;

/// Descriptors that a run with several processes needs.
const DESCRIPTORS: u64 = 256;

/// How long the run may take.
const LONGEST: Duration = Duration::from_secs(20);

/// A program with a branch, and a division by zero at `d0`.
const PROGRAM: &str = "\
int main(int argc, char **argv)
{
	if (argv[1][0] == 'd')
		return 100 / (argv[1][1] - '0');
	return argv[1][0] % 7 == 3;
}
";

/// Looks at everything. The C library is looked for in `asked`, if that is named.
pub fn examine(asked: Option<&Path>, processes: &Processes) -> Vec<Finding> {
    let mut found = vec![Finding::fine("plat", env!("CARGO_PKG_VERSION"))];
    let needed = [
        ("clang", State::Wrong, "compiles programs to bitcode"),
        (
            "ld.lld",
            State::Lacking,
            "links programs of several files (-flto)",
        ),
        ("llvm-link", State::Lacking, "plat build needs it"),
        ("llvm-objcopy", State::Lacking, "plat build needs it"),
    ];
    found.extend(needed.map(|(name, without, why)| tool(name, without, why)));
    found.push(Finding::fine("Z3", plat_solver::z3_version()));
    let library = libc::find(asked);
    found.push(match &library {
        Ok(library) => Finding::fine("C library", library.archive.display().to_string()),
        Err(why) => Finding::wrong("C library", why.message.clone()),
    });
    if let Ok(library) = &library {
        found.push(match &library.cxx {
            Some(archive) => Finding::fine("C++ library", archive.display().to_string()),
            None => Finding::lacking(
                "C++ library",
                "no libc++.a beside the C library: transform/runtime/build-libcxx DIR makes it \
                 (programs in C++ need it)",
            ),
        });
    }
    found.extend(places());
    found.extend(limits());
    found.push(answers());
    if library.is_ok() {
        found.extend(runs(asked, processes));
    }
    found
}

fn tool(name: &str, without: State, why: &str) -> Finding {
    let version = tools::find(name).and_then(|path| {
        let output = Command::new(&path).arg("--version").output();
        let output = output.map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text
            .lines()
            .find(|line| line.chars().any(|c| c.is_ascii_digit()));
        Ok(format!(
            "{}: {}",
            path.display(),
            line.unwrap_or("it tells no version").trim()
        ))
    });
    match version {
        Ok(said) => Finding::fine(name, said),
        Err(error) => Finding {
            what: name.into(),
            state: without,
            said: format!("{} ({why})", error.message),
        },
    }
}

/// Where plat writes.
fn places() -> Vec<Finding> {
    let here = std::env::current_dir().unwrap_or_default();
    let writable = |what: &str, path: &Path, instead: &str| match rustix::fs::access(
        path,
        rustix::fs::Access::WRITE_OK,
    ) {
        Ok(()) => Finding::fine(what, path.display().to_string()),
        Err(why) => Finding::lacking(what, format!("{}: {why}: {instead}", path.display())),
    };
    vec![
        writable(
            "run directories",
            &here,
            "name another place with --output-dir",
        ),
        match Scratch::create() {
            Ok(_) => Finding::fine(
                "temporary files",
                std::env::temp_dir().display().to_string(),
            ),
            Err(why) => Finding::wrong("temporary files", why.message),
        },
        writable(
            "shared memory",
            Path::new("/dev/shm"),
            "--workers may need it: mount it",
        ),
    ]
}

fn limits() -> Vec<Finding> {
    let mut found = Vec::new();
    let mut bounded = |what: &str, resource, least: u64, unit: u64, name: &str, raise: &str| {
        let bound = getrlimit(resource).current;
        found.push(match bound.map(|bound| bound / unit) {
            None => Finding::fine(what, "no limit"),
            Some(bound) if bound >= least => Finding::fine(what, format!("{bound} {name}")),
            Some(bound) => Finding::lacking(what, format!("{bound} {name} are few: {raise}")),
        });
    };
    bounded(
        "address space",
        Resource::As,
        16 << 10,
        1 << 20,
        "MiB",
        "ulimit -v unlimited",
    );
    bounded(
        "processor time",
        Resource::Cpu,
        3600,
        1,
        "s",
        "ulimit -t unlimited",
    );
    bounded(
        "file size",
        Resource::Fsize,
        1 << 10,
        1 << 20,
        "MiB",
        "ulimit -f unlimited",
    );
    bounded(
        "open files",
        Resource::Nofile,
        DESCRIPTORS,
        1,
        "files",
        "ulimit -n 1024",
    );
    bounded(
        "processes",
        Resource::Nproc,
        64,
        1,
        "processes",
        "ulimit -u 1024",
    );
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"));
    let free = free.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    found.push(match free.map(|kib| kib >> 10) {
        None => Finding::lacking(
            "memory",
            "the system does not say how much is free: set --max-memory",
        ),
        Some(mib) if mib >= MEMORY => Finding::fine("memory", format!("{mib} MiB are free")),
        Some(mib) => Finding::lacking(
            "memory",
            format!(
                "{mib} MiB are free, and a run may take {MEMORY}: set --max-memory {}",
                mib / 2
            ),
        ),
    });
    found
}

/// Whether native runs of tests are told what their paths were told.
fn answers() -> Finding {
    match plat_sandbox::answers::available() {
        true => Finding::fine(
            "answers",
            "native runs list directories and draw random bytes as their paths did",
        ),
        false => Finding::lacking(
            "answers",
            "native runs list directories in the system's order and draw other random bytes than \
             their paths: the system has no filters that ask (seccomp user notification), or \
             refuses them here",
        ),
    }
}

/// A run from source to tests, with both solvers, and a native run of the fault.
fn runs(asked: Option<&Path>, processes: &Processes) -> Vec<Finding> {
    let scratch = match Scratch::create() {
        Ok(scratch) => scratch,
        Err(why) => return vec![Finding::wrong("run", why.message)],
    };
    let bitcode = match compile(scratch.path()) {
        Ok(bitcode) => bitcode,
        Err(why) => return vec![Finding::wrong("run", why.message)],
    };
    let solvers = [("run", back_ends::BITS), ("run with Z3", back_ends::Z3)];
    let explore = |(what, back_end)| {
        let begun = Instant::now();
        let mut explorer = Explorer::bitcode(&bitcode)
            .processes(processes.clone())
            .sym_arg(2);
        explorer = explorer.back_end(back_end).max_time(LONGEST);
        if let Some(directory) = asked {
            explorer = explorer.libc_dir(directory);
        }
        match explorer.run() {
            Err(why) => Finding::wrong(what, scratch.explain(why).message),
            Ok(report) => {
                let faults = report.tests.iter().filter(|test| test.fault().is_some());
                let (faults, tests) = (faults.count(), report.tests.len());
                let text = format!(
                    "{tests} tests, {faults} of a fault, in {:.1} s",
                    begun.elapsed().as_secs_f64()
                );
                // The division, and a read behind an argument of no bytes cannot be: it has its zero.
                match report.is_complete() && faults == 1 {
                    true => Finding::fine(what, text),
                    false => Finding::wrong(
                        what,
                        format!("{text}: one fault and an end were expected: report this"),
                    ),
                }
            }
        }
    };
    solvers.into_iter().map(explore).collect()
}

fn compile(room: &Path) -> Result<PathBuf, Error> {
    let (source, bitcode) = (room.join("doctor.c"), room.join("doctor.bc"));
    let failed = |why: std::io::Error| Error::input(format!("{}: {why}", source.display()));
    fs::write(&source, PROGRAM).map_err(failed)?;
    let args = ["-g", "-O1", "-emit-llvm", "-c"].map(std::ffi::OsStr::new);
    let files = [source.as_os_str(), "-o".as_ref(), bitcode.as_os_str()];
    let done = tools::run("clang", args.into_iter().chain(files))?;
    done.map_err(|why| Error::input(format!("clang: {why}")))?;
    Ok(bitcode)
}
