//! `exec_tree.db`: the tree of a run's forks, in the SQLite table that KLEE's tools read.
//!
//! A node stands for a state between two forks. At a fork of a state its node gets two children:
//! the new state's on the left, its own continuation's on the right.

use super::assembly::Lines;
use super::trouble::Trouble;
use crate::Error;
use plat_engine::{FaultKind, Fork, ForkKind, Limit, Observer, PathEnd, StateId, TestRecord};
use plat_program::{InstId, Program};
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// A node that is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Node {
    id: u32,
    state: u32,
    left: u32,
    right: u32,
    line: u32,
    kind: u32,
}

/// The observer that writes the tree.
pub struct ExecTree {
    connection: Connection,
    lines: Rc<Lines>,
    /// The node of each live state.
    open: HashMap<StateId, u32>,
    last: u32,
    batch: Vec<Node>,
    batch_size: usize,
    trouble: Trouble,
}

impl ExecTree {
    /// Makes the file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(
        path: &Path,
        lines: Rc<Lines>,
        batch_size: usize,
        trouble: Trouble,
    ) -> Result<Self, Error> {
        let failed = |why: rusqlite::Error| Error::input(format!("{}: {why}", path.display()));
        let connection = Connection::open(path).map_err(failed)?;
        let table = "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; \
                     CREATE TABLE nodes (ID INT PRIMARY KEY, stateID INT, leftID INT, \
                     rightID INT, asmLine INT, kind INT);";
        connection.execute_batch(table).map_err(failed)?;
        Ok(ExecTree {
            connection,
            lines,
            open: HashMap::new(),
            last: 0,
            batch: Vec::new(),
            batch_size: batch_size.max(1),
            trouble,
        })
    }

    fn fresh(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// The node of a state; the first states of a run get theirs when they are first heard of.
    fn node(&mut self, state: StateId) -> u32 {
        match self.open.get(&state) {
            Some(&node) => node,
            None => self.fresh(),
        }
    }

    fn line(&self, inst: Option<InstId>) -> u32 {
        inst.map_or(0, |inst| self.lines.of(inst))
    }

    fn add(&mut self, node: Node) {
        self.batch.push(node);
        if self.batch.len() >= self.batch_size {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let written = (|| {
            let transaction = self.connection.transaction()?;
            {
                let text = "INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?)";
                let mut insert = transaction.prepare_cached(text)?;
                for node in &batch {
                    let Node {
                        id,
                        state,
                        left,
                        right,
                        line,
                        kind,
                    } = *node;
                    insert.execute((id, state, left, right, line, kind))?;
                }
            }
            transaction.commit()
        })();
        if let Err(why) = written {
            let why: rusqlite::Error = why;
            self.trouble.report(format!("exec_tree.db: {why}"));
        }
    }
}

impl Observer for ExecTree {
    fn forked(&mut self, fork: &Fork) {
        let id = self.node(fork.parent);
        let (left, right) = (self.fresh(), self.fresh());
        self.open.insert(fork.child, left);
        self.open.insert(fork.parent, right);
        let line = self.line(fork.inst);
        self.add(Node {
            id,
            state: fork.parent.0,
            left,
            right,
            line,
            kind: branch_kind(fork.kind),
        });
    }

    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        let id = self.node(record.state);
        self.open.remove(&record.state);
        let line = self.line(record.inst);
        self.add(Node {
            id,
            state: record.state.0,
            left: 0,
            right: 0,
            line,
            kind: end_kind(&record.end),
        });
    }
}

impl Drop for ExecTree {
    fn drop(&mut self) {
        self.flush();
    }
}

/// KLEE's number of a kind of fork.
const fn branch_kind(kind: ForkKind) -> u32 {
    match kind {
        ForkKind::Branch
        | ForkKind::Library
        | ForkKind::Environment
        | ForkKind::Hook
        | ForkKind::Schedule => 1,
        ForkKind::Switch => 3,
        ForkKind::Call => 4,
        ForkKind::Fault => 5,
        ForkKind::Resolution => 6,
        ForkKind::Allocation => 7,
    }
}

/// KLEE's number of an end.
fn end_kind(end: &PathEnd) -> u32 {
    match end {
        PathEnd::Returned(_) | PathEnd::Exited(_) => 1,
        PathEnd::Limit(limit, _) => match limit {
            Limit::Depth => 11,
            Limit::Memory => 12,
            Limit::StackFrames => 13,
            Limit::Solver => 20,
            Limit::External => 61,
            _ => 10,
        },
        PathEnd::Fault(fault) => fault_kind(&fault.kind),
        PathEnd::Unsupported(_) | PathEnd::Internal(_) => 60,
        PathEnd::Merged => 71,
        PathEnd::Silent => 80,
    }
}

/// KLEE's number of a program error; checks that KLEE makes by `klee_report_error` have that one's.
fn fault_kind(kind: &FaultKind) -> u32 {
    match kind.suffix() {
        "abort" => 30,
        "assert" => 31,
        "bad_vector_access" => 32,
        "free" => 33,
        "model" => 34,
        "overflow" => 35,
        "ptr" => 36,
        "read_only" => 37,
        "invalid_builtin_use" => 39,
        "implicit_truncation" => 40,
        "implicit_conversion" => 41,
        "unreachable_call" => 42,
        "missing_return" => 43,
        "invalid_load" => 44,
        "nullable_attribute" => 45,
        "function_type_mismatch" => 46,
        "user" => 50,
        _ => 38,
    }
}
