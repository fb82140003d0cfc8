//! `plat trie`: the decisions of a run.

use crate::args::resume::{TrieArgs, TrieCommand};
use crate::exit::ENDED_BY_ERROR;
use crate::say::{print, sayln};
use plat::Error;
use plat::output::compress::{Compressed, compress};
use plat::output::directory::{ensure, write_whole};
use plat::trie::diff::Difference;
use plat::trie::stats::Stats;
use plat::trie::{Reopen, Trie, merge};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn execute(args: &TrieArgs) -> Result<ExitCode, Error> {
    match &args.what {
        TrieCommand::Show { directory, depth } => {
            sayln!("{}", Trie::read(directory)?.to_text(*depth).trim_end());
        }
        TrieCommand::Stats { directory } => {
            sayln!(
                "{}",
                Stats::of(&Trie::read(directory)?).to_text().trim_end()
            );
        }
        TrieCommand::Divide {
            directory,
            pieces,
            output,
            again,
            coverage,
            list,
        } => {
            let mut trie = Trie::read(directory)?;
            if let Some(file) = coverage {
                write_whole(file, trie.coverage().to_json().as_bytes())?;
            }
            if *again {
                trie = trie.again();
            }
            let lines = divide(&trie, *pieces, output)?;
            match list {
                Some(file) => write_whole(file, lines.as_bytes())?,
                None => print(format_args!("{lines}"))?,
            }
        }
        TrieCommand::Compress { directory } => {
            let Compressed { from, to } = compress(directory)?;
            sayln!("{}: {from} bytes, now {to}", directory.display());
        }
        TrieCommand::Merge {
            directories,
            output,
        } => {
            ensure(output)?;
            let stats = Stats::of(&merge(directories, output)?);
            let (place, runs) = (output.display(), directories.len());
            let (nodes, open) = (stats.nodes, stats.open);
            sayln!("{place}: {nodes} nodes of {runs} runs, {open} paths are open");
        }
        TrieCommand::Html { directory, depth } => {
            sayln!("{}", Trie::read(directory)?.to_html(*depth).trim_end());
        }
        TrieCommand::Diff { one, other, most } => {
            let (one, other) = (Trie::read(one)?, Trie::read(other)?);
            let difference = Difference::of(&one, &other, *most);
            sayln!("{}", difference.to_text().trim_end());
            if !difference.is_empty() {
                return Ok(ExitCode::from(ENDED_BY_ERROR));
            }
        }
        TrieCommand::Coverage { directory } => {
            sayln!("{}", plat::trie::coverage(directory)?.to_json());
        }
        TrieCommand::Dot { directory } => {
            sayln!("{}", Trie::read(directory)?.to_dot().trim_end());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes pieces of work, and returns a line for each.
fn divide(trie: &Trie, pieces: u32, output: &Path) -> Result<String, Error> {
    ensure(output)?;
    let pieces = trie.divide(Reopen::NONE, pieces as usize);
    let files = trie.write_pieces(&pieces, output)?;
    let of_each = pieces.iter().zip(files).map(|(piece, file)| {
        let (file, paths, share) = (file.display(), piece.len(), piece.share());
        format!("{file} {paths} {share:e}\n")
    });
    Ok(of_each.collect())
}
