//! Where two tries differ: decisions that one has and the other has not, and paths that end otherwise.
//!
//! Both are walked side by side from their roots. Places have names, so that runs of two builds can be
//! compared; behind a split that is another one nothing is compared.

use super::tree::{Inner, Node, Trie};
use plat_engine::NodeId;
use std::collections::BTreeMap;

/// What two tries have in common, and where they differ.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Difference {
    /// Nodes that both have.
    pub same: u64,
    /// How often they differ, by how.
    pub counts: BTreeMap<&'static str, u64>,
    /// The first differences, a line each.
    pub first: Vec<String>,
}

/// Nodes of two tries that are at the end of the same way.
struct Pair {
    one: NodeId,
    other: NodeId,
    depth: u32,
    /// The last split on the way, in words.
    behind: String,
}

impl Pair {
    fn place(&self) -> String {
        match self.behind.is_empty() {
            true => "at the beginning".to_string(),
            false => format!("at depth {}, behind {}", self.depth, self.behind),
        }
    }
}

impl Difference {
    /// Of two tries; at most so many lines are kept.
    pub fn of(one: &Trie, other: &Trie, most: usize) -> Self {
        let mut difference = Difference::default();
        let (roots, others) = (one.roots(), other.roots());
        if roots.len() != others.len() {
            let line = format!("{} initial states, {}", roots.len(), others.len());
            difference.note("initial states", most, || line);
        }
        let pairs = roots
            .into_iter()
            .zip(others)
            .rev()
            .map(|(one, other)| Pair {
                one,
                other,
                depth: 0,
                behind: String::new(),
            });
        let mut pairs: Vec<Pair> = pairs.collect();
        while let Some(pair) = pairs.pop() {
            let (node, found) = (one.node(pair.one), other.node(pair.other));
            match (node, found) {
                (Node::Inner(inner), Node::Inner(split))
                    if same_split(one, inner, other, split) =>
                {
                    difference.same += 1;
                    let name = one.place_text(inner);
                    difference.sides(&pair, &name, [&inner.sides, &split.sides], most, &mut pairs);
                }
                _ => match unlike(node, found) {
                    None => difference.same += 1,
                    Some(how) => {
                        let texts = [one.node_text(node), other.node_text(found)];
                        let line = || format!("{}: {}", pair.place(), texts.join(" | "));
                        difference.note(how, most, line);
                    }
                },
            }
        }
        difference
    }

    /// Goes on behind the sides that both have.
    fn sides(
        &mut self,
        pair: &Pair,
        name: &str,
        [sides, others]: [&[(u32, NodeId)]; 2],
        most: usize,
        pairs: &mut Vec<Pair>,
    ) {
        let find = |among: &[(u32, NodeId)], side: u32| {
            let found = among.iter().find(|(known, _)| *known == side);
            found.map(|&(_, node)| node)
        };
        let only = |side: u32, which: &'static str| {
            let place = pair.place();
            move || format!("{place}: side {side} of {name} only in the {which}")
        };
        for &(side, child) in sides.iter().rev() {
            match find(others, side) {
                None => self.note("sides of one only", most, only(side, "first")),
                Some(other) => pairs.push(Pair {
                    one: child,
                    other,
                    depth: pair.depth + 1,
                    behind: format!("side {side} of {name}"),
                }),
            }
        }
        for &(side, _) in others {
            if find(sides, side).is_none() {
                self.note("sides of one only", most, only(side, "second"));
            }
        }
    }

    fn note(&mut self, what: &'static str, most: usize, line: impl FnOnce() -> String) {
        *self.counts.entry(what).or_default() += 1;
        if self.first.len() < most {
            self.first.push(line());
        }
    }

    /// Whether there is any.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// As lines.
    pub fn to_text(&self) -> String {
        let mut text = format!("{:>12}  nodes that are the same\n", self.same);
        for (what, count) in &self.counts {
            text += &format!("{count:>12}  {what}\n");
        }
        for line in &self.first {
            text += line;
            text.push('\n');
        }
        let left = self.counts.values().sum::<u64>() - self.first.len() as u64;
        if left > 0 {
            text += &format!("... and {left} more\n");
        }
        text
    }
}

/// How two nodes that are not the same split differ, if they do.
fn unlike(node: &Node, found: &Node) -> Option<&'static str> {
    let open = |node: &Node| matches!(node, Node::Open | Node::Left(_));
    match (node, found) {
        (Node::Inner(_), Node::Inner(_)) => Some("splits that are others"),
        (one, other) if open(one) && open(other) => None,
        (one, other) if open(one) || open(other) => Some("nodes that are open in one only"),
        (one, other) if one == other => None,
        (Node::Leaf(_), Node::Leaf(_)) => Some("paths that end otherwise"),
        (Node::Explored(_), _) | (_, Node::Explored(_)) => Some("parts that one has compressed"),
        _ => Some("paths that end in one only"),
    }
}

fn same_split(one: &Trie, inner: &Inner, other: &Trie, split: &Inner) -> bool {
    inner.kind == split.kind && one.places[inner.place] == other.places[split.place]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trie::{Leaf, Place};
    use plat_engine::{Answers, ForkKind};

    /// A split at an instruction of `main` with leaves behind it.
    fn trie(inst: u32, leaves: &[(u32, Option<Leaf>)]) -> Trie {
        let mut trie = Trie::default();
        let place = trie.place(Place {
            function: "main".into(),
            inst: Some(inst),
        });
        let sides = leaves
            .iter()
            .zip(1..)
            .map(|(&(side, _), node)| (side, node));
        let inner = Inner {
            place,
            kind: ForkKind::Branch,
            answers: Answers::default(),
            sides: sides.collect(),
        };
        trie.nodes.insert(0, Node::Inner(inner));
        for (&(_, leaf), node) in leaves.iter().zip(1..) {
            if let Some(leaf) = leaf {
                trie.nodes.insert(node, Node::Leaf(leaf));
            }
        }
        trie
    }

    #[test]
    fn ends_sides_and_places_are_compared() {
        let (done, fault) = (Some(Leaf::Finished), Some(Leaf::Fault));
        let one = trie(3, &[(0, done), (1, fault)]);
        assert!(Difference::of(&one, &one.clone(), 9).is_empty());
        let counts = |other: &Trie| {
            let found = Difference::of(&one, other, 1);
            assert_eq!(found.first.len(), 1);
            found.counts.into_iter().collect::<Vec<_>>()
        };
        let other = trie(3, &[(0, done), (1, done)]);
        assert_eq!(counts(&other), [("paths that end otherwise", 1)]);
        let other = trie(3, &[(0, None), (1, fault)]);
        assert_eq!(counts(&other), [("nodes that are open in one only", 1)]);
        let other = trie(3, &[(0, done), (2, fault)]);
        assert_eq!(counts(&other), [("sides of one only", 2)]);
        let other = trie(4, &[(0, done), (1, fault)]);
        assert_eq!(counts(&other), [("splits that are others", 1)]);
    }
}
