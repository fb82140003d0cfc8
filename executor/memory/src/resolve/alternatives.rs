//! Taking a pointer-shaped expression apart by where it leads.
//!
//! `alternatives(p)` is a list of (key, guard, index): when `p` leads to an object with that key
//! (the object itself, or its segment), the guard holds and the index is the position in the
//! segment. The keys come from the leaves: `Base(o)` is (key of o, true, place of o). Through an
//! if-then-else guards get the condition; through a table read they become comparisons of the
//! table's index with the runs of elements that have the key, and the index becomes a read of a
//! narrower table of positions, or a constant when all those elements agree.
//!
//! Leaves that cannot be accessed (null, dead objects, objects that are too small) have no key,
//! nor have elements outside the interval that the path condition bounds the index to.
//! The result is right whenever the access is in bounds, and says nothing otherwise; that freedom
//! is used to keep guards small.

use super::narrow::Narrow;
use plat_expr::{BinaryOp, ExprId, Node, ObjectId, Pool, TableId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Where an expression leads, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// What distinguishes it from the others.
    pub key: u32,
    /// When it is the one; exact among the alternatives, arbitrary when none applies.
    pub guard: ExprId,
    /// The position, when it is the one.
    pub index: ExprId,
}

/// The key and the position of an object's start, if it can be accessed at all.
pub type KeyOf<'a> = dyn Fn(ObjectId) -> Option<(u32, u64)> + 'a;

/// More runs of table elements than this are told apart by reading a table of keys.
const MAX_RUNS: usize = 4;

type Branches = Rc<[Branch]>;

/// The alternatives of a pointer-shaped expression, sorted by key. `None` if it is not
/// pointer-shaped after all.
pub fn alternatives(
    pool: &mut Pool,
    pointer: ExprId,
    narrow: &mut Narrow,
    leaf: &KeyOf<'_>,
) -> Option<Vec<Branch>> {
    let mut memo: FxHashMap<ExprId, Branches> = FxHashMap::default();
    let mut stack = vec![(pointer, false)];
    while let Some((e, ready)) = stack.pop() {
        if memo.contains_key(&e) {
            continue;
        }
        if !ready {
            stack.push((e, true));
            for child in pointer_operands(pool, e)? {
                stack.push((child, false));
            }
            continue;
        }
        let branches = combine(pool, e, narrow, leaf, &memo);
        memo.insert(e, branches);
    }
    Some(memo[&pointer].to_vec())
}

/// The operands in pointer position; `None` if a base is in any other.
pub(super) fn pointer_operands(pool: &Pool, e: ExprId) -> Option<Vec<ExprId>> {
    if !pool.has_base(e) {
        return Some(Vec::new());
    }
    match pool.node(e) {
        Node::Base(_) => Some(Vec::new()),
        Node::Binary(BinaryOp::Add, a, b) => match (pool.has_base(a), pool.has_base(b)) {
            (true, false) => Some(vec![a]),
            (false, true) => Some(vec![b]),
            _ => None,
        },
        Node::Binary(BinaryOp::Sub, a, b) if !pool.has_base(b) => Some(vec![a]),
        Node::Ite(_, a, b) => Some(vec![a, b]),
        Node::Read(table, _) => Some(pool.table_elements(table).to_vec()),
        _ => None,
    }
}

fn combine(
    pool: &mut Pool,
    e: ExprId,
    narrow: &mut Narrow,
    leaf: &KeyOf<'_>,
    memo: &FxHashMap<ExprId, Branches>,
) -> Branches {
    if !pool.has_base(e) {
        return Rc::new([]);
    }
    match pool.node(e) {
        Node::Base(object) => match leaf(object) {
            None => Rc::new([]),
            Some((key, position)) => {
                let guard = pool.bool(true);
                let index = pool.constant(64, position);
                Rc::new([Branch { key, guard, index }])
            }
        },
        Node::Binary(op, a, b) => {
            let (pointer, other) = if pool.has_base(a) { (a, b) } else { (b, a) };
            debug_assert!(!pool.has_base(other));
            let shifted = memo[&pointer].iter().map(|branch| Branch {
                index: pool.binary(op, branch.index, other),
                ..*branch
            });
            shifted.collect()
        }
        Node::Ite(condition, a, b) => ite(pool, condition, &memo[&a], &memo[&b]),
        Node::Read(table, index) => {
            let index = pool.number(index);
            let range = narrow.interval(pool, index);
            read(pool, table, index, range, memo)
        }
        _ => Rc::new([]),
    }
}

fn ite(pool: &mut Pool, condition: ExprId, a: &Branches, b: &Branches) -> Branches {
    if a.is_empty() {
        return b.clone();
    }
    if b.is_empty() {
        return a.clone();
    }
    let otherwise = pool.not(condition);
    let mut result: Vec<Branch> = Vec::new();
    for branch in a.iter() {
        result.push(match b.iter().find(|other| other.key == branch.key) {
            Some(other) => Branch {
                key: branch.key,
                guard: pool.ite(condition, branch.guard, other.guard),
                index: pool.ite(condition, branch.index, other.index),
            },
            None => Branch {
                guard: pool.and_bool(condition, branch.guard),
                ..*branch
            },
        });
    }
    for branch in b.iter() {
        if a.iter().all(|other| other.key != branch.key) {
            result.push(Branch {
                guard: pool.and_bool(otherwise, branch.guard),
                ..*branch
            });
        }
    }
    finish(pool, result)
}

/// Sorts by key; a branch that is alone needs no guard.
fn finish(pool: &mut Pool, mut branches: Vec<Branch>) -> Branches {
    branches.sort_by_key(|branch| branch.key);
    if let [only] = branches.as_mut_slice() {
        only.guard = pool.bool(true);
    }
    branches.into()
}

