//! Panics of the core library: an index behind an array, a sum that overflows, nothing unwrapped.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

extern "C" {
    fn abort() -> !;
    fn klee_range(begin: i32, end: i32, name: *const u8) -> i32;
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    unsafe { abort() }
}

#[no_mangle]
pub extern "C" fn main() -> i32 {
    let index = unsafe { klee_range(0, 9, b"index\0".as_ptr()) } as usize;
    let table = [10, 20, 30, 40];
    match index {
        6 => i32::MAX.checked_add(index as i32).unwrap(),
        7 => (&table[..index - 5]).len() as i32,
        8 => 1,
        _ => table[index],
    }
}
