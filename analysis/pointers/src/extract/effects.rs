//! The effects of library functions, as constraints at one call.

use super::Extractor;
use super::calls::At;
use crate::constraints::{Call as PointerCall, Constraint, Extent, Kinds, Node, Object, Offset};
use crate::program::externals::Effect;
use crate::report::objects::AbstractObject;

/// System calls that hand out or take pointers, by their x86-64 numbers.
const MMAP: u64 = 9;
const SHMAT: u64 = 30;
const BRK: u64 = 12;
const RT_SIGACTION: u64 = 13;
const MREMAP: u64 = 25;

impl Extractor<'_> {
    /// Applies one effect. `at` is the call; `None` for a call through a pointer, where the
    /// arguments are the nodes of a stub.
    pub(super) fn effect(
        &mut self,
        name: &str,
        effect: &Effect,
        at: Option<At<'_>>,
        arguments: &[Option<Node>],
        result: Option<Node>,
    ) {
        let argument = |position: u8| arguments.get(usize::from(position)).copied().flatten();
        let constant = |this: &Self, position: u8| {
            let at = at?;
            let context = &this.out.instances[at.instance.index()].context;
            this.constant_value(
                at.caller.id,
                context,
                *at.operands.get(usize::from(position))?,
            )
        };
        match *effect {
            Effect::Fresh(factors) => {
                let Some(at) = at else { return };
                let sizes = factors.iter().map(|&factor| constant(self, factor));
                let size = sizes.reduce(|a, b| a?.checked_mul(b?)).flatten();
                let object = self.heap(at, size);
                self.yield_address(result, object);
            }
            Effect::Reallocates => {
                let Some(at) = at else { return };
                let object = self.heap(at, None);
                self.yield_address(result, object);
                if let Some(pointer) = argument(0) {
                    self.dereference(at.inst, 0, pointer);
                    self.push(Constraint::Gather {
                        pointer,
                        into: object,
                        length: None,
                    });
                }
            }
            Effect::FreshStored(place) => {
                let (Some(at), Some(pointer)) = (at, argument(place)) else {
                    return;
                };
                let object = self.heap(at, None);
                let from = self.out.system.node();
                self.address(from, object, Offset::ZERO);
                self.push(Constraint::Store {
                    pointer,
                    width: 8,
                    from,
                });
            }
            Effect::Returns(position) => self.give_back(result, argument(position), Offset::ZERO),
            Effect::ReturnsInto(position) => {
                self.give_back(result, argument(position), Offset::ANY)
            }
            Effect::ReturnsRemembered(position) => {
                let memory = self.remembered(name);
                if let Some(from) = argument(position) {
                    self.shift(from, Offset::ANY, memory);
                }
                self.give_back(result, Some(memory), Offset::ZERO);
            }
            Effect::Keeps(name, position) => {
                let memory = self.remembered(name);
                if let Some(from) = argument(position) {
                    self.shift(from, Offset::ANY, memory);
                }
            }
            Effect::ReturnsKept(name) => {
                let memory = self.remembered(name);
                self.give_back(result, Some(memory), Offset::ZERO);
            }
            Effect::ReturnsStatic => {
                let object = self.library(name);
                self.yield_address(result, object);
            }
            Effect::CopiesBlock(to, from, length) => {
                let length = length.and_then(|length| constant(self, length));
                if let (Some(to), Some(from)) = (argument(to), argument(from)) {
                    self.copy_block(to, from, length);
                }
            }
            Effect::Permutes(array, size) => {
                let Some(from) = argument(array) else { return };
                let size = constant(self, size);
                let elements = self.out.system.node();
                let by = size.map_or(Offset::ANY, |size| Offset::strided(size.max(1), 0));
                self.shift(from, by, elements);
                self.copy_block(elements, elements, size);
            }
            Effect::StoresInto(place, value) => {
                if let (Some(pointer), Some(value)) = (argument(place), argument(value)) {
                    let from = self.out.system.node();
                    self.shift(value, Offset::ANY, from);
                    self.push(Constraint::Store {
                        pointer,
                        width: 8,
                        from,
                    });
                    if let Some(at) = at {
                        self.dereference(at.inst, u32::from(place), pointer);
                    }
                }
            }
            Effect::ReturnsLoaded(position) => {
                self.give_back(result, argument(position), Offset::ANY);
                if let (Some(pointer), Some(to)) = (argument(position), result) {
                    let width = 8;
                    self.push(Constraint::Load { pointer, width, to });
                }
            }
            Effect::Reads(position) | Effect::Writes(position) => {
                if let (Some(at), Some(pointer)) = (at, argument(position)) {
                    self.dereference(at.inst, u32::from(position), pointer);
                }
            }
            Effect::Calls(function, passed) => {
                let Some(callee) = argument(function) else {
                    return;
                };
                let passed: Vec<Option<Node>> = passed
                    .iter()
                    .map(|&position| {
                        let from = argument(position)?;
                        let into = self.out.system.node();
                        self.shift(from, Offset::ANY, into);
                        Some(into)
                    })
                    .collect();
                self.call_back(at, callee, passed, None);
            }
            Effect::Syscall => self.system_call(at, constant(self, 0), arguments, result),
        }
    }

    fn yield_address(&mut self, result: Option<Node>, object: Object) {
        if let Some(result) = result {
            self.address(result, object, Offset::ZERO);
        }
    }

    fn give_back(&mut self, result: Option<Node>, from: Option<Node>, by: Offset) {
        if let (Some(result), Some(from)) = (result, from) {
            self.shift(from, by, result);
        }
    }

    fn call_back(
        &mut self,
        at: Option<At<'_>>,
        callee: Node,
        mut arguments: Vec<Option<Node>>,
        result: Option<Node>,
    ) {
        // The caller is not here: whatever further arguments are read, it passes.
        arguments.resize(arguments.len().max(8), None);
        self.out.call_sites.push(at.map(|at| at.inst));
        self.out.system.calls.push(PointerCall {
            callee,
            arguments,
            by_value: Vec::new(),
            result,
            fresh: None,
            expects: false,
            kinds: Kinds::default(),
            own: Vec::new(),
        });
    }

    /// What a function without body was given and may return later.
    pub(super) fn remembered(&mut self, name: &str) -> Node {
        if let Some(&node) = self.remembered.get(name) {
            return node;
        }
        let node = self.out.system.node();
        self.remembered.insert(name.to_string(), node);
        node
    }

    /// Memory that a function without body keeps for itself. It may hold pointers to itself.
    fn library(&mut self, name: &str) -> Object {
        if let Some(&object) = self.library.get(name) {
            return object;
        }
        let what = AbstractObject::Library {
            name: name.to_string(),
        };
        let object = self.object(what, Extent::memory(None));
        self.library.insert(name.to_string(), object);
        let node = self.out.system.node();
        self.address(node, object, Offset::ANY);
        self.hold(object, Offset::ANY, 8, node);
        object
    }

    /// A system call. Only five calls hand pointers on: three make memory, one moves it, and one
    /// registers a function that the kernel calls.
    fn system_call(
        &mut self,
        at: Option<At<'_>>,
        number: Option<u64>,
        arguments: &[Option<Node>],
        result: Option<Node>,
    ) {
        let can_be = |call: u64| number.is_none_or(|number| number == call);
        let argument = |position: usize| arguments.get(position).copied().flatten();
        if let Some(at) = at {
            for (&pointer, operand) in arguments.iter().zip(0..).skip(1) {
                if let Some(pointer) = pointer {
                    self.dereference(at.inst, operand, pointer);
                }
            }
        }
        if [MMAP, BRK, MREMAP, SHMAT].into_iter().any(can_be) {
            let object = match at {
                Some(at) => {
                    let mut chain = self.out.instances[at.instance.index()].context.clone();
                    chain.push(self.site(at.inst));
                    self.object(AbstractObject::Mapped { chain }, Extent::memory(None))
                }
                None => self.library("__plat_syscall"),
            };
            self.yield_address(result, object);
            self.give_back(result, argument(1), Offset::ANY);
            if can_be(SHMAT)
                && let Some(result) = result
            {
                // A segment that is attached in one place is in the memory of all others.
                let attached = self.remembered("shmat");
                self.copy(result, attached);
                self.copy(attached, result);
            }
            if can_be(MREMAP)
                && let Some(pointer) = argument(1)
            {
                self.push(Constraint::Gather {
                    pointer,
                    into: object,
                    length: None,
                });
            }
        }
        if can_be(RT_SIGACTION) {
            let installed = self.remembered("rt_sigaction");
            if let Some(pointer) = argument(2) {
                let handler = self.out.system.node();
                self.push(Constraint::Load {
                    pointer,
                    width: 8,
                    to: handler,
                });
                self.copy(handler, installed);
                let object = self.library("rt_sigaction");
                let given = self.out.system.node();
                self.address(given, object, Offset::ANY);
                self.call_back(at, handler, vec![None, Some(given), Some(given)], None);
            }
            if let Some(pointer) = argument(3) {
                self.push(Constraint::Store {
                    pointer,
                    width: 8,
                    from: installed,
                });
            }
        }
    }
}
