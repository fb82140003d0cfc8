//! From a program to constraints.
//!
//! Constraints are generated per function *instance*: a function in a context, the (at most
//! `clone_depth`) calls through which it was entered. Most functions have the one instance without
//! context; the functions that [`crate::cloning`] chose get one per call string. Instances and
//! globals are made when they are first referred to, so code that cannot be reached from the
//! entry contributes nothing.

mod arithmetic;
mod calls;
mod constants;
mod conversions;
mod effects;
mod fragments;
mod instances;
mod instructions;
mod intrinsics;
mod summaries;

use crate::cloning::Clones;
use crate::cloning::targets::Targets;
use crate::config::PointsToConfig;
use crate::constraints::{
    Callable, Constraint, Displacement, Extent, Kinds, Location, Node, Object, Offset, System,
};
use crate::program::interfaces::Interface;
use crate::report::objects::AbstractObject;
use crate::solver::solved::Solved;
use plat_program::{ConstId, FuncId, GlobalId, InstId, Program, Reg};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

pub use instances::{Instance, InstanceId};

/// The constraints of a program and what their nodes and objects stand for.
#[derive(Debug)]
pub struct Extraction {
    /// The constraints.
    pub system: System,
    /// What each object of the system stands for.
    pub objects: Vec<AbstractObject>,
    /// The call sites that contexts refer to: the instructions.
    pub sites: Vec<InstId>,
    /// The function instances.
    pub instances: Vec<Instance>,
    /// Pointers that are dereferenced.
    pub dereferences: Vec<Dereference>,
    /// For each call of the system: where it is, if it is a call of the program.
    pub call_sites: Vec<Option<InstId>>,
    /// For each callable of the system: the function.
    pub callable_functions: Vec<FuncId>,
    /// The nodes of the constant operands that were looked at; `None` for what points to nothing.
    pub constants: FxHashMap<ConstId, Option<Node>>,
    /// Direct calls.
    pub direct_calls: BTreeSet<(InstId, FuncId)>,
    /// Calls that are described by an effect instead of the callee's body.
    pub summarised: BTreeSet<FuncId>,
    /// Functions and other code that had to be treated as able to do anything, by name.
    pub unknown: BTreeSet<String>,
    /// The instances that direct calls of an instance enter.
    pub entered: FxHashSet<(InstanceId, InstanceId)>,
    /// The instances that calls through pointers may enter with a context.
    pub expected: Vec<Expected>,
    /// The instance that allocates each heap object.
    pub allocated: FxHashMap<Object, InstanceId>,
}

/// An instance that a call through a pointer enters if it calls that function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The call of the system.
    pub call: u32,
    /// The function.
    pub callee: FuncId,
    /// What is then called.
    pub callable: Callable,
    /// The instance.
    pub entered: InstanceId,
}

impl Extraction {
    /// For each instance whether it is entered at all: those without context count as entered.
    pub fn live(&self, solved: &Solved) -> Vec<bool> {
        let mut after: Vec<Vec<InstanceId>> = vec![Vec::new(); self.instances.len()];
        for &(from, to) in &self.entered {
            after[from.index()].push(to);
        }
        let instances = (0u32..).zip(&self.instances);
        let bare = instances.filter(|(_, instance)| instance.context.is_empty());
        let called = self.expected.iter();
        let called = called.filter(|one| solved.calls(one.call, one.callable));
        let mut open: Vec<InstanceId> = bare.map(|(at, _)| InstanceId(at)).collect();
        open.extend(called.map(|one| one.entered));
        let mut live = vec![false; self.instances.len()];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut live[at.index()], true) {
                open.append(&mut after[at.index()]);
            }
        }
        live
    }
}

/// A pointer that an instruction dereferences, in one context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dereference {
    /// The instruction.
    pub inst: InstId,
    /// Which of its pointers, in any fixed order.
    pub operand: u32,
    /// The pointer.
    pub pointer: Node,
}

/// Generates the constraints of `program`.
pub fn extract(
    program: &Program,
    clones: &Clones,
    targets: &Targets,
    config: &PointsToConfig,
) -> Extraction {
    let mut extractor = Extractor::new(program, clones, targets, config);
    extractor.entry();
    while let Some(instance) = extractor.open.pop_front() {
        extractor.body(instance);
    }
    extractor.finish()
}

