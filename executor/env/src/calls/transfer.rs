//! read, write and their relatives: bytes between open files and memory.

use super::counting::{self, next_read};
use super::streams::{How, from_pipe, next_input, send, take_input, to_pipe};
use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::contents::MAX_SIZE;
use crate::descriptors::{Device, O_APPEND, OpenFile, Stream, Target};
use crate::environment::Injected;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::metadata::S_IFREG;
use crate::tree::FileId;
use plat_expr::{Byte, Value};

/// The transfer calls.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 0,
        name: "read",
        run: read,
    },
    SystemCall {
        number: 1,
        name: "write",
        run: write,
    },
    SystemCall {
        number: 17,
        name: "pread64",
        run: pread64,
    },
    SystemCall {
        number: 18,
        name: "pwrite64",
        run: pwrite64,
    },
    SystemCall {
        number: 19,
        name: "readv",
        run: readv,
    },
    SystemCall {
        number: 20,
        name: "writev",
        run: writev,
    },
    SystemCall {
        number: 40,
        name: "sendfile",
        run: sendfile,
    },
    SystemCall {
        number: 295,
        name: "preadv",
        run: preadv,
    },
    SystemCall {
        number: 296,
        name: "pwritev",
        run: pwritev,
    },
    SystemCall {
        number: 326,
        name: "copy_file_range",
        run: copy_file_range,
    },
];

/// The kernel transfers at most this many bytes at once.
const MAX_TRANSFER: u64 = 0x7fff_f000;
/// A longer write to a stream becomes a short write, as kernels may do, because the bytes of one
/// call are held in memory at once.
const MAX_WRITE: u64 = 16 << 20;
/// Most elements of an iovec.
const IOV_MAX: u64 = 1024;

/// A buffer: address and size.
pub(super) type Piece = (Value, u64);

fn read(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    if call.env.statuses.as_klee {
        // As its runtime: nothing is asked for nothing, and null is no place to read to.
        if call.int(2)? == 0 {
            return Ok(SysResult::number(0));
        }
        if call.is_null(1)? {
            return Err(Errno::EFAULT.into());
        }
    }
    call.injected(Injected::Read)?;
    let size = call.int(2)?;
    let pieces = [(call.args[1], size)];
    input(call, fd, None, &pieces)
}

fn pread64(call: &mut Call<'_>) -> Answer {
    let (fd, size, offset) = (call.int32(0)?, call.int(2)?, call.int(3)?);
    call.injected(Injected::Read)?;
    let pieces = [(call.args[1], size)];
    let offset = positive(offset)?;
    input(call, fd, Some(offset), &pieces)
}

fn readv(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    call.injected(Injected::Read)?;
    let pieces = vector(call)?;
    // The kernel does not ask the file for nothing: a directory gives no error either.
    if total(&pieces) == 0 && call.env.descriptors.usable(fd)?.readable() {
        return Ok(SysResult::number(0));
    }
    input(call, fd, None, &pieces)
}

fn write(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    call.injected(Injected::Write)?;
    let size = call.int(2)?;
    let pieces = [(call.args[1], size)];
    output(call, fd, None, &pieces)
}

fn pwrite64(call: &mut Call<'_>) -> Answer {
    let (fd, size, offset) = (call.int32(0)?, call.int(2)?, call.int(3)?);
    call.injected(Injected::Write)?;
    let pieces = [(call.args[1], size)];
    let offset = positive(offset)?;
    output(call, fd, Some(offset), &pieces)
}

fn writev(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    // The streams of the C library, which KLEE prints to by external calls.
    let printed = call.env.statuses.as_klee
        && matches!(call.env.descriptors.get(fd)?.target, Target::Stream(_));
    if !printed {
        call.injected(Injected::Write)?;
    }
    let pieces = vector(call)?;
    output(call, fd, None, &pieces)
}

/// preadv(fd, pieces, count, offset, its upper half, which is a part of it already).
fn preadv(call: &mut Call<'_>) -> Answer {
    let (fd, offset) = (call.int32(0)?, call.int(3)?);
    call.injected(Injected::Read)?;
    let offset = positive(offset)?;
    let open = call.env.descriptors.usable(fd)?;
    let (stream, readable) = (is_stream(&open.target), open.readable());
    let pieces = vector(call)?;
    if total(&pieces) == 0 && readable && !stream {
        return Ok(SysResult::number(0));
    }
    input(call, fd, Some(offset), &pieces)
}

fn pwritev(call: &mut Call<'_>) -> Answer {
    let (fd, offset) = (call.int32(0)?, call.int(3)?);
    call.injected(Injected::Write)?;
    let offset = positive(offset)?;
    call.env.descriptors.usable(fd)?;
    let pieces = vector(call)?;
    output(call, fd, Some(offset), &pieces)
}

