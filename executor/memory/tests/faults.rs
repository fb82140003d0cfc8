//! Bounds and lifetime are per object under every model, also between neighbours in a segment.

mod common;

use common::{Path, Run, request};
use plat_expr::{BinaryOp, EvalMemo, Value};
use plat_memory::model::{ALL, Entry, named};
use plat_memory::{AccessKind, FaultKind, Join, Kind, ModelConfig, Site};
use plat_program::InstId;

fn start(model: &Entry) -> (Run, Path) {
    (Run::new(2), Path::new(model, &ModelConfig::default()))
}

/// `pointer + (input & mask) * scale`.
fn indexed(run: &mut Run, pointer: Value, at: usize, mask: u64, scale: u64) -> Value {
    let input = run.input(at);
    let (mask, scale) = (run.constant(mask), run.constant(scale));
    let pool = &mut run.pool;
    let masked = pool.binary(BinaryOp::And, input, mask);
    let term = pool.mul(masked, scale);
    let pointer = pointer.to_expr(pool, 64);
    let sum = pool.add(pointer, term);
    Value::from_expr(pool, sum)
}

#[test]
fn overflow_into_a_neighbour_in_the_segment_is_found() {
    for model in ALL {
        let (mut run, mut path) = start(model);
        let rows: Vec<_> = (0..3)
            .map(|_| path.allocate(&mut run, &request(Kind::Heap, 12, Some(0))))
            .collect();
        let row = Value::Pointer(rows[1], 0);
        // Positions 0, 4, 8 are right, 12 is in the padding, 16 to 28 in the next row.
        let element = indexed(&mut run, row, 0, 7, 4);
        let (ends, goes_on): (Vec<_>, Vec<_>) = path
            .access(&mut run, element, 4, AccessKind::Write)
            .into_iter()
            .partition(|(path, _)| path.fault.is_some());
        assert_eq!((ends.len(), goes_on.len()), (1, 1), "{}", model.name);
        let fault = ends[0].0.fault.unwrap();
        assert_eq!(fault.kind, FaultKind::OutOfBounds);
        assert_eq!(fault.object, Some(rows[1]));
        assert!(fault.offset >= 12 && fault.distance() == fault.offset - 12);
        let input = ends[0].0.pc.model().byte(run.inputs[0], 0);
        assert_eq!(fault.offset, i64::from(input & 7) * 4);
    }
}

#[test]
fn a_freed_object_is_recognised_also_after_its_space_is_used_again() {
    for model in ALL {
        let (mut run, mut path) = (Run::new(2), Path::new(model, &at_allocation(10_000)));
        let old = path.allocate(&mut run, &request(Kind::Heap, 16, Some(0)));
        let other = path.allocate(&mut run, &request(Kind::Heap, 16, Some(0)));
        let mut path = path.free(&mut run, Value::Pointer(old, 0)).remove(0);
        let new = path.allocate(&mut run, &request(Kind::Heap, 16, Some(0)));
        assert_ne!(old, new);
        if ["flat", "segmented"].contains(&model.name) {
            let place = |object| path.memory.object(object).unwrap().place;
            assert_eq!(place(old), place(new));
        }

        // A pointer that may be any of the three: one path faults, with what was freed where.
        let table = path.allocate(&mut run, &request(Kind::Stack, 32, None));
        for (at, object) in [old, other, new, new].into_iter().enumerate() {
            let slot = Value::Pointer(table, 8 * at as i64);
            path = path
                .store(&mut run, slot, Value::Pointer(object, 0), 64)
                .remove(0);
        }
        let slot = indexed(&mut run, Value::Pointer(table, 0), 0, 3, 8);
        let (path, pointer) = path.load(&mut run, slot, 64).remove(0);
        let pointer = pointer.unwrap();
        assert!(matches!(pointer, Value::Expr(_)));
        let results = path.clone().load(&mut run, pointer, 32);
        let faults: Vec<_> = results.iter().filter_map(|(path, _)| path.fault).collect();
        assert_eq!(faults.len(), 1, "{}", model.name);
        assert_eq!(faults[0].kind, FaultKind::UseAfterFree);
        assert_eq!(
            (faults[0].object, faults[0].freed_at),
            (Some(old), Some(InstId(99)))
        );
        let lines = faults[0].details(&|site: Site| format!("{site:?}"));
        assert!(
            lines
                .iter()
                .any(|line| line == "freed at: Inst(InstId(99))")
        );

        // Freeing it again is a double free for one input, and frees one object on each path.
        let results = path.free(&mut run, pointer);
        let kinds: Vec<_> = results.iter().filter_map(|path| path.fault).collect();
        assert_eq!(kinds.len(), 1);
        assert_eq!(kinds[0].kind, FaultKind::DoubleFree);
        assert_eq!(results.len(), 3);
    }
}

