//! `plat report --sarif` against the schema of SARIF 2.1.0: the objects that it has, with the properties that the schema
//! allows and requires of each (the schema allows no others), their types and bounds.

use plat_tests::explore::plat_ok;
use plat_tests::{command, compile_bitcode, scratch};
use serde_json::{Value, json};
use std::fs;

/// What a property is.
#[derive(Clone, Copy)]
enum Is {
    Text,
    /// A whole number of at least this.
    Number(i64),
    Flag,
    /// One of these.
    Word(&'static [&'static str]),
    /// An address: no blanks, `%` before two digits.
    Address,
    Object(&'static str),
    List(&'static str),
    Words,
    /// Properties of any name, all of them texts.
    Texts,
    /// Whatever the writer likes.
    Bag,
}

/// An object of the schema: its name, what it must have (or, in a group, one of), and what it may have of
/// what is written here.
struct Rule {
    name: &'static str,
    required: &'static [&'static [&'static str]],
    properties: &'static [(&'static str, Is)],
}

const LEVELS: &[&str] = &["none", "note", "warning", "error"];

const RULES: &[Rule] = &[
    Rule {
        name: "log",
        required: &[&["version"], &["runs"]],
        properties: &[
            ("$schema", Is::Address),
            ("version", Is::Word(&["2.1.0"])),
            ("runs", Is::List("run")),
        ],
    },
    Rule {
        name: "run",
        required: &[&["tool"]],
        properties: &[
            ("tool", Is::Object("tool")),
            ("automationDetails", Is::Object("runAutomationDetails")),
            ("invocations", Is::List("invocation")),
            (
                "columnKind",
                Is::Word(&["utf16CodeUnits", "unicodeCodePoints"]),
            ),
            ("results", Is::List("result")),
        ],
    },
    Rule {
        name: "tool",
        required: &[&["driver"]],
        properties: &[("driver", Is::Object("toolComponent"))],
    },
    Rule {
        name: "toolComponent",
        required: &[&["name"]],
        properties: &[
            ("name", Is::Text),
            ("semanticVersion", Is::Text),
            ("rules", Is::List("reportingDescriptor")),
        ],
    },
    Rule {
        name: "reportingDescriptor",
        required: &[&["id"]],
        properties: &[
            ("id", Is::Text),
            ("name", Is::Text),
            ("shortDescription", Is::Object("multiformatMessageString")),
            ("fullDescription", Is::Object("multiformatMessageString")),
            ("help", Is::Object("multiformatMessageString")),
            ("properties", Is::Bag),
        ],
    },
    Rule {
        name: "multiformatMessageString",
        required: &[&["text"]],
        properties: &[("text", Is::Text)],
    },
    Rule {
        name: "runAutomationDetails",
        required: &[],
        properties: &[("id", Is::Text)],
    },
    Rule {
        name: "invocation",
        required: &[&["executionSuccessful"]],
        properties: &[
            ("executionSuccessful", Is::Flag),
            ("commandLine", Is::Text),
            ("properties", Is::Bag),
        ],
    },
    Rule {
        name: "result",
        required: &[&["message"]],
        properties: &[
            ("ruleId", Is::Text),
            ("ruleIndex", Is::Number(-1)),
            ("level", Is::Word(LEVELS)),
            ("message", Is::Object("message")),
            ("locations", Is::List("location")),
            ("stacks", Is::List("stack")),
            ("codeFlows", Is::List("codeFlow")),
            ("partialFingerprints", Is::Texts),
            ("properties", Is::Bag),
        ],
    },
    Rule {
        name: "message",
        required: &[&["text", "id"]],
        properties: &[("text", Is::Text), ("arguments", Is::Words)],
    },
    Rule {
        name: "location",
        required: &[],
        properties: &[
            ("physicalLocation", Is::Object("physicalLocation")),
            ("logicalLocations", Is::List("logicalLocation")),
            ("message", Is::Object("message")),
        ],
    },
    Rule {
        name: "physicalLocation",
        required: &[&["address", "artifactLocation"]],
        properties: &[
            ("artifactLocation", Is::Object("artifactLocation")),
            ("region", Is::Object("region")),
        ],
    },
    Rule {
        name: "artifactLocation",
        required: &[],
        properties: &[("uri", Is::Address)],
    },
    Rule {
        name: "logicalLocation",
        required: &[],
        properties: &[("fullyQualifiedName", Is::Text)],
    },
    Rule {
        name: "region",
        required: &[],
        properties: &[("startLine", Is::Number(1)), ("startColumn", Is::Number(1))],
    },
    Rule {
        name: "stack",
        required: &[&["frames"]],
        properties: &[
            ("message", Is::Object("message")),
            ("frames", Is::List("stackFrame")),
        ],
    },
    Rule {
        name: "stackFrame",
        required: &[],
        properties: &[("location", Is::Object("location"))],
    },
    Rule {
        name: "codeFlow",
        required: &[&["threadFlows"]],
        properties: &[("threadFlows", Is::List("threadFlow"))],
    },
    Rule {
        name: "threadFlow",
        required: &[&["locations"]],
        properties: &[("locations", Is::List("threadFlowLocation"))],
    },
    Rule {
        name: "threadFlowLocation",
        required: &[],
        properties: &[("location", Is::Object("location"))],
    },
];

