//! What other pages of plat share with the page of a run: its style, the scripts that drive any page, the
//! marks that stand for colours in drawings, and how numbers are written.

pub use super::charts::{GRID, LINES, TEXT};
pub use super::numbers;
use maud::{Markup, PreEscaped, html};

/// The head of a page.
pub fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// The style. It gives the marks in drawings their colours, in the light, in the dark and on paper.
pub const STYLE: &str = super::STYLE;

/// Scripts of any page: light or dark, copying of commands; tables that are sorted and filtered.
pub const SCRIPTS: [&str; 2] = [super::SCRIPTS[0], super::SCRIPTS[1]];

/// The colours of the marks, for drawings that stand alone.
pub fn colors() -> String {
    let rule = |prefix: &str, mark: &str, color: &str| {
        format!(
            "{prefix} [fill=\"{mark}\"]{{fill:{color}}} {prefix} [stroke=\"{mark}\"]{{stroke:{color}}}\n"
        )
    };
    let theme = |at: usize| {
        let own = [
            ("#010001", ["#e1e5ea", "#2a3038"]),
            ("#010002", ["#636c7a", "#97a1b0"]),
        ];
        let lines = COLORS
            .iter()
            .enumerate()
            .map(|(number, color)| rule("svg", &format!("#01010{}", number + 1), color[at]));
        let own = own.iter().map(|(mark, color)| rule("svg", mark, color[at]));
        own.chain(lines).collect::<String>()
    };
    format!(
        "svg{{background:#fff}} text{{font-family:system-ui,sans-serif}}\n{}\
         @media (prefers-color-scheme: dark){{ svg{{background:#181c22}}\n{} }}\n",
        theme(0),
        theme(1)
    )
}

/// The colours of lines, in the light and in the dark: those of `page.css`.
const COLORS: [[&str; 2]; 8] = [
    ["#2f5bd8", "#8aa8ff"],
    ["#bf3f0c", "#ff9d6b"],
    ["#1d6e3a", "#69c98a"],
    ["#9c36b5", "#dda0f0"],
    ["#0b7285", "#66d0e0"],
    ["#8a5200", "#f0b35c"],
    ["#b8225a", "#ff9ebb"],
    ["#5c677a", "#b3bdcc"],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_that_stand_alone_have_the_colours_of_the_page() {
        for (at, [light, dark]) in COLORS.into_iter().enumerate() {
            let [light, dark] = [light, dark].map(|color| format!("--c{}: {color};", at + 1));
            assert!(
                STYLE.contains(&light) && STYLE.contains(&dark),
                "{light} {dark}"
            );
        }
        assert!(colors().contains("[fill=\"#010108\"]{fill:#5c677a}"));
    }
}