#[test]
fn kinds_of_faults_of_known_pointers() {
    let (mut run, mut path) = start(named("segmented").unwrap());
    let heap = path.allocate(&mut run, &request(Kind::Heap, 8, Some(1)));
    let stack = path.allocate(&mut run, &request(Kind::Stack, 8, None));
    let global = path.allocate(&mut run, &request(Kind::Global, 8, None));
    let constant = path.allocate(&mut run, &request(Kind::Constant, 8, None));
    let function = path.allocate(&mut run, &request(Kind::Function, 1, None));
    let mut kind = |path: &Path, pointer: Value, access: AccessKind| {
        let paths = path.clone().access(&mut run, pointer, 8, access);
        assert_eq!(paths.len(), 1);
        paths[0].0.fault.map(|fault| fault.kind)
    };
    use AccessKind::{Free, Read, Write};
    let at = Value::Pointer;
    for object in [heap, stack, global] {
        assert_eq!(kind(&path, at(object, 0), Write), None);
        assert_eq!(
            kind(&path, at(object, 1), Read),
            Some(FaultKind::OutOfBounds)
        );
        assert_eq!(
            kind(&path, at(object, -1), Read),
            Some(FaultKind::OutOfBounds)
        );
    }
    assert_eq!(kind(&path, at(constant, 0), Read), None);
    assert_eq!(
        kind(&path, at(constant, 0), Write),
        Some(FaultKind::ReadOnly)
    );
    assert_eq!(
        kind(&path, at(function, 0), Read),
        Some(FaultKind::OutOfBounds)
    );
    assert_eq!(kind(&path, Value::Int(0), Read), Some(FaultKind::NullPage));
    assert_eq!(kind(&path, Value::Int(8), Write), Some(FaultKind::NullPage));
    assert_eq!(
        kind(&path, Value::Int(1 << 20), Read),
        Some(FaultKind::OutOfBounds)
    );
    assert_eq!(kind(&path, Value::Int(0), Free), None);
    assert_eq!(kind(&path, at(heap, 4), Free), Some(FaultKind::InvalidFree));
    assert_eq!(
        kind(&path, at(stack, 0), Free),
        Some(FaultKind::FreeOfAlloca)
    );
    assert_eq!(
        kind(&path, at(global, 0), Free),
        Some(FaultKind::FreeOfGlobal)
    );
    assert_eq!(
        kind(&path, Value::Int(77), Free),
        Some(FaultKind::InvalidFree)
    );
    let path = path.free(&mut run, at(heap, 0)).remove(0);
    let objects = &run.objects;
    let memory = &path.memory;
    assert!(
        memory
            .check_free(objects, at(heap, 0))
            .is_err_and(|fault| fault.kind == FaultKind::DoubleFree)
    );
    assert_eq!(memory.check_free(objects, Value::Int(0)), Ok(None));
    let fault = memory
        .load(&mut run.pool, objects, heap, 0, 64)
        .unwrap_err();
    assert_eq!(fault.kind, FaultKind::UseAfterFree);
    assert_eq!(fault.to_string(), "memory error: use after free");
}

