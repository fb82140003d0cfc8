//! Small C programs, one way each for input to choose between heap objects, or not to. A comment
//! `@name` names the allocations of its line; what input chooses between is compared with what is
//! expected, at several optimisation levels.

use plat_compiled_tests::scratch;
use plat_pointers::solver::Limits;
use plat_pointers::{AbstractObject, PointsTo, PointsToConfig};
use plat_program::Program;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// Name, program, and the sets of allocations that one choice is between.
type Case = (
    &'static str,
    &'static str,
    &'static [&'static [&'static str]],
);

const HEAD: &str = "#include <stdlib.h>\n#include <string.h>\n\
int klee_range(int, int, const char *);\nvoid klee_make_symbolic(void *, size_t, const char *);\n\
long __plat_syscall(long, ...);\nextern volatile int sink;\n";

const CASES: &[Case] = &[
    (
        "rows",
        "int main(void) {
  int **table = malloc(8 * sizeof *table); /* @table */
  for (int i = 0; i < 8; i++)
    table[i] = calloc(8, 4); /* @row */
  return table[klee_range(0, 8, \"i\")][klee_range(0, 8, \"j\")];
}",
        &[&["row"]],
    ),
    (
        "concrete",
        "int main(void) {
  int **table = malloc(8 * sizeof *table); /* @table */
  for (int i = 0; i < 8; i++)
    table[i] = calloc(8, 4); /* @row */
  if (klee_range(0, 8, \"i\") == 3) exit(1);
  return table[3][2];
}",
        &[],
    ),
    (
        "offset",
        "__attribute__((noinline)) static char at(char *p, int i) { return p[i]; }
int main(void) {
  char *a = malloc(8); /* @a */
  char *b = malloc(8); /* @b */
  int i = klee_range(0, 8, \"i\");
  return at(a, i) + at(b, i);
}",
        &[],
    ),
    (
        "list",
        "struct node { struct node *next; int key; };
static struct node *heads[4];
static struct node *add(struct node *next) {
  struct node *n = malloc(sizeof *n); /* @node */
  n->next = next;
  return n;
}
int main(void) {
  int *apart = malloc(4); /* @apart */
  for (int i = 0; i < 8; i++) heads[i % 4] = add(heads[i % 4]);
  unsigned char key;
  klee_make_symbolic(&key, 1, \"key\");
  for (struct node *n = heads[key % 4]; n; n = n->next)
    if (n->key == *apart) return 1;
  return 0;
}",
        &[&["node"]],
    ),
    (
        "store",
        "static int *cells[4];
int main(void) {
  int i = klee_range(0, 4, \"i\");
  cells[0] = malloc(4); /* @old */
  cells[i] = malloc(4); /* @new */
  int *other = malloc(4); /* @other */
  sink = (long)other;
  return *cells[0] + *other;
}",
        &[&["old", "new"]],
    ),
    (
        "not dereferenced",
        "static int *cells[4];
int main(void) {
  int i = klee_range(0, 4, \"i\");
  cells[0] = malloc(4); /* @old */
  cells[1] = malloc(4); /* @new */
  return cells[i] == cells[0];
}",
        &[],
    ),
    (
        "handed on",
        "static int *cells[4], *kept;
__attribute__((noinline)) static int get(int **p) { return **p; }
int main(void) {
  int i = klee_range(0, 4, \"i\");
  cells[0] = malloc(4); /* @one */
  cells[1] = malloc(4); /* @two */
  int *other = malloc(4); /* @other */
  kept = cells[i];
  return get(&kept) + get(&other);
}",
        &[&["one", "two"]],
    ),
    (
        "read from a file",
        "int main(void) {
  char line[4];
  int *rows[2];
  rows[0] = malloc(4); /* @row */
  rows[1] = malloc(8); /* @row */
  __plat_syscall(0L, 0L, line, 4L);
  return *rows[line[2] & 1];
}",
        &[&["row"]],
    ),
    (
        "copied block",
        "struct pair { int *p, *q; };
int main(void) {
  struct pair all[4], one;
  for (int i = 0; i < 4; i++) {
    all[i].p = malloc(4); /* @p */
    all[i].q = malloc(4); /* @q */
  }
  memcpy(&one, &all[klee_range(0, 4, \"i\")], sizeof one);
  return *one.p + *one.q;
}",
        &[&["p"], &["q"]],
    ),
    (
        "freed",
        "static int *cells[4];
int main(void) {
  cells[0] = malloc(4); /* @one */
  cells[1] = malloc(8); /* @one */
  free(cells[klee_range(0, 2, \"i\")]);
  return 0;
}",
        &[],
    ),
];

fn compiled(name: &str, source: &str, level: &str) -> Program {
    let directory = scratch(&format!("taint-{}", name.replace(' ', "-")));
    let file = |ending: &str| -> PathBuf { directory.join(format!("p.{ending}")) };
    std::fs::write(file("c"), source).expect("a file");
    let clang = Command::new("clang-22")
        .args(["-c", "-emit-llvm", "-g", "-w", "-fno-builtin", level])
        .args(["-Xclang", "-disable-O0-optnone", "-o"])
        .args([file("raw.bc"), file("c")])
        .status();
    assert!(clang.expect("clang-22").success(), "{name}");
    let opt = Command::new("opt-22")
        .args(["-passes=mem2reg", "-o"])
        .args([file("bc"), file("raw.bc")])
        .status();
    assert!(opt.expect("opt-22").success(), "{name}");
    plat_bitcode::read(&file("bc")).expect("bitcode")
}

/// The sets of names that input chooses between.
fn chosen(result: &PointsTo, source: &str) -> BTreeSet<BTreeSet<String>> {
    let lines: Vec<&str> = source.lines().collect();
    let name = |object: &u32| match &result.objects[*object as usize] {
        AbstractObject::Heap { chain } => {
            let named = chain.iter().rev().find_map(|&site| {
                let line = lines.get(result.sites[site as usize].line as usize - 1)?;
                let (_, name) = line.split_once('@')?;
                Some(name.split(' ').next()?.to_string())
            });
            Some(named.expect("a name for each allocation"))
        }
        _ => None,
    };
    let sets = result.symbolic.as_ref().expect("the analysis has been run");
    let sets = sets.iter().map(|&(_, set)| &result.sets[set as usize]);
    sets.map(|set| set.iter().filter_map(name).collect())
        .collect()
}

#[test]
fn input_chooses_between_what_is_expected() {
    for (name, program, expected) in CASES {
        let source = format!("{HEAD}{program}\n");
        let expected: BTreeSet<BTreeSet<String>> = expected
            .iter()
            .map(|set| set.iter().map(|one| one.to_string()).collect())
            .collect();
        for level in ["-O0", "-O1"] {
            let program = compiled(name, &source, level);
            let result = plat_taint::analyze_checked(&program, &PointsToConfig::default());
            let result = result.expect("a solution");
            assert_eq!(chosen(&result, &source), expected, "{name} at {level}");
        }
    }
}

/// A bound on the work is kept to, and without an answer there is none: not one that is too small.
#[test]
fn bounded_work_has_no_answer_or_the_whole() {
    let (name, program, _) = CASES[0];
    let program = compiled(
        &format!("{name} bounded"),
        &format!("{HEAD}{program}\n"),
        "-O0",
    );
    let within = |work| {
        let limits = Limits {
            work,
            ..Limits::NONE
        };
        let result = plat_taint::analyze_within(&program, &PointsToConfig::default(), &limits);
        result.expect("a solution")
    };
    let whole = within(u64::MAX);
    assert!(whole.symbolic.is_some());
    let mut answers = (0..12).map(|bits| within(1 << bits));
    let first = answers.next().expect("a result");
    assert_eq!(first.symbolic, None);
    assert_eq!(first.dereferenced_sets, whole.dereferenced_sets);
    let answered = answers.filter(|result| result.symbolic.is_some());
    let answered: Vec<PointsTo> = answered.collect();
    assert!(!answered.is_empty());
    assert!(
        answered
            .iter()
            .all(|result| result.symbolic == whole.symbolic)
    );
}
