//! Inline assembly of one instruction that computes in a register: `neg $0`, `add $$5, $0`, `xorl $1, $0`.
//! The result is the only output, and what was in its register before is tied to it; so the flags and
//! everything else are as they were for the program.

use crate::executor::Executor;
use crate::state::State;
use crate::values;
use plat_expr::{BinaryOp, Value};
use plat_program::{Function, Operand};

/// What an instruction does with the register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    /// With a number or another register.
    With(BinaryOp, Source),
    /// Takes it from 0.
    Negate,
    /// Takes the other operand in its place.
    Move(Source),
}

/// The other operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// A number in the text.
    Number(u64),
    /// The argument of the call at this position.
    Argument(usize),
}

/// An instruction: what it does, and which argument is in the register before.
type Instruction = (Operation, Option<usize>);

/// The instruction that a text is, on a register of so many bits.
fn instruction(text: &str, bits: u32) -> Option<Instruction> {
    let (code, constraints) = text.rsplit_once(" ; ")?;
    let mut inputs = Vec::new();
    let mut constraints = constraints.trim().split(',');
    if !matches!(constraints.next()?, "=r" | "=&r" | "=q") {
        return None;
    }
    for constraint in constraints.filter(|one| !one.starts_with('~')) {
        match constraint {
            "r" | "q" | "0" => inputs.push(constraint),
            _ => return None,
        }
    }
    let before = inputs.iter().position(|&one| one == "0");
    let words: Vec<&str> = code
        .split([' ', ',', '\t'])
        .filter(|word| !word.is_empty())
        .collect();
    let name = plain_name(words.first()?, bits)?;
    let number = |text: &str| {
        let digits = text.strip_prefix("$$")?;
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, digits),
        };
        let value: u64 = match digits.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok()?,
            None => digits.parse().ok()?,
        };
        // What a signed operand of 32 bits has room for.
        (value <= 1 << 31).then(|| {
            if negative {
                value.wrapping_neg()
            } else {
                value
            }
        })
    };
    let source = |text: &str| match number(text) {
        Some(number) => Some(Source::Number(number)),
        None => {
            let at = text
                .strip_prefix('$')?
                .parse::<usize>()
                .ok()?
                .checked_sub(1)?;
            (*inputs.get(at)? == "r").then_some(Source::Argument(at))
        }
    };
    let one = Source::Number(1);
    let operation = match (name, &words[1..]) {
        ("neg", ["$0"]) => Operation::Negate,
        ("not", ["$0"]) => Operation::With(BinaryOp::Xor, Source::Number(u64::MAX)),
        ("inc", ["$0"]) => Operation::With(BinaryOp::Add, one),
        ("dec", ["$0"]) => Operation::With(BinaryOp::Sub, one),
        ("mov", [from, "$0"]) => return Some((Operation::Move(source(from)?), before)),
        ("shl" | "sal" | "shr" | "sar", [count, "$0"]) => {
            // The processor takes as many bits of the count as the register needs, at least five.
            let count = number(count)? & u64::from(bits.max(32) - 1);
            let shift = match name {
                "shr" => BinaryOp::LShr,
                "sar" => BinaryOp::AShr,
                _ => BinaryOp::Shl,
            };
            (count < u64::from(bits)).then_some(Operation::With(shift, Source::Number(count)))?
        }
        (_, [from, "$0"]) => Operation::With(with_other(name)?, source(from)?),
        _ => return None,
    };
    before.map(|before| (operation, Some(before)))
}

/// The name of an instruction without the letter for the size of its operands, which must fit.
fn plain_name(word: &str, bits: u32) -> Option<&str> {
    const NAMES: &[&str] = &[
        "neg", "not", "inc", "dec", "mov", "shl", "sal", "shr", "sar", "add", "sub", "and", "or",
        "xor", "imul",
    ];
    if NAMES.contains(&word) {
        return Some(word);
    }
    let suffix = match bits {
        8 => 'b',
        16 => 'w',
        32 => 'l',
        64 => 'q',
        _ => return None,
    };
    word.strip_suffix(suffix)
        .filter(|name| NAMES.contains(name))
}

fn with_other(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        "imul" => BinaryOp::Mul,
        _ => return None,
    })
}

impl Executor<'_> {
    /// The result of inline assembly that computes in a register of so many bits; `None` if it is something
    /// else.
    pub(super) fn assembly_result(
        &mut self,
        state: &State,
        function: &Function,
        operands: &[Operand],
        (text, bits): (&str, u32),
    ) -> Option<Value> {
        let (operation, before) = instruction(text, bits)?;
        let all_fit = operands
            .iter()
            .all(|&one| self.operand_bits(function, one) == bits);
        if !all_fit || !matches!(bits, 8 | 16 | 32 | 64) {
            return None;
        }
        let mask = u64::MAX >> (64 - bits);
        let argument = |exec: &Self, at: usize| Some(exec.operand(state, *operands.get(at)?));
        let other = |exec: &Self, source| match source {
            Source::Number(number) => Some(Value::Int(number & mask)),
            Source::Argument(at) => argument(exec, at),
        };
        let before = match before {
            Some(at) => argument(self, at)?,
            None => Value::Int(0),
        };
        Some(match operation {
            Operation::Move(source) => other(self, source)?,
            Operation::Negate => {
                values::binary(&mut self.pool, BinaryOp::Sub, bits, Value::Int(0), before)
            }
            Operation::With(op, source) => {
                let other = other(self, source)?;
                values::binary(&mut self.pool, op, bits, before, other)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Instruction, Operation, Source, instruction};
    use plat_expr::BinaryOp;

    const FLAGS: &str = "~{dirflag},~{fpsr},~{flags}";

    fn of(code: &str, places: &str, bits: u32) -> Option<Instruction> {
        instruction(&format!("{code} ; {places},{FLAGS}"), bits)
    }

    #[test]
    fn instructions_are_recognised() {
        let with = |op, source, before| Some((Operation::With(op, source), Some(before)));
        assert_eq!(of("neg $0", "=r,0", 32), Some((Operation::Negate, Some(0))));
        let five = Source::Number(5);
        assert_eq!(of("add $$5, $0", "=r,0", 64), with(BinaryOp::Add, five, 0));
        assert_eq!(of("addl $$5, $0", "=r,0", 32), with(BinaryOp::Add, five, 0));
        let first = Source::Argument(0);
        assert_eq!(
            of("xorq $1,$0", "=r,r,0", 64),
            with(BinaryOp::Xor, first, 1)
        );
        assert_eq!(
            of("mov $1, $0", "=r,r", 64),
            Some((Operation::Move(first), None))
        );
        let nine = Source::Number(9);
        assert_eq!(of("shl $$41, $0", "=r,0", 32), with(BinaryOp::Shl, nine, 0));
    }

    #[test]
    fn others_are_not() {
        for (code, places, bits) in [
            ("addq $$5, $0", "=r,0", 32),
            ("add $$5, $0", "=r", 32),
            ("add $$5, $0", "=m,0", 32),
            ("add $2, $0", "=r,r,0", 32),
            ("adc $$5, $0", "=r,0", 32),
            ("add $$5, %eax", "=r,0", 32),
            ("shl %cl, $0", "=r,0", 32),
            ("shl $$20, $0", "=r,0", 16),
            ("add $$5, $0", "=r,=r,0", 32),
            ("neg $0; neg $0", "=r,0", 32),
            ("add $$0x100000000, $0", "=r,0", 64),
        ] {
            assert_eq!(of(code, places, bits), None, "{code}");
        }
    }
}
