//! An address that is computed right before it is used: one operation for both instructions.
//!
//! The operation stands at the first of them. That of the second one stays, for whoever comes to it
//! alone.

use crate::code::ops::{Op, Place};

/// Makes one operation of each two that are an address and an access through it.
pub fn fuse(ops: &mut [Op]) {
    for at in 1..ops.len() {
        if let Some(both) = both(&ops[at - 1], &ops[at]) {
            ops[at - 1] = both;
        }
    }
}

fn both(first: &Op, second: &Op) -> Option<Op> {
    let Op::Move { dst, base, offset } = *first else {
        return None;
    };
    let offset = i32::try_from(offset).ok()?;
    let place = Place { dst, base, offset };
    Some(match *second {
        _ if second.address() != Some(dst) => return None,
        Op::Load4 { dst, .. } => Op::LoadAt4 { place, dst },
        Op::Load8 { dst, .. } => Op::LoadAt8 { place, dst },
        Op::Store4 { value, .. } => Op::StoreAt4 { place, value },
        Op::Store8 { value, .. } => Op::StoreAt8 { place, value },
        _ => return None,
    })
}

/// The first part of an operation alone, if it is one of two parts.
pub fn first(op: &Op) -> Option<Op> {
    match *op {
        Op::LoadAt4 { place, .. }
        | Op::LoadAt8 { place, .. }
        | Op::StoreAt4 { place, .. }
        | Op::StoreAt8 { place, .. } => Some(Op::Move {
            dst: place.dst,
            base: place.base,
            offset: place.offset.into(),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_can_be_told_apart_again() {
        let accesses = |pointer| {
            [
                Op::Load4 { dst: 7, pointer },
                Op::Load8 { dst: 7, pointer },
                Op::Store4 { value: 7, pointer },
                Op::Store8 { value: 7, pointer },
            ]
        };
        let address = |offset| Op::Move {
            dst: 5,
            base: 3,
            offset,
        };
        let show = |op: &Op| format!("{op:?}");
        for access in accesses(5) {
            let mut ops = [address(-8), access];
            fuse(&mut ops);
            assert_eq!(first(&ops[0]).as_ref().map(show), Some(show(&address(-8))));
            assert_eq!(show(&ops[1]), show(&access));
            assert_eq!(ops[1].address(), Some(5));
            // What is too far away for one operation stays as it is.
            let mut ops = [address(1 << 40), access];
            fuse(&mut ops);
            assert_eq!(show(&ops[0]), show(&address(1 << 40)));
        }
        for other in accesses(4) {
            let mut ops = [address(0), other];
            fuse(&mut ops);
            assert!(first(&ops[0]).is_none() && first(&other).is_none());
        }
    }
}
