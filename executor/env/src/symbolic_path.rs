//! Paths that depend on symbolic input.
//!
//! A walk of a symbolic path can end at few places: the names that exist, `.`, `..`, the root, and
//! nowhere. [`settle`] gathers for each place the condition under which the walk ends there; the
//! call forks by place, not by spelling. Where no file of that name exists, all spellings share one
//! path, whose condition says that the name differs from every name in its directory, those of
//! the host included.
//!
//! A call that makes a file needs one name: it takes one value of the input, which is counted
//! (see [`UserMemory::choose`](crate::memory::UserMemory::choose)). So does what is not followed
//! name by name: a directory that cannot be listed, and names of the host beyond [`MOST_NAMES`].

use crate::call::{Call, Failure};
use crate::errno::Errno;
use crate::memory::{Stop, UserMemory};
use crate::tree::{Follow, NAME_MAX, PATH_MAX, Place, join};
use plat_expr::{Byte, ExprId, FALSE, Pool, TRUE};
use std::collections::BTreeMap;

/// Where walks are under way: a position in the text and the directory reached, with the condition.
type Open = BTreeMap<(usize, Vec<u8>), ExprId>;

/// Names of the host that one call follows by a path each.
const MOST_NAMES: usize = 256;

/// What a call does with a name that nothing has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// It fails.
    Fails,
    /// It makes the name.
    Made,
}

/// Where a walk ends.
#[derive(Clone, PartialEq, Debug)]
enum Outcome {
    /// At something that exists.
    Found(Place),
    /// At a free name in this directory, with a slash behind it or not, which the call makes.
    Free(Vec<u8>, bool),
    /// Nowhere.
    Error(Errno),
    /// At any place: what is not followed name by name.
    Any,
}

/// A concrete path that the call treats as it treats `text` on this path; the path forks when
/// there are several. `text` has no terminator, but may have zero bytes in it, where it ends.
pub(crate) fn settle(
    call: &mut Call<'_>,
    text: &[Byte],
    start: &[u8],
    follow: Follow,
    absent: Absent,
) -> Result<Vec<u8>, Failure> {
    if let Some(path) = concrete(text) {
        return Ok(path);
    }
    let letters = Letters::new(call.memory, text);
    if text.len() >= PATH_MAX {
        let pool = call.memory.pool();
        let short = any(pool, letters.ends[..PATH_MAX].iter().copied());
        if !call.memory.decide(short)? {
            return Err(Errno::ENAMETOOLONG.into());
        }
    }
    let mut survey = Survey {
        call,
        text,
        letters,
        follow,
        absent,
        outcomes: Vec::new(),
        names: 0,
    };
    survey.gather(start);
    let outcomes = survey.outcomes;
    for (outcome, condition) in outcomes {
        if call.memory.sample(condition) == 0 {
            continue;
        }
        if !call.memory.decide(condition)? {
            continue;
        }
        let path = sampled(call.memory, text);
        if matches!(outcome, Outcome::Free(..) | Outcome::Any) {
            call.memory.choose(text, &path)?;
        }
        return Ok(path);
    }
    // Only where the solver has no answer: one of the values.
    let path = sampled(call.memory, text);
    call.memory.choose(text, &path)?;
    Ok(path)
}

/// The path of `names` that `text` is on this path, or a concrete text itself; `None`: another.
pub(crate) fn one_of(
    memory: &mut dyn UserMemory,
    text: &[Byte],
    names: &[Vec<u8>],
) -> Result<Option<Vec<u8>>, Stop> {
    if let Some(path) = concrete(text) {
        return Ok(Some(path));
    }
    for name in names.iter().filter(|name| name.len() <= text.len()) {
        let mut letters = Vec::with_capacity(name.len() + 1);
        for (&byte, &value) in text.iter().zip(name) {
            letters.push(is(memory, byte, value));
        }
        if let Some(&behind) = text.get(name.len()) {
            letters.push(is(memory, behind, 0));
        }
        let same = all(memory.pool(), letters);
        if memory.decide(same)? {
            return Ok(Some(name.clone()));
        }
    }
    Ok(None)
}

