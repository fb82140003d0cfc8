//! The tree of decisions in few bytes: nodes in the order of a walk, parents before children.
//!
//! A node begins with a byte:
//!
//! - 0: a split into the sides 0 and 1, then its place;
//! - 1: a split, then its place, the number of sides, and each side's number;
//! - 2: a subtree that is only counted: the number of kinds of ends, and for each the end and how many;
//! - 3 + N: the end N, then the number of its test (0 if it has none).
//!
//! All numbers are in LEB128. The children of a split follow it, each with what is behind it. A tree with more than
//! [`MOST`] nodes is cut: subtrees of few paths are counted only.

use crate::model::{Decisions, SplitPlace};
use plat::trie::{Inner, Node, Trie};
use std::collections::{BTreeMap, HashMap};

/// Nodes that a page has at most.
const MOST: u64 = 600_000;

const SPLIT: u8 = 0;
const SPLIT_WIDE: u8 = 1;
const COUNTED: u8 = 2;
const END: u8 = 3;

/// Ends of paths, by what they are called.
type Ends = BTreeMap<&'static str, u64>;

/// A node of a walk.
struct Step<'a> {
    node: &'a Node,
    test: u32,
    /// The node behind the last one of its subtree.
    end: usize,
    /// Paths in its subtree.
    paths: u64,
}

