//! `run.stats` read: how a run went, a sample for each row. What a run that went on has written before stands
//! beside it in `session-N`: the samples of all sessions make one line.

use crate::Error;
use rusqlite::{Connection, OpenFlags, Row};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The name of the file in the directory of a run.
pub const FILE: &str = "run.stats";

/// How far a run was at one time.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Sample {
    /// Seconds since the run has begun, over all sessions.
    pub seconds: f64,
    /// Instructions executed, over all paths.
    pub instructions: u64,
    /// Paths that have ended.
    pub ended: u64,
    /// Those of them that have ended in a fault of the program.
    pub faults: u64,
    /// Live paths.
    pub states: u64,
    /// Resident memory in bytes.
    pub resident: u64,
    /// Queries to the solver's layers.
    pub queries: u64,
    /// Queries that the back end was asked.
    pub backend_queries: u64,
    /// Seconds in all layers of the solver.
    pub solver_seconds: f64,
    /// Seconds in the back end.
    pub backend_seconds: f64,
    /// Lines of the program's own code, and those that are covered.
    pub lines: (u64, u64),
    /// Sides of branches of the program's own code, and those that are covered.
    pub branches: (u64, u64),
}

/// The ends of paths, by column. The faults come first.
const ENDS: &str = "TerminationProgramError + TerminationUserError, TerminationExit + TerminationEarly \
     + TerminationSolverError + TerminationExecutionError + TerminationEarlyAlgorithm + TerminationEarlyUser";

/// The samples of a run, in the order of time.
///
/// # Errors
/// When the run has no such file, or it cannot be read.
pub fn read(directory: &Path) -> Result<Vec<Sample>, Error> {
    let mut all: Vec<Sample> = Vec::new();
    for file in sessions(directory) {
        let before = all.last().copied().unwrap_or_default();
        let session = read_file(&file).map_err(|why| {
            let file = file.display();
            Error::input(format!("{file}: cannot be read: {why}"))
        })?;
        let first = session.first().copied().unwrap_or_default();
        all.extend(session.iter().map(|sample| sample.behind(&before, &first)));
    }
    Ok(all)
}

/// The files of the sessions that are over, then that of the last one.
fn sessions(directory: &Path) -> Vec<PathBuf> {
    let earlier = (1..).map(|number| directory.join(format!("session-{number}")));
    let earlier = earlier.take_while(|session| session.is_dir());
    let files = earlier.map(|session| session.join(FILE));
    let mut files: Vec<PathBuf> = files.filter(|file| file.exists()).collect();
    files.push(directory.join(FILE));
    files
}

fn read_file(file: &Path) -> rusqlite::Result<Vec<Sample>> {
    let text = format!(
        "SELECT WallTime, Instructions, {ENDS}, NumStates, MallocUsage, Queries, SolverQueries, \
         SolverTime, QueryTime, OwnLines, OwnCoveredLines, OwnBranches, OwnCoveredBranches \
         FROM stats ORDER BY rowid"
    );
    let connection = open(file)?;
    let mut statement = connection.prepare(&text)?;
    let samples = statement.query_map([], sample)?;
    samples.collect()
}

/// Opens the file of a run that may go on, be over, or have been killed, in a directory that may be
/// read-only. Without a log of changes beside it nobody writes to it.
fn open(file: &Path) -> rusqlite::Result<Connection> {
    let log = PathBuf::from(format!("{}-wal", file.display()));
    let flags = OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_READ_ONLY;
    let changing = if log.exists() { "" } else { "&immutable=1" };
    let name = escaped(&file.display().to_string());
    Connection::open_with_flags(format!("file:{name}?mode=ro{changing}"), flags)
}

/// A path in an address.
fn escaped(path: &str) -> String {
    let path = path.replace('%', "%25");
    path.replace('?', "%3f").replace('#', "%23")
}

