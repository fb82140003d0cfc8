//! Functions: declarations, then bodies in two passes, then the moves of control-flow edges.

use crate::llvm::{BasicBlock, Value};
use crate::reader::{Reader, Symbol, symbol_name};
use inkwell::llvm_sys::LLVMOpcode::*;
use plat_program::{Block, Edge, Function, Move};
use plat_program::{BlockId, EdgeId, FuncId, LocId, Reg, TypeId};
use plat_program::{Inst, Operand, Span};
use rustc_hash::FxHashMap;

/// Calls of these do nothing in an execution; only those that return nothing are dropped.
const INERT: &[&str] = &[
    "llvm.dbg.",
    "llvm.lifetime.",
    "llvm.assume",
    "llvm.experimental.noalias.scope.decl",
    "llvm.donothing",
    "llvm.sideeffect",
    "llvm.pseudoprobe",
    "llvm.var.annotation",
    "llvm.invariant.end",
];

/// Why an instruction cannot be represented.
pub type Unsupported = std::borrow::Cow<'static, str>;

/// The state of reading one body.
pub struct Body<'r, 'm> {
    pub reader: &'r mut Reader<'m>,
    pub function: Function,
    /// Registers of parameters and instructions.
    pub values: FxHashMap<Value<'m>, Operand>,
    blocks: FxHashMap<BasicBlock<'m>, BlockId>,
    /// The block being read.
    block: BlockId,
    /// Edges of the block being read, one per successor block.
    edges: Vec<(BlockId, EdgeId)>,
    /// Number of LLVM calls met so far.
    pub calls: u32,
}

impl<'m> Reader<'m> {
    /// Numbers all functions.
    pub fn declare_functions(&mut self) -> Vec<Value<'m>> {
        let functions = self.module.functions();
        let (byval, align) = self.copied;
        for (at, &value) in functions.iter().enumerate() {
            let id = FuncId::new(at);
            let name = symbol_name(value);
            let parameters = value.parameters();
            let copy = |at: usize| {
                let ty = value.type_attribute(at as u32, byval)?;
                let own = value.int_attribute(at as u32, align);
                let align = own.unwrap_or_else(|| self.module.abi_align(ty).max(8));
                Some((self.module.alloc_size(ty), align))
            };
            let byval = (0..parameters.len()).map(copy).collect();
            let ty = value.value_type();
            let function = Function {
                param_names: parameters.iter().map(|p| p.name()).collect(),
                params: parameters.iter().map(|p| self.type_or_void(*p)).collect(),
                byval,
                prologue: value.prologue(self.prologue_kind),
                ret: self.ty(ty.result()).unwrap_or(self.void),
                variadic: ty.is_variadic(),
                declaration: value.is_declaration(),
                location: self.locations.of_definition(value),
                ..Function::declared(name.clone(), id, self.void)
            };
            self.symbols.insert(value, Symbol::Function(id));
            self.inert
                .push(INERT.iter().any(|prefix| name.starts_with(prefix)));
            self.program.function_names.insert(name, id);
            self.program.functions.push(function);
        }
        functions
    }

    fn type_or_void(&mut self, value: Value<'m>) -> TypeId {
        self.ty(value.ty()).unwrap_or(self.void)
    }

    /// The name of an intrinsic; `None` for other values.
    pub fn intrinsic(&self, callee: Value<'m>) -> Option<&str> {
        match self.symbols.get(&callee) {
            Some(Symbol::Function(id)) => {
                let name = self.program.functions[id.index()].name.as_str();
                name.starts_with("llvm.").then_some(name)
            }
            _ => None,
        }
    }

    /// Reads the body of a defined function.
    pub fn read_body(&mut self, id: FuncId, value: Value<'m>) {
        let void = self.void;
        let slot = &mut self.program.functions[id.index()];
        let function = std::mem::replace(slot, Function::declared(String::new(), id, void));
        let blocks = value.blocks();
        let body = Body {
            reader: self,
            function,
            values: FxHashMap::default(),
            blocks: blocks
                .iter()
                .enumerate()
                .map(|(at, &block)| (block, BlockId::new(at)))
                .collect(),
            block: BlockId(0),
            edges: Vec::new(),
            calls: 0,
        };
        let function = body.read(value, &blocks);
        self.program.functions[id.index()] = function;
    }
}

