//! A trie as text: as an indented tree, and for Graphviz.

use super::tree::{Inner, Node, Trie};
use plat_engine::NodeId;
use std::fmt::Write as _;

impl Trie {
    pub(super) fn place_text(&self, inner: &Inner) -> String {
        let place = &self.places[inner.place];
        match place.inst {
            Some(inst) => format!("{} {}+{inst}", inner.kind.name(), place.function),
            None => format!("{} {}", inner.kind.name(), place.function),
        }
    }

    pub(super) fn node_text(&self, node: &Node) -> String {
        match node {
            Node::Open => "open".to_string(),
            Node::Left(_) => "open (was alive)".to_string(),
            Node::Leaf(leaf) => leaf.name().to_string(),
            Node::Explored(ends) => {
                let ends = ends
                    .iter()
                    .map(|(leaf, count)| format!("{count} {}", leaf.name()));
                format!("explored: {}", ends.collect::<Vec<_>>().join(", "))
            }
            Node::Inner(inner) => self.place_text(inner),
        }
    }

    /// The tree down to a depth: a line for each node, with the side that leads to it.
    pub fn to_text(&self, most: u32) -> String {
        let mut text = String::new();
        let mut stack: Vec<(NodeId, u32, Option<u32>)> = Vec::new();
        stack.extend(self.roots().into_iter().rev().map(|root| (root, 0, None)));
        while let Some((id, depth, side)) = stack.pop() {
            let node = self.node(id);
            let indent = "  ".repeat(depth as usize);
            let side = side.map_or(String::new(), |side| format!("{side}: "));
            let beyond = match node {
                Node::Inner(_) if depth >= most => " ...",
                _ => "",
            };
            let _ = writeln!(text, "{indent}{side}{}{beyond}", self.node_text(node));
            if let Node::Inner(inner) = node
                && depth < most
            {
                let sides = inner.sides.iter().rev();
                stack.extend(sides.map(|&(side, node)| (node, depth + 1, Some(side))));
            }
        }
        text
    }

    /// The tree for Graphviz.
    pub fn to_dot(&self) -> String {
        let mut text =
            "digraph trie {\n  node [shape=box, style=filled, fillcolor=white];\n".to_string();
        self.walk(&mut |id, _, node| {
            let color = match node {
                Node::Open | Node::Left(_) => "pink",
                Node::Leaf(super::Leaf::Limit(_)) => "pink",
                Node::Leaf(super::Leaf::Finished) => "palegreen",
                Node::Leaf(_) | Node::Explored(_) => "lightgray",
                Node::Inner(_) => "white",
            };
            let label = self.node_text(node).replace('"', "'");
            let _ = writeln!(text, "  n{id} [label=\"{label}\", fillcolor={color}];");
            if let Node::Inner(inner) = node {
                for (side, child) in &inner.sides {
                    let _ = writeln!(text, "  n{id} -> n{child} [label=\"{side}\"];");
                }
            }
        });
        text += "}\n";
        text
    }
}
