//! The model against the kernel: the same calls on the same files give the same results and leave
//! the same files.
//!
//! The native side runs in a child process (this test again, selected by an environment variable),
//! because descriptors and the working directory belong to a process.

use crate::fake::Flat;
use crate::random;
use crate::script::{Arg, SystemCall, View, run_natively, run_on_model};
use plat_env::{Contents, Environment, Host, Inputs};
use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{chroot, umask};
use rustix::stdio::{dup2_stderr, dup2_stdout};
use std::fmt::Write as _;
use std::fs;
use std::os::fd::IntoRawFd as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const SEQUENCES: u64 = 200;
const STEPS: usize = 60;
pub const STDIN: &[u8] = b"first line\nsecond line\n";

/// A directory that is removed at the end. Its path has no symbolic links.
pub fn scratch() -> TempDir {
    tempfile::tempdir_in(std::env::temp_dir().canonicalize().unwrap()).unwrap()
}

/// The files that every sequence starts with.
pub fn populate(at: &Path) {
    fs::create_dir_all(at.join("d/e")).unwrap();
    fs::write(at.join("a"), "contents of a\n").unwrap();
    fs::write(at.join("d/x"), vec![b'x'; 6000]).unwrap();
    symlink("a", at.join("link")).unwrap();
    symlink("d", at.join("dlink")).unwrap();
    symlink("loop", at.join("loop")).unwrap();
    symlink("n", at.join("dangling")).unwrap();
}

/// Ignore SIGPIPE: `struct sigaction` of the kernel with handler 1.
pub fn prologue() -> SystemCall {
    let mut action = vec![0; 32];
    action[0] = 1;
    let args = vec![Arg::Int(13), Arg::Buffer(action), Arg::Int(0), Arg::Int(8)];
    SystemCall {
        number: libc::SYS_rt_sigaction,
        args,
        view: View::Nothing,
    }
}

/// Everything in a tree of the host, as text.
fn describe(at: &Path, name: &str, out: &mut String) {
    let mut entries: Vec<PathBuf> = fs::read_dir(at)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = format!("{name}/{}", path.file_name().unwrap().to_str().unwrap());
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_symlink() {
            writeln!(out, "{name} -> {}", fs::read_link(&path).unwrap().display()).unwrap();
        } else if metadata.is_dir() {
            writeln!(out, "{name}/").unwrap();
            describe(&path, &name, out);
        } else {
            writeln!(out, "{name} {:?}", fs::read(&path).unwrap()).unwrap();
        }
    }
}

/// The same of the model, by its own calls.
fn describe_model(at: &str, out: &mut String, run: &mut dyn FnMut(SystemCall) -> (i64, String)) {
    let call = |number, args, view| SystemCall { number, args, view };
    let path = |name: &str| Arg::Text(format!("{at}/{name}"));
    let flags = Arg::Int((libc::O_DIRECTORY | libc::O_NOFOLLOW).into());
    let (fd, _) = run(call(
        libc::SYS_open,
        vec![Arg::Text(at.into()), flags],
        View::Nothing,
    ));
    assert!(fd >= 0, "open {at}: {fd}");
    let buffer = Arg::Buffer(vec![0; 65536]);
    let args = vec![Arg::Int(fd), buffer, Arg::Int(65536)];
    let (_, listed) = run(call(libc::SYS_getdents64, args, View::Names));
    run(call(libc::SYS_close, vec![Arg::Int(fd)], View::Nothing));
    for entry in listed.trim_matches(['[', ']']).split("), ") {
        let (name, kind) = entry.trim_matches(['(', ')']).split_once(", ").unwrap();
        let name = name.trim_matches('"');
        if name == "." || name == ".." {
            continue;
        }
        let shown = format!("{at}/{name}").trim_start_matches('.').to_string();
        match kind {
            "4" => {
                writeln!(out, "{shown}/").unwrap();
                describe_model(&format!("{at}/{name}"), out, run);
            }
            "10" => {
                let args = vec![path(name), Arg::Buffer(vec![0; 100]), Arg::Int(100)];
                let (_, bytes) = run(call(libc::SYS_readlink, args, View::Returned));
                let bytes = bytes.trim_matches(['[', ']']).split(", ");
                let target: String = bytes
                    .map(|byte| char::from(byte.parse::<u8>().unwrap()))
                    .collect();
                writeln!(out, "{shown} -> {target}").unwrap();
            }
            _ => {
                let (fd, _) = run(call(
                    libc::SYS_open,
                    vec![path(name), Arg::Int(0)],
                    View::Nothing,
                ));
                let args = vec![Arg::Int(fd), Arg::Buffer(vec![0; 65536]), Arg::Int(65536)];
                let (_, bytes) = run(call(libc::SYS_read, args, View::Returned));
                run(call(libc::SYS_close, vec![Arg::Int(fd)], View::Nothing));
                writeln!(out, "{shown} {bytes}").unwrap();
            }
        }
    }
}

