//! Loops that nothing leads out of, as `for (;;)` without a `break`. A counter in them goes on, so no
//! state comes back; all the same, such a loop ends in a fault only.
//!
//! From a block that comes back to itself, no return of its function can be reached. No function that
//! may be called on the way ends the program, leaves the loop in another way, or waits: it makes no
//! system calls but those that answer at once, and what the executor does itself is a
//! computation. A call through a pointer may lead to each function whose address is taken and that has
//! no more parameters than there are arguments, as with more the call is a fault.

use crate::code::Code;
use crate::code::native::When;
use crate::library::strings;
use crate::state::State;
use crate::state::frame::{Frame, OnReturn};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, Reversed};
use plat_program::operands::address_taken;
use plat_program::{BlockId, Callee, Constant, EdgeId, FuncId, Function, Inst, InstId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The function by which the C library makes its system calls; the first argument is the number.
const SYSTEM_CALL: &str = "__plat_syscall";

/// System calls that answer at once, whatever the world does, and end nothing: `write`, `close`, `lseek`,
/// `mmap`, `mprotect`, `munmap`, `brk`, `ioctl`, `writev`, `mremap`, `madvise`, and `futex`, which waits
/// for other threads only.
const ANSWERED_AT_ONCE: [u128; 12] = [1, 3, 8, 9, 10, 11, 12, 16, 20, 25, 28, 202];

/// Intrinsics of the compiler that are more than computations.
const NO_COMPUTATION: [&str; 4] = ["llvm.trap", "llvm.debugtrap", "llvm.ubsantrap", "llvm.eh."];

/// The functions whose call may lead out of a loop.
#[derive(Debug)]
pub(super) struct WaysOut {
    /// By function.
    leads_out: Vec<bool>,
    /// By the number of their arguments: calls through pointers that may lead to one.
    through_pointers: FxHashSet<u32>,
}

/// Functions, then the kinds of calls through pointers; an edge from each to what it may call.
struct Calls {
    graph: DiGraph<(), ()>,
    through_pointers: FxHashMap<u32, NodeIndex>,
    /// What leads out by itself.
    out: Vec<NodeIndex>,
}

impl WaysOut {
    /// Those of a program.
    pub fn of(program: &Program, code: &Code) -> Self {
        let calls = Calls::of(program, code);
        let mut reached = vec![false; calls.graph.node_count()];
        let callers = Reversed(&calls.graph);
        let mut search = Dfs::empty(callers);
        for start in calls.out {
            search.move_to(start);
            while let Some(node) = search.next(callers) {
                reached[node.index()] = true;
            }
        }
        let through_pointers = calls.through_pointers.into_iter();
        let through_pointers = through_pointers.filter(|(_, node)| reached[node.index()]);
        let through_pointers = through_pointers.map(|(arguments, _)| arguments).collect();
        reached.truncate(program.functions.len());
        WaysOut {
            leads_out: reached,
            through_pointers,
        }
    }

    /// The blocks of a loop that nothing leads out of and in which a state is: that of the outermost
    /// activation in one that `counts`.
    pub fn loop_around(
        &self,
        program: &Program,
        state: &State,
        counts: impl Fn(FuncId) -> bool,
    ) -> Option<Vec<InstId>> {
        let stack: Vec<&Frame> = state.stack().collect();
        (0..stack.len()).rev().find_map(|at| {
            let function = program.function(stack[at].function);
            // A handler of a signal is not among what the loop calls.
            let called = |frame: &&Frame| frame.on_return == OnReturn::Call;
            if !counts(function.id) || !stack[..at].iter().all(called) {
                return None;
            }
            let blocks = endless_blocks(program, function, stack[at])?;
            let mut insts = blocks.iter().flat_map(|&block| insts_of(function, block));
            if insts.any(|inst| self.may_leave(program, function, inst)) {
                return None;
            }
            let first = |block: &BlockId| {
                let position = function.blocks[block.index()].first as usize;
                InstId::new(function.first_inst.index() + position)
            };
            Some(blocks.iter().map(first).collect())
        })
    }

    /// Whether an instruction may lead out of a loop that it is in.
    fn may_leave(&self, program: &Program, function: &Function, inst: &Inst) -> bool {
        match called(program, function, inst) {
            Called::Nothing => false,
            Called::Out => true,
            Called::Function(callee) => self.leads_out[callee.index()],
            Called::Any(arguments) => self.through_pointers.contains(&arguments),
        }
    }
}

impl Calls {
    fn of(program: &Program, code: &Code) -> Self {
        let mut graph = DiGraph::new();
        let nodes: Vec<NodeIndex> = program
            .functions
            .iter()
            .map(|_| graph.add_node(()))
            .collect();
        let mut calls = Calls {
            graph,
            through_pointers: FxHashMap::default(),
            out: Vec::new(),
        };
        let taken = address_taken(program);
        for function in &program.functions {
            let node = nodes[function.id.index()];
            if !has_own_body(function, code) {
                if !is_computation(&function.name) {
                    calls.out.push(node);
                }
                continue;
            }
            for inst in &function.insts {
                match called(program, function, inst) {
                    Called::Nothing => {}
                    Called::Out => calls.out.push(node),
                    Called::Function(callee) => {
                        calls.graph.update_edge(node, nodes[callee.index()], ());
                    }
                    Called::Any(arguments) => {
                        let any = calls.through_pointer(program, (&taken, &nodes), arguments);
                        calls.graph.update_edge(node, any, ());
                    }
                }
            }
        }
        calls
    }

    /// The node of the calls through pointers with so many arguments.
    fn through_pointer(
        &mut self,
        program: &Program,
        (taken, nodes): (&[FuncId], &[NodeIndex]),
        arguments: u32,
    ) -> NodeIndex {
        if let Some(&known) = self.through_pointers.get(&arguments) {
            return known;
        }
        let node = self.graph.add_node(());
        for &one in taken {
            if program.function(one).params.len() <= arguments as usize {
                self.graph.add_edge(node, nodes[one.index()], ());
            }
        }
        self.through_pointers.insert(arguments, node);
        node
    }
}

/// What an instruction calls.
enum Called {
    Nothing,
    /// A way out, or what may be one.
    Out,
    Function(FuncId),
    /// A function with at most so many parameters.
    Any(u32),
}

fn called(program: &Program, function: &Function, inst: &Inst) -> Called {
    let call = match inst {
        Inst::Call { call, .. } | Inst::Invoke { call, .. } => call,
        Inst::Resume { .. } | Inst::Unsupported { .. } => return Called::Out,
        _ => return Called::Nothing,
    };
    match call.callee {
        Callee::Asm(_) => Called::Out,
        Callee::Indirect(_) => Called::Any(call.args.len),
        Callee::Direct(callee) if program.function(callee).name == SYSTEM_CALL => {
            let args = &function.call_args[call.args.range()];
            let number = args.first().and_then(|arg| arg.as_constant());
            match number.map(|number| program.constant(number)) {
                Some(Constant::Int { value, .. }) if ANSWERED_AT_ONCE.contains(value) => {
                    Called::Nothing
                }
                _ => Called::Out,
            }
        }
        Callee::Direct(callee) => Called::Function(callee),
    }
}

/// Whether a call of a function executes the body that the program has for it.
fn has_own_body(function: &Function, code: &Code) -> bool {
    let known = &code.functions[function.id.index()];
    let replaced = (known.native).is_some_and(|native| native.when == When::Always);
    !function.declaration && !replaced && !known.intercepted
}

/// Whether what the executor does for a function is no more than a computation.
fn is_computation(name: &str) -> bool {
    let intrinsic = name.starts_with("llvm.");
    (intrinsic && !NO_COMPUTATION.iter().any(|one| name.starts_with(one)))
        || name == "__errno_location"
        || strings::is_one(name)
}

/// The blocks that an activation may come to, if it comes back to the one where it is and never to a
/// return.
fn endless_blocks(program: &Program, function: &Function, frame: &Frame) -> Option<Vec<BlockId>> {
    let last = function.insts.len().saturating_sub(1);
    let at = function.block_of((frame.pc as usize).min(last));
    let (mut reached, mut seen) = (Vec::new(), FxHashSet::default());
    let mut next = successors(program, function, at);
    while let Some(block) = next.pop() {
        if seen.insert(block) {
            reached.push(block);
            next.extend(successors(program, function, block));
        }
    }
    let returns = |&block: &BlockId| {
        let last = insts_of(function, block).last();
        matches!(last, Some(Inst::Return { .. }) | None)
    };
    (seen.contains(&at) && !reached.iter().any(returns)).then_some(reached)
}

/// The blocks that may follow one. The condition of a loop may be a constant.
fn successors(program: &Program, function: &Function, block: BlockId) -> Vec<BlockId> {
    let edges = match insts_of(function, block).last() {
        Some(&Inst::Jump { edge }) => vec![edge],
        Some(&Inst::Branch {
            cond,
            then,
            otherwise,
        }) => {
            let known = cond.as_constant().map(|cond| program.constant(cond));
            match known {
                Some(Constant::Int { value: 0, .. }) => vec![otherwise],
                Some(Constant::Int { .. }) => vec![then],
                _ => vec![then, otherwise],
            }
        }
        Some(&Inst::Switch { cases, default, .. }) => {
            let cases = &function.switch_cases[cases.range()];
            let cases = cases.iter().map(|case| case.1);
            cases.chain([default]).collect()
        }
        Some(&Inst::Invoke { normal, unwind, .. }) => vec![normal, unwind],
        _ => Vec::new(),
    };
    let to = |edge: EdgeId| function.edges[edge.index()].to;
    edges.into_iter().map(to).collect()
}

fn insts_of(function: &Function, block: BlockId) -> &[Inst] {
    let block = function.blocks[block.index()];
    &function.insts[block.first as usize..][..block.len as usize]
}
