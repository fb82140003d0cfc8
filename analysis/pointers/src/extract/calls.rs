//! Calls: direct, through pointers, of functions described by the table of externals, assembly.

use super::{Extractor, InstanceId};
use crate::constraints::{Call as PointerCall, Constraint, Extent, Node, Object, Offset};
use crate::program::externals;
use crate::program::interfaces;
use crate::report::objects::AbstractObject;
use plat_program::{Call, Callee, FuncId, Function, InstId, Operand, Reg, Type};

/// The call that effects are applied for.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub instance: InstanceId,
    pub inst: InstId,
    pub caller: &'a Function,
    pub operands: &'a [Operand],
    /// The arguments passed by value in memory: position and size.
    pub by_value: &'a [(u32, u64)],
}

/// The arguments of a call that are passed by value in memory: position and size.
fn by_value(caller: &Function, call: &Call) -> Vec<(u32, u64)> {
    let first = call.args.start;
    let all = &caller.byval_args;
    let from = all.partition_point(|&(at, ..)| at < first);
    let these = all[from..]
        .iter()
        .take_while(|&&(at, ..)| at < first + call.args.len);
    these.map(|&(at, size, _)| (at - first, size)).collect()
}

impl Extractor<'_> {
    pub(super) fn call(
        &mut self,
        instance: InstanceId,
        caller: &Function,
        inst: InstId,
        dst: Option<Reg>,
        call: &Call,
    ) {
        let operands = &caller.call_args[call.args.range()];
        let arguments: Vec<Option<Node>> = operands
            .iter()
            .map(|&operand| self.kept(instance, caller, operand))
            .collect();
        let dst = dst.filter(|&dst| self.holds(caller, dst));
        let result = dst.map(|reg| self.out.instances[instance.index()].node(reg));
        let by_value = by_value(caller, call);
        let at = At {
            instance,
            inst,
            caller,
            operands,
            by_value: &by_value,
        };
        match call.callee {
            Callee::Direct(callee) => self.direct(at, callee, &arguments, result),
            Callee::Indirect(pointer) => {
                if let Some(callees) = self.targets.of(inst) {
                    for &callee in callees {
                        self.direct(at, callee, &arguments, result);
                    }
                    return;
                }
                let Some(callee) = self.operand(instance, pointer) else {
                    return;
                };
                let is_pointer = matches!(self.program.types.get(call.ret), Type::Pointer);
                let expects = is_pointer && dst.is_some();
                let fresh = self.allocators_escape.then(|| self.heap(at, None));
                self.out.call_sites.push(Some(inst));
                if expects {
                    let number = self.out.system.calls.len() as u32;
                    self.expect(number, instance, inst);
                }
                self.out.system.calls.push(PointerCall {
                    callee,
                    arguments,
                    by_value,
                    result,
                    fresh,
                    expects,
                    kinds: interfaces::kinds_of(self.program, caller, operands),
                    own: Vec::new(),
                });
            }
            Callee::Asm(text) => {
                let text = &caller.asm_texts[text as usize];
                self.out
                    .unknown
                    .insert(format!("assembly in {}: {text}", caller.name));
                let on_stack = ["push", "pop"].iter().any(|name| text.contains(name));
                self.assembly(&arguments, result, on_stack);
            }
        }
    }

    /// Assembly: its result is derived from its operands and from what they point to, and so is
    /// what it stores there. What one pushes on the stack another one may pop.
    fn assembly(&mut self, arguments: &[Option<Node>], result: Option<Node>, on_stack: bool) {
        let all = match on_stack {
            true => self.remembered("push"),
            false => self.out.system.node(),
        };
        for &argument in arguments.iter().flatten() {
            self.shift(argument, Offset::ANY, all);
        }
        self.push(Constraint::Load {
            pointer: all,
            width: 8,
            to: all,
        });
        self.push(Constraint::Store {
            pointer: all,
            width: 8,
            from: all,
        });
        if let Some(result) = result {
            self.copy(all, result);
        }
    }

    fn direct(
        &mut self,
        at: At<'_>,
        callee: FuncId,
        arguments: &[Option<Node>],
        result: Option<Node>,
    ) {
        let program = self.program;
        let function = program.function(callee);
        self.out.direct_calls.insert((at.inst, callee));
        if let Some(intrinsic) = function.name.strip_prefix("llvm.") {
            return self.intrinsic(at, intrinsic, arguments, result);
        }
        let harmless = function.declaration && self.config.harmless.contains(&function.name);
        let effects = externals::effects(&function.name).or(harmless.then_some(&[]));
        let described = effects.filter(|_| function.declaration || self.is_self_contained(callee));
        match described {
            Some(effects) => {
                if !function.declaration {
                    self.out.summarised.insert(callee);
                }
                for effect in effects {
                    self.effect(&function.name, effect, Some(at), arguments, result);
                }
            }
            None if function.declaration => self.unknown(&function.name, arguments, result),
            None => self.enter(at, callee, arguments, result),
        }
    }

    /// Binds the arguments and the result of a direct call to the callee's instance.
    fn enter(
        &mut self,
        at: At<'_>,
        callee: FuncId,
        arguments: &[Option<Node>],
        result: Option<Node>,
    ) {
        let context = if self.clones.contains(callee) {
            self.extended(at.instance, at.inst, callee)
        } else {
            Vec::new()
        };
        let entered = self.instance(callee, context);
        self.out.entered.insert((at.instance, entered));
        let parameters = self.program.function(callee).params.len();
        let (rest, value) = {
            let instance = &self.out.instances[entered.index()];
            (instance.rest, instance.result)
        };
        for (position, argument) in arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            if position < parameters {
                let instance = &self.out.instances[entered.index()];
                match instance.by_value.get(position).copied().flatten() {
                    Some((copy, size)) => {
                        let length = Some(size);
                        self.push(Constraint::Gather {
                            pointer: argument,
                            into: copy,
                            length,
                        });
                    }
                    None => {
                        let parameter = self.parameter(entered, position);
                        self.copy(argument, parameter);
                    }
                }
            } else if let Some(rest) = rest {
                self.pass_further(at, position, argument, rest);
            }
        }
        if let Some(result) = result {
            self.copy(value, result);
        }
    }

    /// Passes an argument beyond the parameters of a variadic function.
    fn pass_further(&mut self, at: At<'_>, position: usize, argument: Node, rest: Object) {
        let block = at
            .by_value
            .iter()
            .find(|block| block.0 as usize == position);
        match block {
            Some(&(_, size)) => {
                let area = self.out.system.node();
                self.address(area, rest, Offset::ANY);
                self.copy_block(area, argument, Some(size));
            }
            None => self.hold(rest, Offset::ANY, 8, argument),
        }
    }

    /// The heap object of an allocating call in its context.
    pub(super) fn heap(&mut self, at: At<'_>, size: Option<u64>) -> Object {
        let mut chain = self.out.instances[at.instance.index()].context.clone();
        chain.push(self.site(at.inst));
        let object = self.object(AbstractObject::Heap { chain }, Extent::memory(size));
        self.out.allocated.insert(object, at.instance);
        object
    }

    /// A call of code that is not here: everything it is given or can reach from there may be
    /// stored anywhere it can reach, be called, and come back.
    pub(super) fn unknown(&mut self, name: &str, arguments: &[Option<Node>], result: Option<Node>) {
        self.out.unknown.insert(name.to_string());
        let world = self.world();
        for &argument in arguments.iter().flatten() {
            self.copy(argument, world);
        }
        if let Some(result) = result {
            self.copy(world, result);
        }
    }
}
