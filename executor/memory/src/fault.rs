//! What can be wrong with a memory access.
//!
//! The first lines of the messages are KLEE's, so that tools that read KLEE's reports read ours;
//! the details say more than KLEE can, because every object knows its bounds, its allocation site
//! and where it was freed.

use crate::objects::{Kind, ObjectInfo, Site};
use plat_expr::ObjectId;
use plat_program::InstId;
use std::fmt;

/// The kinds of memory faults.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// Outside the bounds of the object that the pointer belongs to, or of every object.
    OutOfBounds,
    /// An address below the first page.
    NullPage,
    /// In an object that has been freed.
    UseAfterFree,
    /// In a stack object whose function has returned.
    UseAfterReturn,
    /// In a stack object whose block has ended.
    UseAfterScope,
    /// Freeing what has been freed.
    DoubleFree,
    /// Freeing an address that malloc never returned.
    InvalidFree,
    /// Freeing an alloca.
    FreeOfAlloca,
    /// Freeing a global.
    FreeOfGlobal,
    /// Writing to a constant.
    ReadOnly,
}

impl FaultKind {
    /// The message, in KLEE's words where KLEE tells the kind apart.
    pub const fn message(self) -> &'static str {
        match self {
            Self::OutOfBounds => "memory error: out of bound pointer",
            Self::NullPage => "memory error: null page access",
            Self::UseAfterFree => "memory error: use after free",
            Self::UseAfterReturn => "memory error: use after return",
            Self::UseAfterScope => "memory error: use after scope",
            Self::DoubleFree => "memory error: double free",
            Self::InvalidFree => "memory error: invalid pointer: free",
            Self::FreeOfAlloca => "free of alloca",
            Self::FreeOfGlobal => "free of global",
            Self::ReadOnly => "memory error: object read only",
        }
    }
}

/// A memory fault, with an example of an address at which it happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The object that the pointer belongs to, if it belongs to one.
    pub object: Option<ObjectId>,
    /// The number of the pointer (under the model of the outcome, when it is symbolic).
    pub address: u64,
    /// Its distance from the start of `object`.
    pub offset: i64,
    /// Number of bytes accessed.
    pub access: u64,
    /// Where `object` was freed, if it has been; a stack object where its function returned or its
    /// block ended.
    pub freed_at: Option<InstId>,
    /// The constant facts about `object`.
    pub info: Option<ObjectInfo>,
}

impl Fault {
    /// How many bytes lie between the object and the access (negative: in front of it); 0 when
    /// they touch or overlap.
    pub fn distance(&self) -> i64 {
        let size = self.info.map_or(0, |info| info.size.cast_signed());
        let end = self.offset.saturating_add_unsigned(self.access);
        if end <= 0 {
            end
        } else {
            self.offset.saturating_sub(size).max(0)
        }
    }

    /// The details, a line each. `site` renders a program location.
    pub fn details(&self, site: &dyn Fn(Site) -> String) -> Vec<String> {
        let mut lines = vec![format!("address: {}", self.address)];
        let Some(info) = self.info else {
            lines.push(format!("access: {} bytes, in no object", self.access));
            return lines;
        };
        let place = match self.distance() {
            _ if self.kind != FaultKind::OutOfBounds => String::new(),
            0 if self.offset < 0 => ", across its start".into(),
            0 if self.offset.cast_unsigned() < info.size => ", across its end".into(),
            0 => ", at its end".into(),
            far if far < 0 => format!(", {} bytes before its start", -far),
            far => format!(", {far} bytes behind its end"),
        };
        lines.push(format!(
            "access: {} bytes at offset {} of an object of {} bytes{place}",
            self.access, self.offset, info.size
        ));
        let kind = match info.kind {
            Kind::Stack => "stack object",
            Kind::Heap => "heap object",
            Kind::Global => "global",
            Kind::Constant => "constant",
            Kind::Function => "function",
        };
        lines.push(format!(
            "object: {kind} at {}, allocated at {}",
            info.number,
            site(info.site)
        ));
        match self.freed_at {
            Some(inst) if info.kind == Kind::Stack => {
                let end = match self.kind {
                    FaultKind::UseAfterScope => "with its scope",
                    _ => "when its function returned",
                };
                let place = site(Site::Inst(inst));
                lines.push(format!("lifetime: ended {end} at {place}"));
            }
            Some(inst) => lines.push(format!("freed at: {}", site(Site::Inst(inst)))),
            None => {}
        }
        lines
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.message())
    }
}
