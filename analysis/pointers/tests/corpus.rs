//! Small C programs, one construct each, that claim facts about their pointers
//! (`tests/pointers/*.c`). Every claim is true natively, and the analysis must agree with every
//! claim at every optimisation level.

use plat_pointers::{AbstractObject, Algorithm, Config, PointsTo, analyze_checked};
use plat_program::{Callee, Constant, FuncId, Inst, Operand, Program, reader};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How the programs are compiled; the last column is what `opt` does afterwards.
const LEVELS: &[(&str, &[&str], &str)] = &[
    ("O0", &["-O0"], ""),
    (
        "O0m2r",
        &["-O0", "-Xclang", "-disable-O0-optnone"],
        "mem2reg",
    ),
    ("O1", &["-O1"], ""),
    ("O2", &["-O2"], ""),
];

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("plat-pointers-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a scratch directory");
        Self(dir)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/pointers")
}

fn programs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus()).expect("the corpus");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    files.retain(|path| path.file_stem().is_some_and(|stem| stem != "native"));
    files.sort();
    assert!(files.len() >= 25, "{} programs", files.len());
    files
}

fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}: {errors}",
        output.status
    );
}

fn compile(scratch: &Scratch, source: &Path, flags: &[&str], passes: &str) -> Program {
    let (raw, out) = (scratch.0.join("raw.bc"), scratch.0.join("out.bc"));
    let mut clang = Command::new("clang-22");
    clang
        .args(["-c", "-emit-llvm", "-g", "-w", "-fno-strict-aliasing"])
        .args(flags);
    run(clang.arg(source).arg("-o").arg(&raw));
    let read = if passes.is_empty() {
        raw
    } else {
        let mut opt = Command::new("opt-22");
        run(opt
            .arg(format!("-passes={passes}"))
            .arg(&raw)
            .arg("-o")
            .arg(&out));
        out
    };
    reader::read(&read).unwrap_or_else(|why| panic!("{why}"))
}

/// The objects that an operand can point to.
fn objects(
    program: &Program,
    result: &PointsTo,
    function: FuncId,
    operand: Operand,
) -> BTreeSet<u32> {
    if let Some(reg) = operand.as_reg() {
        return result.register(function, reg).iter().copied().collect();
    }
    let wanted = match operand.as_constant().map(|id| program.constant(id)) {
        Some(Constant::Global(id, _)) => AbstractObject::Global {
            name: program.global(*id).name.clone(),
        },
        Some(Constant::Function(id)) => AbstractObject::Function {
            name: program.function(*id).name.clone(),
        },
        _ => return BTreeSet::new(),
    };
    let found = result.objects.iter().position(|object| *object == wanted);
    found.map(|at| at as u32).into_iter().collect()
}

/// Checks the claims of one program; how many of each kind there are.
fn claims(name: &str, program: &Program, result: &PointsTo) -> [usize; 2] {
    let mut counts = [0; 2];
    for function in &program.functions {
        for (at, inst) in function.insts.iter().enumerate() {
            let Inst::Call { call, .. } = inst else {
                continue;
            };
            let Callee::Direct(callee) = call.callee else {
                continue;
            };
            let claim = program.function(callee).name.as_str();
            let kind = match claim {
                "MUSTALIAS" => 0,
                "NOALIAS" => 1,
                _ => continue,
            };
            let arguments = &function.call_args[call.args.range()];
            let [p, q] = [0, 1].map(|at| objects(program, result, function.id, arguments[at]));
            counts[kind] += 1;
            let line = program.location(function.locs[at]).line;
            let named = |set: &BTreeSet<u32>| {
                let name =
                    |&at: &u32| plat_pointers::text::object(result, &result.objects[at as usize]);
                set.iter().map(name).collect::<Vec<_>>().join(", ")
            };
            let holds = p.is_disjoint(&q) == (kind == 1);
            assert!(
                holds,
                "{name}:{line}: {claim}: {{{}}} and {{{}}}",
                named(&p),
                named(&q)
            );
        }
    }
    counts
}

#[test]
fn claims_hold_natively() {
    let scratch = Scratch::new("native");
    let binary = scratch.0.join("program");
    for program in programs() {
        for level in ["-O0", "-O2"] {
            let mut clang = Command::new("clang-22");
            clang
                .args(["-w", "-fno-strict-aliasing", level])
                .arg(&program);
            run(clang.arg(corpus().join("native.c")).arg("-o").arg(&binary));
            run(&mut Command::new(&binary));
        }
    }
}

#[test]
fn the_analysis_agrees_with_every_claim() {
    let scratch = Scratch::new("analysis");
    let config = Config {
        harmless: vec!["MUSTALIAS".to_string(), "NOALIAS".to_string()],
        check: true,
        algorithm: Algorithm::Compare,
        ..Config::default()
    };
    let mut counts = [0; 2];
    let mut wrong = Vec::new();
    for path in programs() {
        for (level, flags, passes) in LEVELS {
            let program = compile(&scratch, &path, flags, passes);
            let name = format!("{} {level}", path.display());
            let checked = std::panic::catch_unwind(|| {
                let result = analyze_checked(&program, &config)
                    .unwrap_or_else(|why| panic!("{name}: {why}"));
                claims(&name, &program, &result)
            });
            match checked {
                Ok([must, no]) => counts = [counts[0] + must, counts[1] + no],
                Err(_) => wrong.push(name),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(counts[0] > 300 && counts[1] > 100, "{counts:?}");
}
