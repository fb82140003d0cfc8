//! Finds a key that a program accepts: an argument with which it returns 0.
//!
//! ```text
//! clang-22 -O1 -g -emit-llvm -fno-builtin -c driver/examples/crackme.c -o crackme.bc
//! cargo run --example crackme crackme.bc
//! ```

use plat::{Event, Explorer};
use std::ops::ControlFlow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bitcode = std::env::args().nth(1).ok_or("usage: crackme PROGRAM.bc")?;
    let mut key = None;
    Explorer::bitcode(bitcode).sym_arg(7).run_with(|event| {
        if let Event::Test(test) = event
            && test.path.exit_code == Some(0)
        {
            key = test.input("arg00").map(<[u8]>::to_vec);
            return ControlFlow::Break(()); // one key is enough
        }
        ControlFlow::Continue(())
    })?;
    let key = key.ok_or("there is no key")?;
    println!("{}", String::from_utf8_lossy(&key).trim_end_matches('\0'));
    Ok(())
}
