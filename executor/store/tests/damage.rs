//! Stores that were cut off or changed at every byte, stores that are written while they are read,
//! and writers that fail. The model of a store is a list of records.

use plat_store::{Error, Header, Reader, Record, Storage, TailKind, Writer};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::io;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Item {
    Number(u64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Record for Item {
    const NAME: &'static str = "items";
    const VERSION: u32 = 3;
}

type Memory = RefCell<Vec<u8>>;

fn header() -> Header {
    Header {
        program: "f00d".to_owned(),
        decisions: [("max-depth".to_owned(), "7".to_owned())].into(),
        about: [("searcher".to_owned(), "bfs".to_owned())].into(),
    }
}

fn items(count: u64) -> Vec<Item> {
    let item = |number| match number % 3 {
        0 => Item::Number(number),
        1 => Item::Text("text".repeat(number as usize % 5)),
        _ => Item::Bytes(vec![number as u8; number as usize % 7]),
    };
    (0..count).map(item).collect()
}

/// A store of these records, so many in a block, and for each length of the file where a block ends how many
/// records it has.
fn store(items: &[Item], in_block: usize) -> (Vec<u8>, Vec<(usize, usize)>) {
    let memory = Memory::default();
    let mut writer = Writer::begin(&memory, &header()).expect("a store");
    let mut ends = vec![(memory.borrow().len(), 0)];
    for (at, block) in items.chunks(in_block.max(1)).enumerate() {
        for item in block {
            writer.append(item).expect("appended");
        }
        writer.flush().expect("flushed");
        let records = at * in_block.max(1) + block.len();
        ends.push((memory.borrow().len(), records));
    }
    drop(writer);
    (memory.into_inner(), ends)
}

fn read<S: Storage>(reader: &Reader<Item, S>) -> Vec<Item> {
    let records = reader.records(0).map(|record| record.expect("a record"));
    records.collect()
}

#[test]
fn a_store_that_is_cut_off_anywhere_has_its_whole_blocks_and_goes_on() {
    let all = items(40);
    let (bytes, ends) = store(&all, 6);
    for cut in 0..=bytes.len() {
        let memory = Memory::new(bytes[..cut].to_vec());
        let Some(&(end, records)) = ends.iter().rev().find(|(end, _)| *end <= cut) else {
            let error = Reader::<Item, _>::new(&memory).expect_err("no header");
            assert!(matches!(error, Error::NoStore), "{cut}: {error}");
            assert!(Writer::<Item, _>::resume(&memory).is_err());
            assert_eq!(memory.borrow()[..], bytes[..cut]);
            continue;
        };
        let reader = Reader::new(&memory).expect("a store");
        assert_eq!(read(&reader), all[..records]);
        let tail = reader.tail().map(|tail| (tail.at, tail.bytes, tail.kind));
        let torn = (end as u64, (cut - end) as u64, TailKind::Torn);
        assert_eq!(tail, (cut > end).then_some(torn));
        let (mut writer, reopened) = Writer::resume(&memory).expect("a store");
        assert_eq!(reopened.records, records as u64);
        assert_eq!(reopened.dropped, (cut - end) as u64);
        assert_eq!(reopened.header, header());
        for item in &all[records..] {
            writer.append(item).expect("appended");
        }
        drop(writer);
        let reader = Reader::new(&memory).expect("a store");
        assert_eq!((read(&reader), reader.tail()), (all.clone(), None));
    }
}

#[test]
fn a_changed_byte_ends_the_store_at_its_block_and_nothing_is_dropped() {
    let all = items(30);
    let (bytes, ends) = store(&all, 6);
    for at in 0..bytes.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= mask;
            let memory = Memory::new(changed.clone());
            let before = ends.iter().rev().find(|(end, _)| *end <= at);
            let Some(&(end, records)) = before else {
                assert!(Reader::<Item, _>::new(&memory).is_err(), "byte {at}");
                continue;
            };
            let reader = Reader::new(&memory).expect("a store");
            assert_eq!(read(&reader), all[..records]);
            let tail = reader.tail().expect("a tail");
            assert_eq!((tail.at, tail.kind), (end as u64, TailKind::Damaged));
            let error = Writer::<Item, _>::resume(&memory).expect_err("damage");
            assert!(matches!(error, Error::Damaged { at } if at == end as u64));
            assert_eq!(*memory.borrow(), changed);
        }
    }
}

