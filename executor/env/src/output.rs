//! What a path has written to standard output or standard error: a rope of shared chunks.
//!
//! Clones share all chunks. A writer appends in place while it is the only owner of the last chunk,
//! and starts a new chunk otherwise, so that a fork copies nothing and the paths of a tree share the
//! output of their common prefix.

use plat_expr::Byte;
use std::sync::Arc;

/// A chunk is closed when it has this many bytes.
const CHUNK: usize = 4096;

#[derive(Debug)]
struct Chunk {
    before: Option<Arc<Chunk>>,
    bytes: Vec<Byte>,
}

impl Drop for Chunk {
    /// Drops the chain in a loop: it may be longer than the stack is deep.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(chunk) = next {
            next = Arc::into_inner(chunk).and_then(|mut chunk| chunk.before.take());
        }
    }
}

/// Captured output. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Output {
    last: Option<Arc<Chunk>>,
    size: u64,
}

impl PartialEq for Output {
    fn eq(&self, other: &Self) -> bool {
        let shared = match (&self.last, &other.last) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            (None, None) => true,
            _ => false,
        };
        self.size == other.size && (shared || self.bytes() == other.bytes())
    }
}

impl Output {
    /// How many bytes were written.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Append `bytes`.
    pub fn append(&mut self, bytes: &[Byte]) {
        if bytes.is_empty() {
            return;
        }
        self.size += bytes.len() as u64;
        if let Some(chunk) = self.last.as_mut().and_then(Arc::get_mut)
            && chunk.bytes.len() < CHUNK
        {
            chunk.bytes.extend_from_slice(bytes);
            return;
        }
        self.last = Some(Arc::new(Chunk {
            before: self.last.take(),
            bytes: bytes.to_vec(),
        }));
    }

    /// The bytes from position `from` on, first to last.
    pub fn bytes_from(&self, from: u64) -> Vec<Byte> {
        let mut missing = self.size.saturating_sub(from) as usize;
        let mut parts = Vec::new();
        let mut next = self.last.as_deref();
        while let Some(chunk) = next
            && missing > 0
        {
            let part = &chunk.bytes[chunk.bytes.len().saturating_sub(missing)..];
            missing -= part.len();
            parts.push(part);
            next = chunk.before.as_deref();
        }
        parts.into_iter().rev().flatten().copied().collect()
    }

    /// All bytes, first to last.
    pub fn bytes(&self) -> Vec<Byte> {
        self.bytes_from(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_share_their_past_only() {
        let text = |text: &str| -> Vec<Byte> { text.bytes().map(Byte::Concrete).collect() };
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
}
