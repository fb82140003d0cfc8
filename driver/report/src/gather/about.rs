//! What a run is: from its tests, its trie and `info`.

use super::{Files, Named};
use crate::model::{About, State};
use plat::output::summary::Summary;
use plat::suite::Container;
use plat::trie::header;
use std::fs;

pub(super) fn about(named: &Named, files: &Files, summary: Option<&Summary>) -> About {
    let directory = &named.directory;
    let info = fs::read_to_string(directory.join("info")).unwrap_or_default();
    let line = |key: &str| {
        let mut lines = info.lines();
        let found = lines.find_map(|line| line.strip_prefix(key));
        found.unwrap_or_default().trim().to_string()
    };
    let run = files.tests.as_ref().map(Container::run).cloned();
    let run = run.unwrap_or_default();
    let begun = header::begun(directory).ok();
    let typed = info.lines().next().unwrap_or_default();
    let command_line = match (&run.command_line[..], &begun) {
        ([_, ..], _) => run.command_line.clone(),
        ([], Some(begun)) => begun.command_line.clone(),
        ([], None) => typed.split(' ').map(str::to_string).collect(),
    };
    let working = match (&run.directory[..], begun) {
        ("", Some(begun)) => begun.directory.display().to_string(),
        (known, _) => known.to_string(),
    };
    let program = match summary {
        Some(summary) if !summary.program.is_empty() => summary.program.clone(),
        _ => run.program.clone(),
    };
    About {
        name: named.name.clone().unwrap_or_else(|| {
            let path = directory.canonicalize().unwrap_or(directory.clone());
            let name = path.file_name().map(|name| name.to_string_lossy());
            name.map_or_else(|| path.display().to_string(), |name| name.into_owned())
        }),
        directory: std::path::absolute(directory).unwrap_or(directory.clone()),
        program,
        command_line,
        working_directory: working,
        started: line("Started: "),
        state: match summary {
            Some(summary) => State::Ended(summary.stop.clone()),
            None if goes_on(&line("PID: "), typed) => State::Running,
            None => State::Cut,
        },
    }
}

/// Whether the process that has written `info` is there, with the same command line.
fn goes_on(process: &str, typed: &str) -> bool {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let words = line.split(|&byte| byte == 0);
    let words = words.map(|word| String::from_utf8_lossy(word));
    let words: Vec<_> = words.collect();
    !process.is_empty() && !typed.is_empty() && words.join(" ").trim_end() == typed
}