/// The one value that a text takes, if it has several.
pub(crate) fn chosen(memory: &mut dyn UserMemory, text: &[Byte]) -> Result<Vec<u8>, Stop> {
    let path = sampled(memory, text);
    if concrete(text).is_none() {
        memory.choose(text, &path)?;
    }
    Ok(path)
}

/// The bytes of a text that is concrete as far as it goes.
fn concrete(text: &[Byte]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            Byte::Concrete(byte) => bytes.push(*byte),
            Byte::Symbolic(_) => return None,
        }
    }
    Some(bytes)
}

/// The text under the model of the path.
fn sampled(memory: &mut dyn UserMemory, text: &[Byte]) -> Vec<u8> {
    let bytes = text.iter().map(|byte| match byte {
        Byte::Concrete(byte) => *byte,
        Byte::Symbolic(expr) => memory.sample(*expr) as u8,
    });
    bytes.take_while(|&byte| byte != 0).collect()
}

/// Conditions on the bytes of a text, by position; at its size it ends.
struct Letters {
    /// The text ends here.
    ends: Vec<ExprId>,
    /// Here is a slash.
    slash: Vec<ExprId>,
    /// From here on there is nothing but slashes.
    only_slashes: Vec<ExprId>,
    /// From here on there is no slash.
    no_slash: Vec<ExprId>,
    /// A name goes on here, and behind it is nothing but slashes, at least one.
    name_and_slashes: Vec<ExprId>,
    /// Here is a letter of a name.
    plain: Vec<ExprId>,
}

impl Letters {
    fn new(memory: &mut dyn UserMemory, text: &[Byte]) -> Self {
        let size = text.len();
        let mut letters = Self {
            ends: vec![TRUE; size + 1],
            slash: vec![FALSE; size + 1],
            only_slashes: vec![TRUE; size + 1],
            no_slash: vec![TRUE; size + 1],
            name_and_slashes: vec![FALSE; size + 1],
            plain: vec![FALSE; size + 1],
        };
        for at in (0..size).rev() {
            let ends = is(memory, text[at], 0);
            let slash = is(memory, text[at], b'/');
            let pool = memory.pool();
            let special = pool.or(ends, slash);
            let plain = pool.not(special);
            let slashes = pool.and(slash, letters.only_slashes[at + 1]);
            let name = pool.and(plain, letters.no_slash[at + 1]);
            let name_and_slashes = pool.and(plain, letters.name_and_slashes[at + 1]);
            letters.ends[at] = ends;
            letters.slash[at] = slash;
            letters.plain[at] = plain;
            letters.only_slashes[at] = pool.or(ends, slashes);
            letters.no_slash[at] = pool.or(ends, name);
            letters.name_and_slashes[at] = pool.or(slashes, name_and_slashes);
        }
        letters
    }
}

/// The condition that a byte has a value.
fn is(memory: &mut dyn UserMemory, byte: Byte, value: u8) -> ExprId {
    match byte {
        Byte::Concrete(byte) if byte == value => TRUE,
        Byte::Concrete(_) => FALSE,
        Byte::Symbolic(expr) => {
            let pool = memory.pool();
            let value = pool.constant(8, value.into());
            pool.eq(expr, value)
        }
    }
}

fn any(pool: &mut Pool, conditions: impl IntoIterator<Item = ExprId>) -> ExprId {
    conditions
        .into_iter()
        .fold(FALSE, |any, one| pool.or(any, one))
}

fn all(pool: &mut Pool, conditions: impl IntoIterator<Item = ExprId>) -> ExprId {
    conditions
        .into_iter()
        .fold(TRUE, |all, one| pool.and(all, one))
}

