//! The data of the page that scripts draw when it is looked at: the tree of decisions and source files.

use crate::model::{Decisions, Report, Run};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plat::output::summary::Summary;
use serde_json::{Value, json};

/// The data as JSON that can stand in a page.
pub fn of(report: &Report) -> String {
    let runs: Vec<Value> = report.runs.iter().map(run).collect();
    let text = json!({ "runs": runs }).to_string();
    // Nothing in it ends the element that it stands in.
    text.replace('<', "\\u003c")
}

fn run(run: &Run) -> Value {
    let sources: Vec<Value> = run.sources.iter().map(source).collect();
    json!({ "tree": run.decisions.as_ref().map(tree), "sources": sources })
}

fn tree(tree: &Decisions) -> Value {
    let places: Vec<Value> = tree
        .places
        .iter()
        .map(|it| {
            let file = it.place.file.rsplit('/').next().unwrap_or_default();
            let line = match (file, it.place.line) {
                ("", _) => String::new(),
                (file, line) => format!("{file}:{line}"),
            };
            let inst = it.inst.map_or(String::new(), |inst| format!("+{inst}"));
            json!([it.kind, format!("{}{inst}", it.function), line, it.text])
        })
        .collect();
    json!({
        "places": places,
        "ends": tree.ends,
        "count": tree.count,
        "nodes": STANDARD.encode(&tree.nodes),
    })
}

fn source(source: &crate::model::Source) -> Value {
    let Some(text) = &source.text else {
        return Value::Null;
    };
    let lines: Vec<Value> = source
        .lines
        .iter()
        .map(|it| {
            json!([
                it.number,
                it.count,
                it.sides.part,
                it.sides.all,
                it.asked,
                it.forks
            ])
        })
        .collect();
    json!({ "path": source.path, "text": text, "lines": lines })
}

/// The figures of a summary, each with its whole key.
pub fn flat(summary: &Summary) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let value = serde_json::to_value(summary).unwrap_or_default();
    add(&mut rows, String::new(), &value);
    rows
}

fn add(rows: &mut Vec<(String, String)>, key: String, value: &Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let key = match key.as_str() {
                    "" => name.clone(),
                    key => format!("{key}.{name}"),
                };
                add(rows, key, value);
            }
        }
        // Lists have tables of their own.
        Value::Array(list) => {
            let parts = list.iter().filter(|it| !it.is_object());
            let parts: Vec<String> = parts.map(Value::to_string).collect();
            if !parts.is_empty() {
                rows.push((key, parts.join(", ")));
            }
        }
        Value::String(text) => rows.push((key, text.clone())),
        other => rows.push((key, other.to_string())),
    }
}
