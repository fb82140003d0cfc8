//! The reader against C compiled by clang and against hand-written IR.

use plat_program::reader::{ReadError, read};
use plat_program::{Callee, Constant, Inst, Program};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A directory of this test's own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("plat-reader-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a scratch directory");
        Self(dir)
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, contents).expect("a scratch file");
        path
    }

    /// Compiles C to bitcode.
    fn compile(&self, source: &str, flags: &[&str]) -> PathBuf {
        let c = self.file("input.c", source);
        let out = self.0.join("input.bc");
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
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn load(path: &Path) -> Program {
    read(path).unwrap_or_else(|why| panic!("{why}"))
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
        let list = program.global(program.global_names["list"]);
        let image = list.initializer.as_ref().expect("an initialiser");
        assert_eq!((list.size, image.bytes[0], image.bytes[16]), (32, 1, 2));
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
        assert_eq!((image.bytes[0], image.relocations.len()), (24, 0));
        assert!(called(&program, "main").contains(&"malloc"));
        let main = program.function_named("main").expect("main");
        let location = program.location(main.location);
        assert!(location.file.ends_with("input.c") && location.file.starts_with('/'));
        assert_eq!(location.line, 16);
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
    let missing = read(&scratch.0.join("missing.bc"));
    assert!(matches!(missing, Err(ReadError::File(..))));
    let broken = "define i32 @f() {\n %x = add i32 %y, 1\n %y = add i32 %x, 1\n ret i32 %y\n}\n";
    let broken = read(&scratch.file("broken.ll", broken));
    assert!(
        matches!(broken, Err(ReadError::Invalid(..) | ReadError::Bitcode(..))),
        "{broken:?}"
    );
}
