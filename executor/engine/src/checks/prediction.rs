//! What an analysis predicts about pointers, as plain data, and what is said when it is wrong.
//!
//! The engine knows no analysis. It is told, for each register, which *classes* of objects a
//! pointer in it may lead to. A class is what the analysis does not tell apart, without contexts
//! but those of heap objects: a global, a function, the objects of one `alloca`, what a call hands
//! over in memory, the objects of one allocation context.

use plat_program::{FuncId, InstId, Reg};
use rustc_hash::FxHashMap;
use std::fmt;

/// A class of objects: a number below [`Prediction::classes`].
pub type Class = u32;

/// Which classes each register can point to.
#[derive(Clone, Default, Debug)]
pub struct Prediction {
    /// Number of classes.
    pub classes: u32,
    /// Sets of classes, each sorted.
    pub sets: Vec<Vec<Class>>,
    /// By function: the registers that point to anything, sorted, each with a position in `sets`.
    pub registers: Vec<Vec<(Reg, u32)>>,
    /// By global.
    pub globals: Vec<Option<Class>>,
    /// By function.
    pub functions: Vec<Option<Class>>,
    /// By `alloca`.
    pub stack: FxHashMap<InstId, Class>,
    /// By function: what its callers hand over in memory.
    pub frames: FxHashMap<FuncId, Class>,
    /// By allocation context: its calls, the allocating one first.
    pub heap: FxHashMap<Vec<InstId>, Class>,
    /// By function: whether direct calls of it were described by what they do and not by its body,
    /// so that nothing is known about the registers of that body.
    pub described: Vec<bool>,
    /// Arguments, environment, and what library functions without body keep.
    pub entry: Option<Class>,
}

impl Prediction {
    /// Calls of the longest allocation context.
    pub fn longest(&self) -> usize {
        self.heap.keys().map(Vec::len).max().unwrap_or(0)
    }

    /// What a register can point to.
    pub fn register(&self, function: FuncId, reg: Reg) -> &[Class] {
        let registers = self.registers.get(function.index());
        let set = registers.and_then(|registers| {
            let at = registers.binary_search_by_key(&reg, |&(reg, _)| reg).ok()?;
            self.sets.get(registers[at].1 as usize)
        });
        set.map_or(&[], Vec::as_slice)
    }

    /// The class of a heap object: that of the longest context that its calls begin with.
    pub fn heap_class(&self, calls: &[InstId]) -> Option<Class> {
        (1..=calls.len())
            .rev()
            .find_map(|length| self.heap.get(&calls[..length]).copied())
    }
}

/// Where a prediction was wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The instruction.
    pub inst: InstId,
    /// Its function.
    pub function: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// What was not foreseen.
    pub missing: Missing,
    /// How often it was met.
    pub count: u64,
}

/// What was not foreseen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Missing {
    /// A points-to set is too small.
    Object {
        /// The pointer: a register.
        pointer: String,
        /// The object, with where it comes from.
        object: String,
        /// Where in the object the first such access began, if the pointer was concrete.
        offset: Option<i64>,
    },
    /// Objects that one pointer can lead to are in different groups.
    Groups {
        /// An object with its group.
        first: String,
        /// An object of another group, or of none.
        second: String,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}: ", self.function)?,
            line => write!(out, "{}:{line}: ", self.file)?,
        }
        match &self.missing {
            Missing::Object {
                pointer,
                object,
                offset,
            } => {
                write!(out, "pts({pointer} in {}) lacks {object}", self.function)?;
                if let Some(offset) = offset {
                    write!(out, " at offset {offset}")?;
                }
            }
            Missing::Groups { first, second } => write!(
                out,
                "a pointer in {} reaches {first} and {second}",
                self.function
            )?,
        }
        match self.count {
            1 => Ok(()),
            count => write!(out, " ({count} times)"),
        }
    }
}

/// What checking a run against a prediction has come to.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Checked {
    /// Dereferences of concrete pointers that were looked at.
    pub dereferences: u64,
    /// Resolutions of symbolic pointers that were looked at.
    pub resolutions: u64,
    /// What was wrong, in program order.
    pub violations: Vec<Violation>,
}
