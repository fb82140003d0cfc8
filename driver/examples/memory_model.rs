//! A memory model of one's own: up to eight objects that a pointer can lead to stay on one path; for
//! more there is a path for each.
//!
//! ```text
//! clang-22 -O1 -g -emit-llvm -fno-builtin -c driver/examples/memory_model.c -o pointers.bc
//! cargo run --example memory_model pointers.bc
//! ```

use plat::Explorer;
use plat::expr::Pool;
use plat::memory::model::{Isolation, Partition, place_alone, release_alone};
use plat::memory::resolve::ResolutionQuery;
use plat::memory::segments::Segments;
use plat::memory::{Kind, MemoryModel, ObjectState, Place, Request, Stop};
use plat::memory_models::{FORKING, MERGING, ModelChoice};

/// The most objects on one path.
const MOST: usize = 8;

#[derive(Clone, Copy)]
struct Limited;

impl MemoryModel for Limited {
    /// Every object has a segment of its own, so nobody has to ask for each allocation.
    fn isolation(&self) -> Isolation {
        Isolation::All
    }

    fn place(&mut self, _: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        place_alone(request, segments)
    }

    fn release(&mut self, _: &mut Pool, state: &ObjectState, _: Kind, segments: &mut Segments) {
        release_alone(state, segments);
    }

    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
        // Alternatives must tell segments apart: here, objects.
        let alternatives = query.alternatives(&|object, _| object.0);
        let mut outcomes = Vec::new();
        if alternatives.len() <= MOST {
            outcomes.push(query.merged(alternatives)?);
        } else {
            for alternative in query.feasible(alternatives)? {
                outcomes.push(query.outcome(alternative)?);
            }
        }
        Ok(Partition {
            outcomes,
            ..Partition::default()
        })
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(*self)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bitcode = std::env::args()
        .nth(1)
        .ok_or("usage: memory_model PROGRAM.bc")?;
    let limited = ModelChoice::new("limited", |_| Box::new(Limited));
    for model in [limited, FORKING.into(), MERGING.into()] {
        let name = model.name().to_string();
        let explorer = Explorer::bitcode(&bitcode).sym_arg(1).memory_model(model);
        let report = explorer.run()?;
        println!("{name}: {} paths", report.summary().counts.paths());
    }
    Ok(())
}
