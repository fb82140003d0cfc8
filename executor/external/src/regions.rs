//! The regions of objects' addresses in the helper process.
//!
//! An object must lie at its own address when a callee is called, so nothing else of the process may
//! be there. mimalloc asks the system for memory at 2 TiB and above, where the first region begins;
//! an allocator cannot be told of the regions, as it is at work before `main`. Therefore they are
//! arguments of the helper's command line, and [`reserve_early`] takes them before any other code
//! of the process runs. A reserved region has no access rights and costs address space only.

use crate::protocol::Block;
use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

const PAGE: u64 = 4096;

/// Which regions are reserved: a bit for each, in the order of the command line.
static RESERVED: AtomicU64 = AtomicU64::new(0);
/// The system's reason against the first of the others; 0 if there is none.
static REFUSED: AtomicI32 = AtomicI32::new(0);

/// A region: first address and size.
pub type Region = (u64, u64);

/// A region as an argument of the helper's command.
pub fn argument(&(base, size): &Region) -> OsString {
    format!("{base:x}+{size:x}").into()
}

/// The region of an argument. Called before the runtime is ready: allocates nothing.
fn parse(argument: &[u8]) -> Option<Region> {
    let (base, size) = std::str::from_utf8(argument).ok()?.split_once('+')?;
    let number = |digits| u64::from_str_radix(digits, 16).ok();
    Some((number(base)?, number(size)?))
}

/// Reserves the regions that the command line of a helper process names, where the first argument is
/// `subcommand`; in other processes it does nothing. To be called before any memory is allocated:
/// it neither allocates nor fails, [`ensure`] says what could not be reserved.
///
/// # Safety
/// `arguments` must be `count` pointers to C strings, as `main` gets them.
pub unsafe fn reserve_early(count: c_int, arguments: *const *const c_char, subcommand: &str) {
    let count = usize::try_from(count).unwrap_or(0);
    let at = |index: usize| {
        // SAFETY: the caller promises so many C strings.
        unsafe { CStr::from_ptr(*arguments.add(index)) }.to_bytes()
    };
    if count < 2 || at(1) != subcommand.as_bytes() {
        return;
    }
    for index in 2..count.min(2 + u64::BITS as usize) {
        let Some(region) = parse(at(index)) else {
            return;
        };
        if let Err(why) = reserve(region) {
            REFUSED.store(why.raw_os_error(), Ordering::Relaxed);
            return;
        }
        RESERVED.fetch_or(1 << (index - 2), Ordering::Relaxed);
    }
}

/// Takes address space without access rights.
fn reserve((base, size): Region) -> Result<(), Errno> {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    let length = size as usize;
    // SAFETY: it fails where anything is mapped already, so no memory in use is touched.
    let at = unsafe { mmap_anonymous(base as *mut _, length, ProtFlags::empty(), flags) }?;
    if at as u64 == base {
        return Ok(());
    }
    // A kernel that does not know the flag takes the address as a wish.
    // SAFETY: the mapping was made above and nobody uses it.
    unsafe { munmap(at, length) }?;
    Err(Errno::EXIST)
}

/// The regions of the helper's arguments, all reserved.
///
/// # Errors
/// One line that says which region cannot be had, why, and what to do.
pub fn ensure(arguments: &[OsString]) -> Result<Vec<Region>, String> {
    let mut regions = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let region = parse(OsStr::as_bytes(argument))
            .ok_or_else(|| format!("{} is no region", argument.display()))?;
        if RESERVED.load(Ordering::Relaxed) >> index & 1 == 0 {
            let reserved = match REFUSED.load(Ordering::Relaxed) {
                0 => reserve(region),
                // Meanwhile there may be something else in the way.
                why => Err(Errno::from_raw_os_error(why)),
            };
            reserved.map_err(|why| refused(region, why))?;
        }
        regions.push(region);
    }
    Ok(regions)
}

fn refused((base, size): Region, why: Errno) -> String {
    let region = format!("the region of {size:#x} bytes at {base:#x}");
    match why {
        Errno::EXIST => {
            let owner = occupant((base, size)).unwrap_or_else(|| "other memory".into());
            format!(
                "{region} overlaps {owner} of the process that makes external calls; move it with --region"
            )
        }
        Errno::NOMEM => format!(
            "no address space for {region}, as external calls need it; raise the limit (ulimit -v) or \
             make the regions smaller with --region"
        ),
        _ => format!("{region} cannot be used for external calls: {why}; move it with --region"),
    }
}

/// The name of what is mapped in a region.
fn occupant((base, size): Region) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    maps.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let number = |digits| u64::from_str_radix(digits, 16).ok();
        let overlaps = number(start)? < base.saturating_add(size) && base < number(end)?;
        overlaps.then(|| words.nth(4).unwrap_or("memory").to_owned())
    })
}

/// Makes the memory of reserved regions usable: all of it, or, where the system does not promise so
/// much memory, the pages of the blocks.
///
/// # Errors
/// When the system refuses both.
pub fn open(regions: &[Region], blocks: &[Block]) -> io::Result<()> {
    if regions.iter().all(|&region| allow(region).is_ok()) {
        return Ok(());
    }
    blocks.iter().try_for_each(|block| {
        let start = block.address / PAGE * PAGE;
        let end = (block.address + block.bytes.len() as u64).next_multiple_of(PAGE);
        allow((start, end - start))
    })
}

fn allow((base, size): Region) -> io::Result<()> {
    let access = MprotectFlags::READ | MprotectFlags::WRITE;
    // SAFETY: the range is of a reserved region, which nothing else uses.
    Ok(unsafe { mprotect(base as *mut _, size as usize, access) }?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_way_is_named() {
        let region = (1 << 46, 1 << 30);
        assert_eq!(parse(argument(&region).as_bytes()), Some(region));
        assert_eq!(ensure(&[argument(&region)]), Ok(vec![region]));
        let again = ensure(&[argument(&(region.0 + PAGE, PAGE))]).unwrap_err();
        assert!(again.contains("overlaps memory of the process"), "{again}");
        let local = 0u8;
        let stack = (&raw const local as u64 / PAGE * PAGE, PAGE);
        assert!(ensure(&[argument(&stack)]).is_err());
        assert!(ensure(&["none".into()]).is_err());
    }

    #[test]
    fn pages_of_blocks_can_be_used() {
        let region = (1 << 45, 1 << 40);
        ensure(&[argument(&region)]).expect("reserved");
        let block = Block {
            address: region.0 + 8,
            bytes: vec![1; 2 * PAGE as usize],
        };
        open(&[region], &[block]).expect("usable");
        let last = (region.0 + 2 * PAGE + 7) as *mut u8;
        // SAFETY: the page was made usable above.
        unsafe { last.write_volatile(7) };
    }
}
