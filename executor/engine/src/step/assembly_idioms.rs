//! Idioms of inline assembly that headers and libraries of the distribution have where no function of
//! the compiler says what they mean: fences and pauses, alignment of code, the time stamp, `cpuid`, and
//! copies and fills by string instructions.
//!
//! The model's processor has no optional instructions: `cpuid` answers 0 everywhere, so that a
//! program takes its code for every processor. The time stamp counts nanoseconds of the model's clock,
//! and each reading takes as long as a system call. What is no idiom ends its path.

use crate::api::summary::ForkKind;
use crate::code::types::Class;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Flow, Step};
use crate::values;
use plat_expr::{BinaryOp, Value};
use plat_program::{Call, Function, Reg};
use std::rc::Rc;

/// What a text does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Idiom {
    /// Nothing that a single thread sees.
    Nothing,
    /// `rdtsc`, `rdtscp`.
    TimeStamp,
    /// `cpuid`, also where `rbx` is kept.
    Processor,
    /// `rep movs` of so many bytes each time.
    Copy(u64),
    /// `rep stosb`.
    Fill,
}

/// The operands of a text: registers of the outputs that the call returns, and for each argument its
/// register, or the output that it is tied to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Places<'t> {
    outputs: Vec<&'t str>,
    inputs: Vec<&'t str>,
    /// Whether an operand is in memory.
    memory: bool,
}

impl<'t> Places<'t> {
    fn of(constraints: &'t str) -> Self {
        let mut places = Places::default();
        for constraint in constraints.trim().split(',').map(str::trim) {
            let place = constraint.trim_start_matches(['=', '&']);
            if constraint.starts_with('~') || constraint.is_empty() {
                continue;
            }
            places.memory |= place.contains(['*', 'm']);
            match constraint.starts_with('=') {
                true => places.outputs.push(place),
                false => places.inputs.push(place),
            }
        }
        places
    }

    /// Which argument a register has at the beginning.
    fn argument(&self, register: &str) -> Option<usize> {
        let tied = |input: &&str| {
            let output = input.parse::<usize>().ok();
            output.and_then(|at| self.outputs.get(at)) == Some(&register)
        };
        self.inputs
            .iter()
            .position(|input| *input == register || tied(input))
    }
}

/// The instructions of a text in one form: words with one space between them. Where the text has both
/// dialects (`$(q$|$)`), the first is meant.
fn instructions(code: &str) -> String {
    let mut plain = String::new();
    let mut parts = code.split("$(");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (both, rest) = part.split_once("$)").unwrap_or((part, ""));
        plain.push_str(both.split("$|").next().unwrap_or_default());
        plain.push_str(rest);
    }
    let plain = plain
        .to_ascii_lowercase()
        .replace([';', '\n', '\t', '"'], " ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ")
}

fn idiom<'t>(text: &'t str) -> Option<(Idiom, Places<'t>)> {
    let (code, constraints) = text.rsplit_once(" ; ")?;
    let places = Places::of(constraints);
    let code = instructions(code);
    let registers = |wanted: &[&str]| wanted.iter().all(|one| places.argument(one).is_some());
    let quiet = places.outputs.is_empty();
    let idiom = match code.as_str() {
        "mfence" | "lfence" | "sfence" | "pause" | "rep nop" | "nop" if quiet => Idiom::Nothing,
        _ if quiet && (is_locked_stack(&code) || is_alignment(&code)) => Idiom::Nothing,
        "rdtsc" | "rdtscp" if !quiet && !places.memory => Idiom::TimeStamp,
        "cpuid" if !quiet && !places.memory => Idiom::Processor,
        _ if keeps_rbx(&code) && places.outputs.len() == 4 => Idiom::Processor,
        "rep movsb" | "rep movsw" | "rep movsl" | "rep movsd" | "rep movsq"
            if registers(&["{di}", "{si}", "{cx}"]) =>
        {
            Idiom::Copy(match code.as_bytes()[code.len() - 1] {
                b'b' => 1,
                b'w' => 2,
                b'q' => 8,
                _ => 4,
            })
        }
        "rep stosb" if registers(&["{di}", "{cx}", "{ax}"]) => Idiom::Fill,
        _ => return None,
    };
    Some((idiom, places))
}