#[test]
fn a_dangling_stack_pointer_does_not_reach_the_next_frame() {
    let (mut run, mut path) = start(named("forking").unwrap());
    let mut earlier = Vec::new();
    for _ in 0..200 {
        let frame = path.allocate(&mut run, &request(Kind::Stack, 24, None));
        assert!(
            path.memory
                .load(&mut run.pool, &run.objects, frame, 0, 64)
                .is_ok()
        );
        for &gone in earlier.iter().rev().take(7) {
            assert_ne!(gone, frame);
            assert!(
                path.memory
                    .load(&mut run.pool, &run.objects, gone, 0, 64)
                    .is_err()
            );
        }
        let pc = path.pc.clone();
        path.memory.release(&mut run.cx(&pc), frame, InstId(5));
        earlier.push(frame);
    }
    // One address and eight in quarantine, each with eight lives in turn.
    assert_eq!(run.objects.len(), 8 * 9, "stack objects are used again");
}

/// Addresses are answered by slots, and in a state that has gone on from a fork by its own.
#[test]
fn an_address_leads_to_what_is_there_now() {
    for (model, kind) in ALL
        .iter()
        .flat_map(|model| [(model, Kind::Stack), (model, Kind::Heap)])
    {
        let (mut run, mut path) = start(model);
        let first = path.allocate(&mut run, &request(kind, 30, Some(0)));
        let large = path.allocate(&mut run, &request(kind, 5_000, None));
        let empty = path.allocate(&mut run, &request(kind, 0, None));
        let number = |run: &Run, object| run.objects.get(object).number;
        let (start, end) = (number(&run, first), number(&run, large) + 4_999);
        let nothing = number(&run, empty);
        let before = path.clone();
        let pc = path.pc.clone();
        path.memory.release(&mut run.cx(&pc), first, InstId(1));
        // One that is dead is found like one that lives.
        assert_eq!(path.memory.find(start + 29), Some((first, 29)));
        assert_eq!(path.memory.find(start + 30), None);
        let fixed = request(Kind::Global, 3, None);
        assert_eq!(
            path.memory
                .allocate_at(&mut run.cx(&pc), &fixed, start + 28),
            None
        );
        let fixed = path
            .memory
            .allocate_at(&mut run.cx(&pc), &fixed, nothing + 1);
        let Some(Value::Pointer(fixed, 0)) = fixed else {
            panic!("nothing was there: {fixed:?}");
        };
        assert_eq!(path.memory.find(nothing), Some((empty, 0)));
        assert_eq!(path.memory.find(nothing + 3), Some((fixed, 2)));
        assert_eq!(before.memory.find(nothing + 3), None);
        // Until the quarantine gives the address back.
        let next = loop {
            let next = path.allocate(&mut run, &request(kind, 17, Some(0)));
            if number(&run, next) == start {
                break next;
            }
            path.memory.release(&mut run.cx(&pc), next, InstId(2));
        };
        for (memory, object, size) in [(&before.memory, first, 30), (&path.memory, next, 17)] {
            for at in 0..40 {
                let there = (at < size).then_some((object, at as i64));
                assert_eq!(memory.find(start + at), there, "{}", model.name);
            }
            assert_eq!(memory.find(end), Some((large, 4_999)));
            assert_eq!(memory.find(end + 1), None);
            assert_eq!(memory.find(start - 1), None);
        }
    }
}

fn at_allocation(threshold: u64) -> ModelConfig {
    ModelConfig {
        threshold,
        join: Join::Allocation,
        ..ModelConfig::default()
    }
}

