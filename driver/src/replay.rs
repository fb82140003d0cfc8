//! One native run of a test case: arguments, standard input, files and harness objects as the path
//! had them, in a directory of its own, with a time limit.

use crate::building::elf;
use crate::cover::counters;
use crate::{Error, clock, libc};
use plat_env::PROGRAM_ENVIRONMENT;
use plat_env::replay::Replay;
pub use plat_sandbox::Sandbox;
use plat_sandbox::answers::Answers;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileTimes};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, UNIX_EPOCH};

/// How a native run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NativeEnd {
    /// With this exit code.
    Exited(u8),
    /// By this signal.
    Signal(i32),
    /// It was still running when its time was over.
    TimedOut,
}

/// What a native run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeRun {
    /// How it ended.
    pub end: NativeEnd,
    /// What it wrote to standard output, of more than 17 MiB the beginning.
    pub stdout: Vec<u8>,
    /// Bytes that it wrote behind those.
    pub stdout_cut: u64,
}

/// How a native run is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct How {
    /// Where; none is a directory of its own, which goes afterwards.
    pub directory: Option<PathBuf>,
    /// Its longest time.
    pub timeout: Duration,
    /// Variables beside those that every path sees.
    pub variables: Vec<(OsString, OsString)>,
    /// When its clock begins, in seconds since 1970, as far as it can be set.
    pub start_time: i64,
    /// Directories beside its own that it may change in a sandbox.
    pub writable: Vec<PathBuf>,
}

/// Runs `native` on the input, in `directory` or else in one of its own.
///
/// # Errors
/// When its directory cannot be made, it cannot be started, or the input has files that would have
/// to be written to `directory`.
pub fn run(
    native: &Path,
    input: &Replay,
    directory: Option<&Path>,
    timeout: Duration,
) -> Result<NativeRun, Error> {
    let how = How {
        directory: directory.map(Path::to_path_buf),
        timeout,
        variables: Vec::new(),
        start_time: plat_env::START_TIME,
        writable: Vec::new(),
    };
    run_within(native, input, &how, None)
}

/// Runs `native` on the input in a sandbox, if there is one: it changes no files outside of its directory
/// and leaves no process behind. Files that it makes in the temporary directory are its own, unless it
/// works in a directory there.
///
/// # Errors
/// As [`run`].
pub fn run_within(
    native: &Path,
    input: &Replay,
    how: &How,
    sandbox: Option<&Sandbox>,
) -> Result<NativeRun, Error> {
    let directory = how.directory.as_deref();
    if directory.is_some() && !input.files.is_empty() {
        return Err(Error::input(
            "tests with files are replayed in directories of their own: without --run-in-dir",
        ));
    }
    let room = Room::create(input, how.start_time)?;
    let own = room.path.join(WORK);
    let failed = |why: std::io::Error| Error::input(format!("{}: {why}", native.display()));
    let mut command = room.command(native, input, Some(how.start_time))?;
    command
        .envs(
            PROGRAM_ENVIRONMENT
                .iter()
                .filter_map(|entry| entry.split_once('=')),
        )
        .envs(how.variables.iter().map(|(name, value)| (name, value)))
        .env("KTEST_FILE", room.path.join(KTEST))
        .current_dir(directory.unwrap_or(&own))
        // A pipe, as standard output is one in the model, unless the test case has a file.
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let bound = |limit| (limit != plat_env::UNLIMITED).then_some(limit);
    let limits = plat_env::initial_limits().map(|(soft, hard)| (bound(soft), bound(hard)));
    plat_sandbox::limits::set(&mut command, &limits);
    let file = room.path.join(STDOUT);
    if input.writes_to_file() {
        command.stdout(File::create(&file).map_err(failed)?);
    }
    if let Some(sandbox) = sandbox {
        let confinement = plat_sandbox::Room {
            writable: vec![file.clone()],
            kept: how.writable.clone(),
            ..room.confinement(directory)
        };
        sandbox
            .confine(&mut command, &confinement)
            .map_err(failed)?;
    }
    let mut answers = answers(&mut command).map_err(failed)?;
    // Processes that it leaves behind are ended with it.
    let mut child = command.process_group(0).spawn().map_err(failed)?;
    answers.begin();
    let output = child.stdout.take().map(collect);
    let end = ended(&mut child, how.timeout, &mut answers).map_err(failed)?;
    let written = match output {
        Some(output) => output.wait(LINGER, &mut answers),
        None => Written::of_file(&file).map_err(failed)?,
    };
    end_group(&child);
    if let Some(sandbox) = sandbox {
        sandbox.reap();
    }
    Ok(NativeRun {
        end,
        stdout: written.bytes,
        stdout_cut: written.cut,
    })
}

