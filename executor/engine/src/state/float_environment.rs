//! The floating-point environment of a path: rounding modes, exception masks and flags, as the
//! control and status registers of x86-64 have them.
//!
//! Flags are computed only for programs that can see them ([`reads_flags`]), or where a trap is
//! enabled: other programs in the default mode pay nothing. Which flags an operation on symbolic
//! numbers raises is not known; to ask for one that it may have raised ends the path as
//! unsupported.

use crate::state::stop::{Step, unsupported};
use plat_expr::{Exceptions, FloatOp, Rounding};
use plat_program::{FloatKind, Program};

/// The registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatEnvironment {
    /// `MXCSR`: flags (bits 0 to 5), masks (7 to 12), rounding (13 and 14), flushing (6 and 15).
    pub control: u32,
    /// The x87 control word: masks (bits 0 to 5), precision (8 and 9), rounding (10 and 11).
    pub x87_control: u16,
    /// Flags in the x87 status word.
    pub x87_flags: Exceptions,
    /// Flags that operations on symbolic numbers may have raised.
    pub unknown: Exceptions,
}

/// `MXCSR` at the start: to nearest, all exceptions masked.
const CONTROL: u32 = 0x1f80;
/// The x87 control word at the start: to nearest, full precision, all exceptions masked.
const X87_CONTROL: u16 = 0x037f;
/// The bits of `MXCSR` that flush numbers below the normal ones to zero.
const FLUSHING: u32 = 0x8040;
/// The flags in `MXCSR`.
const FLAGS: u32 = 0x3f;

impl Default for FloatEnvironment {
    fn default() -> Self {
        Self {
            control: CONTROL,
            x87_control: X87_CONTROL,
            x87_flags: Exceptions::default(),
            unknown: Exceptions::default(),
        }
    }
}

fn mode(bits: u32) -> Rounding {
    match bits & 3 {
        0 => Rounding::NearestEven,
        1 => Rounding::Down,
        2 => Rounding::Up,
        _ => Rounding::Zero,
    }
}

impl FloatEnvironment {
    /// Whether operations are rounded to nearest and nothing traps.
    pub fn is_plain(&self) -> bool {
        self.control & !FLAGS == CONTROL && self.x87_control == X87_CONTROL
    }

    /// The rounding mode of operations on a format.
    pub fn rounding(&self, kind: FloatKind) -> Rounding {
        match kind {
            FloatKind::X86Fp80 => mode(u32::from(self.x87_control) >> 10),
            _ => mode(self.control >> 13),
        }
    }

    /// Sets the rounding mode everywhere.
    pub fn set_rounding(&mut self, rounding: Rounding) {
        let bits = match rounding {
            Rounding::NearestEven | Rounding::NearestAway => 0,
            Rounding::Down => 1,
            Rounding::Up => 2,
            Rounding::Zero => 3,
        };
        self.control = self.control & !0x6000 | bits << 13;
        self.x87_control = self.x87_control & !0x0c00 | (bits << 10) as u16;
    }

    /// Gives the control register a value, flags included.
    pub fn set_control(&mut self, value: u32) {
        self.control = value & 0xffff;
        self.unknown = Exceptions::default();
    }

    /// Those of the flags that are set.
    ///
    /// # Errors
    /// When it is not known.
    pub fn flags(&self, asked: Exceptions) -> Step<Exceptions> {
        let set = Exceptions((self.control & FLAGS) as u8) | self.x87_flags;
        let open = self.unknown.common(asked).0 & !set.0;
        if open != 0 {
            return unsupported("exception flags of floating-point operations on symbolic numbers");
        }
        Ok(set.common(asked))
    }

    /// Clears flags.
    pub fn clear(&mut self, flags: Exceptions) {
        let kept = Exceptions(!flags.0);
        self.control &= !u32::from(flags.common(Exceptions::ALL).0);
        self.x87_flags = self.x87_flags.common(kept);
        self.unknown = self.unknown.common(kept);
    }

    /// An operation on a format raises exceptions.
    ///
    /// # Errors
    /// When one of them is not masked.
    pub fn raise(&mut self, kind: FloatKind, raised: Exceptions) -> Step<()> {
        let masks = if kind == FloatKind::X86Fp80 {
            self.x87_flags |= raised;
            u32::from(self.x87_control)
        } else {
            self.control |= u32::from(raised.0);
            self.control >> 7
        };
        if u32::from(raised.0) & !masks & FLAGS != 0 {
            return unsupported("a trap of a floating-point exception (SIGFPE)");
        }
        Ok(())
    }

    /// Whether a flag of vector operations is set.
    pub fn has(&self, flag: Exceptions) -> bool {
        self.control & u32::from(flag.0) != 0
    }

    /// Takes flags back that were not set in an earlier environment.
    pub fn withdraw(&mut self, flags: Exceptions, before: &Self) {
        let clear = |now: u8, before: u8| now & !(flags.0 & !before);
        let known = clear((self.control & FLAGS) as u8, (before.control & FLAGS) as u8);
        self.control = self.control & !FLAGS | u32::from(known);
        self.x87_flags = Exceptions(clear(self.x87_flags.0, before.x87_flags.0));
        self.unknown = Exceptions(clear(self.unknown.0, before.unknown.0));
    }

    /// Whether operations on a format can be computed.
    ///
    /// # Errors
    /// In modes that are not modelled.
    pub fn check(&self, kind: FloatKind) -> Step<()> {
        match kind {
            FloatKind::X86Fp80 if self.x87_control & 0x0300 != 0x0300 => {
                unsupported("x87 arithmetic in reduced precision")
            }
            FloatKind::X86Fp80 => Ok(()),
            _ if self.control & FLUSHING != 0 => {
                unsupported("floating-point arithmetic that flushes small numbers to zero")
            }
            _ => Ok(()),
        }
    }

    /// An operation on symbolic numbers of a format, in the path's rounding mode.
    ///
    /// # Errors
    /// When it would be rounded in another mode than to nearest, or may trap.
    pub fn symbolic(&mut self, op: FloatOp, kind: FloatKind, exact: bool) -> Step<()> {
        self.check(kind)?;
        if !exact && self.rounding(kind) != Rounding::NearestEven {
            return unsupported(
                "floating-point arithmetic on symbolic numbers in another rounding mode than to nearest",
            );
        }
        let raised = Exceptions::of(op);
        let masks = match kind {
            FloatKind::X86Fp80 => u32::from(self.x87_control),
            _ => self.control >> 7,
        };
        if u32::from(raised.0) & !masks & FLAGS != 0 {
            return unsupported("a trap of a floating-point exception of symbolic numbers");
        }
        self.unknown |= raised;
        Ok(())
    }
}

/// Whether a program can see exception flags: it calls what reads the status, or has assembly that
/// does.
pub fn reads_flags(program: &Program) -> bool {
    let mut functions = program.functions.iter();
    functions.any(|function| {
        let name = function.name.as_str();
        name == "__plat_float_flags"
            || name == "llvm.x86.sse.stmxcsr"
            || function
                .asm_texts
                .iter()
                .any(|text| text.contains("stmxcsr") || text.contains("fnstsw"))
    })
}
