//! The reader against C compiled by clang and against hand-written IR.

use plat_bitcode::{ReadError, read};
use plat_program::{Callee, Constant, GroupId, Inst, Program, SiteId, verify};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A directory of this test's own, removed at the end of a test that passes.
struct Scratch(TempDir);

impl Scratch {
    fn new(name: &str) -> Self {
        let prefix = format!("plat-reader-{name}-");
        Self(TempDir::with_prefix(prefix).expect("a scratch directory"))
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, contents).expect("a scratch file");
        path
    }

    /// Compiles C to bitcode.
    fn compile(&self, source: &str, flags: &[&str]) -> PathBuf {
        let c = self.file("input.c", source);
        let out = self.0.path().join("input.bc");
        let status = Command::new("clang-22")
            .args(["-c", "-emit-llvm", "-g"])
            .args(flags)
            .arg(&c)
            .arg("-o")
            .arg(&out)
            .status()
            .expect("clang-22 runs");
        assert!(status.success(), "clang-22 failed");
        out
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.0.disable_cleanup(std::thread::panicking());
    }
}

/// Reads, and hands the program over as bytes.
fn load(path: &Path) -> Program {
    let program = read(path).unwrap_or_else(|why| panic!("{why}"));
    let mut bytes = Vec::new();
    program.write_to(&mut bytes).expect("bytes");
    assert!(Program::from_bytes(&bytes[..bytes.len() / 2]).is_err());
    let again = Program::from_bytes(&bytes).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(again, program);
    let text = again.to_string();
    let parsed = plat_program::parse(text.as_bytes());
    let parsed = parsed.unwrap_or_else(|why| panic!("{why}\n{text}"));
    assert_eq!(parsed.to_string(), text);
    assert_eq!(parsed, again.renumbered());
    again
}

fn called<'p>(program: &'p Program, function: &str) -> Vec<&'p str> {
    let function = program.function_named(function).expect("the function");
    let callee = |inst: &Inst| match inst {
        Inst::Call { call, .. } => match call.callee {
            Callee::Direct(id) => Some(program.function(id).name.as_str()),
            _ => Some("?"),
        },
        _ => None,
    };
    function.insts.iter().filter_map(callee).collect()
}

const LIST: &str = r#"
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node tail = {7, 0};
struct node list[2] = {{1, &list[1]}, {2, &tail}};
double halves[3] = {0.5, 0, 1.5};
short words[4] = {1, 2, 3, 4};
long difference = (char *)&list[1].next - (char *)&list[0];
int sum(struct node *at) {
  int total = 0;
  for (; at; at = at->next) total += at->value;
  return total;
}
int classify(int c) {
  switch (c) { case 1: case 2: return 10; case 1000: return 20; default: return 0; }
}
int *p;
int main(void) {
  p = malloc(40);
  p[3] = sum(list);
  int r = p[3] + classify(p[3]);
  free(p);
  return r;
}
"#;

#[test]
fn reads_functions_globals_and_locations() {
    let scratch = Scratch::new("list");
    for flags in [["-O0"], ["-O1"]] {
        let program = load(&scratch.compile(LIST, &flags));
        assert_eq!(verify(&program), []);
        let list = program.global(program.global_names["list"]);
        let image = list.initializer.as_ref().expect("an initialiser");
        let bytes = image.bytes.read(0, 32);
        assert_eq!((list.size, bytes[0], bytes[16]), (32, 1, 2));
        let targets: Vec<_> = image
            .relocations
            .iter()
            .map(|r| (r.offset, r.size, program.constant(r.value).clone()))
            .collect();
        let (own, tail) = (program.global_names["list"], program.global_names["tail"]);
        assert_eq!(
            targets,
            [
                (8, 8, Constant::Global(own, 16)),
                (24, 8, Constant::Global(tail, 0))
            ]
        );
        let difference = program.global(program.global_names["difference"]);
        let image = difference.initializer.as_ref().expect("an initialiser");
        assert_eq!(image.bytes.read(0, 1), [24]);
        assert!(image.relocations.is_empty());
        let words = program.global(program.global_names["words"]);
        let image = words.initializer.as_ref().expect("an initialiser");
        assert_eq!(image.bytes.read(0, 8), [1, 0, 2, 0, 3, 0, 4, 0]);
        assert!(called(&program, "main").contains(&"malloc"));
        let main = program.function_named("main").expect("main");
        let location = program.location(main.location);
        assert!(location.file.ends_with("input.c") && location.file.starts_with('/'));
        assert_eq!(location.line, 18);
    }
}

