//! `push` and `pop` in inline assembly: the words of an activation, until it returns.
//!
//! The machine pushes on the stack of the program, where other things lie; programs that do so expect
//! nothing but their own words there. An activation that pops what it has not pushed, or returns before it
//! has popped all, does with the stack what no language says, and its path ends. The instructions move
//! eight bytes, also where the operand in memory has fewer: of what lies behind it nothing is known.

use crate::code::types::Class;
use crate::executor::Executor;
use crate::state::State;
use crate::state::aside::Pushed;
use crate::state::frame::{BY_CALL, OnReturn};
use crate::state::stop::{Flow, Step, unsupported};
use crate::values;
use plat_expr::Value;
use plat_program::{Call, Function, Reg};

/// Bytes of a word on the stack.
const WORD: u32 = 8;

/// An operand of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// A value that the call returns, by its position among those.
    Returned(usize),
    /// An argument, which is a value in a register.
    Given(usize),
    /// An argument, which is a number in the text.
    Number(usize),
    /// An argument, which points to the operand.
    Behind(usize),
}

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Instruction {
    Push(Place),
    Pop(Place),
}

/// The operands of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Places {
    /// By number.
    all: Vec<Place>,
    /// For each that the call returns, the argument that it begins with.
    before: Vec<Option<usize>>,
}

impl Places {
    /// Those of constraints such as `=r,=*m,0,*m`.
    fn of(constraints: &str) -> Option<Self> {
        let (mut all, mut before, mut arguments) = (Vec::new(), Vec::new(), 0);
        let constraints = constraints.trim().split(',').map(str::trim);
        for constraint in constraints.filter(|one| !one.is_empty() && !one.starts_with('~')) {
            let kind = constraint.trim_start_matches(['=', '&']);
            if constraint.starts_with('=') && !kind.starts_with('*') {
                all.push(Place::Returned(before.len()));
                before.push(None);
                continue;
            }
            if let Ok(tie) = kind.parse::<usize>() {
                match *all.get(tie)? {
                    Place::Returned(at) => before[at] = Some(arguments),
                    _ => return None,
                }
            }
            all.push(match kind {
                _ if kind.starts_with('*') => Place::Behind(arguments),
                "i" | "n" | "e" => Place::Number(arguments),
                _ => Place::Given(arguments),
            });
            arguments += 1;
        }
        Some(Self { all, before })
    }

    /// The operand that `$1` or `${1:q}` stands for.
    fn named(&self, operand: &str) -> Option<Place> {
        let number = match operand.strip_prefix("${") {
            Some(rest) => rest.strip_suffix(":q}")?,
            None => operand.strip_prefix('$')?,
        };
        self.all.get(number.parse::<usize>().ok()?).copied()
    }
}

/// The instructions of a text that does nothing but push and pop operands.
fn instructions(text: &str) -> Option<(Vec<Instruction>, Places)> {
    let (code, constraints) = text.rsplit_once(" ; ")?;
    let places = Places::of(constraints)?;
    let lines = code.split(['\n', ';']);
    let lines = lines.map(|line| line.trim_matches(['"', ' ', '\t']));
    let instruction = |line: &str| {
        let (name, operand) = line.split_once([' ', '\t'])?;
        let place = places.named(operand.trim())?;
        match (name, place) {
            ("push" | "pushq", _) => Some(Instruction::Push(place)),
            ("pop" | "popq", Place::Returned(_) | Place::Behind(_)) => {
                Some(Instruction::Pop(place))
            }
            _ => None,
        }
    };
    let lines = lines.filter(|line| !line.is_empty());
    let all: Vec<Instruction> = lines.map(instruction).collect::<Option<_>>()?;
    (!all.is_empty()).then_some((all, places))
}

