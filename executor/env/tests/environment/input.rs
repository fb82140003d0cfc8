//! Symbolic input: from options through calls to a test case and its replay.

use crate::devices::Machine;
use plat_env::ktest::Object;
use plat_env::{
    Contents, Environment, FileSpec, Host, InputSpec, Inputs, Ktest, Source, parse_posix_options,
    realise, replay,
};
use plat_expr::{Assignment, Byte, EvalMemo, Pool, Value};

fn parse(text: &str) -> InputSpec {
    let words: Vec<Vec<u8>> = text
        .split_whitespace()
        .map(|w| w.as_bytes().to_vec())
        .collect();
    parse_posix_options(&words).unwrap()
}

fn names(inputs: &Inputs) -> Vec<&str> {
    inputs
        .objects
        .iter()
        .map(|object| &object.name[..])
        .collect()
}

#[test]
fn objects_have_the_usual_names_in_the_usual_order() {
    let spec = parse("-x --sym-arg 2 --sym-args 0 2 1 --sym-files 2 3 --sym-stdin 4 --max-fail 1");
    let mut pool = Pool::new();
    let alternatives = spec.alternatives();
    assert_eq!(alternatives.len(), 3);
    let all: Vec<Inputs> = alternatives
        .iter()
        .map(|a| realise(&spec, a, b"prog", &mut pool).unwrap())
        .collect();
    let tail = [
        "A_data",
        "B_data",
        "stdin",
        "read_fail",
        "write_fail",
        "close_fail",
    ];
    let tail = [&tail[..], &["ftruncate_fail", "getcwd_fail"]].concat();
    let head = ["arg00", "n_args", "arg01", "arg02"];
    for (count, inputs) in all.iter().enumerate() {
        assert_eq!(names(inputs), [&head[..2 + count], &tail[..]].concat());
        assert_eq!(inputs.argv.len(), 3 + count);
        let number = inputs.objects[1].bytes.read(0, 1);
        assert_eq!(number, [Byte::Concrete(count as u8)]);
        // The terminator is concrete, all else symbolic; only preferences restrict it.
        assert_eq!(inputs.argv[2].len(), 3);
        assert_eq!(inputs.argv[2][2], Byte::Concrete(0));
        assert!(matches!(inputs.argv[2][0], Byte::Symbolic(_)));
        assert_eq!(inputs.preferences.len(), 2 * (2 + count));
        assert!(inputs.constraints.is_empty());
    }
    // Alternatives share symbols.
    assert_eq!(all[1].argv[2..4], all[2].argv[2..4]);
    assert_eq!(all[0].objects.last(), all[2].objects.last());
}

#[test]
fn marked_bytes_of_templates_are_symbolic() {
    let mut spec = InputSpec {
        stdin: Some(Source::Template(b"a?b?".as_slice().into())),
        range: Some((b'A', b'z')),
        ..InputSpec::default()
    };
    let mut pool = Pool::new();
    let make = |spec: &InputSpec, pool: &mut Pool| {
        realise(spec, &spec.alternatives()[0], b"p", pool).unwrap()
    };
    let inputs = make(&spec, &mut pool);
    let symbol = pool.symbol("stdin", 0, 4);
    let at = |index, pool: &mut Pool| Byte::Symbolic(pool.symbol_byte(symbol, index));
    let expected = [
        Byte::Concrete(b'a'),
        at(1, &mut pool),
        Byte::Concrete(b'b'),
        at(3, &mut pool),
    ];
    assert_eq!(inputs.objects[0].bytes.read(0, 9), expected);
    assert_eq!(inputs.stdin.read(0, 9), expected);
    // Exactly the characters of the range satisfy the constraints.
    for value in 0..=255u8 {
        let mut assignment = Assignment::new();
        assignment.set(symbol, vec![0, value, 0, b'A']);
        let mut memo = EvalMemo::new();
        let mut holds = |&condition| pool.holds(condition, &assignment, &mut memo);
        let satisfied = inputs.constraints.iter().all(&mut holds);
        assert_eq!(satisfied, (b'A'..=b'z').contains(&value), "{value}");
        let bytes = inputs.objects[0].evaluate(&pool, &assignment, &mut EvalMemo::new());
        assert_eq!(bytes, [b'a', value, b'b', b'A']);
    }
    spec.mark = b'b';
    let inputs = make(&spec, &mut pool);
    let symbolic = inputs.objects[0]
        .bytes
        .read(0, 9)
        .into_iter()
        .map(|b| matches!(b, Byte::Symbolic(_)));
    assert_eq!(symbolic.collect::<Vec<_>>(), [false, false, true, false]);
}

