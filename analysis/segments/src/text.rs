//! The segment map as a table: groups by size, with their contexts.

use crate::map::{Context, SegmentMap};
use std::fmt;

impl SegmentMap {
    /// The calls on the way to an allocation, in one line.
    pub fn chain_text(&self, context: &Context) -> String {
        let step = |id: &plat_program::SiteId| {
            let site = &self.sites[id.index()];
            match (site.line, site.file.rsplit('/').next()) {
                (0, _) | (_, None) => format!("{}#{}", site.function, site.call),
                (line, Some(file)) => format!("{} ({file}:{line})", site.function),
            }
        };
        let mut text: Vec<String> = context.chain.iter().map(step).collect();
        if let Some(last) = context.chain.last() {
            text.push(self.sites[last.index()].callee.clone());
        }
        text.join(" > ")
    }
}

impl fmt::Display for SegmentMap {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self.sizes();
        let grouped: usize = sizes.iter().sum();
        let largest = sizes.iter().max().copied().unwrap_or(0);
        writeln!(
            out,
            "{} allocation contexts, {} groups, largest {largest}, {} without group",
            self.contexts.len(),
            self.groups,
            self.contexts.len() - grouped,
        )?;
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&group| (std::cmp::Reverse(sizes[group]), group));
        for group in order {
            writeln!(out, "group {group}: {}", sizes[group])?;
            let members = self
                .contexts
                .iter()
                .filter(|context| context.group.is_some_and(|number| number.index() == group));
            for context in members {
                writeln!(out, "    {}", self.chain_text(context))?;
            }
        }
        Ok(())
    }
}
