//! Tries of one program put together: of pieces of work ([`super::divide`]) and the run that was divided,
//! or of runs that were stopped at different points.
//!
//! All are walked side by side from the roots. Of what they know of a node, the most is kept: how a path
//! has ended before how it was split, both before that it was cut off by a limit or left open. Nodes get new
//! numbers, as each run has numbered its own.

use super::tree::{Inner, Node, Place, Trie};
use crate::Error;
use plat_engine::outcome::KnownFault;
use plat_engine::{Leaf, NodeId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Puts the tries of these runs together, as that of a directory. The command line is that of the first.
///
/// # Errors
/// When runs have none, are not of one program under the same options, contradict each other, or the
/// directory has one already.
pub fn merge(runs: &[PathBuf], to: &Path) -> Result<Trie, Error> {
    let tries = runs.iter().map(|run| Trie::read(run));
    let tries: Vec<Trie> = tries.collect::<Result<_, _>>()?;
    if let Some((first, others)) = tries.split_first() {
        for (other, run) in others.iter().zip(&runs[1..]) {
            let same = first.header.check_same_run(&other.header);
            same.map_err(|why| Error::input(format!("{}: {why}", run.display())))?;
        }
    }
    let merged = Trie::merged(&tries).map_err(|conflict| {
        let (one, other) = (&runs[conflict.runs.0], &runs[conflict.runs.1]);
        Error::input(format!(
            "{} and {} are no runs of one exploration: they differ at {}",
            one.display(),
            other.display(),
            conflict.place
        ))
    })?;
    merged.write_run(&to.join(super::FILE), &|_| None)?;
    Ok(merged)
}

/// Two tries that contradict each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// Which.
    pub runs: (usize, usize),
    /// Where.
    pub place: String,
}

/// How much is known of a node: the first is kept before the others.
fn knowledge(node: &Node) -> u8 {
    match node {
        Node::Explored(_) => 6,
        Node::Leaf(Leaf::Elsewhere) => 0,
        Node::Leaf(Leaf::Limit(_)) => 3,
        Node::Leaf(_) => 5,
        Node::Inner(_) => 4,
        Node::Left(_) => 2,
        Node::Open => 1,
    }
}

/// A node of the merged trie: its number, and what the tries have for it.
type Pending = (NodeId, Vec<(usize, NodeId)>);

/// Tries that are put together.
struct Sources<'a> {
    tries: &'a [Trie],
    /// The position in the merged trie of each place of each.
    places: Vec<Vec<usize>>,
}

impl Trie {
    /// Puts tries together.
    ///
    /// # Errors
    /// When two of them have different splits or ends at one point.
    pub fn merged(tries: &[Trie]) -> Result<Trie, Conflict> {
        let mut merged = Trie::default();
        let Some(first) = tries.first() else {
            return Ok(merged);
        };
        merged.header = first.header.clone();
        merged.sessions = first.sessions.clone();
        merged.gather(tries);
        let sources = Sources {
            tries,
            places: merged.unite_places(tries),
        };
        let roots = first.roots();
        merged.next = roots.len() as u64;
        let mut waiting: Vec<Pending> = roots
            .into_iter()
            .rev()
            .map(|root| (root, (0..tries.len()).map(|at| (at, root)).collect()))
            .collect();
        while let Some((node, from)) = waiting.pop() {
            merged.unite(&sources, node, &from, &mut waiting)?;
        }
        Ok(merged)
    }

    /// Takes the places of all. Returns their positions.
    fn unite_places(&mut self, tries: &[Trie]) -> Vec<Vec<usize>> {
        let mut known: HashMap<Place, usize> = HashMap::new();
        let mut position = |place: &Place| {
            let next = self.places.len();
            let at = *known.entry(place.clone()).or_insert(next);
            if at == next {
                self.places.push(place.clone());
            }
            at
        };
        let of_trie = |trie: &Trie| trie.places.iter().map(&mut position).collect();
        tries.iter().map(of_trie).collect()
    }

    /// Adds up what was covered, found and counted.
    fn gather(&mut self, tries: &[Trie]) {
        let mut branches: BTreeMap<u32, u8> = BTreeMap::new();
        for trie in tries {
            self.covered.extend(&trie.covered);
            for &(branch, sides) in &trie.branches {
                *branches.entry(branch).or_default() |= sides;
            }
            self.counts.add(&trie.counts);
            self.faults.extend(trie.faults.iter().cloned());
        }
        self.branches = branches.into_iter().collect();
        self.covered.sort_unstable();
        self.covered.dedup();
        // The path stands for an error that would in one run (`plat_engine::deduplication`).
        self.faults.sort_by(|a, b| {
            let rank = |fault: &KnownFault| (fault.key.0, fault.instructions);
            let texts = (&a.key.1, &a.key.2).cmp(&(&b.key.1, &b.key.2));
            texts
                .then_with(|| rank(a).cmp(&rank(b)))
                .then_with(|| a.inputs.cmp(&b.inputs))
        });
        self.faults.dedup_by(|next, kept| next.key == kept.key);
    }

    /// Decides what is known of one node.
    fn unite(
        &mut self,
        sources: &Sources<'_>,
        node: NodeId,
        from: &[(usize, NodeId)],
        waiting: &mut Vec<Pending>,
    ) -> Result<(), Conflict> {
        let tries = sources.tries;
        let known: Vec<(usize, &Node)> = from
            .iter()
            .map(|&(at, id)| (at, tries[at].node(id)))
            .collect();
        let most = known
            .iter()
            .min_by_key(|(at, node)| (Reverse(knowledge(node)), *at));
        let Some(&(best, found)) = most else {
            return Ok(());
        };
        for &(at, other) in &known {
            if contradict(&tries[best], found, &tries[at], other) {
                return Err(Conflict {
                    runs: (best, at),
                    place: tries[best].node_text(found),
                });
            }
        }
        let Node::Inner(inner) = found else {
            if *found != Node::Open {
                self.nodes.insert(node, found.clone());
            }
            return Ok(());
        };
        let mut sides = Vec::with_capacity(inner.sides.len());
        for (at, &(side, _)) in inner.sides.iter().enumerate() {
            let child = self.next;
            self.next += 1;
            sides.push((side, child));
            let behind = known.iter().filter_map(|&(trie, node)| match node {
                Node::Inner(inner) => Some((trie, inner.sides[at].1)),
                _ => None,
            });
            waiting.push((child, behind.collect()));
        }
        let inner = Inner {
            place: sources.places[best][inner.place],
            kind: inner.kind,
            answers: inner.answers.clone(),
            sides,
        };
        self.nodes.insert(node, Node::Inner(inner));
        Ok(())
    }
}

/// Whether what two tries know of a node cannot both be so.
fn contradict(one: &Trie, found: &Node, other: &Trie, node: &Node) -> bool {
    if std::ptr::eq(found, node) {
        return false;
    }
    let sides = |inner: &Inner| {
        inner
            .sides
            .iter()
            .map(|&(side, _)| side)
            .collect::<Vec<_>>()
    };
    match (found, node) {
        (Node::Inner(inner), Node::Inner(split)) => {
            one.places[inner.place] != other.places[split.place]
                || (inner.kind, &inner.answers) != (split.kind, &split.answers)
                || sides(inner) != sides(split)
        }
        (Node::Leaf(_), _) if knowledge(found) != knowledge(node) => {
            matches!(node, Node::Inner(_))
        }
        (Node::Leaf(leaf), Node::Leaf(end)) => leaf != end && !matches!(leaf, Leaf::Limit(_)),
        _ => false,
    }
}
