//! A numbering of a program that depends only on what the program says.
//!
//! Types, constants, locations, edges and the entries of side tables are numbered in the order in
//! which the program mentions them. Unmentioned ones are dropped, and equal ones become one.
//! Functions, globals, blocks, registers and instructions keep their numbers.

use crate::constant::{Constant, Global, Initializer, Relocation};
use crate::function::{Edge, Function, Location, Move};
use crate::ids::{BlockId, ConstId, EdgeId, LocId, TypeId};
use crate::inst::{Call, Callee, Inst, Operand, Span};
use crate::program::Program;
use crate::types::{Type, Types};
use rustc_hash::FxHashMap;

impl Program {
    /// The same program with its tables in the order in which they are used. Two programs that
    /// have the same text are equal after this.
    ///
    /// The program is well-formed ([`crate::verify()`]).
    pub fn renumbered(&self) -> Program {
        let mut new = Tables::new(self);
        let globals = self.globals.iter().map(|global| new.global(global));
        let globals = globals.collect();
        let functions = self.functions.iter().map(|function| new.function(function));
        let functions = functions.collect();
        Program {
            name: self.name.clone(),
            types: new.types,
            constants: new.constants,
            globals,
            functions,
            locations: new.locations,
            constructors: self.constructors.clone(),
            destructors: self.destructors.clone(),
            function_names: self.function_names.clone(),
            global_names: self.global_names.clone(),
            annotations: self.annotations.clone(),
        }
    }
}

/// The new tables of the program, and what the entries of the old ones became.
struct Tables<'p> {
    old: &'p Program,
    types: Types,
    constants: Vec<Constant>,
    locations: Vec<Location>,
    of_type: Vec<Option<TypeId>>,
    of_constant: Vec<Option<ConstId>>,
    of_location: Vec<Option<LocId>>,
    constant_ids: FxHashMap<Constant, ConstId>,
    location_ids: FxHashMap<Location, LocId>,
}

impl<'p> Tables<'p> {
    fn new(old: &'p Program) -> Self {
        let mut of_location = vec![None; old.locations.len().max(1)];
        of_location[0] = Some(LocId(0));
        Self {
            old,
            types: Types::default(),
            constants: Vec::new(),
            locations: vec![Location::default()],
            of_type: vec![None; old.types.len()],
            of_constant: vec![None; old.constants.len()],
            of_location,
            constant_ids: FxHashMap::default(),
            location_ids: FxHashMap::default(),
        }
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        if let Some(known) = self.of_type[id.index()] {
            return known;
        }
        let ty = match self.old.types.get(id) {
            Type::Struct { fields, size } => {
                let fields = fields.iter().map(|&(offset, ty)| (offset, self.ty(ty)));
                Type::Struct {
                    fields: fields.collect(),
                    size: *size,
                }
            }
            Type::Array(element, stride, count) => Type::Array(self.ty(*element), *stride, *count),
            Type::Vector(element, count) => Type::Vector(self.ty(*element), *count),
            scalar => scalar.clone(),
        };
        let new = self.types.intern(ty);
        self.of_type[id.index()] = Some(new);
        new
    }

    fn constant(&mut self, id: ConstId) -> ConstId {
        if let Some(known) = self.of_constant[id.index()] {
            return known;
        }
        let constant = match self.old.constant(id) {
            Constant::Undef(ty) => Constant::Undef(self.ty(*ty)),
            Constant::Poison(ty) => Constant::Poison(self.ty(*ty)),
            Constant::Zero(ty) => Constant::Zero(self.ty(*ty)),
            Constant::Aggregate(ty, elements) => {
                let ty = self.ty(*ty);
                let elements = elements.iter().map(|&id| self.constant(id));
                Constant::Aggregate(ty, elements.collect())
            }
            Constant::Binary(op, width, lhs, rhs) => {
                Constant::Binary(*op, *width, self.constant(*lhs), self.constant(*rhs))
            }
            Constant::Cast(op, from, to, value) => {
                Constant::Cast(*op, *from, *to, self.constant(*value))
            }
            Constant::Compare(predicate, width, lhs, rhs) => {
                Constant::Compare(*predicate, *width, self.constant(*lhs), self.constant(*rhs))
            }
            other => other.clone(),
        };
        let next = ConstId::new(self.constants.len());
        let new = *self.constant_ids.entry(constant.clone()).or_insert(next);
        if new == next {
            self.constants.push(constant);
        }
        self.of_constant[id.index()] = Some(new);
        new
    }

    fn location(&mut self, id: LocId) -> LocId {
        // Callers before what was inlined into them. Chains may be too long for recursion.
        let mut chain = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next
            && self.of_location[id.index()].is_none()
        {
            chain.push(id);
            next = self.old.location(id).inlined_at;
        }
        for id in chain.into_iter().rev() {
            let old = self.old.location(id);
            let inlined_at = old.inlined_at.and_then(|at| self.of_location[at.index()]);
            let location = Location {
                inlined_at,
                ..old.clone()
            };
            let next = LocId::new(self.locations.len());
            let new = *self.location_ids.entry(location.clone()).or_insert(next);
            if new == next {
                self.locations.push(location);
            }
            self.of_location[id.index()] = Some(new);
        }
        self.of_location[id.index()].unwrap_or(LocId(0))
    }