fn positive(offset: u64) -> Result<u64, Errno> {
    if offset as i64 >= 0 {
        Ok(offset)
    } else {
        Err(Errno::EINVAL)
    }
}

/// The pieces of the iovec in arguments 1 and 2.
fn vector(call: &mut Call<'_>) -> Result<Vec<Piece>, Failure> {
    let count = call.int(2)?;
    pieces_at(call, call.args[1], count)
}

/// The pieces of an iovec.
pub(super) fn pieces_at(
    call: &mut Call<'_>,
    vector: Value,
    count: u64,
) -> Result<Vec<Piece>, Failure> {
    if count > IOV_MAX {
        return Err(Errno::EINVAL.into());
    }
    let mut pieces = Vec::with_capacity(count as usize);
    for index in 0..count {
        let element = call.memory.displaced(vector, index * 16);
        let address = call.memory.read_word(element)?;
        let size = call.memory.displaced(element, 8);
        let size = match call.memory.read_word(size)? {
            Value::Int(size) => size,
            other => call.memory.concrete(other)?,
        };
        if size as i64 <= -1 {
            return Err(Errno::EINVAL.into());
        }
        pieces.push((address, size));
    }
    Ok(pieces)
}

pub(super) fn total(pieces: &[Piece]) -> u64 {
    pieces
        .iter()
        .fold(0u64, |sum, &(_, size)| sum.saturating_add(size))
        .min(MAX_TRANSFER)
}

/// Bytes read; concrete ones are copied to memory faster.
enum Data {
    Concrete(Vec<u8>),
    Mixed(Vec<Byte>),
}

impl Data {
    fn size(&self) -> u64 {
        match self {
            Data::Concrete(bytes) => bytes.len() as u64,
            Data::Mixed(bytes) => bytes.len() as u64,
        }
    }
}

/// Whether a file has no offset.
fn is_stream(target: &Target) -> bool {
    matches!(
        target,
        Target::Stream(_)
            | Target::Reader(_)
            | Target::Writer(_)
            | Target::Socket(_)
            | Target::Counter(_)
    )
}

/// Read from a descriptor into the pieces, at its offset or at a given one.
fn input(call: &mut Call<'_>, fd: i32, at: Option<u64>, pieces: &[Piece]) -> Answer {
    let open = call.env.descriptors.usable(fd)?;
    if at.is_some() && is_stream(&open.target) {
        return Err(Errno::ESPIPE.into());
    }
    if !open.readable() {
        return Err(Errno::EBADF.into());
    }
    let (offset, flags) = (at.unwrap_or(open.offset), open.flags);
    let target = open.target.clone();
    let size = total(pieces);
    if !is_stream(&target) && offset.saturating_add(size) > i64::MAX as u64 {
        return Err(Errno::EINVAL.into());
    }
    let mut random = call.env.random;
    let data = match &target {
        Target::File(id) => {
            let contents = &call.env.tree.file(*id)?.contents;
            match contents.read_concrete(offset, size) {
                Some(bytes) => Data::Concrete(bytes),
                None => Data::Mixed(contents.read(offset, size)),
            }
        }
        Target::Directory { .. } => return Err(Errno::EISDIR.into()),
        Target::Reader(id) => Data::Mixed(from_pipe(call, *id, size, flags)?),
        Target::Socket(id) => Data::Mixed(next_input(call, *id, size, How::of(flags))?.bytes),
        Target::Device(Device::Null, _) => Data::Concrete(Vec::new()),
        Target::Device(Device::Random, _) => Data::Concrete(random.bytes(size as usize)),
        Target::Device(Device::Zero | Device::Full, _) => Data::Concrete(vec![0; size as usize]),
        Target::Watched(_) => return Err(Errno::EINVAL.into()),
        Target::Counter(id) => Data::Concrete(next_read(call, *id, size, flags)?),
        Target::Stream(_) | Target::Writer(_) | Target::Path(_) => {
            return Err(Errno::EBADF.into());
        }
    };
    scatter(call, pieces, &data)?;
    call.env.random = random;
    let size = data.size();
    if let Target::Reader(id) = target {
        if let Some(pipe) = call.env.descriptors.pipe_mut(id) {
            pipe.bytes.drain(..size as usize);
        }
    } else if let Target::Socket(id) = target {
        take_input(call, id, size as usize);
    } else if let Target::Counter(id) = target {
        counting::take(call, id, size);
    } else if at.is_none() && size > 0 {
        call.env.descriptors.get_mut(fd)?.offset += size;
    }
    Ok(SysResult::number(size))
}

