//! `plat trie`: the decisions of a run.

use crate::args::resume::{TrieArgs, TrieCommand};
use crate::say::sayln;
use plat::Error;
use plat::trie::Trie;
use plat::trie::stats::Stats;
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
        TrieCommand::Dot { directory } => {
            sayln!("{}", Trie::read(directory)?.to_dot().trim_end());
        }
    }
    Ok(ExitCode::SUCCESS)
}
