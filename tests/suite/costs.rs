//! Where a run has spent its time, and what it made of pointers: the solver's time is with the line that asks,
//! the longest query is that of the slow condition, in C's terms, and resolutions are counted with the
//! objects that the program has and the paths that the memory model makes. The page shows all of it.

use plat_tests::explore::plat_ok;
use plat_tests::{Scratch, command, compile_bitcode, scratch};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A pointer to one of three objects, and a condition that takes a solver long.
const COSTLY: &str = "\
#include <stdlib.h>
#include <unistd.h>
int main(void) {
	unsigned in[2];
	char *rows[3];
	if (read(0, in, sizeof in) != sizeof in)
		return 1;
	for (int i = 0; i < 3; i++)
		*(rows[i] = malloc(16)) = i;
	if (in[0] < 3)
		return *rows[in[0]];
	if (in[1] * in[1] * in[1] + 7 * in[1] == 123456789)
		return 5;
	return 6;
}
";

struct Bench {
    directory: Scratch,
    source: PathBuf,
    bitcode: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Self {
        let directory = scratch(name);
        let (source, bitcode) = (directory.join("costly.c"), directory.join("costly.bc"));
        fs::write(&source, COSTLY).expect("a source file");
        compile_bitcode(&source, &bitcode);
        Bench {
            directory,
            source,
            bitcode,
        }
    }

    /// The directory of a run.
    fn explore(&self, out: &str, options: &[&str]) -> PathBuf {
        let out = self.directory.join(out);
        let (given, program) = (out.to_string_lossy(), self.bitcode.to_string_lossy());
        let words = [
            &["explore", "--quiet", "--output-dir", &given],
            options,
            &[&program, "--sym-stdin", "8"],
        ];
        plat_ok(command(), &words.concat()).expect("a run");
        out
    }

    fn line_of(&self, text: &str) -> u64 {
        let at = COSTLY.lines().position(|line| line.contains(text));
        at.expect("the line") as u64 + 1
    }
}

fn summary(out: &Path) -> Value {
    let text = fs::read_to_string(out.join("summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("JSON")
}

/// The solver's microseconds by line of the program's file, and over all instructions.
fn solving(out: &Path, source: &Path) -> (Vec<(u64, u64)>, u64) {
    let text = fs::read_to_string(out.join("run.istats")).expect("run.istats");
    let events = text.lines().find_map(|line| line.strip_prefix("events: "));
    let at = events
        .expect("events")
        .split(' ')
        .position(|event| event == "Qtime");
    let at = 2 + at.expect("Qtime");
    let (mut lines, mut all, mut file, mut of_callee) = (Vec::new(), 0, "", false);
    for line in text.lines() {
        if let Some(name) = line
            .strip_prefix("fl=")
            .or(line.strip_prefix("fe="))
            .or(line.strip_prefix("fi="))
        {
            file = name;
        } else if line.starts_with("calls=") {
            of_callee = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit()) && !std::mem::take(&mut of_callee)
        {
            let numbers: Vec<u64> = line
                .split(' ')
                .map(|word| word.parse().expect("a number"))
                .collect();
            all += numbers[at];
            if Path::new(file) == source {
                lines.push((numbers[at], numbers[1]));
            }
        }
    }
    lines.sort_unstable_by(|a, b| b.cmp(a));
    (lines, all)
}

#[test]
fn the_time_of_the_solver_is_with_the_line_that_asks() {
    let bench = Bench::new("costs-solver");
    let slow = bench.line_of("123456789");
    for (out, options) in [("one", &[][..]), ("two", &["--workers", "2"])] {
        let out = bench.explore(out, options);
        let (lines, all) = solving(&out, &bench.source);
        assert_eq!(lines[0].1, slow, "{lines:?}");
        let summary = summary(&out);
        let wall = summary["solver"]["wall_s"].as_f64().expect("a time") * 1e6;
        assert!(all as f64 <= wall + 1.0, "{all} of {wall}");
        assert!(all as f64 >= 0.9 * wall, "{all} of {wall}");
        let longest = &summary["solver"]["longest"];
        let hot = &longest[0];
        assert_eq!(
            (&hot["line"], &hot["function"]),
            (&Value::from(slow), &Value::from("main"))
        );
        assert_eq!(hot["file"], bench.source.to_string_lossy().as_ref());
        let condition = hot["condition"].as_str().expect("a condition");
        assert!(
            condition.contains("*(uint32_t *)&stdin[4]") && condition.contains(" * "),
            "{condition}"
        );
        let times: Vec<f64> = longest
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one["wall_s"].as_f64())
            .collect();
        assert!(
            times.len() <= 20 && times.is_sorted_by(|a, b| a >= b),
            "{times:?}"
        );
        assert!(times[0] * 1e6 <= wall);
    }
    let out = bench.explore("without", &["--output-istats=false"]);
    assert_eq!(summary(&out)["solver"]["longest"], Value::Array(Vec::new()));
}

#[test]
fn resolutions_are_counted_by_place_for_every_memory_model() {
    let bench = Bench::new("costs-places");
    let line = bench.line_of("*rows[in[0]]");
    for (model, ways) in [
        ("forking", 3),
        ("merging", 1),
        ("flat", 1),
        ("segmented", 1),
        ("dynamic", 1),
        ("single", 1),
        ("auto", 1),
    ] {
        let out = bench.explore(model, &["--memory-model", model]);
        let summary = summary(&out);
        let places = summary["resolution"]["places"].as_array().expect("places");
        let place = places
            .iter()
            .find(|place| place["line"] == line)
            .expect("the place");
        assert_eq!(place["max_objects"], 3, "{model}: {place}");
        assert_eq!(place["max_ways"], ways, "{model}: {place}");
        let joined = matches!(model, "segmented" | "dynamic" | "auto");
        assert_eq!(
            place["joins"].as_u64() > Some(0),
            joined,
            "{model}: {place}"
        );
        assert_eq!(
            summary["memory"]["joins"].as_u64(),
            places.iter().map(|place| place["joins"].as_u64()).sum(),
            "{model}"
        );
        assert_eq!(
            out.join("segments.json").exists(),
            model == "segmented",
            "{model}"
        );
    }
}

#[test]
fn the_page_has_queries_resolutions_and_segments() {
    let bench = Bench::new("costs-page");
    let out = bench.explore("out", &["--memory-model", "segmented"]);
    plat_ok(command(), &["report", &out.to_string_lossy()]).expect("a report");
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    for text in [
        "Longest queries",
        "*(uint32_t *)&amp;stdin[4]",
        "Lines that the solver worked for",
        "Resolutions by place",
        "return *rows[in[0]];",
        "<h2>Segments</h2>",
        "main (costly.c:9) &gt; malloc",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // The group is united by the line that lets the input choose.
    let segments = page.split("<h2>Segments</h2>").nth(1).expect("segments");
    let segments = segments.split("</section>").next().expect("its end");
    let choice = format!(
        "costly.c</span></span><span class=\"line\">:{}",
        bench.line_of("*rows[in[0]]")
    );
    assert!(segments.contains(&choice), "{segments}");
}
