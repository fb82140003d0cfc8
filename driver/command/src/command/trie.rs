//! `plat trie`: the decisions of a run.

use crate::args::resume::{TrieArgs, TrieCommand};
use crate::say::say;
use plat::Error;
use plat::trie::Trie;
use plat::trie::stats::Stats;
use std::process::ExitCode;

pub(super) fn execute(args: &TrieArgs) -> Result<ExitCode, Error> {
    match &args.what {
        TrieCommand::Show { directory, depth } => {
            say!("{}", Trie::read(directory)?.to_text(*depth).trim_end());
        }
        TrieCommand::Stats { directory } => {
            say!(
                "{}",
                Stats::of(&Trie::read(directory)?).to_text().trim_end()
            );
        }
        TrieCommand::Dot { directory } => {
            say!("{}", Trie::read(directory)?.to_dot().trim_end());
        }
    }
    Ok(ExitCode::SUCCESS)
}
