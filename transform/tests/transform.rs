//! The transformed module behaves like the original and carries the annotations.

mod support;

use plat_bitcode::read;
use plat_program::{Callee, GroupId, Inst, Program, verify};
use plat_transform::{
    Annotations, ContextAnnotation, SiteAnnotation, TransformError, TransformReport, transform,
};
use support::Scratch;

const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *xrealloc(void *p, size_t n) {
  void *q = realloc(p, n);
  if (!q && n) exit(3);
  return q;
}
struct vector { int *data; size_t len, room; };
static void push(struct vector *v, int x) {
  if (v->len == v->room) {
    v->room = v->room ? 2 * v->room : 1;
    v->data = xrealloc(v->data, v->room * sizeof *v->data);
  }
  v->data[v->len++] = x;
}
typedef void *(*resize)(void *, size_t);
static volatile resize table[] = { realloc, xrealloc };
static char *twice(char *p) {
  p = realloc(p, 100); strcat(p, "-one"); p = realloc(p, 30);
  return strcat(p, "-two");
}
int main(int argc, char **argv) {
  struct vector v = {0};
  for (int i = 0; i < 100; i++) push(&v, i * i);
  long sum = 0;
  for (size_t i = 0; i < v.len; i++) sum += v.data[i];
  printf("%ld %zu\n", sum, v.len);
  char *s = realloc(NULL, 20);
  strcpy(s, "start");
  s = twice(s);
  puts(s);
  for (int i = 0; i < 2; i++) { s = table[i](s, 64 + i); strcat(s, "+"); }
  s = (argc > 5 ? table[0] : realloc)(s, 200);
  puts(s);
  int *a = reallocarray(NULL, 3, sizeof *a);
  a[0] = 7; a[2] = 9;
  a = reallocarray(a, 1000, sizeof *a);
  printf("%d %d\n", a[0], a[2]);
  void *none = reallocarray(a, SIZE_MAX / 2, 5);
  printf("%d %d\n", none == NULL, a[2]);
  void *big = realloc(a, SIZE_MAX / 4);
  printf("%d %d\n", big == NULL, a[0]);
  char *zero = realloc(malloc(10), 1);
  free(zero); free(a); free(s); free(v.data);
  return 0;
}
"#;

/// A native `__plat_msize`. The usable size is at least the size asked for, which bounds the copy.
const NATIVE: &str = "#include <malloc.h>
size_t __plat_msize(void *p) { return malloc_usable_size(p); }
";

fn calls<'p>(program: &'p Program, name: &str) -> Vec<(&'p str, usize, u32)> {
    let mut found = Vec::new();
    for function in &program.functions {
        for (at, inst) in function.insts.iter().enumerate() {
            if let Inst::Call { call, .. } = inst
                && let Callee::Direct(id) = call.callee
                && program.function(id).name == name
            {
                found.push((function.name.as_str(), at, function.call_ordinals[at]));
            }
        }
    }
    found
}

#[test]
fn rewritten_programs_behave_alike() {
    let scratch = Scratch::new("alike");
    let native = scratch.file("native.c", NATIVE);
    for flags in [
        &["-O0"][..],
        &["-O0", "-Xclang", "-disable-O0-optnone"],
        &["-O1"],
        &["-O2"],
    ] {
        let input = scratch.bitcode("program", PROGRAM, flags);
        let out = scratch.path("out.bc");
        let report = transform(&input, &Annotations::default(), &scratch.realloc(), &out);
        let report = report.expect("a transformed module");
        assert!(
            report.rewritten >= 7 && report.redirected >= 1,
            "{report:?}"
        );
        let before = scratch.output("before", &[&input, &native]);
        let start = "328350 100\nstart-one-two\nstart-one-two++\n7 9\n1 9\n";
        assert!(before.starts_with(start), "{before}");
        assert_eq!(scratch.output("after", &[&out, &native]), before);
        let program = read(&out).expect("a readable module");
        assert_eq!(verify(&program), []);
        for gone in ["realloc", "reallocarray"] {
            assert!(!program.function_names.contains_key(gone), "{gone} is left");
        }
        assert!(program.annotations.transformed);
        let again = transform(&out, &Annotations::default(), &scratch.realloc(), &out);
        assert!(matches!(again, Err(TransformError::Transformed(_))));
    }
}

