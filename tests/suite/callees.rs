//! External calls of unruly functions: what they start ends with the call or with the run, and what
//! is not theirs they cannot write to.

use plat_tests::{Scratch, command, compile_bitcode_with, must_run, root, scratch};
use std::cell::RefCell;
use std::fs;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const NAMES: &str = "snprintf,write,leave_processes,return_twice,write_everywhere,close_everything,\
                     hang_with_processes";

/// Longest time for what takes no time.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program of unruly calls, ready to be run in a directory of its own.
struct Unruly {
    directory: Scratch,
    /// Where callees send the numbers of processes.
    socket: UnixDatagram,
    heard: RefCell<Vec<String>>,
}

impl Unruly {
    fn new(name: &str, flags: &[&str]) -> Self {
        let directory = scratch(name);
        let source = |name: &str| root().join("tests/programs/external").join(name);
        must_run(
            Command::new("cc")
                .args(["-shared", "-fPIC", "-O1", "-w"])
                .arg(source("library.c"))
                .arg("-o")
                .arg(directory.join("library.so")),
        );
        let path = directory.join("processes");
        let socket = UnixDatagram::bind(&path).expect("a socket");
        socket.set_nonblocking(true).expect("a socket");
        let mut flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        flags.push(format!("-DSOCKET_OF_PROCESSES=\"{}\"", path.display()));
        compile_bitcode_with(&source("unruly.c"), &flags, &directory.join("unruly.bc"));
        Unruly {
            directory,
            socket,
            heard: RefCell::default(),
        }
    }

    /// The run; `shell` is what a shell does before it.
    fn run(&self, shell: &str) -> Command {
        let mut run = Command::new("sh");
        run.current_dir(&self.directory)
            .args(["-c", &format!("{shell} exec \"$@\""), "sh"])
            .arg(command())
            .args(["run", "--output-dir", "out", "--external-calls", "concrete"])
            .args(["--external-allow", NAMES])
            .args(["--external-library", "./library.so"])
            .arg("unruly.bc");
        run
    }

    /// The processes that callees have started so far.
    fn processes(&self) -> Vec<String> {
        let (mut heard, mut text) = (self.heard.borrow_mut(), [0; 20]);
        while let Ok(length) = self.socket.recv(&mut text) {
            heard.push(String::from_utf8_lossy(&text[..length]).into_owned());
        }
        heard.clone()
    }
}

fn runs(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}

fn wait_for(what: &str, ready: impl Fn() -> bool) {
    let start = Instant::now();
    while !ready() {
        assert!(start.elapsed() < PATIENCE, "waited too long for {what}");
        sleep(Duration::from_millis(10));
    }
}

/// Everything in the files of a directory.
fn contents(directory: &Path) -> Vec<u8> {
    let entries = fs::read_dir(directory).expect("a directory").flatten();
    let files = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file());
    files
        .flat_map(|path| fs::read(path).expect("a file"))
        .collect()
}

#[test]
fn nothing_of_a_call_is_left_when_it_has_ended() {
    let unruly = Unruly::new("callees", &[]);
    // The run itself has a file open, and another descriptor for each of its own.
    let output = must_run(&mut unruly.run("exec 3>third 7>&1;"));
    let said = String::from_utf8_lossy(&output.stdout);
    // A process that returns a second time is not heard, and no descriptor could be written to.
    assert_eq!(said, "left 3\ntwice 2\nwrote 0\nclosed 5\n");
    let processes = unruly.processes();
    assert_eq!(processes.len(), 3);
    for process in processes {
        assert!(!runs(&process), "process {process} is left");
    }
    assert_eq!(
        fs::read(unruly.directory.join("third")).expect("a file"),
        b""
    );
    let written = [contents(&unruly.directory.join("out")), output.stderr].concat();
    let written = String::from_utf8_lossy(&written).into_owned();
    // The program's text has the names of its functions.
    assert!(!written.contains("INTRUDER"), "{written}");
}

fn kill(signal: &str, child: &Child) {
    let process = child.id().to_string();
    must_run(Command::new("kill").args([signal, &process]));
}

#[test]
fn nothing_of_a_call_outlives_a_run_that_is_killed() {
    for signal in ["-KILL", "-TERM"] {
        let unruly = Unruly::new(&format!("callees{signal}"), &["-DHANG"]);
        let mut child = unruly
            .run("")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("plat runs");
        wait_for("the callee", || unruly.processes().len() == 3);
        let helper = fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id()));
        kill(signal, &child);
        if signal == "-TERM" {
            // The first asks for an end, and the call may take its time.
            kill(signal, &child);
            kill("-KILL", &child);
        }
        child.wait().expect("an end");
        let helper = helper.unwrap_or_default();
        let all = || {
            let mut all = unruly.processes();
            all.extend(helper.split_whitespace().map(str::to_owned));
            all
        };
        wait_for("the processes to end", || {
            !all().iter().any(|one| runs(one))
        });
    }
}

/// A helper that is killed is not a callee that has ended: the path says so, and others get another.
#[test]
fn a_killed_helper_is_reported_as_that() {
    let unruly = Unruly::new("callees-helper", &["-DHANG"]);
    let mut child = unruly
        .run("")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("plat runs");
    wait_for("the callee", || unruly.processes().len() == 3);
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id()));
    for process in children.expect("children").split_whitespace() {
        let line = fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        if line.contains("external-helper") {
            must_run(Command::new("kill").args(["-KILL", process]));
        }
    }
    assert!(child.wait().expect("an end").success());
    let tests = fs::read_to_string(unruly.directory.join("out/tests.jsonl")).expect("tests");
    assert!(tests.contains("was killed (signal 9)"), "{tests}");
    // Nobody is left to end these.
    for process in unruly.processes() {
        let _ = Command::new("kill").args(["-KILL", &process]).status();
    }
}

#[test]
fn a_library_is_loaded_before_the_run() {
    let unruly = Unruly::new("callees-library", &[]);
    fs::write(unruly.directory.join("library.so"), "text").expect("a file");
    let output = unruly.run("").output().expect("plat runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("cannot load the library ./library.so"),
        "{said}"
    );
}
