//! `plat trie`: the decisions of a run.

use crate::args::resume::{TrieArgs, TrieCommand};
use crate::exit::ENDED_BY_ERROR;
use crate::say::sayln;
use plat::Error;
use plat::output::compress::{Compressed, compress};
use plat::output::directory::ensure;
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
        } => divide(directory, *pieces, output, *again)?,
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

fn divide(directory: &Path, pieces: u32, output: &Path, again: bool) -> Result<(), Error> {
    let mut trie = Trie::read(directory)?;
    if again {
        trie = trie.again();
    }
    ensure(output)?;
    let pieces = trie.divide(Reopen::NONE, pieces as usize);
    let files = trie.write_pieces(&pieces, output)?;
    for (piece, file) in pieces.iter().zip(files) {
        sayln!("{} {} {:e}", file.display(), piece.len(), piece.share());
    }
    Ok(())
}
