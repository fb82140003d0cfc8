//! LLVM's intrinsic functions.

use super::Extractor;
use super::calls::At;
use crate::constraints::{Constraint, Node, Offset};

/// Prefixes of intrinsics through which no pointer passes.
const WITHOUT_POINTERS: &[&str] = &[
    "abs",
    "assume",
    "ceil",
    "copysign",
    "cos",
    "ctlz",
    "ctpop",
    "cttz",
    "dbg.",
    "debugtrap",
    "donothing",
    "exp",
    "experimental.noalias.scope.decl",
    "fabs",
    "floor",
    "fma",
    "fmuladd",
    "fptosi",
    "fptoui",
    "frameaddress",
    "frexp",
    "invariant.end",
    "is.constant",
    "is.fpclass",
    "ldexp",
    "lifetime.",
    "llrint",
    "llround",
    "log",
    "lrint",
    "lround",
    "maxnum",
    "minnum",
    "nearbyint",
    "objectsize",
    "pow",
    "prefetch",
    "pseudoprobe",
    "returnaddress",
    "rint",
    "round",
    "sadd.sat",
    "sin",
    "smul.",
    "sqrt",
    "stackrestore",
    "stacksave",
    "trap",
    "trunc",
    "ubsantrap",
    "umul.",
    "va_end",
    "var.annotation",
    "vscale",
];

impl Extractor<'_> {
    /// A call of an intrinsic; `name` is without the prefix `llvm.`.
    pub(super) fn intrinsic(
        &mut self,
        at: At<'_>,
        name: &str,
        arguments: &[Option<Node>],
        result: Option<Node>,
    ) {
        let argument = |position: usize| arguments.get(position).copied().flatten();
        if name.starts_with("memcpy") || name.starts_with("memmove") {
            let context = &self.out.instances[at.instance.index()].context;
            let length = at.operands.get(2).copied();
            let length = length.and_then(|value| self.constant_value(at.caller.id, context, value));
            self.touch(at, &arguments[..arguments.len().min(2)]);
            if let (Some(to), Some(from)) = (argument(0), argument(1)) {
                self.copy_block(to, from, length);
            }
        } else if name.starts_with("memset") {
            self.touch(at, &arguments[..arguments.len().min(1)]);
        } else if name.starts_with("va_start") {
            self.touch(at, &arguments[..1]);
            self.start_arguments(at, argument(0));
        } else if name.starts_with("va_copy") {
            self.touch(at, &arguments[..2]);
            if let (Some(to), Some(from)) = (argument(0), argument(1)) {
                self.copy_block(to, from, Some(24));
            }
        } else if name.starts_with("masked.load") || name.starts_with("masked.gather") {
            self.touch(at, &arguments[..1]);
            if let (Some(pointer), Some(to)) = (argument(0), result) {
                self.push(Constraint::Load {
                    pointer,
                    width: 64,
                    to,
                });
                arguments
                    .iter()
                    .skip(1)
                    .flatten()
                    .for_each(|&other| self.copy(other, to));
            }
        } else if name.starts_with("masked.store") || name.starts_with("masked.scatter") {
            self.touch(at, &arguments[1..2]);
            if let (Some(pointer), Some(from)) = (argument(1), argument(0)) {
                self.push(Constraint::Store {
                    pointer,
                    width: 64,
                    from,
                });
            }
        } else if name.starts_with("load.relative") {
            self.touch(at, &arguments[..1]);
            self.load_relative(argument(0), result);
        } else if !WITHOUT_POINTERS
            .iter()
            .any(|prefix| name.starts_with(prefix))
        {
            self.pass_through(name, arguments, result);
        }
    }

    fn touch(&mut self, at: At<'_>, pointers: &[Option<Node>]) {
        for (&pointer, operand) in pointers.iter().zip(0..) {
            if let Some(pointer) = pointer {
                self.dereference(at.inst, operand, pointer);
            }
        }
    }

    /// `load.relative`: the distance found somewhere in a table, added to the table's address.
    fn load_relative(&mut self, table: Option<Node>, result: Option<Node>) {
        let (Some(table), Some(result)) = (table, result) else {
            return;
        };
        let (pointer, distance) = (self.out.system.node(), self.out.system.node());
        self.shift(table, Offset::ANY, pointer);
        self.push(Constraint::Load {
            pointer,
            width: 4,
            to: distance,
        });
        self.shift(distance, Offset::ANY, result);
        self.copy(pointer, result);
    }

    /// `va_start` on x86-64: the list's two addresses lead to the further arguments.
    fn start_arguments(&mut self, at: At<'_>, list: Option<Node>) {
        let rest = self.out.instances[at.instance.index()].rest;
        let (Some(rest), Some(list)) = (rest, list) else {
            return;
        };
        let from = self.out.system.node();
        self.address(from, rest, Offset::ANY);
        for field in [8, 16] {
            let pointer = self.out.system.node();
            self.shift(list, Offset::exact(field), pointer);
            self.push(Constraint::Store {
                pointer,
                width: 8,
                from,
            });
        }
    }

    /// Intrinsics whose result is (in the cases named here: exactly) one of their arguments;
    /// of any other the result is derived from all arguments.
    fn pass_through(&mut self, name: &str, arguments: &[Option<Node>], result: Option<Node>) {
        let Some(result) = result else { return };
        let unchanged = [
            "expect",
            "launder.invariant.group",
            "strip.invariant.group",
            "ssa.copy",
            "threadlocal.address",
            "umax",
            "umin",
            "smax",
            "smin",
            "ptr.annotation",
            "annotation",
            "vector.",
            "invariant.start",
            "preserve.",
        ];
        let by = match unchanged.iter().any(|prefix| name.starts_with(prefix)) {
            true => Offset::ZERO,
            false => Offset::ANY,
        };
        for &argument in arguments.iter().flatten() {
            self.shift(argument, by, result);
        }
    }
}
