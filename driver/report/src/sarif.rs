//! Faults in SARIF 2.1.0, the format in which editors and services read what analyses have found. Of its large
//! schema this has what VS Code's viewer and GitHub's code scanning show; the crate that has all of it takes
//! longer to build than the rest of the report.

use crate::kinds;
use crate::model::{Call, Fault, Place, Report, Run, Severity};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Results that services take of one run.
const MOST: usize = 5000;

impl Report {
    /// The text of the file: a run of SARIF for each run.
    pub fn to_sarif(&self) -> String {
        let runs: Vec<Value> = self.runs.iter().map(run).collect();
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": runs,
        });
        let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
        text.push('\n');
        text
    }
}

fn run(run: &Run) -> Value {
    let rules: BTreeMap<&str, usize> = {
        let kinds: std::collections::BTreeSet<&str> =
            run.faults.iter().map(|it| it.kind.as_str()).collect();
        kinds.into_iter().zip(0..).collect()
    };
    let results = run.faults.iter().take(MOST);
    let results: Vec<Value> = results.map(|fault| result(fault, &rules)).collect();
    let descriptions: Vec<Value> = rules.keys().map(|kind| rule(kind)).collect();
    json!({
        "tool": { "driver": {
            "name": "plat",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": descriptions,
        }},
        "automationDetails": { "id": format!("plat/{}/", run.about.program) },
        "invocations": [{
            "executionSuccessful": true,
            "commandLine": run.about.command_line.join(" "),
            "properties": { "state": run.about.state.name() },
        }],
        "columnKind": "utf16CodeUnits",
        "results": results,
    })
}

fn rule(suffix: &str) -> Value {
    let name = kinds::name(suffix);
    let known = kinds::of(suffix);
    let text = known.map_or("A check that the program was compiled with fails.", |it| {
        it.text
    });
    let mut tags = vec!["symbolic-execution".to_string()];
    if let Some(kind) = known.filter(|kind| kind.cwe > 0) {
        tags.push(format!("external/cwe/cwe-{:03}", kind.cwe));
    }
    json!({
        "id": format!("plat/{suffix}"),
        "name": suffix,
        "shortDescription": { "text": name },
        "fullDescription": { "text": text },
        "help": { "text": format!("{text} The test that is named leads to it.") },
        "properties": { "tags": tags, "precision": "very-high" },
    })
}

fn result(fault: &Fault, rules: &BTreeMap<&str, usize>) -> Value {
    let mut message = fault.message.clone();
    for line in &fault.info {
        message += &format!("\n{line}");
    }
    if let Some(command) = fault.commands.first() {
        message += &format!("\n{}: {}", command.does, command.line);
    }
    let mut result = Map::new();
    let mut add = |key: &str, value: Value| drop(result.insert(key.to_string(), value));
    add("ruleId", json!(format!("plat/{}", fault.kind)));
    add("ruleIndex", json!(rules[fault.kind.as_str()]));
    add(
        "level",
        json!(match fault.severity {
            Severity::Error => "error",
            Severity::Unsupported => "note",
        }),
    );
    add("message", json!({ "text": message }));
    add(
        "locations",
        json!([location(&fault.place, fault.code.as_deref())]),
    );
    if !fault.stack.is_empty() {
        let frames: Vec<Value> = fault.stack.iter().map(frame).collect();
        add(
            "stacks",
            json!([{ "message": { "text": "the calls at the fault" }, "frames": frames }]),
        );
        // Services that show no stacks show flows: from the outermost call to the fault.
        let steps: Vec<Value> = fault.stack.iter().rev().map(frame).collect();
        add(
            "codeFlows",
            json!([{ "threadFlows": [{ "locations": steps }] }]),
        );
    }
    let place = &fault.place;
    let print = format!(
        "{}:{}:{}",
        fault.kind,
        file_name(&place.file),
        fault.message
    );
    add("partialFingerprints", json!({ "platFault/v1": print }));
    if let Some(test) = &fault.test {
        add("properties", json!({ "test": test.number }));
    }
    Value::Object(result)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A call on a stack, or a step of a flow: they look alike.
fn frame(call: &Call) -> Value {
    json!({ "location": named(location(&call.place, None), &call_text(call)) })
}

fn call_text(call: &Call) -> String {
    format!("{}({})", call.function, call.arguments.join(", "))
}

fn named(mut location: Value, text: &str) -> Value {
    location["message"] = json!({ "text": text });
    location
}

/// A place in a file, or by words if there is no debug information.
fn location(place: &Place, code: Option<&str>) -> Value {
    if place.file.is_empty() {
        let name = code.unwrap_or("an unknown place");
        return json!({ "logicalLocations": [{ "fullyQualifiedName": name }] });
    }
    let mut physical = json!({ "artifactLocation": { "uri": address(&place.file) } });
    if place.line > 0 {
        physical["region"] = match place.column {
            0 => json!({ "startLine": place.line }),
            column => json!({ "startLine": place.line, "startColumn": column }),
        };
    }
    json!({ "physicalLocation": physical })
}

/// The address of a file: absolute paths are `file:` addresses, others stay relative.
fn address(path: &str) -> String {
    let mut address = String::new();
    if path.starts_with('/') {
        address.push_str("file://");
    }
    for &byte in path.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                address.push(char::from(byte));
            }
            _ => address += &format!("%{byte:02X}"),
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Test;

    #[test]
    fn results_have_rules_places_and_stacks() {
        let place = Place {
            file: "/a/b c.c".into(),
            line: 39,
            column: 51,
        };
        let fault = |kind: &str, place: &Place| Fault {
            kind: kind.into(),
            message: "divide by zero".into(),
            place: place.clone(),
            stack: vec![Call {
                function: "f".into(),
                arguments: vec!["n=0".into()],
                place: place.clone(),
            }],
            test: Some(Test {
                number: 7,
                ..Test::default()
            }),
            ..Fault::default()
        };
        let run = Run {
            faults: vec![fault("ptr", &Place::default()), fault("div", &place)],
            ..Run::default()
        };
        let text = Report { runs: vec![run] }.to_sarif();
        let log: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        for result in run["results"].as_array().expect("results") {
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
        }
        let result = &run["results"][1];
        assert_eq!(result["ruleId"], "plat/div");
        let physical = &result["locations"][0]["physicalLocation"];
        assert_eq!(physical["artifactLocation"]["uri"], "file:///a/b%20c.c");
        assert_eq!(
            physical["region"],
            json!({ "startLine": 39, "startColumn": 51 })
        );
        let frame = &result["stacks"][0]["frames"][0]["location"];
        assert_eq!(frame["message"]["text"], "f(n=0)");
        let unknown = &run["results"][0]["locations"][0];
        assert!(unknown["physicalLocation"].is_null(), "{unknown}");
        assert_eq!(result["properties"]["test"], 7);
    }
}
