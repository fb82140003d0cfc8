//! Symbolic status of files: of standard output (`--sym-stdout`), in the object `stdout_stat`, and under
//! KLEE's names of symbolic files and a symbolic standard input, in `A_data_stat` and `stdin_stat`.
//!
//! Constraints and preferences are those of KLEE's POSIX runtime: the low bits of the inode number
//! are not all zero, the block size is below 64 KiB, size and blocks are those of a file of so
//! many bytes (1024 of standard output), and all other fields are unconstrained. A test case prefers a regular file like those of
//! the input.

use crate::metadata::{Metadata, S_IFMT, S_IFREG};
use crate::tree::FileId;
use plat_expr::{Byte, ExprId, Pool};
use std::sync::Arc;

/// Bytes of the object `stdout`, and the size in its status.
pub const OUTPUT_SIZE: u64 = 1024;
/// Permissions of input files.
pub const INPUT_PERMISSIONS: u32 = 0o644;
/// Bytes of `struct stat`.
pub const STATUS_SIZE: u64 = 144;

/// A field of `struct stat`: its first byte and its size.
#[derive(Clone, Copy)]
struct Field(usize, usize);

const DEVICE: Field = Field(0, 8);
const INODE: Field = Field(8, 8);
const LINKS: Field = Field(16, 8);
const MODE: Field = Field(24, 4);
const UID: Field = Field(28, 4);
const GID: Field = Field(32, 4);
const SPECIAL: Field = Field(40, 8);
const SIZE: Field = Field(48, 8);
const BLOCK_SIZE: Field = Field(56, 8);
const BLOCKS: Field = Field(64, 8);
const ACCESSED: Field = Field(72, 8);
const MODIFIED: Field = Field(88, 8);
const CHANGED: Field = Field(104, 8);

/// The mode in the object `stdout_stat` of a test case.
pub fn mode_in(status: &[u8]) -> Option<u32> {
    let bytes = status.get(MODE.0..MODE.0 + MODE.1)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// A symbolic `struct stat`. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicStatus {
    bytes: Arc<[Byte]>,
}

plat_expr::holder!(SymbolicStatus { bytes });

/// What is symbolic of the status of files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statuses {
    /// The status of standard output.
    pub output: Option<SymbolicStatus>,
    /// That of files; without a number, of standard input before it is a file.
    pub files: Arc<[(FileName, SymbolicStatus)]>,
    /// Conditions that every test case should satisfy if it can: ordinary files.
    pub preferences: Arc<[ExprId]>,
    /// Whether the system answers as KLEE's POSIX runtime: reading to null fails, and a stream of the C
    /// library to standard output does not.
    pub as_klee: bool,
}

/// Which file a status is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileName {
    /// Standard input.
    Input,
    /// An input file.
    Named(Vec<u8>),
    /// One that is in the tree.
    Number(FileId),
}

plat_expr::plain!(FileName);
plat_expr::holder!(Statuses { output, files, preferences } plain { as_klee });

impl Statuses {
    /// The same, of files that are in the tree now.
    pub fn in_tree(&self, number: impl Fn(&FileName) -> Option<FileId>) -> Self {
        let files = self
            .files
            .iter()
            .filter_map(|(name, status)| Some((FileName::Number(number(name)?), status.clone())));
        Statuses {
            files: files.collect(),
            ..self.clone()
        }
    }

    /// The status of a file that has this one otherwise: symbolic until its permissions are changed.
    pub fn of_file(&self, id: FileId, metadata: &Metadata) -> Option<SymbolicStatus> {
        let found = self.of(&FileName::Number(id))?;
        (metadata.mode == S_IFREG | INPUT_PERMISSIONS).then(|| found.with_size(metadata.size))
    }

    /// The status of a file.
    pub fn of(&self, name: &FileName) -> Option<&SymbolicStatus> {
        let found = self.files.iter().find(|(one, _)| one == name);
        found.map(|(_, status)| status)
    }
}

impl SymbolicStatus {
    /// From an object of [`STATUS_SIZE`] symbolic bytes; size and blocks are replaced by constants.
    pub fn new(object: &[Byte], size: u64) -> Self {
        let bytes = object.into();
        Self { bytes }.with_size(size)
    }

    /// The same of a file of another size.
    fn with_size(&self, size: u64) -> Self {
        let mut bytes = self.bytes.to_vec();
        for (field, value) in [(SIZE, size), (BLOCKS, 8)] {
            let known = value.to_le_bytes().map(Byte::Concrete);
            bytes[field.0..field.0 + field.1].copy_from_slice(&known);
        }
        Self {
            bytes: bytes.into(),
        }
    }

    /// The condition that KLEE's POSIX runtime lets everybody open the file in the ways of `wanted` (4 read,
    /// 2 write): somebody may.
    pub fn may(&self, pool: &mut Pool, wanted: u32) -> ExprId {
        let none = pool.constant(32, 0);
        let mut allowed = pool.bool(true);
        for way in [4, 2].into_iter().filter(|way| wanted & way != 0) {
            let mode = self.number(pool, MODE);
            let mask = pool.constant(32, u64::from(way * 0o111));
            let masked = pool.and(mode, mask);
            let one = pool.ne(masked, none);
            allowed = pool.and(allowed, one);
        }
        allowed
    }

