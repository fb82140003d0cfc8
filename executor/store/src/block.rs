//! The body of a block: records one after another, each behind its length.

use crate::{Error, Record};

/// Appends a record's bytes to a body.
pub fn push(record: &[u8], body: &mut Vec<u8>) {
    let mut length = record.len();
    while length >= 0x80 {
        body.push(length as u8 | 0x80);
        length >>= 7;
    }
    body.push(length as u8);
    body.extend_from_slice(record);
}

/// A block in memory.
#[derive(Clone, Debug)]
pub struct Block {
    body: Vec<u8>,
    /// Where each record's bytes are.
    records: Vec<(u32, u32)>,
}

impl Block {
    /// The block of a body, if it is one of so many records.
    pub fn new(body: Vec<u8>, count: u32) -> Option<Self> {
        // Each record takes up a byte at least.
        let mut records = Vec::with_capacity(body.len().min(count as usize));
        let mut at = 0;
        while at < body.len() {
            let (start, length) = length(&body, at)?;
            let end = start.checked_add(length)?;
            if end > body.len() {
                return None;
            }
            records.push((u32::try_from(start).ok()?, u32::try_from(end).ok()?));
            at = end;
        }
        (records.len() == count as usize).then_some(Block { body, records })
    }

    /// How many records it has.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// All bytes of it.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The bytes of a record.
    pub fn bytes(&self, at: usize) -> Option<&[u8]> {
        let &(start, end) = self.records.get(at)?;
        Some(&self.body[start as usize..end as usize])
    }

    /// A record. `first` is the number of the first record, for the message of an error.
    ///
    /// # Errors
    /// When there is no such record, or its bytes are no `R`.
    pub fn record<R: Record>(&self, at: usize, first: u64) -> Result<R, Error> {
        let number = first + at as u64;
        let bytes = self.bytes(at).ok_or(Error::NoRecord(number))?;
        plat_protocol::decode(bytes).map_err(|why| Error::Record { number, why })
    }
}

/// The length that stands at a place, and where it ends.
fn length(body: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut length = 0usize;
    for shift in (0..35).step_by(7) {
        let byte = *body.get(at)?;
        at += 1;
        length |= (usize::from(byte) & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((at, length));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_every_length_come_back() {
        let lengths = [0, 1, 127, 128, 129, 16_383, 16_384, 70_000];
        let mut body = Vec::new();
        for length in lengths {
            push(&vec![7; length], &mut body);
        }
        let count = lengths.len() as u32;
        let block = Block::new(body.clone(), count).expect("a block");
        for (at, length) in lengths.into_iter().enumerate() {
            assert_eq!(block.bytes(at), Some(&vec![7; length][..]));
        }
        assert_eq!(block.bytes(lengths.len()), None);
        assert!(Block::new(body.clone(), count + 1).is_none());
        body.pop();
        assert!(Block::new(body, count).is_none());
    }

    #[test]
    fn a_length_without_end_is_no_block() {
        assert!(Block::new(vec![0x80; 9], 1).is_none());
        assert!(Block::new(vec![0xff, 0xff, 0xff, 0xff, 0x7f, 1], 1).is_none());
    }
}
