//! Options about external calls, as typed. [`crate::plan`] says what they mean.

use super::values;
use clap::{Args, ValueEnum};
use std::time::Duration;

/// What becomes of a call of a function that has no body.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExternalCalls {
    /// The path ends: unsupported
    #[value(alias = "none")]
    Refuse,
    /// Functions of --external-allow are called as machine code, with concrete data
    #[value(alias = "all")]
    Concrete,
}

/// Functions without a body.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "External calls")]
pub struct ExternalArgs {
    /// What becomes of calls of functions that have no body
    #[arg(long, value_name = "POLICY", value_enum, default_value_t = ExternalCalls::Refuse)]
    pub external_calls: ExternalCalls,

    /// Functions that may be called as machine code (repeatable, or separated by commas)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub external_allow: Vec<String>,

    /// A shared library that such functions are in, beside libc (repeatable)
    #[arg(long, value_name = "FILE")]
    pub external_library: Vec<String>,

    /// Longest time of one external call [default: 10s]
    #[arg(long, value_name = "SPAN", value_parser = values::span)]
    pub max_external_time: Option<Duration>,
}