/// Stores bytes in the pieces.
pub(super) fn scatter_bytes(
    call: &mut Call<'_>,
    pieces: &[Piece],
    bytes: &[Byte],
) -> Result<(), Failure> {
    scatter(call, pieces, &Data::Mixed(bytes.to_vec()))
}

fn scatter(call: &mut Call<'_>, pieces: &[Piece], data: &Data) -> Result<(), Failure> {
    let mut done = 0;
    for &(address, size) in pieces {
        let end = done + size.min(data.size() - done);
        if end > done {
            let range = done as usize..end as usize;
            match data {
                Data::Concrete(bytes) => call.memory.write_concrete(address, &bytes[range])?,
                Data::Mixed(bytes) => call.memory.write(address, &bytes[range])?,
            }
        }
        done = end;
    }
    Ok(())
}

pub(super) fn gather(
    call: &mut Call<'_>,
    pieces: &[Piece],
    most: u64,
) -> Result<Vec<Byte>, Failure> {
    let mut bytes = Vec::new();
    let mut left = total(pieces).min(most);
    for &(address, size) in pieces {
        let size = size.min(left);
        if size > 0 {
            bytes.extend(call.memory.read(address, size)?);
        }
        left -= size;
    }
    Ok(bytes)
}

/// Write the pieces to a descriptor, at its offset or at a given one.
fn output(call: &mut Call<'_>, fd: i32, at: Option<u64>, pieces: &[Piece]) -> Answer {
    let open = call.env.descriptors.usable(fd)?;
    if at.is_some() && is_stream(&open.target) {
        return Err(Errno::ESPIPE.into());
    }
    if !open.writable() {
        return Err(Errno::EBADF.into());
    }
    let open = open.clone();
    let bytes = gather(call, pieces, most_written(&open.target))?;
    put_out(call, fd, at, open, &bytes)
}

/// How many bytes one call writes at most.
fn most_written(target: &Target) -> u64 {
    match is_stream(target) {
        true => MAX_WRITE,
        false => MAX_TRANSFER,
    }
}

/// Writes bytes to an open file that can be written.
fn put_out(
    call: &mut Call<'_>,
    fd: i32,
    at: Option<u64>,
    open: OpenFile,
    bytes: &[Byte],
) -> Answer {
    let OpenFile {
        target,
        offset,
        flags,
        ..
    } = open;
    let size = bytes.len() as u64;
    match target {
        Target::File(id) => {
            let append = flags & O_APPEND != 0;
            let end = call.env.tree.file(id)?.contents.size();
            let start = if append { end } else { at.unwrap_or(offset) };
            if bytes.is_empty() {
                return Ok(SysResult::number(0));
            }
            let room = MAX_SIZE.saturating_sub(start).min(size);
            if room == 0 {
                call.differs(Difference::WriteFileSize);
                return Err(Errno::EFBIG.into());
            }
            let now = call.env.clock.now();
            call.env
                .tree
                .file_mut(id)?
                .write(start, &bytes[..room as usize], now);
            if at.is_none() {
                call.env.descriptors.get_mut(fd)?.offset = start + room;
            }
            return Ok(SysResult::number(room));
        }
        Target::Stream(Stream::Out) => {
            call.env.stdout.append(bytes);
            if call.env.stdout.cut() > 0 {
                call.differs(Difference::LongOutput);
            }
            // If it may be a regular file, the program can ask for its position.
            if call.env.statuses.output.is_some() {
                call.env.descriptors.get_mut(fd)?.offset += size;
            }
        }
        Target::Stream(Stream::Err) => {
            call.env.stderr.append(bytes);
            if call.env.stderr.cut() > 0 {
                call.differs(Difference::LongOutput);
            }
        }
        Target::Writer(id) => return to_pipe(call, id, bytes, flags),
        Target::Socket(id) => return send(call, id, bytes, None, How::of(flags)),
        Target::Device(Device::Full, _) if size > 0 => return Err(Errno::ENOSPC.into()),
        Target::Device(..) => {}
        Target::Watched(_) => return Err(Errno::EINVAL.into()),
        Target::Counter(id) => return counting::add(call, id, bytes, flags),
        Target::Directory { .. } | Target::Reader(_) | Target::Path(_) => {
            return Err(Errno::EBADF.into());
        }
    }
    Ok(SysResult::number(size))
}

