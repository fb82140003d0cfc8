//! Memory through which the process of a call answers.
//!
//! A callee has every descriptor of its process within reach, and may write to them or close them.
//! Shared memory has no number: a callee finds it only by writing at random.

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::io;

/// Where the answer begins: behind its length.
const HEAD: usize = 8;

/// Memory that this process shares with those that it forks.
pub struct Shared {
    at: *mut u8,
    length: usize,
}

impl Shared {
    /// Room for an answer of so many bytes. Pages take memory when they are written.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(room: usize) -> io::Result<Self> {
        let length = HEAD + room;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::SHARED | MapFlags::NORESERVE;
        // SAFETY: the system chooses a free place.
        let at = unsafe { mmap_anonymous(std::ptr::null_mut(), length, access, flags) }?;
        Ok(Self {
            at: at.cast(),
            length,
        })
    }

    /// Leaves an answer, if there is room for it.
    pub fn put(&self, answer: &[u8]) {
        if answer.len() > self.length - HEAD {
            return;
        }
        // SAFETY: the mapping has room for both, as was compared, and is aligned to pages.
        unsafe {
            self.at
                .add(HEAD)
                .copy_from_nonoverlapping(answer.as_ptr(), answer.len());
            self.at.cast::<u64>().write(answer.len() as u64);
        }
    }

    /// The answer, when the processes that could leave one have ended; empty if there is none.
    pub fn get(&self) -> Vec<u8> {
        // SAFETY: the mapping is longer than that and aligned to pages.
        let length = unsafe { self.at.cast::<u64>().read() } as usize;
        let length = length.min(self.length - HEAD);
        // SAFETY: the bytes lie in the mapping, and nobody writes there any more.
        unsafe { std::slice::from_raw_parts(self.at.add(HEAD), length) }.to_vec()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own. That it cannot be unmapped would change nothing.
        let _ = unsafe { munmap(self.at.cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_or_none() {
        let shared = Shared::new(5).expect("memory");
        assert_eq!(shared.get(), b"");
        shared.put(b"longer");
        assert_eq!(shared.get(), b"");
        shared.put(b"right");
        assert_eq!(shared.get(), b"right");
    }
}
