//! Inline assembly: texts without instructions, which constrain the compiler and at most hand
//! operands through, and the instructions that headers have where compilers have no function or had
//! none: the exchange of bytes, the search for a one in a word, and access to the floating-point control
//! registers. Idioms of more than an
//! instruction's width are in [`assembly_idioms`](super::assembly_idioms), computations in a register in
//! [`assembly_arithmetic`](super::assembly_arithmetic), pushes and pops in
//! [`assembly_stack`](super::assembly_stack).
//!
//! A call carries its text and constraints, such as `; =r,r,0,~{memory}`: outputs begin with `=`,
//! clobbers with `~`, and an input that is a number is in that output's place. An output that the
//! call writes through a pointer (`=*m`) has that pointer among the arguments.

use crate::api::summary::ForkKind;
use crate::code::types::Class;
use crate::executor::Executor;
use crate::library::first_one;
use crate::state::State;
use crate::state::stop::{Flow, Step, unsupported};
use plat_expr::{Exceptions, Value};
use plat_program::{Call, Function, Operand, Reg};

/// What the outputs that the call returns are tied to: positions among the arguments. `None` if
/// the text has instructions, or an output has no value.
fn tied(text: &str) -> Option<Vec<usize>> {
    let (code, constraints) = match text.split_once(';') {
        Some(parts) => parts,
        None if text.starts_with(['=', '~']) => ("", text),
        None => return text.trim().is_empty().then(Vec::new),
    };
    let mut lines = code.lines().map(|line| line.trim_matches(['"', ' ', '\t']));
    if lines.any(|line| !line.is_empty() && !line.starts_with('#')) {
        return None;
    }
    let (mut outputs, mut returned, mut inputs) = (0usize, Vec::new(), Vec::new());
    let mut position = 0;
    for constraint in constraints.trim().split(',') {
        let constraint = constraint.trim();
        if let Some(rest) = constraint.strip_prefix('=') {
            let indirect = rest.trim_start_matches('&').starts_with('*');
            if indirect {
                position += 1;
            } else {
                returned.push(outputs);
            }
            outputs += 1;
        } else if !constraint.starts_with('~') && !constraint.is_empty() {
            inputs.push((constraint.parse::<usize>().ok(), position));
            position += 1;
        }
    }
    returned
        .iter()
        .map(|&output| {
            let tie = inputs.iter().find(|&&(tie, _)| tie == Some(output));
            tie.map(|&(_, position)| position)
        })
        .collect()
}

/// Whether the text exchanges the bytes of its only operand, of `bits` bits.
fn exchanges_bytes(text: &str, bits: u32) -> bool {
    let Some((code, constraints)) = text.rsplit_once(" ; ") else {
        return false;
    };
    let mut all = constraints.trim().split(',');
    let operand = ["=r", "=q", "=Q", "=&r"].iter();
    let mut operand = operand.filter(|kind| all.clone().next() == Some(kind));
    let only =
        operand.next().is_some() && all.nth(1) == Some("0") && all.all(|one| one.starts_with('~'));
    let words: Vec<&str> = code
        .split([' ', ',', '\t', ';', '\n'])
        .filter(|word| !word.is_empty())
        .collect();
    let rotations = words.chunks(3).map(|rotation| match rotation {
        ["rorw" | "rolw", "$$8", "$0" | "${0:w}"] => 8,
        ["rorl" | "roll", "$$16", "$0" | "${0:k}"] => 16,
        _ => 0,
    });
    if only && bits == 32 && rotations.eq([8, 16, 8]) {
        return true;
    }
    only && matches!(
        (words.as_slice(), bits),
        (["bswap" | "bswapl", "$0" | "${0:k}"], 32)
            | (["bswap" | "bswapq", "$0" | "${0:q}"], 64)
            | (["rorw" | "rolw", "$$8", "$0" | "${0:w}"], 16)
            | (
                ["xchgb", "${0:b}", "${0:h}"] | ["xchgb", "${0:h}", "${0:b}"],
                16
            )
    )
}

