//! Looking ahead: what is decided of later stages by the bytes that have values already.
//!
//! Readers of numbers skip a sign: the first digit is the second character if the first one is a
//! plus. So the condition "is a digit" is on both characters, but for all first characters other than
//! the plus it is decided by one. A step whose operands are not all known is known all the same when
//! it is a choice whose condition and chosen arm are, or a conjunction with something false.

use super::{Op, Straight};
use crate::fold::{self, mask};
use crate::node::BinaryOp;

/// Most stages for which there is such code.
const STAGES: usize = 16;

/// Steps of later stages that may be known after a stage, and the conditions among them.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    steps: Vec<u32>,
    conditions: Vec<u32>,
}

impl Ahead {
    pub(super) fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }
}

impl Op {
    /// Calls `f` on the operands.
    fn for_each_operand(self, mut f: impl FnMut(u32)) {
        match self {
            Self::Const(_) | Self::Byte(_) | Self::Float(_) => {}
            Self::Binary(_, a, b) | Self::Compare(_, _, a, b) | Self::Concat(_, a, b) => {
                f(a);
                f(b);
            }
            Self::Not(a) | Self::Extract(a, _) | Self::ZExt(a) | Self::SExt(_, a) => f(a),
            Self::Read(_, a) => f(a),
            Self::Ite(c, a, b) => {
                f(c);
                f(a);
                f(b);
            }
        }
    }
}

impl Straight {
    /// Finds what may be known early, once.
    pub(super) fn prepare_ahead(&mut self) {
        self.ahead = (0..self.stages.len()).map(|_| Ahead::default()).collect();
        if !(2..=STAGES).contains(&self.stages.len()) {
            return;
        }
        for stage in 0..self.stages.len() - 1 {
            self.ahead[stage] = self.find_ahead(stage);
        }
        if self.ahead.iter().any(|ahead| !ahead.steps.is_empty()) {
            self.known_in = vec![0; self.steps.len()];
        }
    }

    fn find_ahead(&self, stage: usize) -> Ahead {
        let (conditions, end) = self.stages[stage];
        let mut may_be_known: Vec<bool> = vec![true; end];
        for &(op, _) in &self.steps[end..] {
            let known = |at: u32| may_be_known[at as usize];
            let known = match op {
                Op::Byte(_) | Op::Float(_) => false,
                Op::Ite(c, a, b) => known(c) && (known(a) || known(b)),
                Op::Binary(BinaryOp::And | BinaryOp::Or, a, b) => known(a) || known(b),
                _ => {
                    let mut all = true;
                    op.for_each_operand(|at| all &= known(at));
                    all
                }
            };
            may_be_known.push(known);
        }
        let later = self.conditions[conditions..].iter().map(|&(_, at)| at);
        let conditions: Vec<u32> = later.filter(|&at| may_be_known[at as usize]).collect();
        let mut needed = vec![false; self.steps.len()];
        conditions.iter().for_each(|&at| needed[at as usize] = true);
        for at in (end..self.steps.len()).rev() {
            if needed[at] {
                let operands = self.steps[at].0;
                operands.for_each_operand(|of| needed[of as usize] |= may_be_known[of as usize]);
            }
        }
        let steps = (end..self.steps.len()).filter(|&at| needed[at]);
        Ahead {
            steps: steps.map(|at| at as u32).collect(),
            conditions,
        }
    }

    /// Whether no condition of a later stage is known to fail, given the values of the bytes up to
    /// this stage.
    pub(super) fn may_hold_later(&mut self, stage: usize) -> bool {
        let ahead = std::mem::take(&mut self.ahead[stage]);
        self.look += 1;
        self.computed += ahead.steps.len() as u64;
        let end = self.stages[stage].1;
        for &at in &ahead.steps {
            if let Some(value) = self.known_value(at as usize, end) {
                self.values[at as usize] = value;
                self.known_in[at as usize] = self.look;
            }
        }
        let look = self.look;
        let fails = |&at: &u32| self.known_in[at as usize] == look && self.values[at as usize] == 0;
        let holds = !ahead.conditions.iter().any(fails);
        self.ahead[stage] = ahead;
        holds
    }

    fn known_value(&self, step: usize, end: usize) -> Option<u64> {
        let get = |at: u32| {
            let at = at as usize;
            (at < end || self.known_in[at] == self.look).then(|| self.values[at])
        };
        let (op, width) = self.steps[step];
        match op {
            Op::Ite(c, a, b) => get(if get(c)? == 1 { a } else { b }),
            Op::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let decides = if op == BinaryOp::And { 0 } else { mask(width) };
                match (get(a), get(b)) {
                    (Some(a), Some(b)) => Some(fold::binary(op, width, a, b)),
                    (Some(one), None) | (None, Some(one)) => (one == decides).then_some(one),
                    (None, None) => None,
                }
            }
            _ => {
                let mut all = true;
                op.for_each_operand(|at| all &= get(at).is_some());
                all.then(|| self.compute(step, &[]))
            }
        }
    }
}
