//! A table without its library: what the index can be, and what must not happen.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

extern "C" {
    fn abort() -> !;
    fn klee_range(begin: i32, end: i32, name: *const u8) -> i32;
    fn printf(format: *const u8, ...) -> i32;
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    unsafe { abort() }
}

static TABLE: [i32; 4] = [10, 20, 30, 40];

#[no_mangle]
pub extern "C" fn main() -> i32 {
    let index = unsafe { klee_range(0, 6, b"index\0".as_ptr()) } as usize;
    let value = match index {
        4 => unsafe { TABLE.as_ptr().add(index).read_volatile() },
        5 => unsafe { abort() },
        _ => TABLE.get(index).copied().unwrap_or(0),
    };
    unsafe { printf(b"%d\n\0".as_ptr(), value) };
    0
}