/// What is wrong with an object, each with the way to it.
fn wrong(value: &Value, name: &str, at: &str) -> Vec<String> {
    let rule = RULES.iter().find(|rule| rule.name == name);
    let rule = rule.expect("a rule");
    let Some(object) = value.as_object() else {
        return vec![format!("{at}: no object")];
    };
    let mut found = Vec::new();
    for group in rule.required {
        if !group.iter().any(|key| object.contains_key(*key)) {
            found.push(format!("{at}: a {name} needs {}", group.join(" or ")));
        }
    }
    for (key, value) in object {
        let at = format!("{at}.{key}");
        match rule.properties.iter().find(|(known, _)| known == key) {
            Some(&(_, is)) => found.extend(wrong_property(value, is, &at)),
            None => found.push(format!("{at}: a {name} has no such property")),
        }
    }
    found
}

fn wrong_property(value: &Value, is: Is, at: &str) -> Vec<String> {
    let good = match is {
        Is::Object(name) => return wrong(value, name, at),
        Is::List(name) => {
            let Some(list) = value.as_array() else {
                return vec![format!("{at}: no list")];
            };
            let members = list.iter().enumerate();
            let members = members.flat_map(|(n, one)| wrong(one, name, &format!("{at}[{n}]")));
            return members.collect();
        }
        Is::Text => value.is_string(),
        Is::Number(least) => value.as_i64().is_some_and(|it| it >= least),
        Is::Flag => value.is_boolean(),
        Is::Word(words) => value.as_str().is_some_and(|it| words.contains(&it)),
        Is::Address => value.as_str().is_some_and(is_address),
        Is::Words => value
            .as_array()
            .is_some_and(|it| it.iter().all(Value::is_string)),
        Is::Texts => value
            .as_object()
            .is_some_and(|it| it.values().all(Value::is_string)),
        Is::Bag => value.is_object(),
    };
    if good {
        Vec::new()
    } else {
        vec![format!("{at}: {value} is wrong")]
    }
}

fn is_address(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
    let mut escapes = text.split('%').skip(1);
    let is_escape = |rest: &str| rest.len() > 1 && rest[..2].chars().all(|c| c.is_ascii_hexdigit());
    !text.is_empty() && text.chars().all(allowed) && escapes.all(is_escape)
}

/// Faults of several kinds, with calls; the second source has no debug information.
const SOURCES: [(&str, &str); 2] = [
    (
        "with spaces.c",
        "int last(const char *);\nstatic int share(int n) { return 100 / n; }\n\
         int main(int n, char **a)\n{\n\tif (n < 2)\n\t\treturn 0;\n\
         \treturn a[1][0] == 'd' ? share(a[1][1] - '0') : a[1][0] == 'l' ? last(a[1]) : 1;\n}\n",
    ),
    (
        "last.c",
        "int last(const char *text)\n{\n\treturn text[4000];\n}\n",
    ),
];

#[test]
fn sarif_has_what_the_schema_requires_and_nothing_else() {
    let directory = scratch("sarif");
    let mut files = Vec::new();
    for (name, text) in SOURCES {
        let source = directory.join(name);
        fs::write(&source, text).expect("a source");
        let bitcode = source.with_extension("bc");
        compile_bitcode(&source, &bitcode);
        files.push(bitcode.to_string_lossy().into_owned());
    }
    let (out, sarif) = (directory.join("out"), directory.join("faults.sarif"));
    let (out, file) = (out.to_string_lossy(), sarif.to_string_lossy());
    let explore = [
        "explore",
        "--quiet",
        "--output-dir",
        &out,
        "--link-llvm-lib",
        &files[1],
        &files[0],
        "--sym-arg",
        "2",
    ];
    plat_ok(command(), &explore).expect("a run");
    plat_ok(command(), &["report", &out, "--sarif", &file]).expect("a report");
    let text = fs::read_to_string(&sarif).expect("the file");
    let log: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(wrong(&log, "log", ""), Vec::<String>::new());
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert!(results.len() >= 2, "{text}");
    let places = results
        .iter()
        .map(|it| &it["locations"][0]["physicalLocation"]);
    let addresses: Vec<&str> = places
        .filter_map(|it| it["artifactLocation"]["uri"].as_str())
        .collect();
    assert!(
        addresses.iter().any(|it| it.ends_with("/with%20spaces.c")),
        "{addresses:?}"
    );
}

#[test]
fn what_the_schema_refuses_is_found() {
    let with = |key: &str, value: Value| {
        let mut log = json!({ "version": "2.1.0", "runs": [{
            "tool": { "driver": { "name": "plat" } },
            "results": [{ "message": { "text": "m" } }],
        }] });
        *log.pointer_mut(key).expect("a place") = value;
        wrong(&log, "log", "")
    };
    assert_eq!(with("/version", json!("2.1.0")), Vec::<String>::new());
    for (key, value) in [
        ("/version", json!("2.0")),
        ("/runs/0/tool", json!({})),
        ("/runs/0/results/0/message", json!({})),
        (
            "/runs/0/results/0",
            json!({ "message": { "text": "m" }, "level": "bad" }),
        ),
        (
            "/runs/0/results/0",
            json!({ "message": { "text": "m" }, "other": 1 }),
        ),
        (
            "/runs/0/results/0",
            json!({ "message": { "text": "m" }, "stacks": [{}] }),
        ),
        (
            "/runs/0/results/0",
            json!({ "message": { "text": "m" }, "ruleIndex": -2 }),
        ),
    ] {
        assert_eq!(with(key, value.clone()).len(), 1, "{key} {value}");
    }
    assert!(!is_address("file:///a b") && !is_address("%2") && is_address("a%20b.c"));
}
