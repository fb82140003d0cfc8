//! The format of lcov's trace files, which genhtml and most services read, and `llvm-cov export`
//! writes.

use super::source::{FileCoverage, SourceCoverage};
use std::fmt::Write as _;

/// The text of a trace file.
pub fn write(coverage: &SourceCoverage) -> String {
    let mut out = String::new();
    for (path, file) in &coverage.files {
        let _ = writeln!(out, "TN:\nSF:{path}");
        for (name, function) in &file.functions {
            let _ = writeln!(out, "FN:{},{name}", function.line);
        }
        for (name, function) in &file.functions {
            let _ = writeln!(out, "FNDA:{},{name}", function.count);
        }
        let hit = file
            .functions
            .values()
            .filter(|function| function.count > 0);
        let _ = writeln!(out, "FNF:{}\nFNH:{}", file.functions.len(), hit.count());
        for ((line, place, way), count) in &file.branches {
            let count = count.map_or_else(|| "-".to_owned(), |count| count.to_string());
            let _ = writeln!(out, "BRDA:{line},{place},{way},{count}");
        }
        let branches = file.branch_total();
        let _ = writeln!(out, "BRF:{}\nBRH:{}", branches.all, branches.covered);
        for (line, count) in &file.lines {
            let _ = writeln!(out, "DA:{line},{count}");
        }
        let lines = file.line_total();
        let _ = writeln!(out, "LF:{}\nLH:{}\nend_of_record", lines.all, lines.covered);
    }
    out
}

/// Reads a trace file. Records of other kinds are passed over.
///
/// # Errors
/// With the number of the first line that is wrong.
pub fn parse(text: &str) -> Result<SourceCoverage, String> {
    let mut coverage = SourceCoverage::default();
    let mut path = None;
    for (line, at) in text.lines().zip(1..) {
        if let Some(name) = line.strip_prefix("SF:") {
            path = Some(name.to_owned());
            coverage.files.entry(name.to_owned()).or_default();
            continue;
        }
        let Some((kind, fields)) = line.split_once(':') else {
            continue;
        };
        let known = matches!(kind, "FN" | "FNDA" | "BRDA" | "DA");
        let file = path.as_ref().and_then(|path| coverage.files.get_mut(path));
        if let Some(file) = file.filter(|_| known) {
            take(file, kind, fields).ok_or_else(|| format!("line {at}: {line}"))?;
        }
    }
    Ok(coverage)
}

/// Takes up a record.
fn take(file: &mut FileCoverage, kind: &str, fields: &str) -> Option<()> {
    let (first, rest) = fields.split_once(',')?;
    match kind {
        "FN" => {
            // Newer ones have the last line, too.
            let name = match rest.split_once(',') {
                Some((end, name)) if end.parse::<u32>().is_ok() => name,
                _ => rest,
            };
            let line = first.parse().ok()?;
            file.functions.entry(name.to_owned()).or_default().line = line;
        }
        "FNDA" => file.functions.entry(rest.to_owned()).or_default().count = first.parse().ok()?,
        "BRDA" => {
            let mut fields = rest.split(',');
            let place = fields.next()?.trim_start_matches('e').parse().ok()?;
            let way = fields.next()?.parse().ok()?;
            let count = match fields.next()? {
                "-" => None,
                count => Some(count.parse().ok()?),
            };
            file.branches
                .insert((first.parse().ok()?, place, way), count);
        }
        _ => {
            let count = rest.split(',').next()?.parse().ok()?;
            file.lines.insert(first.parse().ok()?, count);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = "TN:\nSF:/a/b.c\nFN:3,main\nFN:9,f\nFNDA:2,main\nFNDA:0,f\n\
                    BRDA:4,0,0,2\nBRDA:4,0,1,0\nBRDA:10,0,0,-\nDA:3,2\nDA:4,2\nDA:10,0\nend_of_record\n";
        let coverage = parse(text).expect("a trace");
        let written = write(&coverage);
        assert_eq!(parse(&written), Ok(coverage.clone()));
        assert!(written.contains("\nFNF:2\nFNH:1\n") && written.contains("\nBRF:3\nBRH:1\n"));
        assert!(written.contains("\nLF:3\nLH:2\n"), "{written}");
        let (lines, branches) = (coverage.line_total(), coverage.branch_total());
        assert_eq!((lines.covered, lines.all), (2, 3));
        assert_eq!((branches.covered, branches.all), (1, 3));
        let table = coverage.files["/a/b.c"].by_function();
        let row = |at: usize| (table[at].0, table[at].2.covered, table[at].3.all);
        assert_eq!((row(0), row(1)), (("main", 2, 2), ("f", 0, 1)));
        let mut twice = coverage.clone();
        twice.add(&coverage);
        assert_eq!(twice.files["/a/b.c"].lines[&3], 4);
        assert_eq!(twice.files["/a/b.c"].branches[&(10, 0, 0)], None);
        assert!(parse("SF:a\nDA:x,1\n").is_err() && parse("SF:a\nBRDA:1,2\n").is_err());
    }
}
