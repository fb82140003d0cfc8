//! Where a program keeps `errno`: what its `__errno_location` returns.

use super::Code;
use plat_expr::Value;
use plat_program::{Function, Inst};

/// Where `errno` is.
#[derive(Clone, Copy, Debug)]
pub enum ErrnoPlace {
    /// At this address.
    At(Value),
    /// So many bytes behind the address that is stored at this one: in the structure of the running
    /// thread.
    Behind(Value, i64),
}

impl ErrnoPlace {
    /// What a function returns that computes nothing but an address: a constant, or one at a distance
    /// from a constant or from what is stored there.
    pub fn returned_by(code: &Code, function: &Function) -> Option<Self> {
        let mut known: Vec<(plat_program::Reg, Self)> = Vec::new();
        let place = |known: &[(plat_program::Reg, Self)], operand: plat_program::Operand| {
            if let Some(reg) = operand.as_reg() {
                return known.iter().find(|one| one.0 == reg).map(|one| one.1);
            }
            let constant = operand.as_constant()?;
            Some(ErrnoPlace::At(code.constant_value(constant)))
        };
        for inst in &function.insts {
            match *inst {
                Inst::Load { dst, pointer, .. } => match place(&known, pointer)? {
                    ErrnoPlace::At(address) => known.push((dst, ErrnoPlace::Behind(address, 0))),
                    ErrnoPlace::Behind(..) => return None,
                },
                Inst::Gep {
                    dst,
                    base,
                    offset,
                    terms,
                } if terms.len == 0 => {
                    let moved = match place(&known, base)? {
                        ErrnoPlace::At(Value::Pointer(object, at)) => {
                            ErrnoPlace::At(Value::Pointer(object, at + offset))
                        }
                        ErrnoPlace::Behind(address, by) => ErrnoPlace::Behind(address, by + offset),
                        ErrnoPlace::At(_) => return None,
                    };
                    known.push((dst, moved));
                }
                Inst::Return { value: Some(value) } => return place(&known, value),
                _ => return None,
            }
        }
        None
    }
}
