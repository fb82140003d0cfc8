//! Constraints on one input byte are decided without a solver: each has a table of the 256
//! values that satisfy it, computed once, and the domain of a byte is the intersection of tables.
//! Programs that read text branch on single characters most of the time.
//!
//! A query of such constraints only is answered here. In any other, an empty domain refutes it,
//! and a byte with one value left is replaced by it in the other constraints (implied value
//! concretisation, as in EXE and KLEE), which may leave more constraints on one byte, and so on. A bound
//! on a word says something about its highest byte alone too: a character of two bytes that is below 256
//! has a 0 there, and with it all that is asked about the character is about one byte.

use std::collections::BTreeMap;

use plat_expr::{Assignment, BinaryOp, ExprId, FALSE, Node, Pool, Substitution, TRUE};

use super::byte_tables::{Byte, ByteTables, Values, intersect};
use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// How many substitutions are remembered: paths on which different bytes are known.
const SUBSTITUTIONS: usize = 16;
/// How many expressions one substitution remembers before it starts afresh.
const REMEMBERED: usize = 1 << 18;

/// Bytes with the one value that each can have, ascending.
type Known = Vec<(Byte, u8)>;

/// Domains above `inner`.
pub struct ByteDomain {
    inner: Box<dyn Solver>,
    tables: ByteTables,
    /// The least recently used first.
    substitutions: Vec<(Known, Substitution)>,
    counts: LayerStats,
}

/// What the constraints on single bytes say.
#[derive(Default)]
struct Domains {
    domains: BTreeMap<Byte, Values>,
    /// The constraints that are on several bytes, or too large for a table.
    others: Vec<ExprId>,
}

impl ByteDomain {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        let (tables, substitutions) = (ByteTables::default(), Vec::new());
        Self {
            inner,
            tables,
            substitutions,
            counts: LayerStats::default(),
        }
    }

    fn domains(&mut self, pool: &Pool, constraints: &[ExprId]) -> Domains {
        let mut found = Domains::default();
        for &constraint in constraints {
            let alone = self.tables.of(pool, constraint);
            if alone.is_none() {
                found.others.push(constraint);
            }
            let table = alone.or_else(|| self.tables.of_highest(pool, constraint));
            if let Some((byte, values)) = table {
                let domain = found.domains.entry(byte).or_insert([u64::MAX; 4]);
                intersect(domain, &values);
            }
        }
        found
    }

    /// Applies known bytes to constraints and takes conjunctions apart.
    fn substitute(
        &mut self,
        pool: &mut Pool,
        known: &Known,
        constraints: &[ExprId],
    ) -> Vec<ExprId> {
        let at = self.substitutions.iter().rposition(|(key, _)| key == known);
        let mut entry = match at {
            Some(at) => self.substitutions.remove(at),
            None => {
                if self.substitutions.len() == SUBSTITUTIONS {
                    self.substitutions.remove(0);
                }
                (known.clone(), Substitution::new(known.iter().copied()))
            }
        };
        if entry.1.len() > REMEMBERED {
            entry.1 = Substitution::new(known.iter().copied());
        }
        let mut replaced = Vec::with_capacity(constraints.len());
        for &constraint in constraints {
            let mut parts = vec![entry.1.apply(pool, constraint)];
            while let Some(part) = parts.pop() {
                match pool.node(part) {
                    Node::Binary(BinaryOp::And, a, b) => parts.extend([b, a]),
                    _ if part != TRUE => replaced.push(part),
                    _ => {}
                }
            }
        }
        self.substitutions.push(entry);
        replaced
    }
}

/// Some value of a domain.
fn first(values: &Values) -> Option<u8> {
    let word = values.iter().position(|&word| word != 0)?;
    Some((word * 64) as u8 + values[word].trailing_zeros() as u8)
}

/// The bytes of which one value is left.
fn known(domains: &BTreeMap<Byte, Values>) -> Known {
    let single = |values: &Values| values.iter().map(|word| word.count_ones()).sum::<u32>() == 1;
    let decided = domains.iter().filter(|(_, values)| single(values));
    decided
        .filter_map(|(&byte, values)| Some((byte, first(values)?)))
        .collect()
}

impl Solver for ByteDomain {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let mut constraints = query.constraints.to_vec();
        let mut fixed = Assignment::new();
        loop {
            let found = self.domains(pool, &constraints);
            if constraints.contains(&FALSE) || found.domains.values().any(|d| first(d).is_none()) {
                self.counts.hits += 1;
                return Answer::Unsat;
            }
            if found.others.is_empty() {
                self.counts.hits += 1;
                for (byte, values) in &found.domains {
                    fixed.set_byte(byte.0, byte.1, first(values).unwrap_or(0));
                }
                return Answer::Sat(fixed);
            }
            let known = known(&found.domains);
            if known.is_empty() {
                break;
            }
            for &((symbol, index), value) in &known {
                fixed.set_byte(symbol, index, value);
            }
            constraints = self.substitute(pool, &known, &constraints);
        }
        self.counts.misses += 1;
        let answer = self.inner.check(pool, &query.with(&constraints));
        let Answer::Sat(model) = answer else {
            return answer;
        };
        // The bytes that are fixed occur in no constraint that was passed on.
        let bytes = constraints
            .iter()
            .flat_map(|&c| pool.symbols(c).iter())
            .collect();
        Answer::Sat(model.merged_over(&fixed, &bytes))
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("byte_domain", self.counts);
        self.inner.stats(out);
    }
}
