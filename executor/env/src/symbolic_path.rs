//! Paths that depend on symbolic input.
//!
//! A symbolic path can resolve to a few places only: existing names, `.`, `..`, the root, or none.
//! [`concretise`] computes the condition of each place; the call forks by place, not by spelling.
//! All spellings that resolve to nothing share one path, whose condition is that the name differs
//! from every name in its directory, including the host's.
//!
//! A call that creates a file needs one name, so one value of the input is chosen, and counted (see
//! [`UserMemory::choose`](crate::memory::UserMemory::choose)). The same is done for directories
//! that cannot be listed and for names of the host beyond [`MOST_NAMES`].

use crate::call::{Call, Failure};
use crate::errno::Errno;
use crate::memory::{Stop, UserMemory};
use crate::tree::{Follow, NAME_MAX, PATH_MAX, Place, join};
use plat_expr::{Byte, ExprId, FALSE, Pool, TRUE};
use std::collections::BTreeMap;

/// The frontier of the walk: positions in the text with the directory reached there, and
/// their conditions.
type Frontier = BTreeMap<(usize, Vec<u8>), ExprId>;

/// The most names of the host for which one call forks.
const MOST_NAMES: usize = 256;

/// What a call does with a name that does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// It fails.
    Fails,
    /// It creates the name.
    Made,
}

/// What a path resolves to.
#[derive(Clone, PartialEq, Debug)]
enum Outcome {
    /// An existing file.
    Found(Place),
    /// A name to create in this directory; whether a slash follows it.
    Free(Vec<u8>, bool),
    /// No place: this error.
    Error(Errno),
    /// Any place: names that are not enumerated.
    Any,
}

/// A concrete path that is equivalent to `text` for this call; forks if there are several. `text`
/// has no terminator, but any zero byte in it is its end.
pub(crate) fn concretise(
    call: &mut Call<'_>,
    text: &[Byte],
    start: &[u8],
    follow: Follow,
    absent: Absent,
) -> Result<Vec<u8>, Failure> {
    if let Some(path) = concrete(text) {
        return Ok(path);
    }
    let conditions = ByteConditions::new(call.memory, text);
    if text.len() >= PATH_MAX {
        let pool = call.memory.pool();
        let short = any(pool, conditions.ends[..PATH_MAX].iter().copied());
        if !call.memory.decide(short)? {
            return Err(Errno::ENAMETOOLONG.into());
        }
    }
    let mut walk = SymbolicWalk {
        call,
        text,
        conditions,
        follow,
        absent,
        outcomes: Vec::new(),
        names: 0,
    };
    walk.run(start);
    let outcomes = walk.outcomes;
    call.memory.take_least_model();
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
    // Reached only if the solver gave no answer: choose one value.
    let path = sampled(call.memory, text);
    call.memory.choose(text, &path)?;
    Ok(path)
}

/// The name in `names` that `text` equals on this path; a concrete text is returned as it is.
/// `None` if it equals none.
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

/// Restricts a text to one value, if it has several.
pub(crate) fn chosen(memory: &mut dyn UserMemory, text: &[Byte]) -> Result<Vec<u8>, Stop> {
    let several = concrete(text).is_none();
    if several {
        memory.take_least_model();
    }
    let path = sampled(memory, text);
    if several {
        memory.choose(text, &path)?;
    }
    Ok(path)
}

/// The bytes of a text that is concrete up to its end.
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

/// Conditions on the bytes of a text, by position.
struct ByteConditions {
    /// The text ends here.
    ends: Vec<ExprId>,
    /// A slash is here.
    slash: Vec<ExprId>,
    /// Nothing or only slashes follow from here on.
    only_slashes: Vec<ExprId>,
    /// No slash follows from here on.
    no_slash: Vec<ExprId>,
    /// A name continues here, followed by one or more slashes and nothing else.
    name_and_slashes: Vec<ExprId>,
    /// A byte of a name is here.
    in_name: Vec<ExprId>,
}

