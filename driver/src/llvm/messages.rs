//! The messages between plat and the process in which LLVM works: steps one way, their results the
//! other way.

use plat_transform::{Annotations, FunctionAlias};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;

/// Something to do.
#[derive(Serialize, Deserialize, Debug)]
pub enum Request {
    /// Reply: the report of the link.
    Link(Link),
    /// Reply: the report of the transformation.
    Transform(Transform),
    /// Read a file. Reply: nothing, and the bytes of a program behind it.
    Read(OsString),
    /// Write what was read last to a file, as text, and end. Reply: on which lines instructions stand.
    Print(OsString),
}

/// The link stage.
#[derive(Serialize, Deserialize, Debug)]
pub struct Link {
    /// The program.
    pub input: OsString,
    /// Further files of it.
    pub further: Vec<OsString>,
    /// Where it starts.
    pub entry: Option<String>,
    /// The C library; without one the program is only lowered, and its variables stay in memory.
    pub library: Option<OsString>,
    /// The C++ library, if it is there.
    pub cxx_library: Option<OsString>,
    /// Whether it is optimised.
    pub optimize: bool,
    /// Functions that stand in for others.
    pub aliases: Vec<FunctionAlias>,
    /// Whether switches become comparisons.
    pub lower_switches: bool,
    /// The result.
    pub out: OsString,
    /// Whether no other step follows.
    pub last: bool,
}

/// The transform stage.
#[derive(Serialize, Deserialize, Debug)]
pub struct Transform {
    /// The linked program.
    pub input: OsString,
    /// What is written into it.
    pub annotations: Annotations,
    /// The functions that take the place of realloc.
    pub realloc: OsString,
    /// The result.
    pub out: OsString,
    /// Whether no other step follows.
    pub last: bool,
}
