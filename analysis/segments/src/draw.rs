//! Drawings of a segment map: DOT for Graphviz, and a self-contained HTML page.

use crate::map::{Context, SegmentMap};
use std::fmt::Write;

impl SegmentMap {
    /// The groups with their contexts, the largest first; contexts without a group last.
    fn boxes(&self) -> Vec<(String, Vec<&Context>)> {
        let sizes = self.sizes();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&group| (std::cmp::Reverse(sizes[group]), group));
        let of = |wanted: Option<usize>| -> Vec<&Context> {
            let contexts = self.contexts.iter();
            contexts
                .filter(|one| one.group.map(plat_program::GroupId::index) == wanted)
                .collect()
        };
        let mut boxes: Vec<(String, Vec<&Context>)> = order
            .into_iter()
            .map(|group| (format!("group {group}"), of(Some(group))))
            .collect();
        let alone = of(None);
        if !alone.is_empty() {
            boxes.push(("each alone".to_string(), alone));
        }
        boxes
    }

    /// A graph with a box for each group.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph segments {\n  rankdir=LR;\n  node [shape=box];\n");
        for (at, (title, contexts)) in self.boxes().into_iter().enumerate() {
            let _ = writeln!(out, "  subgraph cluster_{at} {{");
            let _ = writeln!(out, "    label=\"{title}: {}\";", contexts.len());
            for (number, context) in contexts.into_iter().enumerate() {
                let label = self.chain_text(context).replace(['\\', '"'], "'");
                let _ = writeln!(out, "    c{at}_{number} [label=\"{label}\"];");
            }
            out.push_str("  }\n");
        }
        out.push_str("}\n");
        out
    }

    /// A page with a box for each group, its area by the number of its contexts.
    pub fn to_html(&self) -> String {
        let sizes = self.sizes();
        let largest = sizes.iter().max().copied().unwrap_or(0);
        let grouped: usize = sizes.iter().sum();
        let program = escape(&self.program);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <title>Segments of {program}</title>\n<style>\n\
             body {{ font: 14px sans-serif; margin: 2em; color: #222 }}\n\
             svg rect {{ fill: #9ecae1; stroke: #fff }}\nsvg rect.alone {{ fill: #ddd }}\n\
             details {{ margin: .4em 0; padding: .3em .6em; border: 1px solid #ccc }}\n\
             li {{ font-family: monospace; font-size: 12px }}\n</style></head><body>\n\
             <h1>Segments of {program}</h1>\n<p>{} allocation contexts in {} groups, the largest \
             of {largest}; {} alone. United: what pointers can reach ({}).</p>\n",
            self.contexts.len(),
            self.groups,
            self.contexts.len() - grouped,
            self.unify.name(),
        );
        out.push_str(&self.bar());
        for (title, contexts) in self.boxes() {
            let _ = writeln!(
                out,
                "<details><summary>{title}: {}</summary><ul>",
                contexts.len()
            );
            for context in contexts {
                let _ = writeln!(out, "<li>{}</li>", escape(&self.chain_text(context)));
            }
            out.push_str("</ul></details>\n");
        }
        out.push_str("</body></html>\n");
        out
    }

    /// The heap as one bar, with a part for each group and for each context without one.
    fn bar(&self) -> String {
        const WIDTH: f64 = 1000.0;
        let unit = WIDTH / self.contexts.len().max(1) as f64;
        let mut out = format!("<svg width=\"{WIDTH}\" height=\"60\" role=\"img\">\n");
        let mut x = 0.0;
        for (title, contexts) in self.boxes() {
            let alone = contexts.iter().all(|one| one.group.is_none());
            let parts = if alone { contexts.len() } else { 1 };
            let width = unit * contexts.len() as f64 / parts as f64;
            let class = if alone { " class=\"alone\"" } else { "" };
            for _ in 0..parts {
                let _ = writeln!(
                    out,
                    "<rect x=\"{x:.2}\" y=\"0\" width=\"{width:.2}\" height=\"60\"{class}>\
                     <title>{title}: {}</title></rect>",
                    contexts.len(),
                );
                x += width;
            }
        }
        out.push_str("</svg>\n");
        out
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use crate::map::{Context, FORMAT, SegmentMap, Site, Unify, VERSION};
    use plat_program::{GroupId, SiteId};

    #[test]
    fn every_context_is_drawn_once() {
        let site = |at: u32| Site {
            id: SiteId(at),
            function: format!("f<{at}>"),
            call: 0,
            callee: "malloc".into(),
            file: "a.c".into(),
            line: at + 1,
        };
        let map = SegmentMap {
            format: FORMAT.into(),
            version: VERSION,
            program: "p&q".into(),
            fingerprint: String::new(),
            unify: Unify::Symbolic,
            sites: (0..4).map(site).collect(),
            contexts: (0..4)
                .map(|at| Context {
                    chain: vec![SiteId(at)],
                    group: (at < 3).then_some(GroupId(at / 2)),
                })
                .collect(),
            groups: 2,
            unions: Vec::new(),
        };
        let (dot, html) = (map.to_dot(), map.to_html());
        for at in 0..4 {
            assert_eq!(dot.matches(&format!("f<{at}>")).count(), 1, "{dot}");
            assert_eq!(html.matches(&format!("f&lt;{at}&gt;")).count(), 1, "{html}");
        }
        assert_eq!(dot.matches("subgraph").count(), 3);
        assert_eq!(html.matches("<rect").count(), 3);
        assert!(html.contains("p&amp;q") && dot.contains("group 0: 2"));
    }
}