fn model_transcript(at: &Path, steps: &[SystemCall]) -> String {
    let mut host = Host::new(at.to_str().unwrap());
    let inputs = Inputs {
        stdin: Contents::shared(STDIN.into()),
        ..Inputs::default()
    };
    let mut env = Environment::new(&mut host, &inputs);
    let mut memory = Flat::new();
    let mut out = String::new();
    let mut run = |step: &SystemCall| run_on_model(step, &mut env, &mut host, &mut memory).unwrap();
    for (number, step) in [prologue()].iter().chain(steps).enumerate() {
        let outcome = run(step);
        writeln!(out, "{number} {} {}", outcome.result, outcome.shown).unwrap();
    }
    run(&SystemCall {
        number: libc::SYS_chdir,
        args: vec![Arg::Text(at.to_str().unwrap().into())],
        view: View::Nothing,
    });
    describe_model(".", &mut out, &mut |step| {
        let outcome = run(&step);
        (outcome.result, outcome.shown)
    });
    out
}

/// The native side. Does nothing when the test is run as usual.
#[test]
fn native_child() {
    let Some(at) = std::env::var_os("PLAT_ENV_NATIVE") else {
        return;
    };
    let at = PathBuf::from(at);
    // SAFETY: the descriptors of this process above 2 are of no use here.
    unsafe { libc::close_range(3, 400, 0) };
    let saved = [
        fcntl_dupfd_cloexec(rustix::stdio::stdout(), 500).unwrap(),
        fcntl_dupfd_cloexec(rustix::stdio::stderr(), 500).unwrap(),
    ];
    // No sequence can leave this directory. Only the superuser may do this.
    let at = if chroot(&at).is_ok() {
        PathBuf::from("/")
    } else {
        at
    };
    for seed in 0..SEQUENCES {
        // Deep enough, as no path goes up by more than one directory.
        let directory = at.join(format!("{seed}/1/2/3/4/5/6"));
        umask(Mode::WGRP | Mode::WOTH);
        fs::create_dir_all(&directory).unwrap();
        populate(&directory);
        fs::write(at.join("stdin"), STDIN).unwrap();
        std::env::set_current_dir(&directory).unwrap();
        // SAFETY: nobody owns the descriptors that the last sequence left open, and the standard
        // streams are opened again.
        unsafe { libc::close_range(0, 400, 0) };
        let stdin = open(at.join("stdin"), OFlags::RDONLY, Mode::empty()).unwrap();
        assert_eq!(stdin.into_raw_fd(), 0);
        dup2_stdout(&saved[0]).unwrap();
        // The open file is shared with the last sequence, including its flags.
        fcntl_setfl(rustix::stdio::stdout(), OFlags::empty()).unwrap();
        dup2_stderr(&saved[1]).unwrap();
        let mut out = String::new();
        let steps = random::sequence(seed, STEPS);
        for (number, step) in [prologue()].iter().chain(&steps).enumerate() {
            let outcome = run_natively(step);
            writeln!(out, "{number} {} {}", outcome.result, outcome.shown).unwrap();
        }
        // SAFETY: nobody owns the descriptors that the sequence left open.
        unsafe { libc::close_range(3, 400, 0) };
        describe(&directory, "", &mut out);
        fs::write(at.join(format!("{seed}.out")), out).unwrap();
    }
}

