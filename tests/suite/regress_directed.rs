//! A directed search goes to what has changed between two versions of a program.

use super::regress::{compile, regress};
use super::resume::summary;
use plat_tests::explore::plat_ok;
use plat_tests::{command, scratch};
use serde_json::Value as Json;

/// Many paths that a change does not touch, and a few that come to it.
const RARE: &str = r#"
#include <unistd.h>
static int noise(const char *s)
{
	int n = 0;
	for (int i = 0; i < 6; i++)
		if (s[i] > '0' + i)
			n += i;
	return n;
}
static int rare(const char *s)
{
	return s[5] == 'k' ? 1 : noise(s);
}
int main(void)
{
	static const char way[] = "marks";
	char s[6];
	if (read(0, s, sizeof s) != sizeof s)
		return 9;
	for (int i = 0; i < 5; i++)
		if (s[i] != way[i])
			return noise(s);
	return rare(s);
}
"#;

/// Without a target, a directed search goes to what has changed: in fewer instructions than breadth
/// first comes there.
#[test]
fn a_directed_search_goes_to_the_change() {
    let directory = scratch("regress-directed");
    let old = compile(RARE, "old", &directory);
    let new = compile(&RARE.replace("? 1", "? 2"), "new", &directory);
    let before = directory.join("before");
    let (out, program) = (before.to_string_lossy(), old.bitcode.to_string_lossy());
    let explored = [
        "explore",
        "--quiet",
        "--batch-instructions",
        "20",
        "--output-dir",
        &out,
        &program,
        "--sym-stdin",
        "6",
    ];
    plat_ok(command(), &explored).expect("a run");
    let instructions = |name: &str, options: &[&str]| {
        let out = directory.join(name);
        let options = [&["--exit-on-target", "--old", &program], options].concat();
        regress(&before, &new.bitcode, &out, &options);
        let found = summary(&out);
        assert_eq!(found["stop"], "target", "{name}");
        found["instructions"].as_u64().expect("a count")
    };
    let directed = instructions("directed", &["--search", "directed"]);
    let breadth = instructions("breadth", &["--search", "bfs", "--target", "rare"]);
    assert!(directed * 2 < breadth, "{directed} and {breadth}");
    // Where nothing leads to a change, all is taken over.
    let out = directory.join("same");
    let options = ["--search", "directed", "--old", &program];
    let (report, code) = regress(&before, &old.bitcode, &out, &options);
    assert_eq!((code, &report["paths"]["explored"]), (0, &Json::from(0)));
}
