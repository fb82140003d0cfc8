//! The answers that a path has had from the solver, in their order, so that the path can be walked
//! again without one (memoised symbolic execution: Yang, Păsăreanu, Khurshid, "Memoise", ICSE 2012;
//! Busse, Nowack, Cadar, "Running symbolic execution forever", ISSTA 2020).
//!
//! A path is a function of the program, its input and these answers: whoever asks the same questions
//! in the same order and gets the same answers, models included, is in the same state at the end. Only
//! questions count that the model of the path condition does not answer. Most answers are "no", and
//! are counted; a "yes" has the bytes by which its model differs from that of the path condition.
//!
//! A tape names symbols by name, occurrence and size, and no other thing of a process: it can be read
//! in another one. A digest of the questions tells when a replay has asked others.

use crate::feasible::Feasible;
use plat_expr::{Assignment, EvalMemo, ExprId, Pool, SymbolId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// Answers in their order: what lies between two splits of a path.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Answers {
    /// The answers that are not "no", each behind the number of those before it.
    #[serde(serialize_with = "write_bytes", deserialize_with = "read_bytes")]
    pub bytes: Arc<[u8]>,
    /// How often the answer was "no" behind them.
    pub noes: u32,
    /// A digest of all questions of the path so far.
    pub digest: u32,
}

fn write_bytes<S: Serializer>(bytes: &Arc<[u8]>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bytes(bytes)
}

fn read_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<[u8]>, D::Error> {
    serde_bytes::ByteBuf::deserialize(from).map(|bytes| bytes.into_vec().into())
}

/// What an answer is that is not "no".
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It can hold; the model follows.
    Yes = 0,
    /// There was no answer within the budget of the query, or before the end of the run.
    Postponed = 1,
    /// There was none at all.
    Unknown = 2,
    /// The path took another model, which follows.
    Model = 3,
}

/// The answers of a path, as it writes them or as it is given them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tape {
    /// The symbols that models have named, by their number on the tape.
    symbols: Arc<Vec<SymbolId>>,
    /// Answers since the last cut.
    told: Vec<u8>,
    noes: u32,
    digest: u32,
    /// Answers that are given to the path before it asks.
    given: Option<Box<Given>>,
    /// Whether the path has asked what the given answers do not fit.
    lost: bool,
}

/// Answers that are read.
#[derive(Clone, Debug)]
struct Given {
    answers: Answers,
    at: usize,
    /// Answers "no" before the next other one, once it was looked at.
    noes: Option<u32>,
    /// Whether the path goes on by itself behind them.
    open: bool,
}

/// An answer from the tape.
pub(crate) enum Replayed {
    /// The answer to a question.
    Answer(Feasible),
    /// There was no answer; whether it was only postponed.
    NoAnswer(bool),
    /// The path is not given answers: the solver is asked.
    Live,
}

fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

impl Given {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.answers.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(length)?;
        let text = self.answers.bytes.get(self.at..end)?;
        self.at = end;
        String::from_utf8(text.to_vec()).ok()
    }

    /// How many answers "no" come before the next other one, or before the end.
    fn coming_noes(&mut self) -> Option<u32> {
        if self.noes.is_none() {
            let count = match self.at < self.answers.bytes.len() {
                true => {
                    let mark = self.at;
                    let token = self.number()?;
                    self.at = mark;
                    u32::try_from(token >> 2).ok()?
                }
                false => self.answers.noes,
            };
            self.noes = Some(count);
        }
        self.noes
    }

    fn is_over(&mut self) -> bool {
        self.at >= self.answers.bytes.len() && self.coming_noes() == Some(0)
    }
}

impl Tape {
    /// Whether answers are given to the path.
    pub fn replays(&mut self) -> bool {
        self.end_open();
        self.given.is_some()
    }