/// sendfile(out, in, offset or null, size): from a regular file to anything.
fn sendfile(call: &mut Call<'_>) -> Answer {
    let (sink, source, size) = (call.int32(0)?, call.int32(1)?, call.int(3)?);
    let given = !call.is_null(2)?;
    let offset = if given {
        Some(call.get_u64(2, 0)?)
    } else {
        None
    };
    call.injected(Injected::Write)?;
    let input = call.env.descriptors.usable(source)?;
    if !input.readable() {
        return Err(Errno::EBADF.into());
    }
    if given && is_stream(&input.target) {
        return Err(Errno::ESPIPE.into());
    }
    let from = positive(offset.unwrap_or(input.offset))?;
    if from.saturating_add(size) > i64::MAX as u64 {
        return Err(Errno::EINVAL.into());
    }
    let file = match input.target {
        Target::File(id) => Some(id),
        _ => None,
    };
    let output = call.env.descriptors.usable(sink)?.clone();
    if !output.writable() {
        return Err(Errno::EBADF.into());
    }
    let (Some(file), true) = (file, output.flags & O_APPEND == 0) else {
        return Err(Errno::EINVAL.into());
    };
    let size = size.min(most_written(&output.target));
    if given {
        // If this cannot be stored, nothing has been sent yet.
        call.put(2, &from.to_le_bytes())?;
    }
    let result = sent(call, sink, (file, from), size)?;
    if let SysResult::Return(Value::Int(sent)) = result {
        match given {
            true => call.put(2, &(from + sent).to_le_bytes())?,
            false => call.env.descriptors.get_mut(source)?.offset = from + sent,
        }
    }
    Ok(result)
}

/// Sends bytes of a file from an offset: to another file piece by piece, as what is read may be what
/// was written before.
fn sent(call: &mut Call<'_>, sink: i32, source: (FileId, u64), size: u64) -> Answer {
    /// What the kernel's pipe between the two holds.
    const PIECE: u64 = 64 << 10;
    let mut done = 0;
    loop {
        let output = call.env.descriptors.usable(sink)?.clone();
        let is_file = matches!(output.target, Target::File(_));
        let most = if is_file { PIECE } else { size };
        let contents = &call.env.tree.file(source.0)?.contents;
        let bytes = contents.read(source.1 + done, most.min(size - done));
        if bytes.is_empty() {
            return Ok(SysResult::number(done));
        }
        match put_out(call, sink, None, output, &bytes) {
            Ok(SysResult::Return(Value::Int(written))) if is_file => done += written,
            Err(Failure::Errno(_)) if done > 0 => return Ok(SysResult::number(done)),
            other => return other,
        }
    }
}

/// copy_file_range(in, *in_offset, out, *out_offset, size, flags): regular files only.
fn copy_file_range(call: &mut Call<'_>) -> Answer {
    let (source, sink) = (call.int32(0)?, call.int32(2)?);
    let (size, flags) = (call.int(4)?, call.int(5)?);
    let given = [!call.is_null(1)?, !call.is_null(3)?];
    let from = if given[0] {
        Some(positive(call.get_u64(1, 0)?)?)
    } else {
        None
    };
    let to = if given[1] {
        Some(positive(call.get_u64(3, 0)?)?)
    } else {
        None
    };
    let regular_output = call.is_output_of_kind(sink, S_IFREG)?;
    let descriptors = &call.env.descriptors;
    let (input, output) = (descriptors.usable(source)?, descriptors.usable(sink)?);
    let (read_at, write_at) = (from.unwrap_or(input.offset), to.unwrap_or(output.offset));
    let allowed = input.readable() && output.writable() && output.flags & O_APPEND == 0;
    let (a, b) = match (&input.target, &output.target) {
        (Target::Directory { .. }, _) | (_, Target::Directory { .. }) => {
            return Err(Errno::EISDIR.into());
        }
        (&Target::File(a), &Target::File(b)) if flags == 0 => (a, Some(b)),
        // Captured output cannot be written at an offset.
        (&Target::File(a), Target::Stream(_)) if regular_output && flags == 0 && to.is_none() => {
            (a, None)
        }
        _ => return Err(Errno::EINVAL.into()),
    };
    if !allowed {
        return Err(Errno::EBADF.into());
    }
    let size = size.min(MAX_SIZE.saturating_sub(write_at));
    let bytes = call.env.tree.file(a)?.contents.read(read_at, size);
    let size = bytes.len() as u64;
    if Some(a) == b && read_at < write_at + size && write_at < read_at + size && size > 0 {
        return Err(Errno::EINVAL.into());
    }
    if given[0] {
        call.put(1, &(read_at + size).to_le_bytes())?;
    }
    if given[1] {
        call.put(3, &(write_at + size).to_le_bytes())?;
    }
    if !given[0] {
        call.env.descriptors.get_mut(source)?.offset += size;
    }
    if !given[1] {
        call.env.descriptors.get_mut(sink)?.offset += size;
    }
    if size > 0 {
        let now = call.env.clock.now();
        match b {
            Some(b) => call.env.tree.file_mut(b)?.write(write_at, &bytes, now),
            None => call.env.stdout.append(&bytes),
        }
    }
    Ok(SysResult::number(size))
}
