//! Messages between plat's processes: those of the helper for external calls, and others of the
//! shapes that the other processes send (a test of the engine damages those). The first byte chooses the type, the others are a stream.
//! Whatever they are, a reader gets values or errors; a value that was read can be sent and read
//! again, and a stream that comes in pieces has the same messages.

#![no_main]

use plat_external::{Reply, Request, Setup};
use plat_protocol::{Incoming, decode, encode, receive, receive_parts};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((kind, stream)) = data.split_first() else {
        return;
    };
    match kind % 6 {
        0 => messages::<Setup>(stream),
        1 => messages::<Request>(stream),
        2 => messages::<Reply>(stream),
        3 => messages::<Vec<(String, Option<u64>)>>(stream),
        4 => messages::<BTreeMap<i64, (f64, bool, char)>>(stream),
        _ => drop(receive_parts(&mut &*stream)),
    }
});

fn messages<T: Serialize + DeserializeOwned>(stream: &[u8]) {
    come_back::<T>(stream);
    let mut rest = stream;
    let mut whole = Vec::new();
    while let Ok(Some(message)) = receive::<T>(&mut rest) {
        whole.push(encode(&message).expect("what was read"));
    }
    let mut incoming = Incoming::default();
    let mut pieces = Vec::new();
    'stream: for mut piece in stream.chunks(5) {
        while incoming.read_from(&mut piece).expect("memory can be read") > 0 {
            loop {
                match incoming.message::<T>() {
                    Ok(Some(message)) => pieces.push(encode(&message).expect("what was read")),
                    Ok(None) => break,
                    Err(_) => break 'stream,
                }
            }
        }
    }
    assert_eq!(whole, pieces);
}

/// The bytes as one message.
fn come_back<T: Serialize + DeserializeOwned>(bytes: &[u8]) {
    if let Ok(message) = decode::<T>(bytes) {
        let written = encode(&message).expect("what was read");
        let again: T = decode(&written).expect("what was written");
        assert_eq!(encode(&again).expect("what was read"), written);
    }
}
