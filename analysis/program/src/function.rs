//! Functions: flat instruction vectors, blocks as ranges, edges with their parallel moves.

use crate::ids::{BlockId, FuncId, InstId, LocId, Reg, TypeId};
use crate::inst::{Inst, Operand, Span};
use serde::{Deserialize, Serialize};

/// A basic block: a range of its function's instructions, the last of which is a terminator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Position of its first instruction in [`Function::insts`].
    pub first: u32,
    /// Number of instructions.
    pub len: u32,
}

/// A control-flow edge. Taking it performs `moves` in parallel: the phis of `to`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// Where it leaves.
    pub from: BlockId,
    /// Where it arrives.
    pub to: BlockId,
    /// A span of [`Function::moves`].
    pub moves: Span,
}

/// One phi on one edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Move {
    /// The phi's register.
    pub dst: Reg,
    /// Its value on this edge, read before any move of the edge is made.
    pub src: Operand,
}

/// A source location.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Location {
    /// Source file as the compiler recorded it (directory joined if relative); empty if unknown.
    pub file: String,
    /// Line, from 1; 0 if unknown.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
    /// The call that was replaced by the code at this location, if it was inlined.
    pub inlined_at: Option<LocId>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// Its own id.
    pub id: FuncId,
    /// Types of its parameters; parameter `i` is register `i`.
    pub params: Vec<TypeId>,
    /// Their names, where bitcode has them; empty strings or nothing at all where it does not.
    pub param_names: Vec<String>,
    /// For each parameter passed `byval`: the size and alignment in bytes of the copy.
    pub byval: Vec<Option<(u64, u64)>>,
    /// What `-fsanitize=function` puts before its code: a signature and the hash of its type.
    pub prologue: Option<[u32; 2]>,
    /// Type of its result.
    pub ret: TypeId,
    /// Whether it takes further arguments.
    pub variadic: bool,
    /// Whether it is only declared; then all below is empty.
    pub declaration: bool,
    /// Where it is defined.
    pub location: LocId,
    /// Number of its first instruction in the whole program.
    pub first_inst: InstId,
    /// Its instructions.
    pub insts: Vec<Inst>,
    /// The source location of each instruction.
    pub locs: Vec<LocId>,
    /// For each instruction that is an LLVM call or invoke: its ordinal among the calls of this
    /// function in LLVM's order; `u32::MAX` for others. This names a call across rewriting.
    pub call_ordinals: Vec<u32>,
    /// Its blocks; 0 is the entry.
    pub blocks: Vec<Block>,
    /// Its control-flow edges.
    pub edges: Vec<Edge>,
    /// Type of each register.
    pub reg_types: Vec<TypeId>,
    /// Side table: parallel moves of edges.
    pub moves: Vec<Move>,
    /// Side table: arguments of calls.
    pub call_args: Vec<Operand>,
    /// The entries of `call_args` that calls pass `byval`: position, and size and alignment in
    /// bytes of the copy; sorted. The operand is the address of the original. Arguments beyond the
    /// parameters of a variadic callee are copied according to this alone.
    pub byval_args: Vec<(u32, u64, u64)>,
    /// Side table: terms of address computations: index, its width in bits, scale in bytes.
    pub gep_terms: Vec<(Operand, u32, i64)>,
    /// Side table: cases of switches: value (zero-extended) and edge.
    pub switch_cases: Vec<(u128, crate::ids::EdgeId)>,
    /// Side table: aggregate paths and shuffle masks.
    pub indices: Vec<u32>,
    /// Side table: texts of inline assembly and of unsupported instructions.
    pub asm_texts: Vec<String>,
}

impl Function {
    /// A declaration without parameters.
    pub fn declared(name: String, id: FuncId, ret: TypeId) -> Self {
        Function {
            name,
            id,
            params: Vec::new(),
            param_names: Vec::new(),
            byval: Vec::new(),
            prologue: None,
            ret,
            variadic: false,
            declaration: true,
            location: LocId(0),
            first_inst: InstId(0),
            insts: Vec::new(),
            locs: Vec::new(),
            call_ordinals: Vec::new(),
            blocks: Vec::new(),
            edges: Vec::new(),
            reg_types: Vec::new(),
            moves: Vec::new(),
            call_args: Vec::new(),
            byval_args: Vec::new(),
            gep_terms: Vec::new(),
            switch_cases: Vec::new(),
            indices: Vec::new(),
            asm_texts: Vec::new(),
        }
    }

    /// The block that holds the instruction at `position`.
    pub fn block_of(&self, position: usize) -> BlockId {
        let at = self
            .blocks
            .partition_point(|block| block.first as usize <= position);
        BlockId::new(at.saturating_sub(1))
    }
}