/// Packs a tree; `places` are the places of its splits, by position and kind.
pub fn pack(trie: &Trie, places: Vec<((usize, &'static str), SplitPlace)>) -> Decisions {
    pack_most(trie, places, MOST)
}

fn pack_most(
    trie: &Trie,
    places: Vec<((usize, &'static str), SplitPlace)>,
    most: u64,
) -> Decisions {
    let (steps, depth) = steps(trie);
    let folded = threshold(&steps, most);
    let mut numbers = HashMap::new();
    let mut packed = Decisions {
        depth,
        folded,
        ..Decisions::default()
    };
    for (key, place) in places {
        numbers.insert(key, packed.places.len() as u64);
        packed.places.push(place);
    }
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        packed.count += 1;
        match step.node {
            Node::Inner(_) if step.paths <= folded => {
                counted(&mut packed, &ends(&steps[at..step.end]));
                at = step.end;
                continue;
            }
            Node::Inner(inner) => {
                let place = numbers.get(&(inner.place, inner.kind.name()));
                split(&mut packed.nodes, inner, place.copied().unwrap_or(0));
            }
            Node::Explored(_) => counted(&mut packed, &ends(&steps[at..=at])),
            Node::Open | Node::Left(_) | Node::Leaf(_) => {
                let (&name, _) = ends(&steps[at..=at]).first_key_value().expect("one end");
                let end = end_number(&mut packed, name);
                packed.nodes.push(END + end);
                number(&mut packed.nodes, u64::from(step.test));
            }
        }
        at += 1;
    }
    packed.paths = trie_paths(&steps);
    packed
}

fn trie_paths(steps: &[Step<'_>]) -> u64 {
    let mut at = 0;
    let mut sum = 0;
    while let Some(root) = steps.get(at) {
        sum += root.paths;
        at = root.end;
    }
    sum
}

/// All nodes in the order of a walk, and the greatest depth.
fn steps(trie: &Trie) -> (Vec<Step<'_>>, u32) {
    let mut steps = Vec::new();
    let mut depths = Vec::new();
    let mut deepest = 0;
    let mut stack: Vec<(u64, u32)> = Vec::new();
    stack.extend(trie.roots().into_iter().rev().map(|root| (root, 0)));
    while let Some((id, depth)) = stack.pop() {
        let node = trie.node(id);
        let paths = match node {
            Node::Inner(_) => 0,
            Node::Explored(ends) => ends.values().sum(),
            Node::Open | Node::Left(_) | Node::Leaf(_) => 1,
        };
        steps.push(Step {
            node,
            test: trie.tests.get(&id).copied().unwrap_or(0),
            end: steps.len() + 1,
            paths,
        });
        depths.push(depth);
        deepest = deepest.max(depth);
        if let Node::Inner(inner) = node {
            stack.extend(inner.sides.iter().rev().map(|side| (side.1, depth + 1)));
        }
    }
    // Children are behind their parents: from the end on, each is whole when its parent is met.
    let mut parents: Vec<usize> = Vec::new();
    let mut parent_of = vec![usize::MAX; steps.len()];
    for (at, &depth) in depths.iter().enumerate() {
        parents.truncate(depth as usize);
        if let Some(&parent) = parents.last() {
            parent_of[at] = parent;
        }
        parents.push(at);
    }
    for at in (0..steps.len()).rev() {
        let (paths, end) = (steps[at].paths, steps[at].end);
        if let Some(parent) = steps.get_mut(parent_of[at]) {
            parent.paths += paths;
            parent.end = parent.end.max(end);
        }
    }
    (steps, deepest)
}

/// The number of paths up to which subtrees are counted only, so that at most so many nodes are left.
fn threshold(steps: &[Step<'_>], most: u64) -> u64 {
    let mut folded = 0;
    loop {
        let mut count = 0;
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            count += 1;
            let is_folded = matches!(step.node, Node::Inner(_)) && step.paths <= folded;
            at = if is_folded { step.end } else { at + 1 };
        }
        if count <= most {
            return folded;
        }
        folded = (2 * folded).max(2);
    }
}

/// How the paths of these nodes have ended.
fn ends(steps: &[Step<'_>]) -> Ends {
    let mut all = Ends::new();
    let mut add = |name, count| *all.entry(name).or_insert(0) += count;
    for step in steps {
        match step.node {
            Node::Open => add("open", 1),
            Node::Left(_) => add("open (was alive)", 1),
            Node::Leaf(leaf) => add(leaf.name(), 1),
            Node::Explored(ends) => ends
                .iter()
                .for_each(|(leaf, count)| add(leaf.name(), *count)),
            Node::Inner(_) => {}
        }
    }
    all
}

fn split(nodes: &mut Vec<u8>, inner: &Inner, place: u64) {
    let sides = inner.sides.iter().map(|side| side.0);
    if sides.clone().eq(0..2) {
        nodes.push(SPLIT);
        number(nodes, place);
        return;
    }
    nodes.push(SPLIT_WIDE);
    number(nodes, place);
    number(nodes, inner.sides.len() as u64);
    sides.for_each(|side| number(nodes, u64::from(side)));
}

fn counted(packed: &mut Decisions, ends: &Ends) {
    packed.nodes.push(COUNTED);
    number(&mut packed.nodes, ends.len() as u64);
    for (name, count) in ends {
        let end = end_number(packed, name);
        packed.nodes.push(end);
        number(&mut packed.nodes, *count);
    }
}

/// The number of an end. There are far fewer than a byte can name.
fn end_number(packed: &mut Decisions, name: &str) -> u8 {
    let known = packed.ends.iter().position(|known| known == name);
    let at = known.unwrap_or_else(|| {
        packed.ends.push(name.to_string());
        packed.ends.len() - 1
    });
    u8::try_from(at).unwrap_or(u8::MAX - END)
}

fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat::trie::Leaf;

    /// A trie: 0 is split at one place into 1 and 2, 1 has ended with test 300, 2 into 3 (open) and 4 (a fault).
    fn example() -> Trie {
        let inner = |place, sides: &[(u32, u64)]| {
            Node::Inner(Inner {
                place,
                kind: plat::trie::ForkKind::Branch,
                answers: plat::trie::Answers::default(),
                sides: sides.to_vec(),
            })
        };
        let mut trie = Trie::default();
        trie.nodes.insert(0, inner(0, &[(0, 1), (1, 2)]));
        trie.nodes.insert(1, Node::Leaf(Leaf::Finished));
        trie.nodes.insert(2, inner(0, &[(0, 3), (2, 4)]));
        trie.nodes.insert(4, Node::Leaf(Leaf::Fault));
        trie.tests.insert(1, 300);
        trie
    }

    fn places() -> Vec<((usize, &'static str), SplitPlace)> {
        vec![((0, "branch"), SplitPlace::default())]
    }

    #[test]
    fn nodes_are_in_the_order_of_a_walk() {
        let packed = pack(&example(), places());
        assert_eq!(packed.ends, ["finished", "open", "fault"]);
        assert_eq!((packed.count, packed.paths, packed.depth), (5, 3, 2));
        let bytes = [0, 0, 3, 0xac, 2, 1, 0, 2, 0, 2, 4, 0, 5, 0];
        assert_eq!(packed.nodes, bytes);
    }

    #[test]
    fn small_subtrees_of_a_large_tree_are_counted() {
        let packed = pack_most(&example(), places(), 3);
        assert_eq!((packed.count, packed.paths, packed.folded), (3, 3, 2));
        assert_eq!(packed.ends, ["finished", "fault", "open"]);
        assert_eq!(packed.nodes, [0, 0, 3, 0xac, 2, 2, 2, 1, 1, 2, 1]);
        let packed = pack_most(&example(), places(), 1);
        assert_eq!((packed.count, packed.paths), (1, 3));
    }
}
