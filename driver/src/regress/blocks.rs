//! Which blocks of a program another version of it has, too.
//!
//! Two versions of a function are walked over side by side from their entries, as far as they agree.
//! Blocks agree if their instructions do, read as text ([`plat_program::text::inst`]) without places
//! in the source, with registers and blocks under any numbers that fit together. So moved code and
//! changed line numbers are no change, and behind a changed instruction the rest of a function still
//! agrees where control comes to it past the change.
//!
//! Why that is enough: a path that enters only blocks that agree executes the same in both versions.
//! Where a register has its value from a block that has changed, the path has come through that block.

use super::names::{Names, type_text};
use super::words::{Word, words};
use plat_program::{BlockId, Function, InstId, Program, text};
use rustc_hash::FxHashMap;

/// What two versions have in common.
#[derive(Clone, Debug, Default)]
pub struct Matched {
    /// The blocks of the old version by their first instructions, in order, with the first instruction
    /// of the same block of the new version.
    pub blocks: Vec<(InstId, Option<InstId>)>,
    /// Functions of the old version in which something has changed, and those that are gone.
    pub changed: Vec<String>,
    /// Functions that only the new version has.
    pub added: Vec<String>,
}

impl Matched {
    /// Compares two versions of a program.
    pub fn of(old: &Program, new: &Program) -> Self {
        let names = Names::new(old, new);
        let mut matched = Matched::default();
        let mut partners = rustc_hash::FxHashSet::default();
        for function in old.functions.iter().filter(|one| !one.declaration) {
            let other = names.function(&function.name);
            partners.extend(other.map(|other| other.id));
            let pair = other.map(|other| (other, Pair::new(&names, (old, function), (new, other))));
            let walked = pair.map(|(other, pair)| (other, pair.walk()));
            let same = walked.as_ref().is_some_and(|(_, walked)| walked.same);
            if !same {
                matched.changed.push(function.name.clone());
            }
            for (at, block) in function.blocks.iter().enumerate() {
                let first = |function: &Function, at: u32| InstId(function.first_inst.0 + at);
                let partner = walked.as_ref().and_then(|(other, walked)| {
                    let block = other.blocks[walked.agree[at]?.index()];
                    Some(first(other, block.first))
                });
                let own = first(function, block.first);
                matched.blocks.push((own, partner));
            }
        }
        matched.blocks.sort_unstable();
        let added = new.functions.iter().filter(|one| !one.declaration);
        let added = added.filter(|one| !partners.contains(&one.id));
        matched.added = added.map(|one| one.name.clone()).collect();
        if begin(old) != begin(new) || matched.changes_native([old, new]) {
            // What begins otherwise has nothing in common.
            for (_, partner) in &mut matched.blocks {
                *partner = None;
            }
        }
        matched
    }

    /// Whether a function has changed, come or gone that plat carries out itself where nothing is
    /// symbolic: no execution of a test enters its body.
    fn changes_native(&self, versions: [&Program; 2]) -> bool {
        let native = |name: &String| {
            let mut found = versions.iter().filter_map(|one| one.function_named(name));
            found.any(|function| plat_engine::library::native(function).is_some())
        };
        self.changed.iter().chain(&self.added).any(native)
    }

    /// The instruction of the new version that one of the old version is.
    pub fn inst(&self, old: InstId) -> Option<InstId> {
        let behind = self.blocks.partition_point(|&(first, _)| first <= old);
        let (first, partner) = *self.blocks.get(behind.checked_sub(1)?)?;
        Some(InstId(partner?.0 + (old.0 - first.0)))
    }
}

/// The functions that are called before and behind `main`.
fn begin(program: &Program) -> [Vec<&str>; 2] {
    [&program.constructors, &program.destructors].map(|list| {
        let names = list.iter().map(|&id| program.function(id).name.as_str());
        names.collect()
    })
}

type Version<'p> = (&'p Program, &'p Function);

/// Two versions of a function.
struct Pair<'n, 'p> {
    names: &'n Names<'p>,
    old: Version<'p>,
    new: Version<'p>,
    registers: Bijection,
    blocks: Bijection,
    /// The registers that the edges out of each block write, with their types.
    moves: [Vec<Vec<(u32, String)>>; 2],
}

/// How two versions of a function agree.
struct Walked {
    /// The block of the new version for each of the old one that agrees.
    agree: Vec<Option<BlockId>>,
    /// Whether all blocks agree that control can come to.
    same: bool,
}

