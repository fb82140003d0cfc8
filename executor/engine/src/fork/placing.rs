//! What a split does to the trie: it adds a decision, or follows one of the plan.

use crate::api::observe::Observer;
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, Stop};
use crate::trie::{Decision, Next, Node, NodeId, Plan, Point, Side};
use plat_program::InstId;
use std::rc::Rc;
use std::sync::Arc;

/// Where the parts of a split are in the trie.
pub(crate) enum Placing {
    /// The run keeps no trie.
    Unkept,
    /// Every part is new: the node that is split, the decision, the node of the first part.
    New(Rc<Node>, Rc<Point>, NodeId),
    /// A plan has it, with these sides.
    Planned(Rc<Node>, Rc<Point>, Arc<Plan>, Vec<Side>),
}

impl Placing {
    /// Whether a side is to be explored.
    pub fn keeps(&self, side: u32) -> bool {
        match self {
            Placing::Planned(_, _, _, sides) => {
                let found = sides.iter().find(|one| one.side == side);
                found.is_some_and(|one| one.next.is_some())
            }
            _ => true,
        }
    }

    /// Whether what happens has happened before.
    pub fn is_planned(&self) -> bool {
        matches!(self, Placing::Planned(..))
    }

    /// Gives a part its place: the side of this number, the `order`th of the possible ones.
    pub fn place(&self, part: &mut State, order: usize, side: u32) {
        match self {
            Placing::Unkept => {}
            Placing::New(node, point, first) => {
                let child = node.child(point, first + order as u64, side);
                part.history.node = Some(child);
            }
            Placing::Planned(node, point, plan, sides) => {
                let found = sides.iter().find(|one| one.side == side);
                if let Some(&Side {
                    node: id,
                    next: Some(next),
                    ..
                }) = found
                {
                    part.history.node = Some(node.child(point, id, side));
                    follow(part, plan, next);
                }
            }
        }
    }
}

/// Leads a state along a node of a plan.
pub(crate) fn follow(state: &mut State, plan: &Arc<Plan>, at: u32) {
    state.history.plan = None;
    let Some(node) = plan.nodes.get(at as usize) else {
        return;
    };
    match &node.next {
        Next::Open(answers) => state.constraints.replay_answers(answers.clone(), true),
        Next::Split(split) => {
            state
                .constraints
                .replay_answers(split.answers.clone(), false);
            state.history.plan = Some(Box::new((Arc::clone(plan), at)));
        }
        Next::Further(plan, at) => follow(state, plan, *at),
    }
}

impl Executor<'_> {
    /// A path is not led any more: what is behind its last decision is new.
    pub(crate) fn leave_plan(&mut self, state: &mut State) {
        if let Some(node) = &state.history.node {
            self.events.observer.renewed(node.id);
            state.history.plan = None;
            state.constraints.release_answers();
        }
    }

    /// A path is split into these sides: the decision is told, or is the next one of the plan.
    ///
    /// # Errors
    /// When the plan has another one. The path has diverged then.
    pub(crate) fn decide_fork(
        &mut self,
        state: &mut State,
        kind: ForkKind,
        inst: Option<InstId>,
        sides: Vec<u32>,
    ) -> Step<Placing> {
        let Some(node) = state.history.node.clone() else {
            return Ok(Placing::Unkept);
        };
        if let Some(place) = state.history.plan.clone() {
            let (plan, at) = *place;
            return follow_decision(state, (node, plan, at), kind, inst, &sides);
        }
        if state.constraints.replays() {
            // A decision that the open end of a plan did not have.
            state.constraints.diverge();
            return Err(Box::new(Stop::Defer));
        }
        let answers = state.constraints.cut_answers();
        let first = self.state_ids.next_nodes(sides.len() as u64);
        let decision = Decision {
            node: node.id,
            first,
            sides,
            inst,
            kind,
            answers,
        };
        self.events.observer.decided(&decision);
        let Decision { answers, .. } = decision;
        let point = Rc::new(Point {
            inst,
            kind,
            answers,
        });
        Ok(Placing::New(node, point, first))
    }
}

/// The decision of a plan, if the path comes by just this one.
fn follow_decision(
    state: &mut State,
    (node, plan, at): (Rc<Node>, Arc<Plan>, u32),
    kind: ForkKind,
    inst: Option<InstId>,
    sides: &[u32],
) -> Step<Placing> {
    if let Some(Next::Split(split)) = plan.nodes.get(at as usize).map(|node| &node.next) {
        let known = |side: &Side| sides.contains(&side.side);
        let same = (split.inst, split.kind) == (inst, kind)
            && split.sides.iter().all(known)
            && (!split.whole || split.sides.len() == sides.len());
        if same && state.constraints.arrives() {
            let point = Rc::new(Point {
                inst,
                kind,
                answers: split.answers.clone(),
            });
            let sides = split.sides.clone();
            return Ok(Placing::Planned(node, point, plan, sides));
        }
    }
    state.constraints.diverge();
    Err(Box::new(Stop::Defer))
}
