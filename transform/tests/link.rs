//! Linking against a small library of bitcode, run natively afterwards.

mod support;

use plat_bitcode::read;
use plat_program::{Inst, verify};
use plat_transform::{LinkOptions, LinkReport, TransformError, link};
use std::path::PathBuf;
use std::process::Command;
use support::{Scratch, run};

/// Members: start-up code, a function with a weak hook, the hook's owner, one never needed.
const MEMBERS: [(&str, &str); 5] = [
    (
        "start",
        "int __plat_thread; int *__errno_location(void) { return &__plat_thread; }
         int __plat_start(int (*main)(void)) { return main(); }",
    ),
    (
        "print",
        "int putchar(int); void hook(void) __attribute__((weak)); extern int mode;
         void print(const char *s) { while (*s) putchar(*s++ + mode); if (hook) hook(); }",
    ),
    ("mode", "int mode = 0; int helper(void) { return 5; }"),
    ("hook", "void hook(void) { __builtin_trap(); }"),
    (
        "unused",
        "int missing(void); int never(void) { return missing(); }",
    ),
];

const PROGRAM: &str = r#"
void print(const char *); int helper(void); int undefined_function(void);
void klee_assume(unsigned long c) {} int __VERIFIER_nondet_int(void) { return 0; }
void __VERIFIER_assert(int c) { if (!c) print("no\n"); }
int putchar(int);
int mode = 1;
static __attribute__((noinline)) int klee_int(int x) { return x; }
static int dead(void) { return undefined_function(); }
int main(void) {
  int x = klee_int(helper()), v[4] = {1, 2, 3, 4};
  klee_assume(x > __VERIFIER_nondet_int());
  __VERIFIER_assert(v[x & 3] == 2);
  print("gdkkn");
  if (x == 6) return undefined_function();
  return x;
}
"#;

fn library(scratch: &Scratch) -> PathBuf {
    let out = scratch.path("lib.a");
    let members = MEMBERS.map(|(name, source)| scratch.bitcode(name, source, &["-O0"]));
    run(Command::new("llvm-ar-22")
        .arg("rcsD")
        .arg(&out)
        .args(members));
    out
}

#[test]
fn links_needed_members_and_prefers_the_program() {
    let scratch = Scratch::new("link");
    let program = scratch.bitcode("program", PROGRAM, &["-O0"]);
    let out = scratch.path("whole.bc");
    for promote_memory in [true, false] {
        let options = LinkOptions {
            library: Some(library(&scratch)),
            promote_memory,
            implemented: &["putchar"],
            ..LinkOptions::default()
        };
        let report = link(&program, &options, &out).expect("a linked module");
        let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        // hook is only a weak reference; never and dead are unreachable.
        let expected = LinkReport {
            members: 3,
            overridden: strings(&["__VERIFIER_nondet_int", "klee_assume"]),
            undefined: strings(&["undefined_function"]),
            narrowed: Vec::new(),
            functions: 7,
            harness: false,
            aliased: Vec::new(),
            unmatched: None,
            escaping: Vec::new(),
        };
        assert_eq!(report, expected);
        let whole = read(&out).expect("a readable module");
        assert_eq!(verify(&whole), []);
        let main = whole.function_named("main").expect("main");
        let allocas = main
            .insts
            .iter()
            .filter(|inst| matches!(inst, Inst::Alloca { .. }));
        assert_eq!(allocas.count(), if promote_memory { 1 } else { 3 });
        assert!(main.locs.iter().any(|&loc| whole.location(loc).line == 13));
        let native = scratch.file(
            "native.c",
            "void klee_assume(unsigned long c) {} int __VERIFIER_nondet_int(void) { return 0; }
             int undefined_function(void) { return 99; }",
        );
        assert_eq!(scratch.output("whole", &[&out, &native]), "helloSome(5)");
    }
}

