//! A function of the program that is modelled in Rust: the driver of a sensor, of which nobody has
//! the code. Its results are symbolic, within what the sensor can measure.
//!
//! ```text
//! clang-22 -O1 -g -emit-llvm -fno-builtin -c driver/examples/function_in_rust.c -o sensor.bc
//! cargo run --example function_in_rust sensor.bc
//! ```

use plat::hook::{Access, Call, Step};
use plat::native::{Native, Reply};
use plat::{Explorer, PathEnd};

/// Degrees that the sensor can measure.
const LEAST: i32 = -20;
const MOST: i32 = 60;

/// `int read_sensor(int number)`.
fn read_sensor(access: &mut Access<'_, '_>, call: &Call<'_>) -> Step<Reply> {
    // What can split the path comes first: which sensor is it?
    let number = access.concrete(call.arg(0), 32)?;
    let degrees = access.symbolic_word(&format!("sensor{number}"), 4);
    let value = access.expression(degrees, 32);
    let pool = access.pool();
    let least = pool.constant(32, u64::from(LEAST.cast_unsigned()));
    let most = pool.constant(32, u64::from(MOST.cast_unsigned()));
    let (above, below) = (pool.sle(least, value), pool.sle(value, most));
    let possible = pool.and(above, below);
    match access.add_constraint(possible)? {
        true => Ok(Reply::Value(degrees)),
        false => Err(PathEnd::internal("the sensor measures nothing").into()),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bitcode = std::env::args()
        .nth(1)
        .ok_or("usage: function_in_rust PROGRAM.bc")?;
    let report = Explorer::bitcode(bitcode)
        .native(Native::new("read_sensor", 1, read_sensor))
        .run()?;
    for (test, fault) in report.faults() {
        let degrees = |name: &str| {
            let bytes = test.input(name)?.try_into().ok()?;
            Some(i32::from_le_bytes(bytes))
        };
        let (one, other) = (degrees("sensor0"), degrees("sensor1"));
        println!("{}: {one:?} and {other:?}", fault.message);
    }
    Ok(())
}