/// Runs `native` on the input in a directory of its own, with the environment and the output of
/// this process, in a sandbox, if there is one: it changes nothing but that directory and its counters.
/// With `keep`, the directory stays, and is returned.
///
/// # Errors
/// As [`run`].
pub fn watch(
    native: &Path,
    input: &Replay,
    timeout: Duration,
    keep: bool,
    sandbox: Option<&Sandbox>,
) -> Result<(NativeEnd, Option<PathBuf>), Error> {
    let room = Room::create(input, plat_env::START_TIME)?;
    let failed = |why: std::io::Error| Error::input(format!("{}: {why}", native.display()));
    let mut command = room.command(native, input, None)?;
    if std::env::var_os("KTEST_FILE").is_none() {
        command.env("KTEST_FILE", room.path.join(KTEST));
    }
    let work = room.path.join(WORK);
    command.current_dir(&work);
    if let Some(sandbox) = sandbox {
        let mut kept = counters::places(native)?;
        kept.extend(keep.then_some(work));
        let confinement = plat_sandbox::Room {
            kept,
            ..room.confinement(None)
        };
        sandbox
            .confine(&mut command, &confinement)
            .map_err(failed)?;
    }
    let mut answers = answers(&mut command).map_err(failed)?;
    let mut child = command.spawn().map_err(failed)?;
    answers.begin();
    let end = ended(&mut child, timeout, &mut answers).map_err(failed)?;
    if let Some(sandbox) = sandbox {
        sandbox.reap();
    }
    Ok((end, keep.then(|| room.keep())))
}

/// Makes the files of the input and leaves them; where they are.
///
/// # Errors
/// When they cannot be made.
pub fn files_only(input: &Replay) -> Result<PathBuf, Error> {
    Ok(Room::create(input, plat_env::START_TIME)?.keep())
}

/// Has the run of a command asked for what the system would answer differently from the path.
fn answers(command: &mut Command) -> std::io::Result<Answers> {
    let mut random = plat_env::Random::default();
    Answers::watch(command, Box::new(move |size| random.bytes(size)))
}

/// Ends what is left of a run's processes.
fn end_group(child: &Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // There may be none.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Waits for the end of a run, which it is given when its time is over.
fn ended(
    child: &mut Child,
    timeout: Duration,
    answers: &mut Answers,
) -> std::io::Result<NativeEnd> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(native_end(status));
        }
        if start.elapsed() >= timeout {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(NativeEnd::TimedOut);
        }
        answers.serve(TURN);
    }
}

/// How long is waited before it is looked again whether a run has ended.
const TURN: Duration = Duration::from_millis(2);

/// After the end of a run, output of processes that it left behind is waited for no longer.
const LINGER: Duration = Duration::from_millis(500);

/// Bytes of a run's output that are kept: some more than of a path's. A run may write without end.
const KEPT: usize = 17 << 20;

/// What a run has written: the beginning, and how much more.
#[derive(Clone, Default)]
struct Written {
    bytes: Vec<u8>,
    cut: u64,
}

impl Written {
    fn add(&mut self, more: &[u8]) {
        let room = KEPT.saturating_sub(self.bytes.len()).min(more.len());
        self.bytes.extend_from_slice(&more[..room]);
        self.cut += (more.len() - room) as u64;
    }

    fn of_file(path: &Path) -> std::io::Result<Self> {
        let mut bytes = Vec::new();
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        file.take(KEPT as u64).read_to_end(&mut bytes)?;
        let cut = size.saturating_sub(bytes.len() as u64);
        Ok(Written { bytes, cut })
    }
}

/// What a run writes, while it is being read.
struct Output {
    written: Arc<Mutex<Written>>,
    done: Receiver<()>,
}