/// A search for a one in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Scan {
    /// `bsr`, which looks for the highest one; `bsf` looks for the lowest.
    from_above: bool,
    /// Whether the output has a value before, which it keeps if there is no one.
    keeps: bool,
}

/// The search in its first argument that a text is, with a result of `bits` bits.
fn scan(text: &str, bits: u32) -> Option<Scan> {
    let (code, constraints) = text.rsplit_once(" ; ")?;
    let words = code.split([' ', ',', '\t', '\n', ';']);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let (from_above, width) = match words.as_slice() {
        ["bsr", "$1", "$0"] => (true, bits),
        ["bsrl", "$1", "$0"] => (true, 32),
        ["bsrq", "$1", "$0"] => (true, 64),
        ["bsf", "$1", "$0"] => (false, bits),
        ["bsfl", "$1", "$0"] => (false, 32),
        ["bsfq", "$1", "$0"] => (false, 64),
        _ => return None,
    };
    let operands = constraints.trim().split(',');
    let operands: Vec<&str> = operands.filter(|one| !one.starts_with('~')).collect();
    let keeps = match operands.as_slice() {
        ["=r" | "=&r", "r" | "rm"] => false,
        ["=r" | "=&r", "r" | "rm", "0"] => true,
        _ => return None,
    };
    (width == bits && matches!(bits, 32 | 64)).then_some(Scan { from_above, keeps })
}

/// What programs do with the floating-point control registers without a function of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ControlAccess {
    /// `stmxcsr`, `ldmxcsr`: the register of vector operations.
    Store,
    Load,
    /// `fnstcw`, `fldcw`: the x87 control word.
    StoreX87,
    LoadX87,
    /// `fnstsw` to memory, `fnclex`: the x87 flags.
    StoreX87Status,
    ClearX87,
}

/// The access to a control register that a text is, on the memory that its only operand points to.
fn control_access(text: &str) -> Option<ControlAccess> {
    let (code, constraints) = text.split_once(';').unwrap_or((text, ""));
    let words: Vec<&str> = code.split_whitespace().collect();
    let mut operands = constraints.trim().split(',');
    let mut operands = operands
        .by_ref()
        .filter(|part| !part.is_empty() && !part.starts_with('~'));
    let (operand, more) = (operands.next(), operands.next());
    let memory = matches!(operand, Some("*m" | "=*m")) && more.is_none();
    Some(match words.as_slice() {
        ["stmxcsr", "$0"] if memory => ControlAccess::Store,
        ["ldmxcsr", "$0"] if memory => ControlAccess::Load,
        ["fnstcw" | "fstcw", "$0"] if memory => ControlAccess::StoreX87,
        ["fldcw", "$0"] if memory => ControlAccess::LoadX87,
        ["fnstsw" | "fstsw", "$0"] if memory => ControlAccess::StoreX87Status,
        ["fnclex" | "fclex"] if operand.is_none() => ControlAccess::ClearX87,
        _ => return None,
    })
}

