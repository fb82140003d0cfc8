//! An independent check that a [`Program`] keeps the promises that its readers rely on.
//!
//! Checked of each function:
//! 1. the vectors per instruction have one length, and a declaration has no body;
//! 2. blocks cover the instructions in order, none is empty, and terminators stand at block ends
//!    and nowhere else;
//! 3. spans, edges, registers, constants, types and callees lie in their tables;
//! 4. the parameters are the first registers; each other register is defined by one instruction
//!    or by the moves of one block, never both;
//! 5. an edge that a terminator takes leaves the terminator's block, no edge enters the entry
//!    block, and all edges into a block move to the same registers in the same order;
//! 6. operands have the type that their instruction works on (of constants that depend on
//!    addresses only the width is known), moves the type of their register.
//!
//! Checked of the program: ids equal positions; functions' first instructions add up; images of
//! globals fit the global's size, relocations lie inside, sorted and disjoint; constants refer
//! to earlier constants; annotations sit on calls.
//!
//! Not checked: that definitions dominate uses (LLVM's verifier did, before reading).

mod function;

use crate::constant::Constant;
use crate::ids::{ConstId, FuncId};
use crate::image::Image;
use crate::inst::Inst;
use crate::program::Program;
use function::Check;
use plat_basics::integer::wide;
use std::fmt;

/// A promise that is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The function, and the position of the instruction in it, where known.
    pub place: Option<(FuncId, Option<usize>)>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            None => write!(out, "{}", self.what),
            Some((function, None)) => write!(out, "function {}: {}", function.0, self.what),
            Some((function, Some(at))) => {
                write!(
                    out,
                    "function {}, instruction {at}: {}",
                    function.0, self.what
                )
            }
        }
    }
}

/// Checks a program; an empty list means that it is well-formed.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut found = Vec::new();
    check_globals(program, &mut found);
    check_constants(program, &mut found);
    check_annotations(program, &mut found);
    let mut next = 0;
    for (at, function) in program.functions.iter().enumerate() {
        let id = FuncId::new(at);
        let mut check = Check {
            program,
            function,
            id,
            position: None,
            found: &mut found,
        };
        check.require(function.id == id, || "its id is not its position".into());
        check.require(function.first_inst.0 == next, || {
            "its first instruction is off".into()
        });
        next += function.insts.len() as u32;
        check.function();
    }
    found
}

fn check_globals(program: &Program, found: &mut Vec<Violation>) {
    for global in &program.globals {
        let mut report = |what: &str| {
            let what = format!("global {}: {what}", global.name);
            found.push(Violation { place: None, what });
        };
        if !global.align.is_power_of_two() {
            report("its alignment is not a power of two");
        }
        let Some(image) = &global.initializer else {
            continue;
        };
        if image.bytes.end() > global.size {
            report("its image is longer than it");
        }
        let mut end = 0;
        for relocation in &image.relocations {
            if relocation.offset < end {
                report("its relocations overlap or are not sorted");
            }
            end = relocation.offset + relocation.size;
            if end > global.size || relocation.value.index() >= program.constants.len() {
                report("a relocation lies outside");
            } else if !is_zero(&image.bytes, relocation.offset, end) {
                report("bytes under a relocation are not zero");
            }
        }
    }
}

/// Whether an image is zero from one position to another.
fn is_zero(image: &Image, from: u64, to: u64) -> bool {
    let pieces = image.pieces();
    let first = pieces.partition_point(|piece| piece.end() <= from);
    let mut touched = pieces[first..].iter().take_while(|piece| piece.offset < to);
    touched.all(|piece| {
        let within = |at: u64| (at.max(piece.offset).min(piece.end()) - piece.offset) as usize;
        let bytes = &piece.bytes[within(from)..within(to)];
        bytes.iter().all(|&byte| byte == 0)
    })
}

fn check_constants(program: &Program, found: &mut Vec<Violation>) {
    for (at, constant) in program.constants.iter().enumerate() {
        let earlier = |id: &ConstId| id.index() < at;
        let ok = match constant {
            Constant::Int { width, value } => {
                (1..=128).contains(width) && *value <= wide::mask(*width)
            }
            Constant::WideInt(width, limbs) => limbs.len() == width.div_ceil(64) as usize,
            Constant::Global(global, _) => global.index() < program.globals.len(),
            Constant::Function(function) => function.index() < program.functions.len(),
            Constant::Undef(ty) | Constant::Poison(ty) | Constant::Zero(ty) => {
                ty.index() < program.types.len()
            }
            Constant::Aggregate(ty, elements) => {
                ty.index() < program.types.len() && elements.iter().all(earlier)
            }
            Constant::Binary(_, _, lhs, rhs) | Constant::Compare(_, _, lhs, rhs) => {
                earlier(lhs) && earlier(rhs)
            }
            Constant::Cast(_, _, _, value) => earlier(value),
            Constant::Float(kind, bits) => *bits <= wide::mask(kind.bits()),
            Constant::Null | Constant::Unsupported(_) => true,
        };
        if !ok {
            found.push(Violation {
                place: None,
                what: format!("constant {at} is malformed"),
            });
        }
    }
}

fn check_annotations(program: &Program, found: &mut Vec<Violation>) {
    for &id in program.annotations.sites.keys() {
        let is_call = id.index() < program.inst_count()
            && matches!(program.inst(id), Inst::Call { .. } | Inst::Invoke { .. });
        if !is_call {
            let what = format!("instruction {} is annotated but is no call", id.0);
            found.push(Violation { place: None, what });
        }
    }
    // The annotations are a hash map; what is reported must not depend on its order.
    found.sort_by(|a, b| a.what.cmp(&b.what));
}