/// All places where a walk of a text can end, each with its condition. The conditions exclude each
/// other, and one of them holds.
struct Survey<'c, 'a> {
    call: &'c mut Call<'a>,
    text: &'c [Byte],
    letters: Letters,
    follow: Follow,
    absent: Absent,
    outcomes: Vec<(Outcome, ExprId)>,
    /// Names of the host that have been followed.
    names: usize,
}

impl Survey<'_, '_> {
    fn pool(&mut self) -> &mut Pool {
        self.call.memory.pool()
    }

    fn add(&mut self, outcome: Outcome, condition: ExprId) {
        if condition == FALSE {
            return;
        }
        match self
            .outcomes
            .iter()
            .position(|(known, _)| *known == outcome)
        {
            Some(at) => {
                let before = self.outcomes[at].1;
                self.outcomes[at].1 = self.pool().or(before, condition);
            }
            None => self.outcomes.push((outcome, condition)),
        }
    }

    /// What a walk of a concrete path from a canonical directory meets.
    fn walk(&mut self, directory: &[u8], path: &[u8], follow: Follow) -> Result<Place, Errno> {
        let Call { env, host, .. } = &mut *self.call;
        env.tree.walk(host, directory, path, follow)
    }

    fn gather(&mut self, start: &[u8]) {
        self.add(Outcome::Error(Errno::ENOENT), self.letters.ends[0]);
        let (slash, plain) = (self.letters.slash[0], self.letters.plain[0]);
        let only_slashes = self.letters.only_slashes[1];
        let pool = self.pool();
        let root = pool.and(slash, only_slashes);
        let more = pool.not(only_slashes);
        let absolute = pool.and(slash, more);
        let outcome = match self.walk(b"/", b"/", self.follow) {
            Ok(place) => Outcome::Found(place),
            Err(errno) => Outcome::Error(errno),
        };
        self.add(outcome, root);
        // The directories in which the walk can be at a position, with another name to come.
        let mut open = BTreeMap::new();
        open.insert((0, start.to_vec()), plain);
        open.insert((1, b"/".to_vec()), absolute);
        while let Some(((at, directory), condition)) = open.pop_first() {
            if condition == FALSE {
                continue;
            }
            let (slash, plain) = (self.letters.slash[at], self.letters.plain[at]);
            let skipped = self.pool().and(condition, slash);
            self.go_on(&mut open, at + 1, directory.clone(), skipped);
            let name = self.pool().and(condition, plain);
            if name != FALSE {
                self.name(&mut open, at, &directory, name);
            }
        }
    }

    fn go_on(&mut self, open: &mut Open, at: usize, directory: Vec<u8>, condition: ExprId) {
        if condition != FALSE {
            let known = open.entry((at, directory)).or_insert(FALSE);
            *known = self.call.memory.pool().or(*known, condition);
        }
    }

    /// A name begins at a position, to be looked up in a directory.
    fn name(&mut self, open: &mut Open, at: usize, directory: &[u8], condition: ExprId) {
        let Call { env, host, .. } = &mut *self.call;
        if let Err(errno) = env.tree.check_search(host, directory) {
            return self.add(Outcome::Error(errno), condition);
        }
        let Ok(names) = env.tree.names(host, directory) else {
            return self.add(Outcome::Any, condition);
        };
        let mut rest = condition;
        let (mut own, mut hosts) = (vec![b".".to_vec(), b"..".to_vec()], Vec::new());
        for name in names {
            let is_own = env.tree.has_node(&join(directory, &name));
            if is_own { &mut own } else { &mut hosts }.push(name);
        }
        let most = own.len();
        for (number, name) in own.into_iter().chain(hosts).enumerate() {
            let spelled = self.spelled(at, &name);
            let here = self.pool().and(condition, spelled);
            if here == FALSE {
                continue;
            }
            let other = self.pool().not(spelled);
            rest = self.pool().and(rest, other);
            if number >= most {
                self.names += 1;
            }
            if self.names > MOST_NAMES {
                self.add(Outcome::Any, here);
            } else {
                self.known(open, at + name.len(), directory, &name, here);
            }
        }
        self.absent(at, directory, rest);
    }

