//! Decides constraints on single input bytes from tables: a constraint has a table of the byte
//! values that satisfy it, and the domain of a byte is the intersection of its tables. Programs
//! that read text mostly branch on single characters.
//!
//! A query with single-byte constraints only is answered here. In other queries, an empty domain
//! refutes the query, and a byte with one value left is replaced by it (implied value
//! concretisation, as in EXE and KLEE). This may turn more constraints into single-byte ones, so it
//! is repeated. A bound on a word also narrows its highest byte: a 16-bit character below 256 has a
//! high byte of 0, and after substitution its constraints are on one byte.

use std::collections::BTreeMap;

use plat_expr::{Assignment, BinaryOp, ExprId, FALSE, Node, Pool, Substitution, TRUE};

use super::byte_tables::{Byte, ByteTables, Values, intersect};
use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// How many substitutions are cached, for paths on which different bytes are known.
const SUBSTITUTIONS: usize = 16;
/// How many expressions one substitution caches before it is cleared.
const REMEMBERED: usize = 1 << 18;

/// Bytes with a single possible value, ascending.
type Known = Vec<(Byte, u8)>;

/// Domains above `inner`.
pub struct ByteDomain {
    inner: Box<dyn Solver>,
    tables: ByteTables,
    /// The least recently used first.
    substitutions: Vec<(Known, Substitution)>,
    counts: LayerStats,
}

/// The domains of bytes, and the other constraints.
#[derive(Default)]
struct Domains {
    domains: BTreeMap<Byte, Values>,
    /// Constraints on several bytes, or too large for a table.
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

    /// Substitutes known bytes in constraints and splits conjunctions.
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

/// The bytes with one value left.
fn known(domains: &BTreeMap<Byte, Values>) -> Known {
    let single = |values: &Values| values.iter().map(|word| word.count_ones()).sum::<u32>() == 1;
    let decided = domains.iter().filter(|(_, values)| single(values));
    decided
        .filter_map(|(&byte, values)| Some((byte, first(values)?)))
        .collect()
}

plat_expr::holder!(ByteDomain { inner } plain { counts } weak { tables, substitutions });

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
        // Fixed bytes occur in no constraint that was passed on.
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
