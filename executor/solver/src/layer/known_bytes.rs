//! Constraints in which known bytes have been replaced by their values.
//!
//! Each query of a path asks for the same again: the bytes that it knows stay known, and most of its
//! constraints contain few of them. So what became of a constraint is kept by the values of the known
//! bytes that occur in it, and holds for every path that knows these, whatever else it knows.

use plat_expr::{BinaryOp, ExprId, Moves, Node, Pool, Substitution, TRUE, Weak, WeakValue};
use rustc_hash::FxHashMap;

use super::byte_tables::Byte;

/// How many substitutions are cached, for paths on which different bytes are known.
const SUBSTITUTIONS: usize = 16;
/// How many expressions one substitution caches before it is cleared.
const REMEMBERED: usize = 1 << 18;
/// For how many combinations of known bytes it is kept what a constraint becomes.
const COMBINATIONS: usize = 8;

/// Bytes with a single possible value, ascending.
pub(super) type Known = Vec<(Byte, u8)>;

/// What a constraint becomes: the parts of a conjunction, for the known bytes in it. The oldest first.
#[derive(Default)]
struct Replaced(Vec<(Known, Vec<ExprId>)>);

impl WeakValue for Replaced {
    fn kept(self, moves: &Moves) -> Option<Self> {
        let all = self.0.into_iter();
        let kept = all.filter_map(|(known, parts)| Some((known, moves.all_kept(&parts)?)));
        Some(Self(kept.collect()))
    }
}

/// The replacements.
#[derive(Default)]
pub(super) struct KnownBytes {
    replaced: FxHashMap<ExprId, Replaced>,
    /// The least recently used first.
    substitutions: Vec<(Known, Substitution)>,
}

impl Weak for KnownBytes {
    fn forget(&mut self, moves: &Moves) {
        let Self {
            replaced,
            substitutions,
        } = self;
        replaced.forget(moves);
        substitutions.forget(moves);
    }
}

impl KnownBytes {
    /// Replaces known bytes in constraints and splits conjunctions.
    pub fn replace(
        &mut self,
        pool: &mut Pool,
        known: &Known,
        constraints: &[ExprId],
    ) -> Vec<ExprId> {
        if self.replaced.len() > REMEMBERED {
            self.replaced.clear();
        }
        let mut all = Vec::with_capacity(constraints.len());
        for &constraint in constraints {
            let within = within(pool, known, constraint);
            let entries = self.replaced.get(&constraint);
            let mut entries = entries.iter().flat_map(|entries| &entries.0);
            if let Some((_, parts)) = entries.find(|(key, _)| *key == within) {
                all.extend_from_slice(parts);
                continue;
            }
            let parts = self.parts(pool, known, constraint);
            all.extend_from_slice(&parts);
            let entries = &mut self.replaced.entry(constraint).or_default().0;
            if entries.len() == COMBINATIONS {
                entries.remove(0);
            }
            entries.push((within, parts));
        }
        all
    }

    /// A constraint with the known bytes replaced, as the parts of a conjunction.
    fn parts(&mut self, pool: &mut Pool, known: &Known, constraint: ExprId) -> Vec<ExprId> {
        let replaced = self.substitution(known).apply(pool, constraint);
        let (mut found, mut open) = (Vec::new(), vec![replaced]);
        while let Some(part) = open.pop() {
            match pool.node(part) {
                Node::Binary(BinaryOp::And, a, b) => open.extend([b, a]),
                _ if part != TRUE => found.push(part),
                _ => {}
            }
        }
        found
    }

    /// The substitution of all known bytes: constraints that have parts in common share these.
    fn substitution(&mut self, known: &Known) -> &mut Substitution {
        let new = || Substitution::new(known.iter().copied());
        let all = &mut self.substitutions;
        let at = all.iter().rposition(|(key, _)| key == known);
        let mut entry = match at {
            Some(at) => all.remove(at),
            None => {
                if all.len() == SUBSTITUTIONS {
                    all.remove(0);
                }
                (known.clone(), new())
            }
        };
        if entry.1.len() > REMEMBERED {
            entry.1 = new();
        }
        all.push(entry);
        let last = all.len() - 1;
        &mut all[last].1
    }
}

/// The known bytes that occur in a constraint.
fn within(pool: &Pool, known: &Known, constraint: ExprId) -> Known {
    let bytes = pool.symbols(constraint).iter();
    let known = bytes.filter_map(|byte| {
        let at = known.binary_search_by_key(&byte, |&(byte, _)| byte).ok()?;
        Some(known[at])
    });
    known.collect()
}