/// Reads all that comes out of the pipe, beside the run.
fn collect(mut pipe: ChildStdout) -> Output {
    let written: Arc<Mutex<Written>> = Arc::default();
    let (end, done) = mpsc::channel();
    let shared = Arc::clone(&written);
    std::thread::spawn(move || {
        let mut buffer = [0; 1 << 16];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if let Ok(mut written) = shared.lock() {
                written.add(&buffer[..count]);
            }
        }
        // Nobody listens when the run has been given up.
        let _ = end.send(());
    });
    Output { written, done }
}

impl Output {
    fn wait(self, longest: Duration, answers: &mut Answers) -> Written {
        let end = Instant::now() + longest;
        while self.done.recv_timeout(TURN) == Err(RecvTimeoutError::Timeout) && Instant::now() < end
        {
            answers.serve(Duration::ZERO);
        }
        self.written
            .lock()
            .map(|written| written.clone())
            .unwrap_or_default()
    }
}

fn native_end(status: ExitStatus) -> NativeEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => NativeEnd::Exited(code as u8),
        (None, signal) => NativeEnd::Signal(signal.unwrap_or(0)),
    }
}

const STDIN: &str = "stdin";
const STDOUT: &str = "stdout";
/// What each peer outside sends.
const PEERS: &str = "peers";
const KTEST: &str = "harness.ktest";
/// The run's working directory: it holds the files of the input and nothing else.
const WORK: &str = "work";
/// Where the system keeps what a confined run changes outside of it.
const LAYER: &str = "layer";

/// A directory for one run, which goes when this does.
struct Room {
    path: PathBuf,
}