#[test]
fn faults_survive_lowering() {
    let scratch = Scratch::new("faults");
    let program = scratch.bitcode(
        "faults",
        "struct s { int a[2]; }; int sink;
         int main(int argc, char **argv) {
           struct s on_stack; int *null = 0; int array[3];
           array[5] = 1; on_stack.a[3] = 2; sink = 7 / (argc - argc); *null = 3;
           return array[5] + *(int *)0;
         }",
        &["-O0"],
    );
    let out = scratch.path("out.bc");
    let options = LinkOptions {
        library: None,
        promote_memory: true,
        implemented: &[],
        ..LinkOptions::default()
    };
    link(&program, &options, &out).expect("a linked module");
    let whole = read(&out).expect("a readable module");
    let main = whole.function_named("main").expect("main");
    let count = |wanted: fn(&Inst) -> bool| main.insts.iter().filter(|inst| wanted(inst)).count();
    assert_eq!(count(|inst| matches!(inst, Inst::Store { .. })), 4);
    assert_eq!(count(|inst| matches!(inst, Inst::Load { .. })), 2);
    let divides = |inst: &Inst| {
        matches!(
            inst,
            Inst::Binary {
                op: plat_program::BinaryOp::SDiv,
                ..
            }
        )
    };
    assert_eq!(count(divides), 1);
}

#[test]
fn refuses_unlinkable_input() {
    let scratch = Scratch::new("refused");
    let out = scratch.path("out.bc");
    let options = |library| LinkOptions {
        library,
        promote_memory: true,
        implemented: &[],
        ..LinkOptions::default()
    };
    let no_main = scratch.bitcode("no_main", "int f(void) { return 1; }", &[]);
    let failed = link(&no_main, &options(None), &out);
    assert_eq!(
        failed,
        Err(TransformError::NoEntry(
            no_main.display().to_string(),
            "main".into()
        ))
    );
    let program = scratch.bitcode("main", "int main(void) { return 1; }", &[]);
    let text = scratch.file("lib.a", "no archive");
    let failed = link(&program, &options(Some(text)), &out);
    assert!(matches!(failed, Err(TransformError::Archive(..))));
    let failed = link(&program, &options(Some(scratch.path("missing.a"))), &out);
    assert!(matches!(failed, Err(TransformError::File(..))));
    let bare = scratch.path("bare.a");
    run(Command::new("llvm-ar-22")
        .arg("rcSD")
        .arg(&bare)
        .arg(&program));
    let failed = link(&program, &options(Some(bare)), &out)
        .expect_err("no index")
        .to_string();
    assert!(failed.contains("llvm-ranlib"), "{failed}");
    let other = scratch.file(
        "other.ll",
        "target triple = \"aarch64-linux\"\ndefine i32 @main() {\n ret i32 0\n}\n",
    );
    let failed = link(&other, &options(None), &out);
    assert!(matches!(failed, Err(TransformError::Target(..))));
    assert!(!out.exists());
}

#[test]
fn computed_gotos_become_switches() {
    let scratch = Scratch::new("goto");
    let source = r#"
#include <stdio.h>
int run(const char *code, int x) {
  static void *const table[] = { &&add, &&twice, &&print, &&stop };
  static const int relative[] = { &&add - &&add, &&twice - &&add };
  for (;;) {
    goto *table[*code++ - 'a'];
  add: x++; continue;
  twice: x *= 2; if (x > 50) goto *(&&add + relative[x & 1]); continue;
  print: printf("%d ", x); continue;
  }
stop: return x;
}
int main(void) { return run("abcbbcbbbcd", 3); }
"#;
    for flags in [["-O0"], ["-O2"]] {
        let program = scratch.bitcode("goto", source, &flags);
        let out = scratch.path("out.bc");
        let options = LinkOptions {
            library: None,
            promote_memory: true,
            implemented: &["__plat_illegal_label", "printf"],
            ..LinkOptions::default()
        };
        let report = link(&program, &options, &out).expect("a linked module");
        assert!(
            report.undefined.iter().all(|name| name == "putchar"),
            "{report:?}"
        );
        let whole = read(&out).expect("a readable module");
        assert_eq!(verify(&whole), []);
        let run = whole.function_named("run");
        let run = run.expect("the interpreter");
        assert!(
            run.insts
                .iter()
                .any(|inst| matches!(inst, Inst::Switch { .. }))
        );
        assert!(
            !run.insts
                .iter()
                .any(|inst| matches!(inst, Inst::Unsupported { .. }))
        );
        assert_eq!(
            scratch.output("after", &[&out]),
            scratch.output("before", &[&scratch.path("goto.c")])
        );
    }
}
