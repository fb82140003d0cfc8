//! What a hook wants to hear.

use plat_memory::AccessKind;
use std::fmt;

/// Kinds of memory accesses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Accesses {
    /// Reads.
    pub reads: bool,
    /// Writes.
    pub writes: bool,
    /// Blocks of the heap that the program frees.
    pub frees: bool,
}

impl Accesses {
    /// All accesses.
    pub const ALL: Accesses = Accesses {
        reads: true,
        writes: true,
        frees: true,
    };
    /// Reads only.
    pub const READS: Accesses = Accesses {
        reads: true,
        writes: false,
        frees: false,
    };
    /// Writes only.
    pub const WRITES: Accesses = Accesses {
        reads: false,
        writes: true,
        frees: false,
    };
    /// Frees only.
    pub const FREES: Accesses = Accesses {
        reads: false,
        writes: false,
        frees: true,
    };

    /// Whether an access is among them.
    pub fn include(self, kind: AccessKind) -> bool {
        match kind {
            AccessKind::Read => self.reads,
            AccessKind::Write => self.writes,
            AccessKind::Free => self.frees,
        }
    }

    /// Those of either.
    pub(super) fn or(self, other: Accesses) -> Accesses {
        Accesses {
            reads: self.reads || other.reads,
            writes: self.writes || other.writes,
            frees: self.frees || other.frees,
        }
    }
}

/// A place in the program at which a hook wants to be asked.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Location {
    /// An instruction of a function: its position, from 0.
    Instruction {
        /// The function.
        function: String,
        /// The position.
        position: u32,
    },
    /// The start of a basic block of a function: its number, from 0.
    Block {
        /// The function.
        function: String,
        /// The number.
        block: u32,
    },
    /// A line of a source file. Reached where the code of a block comes to the line, once for each
    /// stretch of instructions that belong to it.
    Line {
        /// The file, or the end of its path: `parse.c`, `src/parse.c`.
        file: String,
        /// The line, from 1.
        line: u32,
    },
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Instruction { function, position } => {
                write!(out, "instruction {position} of {function}")
            }
            Location::Block { function, block } => write!(out, "block {block} of {function}"),
            Location::Line { file, line } => write!(out, "{file}:{line}"),
        }
    }
}

/// A function that a hook watches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Watched {
    pub name: String,
    pub parameters: Option<usize>,
}

/// What a hook hears.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Interest {
    pub(super) start: bool,
    pub(super) forks: bool,
    pub(super) resolutions: bool,
    pub(super) accesses: Accesses,
    pub(super) indirect_calls: bool,
    pub(super) ends: bool,
    pub(super) decisions: bool,
    pub(super) allocations: bool,
    pub(super) watched_accesses: Accesses,
    pub(super) watched_splits: bool,
    pub(super) all_registers: bool,
    pub(super) pauses: bool,
    pub(super) calls: Vec<Watched>,
    pub(super) returns: Vec<Watched>,
    pub(super) locations: Vec<Location>,
}

impl Interest {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The start of every initial state.
    #[must_use]
    pub fn start(mut self) -> Self {
        self.start = true;
        self
    }

    /// Every state that is split off.
    #[must_use]
    pub fn forks(mut self) -> Self {
        self.forks = true;
        self
    }

    /// Resolutions of symbolic pointers.
    #[must_use]
    pub fn resolutions(mut self) -> Self {
        self.resolutions = true;
        self
    }

    /// Memory accesses of these kinds. All instructions take the slow way then: measure.
    #[must_use]
    pub fn accesses(mut self, kinds: Accesses) -> Self {
        self.accesses = self.accesses.or(kinds);
        self
    }

    /// Memory accesses of these kinds, at once and without the possibility to change anything
    /// ([`Hook::watch_access`](super::Hook::watch_access)). Costs less than [`Interest::accesses`], but
    /// the same holds: all instructions take the slow way.
    #[must_use]
    pub fn watch_accesses(mut self, kinds: Accesses) -> Self {
        self.watched_accesses = self.watched_accesses.or(kinds);
        self
    }

    /// Splits of paths, at once and without the possibility to change anything.
    #[must_use]
    pub fn watch_splits(mut self) -> Self {
        self.watched_splits = true;
        self
    }

    /// What paths decide by: conditions, addresses and sizes that depend on the input.
    #[must_use]
    pub fn decisions(mut self) -> Self {
        self.decisions = true;
        self
    }

    /// Blocks of the heap and the stack that are made. Those of the stack leave the fast paths. Blocks
    /// of `calloc` are zeroed after the event, and a symbolic size of one takes a path for each value.
    #[must_use]
    pub fn allocations(mut self) -> Self {
        self.allocations = true;
        self
    }

    /// All registers at every event: frames keep also those that the program does not read any more.
    /// Costs memory where many states wait.
    #[must_use]
    pub fn all_registers(mut self) -> Self {
        self.all_registers = true;
        self
    }

    /// Pauses that the hook asks for itself, see [`Access::pause`](super::Access::pause).
    #[must_use]
    pub fn pauses(mut self) -> Self {
        self.pauses = true;
        self
    }

    /// Calls of a function, by its name in the module. Heard are all calls that the program makes,
    /// also of functions that plat carries out itself, and through pointers; not those that the
    /// compiler has inlined or turned into instructions or intrinsics of LLVM (`memcpy` often is
    /// `llvm.memcpy.p0.p0.i64`).
    #[must_use]
    pub fn call(mut self, function: impl Into<String>) -> Self {
        self.calls.push(Watched {
            name: function.into(),
            parameters: None,
        });
        self
    }

    /// The same for a function that must have so many parameters.
    #[must_use]
    pub fn call_with(mut self, function: impl Into<String>, parameters: usize) -> Self {
        self.calls.push(Watched {
            name: function.into(),
            parameters: Some(parameters),
        });
        self
    }

    /// Returns from a function.
    #[must_use]
    pub fn returns(mut self, function: impl Into<String>) -> Self {
        self.returns.push(Watched {
            name: function.into(),
            parameters: None,
        });
        self
    }

    /// Calls through pointers, whatever they lead to.
    #[must_use]
    pub fn indirect_calls(mut self) -> Self {
        self.indirect_calls = true;
        self
    }

    /// A line of a source file, see [`Location::Line`].
    #[must_use]
    pub fn line(self, file: impl Into<String>, line: u32) -> Self {
        self.location(Location::Line {
            file: file.into(),
            line,
        })
    }

    /// An instruction of a function: its position, from 0.
    #[must_use]
    pub fn instruction(self, function: impl Into<String>, position: u32) -> Self {
        self.location(Location::Instruction {
            function: function.into(),
            position,
        })
    }

    /// The start of a basic block of a function: its number, from 0.
    #[must_use]
    pub fn block(self, function: impl Into<String>, block: u32) -> Self {
        self.location(Location::Block {
            function: function.into(),
            block,
        })
    }

    /// A location.
    #[must_use]
    pub fn location(mut self, location: Location) -> Self {
        self.locations.push(location);
        self
    }

    /// The ends of paths.
    #[must_use]
    pub fn ends(mut self) -> Self {
        self.ends = true;
        self
    }
}
