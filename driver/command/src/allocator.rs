//! The allocator of the command: mimalloc.
//!
//! States come and go in small pieces: a tenth of the time of a run would go to the system's allocator.
//! mimalloc's blocks are aligned for what fits into them, as those of `malloc` are, so no alignment is
//! asked for. Where one is, and no block of the size is free already, mimalloc takes the slow way to a
//! block of the size and the alignment: one of the next class, a fourth larger at worst. (The crate
//! `mimalloc` asks for every block with its alignment.)

use libmimalloc_sys as mimalloc;
use std::alloc::{GlobalAlloc, Layout};

/// What every block of at least this size is aligned to.
const ALIGNED: usize = 16;

/// mimalloc.
pub struct Mimalloc;

/// Whether any block of the size is aligned as it should be.
fn is_aligned_anyway(align: usize, size: usize) -> bool {
    align <= ALIGNED && align <= size
}

// SAFETY: mimalloc's functions answer as the trait asks: null if there is no memory, and otherwise a
// block of at least the size, which is aligned to the alignment where one is asked for, and else to the
// largest power of two up to `ALIGNED` that is not larger than the size. All of its blocks may be freed
// and resized by the same functions.
unsafe impl GlobalAlloc for Mimalloc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: any size and any alignment of a layout may be asked for.
        let block = unsafe {
            match is_aligned_anyway(align, size) {
                true => mimalloc::mi_malloc(size),
                false => mimalloc::mi_malloc_aligned(size, align),
            }
        };
        block.cast()
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let (size, align) = (layout.size(), layout.align());
        // SAFETY: as above.
        let block = unsafe {
            match is_aligned_anyway(align, size) {
                true => mimalloc::mi_zalloc(size),
                false => mimalloc::mi_zalloc_aligned(size, align),
            }
        };
        block.cast()
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller says that the block is one of this allocator.
        unsafe { mimalloc::mi_free(block.cast()) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let align = layout.align();
        // SAFETY: the caller says that the block is one of this allocator.
        let block = unsafe {
            match is_aligned_anyway(align, size) {
                true => mimalloc::mi_realloc(block.cast(), size),
                false => mimalloc::mi_realloc_aligned(block.cast(), size, align),
            }
        };
        block.cast()
    }
}

/// Gives memory that is free back to the system.
pub fn give_memory_back() {
    // SAFETY: it may be called at any time, by any thread.
    unsafe { mimalloc::mi_collect(true) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of all small sizes, many of each so that they come from fresh pages and used ones.
    #[test]
    fn blocks_are_aligned_for_what_fits_into_them() {
        for size in 1..2048 {
            let aligns = [1, 2, 4, 8, 16, 64].into_iter();
            let layouts = aligns.map(|align| Layout::from_size_align(size, align).unwrap());
            for layout in layouts {
                let blocks: Vec<*mut u8> = (0..40)
                    // SAFETY: the size is not 0.
                    .map(|_| unsafe { Mimalloc.alloc(layout) })
                    .collect();
                for block in blocks {
                    assert!(!block.is_null() && block.addr() % layout.align() == 0);
                    // SAFETY: the block is one of just now, and is given up with its new layout.
                    unsafe {
                        let grown = Mimalloc.realloc(block, layout, size + 100);
                        assert_eq!(grown.addr() % layout.align(), 0);
                        let layout = Layout::from_size_align_unchecked(size + 100, layout.align());
                        Mimalloc.dealloc(grown, layout);
                    }
                }
            }
        }
    }
}