/// How a table element relates to one key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Always(ExprId),
    Sometimes(Branch),
    Never,
    /// The element leads nowhere: it does not matter what is said about it.
    Any,
}

fn read(
    pool: &mut Pool,
    table: TableId,
    index: ExprId,
    (low, high): (u64, u64),
    memo: &FxHashMap<ExprId, Branches>,
) -> Branches {
    let elements: Vec<Branches> = pool
        .table_elements(table)
        .iter()
        .map(|element| memo[element].clone())
        .collect();
    let possible = |at: usize| low <= at as u64 && at as u64 <= high;
    let mut keys: Vec<u32> = Vec::new();
    for (_, branches) in elements.iter().enumerate().filter(|(at, _)| possible(*at)) {
        keys.extend(branches.iter().map(|branch| branch.key));
    }
    keys.sort_unstable();
    keys.dedup();
    let truth = pool.bool(true);
    let mut result = Vec::with_capacity(keys.len());
    let mut table_of_keys = None;
    for &key in &keys {
        let relation = |(at, branches): (usize, &Branches)| {
            if branches.is_empty() || !possible(at) {
                return Relation::Any;
            }
            match branches.binary_search_by_key(&key, |branch| branch.key) {
                Ok(at) if branches[at].guard == truth => Relation::Always(branches[at].index),
                Ok(at) => Relation::Sometimes(branches[at]),
                Err(_) => Relation::Never,
            }
        };
        let relations: Vec<Relation> = elements.iter().enumerate().map(relation).collect();
        let guard = if keys.len() == 1 {
            truth
        } else {
            read_guard(pool, index, key, &relations, &mut || {
                table_of_keys
                    .get_or_insert_with(|| first_keys(&elements))
                    .clone()
            })
        };
        let position = read_position(pool, index, &relations);
        result.push(Branch {
            key,
            guard,
            index: position,
        });
    }
    finish(pool, result)
}

/// The key of each element; elements that lead nowhere repeat the one before.
fn first_keys(elements: &[Branches]) -> Vec<u32> {
    let mut last = 0;
    let keys = elements.iter().map(|branches| {
        last = branches.first().map_or(last, |branch| branch.key);
        last
    });
    keys.collect()
}

/// When the element at `index` has the key.
fn read_guard(
    pool: &mut Pool,
    index: ExprId,
    key: u32,
    relations: &[Relation],
    keys: &mut dyn FnMut() -> Vec<u32>,
) -> ExprId {
    let conditional = |relation: &Relation| matches!(relation, Relation::Sometimes(_));
    if relations.iter().any(conditional) {
        let bits: Vec<ExprId> = relations
            .iter()
            .map(|relation| match relation {
                Relation::Always(_) => pool.bool(true),
                Relation::Sometimes(branch) => branch.guard,
                Relation::Never | Relation::Any => pool.bool(false),
            })
            .collect();
        let table = pool.table(&bits);
        return pool.read(table, index);
    }
    let runs = runs(relations);
    if runs.len() > MAX_RUNS {
        let keys: Vec<ExprId> = keys()
            .iter()
            .map(|&key| pool.constant(32, u64::from(key)))
            .collect();
        let table = pool.table(&keys);
        let here = pool.read(table, index);
        let key = pool.constant(32, u64::from(key));
        return pool.eq(here, key);
    }
    let mut guard = pool.bool(false);
    for (first, last) in runs {
        let inside = between(
            pool,
            index,
            first as u64,
            last as u64,
            relations.len() as u64,
        );
        guard = pool.or_bool(guard, inside);
    }
    guard
}

/// The maximal runs of elements that have the key, first and last, bridging those that do not
/// matter.
fn runs(relations: &[Relation]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut broken = true;
    for (at, relation) in relations.iter().enumerate() {
        match relation {
            Relation::Always(_) | Relation::Sometimes(_) => {
                match runs.last_mut() {
                    Some(run) if !broken => run.1 = at,
                    _ => runs.push((at, at)),
                }
                broken = false;
            }
            Relation::Never => broken = true,
            Relation::Any => {}
        }
    }
    runs
}

/// `first <= index <= last`, for an index that is known to be below `count`.
fn between(pool: &mut Pool, index: ExprId, first: u64, last: u64, count: u64) -> ExprId {
    let low = pool.constant(64, first);
    if first == last {
        return pool.eq(index, low);
    }
    if last + 1 == count {
        return pool.ule(low, index);
    }
    let distance = pool.sub(index, low);
    let span = pool.constant(64, last - first);
    pool.ule(distance, span)
}

/// The position that the element at `index` stands for, given that it has the key.
fn read_position(pool: &mut Pool, index: ExprId, relations: &[Relation]) -> ExprId {
    let position = |relation: &Relation| match relation {
        Relation::Always(position) => Some(*position),
        Relation::Sometimes(branch) => Some(branch.index),
        Relation::Never | Relation::Any => None,
    };
    let known: Vec<Option<ExprId>> = relations.iter().map(position).collect();
    let first = known.iter().position(Option::is_some).unwrap_or(0);
    let last = known.iter().rposition(Option::is_some).unwrap_or(0);
    let mut current = known[first].expect("some element has the key");
    let filled: Vec<ExprId> = known[first..=last]
        .iter()
        .map(|position| {
            current = position.unwrap_or(current);
            current
        })
        .collect();
    if filled.iter().all(|&position| position == filled[0]) {
        return filled[0];
    }
    let table = pool.table(&filled);
    let start = pool.constant(64, first as u64);
    let at = pool.sub(index, start);
    pool.read(table, at)
}
