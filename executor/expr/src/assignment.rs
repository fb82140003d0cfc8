//! Assignments: concrete bytes for symbols. Bytes that are not there count as 0, so that an
//! assignment covers every symbol, also those made after it.

use std::sync::Arc;

use crate::ids::SymbolId;
use crate::symbols::SymbolSet;

/// A value for every symbolic byte. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment(Arc<Vec<(SymbolId, Arc<[u8]>)>>);

impl Assignment {
    /// All bytes 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes given to a symbol, perhaps fewer than it has.
    pub fn get(&self, symbol: SymbolId) -> Option<&[u8]> {
        let at = self
            .0
            .binary_search_by_key(&symbol, |(symbol, _)| *symbol)
            .ok()?;
        Some(&self.0[at].1)
    }

    /// One byte.
    pub fn byte(&self, symbol: SymbolId, index: u32) -> u8 {
        self.get(symbol)
            .and_then(|bytes| bytes.get(index as usize))
            .copied()
            .unwrap_or(0)
    }

    /// Gives a symbol its bytes.
    pub fn set(&mut self, symbol: SymbolId, bytes: impl Into<Arc<[u8]>>) {
        let entries = Arc::make_mut(&mut self.0);
        match entries.binary_search_by_key(&symbol, |(symbol, _)| *symbol) {
            Ok(at) => entries[at].1 = bytes.into(),
            Err(at) => entries.insert(at, (symbol, bytes.into())),
        }
    }

    /// Gives one byte of a symbol its value.
    pub fn set_byte(&mut self, symbol: SymbolId, index: u32, value: u8) {
        if self.byte(symbol, index) == value {
            return;
        }
        let mut bytes = self.get(symbol).unwrap_or_default().to_vec();
        bytes.resize(bytes.len().max(index as usize + 1), 0);
        bytes[index as usize] = value;
        self.set(symbol, bytes);
    }

    /// This assignment on the given bytes, `other` everywhere else.
    #[must_use]
    pub fn merged_over(&self, other: &Self, bytes: &SymbolSet) -> Self {
        let mut merged = other.clone();
        let mut changed: Option<(SymbolId, Vec<u8>)> = None;
        for (symbol, index) in bytes.iter() {
            if changed
                .as_ref()
                .is_none_or(|(current, _)| *current != symbol)
            {
                if let Some((done, bytes)) = changed.take() {
                    merged.set(done, bytes);
                }
                changed = Some((symbol, other.get(symbol).unwrap_or_default().to_vec()));
            }
            if let Some((_, values)) = &mut changed {
                let at = index as usize;
                if values.len() <= at {
                    values.resize(at + 1, 0);
                }
                values[at] = self.byte(symbol, index);
            }
        }
        if let Some((done, bytes)) = changed {
            merged.set(done, bytes);
        }
        merged
    }

    /// The symbols that were given bytes, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (SymbolId, &[u8])> {
        self.0.iter().map(|(symbol, bytes)| (*symbol, &**bytes))
    }

    /// Whether both are one shared value: a quick, sufficient test of equality.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
