//! Stores: the file of a run's records. The first byte says what is done to the bytes: read as they are, or put into a
//! sound store. Whatever they are, a reader gets records or errors, says where the readable part ends,
//! and a writer that opens the store again keeps exactly the records that the reader had.

#![no_main]

use plat_store::{Header, Reader, Record, TailKind, Writer};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Item(u64, String, Vec<u8>);

impl Record for Item {
    const NAME: &'static str = "items";
    const VERSION: u32 = 1;
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&how, data)) = data.split_first() else {
        return;
    };
    let bytes = match how % 4 {
        0 => data.to_vec(),
        _ => changed(usize::from(how), data),
    };
    let store = RefCell::new(bytes);
    let Ok(reader) = Reader::<Item, _>::new(&store) else {
        return;
    };
    let read: Vec<Option<Item>> = reader.records(0).map(Result::ok).collect();
    assert_eq!(read.len() as u64, reader.len());
    let torn = reader.tail().is_none_or(|tail| tail.kind == TailKind::Torn);
    match Writer::<Item, _>::resume(&store) {
        Ok((mut writer, reopened)) => {
            assert!(torn);
            assert_eq!(reopened.records, reader.len());
            let added = Item(1, "one".to_owned(), vec![1]);
            let number = writer.append(&added).expect("memory");
            drop(writer);
            let reader = Reader::<Item, _>::new(&store).expect("the same header");
            let mut again: Vec<Option<Item>> = reader.records(0).map(Result::ok).collect();
            assert_eq!(reader.get(number).ok(), Some(added));
            again.pop();
            assert_eq!(again, read);
            assert_eq!(reader.tail(), None);
        }
        Err(_) => assert!(!torn),
    }
});

/// A sound store of which bytes are replaced by others from a place on, or behind which they stand.
fn changed(how: usize, data: &[u8]) -> Vec<u8> {
    let store = RefCell::default();
    let mut writer = Writer::begin(&store, &Header::default()).expect("memory");
    for block in data.chunks(40).take(4) {
        let item = Item(block.len() as u64, "text".to_owned(), block.to_vec());
        writer.append(&item).expect("memory");
        writer.flush().expect("memory");
    }
    drop(writer);
    let mut bytes = store.into_inner();
    let from = bytes.len() * (how / 4) / 63;
    let to = (from + data.len()).min(bytes.len());
    bytes.splice(from.min(to)..to, data.iter().copied());
    bytes
}