#[test]
fn concrete_input_is_recorded_and_known_as_concrete() {
    let mut pool = Pool::new();
    let mut make =
        |spec: &InputSpec| realise(spec, &spec.alternatives()[0], b"p", &mut pool).unwrap();
    let stdin = Some(Source::Concrete(b"typed".as_slice().into()));
    let inputs = make(&InputSpec {
        stdin,
        ..parse("-v")
    });
    assert_eq!((names(&inputs), inputs.symbolic), (vec!["stdin"], false));
    assert!(!make(&parse("")).symbolic);
    assert!(make(&parse("--sym-args 0 1 1")).symbolic);
    assert!(make(&parse("--sym-stdin 1")).symbolic);
}

#[test]
fn symbolic_bytes_pass_through_files_unchanged() {
    let spec = parse("--sym-stdin 6 --sym-files 1 5000");
    let mut pool = Pool::new();
    let inputs = realise(&spec, &spec.alternatives()[0], b"p", &mut pool).unwrap();
    let mut m = Machine::new(&inputs);
    m.memory.pool = pool;
    let buffer = m.memory.buffer(&[0; 6000]);
    let bytes = |m: &mut Machine, address, size| {
        plat_env::UserMemory::read(&mut m.memory, Value::Int(address), size).unwrap()
    };
    assert_eq!(m.call(libc::SYS_read, &[0, buffer, 4]), 4);
    assert_eq!(m.call(libc::SYS_read, &[0, buffer + 4, 4]), 2);
    let stdin = bytes(&mut m, buffer, 6);
    assert_eq!(stdin, inputs.objects[1].bytes.read(0, 9));
    // Over a page of A, out to a new file at an odd offset, back, and to standard output.
    let (a, copy) = (m.open("A", libc::O_RDWR) as u64, m.open("c", 0o102) as u64);
    assert_eq!(m.call(libc::SYS_read, &[a, buffer, 6000]), 5000);
    assert_eq!(
        m.call(libc::SYS_pwrite64, &[copy, buffer, 5000, 4001]),
        5000
    );
    assert_eq!(m.call(libc::SYS_write, &[1, buffer + 10, 20]), 20);
    let again = m.memory.buffer(&[0; 5000]);
    assert_eq!(m.call(libc::SYS_pread64, &[copy, again, 5000, 4001]), 5000);
    let found = bytes(&mut m, again, 5000);
    let a = inputs.objects[0].bytes.read(0, 5000);
    assert_eq!(found, a);
    assert_eq!(m.env.stdout.bytes(), a[10..30]);
    // The gap before is concrete zeros; a concrete write hides symbolic bytes.
    assert_eq!(m.call(libc::SYS_pread64, &[copy, again, 1, 4000]), 1);
    assert_eq!(m.memory.bytes_at(again, 1), [0]);
    let text = m.memory.buffer(b"xyz");
    assert_eq!(m.call(libc::SYS_pwrite64, &[copy, text, 3, 4095]), 3);
    assert_eq!(m.call(libc::SYS_pread64, &[copy, again, 5, 4094]), 5);
    assert_eq!(m.memory.bytes_at(again + 1, 3), b"xyz");
    let edges = [bytes(&mut m, again, 1), bytes(&mut m, again + 4, 1)].concat();
    assert_eq!(edges, [a[4094 - 4001], a[4098 - 4001]]);
}

