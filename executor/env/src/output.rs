//! Captured standard output or standard error of a path: a rope of shared chunks.
//!
//! Clones share all chunks. A writer appends in place while it is the only owner of the last chunk,
//! else it starts a new one. So a fork copies nothing, and paths share the output of their common
//! prefix.
//!
//! A path keeps only the first [`KEPT`] bytes, so that a program that prints without end does not
//! exhaust memory. Later bytes are counted. Those of the last append can be read until the next
//! one, so that they can be passed on as they are written.

use plat_expr::{Byte, ExprId, Holder, Link, Marks, Moves};
use std::rc::Rc;

/// Bytes that are kept.
pub const KEPT: u64 = 16 << 20;

/// A chunk is closed when it has this many bytes.
const CHUNK: usize = 4096;

/// The bytes of a chunk.
#[derive(Clone, Debug)]
enum Bytes {
    Concrete(Vec<u8>),
    Any(Vec<Byte>),
}

impl Bytes {
    fn new(bytes: &[Byte]) -> Self {
        let concrete = bytes.iter().map(|byte| match byte {
            Byte::Concrete(byte) => Some(*byte),
            Byte::Symbolic(_) => None,
        });
        match concrete.collect() {
            Some(concrete) => Bytes::Concrete(concrete),
            None => Bytes::Any(bytes.to_vec()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Bytes::Concrete(bytes) => bytes.len(),
            Bytes::Any(bytes) => bytes.len(),
        }
    }

    fn extend(&mut self, more: &[Byte]) {
        match (&mut *self, Bytes::new(more)) {
            (Bytes::Concrete(bytes), Bytes::Concrete(more)) => bytes.extend(more),
            (Bytes::Any(bytes), _) => bytes.extend_from_slice(more),
            (Bytes::Concrete(_), Bytes::Any(more)) => {
                let mut all = Vec::new();
                self.add_to(0, &mut all);
                all.extend(more);
                *self = Bytes::Any(all);
            }
        }
    }

    /// Appends the bytes from a position on to others.
    fn add_to(&self, from: usize, all: &mut Vec<Byte>) {
        match self {
            Bytes::Concrete(bytes) => all.extend(bytes[from..].iter().copied().map(Byte::Concrete)),
            Bytes::Any(bytes) => all.extend_from_slice(&bytes[from..]),
        }
    }
}

#[derive(Clone, Debug)]
struct Chunk {
    before: Option<Rc<Chunk>>,
    bytes: Bytes,
}

impl Holder for Bytes {
    fn mark(&self, marks: &mut Marks<'_>) {
        match self {
            Bytes::Concrete(_) => {}
            Bytes::Any(bytes) => bytes.mark(marks),
        }
    }

    fn relocate(&mut self, moves: &mut Moves) {
        match self {
            Bytes::Concrete(_) => {}
            Bytes::Any(bytes) => bytes.relocate(moves),
        }
    }
}

impl Link for Chunk {
    fn next(&self) -> Option<&Rc<Self>> {
        self.before.as_ref()
    }

    fn next_mut(&mut self) -> &mut Option<Rc<Self>> {
        &mut self.before
    }

    fn mark_own(&self, marks: &mut Marks<'_>) {
        let Self { before: _, bytes } = self;
        bytes.mark(marks);
    }

    fn relocate_own(&mut self, moves: &mut Moves) {
        let Self { before: _, bytes } = self;
        bytes.relocate(moves);
    }
}

impl Drop for Chunk {
    /// Drops the chain in a loop, as recursion could overflow the stack.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(chunk) = next {
            next = Rc::into_inner(chunk).and_then(|mut chunk| chunk.before.take());
        }
    }
}

/// Captured output. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Output {
    last: Option<Rc<Chunk>>,
    size: u64,
    /// The part of the last append that is not kept.
    unkept: Option<Rc<Bytes>>,
}

impl Holder for Output {
    fn mark(&self, marks: &mut Marks<'_>) {
        let Self {
            last,
            size: _,
            unkept,
        } = self;
        Chunk::mark_list(last.as_ref(), marks);
        unkept.mark(marks);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        let Self {
            last,
            size: _,
            unkept,
        } = self;
        Chunk::relocate_list(last, moves);
        unkept.relocate(moves);
    }
}

impl PartialEq for Output {
    /// Outputs that are not kept whole compare as unequal.
    fn eq(&self, other: &Self) -> bool {
        let shared = match (&self.last, &other.last) {
            (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
            (None, None) => true,
            _ => false,
        };
        self.size == other.size && self.cut() == 0 && (shared || self.bytes() == other.bytes())
    }
}

impl Output {
    /// How many bytes were written.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many bytes were written but not kept.
    pub fn cut(&self) -> u64 {
        self.size.saturating_sub(KEPT)
    }

