//! The writer of a store.
//!
//! Records gather in memory until a block is full or [`Writer::flush`] is called; then the block is
//! written at the end of the file by one call. A process that is killed loses what it has not flushed.

use crate::frame::{self, Kind};
use crate::{Error, Header, Reader, Record, Storage, Tail, TailKind, block};
use std::fs::{File, OpenOptions, TryLockError};
use std::marker::PhantomData;
use std::path::Path;

/// A block is written when it has so many bytes: large enough that a write is cheap beside making
/// them, small enough to be read for one record.
const BLOCK: usize = 64 << 10;

/// The longest block: its length is a number of 4 bytes, and the length of a record takes up 5.
const MOST: usize = u32::MAX as usize - 5;

/// Appends records to a store. What is not flushed is flushed when it is dropped, and an error is
/// lost then: end with [`Writer::flush`].
#[derive(Debug)]
pub struct Writer<R: Record, S: Storage = File> {
    to: S,
    /// Where the next block goes.
    end: u64,
    /// How many records have been written.
    written: u64,
    /// The block that is being gathered.
    body: Vec<u8>,
    gathered: u32,
    scratch: Vec<u8>,
    records: PhantomData<fn(R)>,
}

/// What a store had when it was opened again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reopened {
    /// Its header.
    pub header: Header,
    /// How many records it has.
    pub records: u64,
    /// So many bytes of a torn block were dropped.
    pub dropped: u64,
}

impl<R: Record> Writer<R> {
    /// Makes a store. There must be no such file.
    ///
    /// # Errors
    /// When it exists or cannot be made.
    pub fn create(path: &Path, header: &Header) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(path)?;
        lock(&file)?;
        Self::begin(file, header)
    }

    /// Opens a store to append to it. A torn block at its end is dropped.
    ///
    /// # Errors
    /// When it is no store of these records, when another writer has it, or when whole blocks of it
    /// are damaged: then nothing is changed.
    pub fn reopen(path: &Path) -> Result<(Self, Reopened), Error> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        lock(&file)?;
        Self::resume(file)
    }
}

/// One writer at a time. Readers ask for no lock.
fn lock(file: &File) -> Result<(), Error> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::Busy),
        Err(TryLockError::Error(why)) => Err(why.into()),
    }
}

impl<R: Record, S: Storage> Writer<R, S> {
    /// Makes a store in an empty storage.
    ///
    /// # Errors
    /// When the header cannot be written.
    pub fn begin(to: S, header: &Header) -> Result<Self, Error> {
        let bytes = header.to_bytes::<R>()?;
        to.write_at(&bytes, 0)?;
        Ok(Self::at(to, bytes.len() as u64, 0))
    }

    /// As [`Writer::reopen`], for any storage.
    ///
    /// # Errors
    /// As there.
    pub fn resume(to: S) -> Result<(Self, Reopened), Error> {
        let reader = Reader::<R, _>::new(&to)?;
        let (end, dropped) = match reader.tail() {
            None => (reader.end(), 0),
            Some(Tail {
                at,
                bytes,
                kind: TailKind::Torn,
            }) => (at, bytes),
            Some(Tail { at, .. }) => return Err(Error::Damaged { at }),
        };
        let reopened = Reopened {
            header: reader.header().clone(),
            records: reader.len(),
            dropped,
        };
        if dropped > 0 {
            to.truncate(end)?;
        }
        Ok((Self::at(to, end, reopened.records), reopened))
    }

    fn at(to: S, end: u64, written: u64) -> Self {
        Writer {
            to,
            end,
            written,
            body: Vec::new(),
            gathered: 0,
            scratch: Vec::new(),
            records: PhantomData,
        }
    }

    /// How many records the store has, with those that are not flushed.
    pub fn len(&self) -> u64 {
        self.written + u64::from(self.gathered)
    }