    fn global(&mut self, global: &Global) -> Global {
        let initializer = global.initializer.as_ref().map(|image| {
            let relocations = image.relocations.iter().map(|relocation| Relocation {
                value: self.constant(relocation.value),
                ..relocation.clone()
            });
            Initializer {
                relocations: relocations.collect(),
                bytes: image.bytes.clone(),
            }
        });
        Global {
            initializer,
            location: self.location(global.location),
            ..global.clone()
        }
    }

    fn function(&mut self, function: &Function) -> Function {
        let mut new = Function {
            name: function.name.clone(),
            params: function.params.iter().map(|&ty| self.ty(ty)).collect(),
            ret: self.ty(function.ret),
            location: self.location(function.location),
            locs: function.locs.iter().map(|&at| self.location(at)).collect(),
            reg_types: function.reg_types.iter().map(|&ty| self.ty(ty)).collect(),
            insts: Vec::with_capacity(function.insts.len()),
            param_names: function.param_names.clone(),
            byval: function.byval.clone(),
            prologue: function.prologue,
            variadic: function.variadic,
            declaration: function.declaration,
            first_inst: function.first_inst,
            call_ordinals: function.call_ordinals.clone(),
            blocks: function.blocks.clone(),
            ..Function::declared(String::new(), function.id, function.ret)
        };
        if new.param_names.iter().all(String::is_empty) {
            new.param_names.clear();
        }
        let mut body = Body {
            tables: self,
            old: function,
            new: &mut new,
            edges: FxHashMap::default(),
        };
        for at in 0..function.insts.len() {
            let inst = body.inst(function.block_of(at), function.insts[at]);
            body.new.insts.push(inst);
        }
        new
    }
}

/// The new side tables of one function.
struct Body<'a, 'p> {
    tables: &'a mut Tables<'p>,
    old: &'a Function,
    new: &'a mut Function,
    /// Edges by where they leave and arrive, and their moves.
    edges: FxHashMap<(BlockId, BlockId, Vec<Move>), EdgeId>,
}

impl Body<'_, '_> {
    fn ty(&mut self, id: TypeId) -> TypeId {
        self.tables.ty(id)
    }

    fn op(&mut self, operand: Operand) -> Operand {
        match operand.as_constant() {
            Some(id) => Operand::constant(self.tables.constant(id)),
            None => operand,
        }
    }

    fn edge(&mut self, from: BlockId, id: EdgeId) -> EdgeId {
        let edge = self.old.edges[id.index()];
        let old = self.old;
        let moves = old.moves[edge.moves.range()].iter().map(|step| Move {
            dst: step.dst,
            src: self.op(step.src),
        });
        let moves: Vec<Move> = moves.collect();
        let next = EdgeId::new(self.new.edges.len());
        let key = (from, edge.to, moves.clone());
        let id = *self.edges.entry(key).or_insert(next);
        if id == next {
            let moves = append(&mut self.new.moves, moves);
            let to = edge.to;
            self.new.edges.push(Edge { from, to, moves });
        }
        id
    }

    fn args(&mut self, span: Span) -> Span {
        let (old, start) = (self.old, self.new.call_args.len() as u32);
        let copies = &old.byval_args;
        let first = copies.partition_point(|copy| copy.0 < span.start);
        let copies = copies[first..].iter();
        for &(at, size, align) in copies.take_while(|copy| copy.0 < span.start + span.len) {
            let at = start + (at - span.start);
            self.new.byval_args.push((at, size, align));
        }
        let args = old.call_args[span.range()].iter().map(|&arg| self.op(arg));
        let args: Vec<Operand> = args.collect();
        append(&mut self.new.call_args, args)
    }

    fn indices(&mut self, span: Span) -> Span {
        let indices = self.old.indices[span.range()].to_vec();
        append(&mut self.new.indices, indices)
    }

    fn text(&mut self, at: u32) -> u32 {
        let text = self.old.asm_texts[at as usize].clone();
        self.new.asm_texts.push(text);
        (self.new.asm_texts.len() - 1) as u32
    }

    fn call(&mut self, call: Call) -> Call {
        Call {
            callee: match call.callee {
                Callee::Direct(id) => Callee::Direct(id),
                Callee::Indirect(operand) => Callee::Indirect(self.op(operand)),
                Callee::Asm(text) => Callee::Asm(self.text(text)),
            },
            args: self.args(call.args),
            ret: self.ty(call.ret),
        }
    }