#[test]
fn records_that_are_alike_are_packed() {
    let item = |number: u64| Item::Text(format!("{number} of many that are much alike"));
    let all: Vec<Item> = (0..2_000).map(item).collect();
    let (bytes, _) = store(&all, 500);
    let plain: usize = all.iter().map(|_| 34).sum();
    assert!(bytes.len() * 3 < plain, "{} of {plain} bytes", bytes.len());
    let memory = Memory::new(bytes);
    let reader = Reader::<Item, _>::new(&memory).expect("a store");
    assert_eq!(read(&reader), all);
    assert_eq!(reader.get(1_234).expect("a record"), all[1_234]);
}

/// Sound frames around packed bodies that are none.
#[test]
fn a_packed_block_that_cannot_be_unpacked_is_damage() {
    let (bytes, _) = store(&[], 1);
    for body in [
        &[][..],
        &[0; 3],
        &[255; 4],
        &[255; 40],
        &[9, 0, 0, 0, 0x10, 7],
    ] {
        let mut head = Vec::new();
        for field in [body.len() as u32, 1, 0x6b63_6170, crc32fast::hash(body)] {
            head.extend(field.to_le_bytes());
        }
        head.extend(crc32fast::hash(&head).to_le_bytes());
        let memory = Memory::new([&bytes[..], &head, body].concat());
        let reader = Reader::<Item, _>::new(&memory).expect("a store");
        assert_eq!(reader.len(), 0);
        let kind = reader.tail().expect("a tail").kind;
        assert_eq!(kind, TailKind::Damaged, "{body:?}");
    }
}

#[test]
fn records_are_copied_by_their_bytes_and_read_in_part() {
    let all = items(50);
    let (bytes, _) = store(&all, 7);
    let reader = Reader::<Item, _>::new(Memory::new(bytes)).expect("a store");
    let memory = Memory::default();
    let mut writer = Writer::<Item, _>::begin(&memory, &header()).expect("a store");
    for number in 0..reader.len() {
        let copied = reader.read(number, |bytes| Ok(writer.append_bytes(bytes)));
        assert_eq!(copied.expect("read").expect("copied"), number);
    }
    drop(writer);
    assert_eq!(read(&Reader::new(&memory).expect("a store")), all);
    // The number of the variant comes first.
    let variants = (0..reader.len()).map(|number| {
        let variant = reader.read(number, |bytes| {
            plat_protocol::decode_start::<u32>(bytes).map(|(variant, _)| variant)
        });
        variant.expect("a variant")
    });
    assert!(variants.eq((0..50).map(|number| number % 3)));
    let none = reader.read(50, |_| Ok(())).expect_err("no record");
    assert!(matches!(none, Error::NoRecord(50)), "{none}");
}

#[test]
fn zeros_at_the_end_are_a_torn_block() {
    let all = items(10);
    let (bytes, ends) = store(&all, 5);
    let (first, records) = ends[1];
    // The length of the file was written down, the block was not, or only its head.
    for kept in [first, first + 20] {
        let mut zeroed = bytes.clone();
        zeroed[kept..].fill(0);
        let (_, reopened) = Writer::<Item, _>::resume(&Memory::new(zeroed)).expect("a store");
        assert_eq!(reopened.records, records as u64);
        assert_eq!(reopened.dropped, (bytes.len() - first) as u64);
    }
    let memory = Memory::new([&bytes[..], &[0; 5000]].concat());
    let reader = Reader::<Item, _>::new(&memory).expect("a store");
    assert_eq!(reader.len(), 10);
    assert_eq!(reader.tail().map(|tail| tail.kind), Some(TailKind::Torn));
    let (_, reopened) = Writer::<Item, _>::resume(&memory).expect("a store");
    assert_eq!((reopened.records, reopened.dropped), (10, 5000));
}