impl Executor<'_> {
    /// The place of the one that is looked for. If there is none, the output is as before; where the
    /// program has put nothing there, that is any value, and the path ends.
    fn scanned(
        &mut self,
        state: &mut State,
        scan: Scan,
        operands: &[Operand],
        bits: u32,
    ) -> Step<Value> {
        let &[source, ref before @ ..] = operands else {
            return unsupported("inline assembly without its operand");
        };
        let source = self.operand(state, source).to_expr(&mut self.pool, bits);
        let none = self.pool.constant(bits, 0);
        let none = self.pool.eq(source, none);
        let before = match (scan.keeps, before) {
            (true, &[before]) => self.operand(state, before),
            _ if self.decide(state, ForkKind::Library, none)? => {
                return unsupported("bsf or bsr of 0 in inline assembly");
            }
            _ => Value::Int(0),
        };
        let source = (Value::from_expr(&self.pool, source), bits);
        let place = |_, at| at;
        Ok(match scan.from_above {
            true => first_one(&mut self.pool, source, (0..bits).rev(), place, before),
            false => first_one(&mut self.pool, source, 0..bits, place, before),
        })
    }

    fn access_control(
        &mut self,
        state: &mut State,
        access: ControlAccess,
        pointer: Value,
    ) -> Step<()> {
        match access {
            ControlAccess::Store => self.store_float_control(state, pointer),
            ControlAccess::Load => self.load_float_control(state, pointer),
            ControlAccess::StoreX87 => {
                let word = Value::Int(state.float.x87_control.into());
                self.store_word(state, pointer, word, 16)
            }
            ControlAccess::LoadX87 => {
                let word = self.load_word(state, pointer, 16)?;
                let word = self.concrete(state, ForkKind::Library, word, 16)?;
                state.float.x87_control = word as u16;
                Ok(())
            }
            ControlAccess::StoreX87Status => {
                state.float.flags(Exceptions::ALL)?;
                let word = Value::Int(state.float.x87_flags.0.into());
                self.store_word(state, pointer, word, 16)
            }
            ControlAccess::ClearX87 => {
                state.float.x87_flags = Exceptions::default();
                Ok(())
            }
        }
    }

    /// The values of the operands of a call of inline assembly.
    pub(super) fn assembly_operands(
        &mut self,
        state: &mut State,
        function: &Function,
        call: &Call,
    ) -> Vec<Value> {
        let operands = &function.call_args[call.args.range()];
        operands
            .iter()
            .map(|&one| self.operand(state, one))
            .collect()
    }

    /// A call of inline assembly.
    pub(super) fn assembly(
        &mut self,
        state: &mut State,
        function: &Function,
        dst: Option<Reg>,
        call: &Call,
        text: u32,
    ) -> Step<Flow> {
        let text = function.asm_texts[text as usize].trim();
        let operands: &[Operand] = &function.call_args[call.args.range()];
        let bits = self.code.ty(call.ret).bits;
        if let (Some(dst), &[operand]) = (dst, operands)
            && exchanges_bytes(text, bits)
        {
            let value = self.operand(state, operand).to_expr(&mut self.pool, bits);
            let mut exchanged = self.pool.extract(value, 0, 8);
            for low in (8..bits).step_by(8) {
                let byte = self.pool.extract(value, low, 8);
                exchanged = self.pool.concat(exchanged, byte);
            }
            state.frame.regs[dst.index()] = Value::from_expr(&self.pool, exchanged);
            return Ok(self.behind_call(state));
        }
        if let (Some(dst), Some(scan)) = (dst, scan(text, bits)) {
            state.frame.regs[dst.index()] = self.scanned(state, scan, operands, bits)?;
            return Ok(self.behind_call(state));
        }
        if let Some(dst) = dst
            && let Some(result) = self.assembly_result(state, function, operands, (text, bits))
        {
            state.frame.regs[dst.index()] = result;
            return Ok(self.behind_call(state));
        }
        if let Some(access) = control_access(text) {
            let pointer = operands
                .first()
                .map(|&operand| self.operand(state, operand));
            self.access_control(state, access, pointer.unwrap_or(Value::Int(0)))?;
            return Ok(self.behind_call(state));
        }
        if state.others.threads.is_some() && is_pause(text) {
            return self.spins(state);
        }
        if let Some(done) = self.assembly_on_stack(state, (function, dst), call, text) {
            return done;
        }
        if let Some(done) = self.assembly_idiom(state, (function, dst), call, text) {
            return done;
        }
        let Some(tied) = tied(text) else {
            return unsupported(format!("inline assembly {text}"));
        };
        let mut values = Vec::with_capacity(tied.len());
        for position in tied {
            match operands.get(position) {
                Some(&operand) => values.push(self.operand(state, operand)),
                None => return unsupported(format!("inline assembly {text}")),
            }
        }
        if let Some(dst) = dst {
            let structure = self.code.ty(call.ret).class == Class::Aggregate;
            state.frame.regs[dst.index()] = match values[..] {
                [value] if !structure => value,
                _ if structure => Value::Aggregate(self.pool.aggregate(&values)),
                _ => return unsupported(format!("inline assembly {text}")),
            };
        }
        Ok(self.behind_call(state))
    }
}