fn sample(row: &Row<'_>) -> rusqlite::Result<Sample> {
    let count = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
    let seconds = |at: usize| count(at).map(|micros| micros as f64 / 1e6);
    let (faults, others) = (count(2)?, count(3)?);
    Ok(Sample {
        seconds: row.get::<_, f64>(0)? / 1e6,
        instructions: count(1)?,
        ended: faults + others,
        faults,
        states: count(4)?,
        resident: count(5)?,
        queries: count(6)?,
        backend_queries: count(7)?,
        solver_seconds: seconds(8)?,
        backend_seconds: seconds(9)?,
        lines: (count(10)?, count(11)?),
        branches: (count(12)?, count(13)?),
    })
}

impl Sample {
    /// This sample of a session, behind the last one of the session before. What a session counts anew
    /// is added to what was counted before.
    fn behind(&self, before: &Sample, first: &Sample) -> Sample {
        let on = |get: fn(&Sample) -> u64| match get(first) < get(before) {
            true => get(before) + get(self),
            false => get(self),
        };
        let on_seconds = |get: fn(&Sample) -> f64| match get(first) < get(before) {
            true => get(before) + get(self),
            false => get(self),
        };
        Sample {
            seconds: before.seconds + self.seconds,
            instructions: on(|it| it.instructions),
            ended: on(|it| it.ended),
            faults: on(|it| it.faults),
            queries: on(|it| it.queries),
            backend_queries: on(|it| it.backend_queries),
            solver_seconds: on_seconds(|it| it.solver_seconds),
            backend_seconds: on_seconds(|it| it.backend_seconds),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(directory: &Path, rows: &[(u64, u64, u64)]) {
        std::fs::create_dir_all(directory).expect("a directory");
        let connection = Connection::open(directory.join(FILE)).expect("a file");
        let columns = "WallTime REAL, Instructions, TerminationExit, Queries";
        let others = [
            "TerminationProgramError",
            "TerminationUserError",
            "TerminationEarly",
            "TerminationSolverError",
            "TerminationExecutionError",
            "TerminationEarlyAlgorithm",
            "TerminationEarlyUser",
            "NumStates",
            "MallocUsage",
            "SolverQueries",
            "SolverTime",
            "QueryTime",
            "OwnLines",
            "OwnCoveredLines",
            "OwnBranches",
            "OwnCoveredBranches",
        ];
        let others = others.map(|name| format!("{name} INTEGER DEFAULT 0"));
        let table = format!("CREATE TABLE stats ({columns}, {})", others.join(","));
        connection.execute_batch(&table).expect("a table");
        for (wall, instructions, queries) in rows {
            let row = format!(
                "INSERT INTO stats (WallTime, Instructions, TerminationExit, Queries) \
                 VALUES ({wall}e6, {instructions}, {wall}, {queries})"
            );
            connection.execute_batch(&row).expect("a row");
        }
    }

    #[test]
    fn sessions_make_one_line() {
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path().join("a#b?c%20");
        write(&directory.join("session-1"), &[(0, 0, 0), (3, 300, 30)]);
        write(&directory, &[(1, 310, 1), (2, 500, 9)]);
        let samples = read(&directory).expect("samples");
        let brief = |it: &Sample| (it.seconds as u64, it.instructions, it.queries, it.ended);
        let brief: Vec<_> = samples.iter().map(brief).collect();
        // Instructions are counted on, queries and ended paths anew.
        assert_eq!(
            brief,
            [
                (0, 0, 0, 0),
                (3, 300, 30, 3),
                (4, 310, 31, 4),
                (5, 500, 39, 5)
            ]
        );
    }

    #[test]
    fn what_is_no_such_file_is_an_error() {
        let directory = tempfile::tempdir().expect("a directory");
        read(directory.path()).expect_err("no file");
        std::fs::write(directory.path().join(FILE), "text").expect("a file");
        let why = read(directory.path()).expect_err("no database");
        assert!(why.message.contains("run.stats: cannot be read"), "{why}");
    }
}