/// Numbers of the old version and of the new one that stand for each other.
#[derive(Default)]
struct Bijection {
    there: FxHashMap<u32, u32>,
    back: FxHashMap<u32, u32>,
    /// What was added since the last block.
    log: Vec<(u32, u32)>,
}

impl Bijection {
    /// Whether two numbers may stand for each other; from now on they do.
    fn unite(&mut self, old: u32, new: u32) -> bool {
        match (self.there.get(&old), self.back.get(&new)) {
            (None, None) => {
                self.there.insert(old, new);
                self.back.insert(new, old);
                self.log.push((old, new));
                true
            }
            (Some(&known), _) => known == new,
            (None, Some(_)) => false,
        }
    }

    /// Takes back what was added, unless it is to stay.
    fn end(&mut self, stays: bool) -> Vec<(u32, u32)> {
        let log = std::mem::take(&mut self.log);
        if stays {
            return log;
        }
        for (old, new) in log {
            self.there.remove(&old);
            self.back.remove(&new);
        }
        Vec::new()
    }
}

/// The registers that the edges out of each block of a function write, with their types.
fn moves((program, function): Version<'_>) -> Vec<Vec<(u32, String)>> {
    let mut moves = vec![Vec::new(); function.blocks.len()];
    for edge in &function.edges {
        for step in &function.moves[edge.moves.range()] {
            let ty = type_text(program, function.reg_types[step.dst.index()]);
            moves[edge.from.index()].push((step.dst.0, ty));
        }
    }
    moves
}

impl<'n, 'p> Pair<'n, 'p> {
    fn new(names: &'n Names<'p>, old: Version<'p>, new: Version<'p>) -> Self {
        let mut registers = Bijection::default();
        for parameter in 0..old.1.params.len() as u32 {
            registers.unite(parameter, parameter);
        }
        registers.end(true);
        Pair {
            names,
            old,
            new,
            registers,
            blocks: Bijection::default(),
            moves: [moves(old), moves(new)],
        }
    }

    fn walk(mut self) -> Walked {
        let mut walked = Walked {
            agree: vec![None; self.old.1.blocks.len()],
            same: true,
        };
        let mut waiting = vec![(0, 0)];
        self.blocks.unite(0, 0);
        self.blocks.end(true);
        while let Some((old, new)) = waiting.pop() {
            let same = self.same_block(old, new);
            self.registers.end(same);
            waiting.extend(self.blocks.end(same));
            walked.same &= same;
            if same {
                walked.agree[old as usize] = Some(BlockId(new));
            }
        }
        walked
    }

    fn same_block(&mut self, old: u32, new: u32) -> bool {
        let block = self.old.1.blocks[old as usize];
        let other = self.new.1.blocks[new as usize];
        block.len == other.len
            && (0..block.len).all(|at| {
                let here = (block.first + at) as usize;
                let there = (other.first + at) as usize;
                let old = text::inst(self.old.0, self.old.1, here).to_string();
                let new = text::inst(self.new.0, self.new.1, there).to_string();
                self.same_text(&old, &new)
            })
            && self.same_moves(old, new)
    }

    /// Whether the registers that edges out of two blocks write stand for each other. (The text of a
    /// jump has what is written, not where to.)
    fn same_moves(&mut self, old: u32, new: u32) -> bool {
        let (here, there) = (&self.moves[0][old as usize], &self.moves[1][new as usize]);
        let mut pairs = here.iter().zip(there);
        here.len() == there.len()
            && pairs.all(|(old, new)| old.1 == new.1 && self.registers.unite(old.0, new.0))
    }

    fn same_text(&mut self, old: &str, new: &str) -> bool {
        let (mut old, mut new) = (words(old), words(new));
        loop {
            match (old.next(), new.next()) {
                (None, None) => return true,
                (Some(old), Some(new)) if self.same_word(&old, &new) => {}
                _ => return false,
            }
        }
    }

    fn same_word(&mut self, old: &Word<'_>, new: &Word<'_>) -> bool {
        match (old, new) {
            (Word::Register(old), Word::Register(new)) => self.registers.unite(*old, *new),
            (Word::Block(old), Word::Block(new)) => self.blocks.unite(*old, *new),
            (Word::Symbol(old), Word::Symbol(new)) => self.names.agree(old, new),
            (Word::Other(old), Word::Other(new)) => old == new,
            _ => false,
        }
    }
}