    /// Whether it has no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a record and returns its number.
    ///
    /// # Errors
    /// When it has no encoding: then it is not appended. When a full block cannot be written: then
    /// the record is kept, and the next flush tries again.
    pub fn append(&mut self, record: &R) -> Result<u64, Error> {
        let number = self.gather(record)?;
        if self.body.len() >= BLOCK {
            self.flush()?;
        }
        Ok(number)
    }

    /// As [`Writer::append`], but a full block is not written before the next flush: for a store that
    /// must not be ahead of another one.
    ///
    /// # Errors
    /// When the record has no encoding.
    pub fn gather(&mut self, record: &R) -> Result<u64, Error> {
        let number = self.len();
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        // A frame of messages is a length of 4 bytes and the encoding.
        let encoded = plat_protocol::append(record, &mut scratch)
            .map_err(|why| Error::Record { number, why });
        let gathered = encoded.and_then(|()| self.gather_bytes(&scratch[4..]));
        self.scratch = scratch;
        gathered
    }

    /// As [`Writer::append`], for the bytes of a record of another store ([`Reader::read`]).
    ///
    /// # Errors
    /// As there.
    pub fn append_bytes(&mut self, record: &[u8]) -> Result<u64, Error> {
        let number = self.gather_bytes(record)?;
        if self.body.len() >= BLOCK {
            self.flush()?;
        }
        Ok(number)
    }

    fn gather_bytes(&mut self, record: &[u8]) -> Result<u64, Error> {
        let number = self.len();
        if self.body.len() + record.len() > MOST {
            // Only records of gigabytes come here. One that fits into no block is refused.
            self.flush()?;
            if record.len() > MOST {
                let why = plat_protocol::Error::TooLong(record.len());
                return Err(Error::Record { number, why });
            }
        }
        block::push(record, &mut self.body);
        self.gathered += 1;
        Ok(number)
    }

    /// Forgets what has not been written.
    pub fn discard(&mut self) {
        self.body.clear();
        self.gathered = 0;
    }

    /// Writes what has been gathered. Readers see it from now on, and it survives the end of this
    /// process.
    ///
    /// # Errors
    /// When it cannot be written. It is kept, and the next flush tries again; the file is as it was.
    pub fn flush(&mut self) -> Result<(), Error> {
        if self.gathered == 0 {
            return Ok(());
        }
        let body = std::mem::take(&mut self.body);
        let written = self.write(self.gathered, &body);
        self.body = body;
        written?;
        self.body.clear();
        self.gathered = 0;
        Ok(())
    }

    /// Flushes, and waits until all records would survive the end of the machine.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.flush()?;
        Ok(self.to.sync()?)
    }

    /// Appends all records of another store, in their order. Returns the number of the first.
    ///
    /// # Errors
    /// When one of the stores cannot be read or written. Some of the records may have been appended.
    pub fn append_store<T: Storage>(&mut self, from: &Reader<R, T>) -> Result<u64, Error> {
        self.flush()?;
        let first = self.written;
        for number in 0..from.blocks() {
            let block = from.block(number)?;
            self.write(block.len() as u32, block.body())?;
        }
        Ok(first)
    }

    /// Writes a block, or nothing.
    fn write(&mut self, records: u32, body: &[u8]) -> Result<(), Error> {
        let packed = frame::packed(body);
        let (kind, body) = match &packed {
            Some(packed) => (Kind::Packed, packed.as_slice()),
            None => (Kind::Block, body),
        };
        let head = frame::head(kind, records, body).map_err(|why| Error::Record {
            number: self.written,
            why,
        })?;
        self.scratch.clear();
        self.scratch.extend_from_slice(&head);
        self.scratch.extend_from_slice(body);
        if let Err(why) = self.to.write_at(&self.scratch, self.end) {
            // What was written of it would be a torn block with nothing behind it. If it cannot be
            // cut off either, the next block goes over it.
            let _ = self.to.truncate(self.end);
            return Err(why.into());
        }
        self.end += self.scratch.len() as u64;
        self.written += u64::from(records);
        Ok(())
    }
}

impl<R: Record, S: Storage> Drop for Writer<R, S> {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}
