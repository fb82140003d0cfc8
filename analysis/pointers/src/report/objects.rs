//! Abstract objects and the call sites that name heap objects.

use serde::{Deserialize, Serialize};

/// A call, named so that it can be found again in the bitcode.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct CallSite {
    /// The calling function.
    pub function: String,
    /// Ordinal of the call among the calls of that function.
    pub call: u32,
    /// The called function; `*` for a call through a pointer.
    pub callee: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
}

/// What one element of a points-to set stands for. Contexts are call strings: positions in the
/// table of call sites, outermost call first.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum AbstractObject {
    /// A global variable.
    Global {
        /// Its symbol.
        name: String,
    },
    /// A function.
    Function {
        /// Its symbol.
        name: String,
    },
    /// The objects that one `alloca` makes.
    Stack {
        /// The function.
        function: String,
        /// The register that holds its address.
        register: u32,
        /// The calls through which the function was entered.
        context: Vec<u32>,
    },
    /// The objects allocated in one allocation context.
    Heap {
        /// The calls on the way, the allocating call last.
        chain: Vec<u32>,
    },
    /// The copy of an argument that is passed by value in memory.
    ByValue {
        /// The function.
        function: String,
        /// The position of the parameter.
        parameter: u32,
        /// The calls through which the function was entered.
        context: Vec<u32>,
    },
    /// The further arguments of a variadic function.
    VarArgs {
        /// The function.
        function: String,
        /// The calls through which the function was entered.
        context: Vec<u32>,
    },
    /// Memory mapped by a system call.
    Mapped {
        /// The calls on the way, the system call last.
        chain: Vec<u32>,
    },
    /// Memory that a library function without body keeps for itself.
    Library {
        /// The function.
        name: String,
    },
    /// The tables of the addresses of the argument and environment strings.
    Arguments,
    /// These strings.
    ArgumentText,
    /// Everything that unknown code owns or was given.
    External,
    /// Bytes on their way in a block copy; no pointer points here.
    Transit,
}

impl AbstractObject {
    /// The call string that names it, for those that have one.
    pub fn call_string(&self) -> &[u32] {
        match self {
            AbstractObject::Heap { chain } | AbstractObject::Mapped { chain } => chain,
            AbstractObject::Stack { context, .. }
            | AbstractObject::ByValue { context, .. }
            | AbstractObject::VarArgs { context, .. } => context,
            AbstractObject::Global { .. }
            | AbstractObject::Function { .. }
            | AbstractObject::Library { .. }
            | AbstractObject::Arguments
            | AbstractObject::ArgumentText
            | AbstractObject::External
            | AbstractObject::Transit => &[],
        }
    }
}
