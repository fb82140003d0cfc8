//! Columns of instructions. The files of a run name lines only; the debug information of the executed program is
//! in `assembly.ll`, where reports say on which line an instruction is.

use crate::model::Place;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// The text of the program that was executed, read when it is asked.
#[derive(Default)]
pub struct Columns {
    path: PathBuf,
}

impl Columns {
    /// That of a run.
    pub fn of(directory: &Path) -> Self {
        Columns {
            path: directory.join("assembly.ll"),
        }
    }

    /// Fills in the columns of places, each with the line of its instruction in the text.
    pub fn fill(&self, places: &mut [(u32, &mut Place)]) {
        let wanted: HashSet<u32> = places.iter().map(|(at, _)| *at).collect();
        let Some(known) = find(&self.path, &wanted) else {
            return;
        };
        for (at, place) in places {
            if let Some(&(line, column)) = known.get(at)
                && line == place.line
            {
                place.column = column;
            }
        }
    }
}

/// Line and column in the source of what is on these lines of the text.
fn find(path: &Path, wanted: &HashSet<u32>) -> Option<HashMap<u32, (u32, u32)>> {
    if wanted.is_empty() {
        return None;
    }
    let mut numbers: HashMap<String, Vec<u32>> = HashMap::new();
    let mut found = HashMap::new();
    for (line, at) in BufReader::new(File::open(path).ok()?).lines().zip(1..) {
        // The text may be of any bytes; what cannot be read has no columns.
        let Ok(line) = line else { break };
        if wanted.contains(&at)
            && let Some(number) = line.split("!dbg !").nth(1)
        {
            let number = number.split([',', ' ']).next().unwrap_or_default();
            numbers.entry(number.to_string()).or_default().push(at);
        }
        let definition = line.strip_prefix('!').and_then(|rest| {
            let (number, rest) = rest.split_once(" = ")?;
            Some((number, rest.strip_prefix("!DILocation(")?))
        });
        if let Some((number, fields)) = definition
            && let Some(places) = numbers.get(number)
        {
            let field = |name: &str| {
                let mut fields = fields.split(", ");
                fields.find_map(|field| field.strip_prefix(name)?.parse().ok())
            };
            let place = (field("line: ").unwrap_or(0), field("column: ").unwrap_or(0));
            found.extend(places.iter().map(|&at| (at, place)));
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_debug_information() {
        let directory = tempfile::tempdir().expect("a directory");
        let text = "define i32 @f() {\n  %1 = sdiv i32 1, 2, !dbg !7\n  ret i32 %1, !dbg !8\n}\n\
                    !7 = !DILocation(line: 39, column: 51, scope: !3, inlinedAt: !9)\n\
                    !8 = !DILocation(line: 0, scope: !3)\n";
        std::fs::write(directory.path().join("assembly.ll"), text).expect("a file");
        let columns = Columns::of(directory.path());
        let place = |line| Place {
            file: "a.c".into(),
            line,
            column: 0,
        };
        let (mut right, mut other, mut none) = (place(39), place(40), place(0));
        columns.fill(&mut [
            (2, &mut right),
            (2, &mut other),
            (3, &mut none),
            (0, &mut place(1)),
        ]);
        assert_eq!((right.column, other.column, none.column), (51, 0, 0));
        Columns::default().fill(&mut [(2, &mut other)]);
        assert_eq!(other.column, 0);
    }
}
