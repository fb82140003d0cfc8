//! What gcov prints: GCC's as JSON (`--json-format`), for which it needs no sources, and LLVM's, which
//! has no JSON, as the annotated text of each source file.

use super::source::{FileCoverage, Function, SourceCoverage};
use serde::Deserialize;
use std::path::Path;

/// The JSON of GCC's gcov, as far as it is used.
#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    current_working_directory: String,
    files: Vec<ReportedFile>,
}

#[derive(Deserialize)]
struct ReportedFile {
    file: String,
    functions: Vec<ReportedFunction>,
    lines: Vec<ReportedLine>,
}

#[derive(Deserialize)]
struct ReportedFunction {
    demangled_name: String,
    start_line: u32,
    execution_count: u64,
}

#[derive(Deserialize)]
struct ReportedLine {
    line_number: u32,
    count: u64,
    branches: Vec<ReportedBranch>,
}

#[derive(Deserialize)]
struct ReportedBranch {
    count: u64,
}

/// Reads the JSON of GCC's gcov, an object on each line.
///
/// # Errors
/// When it is none.
pub fn parse_json(text: &str) -> Result<SourceCoverage, String> {
    let mut coverage = SourceCoverage::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let report: Report = serde_json::from_str(line).map_err(|why| why.to_string())?;
        let directory = Path::new(&report.current_working_directory);
        for file in report.files {
            let path = directory.join(&file.file).display().to_string();
            let one = SourceCoverage {
                files: [(path, reported(file))].into(),
            };
            coverage.add(&one);
        }
    }
    Ok(coverage)
}

fn reported(file: ReportedFile) -> FileCoverage {
    let mut coverage = FileCoverage::default();
    for function in file.functions {
        let known = coverage.functions.entry(function.demangled_name);
        *known.or_default() = Function {
            line: function.start_line,
            count: function.execution_count,
        };
    }
    for line in file.lines {
        // A line that several functions have (a template, a macro) comes again.
        let place = coverage
            .branches
            .range((line.line_number, 0, 0)..(line.line_number + 1, 0, 0));
        let place = place.last().map_or(0, |((_, place, _), _)| place + 1);
        for (way, branch) in (0..).zip(&line.branches) {
            let count = (line.count > 0).then_some(branch.count);
            coverage
                .branches
                .insert((line.line_number, place, way), count);
        }
        let known = coverage.lines.entry(line.line_number).or_default();
        *known = (*known).max(line.count);
    }
    coverage
}

/// Reads the texts of LLVM's gcov for several files, one after the other (`--stdout`).
pub fn parse(text: &str) -> SourceCoverage {
    let mut coverage = SourceCoverage::default();
    let mut path = None;
    let mut file = FileCoverage::default();
    let mut at = Position::default();
    for line in text.lines() {
        if let Some(source) = source(line) {
            end(&mut coverage, path.replace(source.to_owned()), &mut file);
            at = Position::default();
        } else if let Some(function) = line.strip_prefix("function ") {
            at.function(function);
        } else if let Some(branch) = line.strip_prefix("branch ") {
            at.branch(branch, &mut file);
        } else {
            at.line(line, &mut file);
        }
    }
    end(&mut coverage, path, &mut file);
    coverage
}

/// The source file whose text begins with this line.
fn source(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("-:")?;
    rest.trim_start().strip_prefix("0:Source:")
}

/// Adds a file that is complete.
fn end(coverage: &mut SourceCoverage, path: Option<String>, file: &mut FileCoverage) {
    let file = std::mem::take(file);
    if let Some(path) = path {
        let one = SourceCoverage {
            files: [(path, file)].into(),
        };
        coverage.add(&one);
    }
}

/// Where the text is.
#[derive(Default)]
struct Position {
    line: u32,
    /// The branching places that the line has had, and whether the next branch begins another.
    places: u32,
    /// Functions whose line comes next.
    functions: Vec<(String, u64)>,
}

impl Position {
    /// `main called 3 returned 100% blocks executed 80%`
    fn function(&mut self, text: &str) {
        if let Some((name, rest)) = text.split_once(" called ") {
            let count = rest.split(' ').next().and_then(|count| count.parse().ok());
            self.functions.push((name.to_owned(), count.unwrap_or(0)));
        }
    }