struct Extractor<'p> {
    program: &'p Program,
    clones: &'p Clones,
    targets: &'p Targets,
    config: &'p PointsToConfig,
    out: Extraction,
    instance_ids: FxHashMap<(FuncId, Vec<u32>), InstanceId>,
    site_ids: FxHashMap<InstId, u32>,
    open: VecDeque<InstanceId>,
    globals: FxHashMap<GlobalId, Object>,
    functions: FxHashMap<FuncId, Object>,
    library: BTreeMap<String, Object>,
    remembered: BTreeMap<String, Node>,
    arguments: Option<Object>,
    world: Option<Node>,
    self_contained: FxHashMap<FuncId, bool>,
    /// The registers of each function whose value reaches a conversion to a pointer.
    converted: FxHashMap<FuncId, Rc<FxHashSet<Reg>>>,
    interfaces: FxHashMap<FuncId, Interface>,
    /// The registers of each function that hold fragments of pointers that count.
    fragments: Vec<FxHashSet<Reg>>,
    seen_dereferences: FxHashSet<Dereference>,
    /// Whether the address of an allocation function is taken anywhere in the program.
    allocators_escape: bool,
}

/// Whether the address of an allocation function is taken anywhere.
fn allocators_escape(program: &Program) -> bool {
    let taken = plat_program::operands::address_taken(program);
    let mut names = taken.iter().map(|&id| &program.function(id).name);
    names.any(|name| crate::program::externals::allocates(name))
}

impl<'p> Extractor<'p> {
    fn new(
        program: &'p Program,
        clones: &'p Clones,
        targets: &'p Targets,
        config: &'p PointsToConfig,
    ) -> Self {
        Self {
            program,
            clones,
            targets,
            config,
            out: Extraction {
                system: System::new(config.window),
                objects: Vec::new(),
                sites: Vec::new(),
                instances: Vec::new(),
                dereferences: Vec::new(),
                call_sites: Vec::new(),
                callable_functions: Vec::new(),
                constants: FxHashMap::default(),
                direct_calls: BTreeSet::new(),
                summarised: BTreeSet::new(),
                unknown: BTreeSet::new(),
                entered: FxHashSet::default(),
                expected: Vec::new(),
                allocated: FxHashMap::default(),
            },
            instance_ids: FxHashMap::default(),
            site_ids: FxHashMap::default(),
            open: VecDeque::new(),
            globals: FxHashMap::default(),
            functions: FxHashMap::default(),
            library: BTreeMap::new(),
            remembered: BTreeMap::new(),
            arguments: None,
            world: None,
            self_contained: FxHashMap::default(),
            converted: FxHashMap::default(),
            interfaces: FxHashMap::default(),
            fragments: fragments::find(program, config),
            seen_dereferences: FxHashSet::default(),
            allocators_escape: allocators_escape(program),
        }
    }

    /// What nobody need call: the start function (or `main`) with the program's arguments, the
    /// constructors and destructors, the thrower of `std::bad_alloc`; without a `main`, every
    /// function with unknown arguments.
    fn entry(&mut self) {
        let defined = |name: &str| {
            let id = *self.program.function_names.get(name)?;
            (!self.program.function(id).declaration).then_some(id)
        };
        let main = defined("main");
        match (defined("__plat_start"), main) {
            (Some(start), Some(main)) => {
                let code = self.function_object(main);
                let instance = self.instance(start, Vec::new());
                let first = self.parameter(instance, 0);
                self.address(first, code, Offset::ZERO);
                self.give_arguments(instance, 2);
            }
            (_, Some(main)) => {
                let instance = self.instance(main, Vec::new());
                self.give_arguments(instance, 1);
            }
            (_, None) => {
                for function in self
                    .program
                    .functions
                    .iter()
                    .filter(|function| !function.declaration)
                {
                    let instance = self.instance(function.id, Vec::new());
                    for at in 0..function.params.len() {
                        let (world, parameter) = (self.world(), self.parameter(instance, at));
                        self.copy(world, parameter);
                    }
                }
            }
        }
        let more = self
            .program
            .constructors
            .iter()
            .chain(&self.program.destructors);
        // What the executor calls of itself when `operator new` has no memory, and at the end of a
        // program by an exception.
        let thrower = defined("__plat_throw_bad_alloc");
        let handler = defined("__plat_call_terminate_handler");
        for &function in more.chain(&thrower).chain(&handler) {
            if !self.program.function(function).declaration {
                self.instance(function, Vec::new());
            }
        }
    }

