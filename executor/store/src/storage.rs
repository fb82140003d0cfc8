//! Where the bytes of a store are: a file, or memory.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;

/// Bytes that can be read and written at any place.
pub trait Storage {
    /// How many bytes there are.
    ///
    /// # Errors
    /// Those of the system.
    fn length(&self) -> io::Result<u64>;

    /// Reads bytes at a place; fewer than asked for only where they end. Returns how many.
    ///
    /// # Errors
    /// Those of the system.
    fn read_at(&self, to: &mut [u8], at: u64) -> io::Result<usize>;

    /// Writes bytes at a place.
    ///
    /// # Errors
    /// Those of the system. Some of the bytes may have been written.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Cuts the bytes off behind so many.
    ///
    /// # Errors
    /// Those of the system.
    fn truncate(&self, length: u64) -> io::Result<()>;

    /// Waits until all bytes would survive the end of the machine.
    ///
    /// # Errors
    /// Those of the system.
    fn sync(&self) -> io::Result<()>;
}

impl Storage for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, to: &mut [u8], at: u64) -> io::Result<usize> {
        let mut read = 0;
        while read < to.len() {
            match FileExt::read_at(self, &mut to[read..], at + read as u64) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => return Err(why),
            }
        }
        Ok(read)
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.write_all_at(bytes, at)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Memory.
impl Storage for RefCell<Vec<u8>> {
    fn length(&self) -> io::Result<u64> {
        Ok(self.borrow().len() as u64)
    }

    fn read_at(&self, to: &mut [u8], at: u64) -> io::Result<usize> {
        let bytes = self.borrow();
        let from = bytes.get(usize::try_from(at).unwrap_or(usize::MAX)..);
        let from = from.unwrap_or_default();
        let read = from.len().min(to.len());
        to[..read].copy_from_slice(&from[..read]);
        Ok(read)
    }

    fn write_at(&self, from: &[u8], at: u64) -> io::Result<()> {
        let mut bytes = self.borrow_mut();
        let at = usize::try_from(at).map_err(|_| ErrorKind::FileTooLarge)?;
        let end = at.checked_add(from.len()).ok_or(ErrorKind::FileTooLarge)?;
        let length = bytes.len().max(end);
        bytes.resize(length, 0);
        bytes[at..end].copy_from_slice(from);
        Ok(())
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).map_err(|_| ErrorKind::FileTooLarge)?;
        self.borrow_mut().truncate(length);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

impl<S: Storage> Storage for &S {
    fn length(&self) -> io::Result<u64> {
        (**self).length()
    }

    fn read_at(&self, to: &mut [u8], at: u64) -> io::Result<usize> {
        (**self).read_at(to, at)
    }

    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        (**self).write_at(bytes, at)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        (**self).truncate(length)
    }

    fn sync(&self) -> io::Result<()> {
        (**self).sync()
    }
}
