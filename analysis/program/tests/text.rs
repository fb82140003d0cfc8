//! The text of programs: what is printed is parsed as the same program, errors say where they are,
//! and no text makes the parser panic.

use plat_program::{Callee, Constant, Inst, Program, Type, parse};
use proptest::prelude::*;

/// A program with every construct.
const CONSTRUCTS: &str = include_str!("constructs.txt");

fn parsed(text: &str) -> Program {
    parse(text.as_bytes()).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn every_construct_comes_back() {
    let program = parsed(CONSTRUCTS);
    assert_eq!(program.to_string(), CONSTRUCTS);
    assert_eq!(program.renumbered(), program);
    let mut bytes = Vec::new();
    program.write_to(&mut bytes).expect("bytes");
    assert_eq!(Program::from_bytes(&bytes), Ok(program));
}

#[test]
fn a_text_says_what_is_in_the_program() {
    let program = parsed(CONSTRUCTS);
    assert_eq!(program.name, "constructs");
    assert_eq!(
        program.function_names["twin"],
        program.function_names["start"]
    );
    let counter = program.global_names["counter"];
    assert_eq!(program.global_names["other"], counter);
    let table = program.global(program.global_names["table"]);
    let image = table.initializer.as_ref().expect("an initialiser");
    assert_eq!(image.bytes.read(0, 4), [1, 0, 2, 0]);
    assert_eq!(image.relocations.len(), 3);

    let integers = program.function_named("integers").expect("integers");
    assert_eq!(integers.param_names, ["a", "b", ""]);
    assert_eq!(integers.prologue, Some([1, 0xff]));
    let at = integers.locs[1];
    let lines: Vec<u32> = program.inlining(at).map(|location| location.line).collect();
    assert_eq!(lines, [4, 12, 40]);
    let Inst::Switch { cases, .. } = integers.insts[4] else {
        panic!("{program}");
    };
    let cases = &integers.switch_cases[cases.range()];
    assert_eq!(cases[1].0, (1 << 58) - 1);
    let edge = integers.edges[cases[1].1.index()];
    assert_eq!((edge.to.0, edge.moves.len), (2, 2));

    let calls = program.function_named("calls").expect("calls");
    assert_eq!(calls.call_ordinals, [0, 5, 6, u32::MAX]);
    assert_eq!(program.annotations.sites.len(), 2);
    assert_eq!(calls.byval_args, [(3, 8, 8)]);
    let Inst::Call { call, .. } = calls.insts[0] else {
        panic!("{program}");
    };
    let malloc = program.function_named("malloc").expect("malloc");
    assert_eq!(call.callee, Callee::Direct(malloc.id));

    let minus_one = Constant::Int {
        width: 65,
        value: (1 << 65) - 1,
    };
    assert!(program.constants.contains(&minus_one));
    let packed = Type::Struct {
        fields: vec![
            (0, program.types.find(&Type::Int(8)).expect("i8")),
            (1, program.types.find(&Type::Int(32)).expect("i32")),
        ],
        size: 5,
    };
    assert!(program.types.find(&packed).is_some());
}

#[test]
fn errors_say_where_they_are() {
    let body = |line: &str| format!("define i32 @f(i32 %0) {{\nb0:\n  {line}\n  return 0\n}}\n");
    let cases: &[(&str, &str)] = &[
        ("%1 = add i32 %0, %7", "3:20: %7 is defined nowhere"),
        (
            "%1 = add i32 %0, 4294967296",
            "3:20: expected a constant of another type",
        ),
        (
            "%1 = add i32 %0",
            "3:18: expected `,`, found the end of the line",
        ),
        (
            "%1 = frobnicate i32 %0",
            "3:8: expected an instruction, found `frobnicate`",
        ),
        ("%1 = call i32 @g()", "3:17: this symbol is defined nowhere"),
        ("call i32 @f(i32 1)", "3:3: a result without a register"),
        ("%0 = add i32 1, 2", "3:3: %0 is defined twice"),
        ("%2 = add i32 1, 2", "5:2: there is no register %1"),
        (
            "%1 = load i64 3, align 8",
            "3:17: expected a register, or a constant with its type",
        ),
        (
            "%1 = load i64 %0, align 8",
            "3:3: an address that is no pointer",
        ),
        ("jump b1", "3:8: there is no such block"),
        ("jump b0\nb1:", "3:3: an edge enters the entry block"),
        (
            "%1 = extractvalue {i32, i8} undef, [2]",
            "3:39: the type has no such element",
        ),
        (
            "%1 = add i99999999 %0, %0",
            "3:12: integers have 1 to 65536 bits",
        ),
        (
            "%1 = add i32 %0, \"x",
            "3:20: the quotes are not closed in this line",
        ),
        (
            "%1 = add i32 %0, 1 ^",
            "3:22: this character begins nothing",
        ),
    ];
    for (line, expected) in cases {
        let why = parse(body(line).as_bytes()).expect_err(line).to_string();
        assert!(why.contains(expected), "{line}: {why}");
    }
    let why = parse(b"program \"a\"\nprogram \"\xff\"\n").expect_err("not UTF-8");
    assert_eq!((why.line, why.column), (2, 10));
    let deep = "[1 x ".repeat(1000);
    let why = parse(format!("declare {deep}").as_bytes()).expect_err("too deep");
    assert!(why.to_string().contains("expected a symbol"), "{why}");
    let why = parse(format!("declare {deep} @f()").as_bytes()).expect_err("too deep");
    assert!(why.to_string().contains("nested too deep"), "{why}");
}

/// A change of a text.
#[derive(Clone, Debug)]
enum Change {
    /// Bytes are replaced by other ones of the text.
    Copy { from: usize, to: usize, len: usize },
    /// Bytes are left out.
    Remove { at: usize, len: usize },
    /// A byte is replaced.
    Replace { at: usize, byte: u8 },
    /// A line is repeated at another place.
    Line { from: usize, to: usize },
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..CONSTRUCTS.len();
    let lines = 0..CONSTRUCTS.lines().count();
    prop_oneof![
        (at.clone(), at.clone(), 1..20usize).prop_map(|(from, to, len)| Change::Copy {
            from,
            to,
            len
        }),
        (at.clone(), 1..20usize).prop_map(|(at, len)| Change::Remove { at, len }),
        (at, 32..127u8).prop_map(|(at, byte)| Change::Replace { at, byte }),
        (lines.clone(), lines).prop_map(|(from, to)| Change::Line { from, to }),
    ]
}

fn apply(text: &mut Vec<u8>, change: &Change) {
    let inside = |at: usize, text: &[u8]| at.min(text.len());
    match *change {
        Change::Copy { from, to, len } => {
            let from = inside(from, text)..inside(from + len, text);
            let to = inside(to, text)..inside(to + len, text);
            let copied = text[from].to_vec();
            text.splice(to, copied);
        }
        Change::Remove { at, len } => {
            text.drain(inside(at, text)..inside(at + len, text));
        }
        Change::Replace { at, byte } => {
            if let Some(place) = text.get_mut(at) {
                *place = byte;
            }
        }
        Change::Line { from, to } => {
            let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
            let Some(&copied) = lines.get(from) else {
                return;
            };
            let at: usize = lines.iter().take(to).map(|line| line.len()).sum();
            let copied = copied.to_vec();
            text.splice(at..at, copied);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Whatever a text is, it is refused, or it is a well-formed program that comes back.
    #[test]
    fn damaged_texts_are_refused_or_come_back(changes in prop::collection::vec(change(), 1..4)) {
        let mut text = CONSTRUCTS.as_bytes().to_vec();
        for change in &changes {
            apply(&mut text, change);
        }
        if let Ok(program) = parse(&text) {
            prop_assert_eq!(plat_program::verify(&program), []);
            let again = parse(program.to_string().as_bytes());
            prop_assert_eq!(again, Ok(program));
        }
    }

    #[test]
    fn arbitrary_bytes_make_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }
}

#[test]
fn a_digest_is_of_everything_and_of_nothing_else() {
    let program = parsed(CONSTRUCTS);
    let mut bytes = Vec::new();
    program.write_to(&mut bytes).expect("bytes");
    let again = Program::from_bytes(&bytes).expect("a program");
    assert_eq!(again.digest(), program.digest());

    type Change = fn(&mut Program);
    let changes: [Change; 7] = [
        |program| program.name.push('s'),
        |program| program.constructors.clear(),
        |program| program.annotations.transformed ^= true,
        |program| {
            program.global_names.remove("other");
        },
        |program| program.locations[1].line += 1,
        |program| program.functions.last_mut().expect("one").name.push('s'),
        |program| {
            program.types.intern(Type::Int(77));
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut changed = program.clone();
        change(&mut changed);
        assert_ne!(changed, program, "change {number}");
        assert_ne!(changed.digest(), program.digest(), "change {number}");
    }
}