impl Executor<'_> {
    /// A call of inline assembly that only pushes and pops; nothing if it does anything else.
    pub(super) fn assembly_on_stack(
        &mut self,
        state: &mut State,
        (function, dst): (&Function, Option<Reg>),
        call: &Call,
        text: &str,
    ) -> Option<Step<Flow>> {
        let (instructions, places) = instructions(text)?;
        let values = self.assembly_operands(state, function, call);
        Some(
            self.push_and_pop(state, &instructions, &places, &values)
                .map(|returned| {
                    if let Some(dst) = dst {
                        state.frame.regs[dst.index()] = self.popped(call, &returned);
                    }
                    self.behind_call(state)
                }),
        )
    }

    /// What a call returns whose outputs have these words.
    fn popped(&mut self, call: &Call, words: &[Value]) -> Value {
        let ty = self.code.ty(call.ret);
        let (class, bits) = (ty.class, ty.bits);
        match words {
            &[word] if class != Class::Aggregate => values::trunc(&mut self.pool, word, 64, bits),
            _ => Value::Aggregate(self.pool.aggregate(words)),
        }
    }

    /// Carries instructions out; the words in the outputs. What is on the stack changes when all are: a
    /// split has them made again.
    fn push_and_pop(
        &mut self,
        state: &mut State,
        instructions: &[Instruction],
        places: &Places,
        values: &[Value],
    ) -> Step<Vec<Value>> {
        let frame = state.frame.serial;
        let argument = |at: usize| values.get(at).copied().unwrap_or(Value::Int(0));
        let before = places.before.iter();
        let mut returned: Vec<Value> = before
            .map(|before| before.map_or(Value::Int(0), argument))
            .collect();
        let mut stack = state.aside.pushed.to_vec();
        // Activations that a jump has left.
        stack.retain(|one| one.frame <= frame);
        for &instruction in instructions {
            match instruction {
                Instruction::Push(place) => {
                    let (word, bytes) = match place {
                        Place::Returned(at) => (returned[at], WORD),
                        Place::Given(at) => (self.in_register(argument(at)), WORD),
                        Place::Number(at) => (number(argument(at))?, WORD),
                        Place::Behind(at) => self.word_behind(state, argument(at))?,
                    };
                    stack.push(Pushed { frame, word, bytes });
                }
                Instruction::Pop(place) => {
                    let Some(top) = stack.pop().filter(|top| top.frame == frame) else {
                        return unsupported(
                            "pop in inline assembly of what the function has not pushed",
                        );
                    };
                    match place {
                        Place::Behind(at) => self.put_behind(state, argument(at), top)?,
                        Place::Returned(at) if top.bytes == WORD => returned[at] = top.word,
                        _ => return too_short(),
                    }
                }
            }
        }
        *state.aside.pushed = stack;
        if state.frame.on_return == OnReturn::Call {
            // The fast path of returns does not look at what was pushed.
            state.frame.result = BY_CALL;
        }
        Ok(returned)
    }

    /// The word that a pointer leads to, and how many bytes of it there are.
    fn word_behind(&mut self, state: &mut State, pointer: Value) -> Step<(Value, u32)> {
        let bytes = self.room_behind(state, pointer, "push", "what is behind is not pushed")?;
        Ok((self.load_word(state, pointer, bytes * 8)?, bytes))
    }

    /// Stores a word where a pointer leads to.
    fn put_behind(&mut self, state: &mut State, pointer: Value, top: Pushed) -> Step<()> {
        let bytes = self.room_behind(state, pointer, "pop", "what is behind stays as it is")?;
        if bytes > top.bytes {
            return too_short();
        }
        let word = values::trunc(&mut self.pool, top.word, top.bytes * 8, bytes * 8);
        self.store_word(state, pointer, word, bytes * 8)
    }

    /// How many bytes of a word there are where a pointer leads to; that it is fewer is noted.
    fn room_behind(&mut self, state: &State, pointer: Value, name: &str, sees: &str) -> Step<u32> {
        let Value::Pointer(object, offset) = pointer else {
            return Ok(WORD);
        };
        let size = state.memory.object(object).map(|known| known.size);
        let room = size.and_then(|size| size.checked_sub(u64::try_from(offset).ok()?));
        match room {
            Some(bytes @ (1 | 2 | 4)) => {
                let what = format!("{name} in inline assembly of fewer than 8 bytes");
                self.note_unsupported(state, what, sees);
                Ok(bytes as u32)
            }
            Some(3 | 5..8) => unsupported(format!(
                "{name} in inline assembly of an operand of a size that no register has"
            )),
            // What is outside of the object is a fault.
            _ => Ok(WORD),
        }
    }

    /// The running activation returns: all that it has pushed must have been popped.
    #[cold]
    #[inline(never)]
    pub(super) fn returns_with_pushed(&mut self, state: &mut State) -> Step<()> {
        let frame = state.frame.serial;
        match state.aside.pushed.last() {
            Some(top) if top.frame == frame => {
                unsupported("a return before what inline assembly has pushed is popped")
            }
            _ => Ok(()),
        }
    }
}

/// A number in a text, which the instruction extends by its sign.
fn number(value: Value) -> Step<Value> {
    match value {
        Value::Int(number) if number < 1 << 31 => Ok(value),
        _ => unsupported("push of a negative number in inline assembly"),
    }
}

fn too_short<T>() -> Step<T> {
    unsupported("pop in inline assembly of more bytes than the operand of push had")
}

#[cfg(test)]
mod tests {
    use super::{Instruction, Place, instructions};

    fn of(text: &str) -> Option<Vec<Instruction>> {
        let flags = "~{memory},~{dirflag},~{fpsr},~{flags}";
        instructions(&format!("{text},{flags}")).map(|(all, _)| all)
    }

    #[test]
    fn pushes_and_pops_are_recognised() {
        use Instruction::{Pop, Push};
        assert_eq!(of("push $0 ; *m"), Some(vec![Push(Place::Behind(0))]));
        assert_eq!(of("pop $0 ; *m"), Some(vec![Pop(Place::Behind(0))]));
        assert_eq!(of("popq $0 ; =r"), Some(vec![Pop(Place::Returned(0))]));
        assert_eq!(of("pushq\t${0:q} ; r"), Some(vec![Push(Place::Given(0))]));
        assert_eq!(of("pushq $0 ; i"), Some(vec![Push(Place::Number(0))]));
        let both = "pushq $1; popq $0 ; =*m,r";
        let expected = vec![Push(Place::Given(1)), Pop(Place::Behind(0))];
        assert_eq!(of(both), Some(expected));
        let (_, places) = instructions("push $0\n\tpop $1 ; =r,=r,0,1").expect("it is one");
        assert_eq!(places.before, [Some(0), Some(1)]);
    }

    #[test]
    fn others_are_not() {
        for other in [
            "push %rax ; r",
            "pushf ; ~{memory}",
            "pushfq; popq $0 ; =r",
            "pushw $0 ; r",
            "pop $0 ; r",
            "pop $2 ; =r,r",
            "push $0; ret ; r",
            "push ${0:k} ; r",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