#[test]
fn groups_overflow_at_the_threshold_and_reuse_freed_space() {
    let config = at_allocation(100);
    let mut run = Run::new(1);
    let mut path = Path::new(named("segmented").unwrap(), &config);
    let mut groups = [Vec::new(), Vec::new()];
    for at in 0..12 {
        let group = at % 2;
        let object = path.allocate(&mut run, &request(Kind::Heap, 40, Some(group as u32)));
        groups[group].push(object);
    }
    let segment = |path: &Path, object| path.memory.object(object).unwrap().place.segment;
    // 40, 80, 120: then the group's segment is above the threshold, and a fresh one is made.
    for objects in &groups {
        let segments: Vec<_> = objects
            .iter()
            .map(|&object| segment(&path, object))
            .collect();
        assert!(segments[..3].iter().all(|&s| s == segments[0]));
        assert!(segments[3..].iter().all(|&s| s == segments[3]) && segments[3] != segments[0]);
    }
    assert_ne!(segment(&path, groups[0][0]), segment(&path, groups[1][0]));
    assert_eq!((run.stats.segments, run.stats.largest_segment), (4, 120));
    // Freeing brings the oldest segment below the threshold: its space is used next.
    let place = path.memory.object(groups[0][1]).unwrap().place;
    let mut path = path
        .free(&mut run, Value::Pointer(groups[0][1], 0))
        .remove(0);
    let again = path.allocate(&mut run, &request(Kind::Heap, 33, Some(0)));
    assert_eq!(path.memory.object(again).unwrap().place, place);
    // An object above the threshold goes where there is room for any object.
    let big = path.allocate(&mut run, &request(Kind::Heap, 5_000, Some(1)));
    let next = path.allocate(&mut run, &request(Kind::Heap, 8, Some(1)));
    assert_ne!(segment(&path, big), segment(&path, next));
    assert_eq!(path.memory.heap_live(), 11 * 40 + 33 + 5_008);
}

/// Large objects do not part the small ones of their group.
#[test]
fn small_objects_of_a_group_stay_together() {
    let config = at_allocation(100);
    let mut run = Run::new(1);
    let mut path = Path::new(named("segmented").unwrap(), &config);
    let mut small = Vec::new();
    for _ in 0..5 {
        path.allocate(&mut run, &request(Kind::Heap, 60, Some(0)));
        small.push(path.allocate(&mut run, &request(Kind::Heap, 20, Some(0))));
    }
    let segment = |object| path.memory.object(object).unwrap().place.segment;
    assert!(small.iter().all(|&one| segment(one) == segment(small[0])));
}

#[test]
fn queries_are_few() {
    // An array of pointers to 16 rows of one group, read at two symbolic positions.
    for (model, paths, queries) in [
        ("forking", 16, 15),
        ("merging", 1, 0),
        ("flat", 1, 0),
        // Two rows show that the others can be confused too.
        ("segmented", 1, 1),
    ] {
        let (mut run, mut path) = start(named(model).unwrap());
        let table = path.allocate(&mut run, &request(Kind::Heap, 128, Some(0)));
        for at in 0..16 {
            let row = path.allocate(&mut run, &request(Kind::Heap, 64, Some(1)));
            let slot = Value::Pointer(table, 8 * at);
            path = path
                .store(&mut run, slot, Value::Pointer(row, 0), 64)
                .remove(0);
        }
        let slot = indexed(&mut run, Value::Pointer(table, 0), 0, 15, 8);
        let (path, row) = path.load(&mut run, slot, 64).remove(0);
        let element = indexed(&mut run, row.unwrap(), 1, 15, 4);
        let results = path.load(&mut run, element, 32);
        assert_eq!(results.len(), paths, "{model}");
        assert!(results.iter().all(|(path, _)| path.fault.is_none()));
        // All offsets are in bounds by their form: no query for that.
        let stats = run.oracle.stats();
        assert!(
            stats.questions - stats.free <= queries,
            "{model}: {stats:?}"
        );
    }
}

