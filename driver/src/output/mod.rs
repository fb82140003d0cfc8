//! What a run leaves behind: one file here for each format.

pub mod assembly;
pub mod call_profile;
pub mod checked;
pub mod comparison;
pub mod decisions;
pub mod directory;
pub mod drawing;
pub mod error_report;
pub mod error_types;
pub mod exec_tree;
pub mod files;
pub mod info;
pub mod ktest;
pub mod log;
pub mod queries;
mod recorder;
pub mod recording;
pub mod run_istats;
pub mod run_stats;
pub mod summarise;
pub mod summary;
pub mod table;
pub mod test_files;
pub mod tests_jsonl;
pub mod trouble;
pub mod xml_tests;
