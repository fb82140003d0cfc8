//! The structs of the kernel interface on x86-64, as bytes.

use crate::metadata::{Metadata, Time};

/// Bytes of a struct, written field by field, little-endian.
#[derive(Default)]
pub struct Layout {
    bytes: Vec<u8>,
}

impl Layout {
    /// A 16-bit field.
    #[must_use]
    pub fn u16(mut self, value: u16) -> Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// A 32-bit field.
    #[must_use]
    pub fn u32(mut self, value: u32) -> Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// A 64-bit field.
    #[must_use]
    pub fn u64(mut self, value: u64) -> Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// A `struct timespec`.
    #[must_use]
    pub fn time(self, time: Time) -> Self {
        self.u64(time.seconds as u64).u64(time.nanos as u64)
    }

    /// A `struct timeval`.
    #[must_use]
    pub fn micros(self, time: Time) -> Self {
        self.u64(time.seconds as u64)
            .u64((time.nanos / 1000) as u64)
    }

    /// Zeros up to `size` bytes in all.
    #[must_use]
    pub fn zeros_to(mut self, size: usize) -> Self {
        self.bytes.resize(size, 0);
        self
    }

    /// A string in a field of `size` bytes.
    #[must_use]
    pub fn text(mut self, text: &str, size: usize) -> Self {
        let end = self.bytes.len() + size;
        self.bytes.extend(text.bytes().take(size - 1));
        self.zeros_to(end)
    }

    /// Raw bytes.
    #[must_use]
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// The struct.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// `struct stat`, 144 bytes.
pub fn stat(m: &Metadata) -> Vec<u8> {
    Layout::default()
        .u64(m.device)
        .u64(m.inode)
        .u64(m.links)
        .u32(m.mode)
        .u32(m.uid)
        .u32(m.gid)
        .u32(0)
        .u64(m.special)
        .u64(m.size)
        .u64(m.block_size)
        .u64(m.blocks)
        .time(m.accessed)
        .time(m.modified)
        .time(m.changed)
        .zeros_to(144)
        .finish()
}

/// `struct statx`, 256 bytes: the basic fields.
pub fn statx(m: &Metadata) -> Vec<u8> {
    let time = |layout: Layout, time: Time| {
        layout
            .u64(time.seconds as u64)
            .u32(time.nanos as u32)
            .u32(0)
    };
    let layout = Layout::default()
        .u32(0x7ff) // STATX_BASIC_STATS
        .u32(m.block_size as u32)
        .u64(0)
        .u32(m.links as u32)
        .u32(m.uid)
        .u32(m.gid)
        .u16(m.mode as u16)
        .u16(0)
        .u64(m.inode)
        .u64(m.size)
        .u64(m.blocks)
        .u64(0);
    let layout = time(layout, m.accessed);
    let layout = time(layout, Time::default());
    let layout = time(layout, m.changed);
    time(layout, m.modified)
        .u32(major(m.special))
        .u32(minor(m.special))
        .u32(major(m.device))
        .u32(minor(m.device))
        .zeros_to(256)
        .finish()
}

fn major(device: u64) -> u32 {
    ((device >> 8 & 0xfff) | (device >> 32 & 0xffff_f000)) as u32
}

fn minor(device: u64) -> u32 {
    ((device & 0xff) | (device >> 12 & 0xffff_ff00)) as u32
}

/// One `struct linux_dirent64`.
pub fn directory_entry(inode: u64, next: u64, kind: u8, name: &[u8]) -> Vec<u8> {
    let size = (19 + name.len() + 1).next_multiple_of(8);
    Layout::default()
        .u64(inode)
        .u64(next)
        .u16(size as u16)
        .raw(&[kind])
        .raw(name)
        .zeros_to(size)
        .finish()
}
