//! Function instances: a function with the calls through which it was entered.

use super::{Expected, Extractor};
use crate::constraints::{
    Callable, Extent, Fresh, Kinds, Node, Object, Offset, Parameter, Signature,
};
use crate::program::externals;
use crate::program::interfaces::{self, Interface};
use crate::report::objects::AbstractObject;
use plat_program::{Constant, FuncId, Inst, InstId, Operand, Reg};

plat_basics::ids! {
    /// A function instance ([`super::Extraction::instances`]).
    InstanceId
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

    /// The context of a cloned function entered from an instance through the call `inst`.
    pub(super) fn extended(&mut self, from: InstanceId, inst: InstId, callee: FuncId) -> Vec<u32> {
        let site = self.site(inst);
        let from = &self.out.instances[from.index()];
        self.clones
            .extended(from.function, &from.context, site, callee)
    }

    /// The object of a function whose address is taken. Calls through pointers enter the instance
    /// without context, unless [`Self::expect`] says otherwise.
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
        let instance = self.instance(id, Vec::new());
        self.signature_of(instance)
    }

    fn signature_of(&mut self, instance: InstanceId) -> Signature {
        let instance = &self.out.instances[instance.index()];
        let function = self.program.function(instance.function);
        let interface = self.interfaces.entry(function.id);
        let interface = *interface.or_insert_with(|| Interface::of(self.program, function));
        let parameter = |at: usize| Parameter {
            node: instance.node(Reg::new(at)),
            copy: instance.by_value.get(at).copied().flatten(),
        };
        Signature {
            parameters: (0..function.params.len()).map(parameter).collect(),
            result: instance.result,
            rest: instance.rest,
            fresh: Fresh::No,
            needs: interface.needs,
            returns: interface.returns,
            kinds: interface.kinds,
        }
    }

    /// The instances of allocation wrappers that a call through a pointer enters if it calls these
    /// functions: their call strings go on. Whether it does is found while solving. Other cloned
    /// functions have none: no points-to set of m4, make or SQLite was smaller for it, and in
    /// several copies of a program their number grows with the third power.
    pub(super) fn expect(&mut self, call: u32, instance: InstanceId, inst: InstId) {
        let fitting = self.targets.fitting(inst).to_vec();
        let wrappers = &self.clones.wrappers;
        let own: Vec<FuncId> = fitting
            .into_iter()
            .filter(|id| wrappers.binary_search(id).is_ok())
            .collect();
        for callee in own {
            let context = self.extended(instance, inst, callee);
            let entered = self.instance(callee, context);
            let callable = Callable::new(self.out.system.callables.len());
            let signature = self.signature_of(entered);
            self.out.system.callables.push(signature);
            self.out.callable_functions.push(callee);
            self.out.expected.push(Expected {
                call,
                callee,
                callable,
                entered,
            });
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
            returns: !interfaces::is_number(self.program, ret),
            kinds: interfaces::kinds(self.program, types.into_iter(), |_| true),
        }
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