    fn inst(&mut self, block: BlockId, mut inst: Inst) -> Inst {
        match &mut inst {
            Inst::Binary { ty, lhs, rhs, .. }
            | Inst::Compare { ty, lhs, rhs, .. }
            | Inst::Float { ty, lhs, rhs, .. }
            | Inst::FloatCompare { ty, lhs, rhs, .. } => {
                *ty = self.ty(*ty);
                (*lhs, *rhs) = (self.op(*lhs), self.op(*rhs));
            }
            Inst::Cast {
                from, to, value, ..
            } => {
                (*from, *to) = (self.ty(*from), self.ty(*to));
                *value = self.op(*value);
            }
            Inst::Select {
                ty,
                cond,
                then,
                otherwise,
                ..
            } => {
                *ty = self.ty(*ty);
                *cond = self.op(*cond);
                (*then, *otherwise) = (self.op(*then), self.op(*otherwise));
            }
            Inst::Freeze { ty, value, .. } => {
                *ty = self.ty(*ty);
                *value = self.op(*value);
            }
            Inst::LandingPad { ty, clauses, .. } => {
                *ty = self.ty(*ty);
                *clauses = self.args(*clauses);
            }
            Inst::Call { call, .. } => *call = self.call(*call),
            Inst::Unsupported { what, .. } => *what = self.text(*what),
            Inst::ExtractValue { .. }
            | Inst::InsertValue { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. } => self.aggregate(&mut inst),
            other if other.is_terminator() => self.terminator(block, other),
            other => self.memory(other),
        }
        inst
    }

    fn aggregate(&mut self, inst: &mut Inst) {
        match inst {
            Inst::ExtractValue {
                ty,
                aggregate,
                path,
                ..
            } => {
                *ty = self.ty(*ty);
                *aggregate = self.op(*aggregate);
                *path = self.indices(*path);
            }
            Inst::InsertValue {
                ty,
                aggregate,
                element,
                path,
                ..
            } => {
                *ty = self.ty(*ty);
                (*aggregate, *element) = (self.op(*aggregate), self.op(*element));
                *path = self.indices(*path);
            }
            Inst::ExtractElement {
                ty, vector, index, ..
            } => {
                *ty = self.ty(*ty);
                (*vector, *index) = (self.op(*vector), self.op(*index));
            }
            Inst::InsertElement {
                ty,
                vector,
                element,
                index,
                ..
            } => {
                *ty = self.ty(*ty);
                (*vector, *element) = (self.op(*vector), self.op(*element));
                *index = self.op(*index);
            }
            Inst::Shuffle {
                ty, lhs, rhs, mask, ..
            } => {
                *ty = self.ty(*ty);
                (*lhs, *rhs) = (self.op(*lhs), self.op(*rhs));
                *mask = self.indices(*mask);
            }
            _ => {}
        }
    }

    fn memory(&mut self, inst: &mut Inst) {
        match inst {
            Inst::Alloca {
                count, count_ty, ..
            } => {
                *count = self.op(*count);
                *count_ty = self.ty(*count_ty);
            }
            Inst::Load { ty, pointer, .. } => {
                *ty = self.ty(*ty);
                *pointer = self.op(*pointer);
            }
            Inst::Store {
                ty, value, pointer, ..
            } => {
                *ty = self.ty(*ty);
                (*value, *pointer) = (self.op(*value), self.op(*pointer));
            }
            Inst::Gep { base, terms, .. } => {
                *base = self.op(*base);
                let old = self.old.gep_terms[terms.range()].iter();
                let new = old.map(|&(index, width, scale)| (self.op(index), width, scale));
                let new: Vec<_> = new.collect();
                *terms = append(&mut self.new.gep_terms, new);
            }
            Inst::AtomicRmw {
                ty, pointer, value, ..
            } => {
                *ty = self.ty(*ty);
                (*pointer, *value) = (self.op(*pointer), self.op(*value));
            }
            Inst::CompareExchange {
                ty,
                pointer,
                expected,
                new,
                ..
            } => {
                *ty = self.ty(*ty);
                *pointer = self.op(*pointer);
                (*expected, *new) = (self.op(*expected), self.op(*new));
            }
            _ => {}
        }
    }

    fn terminator(&mut self, block: BlockId, inst: &mut Inst) {
        match inst {
            Inst::Jump { edge } => *edge = self.edge(block, *edge),
            Inst::Branch {
                cond,
                then,
                otherwise,
            } => {
                *cond = self.op(*cond);
                *then = self.edge(block, *then);
                *otherwise = self.edge(block, *otherwise);
            }
            Inst::Switch {
                ty,
                value,
                cases,
                default,
            } => {
                *ty = self.ty(*ty);
                *value = self.op(*value);
                // The default first, as it is in bitcode.
                *default = self.edge(block, *default);
                let old = self.old.switch_cases[cases.range()].iter();
                let new = old.map(|&(case, edge)| (case, self.edge(block, edge)));
                let new: Vec<_> = new.collect();
                *cases = append(&mut self.new.switch_cases, new);
            }
            Inst::Return { value: Some(value) } | Inst::Resume { value } => {
                *value = self.op(*value);
            }
            Inst::Invoke {
                call,
                normal,
                unwind,
                ..
            } => {
                *call = self.call(*call);
                *normal = self.edge(block, *normal);
                *unwind = self.edge(block, *unwind);
            }
            _ => {}
        }
    }
}

/// Appends entries to a side table.
fn append<T>(table: &mut Vec<T>, entries: Vec<T>) -> Span {
    let start = table.len() as u32;
    let len = entries.len() as u32;
    table.extend(entries);
    Span { start, len }
}