    /// The `struct stat`.
    pub fn stat(&self) -> &[Byte] {
        &self.bytes
    }

    /// The `struct statx` with the same fields.
    pub fn statx(&self, pool: &mut Pool) -> Vec<Byte> {
        let mut statx = vec![Byte::Concrete(0); 256];
        statx[..2].copy_from_slice(&[0xff, 0x07].map(Byte::Concrete)); // STATX_BASIC_STATS
        let fields = [
            (BLOCK_SIZE, 4, 4),
            (LINKS, 16, 4),
            (UID, 20, 4),
            (GID, 24, 4),
            (MODE, 28, 2),
            (INODE, 32, 8),
            (SIZE, 40, 8),
            (BLOCKS, 48, 8),
        ];
        let times = [(ACCESSED, 64), (CHANGED, 96), (MODIFIED, 112)]
            .into_iter()
            .flat_map(|(time, to)| [(time, to, 8), (Field(time.0 + 8, 8), to + 8, 4)]);
        for (from, to, size) in fields.into_iter().chain(times) {
            statx[to..to + size].copy_from_slice(&self.bytes[from.0..from.0 + size]);
        }
        for (field, to) in [(SPECIAL, 128), (DEVICE, 136)] {
            let device = self.number(pool, field);
            let (high, low) = (pool.extract(device, 44, 20), pool.extract(device, 8, 12));
            let major = pool.concat(high, low);
            let (high, low) = (pool.extract(device, 20, 24), pool.extract(device, 0, 8));
            let minor = pool.concat(high, low);
            for (number, to) in [(major, to), (minor, to + 4)] {
                for at in 0..4 {
                    let byte = pool.extract(number, 8 * at, 8);
                    statx[to + at as usize] = Byte::Symbolic(byte);
                }
            }
        }
        statx
    }

    /// The condition that it is a file of this kind (type bits of a mode).
    pub fn is_kind(&self, pool: &mut Pool, kind: u32) -> ExprId {
        self.masked_mode(pool, S_IFMT, kind)
    }

    /// The constraints on the status.
    pub fn constraints(&self, pool: &mut Pool) -> Vec<ExprId> {
        let inode = self.number(pool, INODE);
        let inode = pool.extract(inode, 0, 31);
        let zero = pool.constant(31, 0);
        let size = self.number(pool, BLOCK_SIZE);
        let size = pool.extract(size, 16, 48);
        let small = pool.constant(48, 0);
        vec![pool.ne(inode, zero), pool.eq(size, small)]
    }

    /// The preferences of a test case: a regular file like `usual`.
    pub fn preferences(&self, pool: &mut Pool, usual: &Metadata) -> Vec<ExprId> {
        let mut equal = |field, value| {
            let number = self.number(pool, field);
            let value = pool.constant(8 * field.1 as u32, value);
            pool.eq(number, value)
        };
        let [device, special] = [(DEVICE, usual.device), (SPECIAL, usual.special)]
            .map(|(field, value)| equal(field, value));
        let rest = [
            (LINKS, 1),
            (UID, usual.uid.into()),
            (GID, usual.gid.into()),
            (BLOCK_SIZE, 4096),
            (ACCESSED, usual.accessed.seconds as u64),
            (MODIFIED, usual.modified.seconds as u64),
            (CHANGED, usual.changed.seconds as u64),
        ]
        .map(|(field, value)| equal(field, value));
        let mut modes = [
            (!(S_IFMT | 0o777), 0),
            (0o700, 0o600),
            (0o070, 0o040),
            (0o007, 0o004),
            (S_IFMT, S_IFREG),
        ]
        .map(|(mask, value)| self.masked_mode(pool, mask, value))
        .into_iter();
        let first = modes.next();
        first
            .into_iter()
            .chain([device, special])
            .chain(modes)
            .chain(rest)
            .collect()
    }

    fn masked_mode(&self, pool: &mut Pool, mask: u32, value: u32) -> ExprId {
        let mode = self.number(pool, MODE);
        let mask = pool.constant(32, mask.into());
        let masked = pool.and(mode, mask);
        let value = pool.constant(32, value.into());
        pool.eq(masked, value)
    }

    /// A field as one number.
    fn number(&self, pool: &mut Pool, Field(first, size): Field) -> ExprId {
        let mut number = None;
        for &byte in &self.bytes[first..first + size] {
            let byte = match byte {
                Byte::Symbolic(byte) => byte,
                Byte::Concrete(byte) => pool.constant(8, byte.into()),
            };
            number = Some(match number {
                None => byte,
                Some(low) => pool.concat(byte, low),
            });
        }
        number.unwrap_or_else(|| pool.constant(8, 0))
    }
}