impl ByteConditions {
    fn new(memory: &mut dyn UserMemory, text: &[Byte]) -> Self {
        let size = text.len();
        let mut conditions = Self {
            ends: vec![TRUE; size + 1],
            slash: vec![FALSE; size + 1],
            only_slashes: vec![TRUE; size + 1],
            no_slash: vec![TRUE; size + 1],
            name_and_slashes: vec![FALSE; size + 1],
            in_name: vec![FALSE; size + 1],
        };
        for at in (0..size).rev() {
            let ends = is(memory, text[at], 0);
            let slash = is(memory, text[at], b'/');
            let pool = memory.pool();
            let special = pool.or(ends, slash);
            let in_name = pool.not(special);
            let slashes = pool.and(slash, conditions.only_slashes[at + 1]);
            let name = pool.and(in_name, conditions.no_slash[at + 1]);
            let name_and_slashes = pool.and(in_name, conditions.name_and_slashes[at + 1]);
            conditions.ends[at] = ends;
            conditions.slash[at] = slash;
            conditions.in_name[at] = in_name;
            conditions.only_slashes[at] = pool.or(ends, slashes);
            conditions.no_slash[at] = pool.or(ends, name);
            conditions.name_and_slashes[at] = pool.or(slashes, name_and_slashes);
        }
        conditions
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

/// The walk of a symbolic path: all outcomes with their conditions, which are disjoint and
/// complete.
struct SymbolicWalk<'c, 'a> {
    call: &'c mut Call<'a>,
    text: &'c [Byte],
    conditions: ByteConditions,
    follow: Follow,
    absent: Absent,
    outcomes: Vec<(Outcome, ExprId)>,
    /// Names of the host that were enumerated.
    names: usize,
}

impl SymbolicWalk<'_, '_> {
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

    /// Resolves a concrete path from a canonical directory.
    fn walk(&mut self, directory: &[u8], path: &[u8], follow: Follow) -> Result<Place, Errno> {
        let Call { env, host, .. } = &mut *self.call;
        env.tree.walk(host, directory, path, follow)
    }

    fn run(&mut self, start: &[u8]) {
        self.add(Outcome::Error(Errno::ENOENT), self.conditions.ends[0]);
        let (slash, in_name) = (self.conditions.slash[0], self.conditions.in_name[0]);
        let only_slashes = self.conditions.only_slashes[1];
        let pool = self.pool();
        let root = pool.and(slash, only_slashes);
        let more = pool.not(only_slashes);
        let absolute = pool.and(slash, more);
        let outcome = match self.walk(b"/", b"/", self.follow) {
            Ok(place) => Outcome::Found(place),
            Err(errno) => Outcome::Error(errno),
        };
        self.add(outcome, root);
        // Positions at which another name follows.
        let mut frontier = BTreeMap::new();
        frontier.insert((0, start.to_vec()), in_name);
        frontier.insert((1, b"/".to_vec()), absolute);
        while let Some(((at, directory), condition)) = frontier.pop_first() {
            if condition == FALSE {
                continue;
            }
            let (slash, in_name) = (self.conditions.slash[at], self.conditions.in_name[at]);
            let skipped = self.pool().and(condition, slash);
            self.push(&mut frontier, at + 1, directory.clone(), skipped);
            let name = self.pool().and(condition, in_name);
            if name != FALSE {
                self.look_up(&mut frontier, at, &directory, name);
            }
        }
    }

    fn push(&mut self, frontier: &mut Frontier, at: usize, directory: Vec<u8>, condition: ExprId) {
        if condition != FALSE {
            let known = frontier.entry((at, directory)).or_insert(FALSE);
            *known = self.call.memory.pool().or(*known, condition);
        }
    }

    /// Looks up the name that begins at a position in a directory.
    fn look_up(&mut self, frontier: &mut Frontier, at: usize, directory: &[u8], condition: ExprId) {
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
                self.existing(frontier, at + name.len(), directory, &name, here);
            }
        }
        self.nonexistent(at, directory, rest);
    }

    /// The condition that the name at a position is `name`.
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
        let (ends, slash) = (self.conditions.ends[behind], self.conditions.slash[behind]);
        let pool = self.pool();
        let letters = all(pool, letters);
        let end = pool.or(ends, slash);
        pool.and(letters, end)
    }

    /// Continues after a name that is `.`, `..` or in the directory.
    fn existing(
        &mut self,
        frontier: &mut Frontier,
        behind: usize,
        directory: &[u8],
        name: &[u8],
        condition: ExprId,
    ) {
        let last = self.conditions.ends[behind];
        let slash = self.conditions.slash[behind];
        let tail = self.conditions.only_slashes.get(behind + 1);
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
                Ok(place) => self.push(frontier, behind + 1, place.path, inner),
                Err(errno) => self.add(Outcome::Error(errno), inner),
            }
        }
    }

    /// The name at a position does not exist.
    fn nonexistent(&mut self, at: usize, directory: &[u8], condition: ExprId) {
        let size = NAME_MAX + 1;
        let mut rest = condition;
        if let Some(bytes) = self.conditions.in_name.get(at..at + size) {
            let bytes = bytes.to_vec();
            let long = all(self.pool(), bytes);
            let too_long = self.pool().and(rest, long);
            self.add(Outcome::Error(Errno::ENAMETOOLONG), too_long);
            let short = self.pool().not(long);
            rest = self.pool().and(rest, short);
        }
        let (last, closed) = (
            self.conditions.no_slash[at],
            self.conditions.name_and_slashes[at],
        );
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
