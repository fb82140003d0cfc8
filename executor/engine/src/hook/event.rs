//! What hooks hear.

use crate::api::id::StateId;
use crate::api::summary::ForkKind;
use crate::hook::Location;
use plat_expr::{ExprId, Holder, Marks, Moves, ObjectId, Value};
use plat_memory::{AccessKind, Outcome};
use plat_program::{FuncId, InstId, TypeId};

/// A state was split off another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Forked {
    /// The state that was split.
    pub parent: StateId,
    /// At which instruction.
    pub inst: Option<InstId>,
    /// Why.
    pub kind: ForkKind,
}

/// A symbolic pointer was resolved.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Resolved<'e> {
    /// The pointer as the program has it.
    pub pointer: Value,
    /// The address as an expression of 64 bits.
    pub address: ExprId,
    /// Bytes of the access.
    pub size: u64,
    /// What the access is.
    pub kind: AccessKind,
    /// What it can lead to, each with its condition.
    pub outcomes: &'e [Outcome],
}

impl Resolved<'_> {
    /// The objects that the pointer can lead to, sorted. The memory model need not have excluded all
    /// that are impossible.
    pub fn objects(&self) -> Vec<ObjectId> {
        let targets = self.outcomes.iter().flat_map(|outcome| outcome.then.iter());
        let objects = targets.flatten().flat_map(|target| target.objects.iter());
        let mut objects: Vec<ObjectId> = objects.copied().collect();
        objects.sort_unstable();
        objects.dedup();
        objects
    }
}

/// Where memory was accessed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// In one object, at an offset from its start.
    Known(ObjectId, i64),
    /// At a symbolic address in one of several objects, or at several offsets of one.
    Symbolic(ExprId, Box<[ObjectId]>),
}

impl Holder for Place {
    fn mark(&self, marks: &mut Marks<'_>) {
        match self {
            Place::Known(..) => {}
            Place::Symbolic(address, _) => marks.expr(*address),
        }
    }

    fn relocate(&mut self, moves: &mut Moves) {
        match self {
            Place::Known(..) => {}
            Place::Symbolic(address, _) => moves.expr(address),
        }
    }
}

/// Memory was accessed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemoryAccess {
    /// How.
    pub kind: AccessKind,
    /// Where.
    pub place: Place,
    /// Bytes. Of a string that was read, those that have been looked at.
    pub size: u64,
    /// The instruction that did it.
    pub inst: InstId,
}

plat_expr::holder!(MemoryAccess { place } plain { kind, size, inst });

/// A call is about to be made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Call<'e> {
    /// The function that is called.
    pub function: FuncId,
    /// Its name.
    pub name: &'e str,
    /// The arguments.
    pub args: &'e [Value],
    /// Width in bits of each argument; 0 of structures and vectors.
    pub widths: &'e [u32],
    /// Type of the result at the call.
    pub ret: TypeId,
    /// Width in bits of the result; 0 of none, structures and vectors.
    pub ret_bits: u32,
}

impl Call<'_> {
    /// Argument `at`; zero if the call has fewer, as on the machine.
    pub fn arg(&self, at: usize) -> Value {
        self.args.get(at).copied().unwrap_or(Value::Int(0))
    }

    /// Width in bits of argument `at`.
    pub fn width(&self, at: usize) -> u32 {
        self.widths.get(at).copied().unwrap_or(64)
    }
}

/// A function is about to return.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Returned<'e> {
    /// The function.
    pub function: FuncId,
    /// Its name.
    pub name: &'e str,
    /// The result, if it has one.
    pub value: Option<Value>,
    /// Width in bits of the result; 0 of none, structures and vectors.
    pub bits: u32,
}

/// A call through a pointer is about to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct IndirectCall {
    /// The pointer.
    pub pointer: Value,
    /// The function that it leads to.
    pub function: FuncId,
}

/// A location was reached.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Reached<'e> {
    /// The instruction that is about to be executed.
    pub inst: InstId,
    /// The location as the hook asked for it.
    pub location: &'e Location,
}

/// A path is about to decide something by an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// A condition of a branch, an address, a size, a value that is made concrete.
    pub expr: ExprId,
    /// Whether nothing is decided, but the compiler's `freeze` gives a value to what may have none.
    pub freezes: bool,
}

/// A block of the heap or the stack was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Allocated {
    /// The block.
    pub object: ObjectId,
    /// Its bytes; of a symbolic size, the most.
    pub size: u64,
}

/// A path is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Split {
    /// At which instruction.
    pub inst: Option<InstId>,
    /// Why.
    pub kind: ForkKind,
    /// Into how many parts, at least two.
    pub parts: usize,
}