#[test]
fn a_reader_follows_a_writer() {
    let memory = Memory::default();
    let all = items(200);
    let mut writer = Writer::begin(&memory, &header()).expect("a store");
    let mut reader = Reader::new(&memory).expect("a store");
    for (number, item) in (0..).zip(&all) {
        assert_eq!(writer.append(item).expect("appended"), number);
        if number % 7 == 6 {
            writer.flush().expect("flushed");
            assert_eq!(reader.refresh().expect("read"), 7);
        }
        assert_eq!(reader.len(), (number + 1) / 7 * 7);
        assert_eq!(read(&reader), all[..reader.len() as usize]);
    }
    assert!(matches!(reader.get(reader.len()), Err(Error::NoRecord(_))));
}

#[test]
fn stores_of_other_records_and_runs_are_refused() {
    #[derive(Serialize, Deserialize, Debug)]
    struct Other;
    impl Record for Other {
        const NAME: &'static str = "others";
        const VERSION: u32 = 1;
    }
    let memory = Memory::new(store(&items(3), 3).0);
    let error = Reader::<Other, _>::new(&memory).expect_err("other records");
    let message = "it is a store of items (version 3), not of others (version 1)";
    assert_eq!(error.to_string(), message);
    let mut other = header();
    assert!(header().check_same_run(&other).is_ok());
    other.about.clear();
    assert!(header().check_same_run(&other).is_ok());
    other
        .decisions
        .insert("model".to_owned(), "flat".to_owned());
    let error = header().check_same_run(&other).expect_err("another run");
    assert_eq!(
        error.to_string(),
        "it is the store of another run: model differs"
    );
    other.program.clear();
    assert!(other.check_same_run(&header()).is_err());
}

#[test]
fn stores_are_merged_and_files_have_one_writer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let all = items(5000);
    let mut writer = Writer::create(&path, &header()).expect("a store");
    for item in &all[..100] {
        writer.append(item).expect("appended");
    }
    let other = Memory::new(store(&all[100..], 300).0);
    let other = Reader::new(&other).expect("a store");
    assert_eq!(writer.append_store(&other).expect("appended"), 100);
    writer.sync().expect("written");
    assert!(matches!(Writer::<Item>::reopen(&path), Err(Error::Busy)));
    assert!(Writer::<Item>::create(&path, &header()).is_err());
    drop(writer);
    let reader = Reader::open(&path).expect("a store");
    assert_eq!(read(&reader), all);
    let (_, reopened) = Writer::<Item>::reopen(&path).expect("a store");
    assert_eq!((reopened.records, reopened.dropped), (5000, 0));
}

/// A storage that has room for so many bytes: a write beyond writes what fits and fails.
struct Full {
    memory: Memory,
    room: Cell<u64>,
}