#[test]
fn damaged_files_are_refused_in_one_line() {
    let scratch = Scratch::new("damaged");
    let whole = std::fs::read(scratch.compile(LIST, &["-O0"])).expect("bitcode");
    for length in (0..whole.len())
        .step_by(97)
        .chain([1, 2, 3, 4, 5, 8, whole.len() - 4])
    {
        let path = scratch.file("cut.bc", &whole[..length]);
        let why = read(&path).expect_err("a truncated file").to_string();
        assert!(
            !why.contains('\n') && why.contains("cut.bc"),
            "{length}: {why}"
        );
    }
    let text = scratch.file("text.bc", "this is not a program\n");
    assert!(matches!(read(&text), Err(ReadError::Bitcode(_, why)) if why.starts_with("neither")));
    let missing = read(&scratch.0.path().join("missing.bc"));
    assert!(matches!(missing, Err(ReadError::File(..))));
    let broken = "define i32 @f() {\n %x = add i32 %y, 1\n %y = add i32 %x, 1\n ret i32 %y\n}\n";
    let broken = read(&scratch.file("broken.ll", broken));
    assert!(
        matches!(broken, Err(ReadError::Invalid(..) | ReadError::Bitcode(..))),
        "{broken:?}"
    );
}

const ODD: &str = r#"
@wide = global i128 -2
@bits = constant <8 x i1> <i1 1, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 1>
@table = global { i8, [2 x ptr], double } { i8 3, [2 x ptr] [ptr @f, ptr getelementptr (i8, ptr @wide, i64 9)], double 1.5 }
@gap = global i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @table, i64 24) to i64), i64 ptrtoint (ptr @table to i64))
@inner = alias i8, getelementptr (i8, ptr @table, i64 8)
@twin = alias i65 (i58, i65), ptr @f
@resolver_result = ifunc void (), ptr @resolver

define ptr @resolver() {
  ret ptr null
}

define i65 @f(i58 %a, i65 %b) {
entry:
  %a1 = add i58 %a, 288230376151711743
  %w = zext i58 %a1 to i65
  %s = mul i65 %w, %b
  switch i58 %a, label %other [
    i58 1, label %join
    i58 -1, label %join
    i58 7, label %seven
  ]
seven:
  br i1 true, label %join, label %join
other:
  unreachable
join:
  %p = phi i65 [ %s, %entry ], [ %s, %entry ], [ 36893488147419103231, %seven ], [ 36893488147419103231, %seven ]
  %q = phi i65 [ %b, %entry ], [ %b, %entry ], [ %s, %seven ], [ %s, %seven ]
  %r = sub i65 %p, %q
  ret i65 %r
}

define <4 x i32> @vectors(<4 x i32> %a, ptr %p, i32 %i) {
  %l = load <4 x i32>, ptr %p, align 16
  %m = add <4 x i32> %a, %l
  %s = shufflevector <4 x i32> %m, <4 x i32> %a, <4 x i32> <i32 0, i32 poison, i32 5, i32 3>
  %t = insertelement <4 x i32> %s, i32 9, i32 %i
  %c = icmp slt <4 x i32> %t, zeroinitializer
  %g = getelementptr i32, ptr %p, <4 x i32> %a
  %x = extractelement <4 x ptr> %g, i32 0
  store i32 1, ptr %x
  %u = select <4 x i1> %c, <4 x i32> %t, <4 x i32> splat (i32 3)
  ret <4 x i32> %u
}