    /// The condition that a name begins and ends where `name` does at a position.
    fn spelled(&mut self, at: usize, name: &[u8]) -> ExprId {
        let Some(bytes) = self.text.get(at..at + name.len()) else {
            return FALSE;
        };
        let mut letters = Vec::with_capacity(name.len());
        for (&byte, &value) in bytes.iter().zip(name) {
            let letter = is(self.call.memory, byte, value);
            if letter == FALSE {
                return FALSE;
            }
            letters.push(letter);
        }
        let behind = at + name.len();
        let (ends, slash) = (self.letters.ends[behind], self.letters.slash[behind]);
        let pool = self.pool();
        let letters = all(pool, letters);
        let end = pool.or(ends, slash);
        pool.and(letters, end)
    }

    /// The walk has come to a name that is `.`, `..` or in the directory, and is behind it.
    fn known(
        &mut self,
        open: &mut Open,
        behind: usize,
        directory: &[u8],
        name: &[u8],
        condition: ExprId,
    ) {
        let last = self.letters.ends[behind];
        let slash = self.letters.slash[behind];
        let tail = self.letters.only_slashes.get(behind + 1);
        let tail = tail.copied().unwrap_or(FALSE);
        let pool = self.pool();
        let last = pool.and(condition, last);
        let slash = pool.and(condition, slash);
        let more = pool.not(tail);
        let (closed, inner) = (pool.and(slash, tail), pool.and(slash, more));
        let ways = [(last, &b""[..]), (closed, b"/")];
        for (condition, end) in ways.into_iter().filter(|&(way, _)| way != FALSE) {
            let outcome = match self.walk(directory, &[name, end].concat(), self.follow) {
                Ok(place) if place.entry.is_some() => Outcome::Found(place),
                // A link that leads to a free name.
                Ok(place) => self.free(place.path, place.must_be_directory),
                Err(errno) => Outcome::Error(errno),
            };
            self.add(outcome, condition);
        }
        if inner != FALSE {
            match self.walk(directory, &[name, b"/."].concat(), Follow::Yes) {
                Ok(place) => self.go_on(open, behind + 1, place.path, inner),
                Err(errno) => self.add(Outcome::Error(errno), inner),
            }
        }
    }

    /// A name that nothing has begins at a position.
    fn absent(&mut self, at: usize, directory: &[u8], condition: ExprId) {
        let size = NAME_MAX + 1;
        let mut rest = condition;
        if let Some(letters) = self.letters.plain.get(at..at + size) {
            let letters = letters.to_vec();
            let long = all(self.pool(), letters);
            let too_long = self.pool().and(rest, long);
            self.add(Outcome::Error(Errno::ENAMETOOLONG), too_long);
            let short = self.pool().not(long);
            rest = self.pool().and(rest, short);
        }
        let (last, closed) = (self.letters.no_slash[at], self.letters.name_and_slashes[at]);
        if self.absent == Absent::Made {
            let pool = self.pool();
            let made = pool.and(rest, last);
            let made_closed = pool.and(rest, closed);
            let whole = pool.or(last, closed);
            let inner = pool.not(whole);
            rest = pool.and(rest, inner);
            let free = self.free(directory.to_vec(), false);
            self.add(free, made);
            let free = match self.follow {
                Follow::Create | Follow::CreateHere => Outcome::Error(Errno::EISDIR),
                _ => self.free(directory.to_vec(), true),
            };
            self.add(free, made_closed);
        }
        self.add(Outcome::Error(Errno::ENOENT), rest);
    }

    fn free(&self, place: Vec<u8>, must_be_directory: bool) -> Outcome {
        match self.absent {
            Absent::Fails => Outcome::Error(Errno::ENOENT),
            Absent::Made => Outcome::Free(place, must_be_directory),
        }
    }
}
