//! What a run leaves behind: one file here for each format.

pub mod checked;
pub mod comparison;
pub mod directory;
pub mod drawing;
pub mod error_report;
pub mod info;
pub mod ktest;
pub mod log;
pub mod queries;
pub mod summary;
pub mod table;
pub mod tests_jsonl;