#[test]
fn agrees_with_the_kernel() {
    let native = scratch();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kernel::native_child", "--nocapture"])
        .env("PLAT_ENV_NATIVE", native.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "the native side failed: {errors}");
    let model = scratch();
    populate(model.path());
    let mut before = String::new();
    describe(model.path(), "", &mut before);
    let (mut different, mut exceptions) = (0, 0);
    for seed in 0..SEQUENCES {
        let expected = fs::read_to_string(native.path().join(format!("{seed}.out"))).unwrap();
        let steps = random::sequence(seed, STEPS);
        let found = model_transcript(model.path(), &steps);
        if lawful(&steps, &expected, &found) {
            exceptions += 1;
            continue;
        }
        if let Some((line, (expected, found))) = expected
            .lines()
            .zip(found.lines())
            .enumerate()
            .find(|(_, (a, b))| a != b)
        {
            different += 1;
            let calls = [prologue()].into_iter().chain(steps).take(line + 1);
            let calls: Vec<String> = calls.map(|step| brief(&step)).collect();
            eprintln!("sequence {seed}:\n{}", calls.join("\n"));
            eprintln!("kernel: {}\nmodel:  {}\n", cut(expected), cut(found));
        } else {
            assert_eq!(
                expected.lines().count(),
                found.lines().count(),
                "sequence {seed}"
            );
        }
    }
    assert_eq!(different, 0, "sequences with a different result");
    assert!(
        exceptions < SEQUENCES / 4,
        "{exceptions} lawful differences"
    );
    let mut after = String::new();
    describe(model.path(), "", &mut after);
    assert_eq!(before, after, "the model changed files of the host");
}

/// Whether the first difference is intended:
///
/// - a directory of the host cannot be renamed (`EXDEV`), as in a union mount;
/// - offsets of directories, except 0, mean something to the file system only;
/// - bytes written to standard output count as read at once.
fn lawful(steps: &[SystemCall], expected: &str, found: &str) -> bool {
    let mut lines = expected.lines().zip(found.lines()).enumerate();
    lines
        .find(|(_, (a, b))| a != b)
        .is_some_and(|(line, (expected, found))| {
            let Some(step) = line.checked_sub(1).and_then(|at| steps.get(at)) else {
                return false;
            };
            let earlier = |number| steps[..line - 1].iter().any(|step| step.number == number);
            match step.number {
                libc::SYS_rename => expected.ends_with(" 0 ") && found.ends_with(" -18 "),
                libc::SYS_getdents64 => earlier(libc::SYS_lseek),
                libc::SYS_lseek => {
                    // From the end, or from where reading has come: too far for the file system.
                    let end = " 92233720368547";
                    let from = found.contains(end) || earlier(libc::SYS_getdents64);
                    expected.contains(end) || expected.ends_with(" -22 ") && from
                }
                libc::SYS_read | libc::SYS_readv => {
                    expected.contains(" -22 ") && found.contains(" -21 ")
                }
                libc::SYS_ioctl => brief(step).contains(&format!("Int({})", libc::FIONREAD)),
                _ => false,
            }
        })
}

fn cut(text: &str) -> String {
    text.chars().take(300).collect()
}

fn brief(step: &SystemCall) -> String {
    let args: Vec<String> = step
        .args
        .iter()
        .map(|arg| cut(&format!("{arg:?}")))
        .collect();
    let args: Vec<&str> = args.iter().map(|arg| &arg[..arg.len().min(40)]).collect();
    format!(
        "  {}({})",
        plat_env::system_call_name(step.number as u64),
        args.join(", ")
    )
}