#[test]
fn an_injected_failure_hits_the_selected_call() {
    let mut pool = Pool::new();
    let spec = parse("--max-fail 1 --sym-stdin 9");
    let mut inputs = realise(&spec, &spec.alternatives()[0], b"p", &mut pool).unwrap();
    // The second read fails, and no other call.
    let failures = inputs.failures.as_mut().unwrap();
    failures.ordinals = [2, 0, 0, 0, 0].map(|number| pool.constant(32, number));
    let mut m = Machine::new(&inputs);
    m.memory.pool = pool;
    let buffer = m.memory.buffer(&[0; 9]);
    let reads: Vec<i64> = (0..4)
        .map(|_| m.call(libc::SYS_read, &[0, buffer, 2]))
        .collect();
    assert_eq!(reads, [2, -5, 2, 2]);
    assert_eq!(m.call(libc::SYS_write, &[1, buffer, 1]), 1);
    assert_eq!(m.call(libc::SYS_close, &[1]), 0);
}

#[test]
fn a_symbolic_output_has_the_constraints_and_preferences_of_klee() {
    let spec = parse("--sym-stdin 4 --sym-stdout");
    let mut pool = Pool::new();
    let mut inputs = realise(&spec, &spec.alternatives()[0], b"p", &mut pool).unwrap();
    let mut m = Machine::new(&inputs);
    m.env.add_status(&mut m.host, &mut pool, &mut inputs);
    assert_eq!(
        names(&inputs),
        ["stdin", "stdin_stat", "stdout", "stdout_stat"]
    );
    let sizes: Vec<u64> = inputs.objects.iter().map(|one| one.bytes.size()).collect();
    assert_eq!(sizes, [4, 144, 1024, 144]);
    // The status of standard input satisfies all of them.
    let symbol = pool.symbol("stdout_stat", 0, 144);
    let usual = inputs.objects[1].evaluate(&pool, &Assignment::new(), &mut EvalMemo::new());
    let hold = |conditions: &[plat_expr::ExprId], status: &[u8]| {
        let mut assignment = Assignment::new();
        assignment.set(symbol, status.to_vec());
        let mut memo = EvalMemo::new();
        let holds = conditions.iter();
        holds
            .filter(|&&condition| pool.holds(condition, &assignment, &mut memo))
            .count()
    };
    assert_eq!(inputs.constraints.len(), 2);
    assert_eq!(inputs.preferences.len(), 14);
    assert_eq!(hold(&inputs.constraints, &usual), 2);
    assert_eq!(hold(&inputs.preferences, &usual), 14);
    // Offset in the struct, what is put there, which constraints and preferences then hold.
    let changes: [(usize, u64, usize, usize); 9] = [
        (0, 5, 2, 13),           // another device
        (8, 0x8000_0000, 1, 14), // the low bits of the inode number are 0
        (8, 0x8000_0001, 2, 14), // and are not
        (16, 2, 2, 13),          // two links
        (24, 0o010_644, 2, 13),  // a pipe
        (24, 0o100_755, 2, 11),  // a program
        (56, 0x1_0000, 1, 13),   // large blocks
        (56, 0xffff, 2, 13),     // the largest allowed
        (88, 1, 2, 13),          // written at another time
    ];
    for (offset, value, constraints, preferences) in changes {
        let mut status = usual.clone();
        let size = if offset == 24 { 4 } else { 8 };
        status[offset..offset + size].copy_from_slice(&value.to_le_bytes()[..size]);
        assert_eq!(
            hold(&inputs.constraints, &status),
            constraints,
            "{offset} {value:x}"
        );
        let kept = hold(&inputs.preferences, &status);
        assert_eq!(kept, preferences, "{offset} {value:x}");
    }
}

