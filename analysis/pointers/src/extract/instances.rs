//! Function instances: a function with the calls through which it was entered.

use super::Extractor;
use crate::constraints::{Callable, Extent, Fresh, Kinds, Node, Object, Parameter, Signature};
use crate::externals;
use crate::objects::AbstractObject;
use crate::offset::Offset;
use plat_program::{CastOp, Constant, FuncId, Function, Inst, InstId, Operand, Reg, Type, TypeId};

/// A function instance ([`super::Extraction::instances`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InstanceId(pub u32);

impl InstanceId {
    /// The position in the table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function in a context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The function.
    pub function: FuncId,
    /// The calls through which it was entered, outermost first: positions in the table of sites.
    pub context: Vec<u32>,
    /// The node of its register 0; the others follow.
    pub first: Node,
    /// The node of its result.
    pub result: Node,
    /// The object of its further arguments if it is variadic.
    pub rest: Option<Object>,
    /// For each parameter passed by value in memory: the copy and its size.
    pub by_value: Vec<Option<(Object, u64)>>,
}

impl Instance {
    /// The node of a register.
    pub fn node(&self, reg: Reg) -> Node {
        Node(self.first.0 + reg.0)
    }
}

impl Extractor<'_> {
    /// The instance of a defined function in a context; its body follows later.
    pub(super) fn instance(&mut self, id: FuncId, context: Vec<u32>) -> InstanceId {
        if let Some(&instance) = self.instance_ids.get(&(id, context.clone())) {
            return instance;
        }
        let program = self.program;
        let function = program.function(id);
        let first = Node(self.out.system.nodes);
        self.out.system.nodes += function.reg_types.len() as u32;
        let result = self.out.system.node();
        let name = || function.name.clone();
        let rest = function.variadic.then(|| {
            let what = AbstractObject::VarArgs {
                function: name(),
                context: context.clone(),
            };
            self.object(what, Extent::memory(None))
        });
        let mut by_value = Vec::new();
        for (at, block) in function.byval.iter().enumerate() {
            by_value.push(block.map(|(size, _)| {
                let what = AbstractObject::ByValue {
                    function: name(),
                    parameter: at as u32,
                    context: context.clone(),
                };
                let copy = self.object(what, Extent::memory(Some(size)));
                self.address(Node(first.0 + at as u32), copy, Offset::ZERO);
                (copy, size)
            }));
        }
        let instance = InstanceId(self.out.instances.len() as u32);
        self.instance_ids.insert((id, context.clone()), instance);
        self.out.instances.push(Instance {
            function: id,
            context,
            first,
            result,
            rest,
            by_value,
        });
        self.open.push_back(instance);
        instance
    }

    pub(super) fn parameter(&self, instance: InstanceId, at: usize) -> Node {
        self.out.instances[instance.index()].node(Reg::new(at))
    }

    /// The position of a call in the table of sites.
    pub(super) fn site(&mut self, inst: InstId) -> u32 {
        let next = self.out.sites.len() as u32;
        *self.site_ids.entry(inst).or_insert_with(|| {
            self.out.sites.push(inst);
            next
        })
    }

    /// The context of a function entered from `context` through the call `inst`.
    pub(super) fn extended(&mut self, context: &[u32], inst: InstId) -> Vec<u32> {
        let mut extended = context.to_vec();
        extended.push(self.site(inst));
        let excess = extended.len().saturating_sub(self.config.clone_depth);
        extended.split_off(excess)
    }

    /// The object of a function whose address is taken. Calls through pointers enter the instance
    /// without context.
    pub(super) fn function_object(&mut self, id: FuncId) -> Object {
        if let Some(&object) = self.functions.get(&id) {
            return object;
        }
        let function = self.program.function(id);
        let callable = Callable::new(self.out.system.callables.len());
        let what = AbstractObject::Function {
            name: function.name.clone(),
        };
        let object = self.object(what, Extent::code(callable));
        self.functions.insert(id, object);
        self.out.callable_functions.push(id);
        let placeholder = Signature {
            parameters: Vec::new(),
            result: Node(0),
            rest: None,
            fresh: Fresh::No,
            needs: 0,
            returns: true,
            kinds: Kinds::default(),
        };
        self.out.system.callables.push(placeholder);
        let signature = if function.declaration {
            self.stub(id)
        } else {
            self.signature(id)
        };
        self.out.system.callables[callable.index()] = signature;
        object
    }

    fn signature(&mut self, id: FuncId) -> Signature {
        let program = self.program;
        let function = program.function(id);
        let count = function.params.len();
        let needs = arguments_read(function);
        let returns = !self.is_number(function.ret);
        let types = function.params.iter().copied();
        let kinds = self.kinds(types, |at| is_read(function, at));
        let instance = self.instance(id, Vec::new());
        let instance = &self.out.instances[instance.index()];
        let parameter = |at: usize| Parameter {
            node: instance.node(Reg::new(at)),
            copy: instance.by_value.get(at).copied().flatten(),
        };
        Signature {
            parameters: (0..count).map(parameter).collect(),
            result: instance.result,
            rest: instance.rest,
            fresh: Fresh::No,
            needs,
            returns,
            kinds,
        }
    }

    /// A function without body, callable through pointers: its effects on parameter nodes.
    fn stub(&mut self, id: FuncId) -> Signature {
        const ARGUMENTS: usize = 8;
        let name = self.program.function(id).name.clone();
        let ret = self.program.function(id).ret;
        let types = self.program.function(id).params.clone();
        let nodes: Vec<Node> = (0..ARGUMENTS).map(|_| self.out.system.node()).collect();
        let result = self.out.system.node();
        let arguments: Vec<Option<Node>> = nodes.iter().copied().map(Some).collect();
        let mut fresh = Fresh::No;
        match externals::effects(&name) {
            Some(effects) => {
                for effect in effects {
                    match effect {
                        externals::Effect::Fresh(_) => fresh = Fresh::Returned,
                        externals::Effect::Reallocates => fresh = Fresh::Reallocated,
                        externals::Effect::FreshStored(_) => fresh = Fresh::Stored,
                        _ => self.effect(&name, effect, None, &arguments, Some(result)),
                    }
                }
            }
            None => self.unknown(&name, &arguments, Some(result)),
        }
        let parameters = nodes
            .into_iter()
            .map(|node| Parameter { node, copy: None })
            .collect();
        Signature {
            parameters,
            result,
            rest: None,
            fresh,
            needs: 0,
            returns: !self.is_number(ret),
            kinds: self.kinds(types.into_iter(), |_| true),
        }
    }

    /// Whether no pointer fits in a type: less than 64 bits, floating point, or nothing at all.
    fn is_number(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Void | Type::Float(_) => true,
            Type::Int(bits) => *bits < 64,
            _ => false,
        }
    }

    fn kinds(&self, types: impl Iterator<Item = TypeId>, counts: impl Fn(usize) -> bool) -> Kinds {
        let mut kinds = Kinds::default();
        for (at, ty) in types.enumerate().take(64).filter(|&(at, _)| counts(at)) {
            let pointer = matches!(self.program.types.get(ty), Type::Pointer);
            kinds.pointers |= u64::from(pointer) << at;
            kinds.numbers |= u64::from(self.is_number(ty)) << at;
        }
        kinds
    }

    /// What the arguments of a call are. A plain 0 is nothing in particular: it is passed for a null
    /// pointer.
    pub(super) fn kinds_of(&self, caller: &Function, operands: &[Operand]) -> Kinds {
        let mut kinds = Kinds::default();
        for (at, operand) in operands.iter().enumerate().take(64) {
            let Some(reg) = operand.as_reg() else {
                let constant = operand.as_constant().map(|id| self.program.constant(id));
                let pointer = match constant {
                    Some(Constant::Cast(op, ..)) => *op == CastOp::IntToPtr,
                    Some(Constant::Null | Constant::Global(..) | Constant::Function(_)) => true,
                    _ => false,
                };
                let number = matches!(constant, Some(Constant::Int { value, width }) if *width < 64 && *value != 0);
                kinds.pointers |= u64::from(pointer) << at;
                kinds.numbers |= u64::from(number) << at;
                continue;
            };
            let ty = caller.reg_types[reg.index()];
            let own = self.kinds([ty].into_iter(), |_| true);
            kinds.pointers |= own.pointers << at;
            kinds.numbers |= own.numbers << at;
        }
        kinds
    }

    /// The value of an operand that is the same integer whenever the instance runs, as far as the
    /// calls of the context say.
    pub(super) fn constant_value(
        &self,
        id: FuncId,
        context: &[u32],
        value: Operand,
    ) -> Option<u64> {
        if let Some(constant) = value.as_constant() {
            return match self.program.constant(constant) {
                Constant::Int { value, .. } => u64::try_from(*value).ok(),
                _ => None,
            };
        }
        let reg = value.as_reg()?;
        let function = self.program.function(id);
        if reg.index() < function.params.len() {
            let (&site, outer) = context.split_last()?;
            let (caller, at) = self.program.position(self.out.sites[site as usize]);
            let caller_function = self.program.function(caller);
            let (Inst::Call { call, .. } | Inst::Invoke { call, .. }) = &caller_function.insts[at]
            else {
                return None;
            };
            let arguments = &caller_function.call_args[call.args.range()];
            return self.constant_value(caller, outer, *arguments.get(reg.index())?);
        }
        None
    }
}

/// Whether a function reads a parameter.
fn is_read(function: &Function, at: usize) -> bool {
    let mut read = false;
    let mut see = |operand: Operand| read |= operand == Operand::reg(Reg::new(at));
    for inst in &function.insts {
        crate::operands::each(function, inst, &mut see);
    }
    function.moves.iter().for_each(|step| see(step.src));
    read
}

/// How many parameters a function reads: up to the last that is used.
fn arguments_read(function: &Function) -> u32 {
    let count = function.params.len();
    let mut last = 0;
    let mut see = |operand: Operand| {
        if let Some(reg) = operand.as_reg().filter(|reg| reg.index() < count) {
            last = last.max(reg.0 + 1);
        }
    };
    for inst in &function.insts {
        crate::operands::each(function, inst, &mut see);
    }
    function.moves.iter().for_each(|step| see(step.src));
    last
}
