//! How far a state is from instructions that are to be reached. Only the searcher `directed` asks for it.
//!
//! As in [`distance`](super::distance), with two differences: calls through pointers lead to all
//! functions of their type whose address is taken, and ways along exceptions count. So what has no
//! way at all cannot be reached by calls that the program makes itself.

use super::distance::{self, Callers, NEVER, along, lower_to_fixpoint, next};
use crate::state::State;
use plat_program::operands::address_taken;
use plat_program::{Callee, FuncId, Function, Inst, Program, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a call through a pointer and a function must agree in: the parameters' number and the result.
/// Parameters of variadic functions are any number.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
struct Shape {
    arguments: Option<u32>,
    result: TypeId,
}

/// The tables.
#[derive(Debug)]
pub struct Toward {
    to_return: Vec<u32>,
    to_target: Vec<u32>,
}

impl Toward {
    /// The distances to these instructions.
    pub fn new(program: &Program, targets: &[u32]) -> Self {
        let candidates = Candidates::of(program);
        let targets: FxHashSet<usize> = targets.iter().map(|&at| at as usize).collect();
        let mut to_target = vec![NEVER; program.inst_count()];
        let callers = Callers::of(program, |inst| {
            let by_name = distance::callee(program, inst).into_iter();
            by_name.chain(candidates.of_call(inst))
        });
        let to_return = distance::to_return(program, &callers);
        lower_to_fixpoint(
            program,
            &callers,
            &mut to_target,
            |table, function, position| {
                let first = function.first_inst.index();
                if targets.contains(&(first + position)) {
                    return 0;
                }
                let inst = &function.insts[position];
                let (steps, entry) = distance::called(program, &to_return, inst);
                let inside = match entry {
                    Some(entry) => table[entry],
                    None => candidates.nearest(program, table, inst),
                };
                let raised = distance::raised(function, position);
                let raised = raised.map_or(NEVER, |at| table[first + at]);
                let ahead = along(steps, next(table, function, position));
                along(1, inside).min(ahead).min(along(1, raised))
            },
        );
        Toward {
            to_return,
            to_target,
        }
    }

    /// The distance of a state.
    pub fn of(&self, program: &Program, state: &State) -> Option<u32> {
        distance::of(program, state, &self.to_target, &self.to_return)
    }

    /// Whether there is a way from the first instruction of a function.
    pub fn is_ahead_of(&self, function: &Function) -> bool {
        !function.declaration && self.to_target[function.first_inst.index()] != NEVER
    }
}

/// Functions that calls through pointers may lead to.
struct Candidates {
    by_shape: FxHashMap<Shape, Vec<FuncId>>,
}

impl Candidates {
    fn of(program: &Program) -> Self {
        let mut by_shape: FxHashMap<Shape, Vec<FuncId>> = FxHashMap::default();
        for id in address_taken(program) {
            let function = program.function(id);
            if function.declaration {
                continue;
            }
            let shape = Shape {
                arguments: (!function.variadic).then_some(function.params.len() as u32),
                result: function.ret,
            };
            by_shape.entry(shape).or_default().push(id);
        }
        Candidates { by_shape }
    }

    /// The least entry of a table at the beginning of a function that a call may lead to.
    fn nearest(&self, program: &Program, table: &[u32], inst: &Inst) -> u32 {
        let entries = self
            .of_call(inst)
            .map(|id| table[program.function(id).first_inst.index()]);
        entries.min().unwrap_or(NEVER)
    }

    /// What a call through a pointer may lead to.
    fn of_call<'a>(&'a self, inst: &Inst) -> impl Iterator<Item = FuncId> + use<'a> {
        let shapes = match inst {
            Inst::Call { call, .. } | Inst::Invoke { call, .. }
                if matches!(call.callee, Callee::Indirect(_)) =>
            {
                [Some(call.args.len), None].map(|arguments| {
                    Some(Shape {
                        arguments,
                        result: call.ret,
                    })
                })
            }
            _ => [None, None],
        };
        let shapes = shapes.into_iter().flatten();
        let candidates = shapes.filter_map(|shape| self.by_shape.get(&shape));
        candidates.flatten().copied()
    }
}
