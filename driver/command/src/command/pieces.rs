//! `plat run --pieces-from-stdin`: pieces of work, one after the other, of a program that is loaded once.
//!
//! Each piece is done by a fork of this process, which goes on as if the command line had had the options of its
//! line: nothing of one piece is left for the next. A line that begins with `trie` is that command, for what a piece
//! has left: to start plat for it would take longer than to do it. This process keeps to what a fork leaves whole: it
//! has no other threads.

use crate::args::{Asked, Command, RunArgs, parse};
use crate::command::{run, trie};
use crate::plan;
use crate::say::{self, note};
use plat::{Error, Explorer};
use plat_program::Program;
use plat_protocol::{Divided, fork};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, getppid, kill_process, set_parent_process_death_signal,
    waitpid,
};
use rustix::stdio::{dup2_stdin, dup2_stdout};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::process::ExitCode;

/// The option that says so.
const OPTION: &str = "--pieces-from-stdin";

/// The line that ends a piece.
const END: &str = "end";

/// The command that lines may have beside pieces.
const TRIE: &str = "trie";

pub(super) fn execute(args: &RunArgs, line: &[String]) -> Result<ExitCode, Error> {
    let mut lines = Lines::take_stdin().map_err(|why| failed(&why))?;
    let plan = plan::run(args)?;
    if plan.files.source || plan.files.module {
        return Err(Error::input(format!(
            "{OPTION} needs --output-source=false, and no --output-module: the program is not read anew for each piece"
        )));
    }
    let loaded = plan.options_of(Explorer::transformed(&plan.program));
    // Never freed: what a fork frees it has to copy first, page by page.
    let program: &Program = Box::leak(Box::new(loaded.prepare()?.into_program()));
    while let Some(piece) = lines.next().map_err(|why| failed(&why))? {
        // One that was to end has ended by itself.
        if piece == END {
            continue;
        }
        let (over, alive) = io::pipe().map_err(|why| failed(&why))?;
        let parent = getpid();
        match fork().map_err(|why| failed(&why))? {
            Divided::Child => {
                drop(over);
                end_with(parent).map_err(|why| failed(&why))?;
                return explore(&piece, line, program, &alive);
            }
            Divided::Parent(child) => {
                drop(alive);
                match lines.wait(child, &over).map_err(|why| failed(&why))? {
                    Some(code) => say::print(format_args!("ended {code}\n"))?,
                    None => {
                        note!(
                            "plat: {OPTION}: standard input has ended, and with it the piece that ran"
                        );
                        break;
                    }
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn failed(why: &io::Error) -> Error {
    Error::input(format!("{OPTION}: {why}"))
}

/// Ends this process when the one that has begun it ends, however that is ended.
fn end_with(parent: Pid) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    match getppid() == Some(parent) {
        true => Ok(()),
        false => Err(ErrorKind::BrokenPipe.into()),
    }
}

/// Does what a line says in this process, whose end closes `_alive`.
fn explore(
    piece: &str,
    line: &[String],
    program: &Program,
    _alive: &PipeWriter,
) -> Result<ExitCode, Error> {
    // What a path prints is no answer.
    dup2_stdout(nothing().map_err(|why| failed(&why))?).map_err(|why| failed(&why.into()))?;
    let line = line_of(piece, line)?;
    let words: Vec<OsString> = line.iter().map(OsString::from).collect();
    match parse(&words)? {
        Asked::Command(parsed) => match parsed.command {
            Command::Run(args) => run::of_program(&args, &line, program),
            Command::Trie(args) => trie::execute(&args),
            _ => Err(Error::internal("a piece of work is run")),
        },
        Asked::Text(_) => Err(Error::input(format!("{OPTION}: no piece of work: {piece}"))),
    }
}

/// A file without anything.
fn nothing() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/null")
}

/// The command line that a line is done by.
fn line_of(piece: &str, line: &[String]) -> Result<Vec<String>, Error> {
    let further = shlex::split(piece);
    let further =
        further.ok_or_else(|| Error::input(format!("{OPTION}: an open quote in {piece}")))?;
    if further.first().is_some_and(|word| word == TRIE) {
        return Ok([&line[..1], &further].concat());
    }
    // Behind the program's name, the option would be the program's.
    let at = line.iter().position(|word| word == OPTION);
    let at = at.ok_or_else(|| Error::internal("a command line without its option"))?;
    Ok([&line[..at], &further, &line[at + 1..]].concat())
}

/// The lines of standard input, without waiting for one that is not wanted yet.
struct Lines {
    from: OwnedFd,
    read: Vec<u8>,
    /// Pieces that were told while another one ran.
    waiting: VecDeque<String>,
}

impl Lines {
    /// Takes standard input away from the program, which would get it as its own: it has none.
    fn take_stdin() -> io::Result<Self> {
        let from = rustix::stdio::stdin().try_clone_to_owned()?;
        dup2_stdin(nothing()?)?;
        Ok(Lines {
            from,
            read: Vec::new(),
            waiting: VecDeque::new(),
        })
    }

    /// The next one; none at the end.
    fn next(&mut self) -> io::Result<Option<String>> {
        if let Some(piece) = self.waiting.pop_front() {
            return Ok(Some(piece));
        }
        loop {
            if let Some(line) = self.take()? {
                return Ok(Some(line));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    fn take(&mut self) -> io::Result<Option<String>> {
        let Some(end) = self.read.iter().position(|&byte| byte == b'\n') else {
            return Ok(None);
        };
        let mut line: Vec<u8> = self.read.drain(..=end).collect();
        line.pop();
        let line = String::from_utf8(line);
        line.map(Some)
            .map_err(|why| io::Error::new(ErrorKind::InvalidData, why))
    }

    /// Reads what there is, at least a byte. Says whether there was one.
    fn more(&mut self) -> io::Result<bool> {
        let mut block = [0; 4096];
        let count = rustix::io::read(&self.from, &mut block)?;
        self.read.extend(&block[..count]);
        Ok(count > 0)
    }

    /// Waits until a piece is over, and ends it if a line says so: its exit code. None if there are no more lines
    /// to come: whoever wants the piece has gone.
    fn wait(&mut self, child: u32, over: &PipeReader) -> io::Result<Option<i32>> {
        let child = Pid::from_raw(child.cast_signed()).ok_or(ErrorKind::NotFound)?;
        loop {
            while let Some(line) = self.take()? {
                match line == END {
                    true => kill_process(child, Signal::TERM)?,
                    false => self.waiting.push_back(line),
                }
            }
            let mut ends = [
                PollFd::new(over, PollFlags::IN),
                PollFd::new(&self.from, PollFlags::IN),
            ];
            match poll(&mut ends, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(why) => return Err(why.into()),
            }
            let [over, line] = ends.map(|end| !end.revents().is_empty());
            if over {
                return code_of(child).map(Some);
            }
            if line && !self.more()? {
                let _ = kill_process(child, Signal::KILL);
                code_of(child)?;
                return Ok(None);
            }
        }
    }
}

/// The exit code of a process that ends now; less than 0 where a signal has ended it.
fn code_of(child: Pid) -> io::Result<i32> {
    let (_, status) = waitpid(Some(child), WaitOptions::empty())?.ok_or(ErrorKind::NotFound)?;
    let signal = status.terminating_signal().map(|signal| -signal);
    Ok(status.exit_status().or(signal).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_options_of_a_piece_stand_where_the_option_stood() {
        let line = words("plat run --quiet --pieces-from-stdin p.bc --sym-arg 2");
        let piece = line_of("--results 'a b' --budget 1s", &line).unwrap();
        let expected = [
            "plat",
            "run",
            "--quiet",
            "--results",
            "a b",
            "--budget",
            "1s",
            "p.bc",
            "--sym-arg",
            "2",
        ];
        assert_eq!(piece, expected);
        assert!(line_of("--results 'a b", &line).is_err());
        let trie = line_of("trie divide 'a b' -o c", &line).unwrap();
        assert_eq!(trie, ["plat", "trie", "divide", "a b", "-o", "c"]);
    }
}