/// What a loop does that waits for another thread.
fn is_pause(text: &str) -> bool {
    let code = text.split(" ; ").next().unwrap_or_default().trim();
    matches!(code, "pause" | "rep nop" | "rep; nop" | "rep;nop")
}

#[cfg(test)]
mod tests {
    use super::{ControlAccess, Scan, control_access, exchanges_bytes, scan, tied};

    #[test]
    fn control_registers_are_recognised() {
        let rest = "~{dirflag},~{fpsr},~{flags}";
        let access = |text: &str| control_access(&format!("{text},{rest}"));
        assert_eq!(access("fnstcw $0 ; =*m"), Some(ControlAccess::StoreX87));
        assert_eq!(access("fldcw $0 ; *m"), Some(ControlAccess::LoadX87));
        assert_eq!(access("stmxcsr $0 ; =*m"), Some(ControlAccess::Store));
        assert_eq!(access("fnclex ; "), Some(ControlAccess::ClearX87));
        assert_eq!(access("fnstsw $0 ; ={ax}"), None);
        assert_eq!(access("fldcw $0 ; *m,r"), None);
    }

    #[test]
    fn exchanges_of_bytes_are_recognised() {
        let swap = "bswap $0 ; =r,0,~{dirflag},~{fpsr},~{flags}";
        assert!(exchanges_bytes(swap, 32) && exchanges_bytes(swap, 64));
        assert!(exchanges_bytes("rorw $$8, ${0:w} ; =r,0,~{cc}", 16));
        assert!(!exchanges_bytes("rorw $$7, ${0:w} ; =r,0,~{cc}", 16));
        let thrice = "rorw $$8, ${0:w};rorl $$16, $0;rorw $$8, ${0:w} ; =r,0,~{cc}";
        assert!(exchanges_bytes(thrice, 32) && !exchanges_bytes(thrice, 64));
        assert!(!exchanges_bytes(&thrice.replace("16", "8"), 32));
        assert!(!exchanges_bytes("bswap $0 ; =r,0,~{flags}", 16));
        assert!(!exchanges_bytes("bswap $1 ; =r,r", 32));
        assert!(!exchanges_bytes("bswap $0 ; =r,0,r", 32));
    }

    #[test]
    fn searches_for_a_one_are_recognised() {
        let rest = "~{dirflag},~{fpsr},~{flags}";
        let of = |text: &str, bits| scan(&format!("{text},{rest}"), bits);
        let searches = |from_above, keeps| Some(Scan { from_above, keeps });
        assert_eq!(of("bsrq $1,$0 ; =r,rm,0", 64), searches(true, true));
        assert_eq!(of("bsrl\t$1, $0 ; =r,r", 32), searches(true, false));
        assert_eq!(of("bsf $1, $0 ; =&r,rm", 64), searches(false, false));
        assert_eq!(of("bsfl $1, $0;\n ; =r,r,0", 32), searches(false, true));
        assert_eq!(of("bsrl $1,$0 ; =r,r", 64), None);
        assert_eq!(of("bsrl $1,$0 ; =r,*m", 32), None);
        assert_eq!(of("bsrl $0,$1 ; =r,r", 32), None);
        assert_eq!(of("bsrl $1,$0 ; =r,r,r", 32), None);
        assert_eq!(of("bsrl $1,$0 ; cmovz $2,$0 ; =&r,rm,r", 32), None);
    }

    #[test]
    fn outputs_are_found_where_they_are_tied() {
        assert_eq!(tied("; =r,r,r,0,~{memory},~{dirflag}"), Some(vec![2]));
        assert_eq!(tied("; ~{memory},~{flags}"), Some(vec![]));
        assert_eq!(tied("; =*m,=r,=r,r,2,1"), Some(vec![3, 2]));
        assert_eq!(tied("; =r"), None);
        assert_eq!(tied("# no instruction ; ~{memory}"), Some(vec![]));
        assert_eq!(tied("fsqrt ; ={st},0"), None);
    }
}