#[test]
fn all_calls_agree_on_the_status_of_a_symbolic_output() {
    let spec = parse("--sym-stdout");
    let mut pool = Pool::new();
    let inputs = realise(&spec, &spec.alternatives()[0], b"p", &mut pool).unwrap();
    let symbol = pool.symbol("stdout_stat", 0, 144);
    let mut m = Machine::new(&inputs);
    m.memory.pool = pool;
    let stat = m.memory.buffer(&[0; 144]);
    let statx = m.memory.buffer(&[0; 256]);
    let (path, empty) = (m.text("/dev/stdout"), m.text(""));
    // A status with a different value in every unconstrained byte.
    let mut assignment = Assignment::new();
    assignment.set(symbol, (0..144u8).map(|at| 7 + at).collect::<Vec<u8>>());
    let evaluated = |m: &mut Machine, address, size| -> Vec<u8> {
        let bytes = plat_env::UserMemory::read(&mut m.memory, Value::Int(address), size).unwrap();
        let mut memo = EvalMemo::new();
        let byte = |byte: Byte| match byte {
            Byte::Concrete(byte) => byte,
            Byte::Symbolic(expr) => m.memory.pool.eval(expr, &assignment, &mut memo) as u8,
        };
        bytes.into_iter().map(byte).collect()
    };
    assert_eq!(m.call(libc::SYS_fstat, &[1, stat]), 0);
    let expected = evaluated(&mut m, stat, 144);
    assert_eq!(expected[48..56], 1024u64.to_le_bytes());
    assert_eq!(expected[64..72], 8u64.to_le_bytes());
    let flags = libc::AT_EMPTY_PATH as u64;
    let asks: [(i64, [u64; 4]); 2] = [
        (libc::SYS_stat, [path, stat, 0, 0]),
        (libc::SYS_newfstatat, [1, empty, stat, flags]),
    ];
    for (call, args) in asks {
        plat_env::UserMemory::write(&mut m.memory, Value::Int(stat), &[Byte::Concrete(0); 144])
            .unwrap();
        assert_eq!(m.call(call, &args), 0);
        assert_eq!(evaluated(&mut m, stat, 144), expected);
    }
    assert_eq!(m.call(libc::SYS_statx, &[1, empty, flags, 0x7ff, statx]), 0);
    let other = evaluated(&mut m, statx, 256);
    let pairs = [
        (8, 32, 8),
        (16, 16, 4),
        (24, 28, 2),
        (28, 20, 4),
        (32, 24, 4),
        (48, 40, 8),
        (56, 4, 4),
        (64, 48, 8),
        (72, 64, 8),
        (80, 72, 4),
        (88, 112, 8),
        (96, 120, 4),
        (104, 96, 8),
        (112, 104, 4),
    ];
    for (from, to, size) in pairs {
        assert_eq!(expected[from..from + size], other[to..to + size], "{from}");
    }
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes[..8].try_into().unwrap());
    let half = |at: usize| u32::from_le_bytes(other[at..at + 4].try_into().unwrap());
    for (from, to) in [(0, 136), (40, 128)] {
        let device = word(&expected[from..]);
        assert_eq!(libc::makedev(half(to), half(to + 4)), device);
    }
    // Other descriptors, and names that are not followed, are what they were.
    assert_eq!(m.call(libc::SYS_fstat, &[2, stat]), 0);
    assert_eq!(m.memory.bytes_at(stat + 24, 4), 0o010_600u32.to_le_bytes());
}