    /// ` 0 taken 3 (fallthrough)`, ` 1 never executed`. The ways of a place are numbered on from
    /// those of the place before; a place has two ways unless it is a switch, which gcov does not
    /// say, so that a line has one place with many ways.
    fn branch(&mut self, text: &str, file: &mut FileCoverage) {
        let mut words = text.split_whitespace();
        let Some(way) = words.next().and_then(|way| way.parse().ok()) else {
            return;
        };
        let count = match (words.next(), words.next()) {
            (Some("taken"), Some(count)) => count.parse().ok(),
            _ => None,
        };
        file.branches.insert((self.line, self.places, way), count);
    }

    /// `        3:   10:text`: a count, a line, the source.
    fn line(&mut self, text: &str, file: &mut FileCoverage) {
        let mut fields = text.splitn(3, ':');
        let (Some(count), Some(line), Some(_)) = (fields.next(), fields.next(), fields.next())
        else {
            return;
        };
        let Ok(line) = line.trim().parse::<u32>() else {
            return;
        };
        // A line that several functions have (a template, a macro) comes again.
        self.places = if line == self.line {
            self.places + 1
        } else {
            0
        };
        self.line = line;
        for (name, count) in self.functions.drain(..) {
            let function = file.functions.entry(name).or_default();
            (function.line, function.count) = (line, function.count + count);
        }
        let count = count.trim().trim_end_matches('*');
        let count = match count {
            "-" => return,
            "#####" | "=====" | "$$$$$" | "%%%%%" => 0,
            count => match count.parse::<u64>() {
                Ok(count) => count,
                Err(_) => return,
            },
        };
        let known = file.lines.entry(line).or_default();
        *known = (*known).max(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_of_gcc_is_read() {
        let text = r#"{"format_version":"1","current_working_directory":"/w","files":[{"file":"a.c",
            "functions":[{"name":"f","demangled_name":"f","start_line":1,"execution_count":3}],
            "lines":[{"line_number":2,"count":3,"branches":[{"count":1,"throw":false},{"count":2}]},
            {"line_number":4,"count":0,"branches":[{"count":0}]}]}]}"#;
        let coverage = parse_json(&text.replace('\n', " ")).expect("a report");
        let file = &coverage.files["/w/a.c"];
        assert_eq!(file.lines, [(2, 3), (4, 0)].into());
        let branches = [
            ((2, 0, 0), Some(1)),
            ((2, 0, 1), Some(2)),
            ((4, 0, 0), None),
        ];
        assert_eq!(file.branches, branches.into());
        assert_eq!(
            (file.functions["f"].line, file.functions["f"].count),
            (1, 3)
        );
        assert!(parse_json("text").is_err());
    }

    #[test]
    fn counts_of_lines_branches_and_functions_are_read() {
        let text = "        -:    0:Source:a.c\n        -:    0:Graph:a.gcno\n\
            function f called 3 returned 100% blocks executed 80%\n        3:    1:int f(int x) {\n\
                    3:    2:  if (x)\nbranch  0 taken 1 (fallthrough)\nbranch  1 taken 2\n\
                   1*:    3:    return 1;\n    #####:    4:  if (x == 9)\nbranch  0 never executed\n\
            branch  1 never executed\n        -:    5:}\n        -:    0:Source:b.h\n    =====:    1:x\n";
        let coverage = parse(text);
        let file = &coverage.files["a.c"];
        assert_eq!(file.lines, [(1, 3), (2, 3), (3, 1), (4, 0)].into());
        let branches = [
            ((2, 0, 0), Some(1)),
            ((2, 0, 1), Some(2)),
            ((4, 0, 0), None),
            ((4, 0, 1), None),
        ];
        assert_eq!(file.branches, branches.into());
        assert_eq!(
            (file.functions["f"].line, file.functions["f"].count),
            (1, 3)
        );
        assert_eq!(coverage.files["b.h"].lines, [(1, 0)].into());
    }
}
