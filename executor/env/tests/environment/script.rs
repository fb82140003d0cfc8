//! Sequences of system calls as data, executed natively and on the model.

use crate::fake::Flat;
use plat_env::{Environment, Host, Stop, SysResult, system_call};
use plat_expr::Value;

/// An argument.
#[derive(Clone, Debug)]
pub enum Arg {
    Int(i64),
    /// A path or any bytes to read, zero-terminated.
    Text(String),
    /// A buffer with these bytes, shown in the result.
    Buffer(Vec<u8>),
    /// An iovec of such buffers.
    Vector(Vec<Vec<u8>>),
}

/// Which part of a buffer is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// Nothing: only what the call returns.
    Nothing,
    /// All bytes.
    All,
    /// The bytes that the call returned.
    Returned,
    /// The fields of `struct stat` that do not depend on the file system.
    Stat,
    /// Names and types in a directory, sorted; not the number of bytes.
    Names,
}

#[derive(Clone, Debug)]
pub struct SystemCall {
    pub number: i64,
    pub args: Vec<Arg>,
    pub view: View,
}

/// What a call returned, and what it wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub result: i64,
    pub shown: String,
}

fn show(view: View, result: i64, buffers: &[Vec<u8>]) -> Outcome {
    let bytes = buffers.concat();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let shown = match view {
        View::Nothing => String::new(),
        View::All => format!("{bytes:?}"),
        View::Returned => format!("{:?}", &bytes[..result.max(0) as usize]),
        View::Stat if result < 0 => String::new(),
        View::Stat => {
            let directory = word(24) & 0o170_000 == 0o040_000;
            let sizes = if directory {
                (0, 0)
            } else {
                (word(16), word(48))
            };
            format!(
                "mode {:o} links, size {sizes:?} owner {} {}",
                word(24),
                word(28),
                word(32)
            )
        }
        View::Names if result < 0 => String::new(),
        View::Names => {
            let mut names = Vec::new();
            let mut at = 0;
            while at < result as usize {
                let size = usize::from(bytes[at + 16]) + 256 * usize::from(bytes[at + 17]);
                let name = bytes[at + 19..at + size]
                    .split(|&byte| byte == 0)
                    .next()
                    .unwrap();
                names.push((String::from_utf8_lossy(name).into_owned(), bytes[at + 18]));
                at += size;
            }
            names.sort();
            return Outcome {
                result: 0,
                shown: format!("{names:?}"),
            };
        }
    };
    Outcome { result, shown }
}

/// Executes the call of a step in this process.
pub fn run_natively(step: &SystemCall) -> Outcome {
    let mut texts = Vec::new();
    let mut buffers = Vec::new();
    let mut vectors: Vec<Vec<[u64; 2]>> = Vec::new();
    for arg in &step.args {
        match arg {
            Arg::Int(_) => {}
            Arg::Text(text) => texts.push(format!("{text}\0").into_bytes()),
            Arg::Buffer(bytes) => buffers.push(bytes.clone()),
            Arg::Vector(pieces) => buffers.extend(pieces.iter().cloned()),
        }
    }
    let (mut text, mut buffer) = (texts.iter(), buffers.iter_mut());
    let mut args = [0i64; 6];
    for (value, arg) in args.iter_mut().zip(&step.args) {
        *value = match arg {
            Arg::Int(value) => *value,
            Arg::Text(_) => text.next().unwrap().as_ptr() as i64,
            Arg::Buffer(_) => buffer.next().unwrap().as_mut_ptr() as i64,
            Arg::Vector(pieces) => {
                let mut elements = Vec::new();
                for piece in pieces {
                    let address = buffer.next().unwrap().as_mut_ptr() as u64;
                    elements.push([address, piece.len() as u64]);
                }
                vectors.push(elements);
                vectors.last().unwrap().as_ptr() as i64
            }
        };
    }
    let [a, b, c, d, e, f] = args;
    // SAFETY: pointers lead to buffers that live until the end of this function and are as large as
    // the sizes that the scripts pass.
    let result = unsafe { libc::syscall(step.number, a, b, c, d, e, f) };
    let error = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
    show(
        step.view,
        if result == -1 {
            -i64::from(error)
        } else {
            result
        },
        &buffers,
    )
}

/// Executes the call of a step on the model.
pub fn run_on_model(
    step: &SystemCall,
    env: &mut Environment,
    host: &mut Host,
    memory: &mut Flat,
) -> Result<Outcome, Stop> {
    let mut buffers = Vec::new();
    let mut args = [Value::Int(0); 6];
    for (value, arg) in args.iter_mut().zip(&step.args) {
        let mut buffer = |memory: &mut Flat, bytes: &[u8]| {
            let address = memory.buffer(bytes);
            buffers.push((address, bytes.len() as u64));
            address
        };
        *value = Value::Int(match arg {
            Arg::Int(value) => *value as u64,
            Arg::Text(text) => memory.buffer(format!("{text}\0").as_bytes()),
            Arg::Buffer(bytes) => buffer(memory, bytes),
            Arg::Vector(pieces) => {
                let mut elements = Vec::new();
                for piece in pieces {
                    elements.extend(buffer(memory, piece).to_le_bytes());
                    elements.extend((piece.len() as u64).to_le_bytes());
                }
                memory.buffer(&elements)
            }
        });
    }
    let result = match system_call(env, host, step.number as u64, args, memory)? {
        SysResult::Return(Value::Int(result)) => result as i64,
        other => panic!("{step:?} ended with {other:?}"),
    };
    let bytes = |&(address, size): &(u64, u64)| memory.bytes_at(address, size);
    let buffers: Vec<Vec<u8>> = buffers.iter().map(bytes).collect();
    Ok(show(step.view, result, &buffers))
}
