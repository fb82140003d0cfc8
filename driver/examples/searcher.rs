//! A searcher of one's own: the path with the fewest instructions runs.
//!
//! ```text
//! clang-22 -O1 -g -emit-llvm -fno-builtin -c driver/examples/searcher.c -o letters.bc
//! cargo run --example searcher letters.bc
//! ```

use plat::Explorer;
use plat::searchers::{Searcher, SearcherChoice, StateId, Summary};
use std::collections::{BTreeSet, HashMap};

#[derive(Default)]
struct Shortest {
    order: BTreeSet<(u64, StateId)>,
    /// The instructions under which each state stands in `order`.
    known: HashMap<StateId, u64>,
}

impl Shortest {
    fn enter(&mut self, summary: &Summary) {
        self.removed(summary.id);
        self.known.insert(summary.id, summary.instructions);
        self.order.insert((summary.instructions, summary.id));
    }
}

impl Searcher for Shortest {
    fn select(&mut self) -> StateId {
        self.order.first().expect("a live state").1
    }

    fn added(&mut self, _parent: Option<StateId>, states: &[Summary]) {
        states.iter().for_each(|summary| self.enter(summary));
    }

    fn removed(&mut self, state: StateId) {
        if let Some(instructions) = self.known.remove(&state) {
            self.order.remove(&(instructions, state));
        }
    }

    fn updated(&mut self, summary: &Summary) {
        self.enter(summary);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bitcode = std::env::args()
        .nth(1)
        .ok_or("usage: searcher PROGRAM.bc")?;
    let shortest = SearcherChoice::new("shortest", |_seed| Box::new(Shortest::default()));
    let report = Explorer::bitcode(bitcode)
        .sym_arg(4)
        .searcher(shortest)
        // So that the searcher is asked often.
        .configure(|config| config.search.batch_instructions = 1)
        .run()?;
    for test in &report.tests {
        println!("test {} returns {:?}", test.number, test.path.exit_code);
    }
    Ok(())
}
