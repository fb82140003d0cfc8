//! `plat trie`: the decisions of a run.

use crate::args::resume::{TrieArgs, TrieCommand};
use crate::say::sayln;
use plat::Error;
use plat::output::directory::ensure;
use plat::trie::stats::Stats;
use plat::trie::{Reopen, Trie};
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
        } => divide(directory, *pieces, output)?,
        TrieCommand::Dot { directory } => {
            sayln!("{}", Trie::read(directory)?.to_dot().trim_end());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn divide(directory: &Path, pieces: u32, output: &Path) -> Result<(), Error> {
    let trie = Trie::read(directory)?;
    ensure(output)?;
    let pieces = trie.divide(Reopen::NONE, pieces as usize);
    for (piece, number) in pieces.iter().zip(1..) {
        let file = output.join(format!("{number}.work"));
        trie.write_piece(piece, &file)?;
        sayln!("{} {}", file.display(), piece.len());
    }
    Ok(())
}