    /// Whether it has asked something that they do not fit.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// What comes next does not fit the given answers.
    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// Gives the path answers; if they are `open`, it goes on by itself behind them.
    pub fn give(&mut self, answers: Answers, open: bool) {
        self.told.clear();
        self.noes = 0;
        let nothing = answers.bytes.is_empty() && answers.noes == 0;
        let given = Given {
            answers,
            at: 0,
            noes: None,
            open,
        };
        self.given = (!(open && nothing)).then(|| Box::new(given));
    }

    /// The answers since the last cut, and a new beginning.
    pub fn cut(&mut self) -> Answers {
        let answers = self.so_far();
        self.told.clear();
        self.noes = 0;
        answers
    }

    /// The answers since the last cut. Those that are being given are all that there will be.
    pub fn so_far(&self) -> Answers {
        match &self.given {
            Some(given) => given.answers.clone(),
            None => Answers {
                bytes: self.told.as_slice().into(),
                noes: self.noes,
                digest: self.digest,
            },
        }
    }

    /// Whether the path has had exactly the given answers, to the same questions.
    pub fn arrives(&mut self) -> bool {
        let over = match &mut self.given {
            Some(given) => {
                given.is_over() && given.answers.digest as u8 == self.digest as u8 && !given.open
            }
            None => false,
        };
        over && !self.lost
    }

    fn note_question(&mut self, pool: &Pool, condition: ExprId) {
        let bytes = pool.symbols(condition);
        let first = bytes.iter().next().map_or(0, |(_, byte)| byte + 1);
        let about = (bytes.len() as u32) << 12 ^ first;
        self.digest = (self.digest.rotate_left(5) ^ about).wrapping_mul(0x9e37_79b1);
    }

    /// The answer to a question, if answers are given.
    pub fn answer(&mut self, pool: &mut Pool, own: &Assignment, condition: ExprId) -> Replayed {
        self.end_open();
        if self.given.is_none() {
            return Replayed::Live;
        }
        self.note_question(pool, condition);
        let answer = self.next_answer(pool, own).filter(|answer| match answer {
            Replayed::Answer(Feasible::Yes(model)) => {
                pool.holds(condition, model, &mut EvalMemo::default())
            }
            _ => true,
        });
        match answer {
            Some(answer) if !self.lost => answer,
            _ => {
                self.lost = true;
                Replayed::NoAnswer(true)
            }
        }
    }

    /// Behind open answers the path goes on by itself.
    fn end_open(&mut self) {
        if let Some(given) = &mut self.given
            && given.open
            && given.is_over()
        {
            self.lost |= given.answers.digest as u8 != self.digest as u8;
            self.told = given.answers.bytes.to_vec();
            self.noes = given.answers.noes;
            self.given = None;
        }
    }

    /// What was not asked for of the given answers is forgotten: the path goes on by itself.
    pub fn release(&mut self) {
        self.end_open();
        let Some(mut given) = self.given.take() else {
            return;
        };
        let left = given.coming_noes().unwrap_or(0);
        given.noes = None;
        let all = given.coming_noes().unwrap_or(0);
        self.told = given.answers.bytes[..given.at].to_vec();
        self.noes = all.saturating_sub(left);
    }

    fn next_answer(&mut self, pool: &mut Pool, own: &Assignment) -> Option<Replayed> {
        let given = self.given.as_mut()?;
        let noes = given.coming_noes()?;
        if noes > 0 {
            given.noes = Some(noes - 1);
            return Some(Replayed::Answer(Feasible::No));
        }
        let token = given.number()?;
        given.noes = None;
        match token & 3 {
            kind if kind == Kind::Yes as u64 => {
                let model = self.read_model(pool, own)?;
                Some(Replayed::Answer(Feasible::Yes(model)))
            }
            kind if kind == Kind::Postponed as u64 => Some(Replayed::NoAnswer(true)),
            kind if kind == Kind::Unknown as u64 => Some(Replayed::NoAnswer(false)),
            _ => None,
        }
    }