#[test]
fn a_test_case_replays_the_input_it_came_from() {
    let mut spec = parse("-v --sym-arg 3 --sym-args 1 2 2 --sym-files 2 4 --sym-stdin 5 last");
    let source = Source::Template(b"k=?\n".as_slice().into());
    spec.files.push(FileSpec {
        name: "conf".into(),
        source,
    });
    let mut pool = Pool::new();
    for alternative in spec.alternatives() {
        let inputs = realise(&spec, &alternative, b"prog.bc", &mut pool).unwrap();
        let mut assignment = Assignment::new();
        for (at, object) in inputs.objects.iter().enumerate() {
            let symbol = pool.symbol(&object.name, 0, object.bytes.size() as u32);
            let bytes: Vec<u8> = (0..object.bytes.size() as usize)
                .map(|b| (65 + 7 * at + b) as u8)
                .collect();
            assignment.set(symbol, bytes);
        }
        let mut memo = EvalMemo::new();
        let mut objects: Vec<Object> = Vec::new();
        for object in &inputs.objects {
            let bytes = object.evaluate(&pool, &assignment, &mut memo);
            objects.push(Object {
                name: object.name.clone(),
                bytes,
            });
        }
        let own = Object {
            name: "x".into(),
            bytes: vec![1, 2, 3, 4],
        };
        objects.push(own.clone());
        let test = Ktest {
            args: spec.recorded_arguments(b"prog.bc"),
            objects,
        };
        let test = Ktest::from_bytes(&test.to_bytes()).unwrap();
        let replay = replay::plan(&test).unwrap();
        let mut value = |bytes: &[Byte]| -> Vec<u8> {
            let value = |byte: &Byte| match *byte {
                Byte::Concrete(byte) => byte,
                Byte::Symbolic(expr) => pool.eval(expr, &assignment, &mut memo) as u8,
            };
            bytes.iter().map(value).collect()
        };
        let argv: Vec<Vec<u8>> = inputs
            .argv
            .iter()
            .map(|arg| value(&arg[..arg.len() - 1]))
            .collect();
        assert_eq!(replay.argv, argv);
        assert_eq!(replay.stdin, value(&inputs.stdin.read(0, 100)));
        let files: Vec<(String, Vec<u8>)> = inputs
            .files
            .iter()
            .map(|(name, contents)| {
                (
                    String::from_utf8(name.clone()).unwrap(),
                    value(&contents.read(0, 100)),
                )
            })
            .collect();
        assert_eq!(replay.files, files);
        assert_eq!(replay.harness.objects, [own]);
    }
    // An argument ends at its first zero byte; a missing object is named.
    let object = Object {
        name: "arg00".into(),
        bytes: b"a\0b\0".to_vec(),
    };
    let args = spec.recorded_arguments(b"p")[..1].to_vec();
    let args = [args, vec![b"--sym-arg".to_vec(), b"3".to_vec()]].concat();
    let test = Ktest {
        args: args.clone(),
        objects: vec![object],
    };
    assert_eq!(
        replay::plan(&test).unwrap().argv,
        [b"p".to_vec(), b"a".to_vec()]
    );
    let error = replay::plan(&Ktest {
        args,
        objects: Vec::new(),
    })
    .unwrap_err();
    assert_eq!(error.to_string(), "the test case has no object `arg00`");
    // Failures matter to a replay unless the selected number is 0; the first call is 1.
    for (ordinal, failures) in [(0, false), (2, true)] {
        let args = [&b"p"[..], b"--max-fail", b"1"]
            .map(<[u8]>::to_vec)
            .to_vec();
        let object = Object {
            name: "read_fail".into(),
            bytes: vec![ordinal, 0, 0, 0],
        };
        let replay = replay::plan(&Ktest {
            args,
            objects: vec![object],
        })
        .unwrap();
        assert_eq!(
            (replay.failures, replay.harness.objects.len()),
            (failures, 0)
        );
    }
}

#[test]
fn the_start_directory_is_found_through_links() {
    let scratch = crate::kernel::scratch();
    std::fs::create_dir(scratch.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", scratch.path().join("link")).unwrap();
    let mut host = Host::new(scratch.path().join("link").to_str().unwrap());
    let inputs = Inputs {
        files: vec![(b"A".to_vec(), Contents::shared(b"input".as_slice().into()))],
        ..Inputs::default()
    };
    let env = Environment::new(&mut host, &inputs);
    assert_eq!(
        *env.directory,
        *scratch.path().join("real").to_str().unwrap().as_bytes()
    );
}