/// Directives that say where the code behind them begins, and what fills the room before it.
fn is_alignment(code: &str) -> bool {
    let is_number = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b',')
    };
    let mut words = code.split(' ');
    while let Some(word) = words.next() {
        let aligned = matches!(word, ".align" | ".balign" | ".p2align")
            && words.next().is_some_and(is_number);
        if !aligned && word != "nop" {
            return false;
        }
    }
    true
}

/// A locked instruction that changes nothing on the stack, as a fence.
fn is_locked_stack(code: &str) -> bool {
    let changes = code.strip_prefix("lock ").and_then(|code| {
        let code = code
            .strip_prefix("addl $$0")
            .or_else(|| code.strip_prefix("orl $$0"));
        code.or_else(|| code?.strip_prefix("addq $$0"))
    });
    let place = changes.map(|place| place.trim_start_matches([',', ' ']));
    matches!(
        place,
        Some("(%rsp)" | "0(%rsp)" | "-4(%rsp)" | "(%esp)" | "0(%esp)")
    )
}

/// `cpuid` between two exchanges of `rbx`, or, as Rust has it, between a copy and an exchange.
fn keeps_rbx(code: &str) -> bool {
    let words: Vec<&str> = code
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let Some(at) = words.iter().position(|word| *word == "cpuid") else {
        return false;
    };
    let of_rbx = |words: &[&str], names: &[&str]| match words {
        [name, a, b] => names.contains(name) && [*a, *b].iter().any(|one| one.ends_with("rbx")),
        _ => false,
    };
    let exchanges = ["xchgq", "xchg"];
    of_rbx(&words[..at], &["xchgq", "xchg", "mov", "movq"]) && of_rbx(&words[at + 1..], &exchanges)
}

