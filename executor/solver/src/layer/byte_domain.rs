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

use plat_expr::{Assignment, EvalMemo, ExprId, FALSE, Pool};

use super::byte_tables::{Byte, ByteTables, Values, has, intersect};
use super::known_bytes::{Known, KnownBytes};
use crate::answer::{Answer, Query, Solver};
use crate::evaluation::Evaluation;
use crate::stats::{LayerStats, SolverStats};

/// Domains above `inner`.
pub struct ByteDomain {
    inner: Box<dyn Solver>,
    tables: ByteTables,
    replacements: KnownBytes,
    evaluation: Evaluation,
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
        Self {
            inner,
            tables: ByteTables::default(),
            replacements: KnownBytes::default(),
            evaluation: Evaluation::default(),
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

/// At most this many values of the byte of the new constraint are tried beside the path's model.
const TRIED: u32 = 4;

/// Values of a domain, from end to end.
fn spread(values: &Values) -> impl Iterator<Item = u8> {
    let all: Vec<u8> = (0..=u8::MAX).filter(|&value| has(values, value)).collect();
    let last = all.len().saturating_sub(1);
    let tried = TRIED.min(all.len() as u32) as usize;
    (0..tried).map(move |at| all[last * at / tried.saturating_sub(1).max(1)])
}

/// A model of the query near the one of the path, which satisfies all constraints but the last: the byte of
/// that one gets another value, and the constraints on several bytes are evaluated. On most paths they
/// are long and say little, as that a name is none of those in a directory.
fn near(
    pool: &Pool,
    query: &Query<'_>,
    found: &Domains,
    evaluation: &mut Evaluation,
) -> Option<Assignment> {
    let (&last, model) = (query.constraints.last()?, query.model?);
    let mut bytes = pool.symbols(last).iter();
    let (Some((symbol, index)), None) = (bytes.next(), bytes.next()) else {
        return None;
    };
    let touches = |&&constraint: &&ExprId| pool.symbols(constraint).contains(symbol, index);
    let touched: Vec<ExprId> = found.others.iter().filter(touches).copied().collect();
    spread(found.domains.get(&(symbol, index))?).find_map(|value| {
        let mut near = model.clone();
        near.set_byte(symbol, index, value);
        let memo = &mut EvalMemo::default();
        let mut touched = touched.iter();
        let holds = touched.all(|&c| evaluation.holds(pool, c, &near, memo));
        holds.then_some(near)
    })
}

plat_expr::holder!(ByteDomain { inner } plain { counts } weak { tables, replacements, evaluation });

impl Solver for ByteDomain {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let mut constraints = query.constraints.to_vec();
        let mut fixed = Assignment::new();
        let mut first_round = true;
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
            let evaluation = &mut self.evaluation;
            if first_round && let Some(near) = near(pool, query, &found, evaluation) {
                self.counts.hits += 1;
                return Answer::Sat(near);
            }
            first_round = false;
            let known = known(&found.domains);
            if known.is_empty() {
                break;
            }
            for &((symbol, index), value) in &known {
                fixed.set_byte(symbol, index, value);
            }
            constraints = self.replacements.replace(pool, &known, &constraints);
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
