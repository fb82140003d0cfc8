//! Native runs of `plat replay`, `plat cover` and `klee-replay` are confined: a program that writes
//! outside, connects, kills and stays behind does the same in the model, and the machine sees nothing of
//! it. Without the sandbox it does.

use plat_tests::explore::plat_ok;
use plat_tests::{Scratch, command, compile_bitcode_with, must_run, root, scratch};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What a program may try to reach, and the program.
struct Outside {
    directory: Scratch,
    file: PathBuf,
    temporary: PathBuf,
    listener: TcpListener,
    victim: Child,
    native: PathBuf,
}

/// What a program has done to the machine: written, left in the temporary directory, connected, stayed
/// behind, killed.
type Done = [bool; 5];

impl Outside {
    fn new(name: &str) -> Self {
        let directory = scratch(name);
        let number = std::process::id();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let mut victim = Command::new("sleep");
        let victim = victim.arg("600").stdout(Stdio::null()).spawn();
        let native = directory.join("unruly.native");
        Outside {
            file: root().join(format!("target/{name}-{number}")),
            temporary: Path::new("/tmp").join(format!("{name}-{number}")),
            victim: victim.expect("a process"),
            directory,
            listener,
            native,
        }
    }

    /// The run directory of the program.
    fn explored(&self) -> PathBuf {
        self.explored_beside(&[])
    }

    /// The same, with these flags for the native build.
    fn explored_beside(&self, native_flags: &[&str]) -> PathBuf {
        let source = root().join("tests/programs/replay/unruly.c");
        let port = self.listener.local_addr().expect("a port").port();
        let flags = [
            format!("-DOUTSIDE=\"{}\"", self.file.display()),
            format!("-DTEMPORARY=\"{}\"", self.temporary.display()),
            format!("-DPORT={port}"),
            format!("-DVICTIM={}", self.victim.id()),
        ];
        let (bitcode, out) = (self.directory.join("unruly.bc"), self.directory.join("out"));
        compile_bitcode_with(&source, &flags, &bitcode);
        let mut compiler = Command::new("cc");
        compiler.args(&flags).args(native_flags).arg(&source);
        compiler.arg("-o").arg(&self.native);
        must_run(compiler.current_dir(&*self.directory));
        let [out_text, bitcode] = [&out, &bitcode].map(|path| path.to_string_lossy().into_owned());
        let words = ["explore", "--quiet", "--output-dir", &out_text, &bitcode];
        plat_ok(command(), &[&words[..], &["--sym-arg", "1"]].concat()).expect("a run");
        out
    }

    /// Those of the program's processes that are there.
    fn left(&self) -> Vec<String> {
        let processes = fs::read_dir("/proc").expect("processes").flatten();
        let ours = processes.filter(|process| {
            fs::read_link(process.path().join("exe")).is_ok_and(|exe| exe == self.native)
        });
        ours.map(|process| process.file_name().to_string_lossy().into_owned())
            .collect()
    }

    fn done(&mut self) -> Done {
        [
            self.file.exists(),
            self.temporary.exists(),
            self.listener.accept().is_ok(),
            !self.left().is_empty(),
            self.victim.try_wait().expect("a process").is_some(),
        ]
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
        let _ = fs::remove_file(&self.temporary);
        for process in self.left() {
            let _ = Command::new("kill").args(["-9", &process]).status();
        }
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

/// Replays the tests of a run by a command of the shell that ends in `plat replay`.
fn replayed(before: &str, out: &Path, native: &Path) -> String {
    let script = format!(
        "{before} {} replay --quiet {} -- {} 2>&1",
        command().display(),
        out.display(),
        native.display()
    );
    let said = must_run(Command::new("sh").arg("-c").arg(script));
    String::from_utf8_lossy(&said.stdout).into_owned()
}

const SAME: &str = "6 tests: 6 same, 0 differ, 0 not compared\n";

#[test]
fn a_native_run_does_nothing_to_the_machine() {
    let mut outside = Outside::new("sandbox");
    let out = outside.explored();
    assert_eq!(replayed("exec", &out, &outside.native), SAME);
    assert_eq!(outside.done(), [false; 5]);
    // The test can fail.
    let (out_text, native) = (out.to_string_lossy(), outside.native.to_string_lossy());
    let words = ["replay", "--no-sandbox", &out_text, "--", &native];
    plat_ok(command(), &words).expect("a replay");
    assert_eq!(outside.done(), [true; 5]);
}

/// A machine whose user may make no network namespaces, as many containers are.
const NO_NAMESPACES: &str = "unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_net_namespaces && \
                             exec \"$@\"' sh";

#[test]
fn without_namespaces_system_calls_are_refused() {
    let mut outside = Outside::new("sandbox-filter");
    let out = outside.explored();
    let allowed = Command::new("sh")
        .args(["-c", &format!("{NO_NAMESPACES} true")])
        .status();
    if !allowed.expect("a shell").success() {
        return;
    }
    let said = replayed(NO_NAMESPACES, &out, &outside.native);
    assert!(
        said.ends_with("6 tests: 6 same, 0 differ, 0 not compared\n"),
        "{said}"
    );
    assert_eq!(outside.done(), [false; 5]);
}

/// The counters of gcov are written, and nothing else.
#[test]
fn coverage_is_counted_in_a_sandbox() {
    let mut outside = Outside::new("sandbox-cover");
    let out = outside.explored_beside(&["--coverage"]);
    let (out_text, native) = (
        out.to_string_lossy(),
        outside.native.to_string_lossy().into_owned(),
    );
    let covered = |options: &[&str]| {
        let words = [&["cover"], options, &[&out_text, "--", &native]].concat();
        let said = plat_ok(command(), &words).expect("coverage").stdout;
        String::from_utf8_lossy(&said).into_owned()
    };
    let confined = covered(&[]);
    assert_eq!(outside.done(), [false; 5]);
    let percent = confined.lines().find_map(|line| {
        let (share, _) = line.strip_prefix("all")?.trim().split_once(" %")?;
        share.parse::<f64>().ok()
    });
    assert!(percent.is_some_and(|percent| percent > 80.0), "{confined}");
    // The test can fail.
    covered(&["--no-sandbox", "--jobs", "2"]);
    assert_eq!(outside.done(), [true; 5]);
}

/// KLEE's replayer writes counters beside the objects, as its users expect.
#[test]
fn the_replayer_of_klee_is_confined() {
    let mut outside = Outside::new("sandbox-klee");
    let out = outside.explored_beside(&["--coverage"]);
    let replayer = outside.directory.join("klee-replay");
    symlink(command(), &replayer).expect("a link");
    let extracted = outside.directory.join("tests");
    let words = [
        "tests",
        "extract",
        &out.to_string_lossy(),
        "-o",
        &extracted.to_string_lossy(),
    ];
    plat_ok(command(), &words).expect("the tests");
    let mut tests: Vec<PathBuf> = (fs::read_dir(&extracted).expect("tests").flatten())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "ktest"))
        .collect();
    tests.sort();
    assert_eq!(tests.len(), 6);
    let replay = |options: &[&str], native: &Path| {
        let mut replay = Command::new(&replayer);
        must_run(replay.args(options).arg(native).args(&tests));
    };
    replay(&[], &outside.native);
    let files = fs::read_dir(&*outside.directory).expect("files").flatten();
    let counters = files.filter(|file| file.path().extension().is_some_and(|end| end == "gcda"));
    assert_eq!(counters.count(), 1);
    assert_eq!(outside.done(), [false; 5]);
    // The test can fail.
    replay(&["--no-sandbox"], &outside.native);
    assert_eq!(outside.done(), [true; 5]);
}