#[test]
fn annotations_stay_on_their_calls() {
    let scratch = Scratch::new("sites");
    let input = scratch.bitcode("program", PROGRAM, &["-O0"]);
    let before = read(&input).expect("a readable module");
    let mut annotations = Annotations::default();
    let mut places = Vec::new();
    for callee in ["realloc", "reallocarray", "xrealloc", "malloc"] {
        for (function, at, call) in calls(&before, callee) {
            let site = places.len() as u32;
            let function = function.to_owned();
            let location = before.function_named(&function).expect("a function").locs[at];
            places.push((before.location(location).clone(), callee));
            annotations.sites.push(SiteAnnotation {
                function,
                call,
                site,
            });
        }
    }
    annotations.contexts.push(ContextAnnotation {
        group: Some(3),
        chain: vec![8, 0],
    });
    annotations.contexts.push(ContextAnnotation {
        group: None,
        chain: vec![1],
    });
    let out = scratch.path("out.bc");
    let report = transform(&input, &annotations, &scratch.realloc(), &out).expect("a module");
    let rewritten = places
        .iter()
        .filter(|place| place.1.starts_with("realloc"))
        .count();
    let expected = TransformReport {
        sites: places.len(),
        rewritten,
        redirected: 2,
    };
    assert_eq!(report, expected);

    let after = read(&out).expect("a readable module");
    let mut sites: Vec<_> = after
        .annotations
        .sites
        .iter()
        .map(|(&id, &site)| (site, id))
        .collect();
    sites.sort();
    assert_eq!(sites.len(), places.len());
    for (site, id) in sites {
        let (location, callee) = &places[site.index()];
        assert_eq!(after.location_of(id), location);
        let Inst::Call { call, .. } = after.inst(id) else {
            panic!("a site that is no call");
        };
        let Callee::Direct(callee_id) = call.callee else {
            panic!("an indirect call");
        };
        let expected = if *callee == "xrealloc" {
            "xrealloc"
        } else {
            "malloc"
        };
        assert_eq!(after.function(callee_id).name, expected);
    }
    let groups: Vec<_> = after
        .annotations
        .contexts
        .iter()
        .map(|c| (c.group, c.chain.len()))
        .collect();
    assert_eq!(groups, [(Some(GroupId(3)), 2), (None, 1)]);
}

#[test]
fn bad_input_leaves_no_output() {
    let scratch = Scratch::new("bad");
    let input = scratch.bitcode("program", PROGRAM, &["-O0"]);
    let (realloc, out) = (scratch.realloc(), scratch.path("out.bc"));
    let site = |function: &str, call| Annotations {
        sites: vec![SiteAnnotation {
            function: function.to_owned(),
            call,
            site: 0,
        }],
        contexts: Vec::new(),
    };
    let unknown = transform(&input, &site("nobody", 0), &realloc, &out);
    assert_eq!(
        unknown,
        Err(TransformError::NoFunction("nobody".to_owned()))
    );
    let beyond = transform(&input, &site("xrealloc", 99), &realloc, &out);
    assert_eq!(
        beyond,
        Err(TransformError::NoCall("xrealloc".to_owned(), 99))
    );
    let no_runtime = transform(&input, &Annotations::default(), &input, &out);
    assert!(matches!(
        no_runtime,
        Err(TransformError::Merge(_) | TransformError::Runtime(..))
    ));
    let cut = std::fs::read(&input).expect("bitcode");
    std::fs::write(scratch.path("cut.bc"), &cut[..cut.len() / 2]).expect("a file");
    let cut = transform(
        &scratch.path("cut.bc"),
        &Annotations::default(),
        &realloc,
        &out,
    );
    assert!(matches!(cut, Err(TransformError::Bitcode(..))));
    let narrow = scratch.path("narrow.ll");
    std::fs::write(&narrow, "target datalayout = \"e-p:32:32\"\n").expect("a file");
    let narrow = transform(&narrow, &Annotations::default(), &realloc, &out);
    assert!(matches!(narrow, Err(TransformError::Invalid(..))));
    assert!(!out.exists());
    let nowhere = scratch.path("missing/out.bc");
    let nowhere = transform(&input, &Annotations::default(), &realloc, &nowhere);
    assert!(matches!(nowhere, Err(TransformError::Write(..))));
    let left: Vec<_> = std::fs::read_dir(scratch.path(""))
        .expect("a directory")
        .collect();
    assert_eq!(left.len(), 6, "{left:?}");
}
