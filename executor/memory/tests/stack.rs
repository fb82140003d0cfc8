//! Stack objects by a plan are those of the same requests, whoever lived at their addresses before; and
//! short copies do what copies do.

mod common;

use common::{Path, Run};
use fastrand::Rng;
use plat_expr::{ObjectId, Value};
use plat_memory::model::ALL;
use plat_memory::{Kind, ModelConfig, Request, Site, StackPlan};
use plat_program::InstId;

/// What the tests allocate at an instruction.
fn request(inst: u32) -> Request {
    Request {
        kind: Kind::Stack,
        size: [0, 1, 4, 8, 8, 24, 33, 64, 300, 5_000][inst as usize],
        align: [1, 8, 16][inst as usize % 3],
        site: Site::Inst(InstId(inst)),
        group: None,
        context: None,
        zero: false,
    }
}

#[test]
fn planned_objects_are_those_of_requests() {
    for model in ALL {
        let mut run = Run::new(1);
        let mut random = Rng::with_seed(4);
        let mut plain = Path::new(model, &ModelConfig::default());
        let mut planned = plain.clone();
        let mut live: Vec<ObjectId> = Vec::new();
        for step in 0..6_000u32 {
            if step % 900 == 0 {
                // From here on both share what they have.
                planned = plain.clone();
            }
            let inst = random.u32(..10);
            if live.len() < 40 && random.u64(..8) > 3 {
                let one = request(inst);
                let object = plain.allocate(&mut run, &one);
                let plan = StackPlan::new(one.size, one.align, InstId(inst));
                let cx = &mut run.cx(&planned.pc);
                assert_eq!(planned.memory.allocate_planned(cx, &plan), Some(object));
                live.push(object);
            } else if let Some(object) = live.pop() {
                for path in [&mut plain, &mut planned] {
                    path.memory
                        .release(&mut run.cx(&path.pc), object, InstId(inst));
                }
            }
            let Some(&object) = live.last() else {
                continue;
            };
            let size = run.objects.get(object).size;
            assert_eq!(plain.memory.object(object), planned.memory.object(object));
            assert_eq!(plain.memory.stack_live(), planned.memory.stack_live());
            if size >= 8 {
                let at = (random.u64(..size - 7)).cast_signed();
                for path in [&mut plain, &mut planned] {
                    let (memory, pool) = (&mut path.memory, &mut run.pool);
                    let fresh = memory.load(pool, &run.objects, object, at, 64);
                    let value = match fresh.expect("it is inside") {
                        Value::Int(word) => Value::Int(word.wrapping_add(u64::from(step))),
                        other => other,
                    };
                    let stored = memory.store(pool, &run.objects, object, at, value, 64);
                    stored.expect("it is inside");
                }
                let [a, b] = [&plain, &planned].map(|path| {
                    let memory = &path.memory;
                    memory.read_concrete(&run.objects, object, 0, size)
                });
                assert_eq!(a.expect("it is inside"), b.expect("it is inside"));
            }
        }
        assert_eq!(
            plain.memory.live().collect::<Vec<_>>(),
            planned.memory.live().collect::<Vec<_>>()
        );
    }
}

#[test]
fn short_copies_are_copies() {
    let mut random = Rng::with_seed(8);
    let (mut done, mut left) = (0, 0);
    for model in ALL {
        let mut run = Run::new(1);
        let mut short = Path::new(model, &ModelConfig::default());
        let sizes = [8, 20, 32, 33, 100, 1_024, 3_000];
        let objects = sizes.map(|size| {
            let request = Request { size, ..request(3) };
            short.allocate(&mut run, &request)
        });
        let mut long = short.clone();
        for step in 0..4_000 {
            let whole = random.u64(..2) == 0;
            let round = if whole { !7 } else { !0 };
            let [(from, behind), (to, at)] = [(); 2].map(|()| {
                let which = random.usize(..sizes.len());
                let at = random.u64(..sizes[which] + 3).cast_signed();
                (objects[which], at & round)
            });
            let size = (1 + random.u32(..64)).next_multiple_of(if whole { 8 } else { 1 });
            if random.u64(..3) == 0 {
                // A pointer or a symbolic byte is in the way now and then.
                let input = run.input(0);
                let (value, bits) = match random.u64(..60) {
                    0 => (Value::from_expr(&run.pool, input), 64),
                    known if known < if whole { 30 } else { 2 } => (Value::Pointer(from, 0), 64),
                    _ => (Value::Int(step), 64),
                };
                for path in [&mut short, &mut long] {
                    let (memory, pool) = (&mut path.memory, &mut run.pool);
                    let _ = memory.store(pool, &run.objects, to, at & !7, value, bits);
                }
            }
            let copied = short.memory.copy_short((to, at), (from, behind), size);
            if !copied {
                left += 1;
            } else {
                done += 1;
                let memory = &mut long.memory;
                let whole = (to, at);
                let size = u64::from(size);
                memory
                    .copy(&mut run.pool, &run.objects, whole, (from, behind), size)
                    .expect("what is copied is inside");
            }
            let bytes = [&short, &long].map(|path| {
                let memory = &path.memory;
                let size = run.objects.get(to).size;
                let read = memory.read_bytes(&mut run.pool, &run.objects, to, 0, size);
                read.expect("all of it")
            });
            assert_eq!(bytes[0], bytes[1], "{step}");
        }
    }
    assert!(done > 1_000 && left > 1_000, "{done} {left}");
}