#[test]
fn pointers_that_hide_their_object_are_resolved_by_number() {
    for model in ALL {
        let (mut run, mut path) = start(model);
        let a = path.allocate(&mut run, &request(Kind::Heap, 16, Some(0)));
        let b = path.allocate(&mut run, &request(Kind::Heap, 16, Some(0)));
        for (object, value) in [(a, 11), (b, 22)] {
            let pointer = Value::Pointer(object, 0);
            path = path
                .store(&mut run, pointer, Value::Int(value), 32)
                .remove(0);
        }
        let numbers = [a, b].map(|object| run.objects.get(object).number);
        // a ^ (a ^ b) is b: for input bits 0 and 1 each an object, for 2 and 3 nothing.
        let input = run.input(0);
        let (one, two) = (run.constant(1), run.constant(2));
        let (base, key) = (
            run.constant(numbers[0]),
            run.constant(numbers[0] ^ numbers[1]),
        );
        let pool = &mut run.pool;
        let low = pool.binary(BinaryOp::And, input, one);
        let high = pool.binary(BinaryOp::And, input, two);
        let key = pool.mul(key, low);
        let pointer = pool.binary(BinaryOp::Xor, base, key);
        let scale = pool.constant(64, 1 << 20);
        let far = pool.mul(high, scale);
        let pointer = pool.add(pointer, far);
        let results = path.load(&mut run, Value::Expr(pointer), 32);
        for byte in 0..4u8 {
            let input = run.assign(&[byte]);
            let taken: Vec<_> = results
                .iter()
                .filter(|(path, _)| run.takes(path, &input))
                .collect();
            if taken.is_empty() {
                assert!(!model.is_complete(), "{}", model.name);
                continue;
            }
            assert_eq!(taken.len(), 1);
            match (byte, &taken[0]) {
                (0 | 1, (path, Some(value))) => {
                    assert!(path.fault.is_none());
                    let value = value.to_expr(&mut run.pool, 32);
                    let seen = run.pool.eval(value, &input, &mut EvalMemo::default());
                    assert_eq!(seen, if byte == 0 { 11 } else { 22 });
                }
                (2 | 3, (path, None)) => {
                    assert_eq!(path.fault.unwrap().kind, FaultKind::OutOfBounds);
                }
                other => panic!("{byte}: {:?}", other.1.1),
            }
        }
    }
}

#[test]
fn relative_lookup_tables_lead_to_other_objects() {
    for model in ALL {
        let (mut run, mut path) = start(model);
        let words: Vec<_> = (0..4)
            .map(|_| path.allocate(&mut run, &request(Kind::Constant, 16, None)))
            .collect();
        let table = path.allocate(&mut run, &request(Kind::Constant, 16, None));
        path.memory.set_writable(table, true);
        let number = |run: &Run, object| run.objects.get(object).number;
        for (at, &word) in words.iter().enumerate() {
            path.memory.set_writable(word, true);
            let distance = number(&run, word).wrapping_sub(number(&run, table)) & 0xffff_ffff;
            let slot = Value::Pointer(table, 4 * at as i64);
            path = path
                .store(&mut run, slot, Value::Int(distance), 32)
                .remove(0);
            let start = Value::Pointer(word, 0);
            path = path
                .store(&mut run, start, Value::Int(at as u64 + 50), 8)
                .remove(0);
        }
        let known = number(&run, words[2]).wrapping_sub(number(&run, table));
        let pointer = Value::Pointer(table, known.cast_signed());
        let value = path
            .memory
            .load(&mut run.pool, &run.objects, table, known.cast_signed(), 8);
        assert_eq!(value, Ok(Value::Int(52)));
        assert!(path.clone().load(&mut run, pointer, 8)[0].0.fault.is_none());

        let slot = indexed(&mut run, Value::Pointer(table, 0), 0, 3, 4);
        let (path, distance) = path.load(&mut run, slot, 32).remove(0);
        let distance = distance.unwrap().to_expr(&mut run.pool, 32);
        let distance = run.pool.sext(distance, 64);
        let base = Value::Pointer(table, 0).to_expr(&mut run.pool, 64);
        let pointer = run.pool.add(base, distance);
        let results = path.load(&mut run, Value::Expr(pointer), 8);
        assert!(
            results.iter().all(|(path, _)| path.fault.is_none()),
            "{}",
            model.name
        );
        for byte in 0..4u8 {
            let input = run.assign(&[byte]);
            let taken = results.iter().find(|(path, _)| run.takes(path, &input));
            match taken {
                Some((_, Some(value))) => {
                    assert_eq!(run.eval(*value, 8, &input), u64::from(byte) + 50);
                }
                _ => assert!(!model.is_complete(), "{}", model.name),
            }
        }
        // Beside a table, and in nothing else: a fault as anywhere.
        let behind = Value::Pointer(table, 18);
        let results = results[0].0.clone().load(&mut run, behind, 8);
        assert_eq!(
            results[0].0.fault.map(|fault| fault.kind),
            Some(FaultKind::OutOfBounds)
        );
    }
}