define { i32, i1 } @atomics(ptr %p, { i32, i1 } %v, i8 %index, ptr byval({ i64, i64, i32 }) align 16 %copy) {
  %old = atomicrmw nand ptr %p, i32 5 seq_cst
  %pair = cmpxchg volatile ptr %p, i32 %old, i32 1 acq_rel monotonic
  %e = extractvalue { i32, i1 } %pair, 1
  %n = insertvalue { i32, i1 } %v, i1 %e, 1
  fence seq_cst
  call void asm sideeffect "", "~{memory}"()
  %same = call i32 asm "", "=r,0"(i32 %old)
  call void asm sideeffect "cpuid", "~{eax}"()
  %at = getelementptr { i32, [4 x { i16, i64 }] }, ptr %p, i64 1, i32 1, i8 %index, i32 1
  store i32 %same, ptr %at
  %twin = call i65 @twin(i58 3, i65 4)
  call void @resolver_result()
  call void @llvm.assume(i1 true)
  %again = call ptr @resolver()
  ret { i32, i1 } %n
}

declare void @llvm.assume(i1)
declare i32 @__gxx_personality_v0(...)

define void @unwinds() personality ptr @__gxx_personality_v0 {
  invoke void @resolver_result() to label %fine unwind label %bad
fine:
  %p = invoke ptr @resolver() to label %done unwind label %bad
done:
  ret void
bad:
  %pad = landingpad { ptr, i32 } cleanup catch ptr @wide
  resume { ptr, i32 } %pad
}
"#;

#[test]
fn reads_every_width_and_shape() {
    let scratch = Scratch::new("odd");
    let program = load(&scratch.file("odd.ll", ODD));
    assert_eq!(verify(&program), []);
    let image = |name: &str| {
        let global = program.global(program.global_names[name]);
        global.initializer.clone().expect("an initialiser")
    };
    assert_eq!(image("wide").bytes.read(0, 16), (-2i128).to_le_bytes());
    assert_eq!(image("bits").bytes.read(0, 1), [0b1000_1101]);
    assert_eq!(image("gap").bytes.read(0, 8), 24u64.to_le_bytes());
    let table = image("table");
    assert_eq!(table.bytes.read(24, 8), 1.5f64.to_le_bytes());
    let values: Vec<_> = table
        .relocations
        .iter()
        .map(|r| (r.offset, program.constant(r.value)))
        .collect();
    let (wide, f) = (program.global_names["wide"], program.function_names["f"]);
    assert_eq!(
        values,
        [
            (8, &Constant::Function(f)),
            (16, &Constant::Global(wide, 9))
        ]
    );
    assert_eq!(program.function_names["twin"], f);

    let f = program.function_named("f").expect("f");
    let wide = Constant::Int {
        width: 65,
        value: (1 << 65) - 1,
    };
    assert!(program.constants.contains(&wide), "{program}");
    let switch = f.insts.iter().find_map(|inst| match *inst {
        Inst::Switch { cases, .. } => Some(&f.switch_cases[cases.range()]),
        _ => None,
    });
    let cases: Vec<_> = switch
        .expect("a switch")
        .iter()
        .map(|case| case.0)
        .collect();
    assert_eq!(cases, [1, (1 << 58) - 1, 7]);
    let into_join: Vec<_> = f.edges.iter().filter(|edge| edge.moves.len == 2).collect();
    assert_eq!(into_join.len(), 2, "one edge per pair of blocks\n{program}");

    let atomics = program.function_named("atomics").expect("atomics");
    assert_eq!(atomics.byval[3], Some((24, 16)));
    let gep = atomics.insts.iter().find_map(|inst| match *inst {
        Inst::Gep { offset, terms, .. } => Some((offset, atomics.gep_terms[terms.range()][0])),
        _ => None,
    });
    let (offset, (_, width, scale)) = gep.expect("an address");
    assert_eq!((offset, width, scale), (72 + 8 + 8, 8, 16));
    // Ordinals count the dropped calls: two empty asm, assume.
    let ordinals: Vec<_> = atomics
        .call_ordinals
        .iter()
        .filter(|&&ordinal| ordinal != u32::MAX)
        .collect();
    assert_eq!(ordinals, [&0, &1, &2, &3, &4, &6]);
    assert_eq!(
        unsupported(&program, "atomics"),
        ["call of ifunc resolver_result"]
    );
    let vectors = unsupported(&program, "vectors");
    assert!(vectors[0].starts_with("getelementptr"), "{vectors:?}");
    let unwinds = unsupported(&program, "unwinds");
    assert_eq!(unwinds, ["call of ifunc resolver_result"]);
    let unwinds = program.function_named("unwinds").expect("unwinds");
    let [.., pad, resume] = unwinds.insts.as_slice() else {
        panic!("{program}");
    };
    let Inst::LandingPad {
        dst,
        cleanup: true,
        clauses,
        ..
    } = *pad
    else {
        panic!("{program}");
    };
    assert_eq!(unwinds.call_args[clauses.range()].len(), 1);
    assert!(matches!(*resume, Inst::Resume { value } if value.as_reg() == Some(dst)));
}

