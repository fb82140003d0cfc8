//! Panics of programs with the standard library, a path for each way, and what is no fault.

use std::process::exit;

extern "C" {
    fn klee_range(begin: i32, end: i32, name: *const u8) -> i32;
}

#[track_caller]
fn checked(n: usize) {
    if n > 3 {
        panic!("too large");
    }
}

#[inline(never)]
fn element(table: &[i32], index: usize) -> i32 {
    table[index] //~ abort: panic: index out of bounds: the len is 3 but the index is 7
}

#[inline(never)]
fn sum(a: i32, b: i32) -> i32 {
    a + b //~ abort: panic: attempt to add with overflow
}

fn main() {
    let way = unsafe { klee_range(0, 10, b"way\0".as_ptr()) };
    let many = way as usize;
    let table = vec![1, 2, 3];
    match way {
        0 => exit(element(&table, many + 7)),
        1 => {
            let none = table.get(many + 5).copied();
            exit(none.unwrap()) //~ abort: panic: called `Option::unwrap()` on a `None` value
        }
        2 => exit(sum(i32::MAX, way)),
        3 => panic!("explicit {way}"), //~ abort: panic: explicit 3
        4 => exit(table[many..].len() as i32), //~ abort: panic: range start index 4 out of range for slice of length 3
        5 => checked(many), //~ abort: panic: too large
        6 => checked(many), //~ abort: panic: too large
        7 => {
            let failed: Result<i32, String> = Err("no".into());
            exit(failed.expect("asked")) //~ abort: panic: asked: "no"
        }
        8 => assert_eq!(many, table.len()), //~ abort: panic: assertion `left == right` failed |   left: 8
        _ => {}
    }
}
