//! Small C programs, one construct each, that claim facts about their pointers
//! (`tests/pointers/*.c`). The claims are checked by running the programs, and the analysis must
//! find every pair of pointers that are equal, whatever compiler made the bitcode and however much
//! it optimised. How many pairs it tells apart is a measure, of which there is a least value.

use plat_compiled_tests::scratch;
use plat_pointers::claims::{self, Claim, Kind};
use plat_pointers::{Algorithm, PointsToConfig};
use plat_transform::LinkOptions;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The compilers: the first must be there, the others are used if they are.
const CLANGS: &[&str] = &["clang-22", "clang-19", "clang-16"];

/// The least number of pairs told apart at each level with the first compiler: different
/// addresses, and different objects.
const TOLD_APART: &[(Level, usize, usize)] = &[
    (Level::O0, 147, 146),
    (Level::Registers, 147, 146),
    (Level::O1, 148, 147),
    (Level::O2, 149, 148),
];

/// How a program is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    /// Not optimised.
    O0,
    /// Not optimised, then variables become registers.
    Registers,
    O1,
    O2,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../pointers")
}

fn programs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus()).expect("the corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    files.retain(|path| path.file_stem().is_some_and(|stem| stem != "native"));
    files.sort();
    assert!(files.len() >= 80, "{} programs", files.len());
    files
}

/// Runs a command to its end; the answer is what it says if it fails.
fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}: {errors}", output.status)),
    }
}

/// Does `work` for every program, two at a time, and fails with all that went wrong.
fn for_all(directory: &Path, work: impl Fn(&Path, &Path) -> Result<(), String> + Sync) {
    let (programs, next) = (programs(), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = program.file_stem().expect("a name");
                    if let Err(why) = work(program, &directory.join(name)) {
                        wrong.lock().expect("no panic").push(why);
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no panic");
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn claims_hold_natively() {
    let directory = scratch("pointers-native");
    for_all(&directory, |program, out| {
        ["-O0", "-O2"].iter().try_for_each(|level| {
            let mut clang = Command::new(CLANGS[0]);
            clang.args(["-w", "-fno-strict-aliasing", level]);
            clang.arg(program).arg(corpus().join("native.c"));
            run(clang.arg("-o").arg(out))?;
            run(&mut Command::new(out))
        })
    });
}

/// Bitcode of a program at each level.
fn compile(clang: &str, program: &Path, out: &Path) -> Result<Vec<(Level, PathBuf)>, String> {
    let levels: &[(Level, &[&str])] = &[
        (Level::O0, &["-O0", "-Xclang", "-disable-O0-optnone"]),
        (Level::O1, &["-O1"]),
        (Level::O2, &["-O2"]),
    ];
    // Optimised more than a little only by the one compiler that is everywhere.
    let levels = match clang == CLANGS[0] {
        true => levels,
        false => &levels[..2],
    };
    let link = |from: &Path, to: &Path, promote_memory| {
        let options = LinkOptions {
            library: None,
            promote_memory,
            implemented: &[],
            ..LinkOptions::default()
        };
        plat_transform::link(from, &options, to).map_err(|why| why.to_string())
    };
    let (raw, mut made) = (out.with_extension("raw.bc"), Vec::new());
    for (level, flags) in levels {
        let mut compiler = Command::new(clang);
        compiler.args(["-c", "-emit-llvm", "-g", "-w", "-fno-strict-aliasing"]);
        run(compiler.args(*flags).arg(program).arg("-o").arg(&raw))?;
        let path = out.with_extension(format!("{clang}.{level:?}.bc"));
        link(&raw, &path, false)?;
        made.push((*level, path));
        if *level == Level::O0 {
            let path = out.with_extension(format!("{clang}.registers.bc"));
            link(&raw, &path, true)?;
            made.push((Level::Registers, path));
        }
    }
    Ok(made)
}

/// The claims of one file, and what is wrong with them.
fn check(path: &Path, algorithm: Algorithm) -> Result<(Vec<Claim>, String), String> {
    let config = PointsToConfig {
        check: true,
        algorithm,
        ..PointsToConfig::default()
    };
    let program = plat_bitcode::read(path).map_err(|why| why.to_string())?;
    let claims =
        claims::check(&program, &config).map_err(|why| format!("{}: {why}", path.display()))?;
    let mut wrong = String::new();
    for claim in claims.iter().filter(|claim| claim.unsound()) {
        let [p, q] = claim.sets.each_ref().map(|set| set.join(", "));
        let (name, line) = (&claim.name, claim.line);
        let _ = writeln!(
            wrong,
            "{}:{line}: {name}: {{{p}}} and {{{q}}}",
            path.display()
        );
    }
    Ok((claims, wrong))
}

/// For each level: claims of aliasing, of no aliasing, those that hold, those of different objects.
type Counts = [[usize; 4]; 4];

fn count(counts: &mut Counts, level: Level, claims: &[Claim]) {
    let row = &mut counts[level as usize];
    for claim in claims {
        if claim.kind == Kind::No {
            row[1] += 1;
            row[2] += usize::from(claim.holds);
            row[3] += usize::from(!claim.same_object);
        } else {
            row[0] += 1;
        }
    }
}

#[test]
fn the_analysis_is_sound() {
    let directory = scratch("pointers-analysis");
    let there = |clang: &&&str| Command::new(clang).arg("--version").output().is_ok();
    let clangs: Vec<&str> = CLANGS.iter().filter(there).copied().collect();
    let counts = Mutex::new(Counts::default());
    for_all(&directory, |program, out| {
        let mut wrong = String::new();
        for &clang in &clangs {
            for (level, path) in compile(clang, program, out)? {
                let first = clang == CLANGS[0];
                let algorithm = match first && level == Level::Registers {
                    true => Algorithm::Compare,
                    false => Algorithm::Wave,
                };
                let (claims, unsound) = check(&path, algorithm)?;
                wrong += &unsound;
                if first {
                    count(&mut counts.lock().expect("no panic"), level, &claims);
                }
                let _ = std::fs::remove_file(path);
            }
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong),
        }
    });
    let counts = counts.into_inner().expect("no panic");
    for &(level, addresses, objects) in TOLD_APART {
        let [equal, unequal, apart, separate] = counts[level as usize];
        println!(
            "{level:?}: {equal} equal; of {unequal} unequal {apart} told apart, {separate} in different objects"
        );
        assert!(
            apart >= addresses && separate >= objects,
            "{level:?}: {apart} and {separate}, once {addresses} and {objects}"
        );
    }
}