fn unsupported<'p>(program: &'p Program, function: &str) -> Vec<&'p str> {
    let function = program.function_named(function).expect("the function");
    let text = |inst: &Inst| match *inst {
        Inst::Unsupported { what, .. } => Some(function.asm_texts[what as usize].as_str()),
        _ => None,
    };
    function.insts.iter().filter_map(text).collect()
}

const ANNOTATED: &str = r#"
define ptr @f() {
  %p = call ptr @malloc(i64 8), !plat.site !0
  %q = call ptr @malloc(i64 8)
  ret ptr %p
}
declare ptr @malloc(i64)
!plat.contexts = !{!1, !2}
!plat.transformed = !{!0}
!0 = !{i32 4}
!1 = !{i32 0, i32 9, i32 4}
!2 = !{i32 -1, i32 4}
"#;

#[test]
fn reads_annotations() {
    let scratch = Scratch::new("annotated");
    let program = load(&scratch.file("annotated.ll", ANNOTATED));
    assert_eq!(verify(&program), []);
    let annotations = &program.annotations;
    assert!(annotations.transformed);
    assert_eq!(annotations.sites.len(), 1);
    let (&call, &site) = annotations.sites.iter().next().expect("a site");
    assert_eq!((program.position(call).1, site.0), (0, 4));
    let groups: Vec<_> = annotations
        .contexts
        .iter()
        .map(|context| context.group)
        .collect();
    assert_eq!(groups, [Some(GroupId(0)), None]);
    let stack = [Some(site), Some(SiteId(9))];
    assert_eq!(annotations.context_of(stack.into_iter()), Some(0));
    assert_eq!(
        annotations.context_of([Some(site), None].into_iter()),
        Some(1)
    );
}

