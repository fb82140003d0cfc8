//! What compiled code would bring: loops of the benchmark programs as a compiler would translate
//! them, by hand, beside the interpreter's time for the same loops.
//!
//! Every access goes through a state's memory with all checks, as the executor's own does; a word
//! that is no number ends the loop; executions are counted once for each block. What compiled code
//! saves is the reading of instructions and the registers in memory.

use std::hint::black_box;

use plat_expr::{ObjectId, Pool, Value};
use plat_memory::{Cx, Kind, Memory, MemoryStats, ModelConfig, Objects, Request, Site, Word};
use plat_solver::{Oracle, PathCondition, SolverConfig};

use crate::process::thread_time;
use crate::table::{Table, median};

/// Sizes as in the programs.
const SIEVED: u64 = 2_000_000;
const SORTED: u64 = 100_000;
const KEYS: u32 = 100_000;
const BUCKETS: u32 = 4096;

/// A state's memory, and the counters of blocks.
struct Machine {
    memory: Memory,
    pool: Pool,
    objects: Objects,
    oracle: Oracle,
    conditions: PathCondition,
    stats: MemoryStats,
    executed: [u64; 16],
}

impl Machine {
    fn new() -> Result<Self, String> {
        let model = plat_memory::model::named("forking").ok_or("no model")?;
        let allocator = plat_allocator::named(plat_allocator::DEFAULT).ok_or("no allocator")?;
        Ok(Machine {
            memory: Memory::new(
                (model.make)(&ModelConfig::default()),
                (allocator.make)(&plat_allocator::AllocatorConfig::default()),
            ),
            pool: Pool::new(),
            objects: Objects::new(),
            oracle: Oracle::new(&SolverConfig::default()).map_err(|error| format!("{error:?}"))?,
            conditions: PathCondition::new(),
            stats: MemoryStats::default(),
            executed: [0; 16],
        })
    }

    /// `malloc`.
    fn allocate(&mut self, size: u64) -> Option<ObjectId> {
        let request = Request {
            kind: Kind::Heap,
            size,
            align: 16,
            site: Site::Entry,
            group: None,
            context: None,
            zero: true,
        };
        let mut cx = Cx {
            pool: &mut self.pool,
            oracle: &mut self.oracle,
            pc: &self.conditions,
            objects: &mut self.objects,
            at: None,
            stats: &mut self.stats,
        };
        match self.memory.allocate(&mut cx, &request).ok()? {
            Value::Pointer(object, _) => Some(object),
            _ => None,
        }
    }

    #[inline(always)]
    fn load(&self, object: ObjectId, offset: u64, bytes: u32) -> Option<u64> {
        match self.memory.load_word(object, offset as i64, bytes)? {
            Word::Bits(word) => Some(word),
            Word::Pointer(_) => None,
        }
    }

    #[inline(always)]
    fn follow(&self, object: ObjectId, offset: u64) -> Option<Option<ObjectId>> {
        match self.memory.load_word(object, offset as i64, 8)? {
            Word::Bits(0) => Some(None),
            Word::Bits(_) => None,
            Word::Pointer(pointer) => Some(Some(pointer.object)),
        }
    }

    #[inline(always)]
    fn store(&mut self, object: ObjectId, offset: u64, bytes: u32, word: u64) -> Option<()> {
        let stored = self.memory.store_word(object, offset as i64, bytes, word);
        stored.then_some(())
    }
}

/// `speed/sieve.c`: the number of primes.
fn sieve(machine: &mut Machine) -> Option<u64> {
    let composite = machine.allocate(SIEVED)?;
    let mut primes = 0;
    for i in 2..SIEVED {
        machine.executed[0] += 1;
        if machine.load(composite, i, 1)? != 0 {
            continue;
        }
        primes += 1;
        let mut j = i * i;
        while j < SIEVED {
            machine.executed[1] += 1;
            machine.store(composite, j, 1, 1)?;
            j += i;
        }
    }
    Some(primes)
}