impl Storage for Full {
    fn length(&self) -> io::Result<u64> {
        self.memory.length()
    }
    fn read_at(&self, to: &mut [u8], at: u64) -> io::Result<usize> {
        self.memory.read_at(to, at)
    }
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let room = self.room.get().saturating_sub(at) as usize;
        self.memory.write_at(&bytes[..bytes.len().min(room)], at)?;
        match bytes.len() <= room {
            true => Ok(()),
            false => Err(io::ErrorKind::StorageFull.into()),
        }
    }
    fn truncate(&self, length: u64) -> io::Result<()> {
        self.memory.truncate(length)
    }
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    let all = items(60);
    let (bytes, _) = store(&all, 60);
    for room in 0..bytes.len() as u64 + 400 {
        let full = Full {
            memory: Memory::default(),
            room: Cell::new(room),
        };
        let Ok(mut writer) = Writer::begin(&full, &header()) else {
            continue;
        };
        for block in all.chunks(10) {
            for item in block {
                writer.append(item).expect("memory");
            }
            let before = full.memory.borrow().clone();
            if writer.flush().is_err() {
                assert_eq!(*full.memory.borrow(), before, "room {room}");
            }
        }
        let reader = Reader::<Item, _>::new(&full.memory).expect("a store");
        assert_eq!(reader.tail(), None);
        full.room.set(u64::MAX);
        writer.flush().expect("there is room now");
        let reader = Reader::new(&full.memory).expect("a store");
        assert_eq!(read(&reader), all);
    }
}

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        any::<u64>().prop_map(Item::Number),
        ".{0,20}".prop_map(Item::Text),
        proptest::collection::vec(any::<u8>(), 0..300).prop_map(Item::Bytes),
        // Longer than a block.
        (60_000usize..70_000, any::<u8>())
            .prop_map(|(length, byte)| Item::Bytes(vec![byte; length])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is appended, flushed, cut off and opened again: a reader has a prefix of it, at least
    /// all that was flushed before the cut, and every record by its number.
    #[test]
    fn a_store_is_a_list(
        runs in proptest::collection::vec(
            (proptest::collection::vec((item(), any::<bool>()), 0..20), any::<u16>()), 1..5),
    ) {
        let memory = Memory::default();
        drop(Writer::<Item, _>::begin(&memory, &header()).expect("a store"));
        let mut model: Vec<Item> = Vec::new();
        for (appended, cut) in runs {
            let (mut writer, reopened) = Writer::resume(&memory).expect("a store");
            prop_assert_eq!(reopened.records, model.len() as u64);
            let mut flushed = (memory.borrow().len(), model.len());
            for (item, flush) in appended {
                writer.append(&item).expect("appended");
                model.push(item);
                if flush {
                    writer.flush().expect("flushed");
                    flushed = (memory.borrow().len(), model.len());
                }
            }
            drop(writer);
            let length = memory.borrow().len();
            let kept = flushed.0 + usize::from(cut) % (length - flushed.0 + 1);
            memory.borrow_mut().truncate(kept);
            let reader = Reader::<Item, _>::new(&memory).expect("a store");
            let records = reader.len() as usize;
            prop_assert!(records >= flushed.1);
            prop_assert!(kept < length || records == model.len());
            model.truncate(records);
            for number in (0..records).rev() {
                prop_assert_eq!(&reader.get(number as u64).expect("a record"), &model[number]);
            }
        }
    }

    /// Bytes of any kind are a store or none, and never a panic.
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200), at: u16) {
        let (mut store, _) = store(&items(20), 4);
        let at = usize::from(at) % store.len();
        store.splice(at..(at + bytes.len()).min(store.len()), bytes.iter().copied());
        for bytes in [bytes, store] {
            if let Ok(reader) = Reader::<Item, _>::new(Memory::new(bytes)) {
                read(&reader);
            }
        }
    }
}

#[test]
fn what_is_gathered_waits_for_a_flush_and_can_be_forgotten() {
    let memory = Memory::default();
    let mut writer = Writer::begin(&memory, &header()).expect("a store");
    let begun = memory.borrow().len();
    // Far more than a block.
    let many = items(40_000);
    for item in &many {
        writer.gather(item).expect("gathered");
    }
    assert_eq!((memory.borrow().len(), writer.len()), (begun, 40_000));
    writer.flush().expect("flushed");
    writer.gather(&Item::Number(1)).expect("gathered");
    writer.discard();
    drop(writer);
    let reader = Reader::<Item, _>::new(&memory).expect("a store");
    assert_eq!(read(&reader), many);
}