#[test]
fn verifier_finds_what_was_broken() {
    let scratch = Scratch::new("broken");
    let whole = load(&scratch.file("odd.ll", ODD));
    type Damage = fn(&mut Program);
    let breakers: [(&str, Damage); 6] = [
        ("terminator", |p| {
            let f = p.functions.iter_mut().find(|f| f.name == "f").expect("f");
            f.insts.swap(2, 3);
        }),
        ("differ in their moves", |p| {
            let f = p.functions.iter_mut().find(|f| f.name == "f").expect("f");
            f.edges
                .iter_mut()
                .find(|e| e.moves.len == 2)
                .expect("an edge")
                .moves
                .len = 1;
        }),
        ("defined twice", |p| {
            let f = p.functions.iter_mut().find(|f| f.name == "f").expect("f");
            let reg = f.params.len() as u32;
            if let Inst::Cast { dst, .. } = &mut f.insts[1] {
                dst.0 = reg;
            }
        }),
        ("longer than it", |p| {
            let global = &mut p.globals[0];
            let image = global.initializer.get_or_insert_default();
            image.bytes.push(global.size, &[1]);
        }),
        ("not sorted", |p| {
            let table = p
                .globals
                .iter_mut()
                .find(|g| g.name == "table")
                .expect("table");
            table
                .initializer
                .as_mut()
                .expect("an image")
                .relocations
                .reverse();
        }),
        ("is no call", |p| {
            p.annotations
                .sites
                .insert(plat_program::InstId(0), SiteId(1));
        }),
    ];
    for (words, damage) in breakers {
        let mut program = whole.clone();
        damage(&mut program);
        let found = verify(&program);
        assert!(
            found.iter().any(|v| v.to_string().contains(words)),
            "{words}: {found:?}"
        );
    }
}

/// Replaces the name of the producer in bitcode, a string of 6-bit characters at any bit offset.
fn rename_producer(bitcode: &mut [u8], from: &[u8], to: &[u8]) {
    let code = |c: u8| match c {
        b'a'..=b'z' => c - b'a',
        b'A'..=b'Z' => c - b'A' + 26,
        _ => c - b'0' + 52,
    };
    let bits = |text: &[u8]| -> Vec<bool> {
        text.iter()
            .flat_map(|&c| (0..6).map(move |bit| code(c) >> bit & 1 == 1))
            .collect()
    };
    let (from, to) = (bits(from), bits(to));
    let bit = |data: &[u8], at: usize| data[at / 8] >> (at % 8) & 1 == 1;
    let start = (0..4096)
        .find(|start| {
            from.iter()
                .enumerate()
                .all(|(at, &want)| bit(bitcode, start + at) == want)
        })
        .expect("the producer's name");
    for (at, set) in to.into_iter().enumerate() {
        let (byte, mask) = ((start + at) / 8, 1 << ((start + at) % 8));
        bitcode[byte] = bitcode[byte] & !mask | if set { mask } else { 0 };
    }
}

#[test]
fn bitcode_of_a_newer_llvm_is_named() {
    let scratch = Scratch::new("newer");
    let mut bitcode = std::fs::read(scratch.compile(LIST, &["-O0"])).expect("bitcode");
    rename_producer(&mut bitcode, b"LLVM22", b"LLVM97");
    // Stands for records that this LLVM does not know.
    let middle = bitcode.len() / 4..bitcode.len() / 2;
    bitcode[middle].fill(0xff);
    let why = read(&scratch.file("newer.bc", &bitcode)).expect_err("unknown records");
    let why = why.to_string();
    assert!(
        why.ends_with("made by a newer LLVM (plat reads up to LLVM 22)"),
        "{why}"
    );
}

#[test]
fn text_shows_annotations_and_moves() {
    let scratch = Scratch::new("text");
    let program = load(&scratch.file("annotated.ll", ANNOTATED));
    let text = program.to_string();
    let expected = "transformed\ncontext 9 4 in group 0\ncontext 4 alone\n\ndefine ptr @f() {\nb0:\n  \
        %0 = call ptr @malloc(i64 8) !site 4\n  %1 = call ptr @malloc(i64 8)\n  return %0\n}\n\n\
        declare ptr @malloc(i64 %0)\n";
    assert_eq!(text.split_once('\n').expect("a head line").1, expected);
    let odd = load(&scratch.file("odd.ll", ODD));
    let text = odd.to_string();
    for line in [
        "  %3 = zext i58 %2 to i65\n",
        "b3(-1, %4)",
        "  16: 8 bytes @wide+9\n",
        "store i32 %8 to %9, align 4\n",
        "declare i32 @__gxx_personality_v0(...)\n",
        "address %0, +88, 16 * i8 %2\n",
    ] {
        assert!(text.contains(line), "{line} is not in:\n{text}");
    }
}
