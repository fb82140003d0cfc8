//! A trie as one page that folds: for people, in any browser, without a script.

use super::tree::{Node, Trie};
use plat_engine::NodeId;
use std::fmt::Write as _;

const STYLE: &str = "body{font:14px/1.4 monospace;margin:1em}details,.leaf{margin-left:1.2em}\
summary{cursor:pointer}.finished{color:#060}.open{color:#a50}.other{color:#a00}";

/// What is to be written.
enum Step {
    Node(NodeId, u32, Option<u32>),
    End,
}

impl Trie {
    /// The tree down to a depth. The first levels are unfolded.
    pub fn to_html(&self, most: u32) -> String {
        let mut text = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>run.trie</title>\
             <style>{STYLE}</style></head><body>\n"
        );
        let roots = self.roots().into_iter().rev();
        let mut steps: Vec<Step> = roots.map(|root| Step::Node(root, 0, None)).collect();
        while let Some(step) = steps.pop() {
            let Step::Node(id, depth, side) = step else {
                text += "</details>\n";
                continue;
            };
            let node = self.node(id);
            let side = side.map_or(String::new(), |side| format!("{side}: "));
            let name = escaped(&self.node_text(node));
            match node {
                Node::Inner(inner) if depth < most => {
                    let open = if depth < 3 { " open" } else { "" };
                    let _ = writeln!(text, "<details{open}><summary>{side}{name}</summary>");
                    steps.push(Step::End);
                    let sides = inner.sides.iter().rev();
                    steps
                        .extend(sides.map(|&(side, node)| Step::Node(node, depth + 1, Some(side))));
                }
                _ => {
                    let (class, beyond) = match node {
                        Node::Inner(_) => ("other", " ..."),
                        Node::Open | Node::Left(_) => ("open", ""),
                        Node::Leaf(super::Leaf::Finished) | Node::Explored(_) => ("finished", ""),
                        Node::Leaf(_) => ("other", ""),
                    };
                    let _ = writeln!(
                        text,
                        "<div class=\"leaf {class}\">{side}{name}{beyond}</div>"
                    );
                }
            }
        }
        text + "</body></html>\n"
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}
