//! Claims that a program makes about its own pointers, and whether the analysis agrees.
//!
//! `MUSTALIAS(p, q)`, `MAYALIAS(p, q)`, `PARTIALALIAS(p, q)` and `NOALIAS(p, q)` are calls of
//! functions without effect, the convention of the public suites of pointer analyses; with
//! `EXPECTEDFAIL_` in front a claim is true but known to be out of reach. The functions may be
//! declared or defined, in C or C++. Two pointers alias here if their sets of locations, object
//! and offset, meet in some context of the function: a claim of aliasing that does not hold is an
//! unsound answer, a claim of the contrary that does not hold an imprecise one.

use crate::analyze::{Analysis, Defect, run};
use crate::config::PointsToConfig;
use crate::constraints::{Location, Node};
use crate::report::text;
use plat_program::{Callee, FuncId, Inst, Operand, Program};
use std::collections::BTreeSet;

/// What is claimed of two pointers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Equal whenever the call runs.
    Must,
    /// Equal in some run.
    May,
    /// In one object in some run.
    Partial,
    /// Never equal.
    No,
}

/// The names of claims.
const NAMES: [(&str, Kind); 4] = [
    ("MUSTALIAS", Kind::Must),
    ("MAYALIAS", Kind::May),
    ("PARTIALALIAS", Kind::Partial),
    ("NOALIAS", Kind::No),
];

/// What a true claim that is out of reach begins with.
const EXPECTED_FAILURE: &str = "EXPECTEDFAIL_";

/// One claim and the answer to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The name of the called function, without decoration.
    pub name: String,
    /// What is claimed.
    pub kind: Kind,
    /// Whether it is known to be out of reach.
    pub expected_failure: bool,
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// The function that claims.
    pub function: String,
    /// Whether the analysis agrees.
    pub holds: bool,
    /// Whether the two may point into the same object, at whatever offsets.
    pub same_object: bool,
    /// Whether the analysis finds a way to the call at all.
    pub reached: bool,
    /// What the two pointers point to, in words.
    pub sets: [Vec<String>; 2],
}

impl Claim {
    /// Whether the analysis says that pointers do not alias that do.
    pub fn unsound(&self) -> bool {
        !self.holds && !self.expected_failure && self.kind != Kind::No
    }

    /// Whether the analysis says that pointers may alias that do not.
    pub fn imprecise(&self) -> bool {
        !self.holds && !self.expected_failure && self.kind == Kind::No
    }
}

/// The claim that a call of the function `symbol` makes: its name, kind, and whether it is
/// expected to fail.
fn named(symbol: &str) -> Option<(String, Kind, bool)> {
    let plain = plain_name(symbol);
    let (claim, expected) = match plain.strip_prefix(EXPECTED_FAILURE) {
        Some(claim) => (claim, true),
        None => (plain, false),
    };
    let found = NAMES.into_iter().find(|(name, _)| *name == claim);
    found.map(|(_, kind)| (plain.to_string(), kind, expected))
}

/// The name of a function without C++'s decoration, `_Z`, the length, and the parameters.
fn plain_name(symbol: &str) -> &str {
    let decorated = symbol.strip_prefix("_Z").and_then(|rest| {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let length: usize = rest[..digits].parse().ok()?;
        rest.get(digits..digits.checked_add(length)?)
    });
    decorated.unwrap_or(symbol)
}

/// Analyses a program and checks its claims, in the order of the program.
///
/// # Errors
/// If a solver is found to be defective ([`crate::analyze_checked`]).
pub fn check(program: &Program, config: &PointsToConfig) -> Result<Vec<Claim>, Defect> {
    let symbols = program.functions.iter().map(|function| &function.name);
    let mut config = config.clone();
    let claiming = symbols.filter(|symbol| named(symbol).is_some()).cloned();
    config.harmless.extend(claiming);
    let analysis = run(program, &config)?;
    let mut claims = Vec::new();
    for function in &program.functions {
        for (at, inst) in function.insts.iter().enumerate() {
            let (Inst::Call { call, .. } | Inst::Invoke { call, .. }) = inst else {
                continue;
            };
            let Callee::Direct(callee) = call.callee else {
                continue;
            };
            let arguments = &function.call_args[call.args.range()];
            let (Some((name, kind, expected_failure)), &[p, q, ..]) =
                (named(&program.function(callee).name), arguments)
            else {
                continue;
            };
            let answer = answer(&analysis, function.id, [p, q]);
            let location = program.location(function.locs[at]);
            claims.push(Claim {
                name,
                kind,
                expected_failure,
                file: location.file.clone(),
                line: location.line,
                function: function.name.clone(),
                holds: match kind {
                    Kind::Must | Kind::May => answer.same_location,
                    Kind::Partial => answer.same_object,
                    Kind::No => !answer.same_location,
                },
                same_object: answer.same_object,
                reached: answer.reached,
                sets: answer.sets.map(|set| set.into_iter().collect()),
            });
        }
    }
    Ok(claims)
}

#[derive(Default)]
struct Answer {
    reached: bool,
    same_object: bool,
    same_location: bool,
    sets: [BTreeSet<String>; 2],
}

/// Whether two operands of a function meet in any of its contexts.
fn answer(analysis: &Analysis, function: FuncId, operands: [Operand; 2]) -> Answer {
    let (extraction, solved) = (&analysis.extraction, &analysis.solved);
    let mut answer = Answer::default();
    let instances = extraction.instances.iter();
    for instance in instances.filter(|instance| instance.function == function) {
        answer.reached = true;
        let node = |operand: Operand| match operand.as_reg() {
            Some(reg) => Some(instance.node(reg)),
            None => extraction.constants.get(&operand.as_constant()?).copied()?,
        };
        let locations = |node: Option<Node>| -> Vec<Location> {
            let places = node.into_iter().flat_map(|node| solved.set(node).iter());
            places
                .map(|place| solved.locations[place as usize])
                .collect()
        };
        let [left, right] = operands.map(|operand| locations(node(operand)));
        for a in &left {
            for b in right.iter().filter(|b| a.object == b.object) {
                answer.same_object = true;
                answer.same_location |= a.offset.overlaps(b.offset);
            }
        }
        for (set, found) in answer.sets.iter_mut().zip([left, right]) {
            let describe = |at: Location| {
                let object = &extraction.objects[at.object.index()];
                format!("{}+{}", text::object(&analysis.result, object), at.offset)
            };
            set.extend(found.into_iter().map(describe));
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_suites() {
        let known = |symbol: &str| named(symbol).map(|(_, kind, expected)| (kind, expected));
        assert_eq!(known("MUSTALIAS"), Some((Kind::Must, false)));
        assert_eq!(known("_Z8MAYALIASPvS_"), Some((Kind::May, false)));
        assert_eq!(known("EXPECTEDFAIL_NOALIAS"), Some((Kind::No, true)));
        assert_eq!(
            known("_Z20EXPECTEDFAIL_NOALIASPvS_"),
            Some((Kind::No, true))
        );
        assert_eq!(known("_Z99NOALIASPvS_"), None);
        assert_eq!(known("malloc"), None);
    }
}