    /// Append `bytes`.
    pub fn append(&mut self, bytes: &[Byte]) {
        if bytes.is_empty() {
            return;
        }
        let room = KEPT.saturating_sub(self.size).min(bytes.len() as u64) as usize;
        self.size += bytes.len() as u64;
        let (kept, unkept) = bytes.split_at(room);
        self.unkept = (!unkept.is_empty()).then(|| Rc::new(Bytes::new(unkept)));
        if kept.is_empty() {
            return;
        }
        if let Some(chunk) = self.last.as_mut().and_then(Rc::get_mut)
            && chunk.bytes.len() < CHUNK
        {
            chunk.bytes.extend(kept);
            return;
        }
        self.last = Some(Rc::new(Chunk {
            before: self.last.take(),
            bytes: Bytes::new(kept),
        }));
    }

    /// The bytes from position `from` on; of those not kept, only the last append.
    pub fn bytes_from(&self, from: u64) -> Vec<Byte> {
        let mut missing = self.size.min(KEPT).saturating_sub(from) as usize;
        let mut parts = Vec::new();
        let mut next = self.last.as_deref();
        while let Some(chunk) = next
            && missing > 0
        {
            let start = chunk.bytes.len().saturating_sub(missing);
            missing -= chunk.bytes.len() - start;
            parts.push((&chunk.bytes, start));
            next = chunk.before.as_deref();
        }
        let mut all = Vec::new();
        for (bytes, start) in parts.into_iter().rev() {
            bytes.add_to(start, &mut all);
        }
        if let Some(unkept) = self.unkept.as_deref() {
            let start = self.size - unkept.len() as u64;
            let from = from.saturating_sub(start).min(unkept.len() as u64);
            unkept.add_to(from as usize, &mut all);
        }
        all
    }

    /// The kept bytes.
    pub fn bytes(&self) -> Vec<Byte> {
        let mut all = Vec::new();
        for chunk in self.chunks() {
            chunk.add_to(0, &mut all);
        }
        all
    }

    /// The kept bytes, symbolic ones replaced by `value`.
    pub fn concrete(&self, mut value: impl FnMut(ExprId) -> u8) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.size.min(KEPT) as usize);
        for chunk in self.chunks() {
            match chunk {
                Bytes::Concrete(bytes) => all.extend_from_slice(bytes),
                Bytes::Any(bytes) => all.extend(bytes.iter().map(|byte| match *byte {
                    Byte::Concrete(byte) => byte,
                    Byte::Symbolic(expr) => value(expr),
                })),
            }
        }
        all
    }

    /// The chunks, first to last.
    fn chunks(&self) -> impl Iterator<Item = &Bytes> {
        let mut chunks = Vec::new();
        let mut next = self.last.as_deref();
        while let Some(chunk) = next {
            chunks.push(&chunk.bytes);
            next = chunk.before.as_deref();
        }
        chunks.into_iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_expr::TRUE;

    fn text(text: &str) -> Vec<Byte> {
        text.bytes().map(Byte::Concrete).collect()
    }

    #[test]
    fn forks_share_their_past_only() {
        let mut first = Output::default();
        first.append(&text("common "));
        let mut second = first.clone();
        first.append(&text("first"));
        second.append(&text("second"));
        second.append(&text(" more"));
        assert_eq!(first.bytes(), text("common first"));
        assert_eq!(second.bytes(), text("common second more"));
        for from in 0..20 {
            let all = second.bytes();
            let expected = all.get(from.min(all.len())..).unwrap_or_default();
            assert_eq!(second.bytes_from(from as u64), expected);
        }
        // Long chains are dropped without recursion.
        let mut long = Output::default();
        for _ in 0..300_000 {
            let fork = long.clone();
            long.append(&text("x"));
            drop(fork);
        }
        assert_eq!(long.size(), 300_000);
        assert_eq!(long.bytes_from(299_999), text("x"));
    }

    #[test]
    fn symbolic_bytes_stay_where_they_are() {
        let symbolic = Byte::Symbolic(TRUE);
        let mut output = Output::default();
        for part in [&text("ab")[..], &[symbolic], &text("c"), &[symbolic]] {
            output.append(part);
        }
        let expected = [&text("ab")[..], &[symbolic], &text("c"), &[symbolic]].concat();
        assert_eq!(output.bytes(), expected);
    }

    #[test]
    fn bytes_beyond_the_limit_are_not_kept() {
        let mut output = Output::default();
        let block: Vec<Byte> = (0..3 << 20).map(|at| Byte::Concrete(at as u8)).collect();
        for number in 1..=10u64 {
            let before = output.size();
            output.append(&block);
            assert_eq!(output.bytes_from(before), block, "block {number}");
            assert_eq!(output.size(), number * block.len() as u64);
            assert_eq!(output.cut(), output.size().saturating_sub(KEPT));
        }
        assert_eq!(output.bytes().len() as u64, KEPT);
        assert_eq!(output.bytes()[..block.len()], block);
        assert!(output != output.clone());
    }
}
