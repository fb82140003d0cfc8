//! The path condition of a state: constraints, a model that satisfies all of them, and their
//! partition by shared input bytes.
//!
//! A component is a set of constraints connected by shared bytes. Different components are
//! independent (constraint independence, as in EXE and KLEE), so a query contains only the
//! components it touches. Components merge as constraints are added. Everything is behind `Arc`s:
//! a clone is four reference counts, and adding a constraint copies a vector of ids at most.

use crate::tape::{Answers, Tape};
use std::cell::{RefCell, RefMut};
use std::sync::Arc;

use plat_expr::{Assignment, BinaryOp, ExprId, FALSE, Node, Pool, SymbolId, SymbolSet, TRUE};

/// Constraints connected by shared bytes.
#[derive(Clone, Debug, Default)]
struct Component {
    bytes: SymbolSet,
    constraints: Vec<ExprId>,
}

/// Which component owns a byte: its position + 1, or 0.
type Owners = Arc<Vec<u32>>;

/// Constraints with a satisfying assignment.
#[derive(Clone, Debug, Default)]
pub struct PathCondition {
    constraints: Arc<Vec<ExprId>>,
    model: Assignment,
    components: Arc<Vec<Arc<Component>>>,
    owners: Arc<Vec<(SymbolId, Owners)>>,
    /// The answers about it, if they are kept. Whoever asks has the condition by reference.
    tape: Option<Box<RefCell<Tape>>>,
}

plat_expr::holder!(Component { constraints } plain { bytes });
plat_expr::holder!(PathCondition { constraints, components } plain { model, owners, tape });

impl PathCondition {
    /// No constraints.
    pub fn new() -> Self {
        Self::default()
    }

    /// The constraints in the order in which they were added, conjunctions split.
    pub fn constraints(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.constraints.iter().copied()
    }

    /// How many constraints there are.
    pub fn len(&self) -> usize {
        self.constraints.len()
    }

    /// Whether there are no constraints.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// An assignment that satisfies all constraints.
    pub fn model(&self) -> &Assignment {
        &self.model
    }

    /// Replaces the model. The new one must satisfy all constraints.
    pub fn set_model(&mut self, model: Assignment) {
        self.model = model;
    }

    /// Keeps the answers about it from now on.
    pub fn keep_answers(&mut self) {
        self.tape.get_or_insert_default();
    }

    /// Keeps them no longer.
    pub fn forget_answers(&mut self) {
        self.tape = None;
    }