    fn give_arguments(&mut self, instance: InstanceId, first: usize) {
        let function = self.out.instances[instance.index()].function;
        for at in first..self.program.function(function).params.len() {
            let arguments = self.arguments();
            let node = self.parameter(instance, at);
            self.address(node, arguments, Offset::ZERO);
        }
    }

    /// The tables of the program's arguments and environment. The strings are objects of their own,
    /// so that who copies a string copies no addresses.
    fn arguments(&mut self) -> Object {
        if let Some(object) = self.arguments {
            return object;
        }
        let object = self.object(AbstractObject::Arguments, Extent::memory(None));
        self.arguments = Some(object);
        let text = self.object(AbstractObject::ArgumentText, Extent::memory(None));
        let node = self.out.system.node();
        self.address(node, text, Offset::ANY);
        self.hold(object, Offset::ANY, 8, node);
        object
    }

    /// The node of everything that unknown code can get at. It stores all of that everywhere it
    /// can reach and calls every function it can reach with it.
    fn world(&mut self) -> Node {
        if let Some(world) = self.world {
            return world;
        }
        let world = self.out.system.node();
        self.world = Some(world);
        let object = self.object(AbstractObject::External, Extent::memory(None));
        self.address(world, object, Offset::ANY);
        self.shift(world, Offset::ANY, world);
        self.push(Constraint::Load {
            pointer: world,
            width: 8,
            to: world,
        });
        self.push(Constraint::Store {
            pointer: world,
            width: 8,
            from: world,
        });
        self.out.system.calls.push(crate::constraints::Call {
            callee: world,
            arguments: vec![Some(world); 8],
            by_value: Vec::new(),
            result: Some(world),
            fresh: Some(object),
            expects: false,
            kinds: Kinds::default(),
            own: Vec::new(),
        });
        self.out.call_sites.push(None);
        world
    }

    fn object(&mut self, what: AbstractObject, extent: Extent) -> Object {
        self.out.objects.push(what);
        self.out.system.object(extent)
    }

    fn push(&mut self, constraint: Constraint) {
        self.out.system.constraints.push(constraint);
    }

    fn address(&mut self, node: Node, object: Object, offset: Offset) {
        self.push(Constraint::Address {
            node,
            at: Location::new(object, offset),
        });
    }

    fn copy(&mut self, from: Node, to: Node) {
        if from != to {
            self.push(Constraint::Copy { from, to });
        }
    }

    fn shift(&mut self, from: Node, by: Offset, to: Node) {
        self.step(from, Displacement::by(by), to);
    }

    fn step(&mut self, from: Node, step: Displacement, to: Node) {
        if step == Displacement::NONE {
            self.copy(from, to);
        } else {
            self.push(Constraint::Shift { from, step, to });
        }
    }

    fn hold(&mut self, object: Object, offset: Offset, width: u64, from: Node) {
        self.push(Constraint::Hold {
            at: Location::new(object, offset),
            width,
            from,
        });
    }

    /// Copies a block between two addresses, through an object of its own, so that the work is
    /// proportional to the sum and not to the product of the two points-to sets.
    fn copy_block(&mut self, to: Node, from: Node, length: Option<u64>) {
        let transit = self.object(AbstractObject::Transit, Extent::memory(length));
        self.push(Constraint::Gather {
            pointer: from,
            into: transit,
            length,
        });
        self.push(Constraint::Scatter {
            from: transit,
            pointer: to,
            length,
        });
    }

    fn dereference(&mut self, inst: InstId, operand: u32, pointer: Node) {
        let dereference = Dereference {
            inst,
            operand,
            pointer,
        };
        if self.seen_dereferences.insert(dereference) {
            self.out.dereferences.push(dereference);
        }
    }

    fn finish(mut self) -> Extraction {
        // The library was given the arguments before the program was.
        if let (Some(world), Some(arguments)) = (self.world, self.arguments) {
            self.address(world, arguments, Offset::ANY);
        }
        // Only functions whose address is taken are called through pointers.
        for one in &self.out.expected {
            if let Some(object) = self.functions.get(&one.callee)
                && let Some(general) = self.out.system.extent(*object).callable
            {
                let own = &mut self.out.system.calls[one.call as usize].own;
                own.push((general, one.callable));
            }
        }
        self.out
    }
}
