//! Which parts of a program can exchange data at all: an equivalence relation on values, variables
//! and functions.
//!
//! An instruction connects all its operands, a call its arguments and parameters, a variable what
//! its initializer refers to. This is the coarsest data flow there is, and linear (union-find). In
//! most programs nearly everything is in one class. Programs that were linked together, and parts
//! that never exchange data, are in different classes, and a call through a pointer is not expected
//! to reach a function of another class.
//!
//! The relation is a heuristic. It decides where call strings are worth their cost and is not needed
//! for soundness.

use petgraph::unionfind::UnionFind;
use plat_program::{Call, Callee, ConstId, Constant, Function, Inst, Operand, Program, Reg};

/// The classes.
pub struct Connected<'a> {
    program: &'a Program,
    classes: UnionFind<u32>,
    /// The first register of each function; its result follows the last.
    registers: Vec<u32>,
    functions: u32,
    globals: u32,
}

impl<'a> Connected<'a> {
    /// Finds the classes.
    pub fn new(program: &'a Program) -> Self {
        let mut next = 0;
        let mut registers = Vec::with_capacity(program.functions.len());
        for function in &program.functions {
            registers.push(next);
            next += function.reg_types.len().max(function.params.len()) as u32 + 1;
        }
        let functions = next;
        let globals = functions + program.functions.len() as u32;
        let mut connected = Self {
            program,
            classes: UnionFind::new(globals as usize + program.globals.len()),
            registers,
            functions,
            globals,
        };
        for (at, global) in (globals..).zip(&program.globals) {
            let initial = global.initializer.iter();
            for relocation in initial.flat_map(|initial| &initial.relocations) {
                connected.constant(at, relocation.value);
            }
        }
        for function in &program.functions {
            connected.body(function);
        }
        connected
    }

    /// The class of a function's address.
    pub fn of_function(&mut self, function: &Function) -> u32 {
        self.find(self.functions + function.id.0)
    }

    /// The class of the value of an operand in a function; none if that is a mere number.
    pub fn of_operand(&mut self, function: &Function, operand: Operand) -> Option<u32> {
        match operand.as_constant() {
            Some(id) => {
                let named = self.named(id).first().copied();
                named.map(|element| self.find(element))
            }
            None => operand
                .as_reg()
                .map(|reg| self.find(self.register(function, reg))),
        }
    }

    fn register(&self, function: &Function, reg: Reg) -> u32 {
        self.registers[function.id.index()] + reg.0
    }

    fn result(&self, function: &Function) -> u32 {
        let next = self.registers.get(function.id.index() + 1);
        next.copied().unwrap_or(self.functions) - 1
    }

    fn find(&mut self, element: u32) -> u32 {
        self.classes.find_mut(element)
    }

    fn unite(&mut self, one: u32, other: u32) {
        self.classes.union(one, other);
    }

    fn constant(&mut self, element: u32, id: ConstId) {
        for named in self.named(id) {
            self.unite(element, named);
        }
    }

    fn operand(&mut self, function: &Function, element: u32, operand: Operand) {
        match (operand.as_constant(), operand.as_reg()) {
            (Some(id), _) => self.constant(element, id),
            (None, Some(reg)) => self.unite(element, self.register(function, reg)),
            (None, None) => {}
        }
    }

    /// The variables and functions whose addresses a constant is made of. Who has the address of a
    /// function may pass it arguments.
    fn named(&mut self, id: ConstId) -> Vec<u32> {
        let program = self.program;
        let (mut named, mut open) = (Vec::new(), vec![id]);
        while let Some(id) = open.pop() {
            match program.constant(id) {
                Constant::Global(global, _) => named.push(self.globals + global.0),
                Constant::Function(id) => {
                    let function = program.function(*id);
                    let own = self.functions + id.0;
                    for at in 0..function.params.len() {
                        self.unite(own, self.register(function, Reg::new(at)));
                    }
                    self.unite(own, self.result(function));
                    named.push(own);
                }
                Constant::Aggregate(_, elements) => open.extend(elements),
                Constant::Binary(_, _, lhs, rhs) => open.extend([*lhs, *rhs]),
                Constant::Cast(_, _, _, value) => open.push(*value),
                _ => {}
            }
        }
        named
    }

    fn body(&mut self, function: &'a Function) {
        for step in &function.moves {
            self.operand(function, self.register(function, step.dst), step.src);
        }
        for inst in &function.insts {
            match inst {
                Inst::Call { call, .. } | Inst::Invoke { call, .. }
                    if self.enters(function, call, inst.dst()) => {}
                Inst::Return { value: Some(value) } => {
                    self.operand(function, self.result(function), *value);
                }
                _ => self.together(function, inst),
            }
        }
    }

    /// Connects a call with the function that it enters, if it enters one that is known.
    fn enters(&mut self, function: &Function, call: &Call, dst: Option<Reg>) -> bool {
        let Callee::Direct(callee) = call.callee else {
            return false;
        };
        let callee = self.program.function(callee);
        if callee.declaration {
            return false;
        }
        let operands = &function.call_args[call.args.range()];
        for (at, &operand) in operands.iter().enumerate() {
            let into = match at < callee.params.len() {
                true => self.register(callee, Reg::new(at)),
                // Further arguments are in one place.
                false => self.functions + callee.id.0,
            };
            self.operand(function, into, operand);
        }
        if let Some(dst) = dst {
            self.unite(self.result(callee), self.register(function, dst));
        }
        true
    }

    /// Connects the result of an instruction and all that it reads.
    fn together(&mut self, function: &Function, inst: &Inst) {
        let mut operands: Vec<Operand> = inst.dst().map(Operand::reg).into_iter().collect();
        plat_program::operands::each(function, inst, |operand| operands.push(operand));
        // `va_start` says where further arguments are.
        let takes_more = function.variadic && matches!(inst, Inst::Call { .. });
        let mut first = takes_more.then_some(self.functions + function.id.0);
        for operand in operands {
            let element = match (operand.as_constant(), operand.as_reg()) {
                (Some(id), _) => self.named(id).first().copied(),
                (None, reg) => reg.map(|reg| self.register(function, reg)),
            };
            let Some(element) = element else { continue };
            let first = *first.get_or_insert(element);
            self.operand(function, first, operand);
        }
    }
}