impl<'m> Body<'_, 'm> {
    fn read(mut self, value: Value<'m>, blocks: &[BasicBlock<'m>]) -> Function {
        for (parameter, ty) in value
            .parameters()
            .into_iter()
            .zip(self.function.params.clone())
        {
            self.new_register(parameter, ty);
        }
        let blocks: Vec<_> = blocks.iter().map(|block| block.instructions()).collect();
        for &inst in blocks.iter().flatten() {
            let ty = self.reader.ty(inst.ty());
            if let Ok(ty) = ty
                && ty != self.reader.void
            {
                self.new_register(inst, ty);
            }
        }
        let mut phis = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            self.block = BlockId::new(at);
            self.edges.clear();
            let first = self.function.insts.len();
            for &inst in block {
                match self.values.get(&inst).copied().and_then(Operand::as_reg) {
                    Some(reg) if inst.opcode() == LLVMPHI => phis.push((self.block, reg, inst)),
                    _ => self.read_inst(inst),
                }
            }
            let len = (self.function.insts.len() - first) as u32;
            self.function.blocks.push(Block {
                first: first as u32,
                len,
            });
        }
        self.resolve_phis(&phis);
        self.function
    }

    fn new_register(&mut self, value: Value<'m>, ty: TypeId) {
        let reg = Reg::new(self.function.reg_types.len());
        self.function.reg_types.push(ty);
        self.values.insert(value, Operand::reg(reg));
    }

    /// Gives each edge the moves that the phis of its target make on it.
    fn resolve_phis(&mut self, phis: &[(BlockId, Reg, Value<'m>)]) {
        let mut moves: FxHashMap<(BlockId, BlockId), Vec<Move>> = FxHashMap::default();
        for &(to, dst, phi) in phis {
            for (value, from) in phi.incoming() {
                let src = self.operand_or_unsupported(value);
                let list = moves.entry((self.block_id(from), to)).or_default();
                // A switch may reach a block several times; its values are then equal.
                if list.last().is_none_or(|last| last.dst != dst) {
                    list.push(Move { dst, src });
                }
            }
        }
        for edge in &mut self.function.edges {
            if let Some(list) = moves.get(&(edge.from, edge.to)) {
                let start = self.function.moves.len() as u32;
                edge.moves = Span {
                    start,
                    len: list.len() as u32,
                };
                self.function.moves.extend(list);
            }
        }
    }

    /// The id of a block of this function.
    pub fn block_id(&self, block: BasicBlock<'m>) -> BlockId {
        self.blocks[&block]
    }

    /// The edge from the block being read to `to`.
    pub fn edge(&mut self, to: BasicBlock<'m>) -> EdgeId {
        let to = self.block_id(to);
        if let Some(known) = self.edges.iter().find(|known| known.0 == to) {
            return known.1;
        }
        let id = EdgeId::new(self.function.edges.len());
        self.function.edges.push(Edge {
            from: self.block,
            to,
            moves: Span::default(),
        });
        self.edges.push((to, id));
        id
    }

    /// The operand that stands for a value; `Err` if it comes from an instruction whose result
    /// cannot be represented.
    pub fn operand(&mut self, value: Value<'m>) -> Result<Operand, Unsupported> {
        if let Some(&known) = self.values.get(&value) {
            return Ok(known);
        }
        // Metadata arguments of intrinsics become unsupported constants: harmless unless read.
        let metadata = inkwell::llvm_sys::LLVMValueKind::LLVMMetadataAsValueValueKind;
        if value.is_constant() || value.kind() == metadata {
            return Ok(Operand::constant(self.reader.constant(value)));
        }
        Err("use of a value that plat does not represent".into())
    }

    fn operand_or_unsupported(&mut self, value: Value<'m>) -> Operand {
        self.operand(value).unwrap_or_else(|why| {
            let constant = plat_program::Constant::Unsupported(why.into_owned());
            Operand::constant(self.reader.intern(constant))
        })
    }

    /// Appends an instruction.
    pub fn push(&mut self, inst: Inst, location: LocId, ordinal: u32) {
        self.function.insts.push(inst);
        self.function.locs.push(location);
        self.function.call_ordinals.push(ordinal);
    }

    /// The index of a text in the table of texts.
    pub fn text(&mut self, text: String) -> u32 {
        self.function.asm_texts.push(text);
        (self.function.asm_texts.len() - 1) as u32
    }
}
