//! The call itself, in a process that exists for it alone: memory is put in place, the function
//! is called through libffi, and what it has changed is collected.

use crate::protocol::{Block, Reply, Request, Returned, Scalar};
use crate::regions::{self, Region};
use libffi::middle::{Arg, Cif, CodePtr, Ret, Type, arg};
use std::collections::BTreeSet;
use std::ffi::CString;

const PAGE: u64 = 4096;

/// Loads shared libraries, so that their functions are found.
pub fn load(libraries: &[String]) -> Result<(), String> {
    for library in libraries {
        let name = CString::new(library.as_str()).map_err(|_| format!("no library {library}"))?;
        // SAFETY: the name is a C string; what the library does at loading is the user's choice.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            return Err(format!("cannot load the library {library}"));
        }
    }
    Ok(())
}

/// Makes a call. Must run in a process of its own: it fills the regions. What the callee writes is
/// not part of the reply.
pub fn call(regions: &[Region], request: &Request) -> Reply {
    let Ok(name) = CString::new(request.function.as_str()) else {
        return Reply::Missing;
    };
    // SAFETY: the name is a C string.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if function.is_null() {
        return Reply::Missing;
    }
    if let Some(block) = request.blocks.iter().find(|block| !inside(regions, block)) {
        return Reply::Failed(format!("no memory at {:#x}", block.address));
    }
    if let Err(error) = regions::open(regions, &request.blocks) {
        return Reply::Failed(format!("no memory for the objects of the call: {error}"));
    }
    for block in &request.blocks {
        // SAFETY: the bytes lie in a region, were made usable above, and nothing else uses them.
        unsafe {
            std::ptr::copy_nonoverlapping(
                block.bytes.as_ptr(),
                block.address as *mut u8,
                block.bytes.len(),
            );
        }
    }
    let (value, errno) = invoke(CodePtr(function), request);
    if let Some(address) = stray(&request.blocks) {
        return Reply::Stray(address);
    }
    Reply::Returned(Returned {
        value,
        errno,
        changes: request.blocks.iter().flat_map(changes).collect(),
        ..Returned::default()
    })
}

fn inside(regions: &[Region], block: &Block) -> bool {
    let end = block.address.checked_add(block.bytes.len() as u64);
    regions.iter().any(|&(base, size)| {
        base <= block.address && end.is_some_and(|end| end <= base.saturating_add(size))
    })
}

/// libffi's type. The program's bitcode does not say whether narrow integers are signed: `char`
/// and `short` are, as C has it, and truth values are not.
fn ffi_type(scalar: Scalar) -> Type {
    match scalar {
        Scalar::Void => Type::void(),
        Scalar::Int(1) => Type::u8(),
        Scalar::Int(8) => Type::i8(),
        Scalar::Int(16) => Type::i16(),
        Scalar::Int(32) => Type::i32(),
        Scalar::Int(_) => Type::i64(),
        Scalar::Pointer => Type::pointer(),
        Scalar::Single => Type::f32(),
        Scalar::Double => Type::f64(),
        Scalar::Extended => Type::longdouble(),
    }
}

/// Calls the function; its result and `errno` behind it.
fn invoke(function: CodePtr, request: &Request) -> (u128, i32) {
    /// Room for any scalar, aligned for each.
    #[repr(align(16))]
    struct Word([u8; 16]);
    let words: Vec<Word> = (request.arguments.iter())
        .map(|(_, value)| Word(value.to_le_bytes()))
        .collect();
    let arguments: Vec<Arg<'_>> = words.iter().map(|word| arg(&word.0)).collect();
    let types: Vec<Type> = (request.arguments.iter())
        .map(|&(scalar, _)| ffi_type(scalar))
        .collect();
    let result = ffi_type(request.result);
    let cif = match request.fixed {
        Some(fixed) => Cif::new_variadic(types, fixed as usize, result),
        None => Cif::new(types, result),
    };
    let mut value = Word([0; 16]);
    // SAFETY: the descriptors match the types that the program was compiled with; whatever the
    // function does wrong with them, it does to this process alone.
    unsafe {
        *libc::__errno_location() = request.errno;
        let place = match request.result {
            Scalar::Void => Ret::void(),
            _ => Ret::new(&mut value.0),
        };
        cif.call_return_into(function, &arguments, place);
        let errno = *libc::__errno_location();
        libc::fflush(std::ptr::null_mut());
        (u128::from_le_bytes(value.0), errno)
    }
}

/// The bytes of a block as they are now.
fn now(block: &Block) -> &[u8] {
    // SAFETY: the block lies in a mapped region; nothing writes while the slice is in use.
    unsafe { std::slice::from_raw_parts(block.address as *const u8, block.bytes.len()) }
}

/// The runs of words that have changed: whole words, as far as they lie in the block, so that an
/// address changes as a whole.
fn changes(block: &Block) -> Vec<Block> {
    let now = now(block);
    let mut runs: Vec<Block> = Vec::new();
    let mut at = 0;
    while at < now.len() {
        let address = block.address + at as u64;
        let end = now.len().min(at + 8 - (address % 8) as usize);
        let word = at..end;
        at = end;
        if block.bytes[word.clone()] == now[word.clone()] {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.address + run.bytes.len() as u64 == address => {
                run.bytes.extend(&now[word]);
            }
            _ => runs.push(Block {
                address,
                bytes: now[word].to_vec(),
            }),
        }
    }
    runs
}

/// An address that is in none of the blocks, but on a page with one, and that was written to.
fn stray(blocks: &[Block]) -> Option<u64> {
    let mut ranges: Vec<(u64, u64)> = blocks
        .iter()
        .map(|block| (block.address, block.address + block.bytes.len() as u64))
        .collect();
    ranges.sort_unstable();
    let pages: BTreeSet<u64> = ranges
        .iter()
        .flat_map(|&(start, end)| (start / PAGE..end.div_ceil(PAGE)).map(|page| page * PAGE))
        .collect();
    let mut ranges = ranges.into_iter().peekable();
    for page in pages {
        let mut at = page;
        while at < page + PAGE {
            while ranges.next_if(|&(_, end)| end <= at).is_some() {}
            let (start, end) = ranges.peek().copied().unwrap_or((u64::MAX, u64::MAX));
            let free = start.min(page + PAGE);
            while at < free {
                // SAFETY: the page has a block on it, so it lies in a mapped region, whose bounds
                // are pages.
                if unsafe { *(at as *const u8) } != 0 {
                    return Some(at);
                }
                at += 1;
            }
            at = at.max(end.min(page + PAGE));
        }
    }
    None
}
