//! The reader of a store.
//!
//! Its index has the place of every block and the number of its first record. The bodies stay in the
//! file: a record is read with its block, and the last block is kept for the next record.

use crate::block::Block;
use crate::frame::{self, Frame, Kind};
use crate::{Error, Header, Record, Storage};
use std::cell::RefCell;
use std::fs::File;
use std::marker::PhantomData;
use std::path::Path;
use std::rc::Rc;

/// Reads a store.
#[derive(Debug)]
pub struct Reader<R: Record, S: Storage = File> {
    from: S,
    header: Header,
    /// Where each block begins, and the number of its first record.
    index: Vec<(u64, u64)>,
    records: u64,
    /// Where the blocks that are known end.
    end: u64,
    tail: Option<Tail>,
    last: RefCell<Option<(usize, Rc<Block>)>>,
    of: PhantomData<fn() -> R>,
}

/// The end of a store that is not readable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tail {
    /// Where it begins.
    pub at: u64,
    /// How long it is.
    pub bytes: u64,
    /// What it is.
    pub kind: TailKind,
}

/// Why the end of a store is not readable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TailKind {
    /// A block that was not written whole: its writer was killed, or is writing it now.
    Torn,
    /// A block that was written whole and has changed since. Whole blocks may follow; without this
    /// one the numbers of their records are not known.
    Damaged,
}

impl<R: Record> Reader<R> {
    /// Opens a store.
    ///
    /// # Errors
    /// When it cannot be read or is no store of these records.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::new(File::open(path)?)
    }
}

impl<R: Record, S: Storage> Reader<R, S> {
    /// Opens a store in any storage.
    ///
    /// # Errors
    /// As for [`Reader::open`].
    pub fn new(from: S) -> Result<Self, Error> {
        let (header, end) = Header::read::<R>(&from)?;
        let mut reader = Reader {
            from,
            header,
            index: Vec::new(),
            records: 0,
            end,
            tail: None,
            last: RefCell::default(),
            of: PhantomData,
        };
        reader.refresh()?;
        Ok(reader)
    }

    /// Takes up the blocks that have been written since. Returns how many records they have.
    ///
    /// # Errors
    /// Those of the system.
    pub fn refresh(&mut self) -> Result<u64, Error> {
        let before = self.records;
        let length = self.from.length()?;
        self.tail = None;
        while self.end < length {
            let frame = frame::read(&self.from, self.end, length)?;
            let block = frame.and_then(|frame| {
                let end = frame.end;
                let block = to_block(frame).ok_or(TailKind::Damaged)?;
                Ok((block.len(), end))
            });
            match block {
                Ok((records, end)) => {
                    self.index.push((self.end, self.records));
                    self.records += records as u64;
                    self.end = end;
                }
                Err(kind) => {
                    self.tail = Some(Tail {
                        at: self.end,
                        bytes: length - self.end,
                        kind,
                    });
                    break;
                }
            }
        }
        Ok(self.records - before)
    }

    /// What the store says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many records are readable.
    pub fn len(&self) -> u64 {
        self.records
    }

    /// Whether no record is readable.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// What behind the readable records is not readable, if there is anything.
    pub fn tail(&self) -> Option<Tail> {
        self.tail
    }

    /// Where the readable blocks end.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// How many blocks are readable.
    pub(crate) fn blocks(&self) -> usize {
        self.index.len()
    }

    /// A block, checked again.
    pub(crate) fn block(&self, number: usize) -> Result<Rc<Block>, Error> {
        if let Some((last, block)) = &*self.last.borrow()
            && *last == number
        {
            return Ok(Rc::clone(block));
        }
        let at = self.index[number].0;
        let frame = frame::read(&self.from, at, self.end)?;
        let block = frame.ok().and_then(to_block);
        let block = Rc::new(block.ok_or(Error::Damaged { at })?);
        *self.last.borrow_mut() = Some((number, Rc::clone(&block)));
        Ok(block)
    }

    /// A record by its number.
    ///
    /// # Errors
    /// When there is none, when its block has changed since the store was opened, or when its bytes
    /// are no record of this type.
    pub fn get(&self, number: u64) -> Result<R, Error> {
        let (block, at) = self.find(number)?;
        block.record(at, number - at as u64)
    }

    /// Has the bytes of a record read, for who needs a part of it ([`plat_protocol::decode_start`]).
    ///
    /// # Errors
    /// When there is none, when its block has changed since the store was opened, or what `read` says.
    pub fn read<T>(
        &self,
        number: u64,
        read: impl FnOnce(&[u8]) -> Result<T, plat_protocol::Error>,
    ) -> Result<T, Error> {
        let (block, at) = self.find(number)?;
        let bytes = block.bytes(at).ok_or(Error::NoRecord(number))?;
        read(bytes).map_err(|why| Error::Record { number, why })
    }

    /// The block of a record, and the place in it.
    fn find(&self, number: u64) -> Result<(Rc<Block>, usize), Error> {
        if number >= self.records {
            return Err(Error::NoRecord(number));
        }
        let block = self.index.partition_point(|&(_, first)| first <= number) - 1;
        let at = number - self.index[block].1;
        let at = usize::try_from(at).map_err(|_| Error::NoRecord(number))?;
        Ok((self.block(block)?, at))
    }

    /// All readable records from a number on, in order.
    pub fn records(&self, from: u64) -> Records<'_, R, S> {
        Records {
            reader: self,
            next: from,
        }
    }
}

/// The block of a frame, if it is a frame of a block.
fn to_block(frame: Frame) -> Option<Block> {
    let is_block = frame.kind == Kind::Block && frame.records > 0;
    Block::new(frame.body, frame.records).filter(|_| is_block)
}

/// Records in order. Each is an error of its own or a record.
pub struct Records<'a, R: Record, S: Storage> {
    reader: &'a Reader<R, S>,
    next: u64,
}

impl<R: Record, S: Storage> Iterator for Records<'_, R, S> {
    type Item = Result<R, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.reader.records {
            return None;
        }
        self.next += 1;
        Some(self.reader.get(self.next - 1))
    }
}