    /// The model that the path takes next, if answers are given.
    pub fn model(&mut self, pool: &mut Pool, own: &Assignment) -> Option<Assignment> {
        self.end_open();
        let given = self.given.as_mut()?;
        if given.coming_noes() == Some(0)
            && let Some(token) = given.number()
            && token & 3 == Kind::Model as u64
        {
            given.noes = None;
            if let Some(model) = self.read_model(pool, own) {
                return Some(model);
            }
        }
        self.lost = true;
        Some(own.clone())
    }

    /// Notes the answer to a question; `postponed` if it was none for now only.
    pub fn note(
        &mut self,
        pool: &Pool,
        own: &Assignment,
        condition: ExprId,
        answer: &Feasible,
        postponed: bool,
    ) {
        self.note_question(pool, condition);
        match answer {
            Feasible::No => self.noes += 1,
            Feasible::Yes(model) => {
                self.token(Kind::Yes);
                self.write_model(pool, own, model);
            }
            Feasible::Unknown(_) if postponed => self.token(Kind::Postponed),
            Feasible::Unknown(_) => self.token(Kind::Unknown),
        }
    }

    /// Notes that the path takes another model.
    pub fn note_model(&mut self, pool: &Pool, own: &Assignment, model: &Assignment) {
        self.token(Kind::Model);
        self.write_model(pool, own, model);
    }

    fn token(&mut self, kind: Kind) {
        let noes = std::mem::take(&mut self.noes);
        push(&mut self.told, u64::from(noes) << 2 | kind as u64);
    }

    fn write_model(&mut self, pool: &Pool, own: &Assignment, model: &Assignment) {
        let differences = differences(own, model);
        push(&mut self.told, differences.len() as u64);
        for (symbol, index, value) in differences {
            let known = self.symbols.iter().position(|&known| known == symbol);
            let number = known.unwrap_or(self.symbols.len());
            push(&mut self.told, number as u64);
            if known.is_none() {
                let info = pool.symbol_info(symbol);
                push(&mut self.told, info.name.len() as u64);
                self.told.extend_from_slice(info.name.as_bytes());
                push(&mut self.told, u64::from(info.occurrence));
                push(&mut self.told, u64::from(info.size));
                Arc::make_mut(&mut self.symbols).push(symbol);
            }
            push(&mut self.told, u64::from(index));
            self.told.push(value);
        }
    }

    fn read_model(&mut self, pool: &mut Pool, own: &Assignment) -> Option<Assignment> {
        let given = self.given.as_mut()?;
        let mut model = own.clone();
        for _ in 0..given.number()? {
            let number = usize::try_from(given.number()?).ok()?;
            if number == self.symbols.len() {
                let name = given.text()?;
                let occurrence = u32::try_from(given.number()?).ok()?;
                let size = u32::try_from(given.number()?).ok()?;
                let symbol = pool.symbol(&name, occurrence, size);
                Arc::make_mut(&mut self.symbols).push(symbol);
            }
            let symbol = *self.symbols.get(number)?;
            let index = u32::try_from(given.number()?).ok()?;
            if index >= pool.symbol_info(symbol).size {
                return None;
            }
            let value = *given.answers.bytes.get(given.at)?;
            given.at += 1;
            model.set_byte(symbol, index, value);
        }
        Some(model)
    }
}

/// The bytes that the second assignment gives another value than the first.
fn differences(own: &Assignment, other: &Assignment) -> Vec<(SymbolId, u32, u8)> {
    if own.same(other) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (symbol, bytes) in other.iter() {
        let old = own.get(symbol).unwrap_or_default();
        if old == bytes {
            continue;
        }
        for at in 0..old.len().max(bytes.len()) {
            let value = |bytes: &[u8]| bytes.get(at).copied().unwrap_or(0);
            if value(old) != value(bytes) {
                found.push((symbol, at as u32, value(bytes)));
            }
        }
    }
    // What the other one does not name is 0 there.
    for (symbol, bytes) in own
        .iter()
        .filter(|(symbol, _)| other.get(*symbol).is_none())
    {
        let changed = (0u32..).zip(bytes).filter(|(_, byte)| **byte != 0);
        found.extend(changed.map(|(at, _)| (symbol, at, 0)));
    }
    found
}