fn sort(machine: &mut Machine, numbers: ObjectId, mut low: i64, high: i64) -> Option<()> {
    let at = |index: i64| (index * 4) as u64;
    while low < high {
        machine.executed[2] += 1;
        let pivot = machine.load(numbers, at(low + (high - low) / 2), 4)? as i32;
        let (mut left, mut right) = (low - 1, high + 1);
        loop {
            loop {
                left += 1;
                machine.executed[3] += 1;
                if machine.load(numbers, at(left), 4)? as i32 >= pivot {
                    break;
                }
            }
            loop {
                right -= 1;
                machine.executed[4] += 1;
                if machine.load(numbers, at(right), 4)? as i32 <= pivot {
                    break;
                }
            }
            if left >= right {
                break;
            }
            machine.executed[5] += 1;
            let other = machine.load(numbers, at(left), 4)?;
            let word = machine.load(numbers, at(right), 4)?;
            machine.store(numbers, at(left), 4, word)?;
            machine.store(numbers, at(right), 4, other)?;
        }
        sort(machine, numbers, low, right)?;
        low = right + 1;
    }
    Some(())
}

/// `speed/quicksort.c`: the number of pairs that are out of order.
fn quicksort(machine: &mut Machine) -> Option<u64> {
    let numbers = machine.allocate(4 * SORTED)?;
    let mut seed = 1u32;
    for at in 0..SORTED {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        machine.executed[6] += 1;
        machine.store(numbers, 4 * at, 4, u64::from(seed >> 1))?;
    }
    sort(machine, numbers, 0, SORTED as i64 - 1)?;
    let mut wrong = 0;
    for at in 1..SORTED {
        machine.executed[7] += 1;
        wrong += u64::from(
            machine.load(numbers, 4 * at - 4, 4)? as i32 > machine.load(numbers, 4 * at, 4)? as i32,
        );
    }
    Some(wrong)
}

fn bucket(key: u32) -> u64 {
    let mut key = key;
    key ^= key >> 16;
    key = key.wrapping_mul(0x7feb_352d);
    key ^= key >> 15;
    key = key.wrapping_mul(0x846c_a68b);
    key ^= key >> 16;
    8 * u64::from(key % BUCKETS)
}

/// `speed/table.c`: the number of keys found.
fn table(machine: &mut Machine) -> Option<u64> {
    let buckets = machine.allocate(8 * u64::from(BUCKETS))?;
    for key in 0..KEYS {
        machine.executed[8] += 1;
        let entry = machine.allocate(16)?;
        machine.store(entry, 0, 4, key.into())?;
        machine.store(entry, 4, 4, u64::from(key) + 1)?;
        if let Some(next) = machine.follow(buckets, bucket(key))? {
            let next = plat_memory::Stored {
                object: next,
                offset: 0,
            };
            machine.memory.store_pointer(entry, 8, next).then_some(())?;
        }
        let first = plat_memory::Stored {
            object: entry,
            offset: 0,
        };
        let to = bucket(key) as i64;
        machine
            .memory
            .store_pointer(buckets, to, first)
            .then_some(())?;
    }
    let mut found = 0;
    for key in 0..KEYS {
        machine.executed[9] += 1;
        let mut at = machine.follow(buckets, bucket(key))?;
        while let Some(entry) = at {
            machine.executed[10] += 1;
            if machine.load(entry, 0, 4)? == u64::from(key) {
                found += u64::from(machine.load(entry, 4, 4)? == u64::from(key) + 1);
                break;
            }
            at = machine.follow(entry, 8)?;
        }
    }
    Some(found)
}

type Loop = fn(&mut Machine) -> Option<u64>;

/// The table: each loop with its result, and the instructions that the program executes.
///
/// # Errors
/// When there is no memory to run them in.
pub fn compiled(runs: usize) -> Result<(), String> {
    let title = "compiled by hand (M instr/s: of the program's instructions)";
    let mut rows = Table::new(title, &["program", "result", "CPU s", "M instr/s"]);
    let loops: [(&str, Loop, u64, f64); 3] = [
        ("sieve", sieve, 148_933, 36.3e6),
        ("hash table", table, u64::from(KEYS), 13.3e6),
        ("quicksort", quicksort, 0, 14.6e6),
    ];
    for (name, run, expected, instructions) in loops {
        let mut times = Vec::new();
        for _ in 0..runs.max(1) {
            let mut machine = Machine::new()?;
            let start = thread_time();
            let result = run(&mut machine);
            times.push((thread_time() - start).as_secs_f64());
            black_box(&machine.executed);
            if result != Some(expected) {
                return Err(format!("{name}: {result:?} instead of {expected}"));
            }
        }
        let time = median(times);
        rows.row(vec![
            name.to_owned(),
            expected.to_string(),
            format!("{time:.3}"),
            format!("{:.0}", instructions / time / 1e6),
        ]);
    }
    rows.print();
    Ok(())
}
