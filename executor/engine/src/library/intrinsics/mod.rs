//! LLVM's intrinsics, by base name: the part before the types that a name is mangled with.

mod bits;
mod control;
mod float;
mod integer;
mod vector;

pub(crate) use bits::first_one;

use super::{Invocation, Reply, Run};
use crate::code::types::Class;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, internal};
use crate::step::lanes;
use plat_expr::Value;

const TABLES: &[&[(&str, Run)]] = &[
    bits::TABLE,
    control::TABLE,
    float::TABLE,
    super::float_environment::INTRINSICS,
    integer::TABLE,
    vector::TABLE,
];

/// What an intrinsic does, by its name without `llvm.`: the longest base name that fits.
///
/// A constrained intrinsic does what the plain one does: that is in the rounding mode of the path,
/// and raises its exceptions. What its last operands say of both only restrains compilers.
pub(super) fn find(name: &str) -> Option<Run> {
    let name = name
        .strip_prefix("experimental.constrained.")
        .unwrap_or(name);
    TABLES
        .iter()
        .flat_map(|table| table.iter())
        .filter(|(base, _)| {
            name.strip_prefix(base)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
        .max_by_key(|(base, _)| base.len())
        .map(|&(_, run)| run)
}

/// An operation on scalars of so many bits.
pub(super) type Scalar<'f> = &'f mut dyn FnMut(&mut Executor<'_>, u32, &[Value]) -> Step<Value>;

/// Applies an operation on scalars to the arguments, lane by lane if they are vectors. Arguments
/// from `flags` on are the same for every lane.
pub(super) fn each(
    exec: &mut Executor<'_>,
    call: &Invocation<'_>,
    flags: usize,
    op: Scalar<'_>,
) -> Step<Reply> {
    let program = exec.program;
    let Some(&ty) = program.function(call.callee).params.first() else {
        return internal("intrinsic without parameters");
    };
    let info = *exec.code.ty(ty);
    if let Class::Vector(element, count) = info.class {
        let bits = exec.code.ty(element).bits;
        let mut columns = Vec::with_capacity(call.args.len());
        for (at, &arg) in call.args.iter().enumerate() {
            columns.push(if at < flags {
                lanes(exec, arg, count)?
            } else {
                vec![arg; count as usize]
            });
        }
        let mut list = Vec::with_capacity(count as usize);
        for lane in 0..count as usize {
            let args: Vec<Value> = columns.iter().map(|column| column[lane]).collect();
            list.push(op(exec, bits, &args)?);
        }
        return Ok(Reply::Value(Value::Aggregate(exec.pool.aggregate(&list))));
    }
    for &arg in call.args {
        exec.require_scalar(arg)?;
    }
    Ok(Reply::Value(op(exec, info.bits, call.args)?))
}

/// Hints: nothing to do.
pub(super) fn nothing(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Nothing)
}

/// The first argument as it is.
pub(super) fn first(_: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(call.arg(0)))
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn the_longest_base_name_wins() {
        let same = |a: &str, b: &str| match (find(a), find(b)) {
            (Some(a), Some(b)) => std::ptr::fn_addr_eq(a, b),
            _ => false,
        };
        assert!(same("memcpy.inline.p0.p0.i64", "memcpy.p0.p0.i64"));
        assert!(!same("fma.f64", "fabs.f64"));
        assert!(find("fmax").is_none());
        assert!(find("umin.v4i32").is_some());
    }
}