    pub(crate) fn tape(&self) -> Option<RefMut<'_, Tape>> {
        self.tape.as_ref().map(|tape| tape.borrow_mut())
    }

    /// Answers questions with these, in their order, before the solver is asked; behind `open` ones it
    /// is, otherwise there must be no further question before the next call.
    pub fn replay_answers(&mut self, answers: Answers, open: bool) {
        self.tape
            .get_or_insert_default()
            .get_mut()
            .give(answers, open);
    }

    /// Whether questions are answered without the solver now.
    pub fn replays(&self) -> bool {
        self.tape().is_some_and(|mut tape| tape.replays())
    }

    /// The path goes on by itself: of the given answers, those count that it has asked for.
    pub fn release_answers(&mut self) {
        if let Some(mut tape) = self.tape() {
            tape.release();
        }
    }

    /// Whether a question has come that the given answers do not fit. What was answered since is not
    /// true of the path.
    pub fn has_diverged(&self) -> bool {
        self.tape().is_some_and(|tape| tape.is_lost())
    }

    /// What comes next does not fit the given answers.
    pub fn diverge(&mut self) {
        if let Some(mut tape) = self.tape() {
            tape.lose();
        }
    }

    /// Whether just the given answers were asked for.
    pub fn arrives(&self) -> bool {
        self.tape().is_some_and(|mut tape| tape.arrives())
    }

    /// Takes the answers since the last cut.
    pub fn cut_answers(&mut self) -> Answers {
        let tape = self.tape.as_mut();
        tape.map(|tape| tape.get_mut().cut()).unwrap_or_default()
    }

    /// The answers since the last cut, given ones that are not used up yet included.
    pub fn answers(&self) -> Answers {
        self.tape().map(|tape| tape.so_far()).unwrap_or_default()
    }

    /// The constraints and the bytes of each component.
    pub(crate) fn components(&self) -> impl Iterator<Item = (&[ExprId], &SymbolSet)> {
        let parts = self.components.iter();
        let whole = parts.filter(|component| !component.constraints.is_empty());
        whole.map(|component| (&component.constraints[..], &component.bytes))
    }

    /// The indices of the components that contain one of these bytes, ascending.
    fn touched(&self, bytes: &SymbolSet) -> Vec<usize> {
        let mut touched = Vec::new();
        for (symbol, byte) in bytes.iter() {
            let Ok(at) = self
                .owners
                .binary_search_by_key(&symbol, |(symbol, _)| *symbol)
            else {
                continue;
            };
            let owner = self.owners[at].1.get(byte as usize).copied().unwrap_or(0);
            if owner > 0 && touched.last() != Some(&(owner as usize - 1)) {
                touched.push(owner as usize - 1);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// The constraints that share input bytes with `e`, directly or through others.
    pub fn relevant(&self, pool: &Pool, e: ExprId) -> Vec<ExprId> {
        let mut relevant = Vec::new();
        for at in self.touched(pool.symbols(e)) {
            relevant.extend_from_slice(&self.components[at].constraints);
        }
        relevant
    }

    /// The input bytes of `e` and of the constraints relevant to it.
    pub fn relevant_bytes(&self, pool: &Pool, e: ExprId) -> SymbolSet {
        let mut bytes = pool.symbols(e).clone();
        for at in self.touched(&bytes) {
            bytes = bytes.union(&self.components[at].bytes);
        }
        bytes
    }

    /// Adds a condition. `model` must satisfy it and the constraints relevant to it; only the bytes
    /// of these are taken from `model`.
    pub fn add(&mut self, pool: &mut Pool, condition: ExprId, model: &Assignment) {
        let condition = pool.number(condition);
        debug_assert_ne!(condition, FALSE, "an infeasible path");
        if !model.same(&self.model) {
            let bytes = self.relevant_bytes(pool, condition);
            self.model = model.merged_over(&self.model, &bytes);
        }
        let mut parts = vec![condition];
        while let Some(part) = parts.pop() {
            match pool.node(part) {
                Node::Binary(BinaryOp::And, a, b) => parts.extend([b, a]),
                Node::Not(or) => match pool.node(or) {
                    Node::Binary(BinaryOp::Or, a, b) => parts.extend([pool.not(b), pool.not(a)]),
                    _ => self.add_conjunct(pool, part),
                },
                _ => self.add_conjunct(pool, part),
            }
        }
    }

    fn add_conjunct(&mut self, pool: &Pool, part: ExprId) {
        if part == TRUE {
            return;
        }
        let bytes = pool.symbols(part);
        let touched = self.touched(bytes);
        if touched
            .iter()
            .any(|&at| self.components[at].constraints.contains(&part))
        {
            return;
        }
        own_with_room(&mut self.constraints, 1).push(part);
        let Some(&target) = touched.first() else {
            let components = own_with_room(&mut self.components, 1);
            components.push(Arc::new(Component {
                bytes: bytes.clone(),
                constraints: vec![part],
            }));
            let last = components.len() - 1;
            return self.set_owner(bytes, last);
        };
        let components = Arc::make_mut(&mut self.components);
        let mut moved = bytes.clone();
        let mut merged = std::mem::take(&mut components[target]);
        let component = Arc::make_mut(&mut merged);
        for &at in touched.iter().skip(1) {
            let other = std::mem::take(&mut components[at]);
            moved = moved.union(&other.bytes);
            component.constraints.extend_from_slice(&other.constraints);
        }
        component.bytes = component.bytes.union(&moved);
        component.constraints.push(part);
        components[target] = merged;
        self.set_owner(&moved, target);
    }

    /// Makes a component the owner of bytes.
    fn set_owner(&mut self, bytes: &SymbolSet, component: usize) {
        let owner = component as u32 + 1;
        for (symbol, byte) in bytes.iter() {
            let find = self
                .owners
                .binary_search_by_key(&symbol, |(symbol, _)| *symbol);
            if let Ok(at) = find
                && self.owners[at].1.get(byte as usize) == Some(&owner)
            {
                continue;
            }
            let owners = Arc::make_mut(&mut self.owners);
            let at = find.unwrap_or_else(|at| {
                owners.insert(at, (symbol, Owners::default()));
                at
            });
            let byte = byte as usize;
            let further = (byte + 1).saturating_sub(owners[at].1.len());
            let owned = own_with_room(&mut owners[at].1, further);
            owned.resize(owned.len() + further, 0);
            owned[byte] = owner;
        }
    }
}

/// A shared list, to change, with room for this many more. Not for many beyond them: states that wait
/// have their own lists.
fn own_with_room<T: Clone>(list: &mut Arc<Vec<T>>, further: usize) -> &mut Vec<T> {
    let length = list.len();
    if Arc::get_mut(list).is_none() {
        let mut copy = Vec::with_capacity(length + further);
        copy.extend_from_slice(list);
        *list = Arc::new(copy);
    }
    let own = Arc::make_mut(list);
    if own.capacity() < length + further {
        own.reserve_exact(further + length / 8);
    }
    own
}
