//! plat beside AFL++: the branches that plat alone, the fuzzer alone, and both together cover of a
//! program with magic numbers, a checksum, and a text behind them.
//!
//! Each way has the same wall time. One fuzzer and plat are two processes, so the fuzzer alone is
//! there with one node and with two. What is counted are the branches of a build of clang's for
//! coverage, run on all inputs that were found, and no executor's own count.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;

use crate::Common;
use crate::process::scratch;
use crate::table::{Table, median};

/// How long, and where.
#[derive(Args)]
pub struct Fuzzing {
    /// Seconds of each run
    #[arg(long, value_name = "N", default_value_t = 60)]
    time: u64,
    /// A fuzzer's harness in C, in place of plat's own program
    #[arg(
        long,
        value_name = "FILE.c",
        default_value = "benchmarks/programs/fuzzing/records.c"
    )]
    program: PathBuf,
}

/// The builds of a harness.
struct Builds {
    bitcode: PathBuf,
    /// With the fuzzer's instrumentation.
    fuzzed: PathBuf,
    /// With clang's coverage.
    counted: PathBuf,
    source: PathBuf,
}

/// A way to look for inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Way {
    name: &'static str,
    /// Nodes of the fuzzer.
    nodes: usize,
    plat: bool,
}

const WAYS: [Way; 4] = [
    Way {
        name: "plat",
        nodes: 0,
        plat: true,
    },
    Way {
        name: "AFL++",
        nodes: 1,
        plat: false,
    },
    Way {
        name: "AFL++, two nodes",
        nodes: 2,
        plat: false,
    },
    Way {
        name: "AFL++ and plat",
        nodes: 1,
        plat: true,
    },
];

/// What a way has covered.
struct Covered {
    inputs: usize,
    branches: u64,
    of: u64,
}

/// Prints the table.
///
/// # Errors
/// When a tool is missing or fails.
pub fn fuzzing(common: &Common, what: &Fuzzing) -> Result<(), String> {
    if Command::new("afl-fuzz").arg("-h").output().is_err() {
        return Err("afl-fuzz is not there; scripts/setup fuzzers installs it".into());
    }
    let room = scratch()?;
    let builds = build(common, what, room.path())?;
    let title = format!("Branches in {} s, of {}", what.time, what.program.display());
    let head = [
        "found by",
        "processes",
        "inputs",
        "branches",
        "of",
        "least",
        "most",
    ];
    let mut table = Table::new(&title, &head);
    for way in WAYS {
        let mut runs = Vec::new();
        for run in 0..common.runs {
            let folder = room
                .path()
                .join(format!("{}-{run}", way.name.replace([' ', ','], "")));
            let corpus = search(common, what, &builds, way, &folder)?;
            runs.push(covered(&builds, &corpus, &folder)?);
        }
        let middle = |of: &dyn Fn(&Covered) -> u64| {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let values = runs.iter().map(|run| of(run) as f64).collect();
            format!("{:.0}", median(values))
        };
        let branches = runs.iter().map(|run| run.branches);
        table.row(vec![
            way.name.to_owned(),
            (way.nodes + usize::from(way.plat)).to_string(),
            middle(&|run| run.inputs as u64),
            middle(&|run| run.branches),
            middle(&|run| run.of),
            branches.clone().min().unwrap_or(0).to_string(),
            branches.max().unwrap_or(0).to_string(),
        ]);
    }
    table.print();
    Ok(())
}

fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let shown = format!("{command:?}");
    let output = command
        .output()
        .map_err(|error| format!("{shown}: {error}"))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!(
            "{shown}: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// The directory with the C library and the native driver for harnesses.
fn libc(common: &Common) -> PathBuf {
    let beside = common.plat.parent().and_then(Path::parent);
    let beside = beside.unwrap_or(Path::new("target")).join("libc");
    common.libc.clone().unwrap_or(beside)
}

fn build(common: &Common, what: &Fuzzing, room: &Path) -> Result<Builds, String> {
    let driver = libc(common).join("libplatRuntest.a");
    let builds = Builds {
        bitcode: room.join("harness.bc"),
        fuzzed: room.join("harness.afl"),
        counted: room.join("harness.counted"),
        source: what.program.clone(),
    };
    let compile = |compiler: &str, flags: &[&str], out: &Path| {
        let mut command = Command::new(compiler);
        command.args(["-g", "-w"]).args(flags).arg(&what.program);
        if !flags.contains(&"-c") {
            command.arg(&driver);
        }
        run(command.arg("-o").arg(out)).map(|_| ())
    };
    let bitcode = [
        "-O0",
        "-Xclang",
        "-disable-O0-optnone",
        "-emit-llvm",
        "-fno-builtin",
        "-c",
    ];
    compile("clang-22", &bitcode, &builds.bitcode)?;
    compile("afl-clang-fast", &["-O1"], &builds.fuzzed)?;
    let counted = ["-O0", "-fprofile-instr-generate", "-fcoverage-mapping"];
    compile("clang-22", &counted, &builds.counted)?;
    Ok(builds)
}

/// Looks for inputs; the directories where they are then.
fn search(
    common: &Common,
    what: &Fuzzing,
    builds: &Builds,
    way: Way,
    folder: &Path,
) -> Result<Vec<PathBuf>, String> {
    let made = |path: &Path| {
        std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let (seeds, queues, out) = (
        folder.join("seeds"),
        folder.join("queues"),
        folder.join("out"),
    );
    made(&seeds)?;
    made(&queues)?;
    let seed = seeds.join("hello");
    std::fs::write(&seed, "hello").map_err(|error| format!("{}: {error}", seed.display()))?;
    let mut running = Vec::new();
    for (role, name) in [("-M", "main"), ("-S", "second")].iter().take(way.nodes) {
        let mut fuzzer = Command::new("afl-fuzz");
        fuzzer
            .args([role, name, "-V", &what.time.to_string(), "-i"])
            .arg(&seeds)
            .arg("-o")
            .arg(&queues)
            .arg("--")
            .arg(&builds.fuzzed);
        for setting in [
            "SKIP_CPUFREQ",
            "NO_AFFINITY",
            "NO_UI",
            "FINAL_SYNC",
            "IMPORT_FIRST",
        ] {
            fuzzer.env(format!("AFL_{setting}"), "1");
        }
        fuzzer.env("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1");
        // In minutes; the default is 20.
        fuzzer.env("AFL_SYNC_TIME", "1");
        running.push(fuzzer);
    }
    if way.plat {
        let mut plat = Command::new(&common.plat);
        plat.args(["explore", "--quiet", "--only-output-states-covering-new"]);
        plat.args([
            "--fuzz-max-len",
            "256",
            "--max-time",
            &format!("{}s", what.time),
        ]);
        plat.arg("--output-dir").arg(&out);
        if way.nodes > 0 {
            plat.args(["--sync", "2", "--fuzzer-corpus"]).arg(&queues);
        } else {
            plat.arg("--seed-dir").arg(&seeds);
        }
        plat.env("PLAT_LIBC", libc(common)).arg(&builds.bitcode);
        running.push(plat);
    }
    all(running, Duration::from_secs(what.time))?;
    if way.nodes > 0 {
        let names = ["main", "second", "plat"].iter();
        let queues = names.map(|name| queues.join(name).join("queue"));
        return Ok(queues.filter(|queue| queue.is_dir()).collect());
    }
    let corpus = folder.join("corpus");
    let mut export = Command::new(&common.plat);
    run(export
        .args(["corpus", "export"])
        .arg(&out)
        .arg("-o")
        .arg(&corpus))?;
    Ok(vec![corpus, seeds])
}

/// Runs all of these at once, to their ends.
fn all(commands: Vec<Command>, time: Duration) -> Result<(), String> {
    let mut children = Vec::new();
    for mut command in commands {
        let shown = format!("{command:?}");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command
            .spawn()
            .map_err(|error| format!("{shown}: {error}"))?;
        children.push((shown, child));
    }
    // To start and to end they need more.
    let last = Instant::now() + time + Duration::from_secs(120);
    let mut failed = None;
    for (shown, mut child) in children {
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if Instant::now() < last && failed.is_none() => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break "ended".to_owned();
                }
            }
        };
        if status != "exit status: 0" {
            failed.get_or_insert(format!("{shown}: {status}"));
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Runs the build for coverage on all inputs.
fn covered(builds: &Builds, corpus: &[PathBuf], folder: &Path) -> Result<Covered, String> {
    let mut inputs = Vec::new();
    for directory in corpus {
        let entries = std::fs::read_dir(directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
        let paths = entries.flatten().map(|entry| entry.path());
        inputs.extend(paths.filter(|path| path.is_file()));
    }
    let profiles = folder.join("profiles");
    for (at, some) in inputs.chunks(500).enumerate() {
        let profile = profiles.join(format!("{at}.profraw"));
        run(Command::new(&builds.counted)
            .args(some)
            .env("LLVM_PROFILE_FILE", profile))?;
    }
    let merged = folder.join("all.profdata");
    run(Command::new("llvm-profdata-22")
        .arg("merge")
        .arg(&profiles)
        .arg("-o")
        .arg(&merged))?;
    let said = run(Command::new("llvm-cov-22")
        .args(["export", "-summary-only", "-instr-profile"])
        .args([&merged, &builds.counted, &builds.source]))?;
    let report: Value =
        serde_json::from_slice(&said).map_err(|error| format!("llvm-cov: {error}"))?;
    let branches = &report["data"][0]["totals"]["branches"];
    let number = |key: &str| branches[key].as_u64().ok_or(format!("llvm-cov: no {key}"));
    Ok(Covered {
        inputs: inputs.len(),
        branches: number("covered")?,
        of: number("count")?,
    })
}
