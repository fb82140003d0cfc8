//! What two memories of one path are said to differ in, against a look at every byte.

mod common;

use common::{Path, Run};
use fastrand::Rng;
use plat_expr::{ExprId, ObjectId, Pool, Value};
use plat_memory::model::ALL;
use plat_memory::{Difference, Kind, ModelConfig, Request, Site};
use plat_program::InstId;

const SIZES: [u64; 6] = [3, 8, 30, 64, 700, 9_000];

fn request(at: u32) -> Request {
    Request {
        kind: Kind::Heap,
        size: SIZES[at as usize % SIZES.len()],
        align: 8,
        site: Site::Inst(InstId(at)),
        group: None,
        context: None,
        zero: false,
    }
}

/// No two expressions are alike.
fn never(_: &mut Pool, _: ExprId, _: ExprId) -> bool {
    false
}

/// Writes a number, a pointer or a symbolic byte somewhere.
fn write(run: &mut Run, random: &mut Rng, path: &mut Path, objects: &[ObjectId]) {
    let object = objects[random.usize(..objects.len())];
    let size = run.objects.get(object).size;
    let (value, bits) = match random.u64(..4) {
        0 => (Value::Int(random.u64(..3)), 8),
        1 if size >= 8 => (Value::Int(random.u64(..)), 64),
        2 if size >= 8 => (
            Value::Pointer(objects[random.usize(..objects.len())], 4),
            64,
        ),
        _ => (Value::Expr(run.input(0)), 8),
    };
    let value = match (value, bits) {
        (Value::Expr(expr), _) => Value::Expr(run.pool.extract(expr, 0, 8)),
        (value, _) => value,
    };
    let at = random.u64(..=size - u64::from(bits) / 8).cast_signed();
    let (pool, all) = (&mut run.pool, &run.objects);
    path.memory
        .store(pool, all, object, at, value, bits)
        .unwrap();
}

/// The bytes of all objects, as values.
fn bytes(run: &mut Run, path: &Path, objects: &[ObjectId]) -> Vec<(ObjectId, u64, Value)> {
    let mut all = Vec::new();
    for &object in objects {
        for at in 0..run.objects.get(object).size {
            let (pool, known) = (&mut run.pool, &run.objects);
            let byte = path.memory.load(pool, known, object, at.cast_signed(), 8);
            all.push((object, at, byte.unwrap()));
        }
    }
    all
}

#[test]
fn differences_are_those_of_the_bytes() {
    for model in ALL {
        let (mut same, mut differ) = (0, 0);
        for seed in 0..40 {
            let (mut run, mut random) = (Run::new(1), Rng::with_seed(seed));
            let mut path = Path::new(model, &ModelConfig::default());
            let objects: Vec<ObjectId> = (0..8)
                .map(|at| path.allocate(&mut run, &request(at)))
                .collect();
            for _ in 0..30 {
                write(&mut run, &mut random, &mut path, &objects);
            }
            let before = path.clone();
            // The same writes again, one after the other, and then some others.
            for _ in 0..random.u64(..3) {
                write(&mut run, &mut random, &mut path, &objects);
            }
            if random.bool() {
                for (object, at, byte) in bytes(&mut run, &before, &objects) {
                    let (pool, all) = (&mut run.pool, &run.objects);
                    let at = at.cast_signed();
                    path.memory.store(pool, all, object, at, byte, 8).unwrap();
                }
            }
            let (mine, theirs) = (
                bytes(&mut run, &path, &objects),
                bytes(&mut run, &before, &objects),
            );
            let expected = mine
                .iter()
                .zip(&theirs)
                .any(|(mine, theirs)| mine != theirs);
            match path
                .memory
                .difference(&mut run.pool, &before.memory, &mut never)
            {
                None => {
                    assert!(
                        !expected,
                        "{}, seed {seed}: differences are missed",
                        model.name
                    );
                    same += 1;
                }
                Some(Difference::Contents(object, at)) => {
                    let near =
                        |one: &&(ObjectId, u64, Value)| one.0 == object && one.1 / 8 == at / 8;
                    let near = |all: &[_]| all.iter().filter(near).copied().collect::<Vec<_>>();
                    assert_ne!(near(&mine), near(&theirs), "{}, seed {seed}", model.name);
                    let quick = path.memory.differs_at(&before.memory, object, at);
                    let symbolic = |one: &(ObjectId, u64, Value)| {
                        one.0 == object && one.1 / 8 == at / 8 && matches!(one.2, Value::Expr(_))
                    };
                    assert!(quick || mine.iter().chain(&theirs).any(symbolic));
                    differ += 1;
                }
                Some(Difference::Objects) => {
                    assert!(expected, "{}, seed {seed}", model.name);
                    differ += 1;
                }
            }
        }
        assert!(same > 5 && differ > 5, "{}: {same} {differ}", model.name);
    }
}

#[test]
fn memories_with_other_objects_differ() {
    for model in ALL {
        let mut run = Run::new(1);
        let mut path = Path::new(model, &ModelConfig::default());
        let kept = path.allocate(&mut run, &request(1));
        let mut round = |path: &mut Path| {
            let object = path.allocate(&mut run, &request(2));
            let while_live = path.clone();
            path.memory
                .release(&mut run.cx(&path.pc), object, InstId(3));
            while_live
        };
        for _ in 0..20 {
            round(&mut path);
        }
        let start = path.clone();
        let mut back = 0;
        for _ in 0..100 {
            let live = round(&mut path);
            let pool = &mut Pool::new();
            let differ = live.memory.difference(pool, &start.memory, &mut never);
            assert_eq!(differ, Some(Difference::Objects));
            back += u32::from(
                path.memory
                    .difference(pool, &start.memory, &mut never)
                    .is_none(),
            );
        }
        // Addresses come back behind the quarantine.
        assert!((5..100).contains(&back), "{}: {back}", model.name);
        path.memory.release(&mut run.cx(&path.pc), kept, InstId(4));
        let differ = path
            .memory
            .difference(&mut run.pool, &start.memory, &mut never);
        assert_eq!(differ, Some(Difference::Objects));
    }
}