impl Room {
    fn create(input: &Replay, start_time: i64) -> Result<Self, Error> {
        let place = std::env::temp_dir();
        let mut at = 0u32;
        let room = loop {
            let path = place.join(format!("plat-replay-{}-{at}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => break Room { path },
                // Of a run that goes on beside this one, or was kept.
                Err(why) if why.kind() == ErrorKind::AlreadyExists => at += 1,
                Err(why) => return Err(Error::input(format!("{}: {why}", path.display()))),
            }
        };
        room.fill(input, start_time)
            .map_err(|why| Error::input(format!("{}: {why}", room.path.display())))?;
        Ok(room)
    }

    /// The native build with the arguments, the standard input and the peers of the run. With a time at
    /// which it begins it is alone: it does not have the environment of this process.
    fn command(
        &self,
        native: &Path,
        input: &Replay,
        start_time: Option<i64>,
    ) -> Result<Command, Error> {
        let failed = |why: std::io::Error| Error::input(format!("{}: {why}", native.display()));
        let mut command = Command::new(native);
        let mut libraries: Vec<PathBuf> = Vec::new();
        if let Some(start_time) = start_time {
            command.env_clear();
            if clock::can_be_set(native) {
                libraries.push(libc::clock()?);
                command.env("PLAT_CLOCK", start_time.to_string());
            }
        }
        if let Some((name, args)) = input.argv.split_first() {
            command.arg0(OsStr::from_bytes(name));
            command.args(args.iter().map(|arg| OsStr::from_bytes(arg)));
        }
        command.stdin(File::open(self.path.join(STDIN)).map_err(failed)?);
        if input.peers.is_some() || input.commands.is_some() || input.random.is_some() {
            if !elf::is_dynamic(native) {
                return Err(Error::input(format!(
                    "{}: tests with sockets, commands or random numbers are replayed on executables that load libraries; this one \
                     is linked statically",
                    native.display()
                )));
            }
            libraries.push(libc::sockets()?);
            command.env("PLAT_SOCKETS", self.path.join(PEERS));
        }
        if !libraries.is_empty() {
            let names: Vec<_> = libraries.iter().map(|path| path.as_os_str()).collect();
            command.env("LD_PRELOAD", names.join(OsStr::new(":")));
        }
        Ok(command)
    }

    /// What a confined run may change: its directory, by default the room's own, and for itself alone
    /// what is in temporary directories.
    fn confinement(&self, directory: Option<&Path>) -> plat_sandbox::Room {
        let work = directory.map_or_else(|| self.path.join(WORK), Path::to_path_buf);
        let places = [PathBuf::from("/tmp"), std::env::temp_dir()];
        let mut private: Vec<PathBuf> = Vec::new();
        for place in places.iter().flat_map(|place| place.canonicalize()) {
            // Files of the user's directory keep the numbers that paths saw.
            let is_users = directory.is_some_and(|directory| directory.starts_with(&place));
            if !is_users && !private.iter().any(|known| place.starts_with(known)) {
                private.push(place);
            }
        }
        plat_sandbox::Room {
            work,
            writable: Vec::new(),
            kept: Vec::new(),
            private,
            layer: self.path.join(LAYER),
        }
    }

    /// Leaves the directory; where its files are.
    fn keep(self) -> PathBuf {
        let files = self.path.join(WORK);
        std::mem::forget(self);
        files
    }

    fn fill(&self, input: &Replay, start_time: i64) -> std::io::Result<()> {
        let work = self.path.join(WORK);
        fs::create_dir(&work)?;
        fs::create_dir(self.path.join(LAYER))?;
        fs::write(self.path.join(STDIN), &input.stdin)?;
        fs::write(self.path.join(KTEST), input.harness.to_bytes())?;
        // Paths find them made when they begin.
        let made = UNIX_EPOCH + Duration::from_secs(start_time.cast_unsigned());
        for (name, bytes) in &input.files {
            let mut file = File::create(work.join(name))?;
            file.write_all(bytes)?;
            file.set_times(FileTimes::new().set_accessed(made).set_modified(made))?;
        }
        let peers = self.path.join(PEERS);
        fs::create_dir(&peers)?;
        if let Some(statuses) = &input.commands {
            fs::write(peers.join(plat_env::SYSTEM_OBJECT), statuses)?;
        }
        for (number, bytes) in input.printed.iter().enumerate() {
            let name = format!("{}{number}", plat_env::COMMAND_OBJECT);
            fs::write(peers.join(name), bytes)?;
        }
        if let Some(numbers) = &input.random {
            fs::write(peers.join(plat_env::RANDOM_OBJECT), numbers)?;
        }
        for (name, bytes) in input.peers.iter().flatten() {
            fs::write(peers.join(name), bytes)?;
        }
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, input: Replay, timeout: Duration) -> NativeRun {
        let argv = ["sh", "-c", script, "name", "one"].map(|word| word.as_bytes().to_vec());
        let input = Replay {
            argv: argv.to_vec(),
            ..input
        };
        run(Path::new("/bin/sh"), &input, None, timeout).unwrap()
    }

    #[test]
    fn gives_the_run_its_input_and_tells_how_it_ended() {
        let input = Replay {
            stdin: b"typed".to_vec(),
            files: vec![("A".into(), b"in the file".to_vec())],
            ..Replay::default()
        };
        let long = Duration::from_secs(20);
        let ran = shell("cat; echo \" $1\"; cat A; exit 3", input, long);
        assert_eq!(ran.end, NativeEnd::Exited(3));
        assert_eq!(ran.stdout, b"typed one\nin the file");
        let place = std::env::temp_dir().canonicalize().unwrap();
        let pwd = Replay {
            argv: ["sh", "-c", "pwd -P"].map(|word| word.into()).to_vec(),
            ..Replay::default()
        };
        let ran = run(Path::new("/bin/sh"), &pwd, Some(&place), long).unwrap();
        assert_eq!(ran.stdout.trim_ascii(), place.as_os_str().as_bytes());
        let killed = shell("kill -6 $$", Replay::default(), long);
        assert_eq!(killed.end, NativeEnd::Signal(6));
        // A regular file where the test case says so, and a pipe otherwise.
        for (mode, kind) in [
            (Some(0o100_644), "file\n"),
            (Some(0o010_600), "pipe\n"),
            (None, "pipe\n"),
        ] {
            let input = Replay {
                output_mode: mode,
                ..Replay::default()
            };
            let script = "if [ -f /dev/stdout ]; then echo file; elif [ -p /dev/stdout ]; then echo pipe; fi";
            assert_eq!(shell(script, input, long).stdout, kind.as_bytes());
        }
        let slow = shell(
            "exec sleep 100",
            Replay::default(),
            Duration::from_millis(50),
        );
        assert_eq!(slow.end, NativeEnd::TimedOut);
    }
}