impl Executor<'_> {
    /// A call of inline assembly that is an idiom; nothing if it is none.
    pub(super) fn assembly_idiom(
        &mut self,
        state: &mut State,
        (function, dst): (&Function, Option<Reg>),
        call: &Call,
        text: &str,
    ) -> Option<Step<Flow>> {
        let (idiom, places) = idiom(text)?;
        let values = self.assembly_operands(state, function, call);
        Some(self.act(state, idiom, &places, &values).map(|results| {
            let aggregate = self.code.ty(call.ret).class == Class::Aggregate;
            if let Some(dst) = dst {
                state.frame.regs[dst.index()] = match (results.as_slice(), aggregate) {
                    (&[value], false) => value,
                    _ => Value::Aggregate(self.pool.aggregate(&results)),
                };
            }
            self.behind_call(state)
        }))
    }

    /// An operand as the whole register has it: the compiler may pass fewer bits, such as an `int`.
    pub(super) fn in_register(&mut self, value: Value) -> Value {
        match value {
            Value::Expr(e) if self.pool.width(e) < 64 => {
                let from = self.pool.width(e);
                values::zext(&mut self.pool, value, from, 64)
            }
            whole => whole,
        }
    }

    /// Does it. Returns what is in the outputs.
    fn act(
        &mut self,
        state: &mut State,
        idiom: Idiom,
        places: &Places<'_>,
        values: &[Value],
    ) -> Step<Vec<Value>> {
        let at = |register: &str| {
            let argument = places.argument(register).and_then(|at| values.get(at));
            argument.copied().unwrap_or(Value::Int(0))
        };
        Ok(match idiom {
            Idiom::Nothing => Vec::new(),
            Idiom::Processor => vec![Value::Int(0); places.outputs.len()],
            Idiom::TimeStamp => {
                let clock = &mut Rc::make_mut(&mut state.environment).clock;
                clock.step();
                let time = clock.uptime();
                let count = (time.seconds * 1_000_000_000 + time.nanos).cast_unsigned();
                let of = |register: &&str| match *register {
                    "{ax}" => Value::Int(count & 0xffff_ffff),
                    "{dx}" => Value::Int(count >> 32),
                    _ => Value::Int(0),
                };
                places.outputs.iter().map(of).collect()
            }
            Idiom::Copy(_) | Idiom::Fill => {
                let count = self.in_register(at("{cx}"));
                let count = self.concrete(state, ForkKind::Library, count, 64)?;
                let (to, from) = (at("{di}"), at("{si}"));
                let size = match idiom {
                    Idiom::Copy(each) => count.saturating_mul(each),
                    _ => count,
                };
                match idiom {
                    Idiom::Fill => {
                        let whole = self.in_register(at("{ax}"));
                        let low = values::trunc(&mut self.pool, whole, 64, 8);
                        let byte = self.byte(low);
                        self.fill_bytes(state, to, byte, size)?;
                    }
                    _ => self.move_bytes(state, to, from, size)?,
                }
                let mut behind = |pointer| {
                    values::binary(&mut self.pool, BinaryOp::Add, 64, pointer, Value::Int(size))
                };
                let mut of = |register: &&str| match *register {
                    "{di}" => behind(to),
                    "{si}" => behind(from),
                    "{ax}" => at("{ax}"),
                    _ => Value::Int(0),
                };
                places.outputs.iter().map(&mut of).collect()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Idiom, idiom};

    fn of(text: &str) -> Option<Idiom> {
        idiom(text).map(|(idiom, _)| idiom)
    }

    #[test]
    fn idioms_are_recognised() {
        let flags = "~{memory},~{dirflag},~{fpsr},~{flags}";
        for fence in [
            "mfence",
            "rep; nop",
            "lock; addl $$0,0(%rsp)",
            "lock\norl $$0, (%rsp)",
            "pause",
            ".p2align 5",
            ".p2align 6\n\tnop\n\t.p2align 4,,15",
        ] {
            assert_eq!(
                of(&format!("{fence} ; {flags}")),
                Some(Idiom::Nothing),
                "{fence}"
            );
        }
        assert_eq!(
            of(&format!("rdtsc ; ={{ax}},={{dx}},{flags}")),
            Some(Idiom::TimeStamp)
        );
        let cpuid = "  xchgq  %rbx,${1:q}\n  cpuid\n  xchgq  %rbx,${1:q} ; ={ax},=r,={cx},={dx},0,2,~{dirflag}";
        assert_eq!(of(cpuid), Some(Idiom::Processor));
        let of_rust =
            "mov ${0:q}, rbx\ncpuid\nxchg ${0:q}, rbx ; =&r,=&{ax},=&{cx},=&{dx},1,2,~{memory}";
        assert_eq!(of(of_rust), Some(Idiom::Processor));
        assert_eq!(
            of("cpuid ; ={ax},={bx},={cx},={dx},0,2"),
            Some(Idiom::Processor)
        );
        assert_eq!(
            of("rep movsq ; ={di},={si},={cx},0,1,2,~{memory}"),
            Some(Idiom::Copy(8))
        );
        assert_eq!(of("rep; stosb ; ={di},={cx},0,1,{ax}"), Some(Idiom::Fill));
    }

    #[test]
    fn others_are_not() {
        for other in [
            "lock addl $$1, 0(%rsp) ; ~{memory}",
            "lock addl $$0, $0 ; *m",
            "rep movsb ; ~{memory}",
            "cpuid ; ~{flags}",
            "rdpmc ; ={ax},={dx}",
            ".p2align $0 ; i",
            ".p2align 4\nret ; ~{memory}",
            ".byte 15 ; ~{memory}",
            "mfence ; =r",
            "rep stosb ; ={di},={cx},0,1",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
