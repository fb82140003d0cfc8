//! Calls through pointers are expected to call what their own part of a program has.

use plat_compiled_tests::scratch;
use plat_pointers::program::interfaces::fitting;
use plat_pointers::{PointsToConfig, claims};
use plat_program::Program;

/// Parts of a program: each has a table of allocation functions, finds one of them through a
/// function that takes further arguments, and calls it.
fn program(name: &str, parts: usize, shared: bool) -> Program {
    let mut text = "declare ptr @malloc(i64)\n\
                    declare void @llvm.va_start.p0(ptr)\n\
                    @common = internal global ptr null\n"
        .to_string();
    let mut calls = String::new();
    for part in 0..parts {
        let share = match shared {
            true => "store ptr %first, ptr @common\n",
            false => "",
        };
        text += &format!(
            "@table.{part} = internal global [1 x ptr] [ptr @make.{part}]
             @kept.{part} = internal global ptr null
             define internal ptr @make.{part}(i64 %size) {{
               %block = call ptr @malloc(i64 %size)
               ret ptr %block
             }}
             define internal void @keep.{part}(i32 %count, ...) {{
               %list = alloca [24 x i8]
               call void @llvm.va_start.p0(ptr %list)
               %first = load ptr, ptr %list
               store ptr %first, ptr @kept.{part}
               {share}ret void
             }}
             define internal ptr @part.{part}() {{
               call void (i32, ...) @keep.{part}(i32 1, ptr @table.{part})
               %table = load ptr, ptr @kept.{part}
               %function = load ptr, ptr %table
               %block = call ptr %function(i64 8)
               ret ptr %block
             }}\n"
        );
        calls += &format!("%block.{part} = call ptr @part.{part}()\n");
    }
    text += &format!("define i32 @main() {{\n{calls}ret i32 0\n}}\n");
    read(name, &text)
}

fn read(name: &str, text: &str) -> Program {
    let directory = scratch(&format!("parts-{name}"));
    let file = directory.join("parts.ll");
    std::fs::write(&file, text).expect("a file");
    let program = plat_bitcode::read(&file);
    program.unwrap_or_else(|why| panic!("{why}"))
}

fn expected(program: &Program) -> Vec<usize> {
    let mut counts: Vec<usize> = fitting(program).values().map(Vec::len).collect();
    counts.sort_unstable();
    counts
}

#[test]
fn parts_beside_each_other_expect_their_own_functions() {
    assert_eq!(expected(&program("one", 1, false)), [1]);
    assert_eq!(expected(&program("three", 3, false)), [1, 1, 1]);
}

#[test]
fn parts_that_share_a_variable_expect_each_others_functions() {
    assert_eq!(expected(&program("shared", 3, true)), [3, 3, 3]);
}

#[test]
fn what_is_not_expected_is_called_all_the_same() {
    let text = "declare ptr @malloc(i64)
                declare void @keep(ptr)
                declare ptr @kept()
                declare void @MUSTALIAS(ptr, ptr)
                @given = internal global i32 0
                @mark = internal global ptr null
                define internal ptr @make(i64 %size, ptr %given) {
                  %block = call ptr @malloc(i64 %size)
                  store ptr %given, ptr @mark
                  call void @keep(ptr %block)
                  ret ptr %block
                }
                define i32 @main() {
                  call void @keep(ptr @make)
                  %function = call ptr @kept()
                  %made = call ptr %function(i64 8, ptr @given)
                  %block = call ptr @kept()
                  call void @MUSTALIAS(ptr %made, ptr %block)
                  %mark = load ptr, ptr @mark
                  call void @keep(ptr @given)
                  %known = call ptr @kept()
                  call void @MUSTALIAS(ptr %mark, ptr %known)
                  ret i32 0
                }";
    let program = read("apart", text);
    assert!(expected(&program).is_empty());
    let claims = claims::check(&program, &PointsToConfig::default()).expect("a sound analysis");
    assert_eq!(claims.len(), 2);
    for claim in claims {
        assert!(claim.holds, "{:?}", claim.sets);
    }
}
