//! Block copies by slot classes against copies of bytes: wherever a byte of a slot can go, the
//! image of the slot's class is. Blocks that start outside of their objects are errors.

use crate::constraints::{BlockCopy, Extent, Object, Offset};

/// Bytes of the source that are looked at.
const BYTES: i64 = 72;

fn members(offset: Offset, from: i64, to: i64) -> Vec<i64> {
    let inside = (from..to).filter(|&at| offset.covers(Offset::exact(at)));
    inside.collect()
}

/// The slots of the target that bytes of `slot` get to.
fn reached(copy: &BlockCopy, slot: Offset, size: Option<u64>) -> Vec<i64> {
    let size = size.map_or(i64::MAX, |size| size as i64);
    let length = copy.length.map_or(i64::MAX, |length| length as i64);
    let mut reached = vec![false; (2 * BYTES) as usize];
    for word in members(slot, 0, BYTES / 8) {
        for start in members(copy.start, 0, BYTES) {
            let first = (8 * word).max(start);
            let past = (8 * word + 8).min(start.saturating_add(length));
            for to in members(copy.to, 0, BYTES) {
                for byte in first..past {
                    let at = byte - start + to;
                    if (0..size.min(2 * BYTES)).contains(&at) {
                        reached[at as usize / 8] = true;
                    }
                }
            }
        }
    }
    let slots = (0..).zip(reached);
    slots.filter(|slot| slot.1).map(|slot| slot.0).collect()
}

#[test]
fn images_have_every_byte_and_blocks_confine_them() {
    let slots = [(0, 0), (0, 2), (0, 5), (1, 0), (2, 1), (3, 2)];
    let starts = [
        (0, 0),
        (0, 4),
        (0, 16),
        (1, 0),
        (8, 0),
        (8, 3),
        (12, 4),
        (24, 8),
    ];
    let targets = [(0, 0), (0, 8), (0, 4), (0, 21), (1, 0), (16, 8), (24, 4)];
    let lengths = [None, Some(1), Some(8), Some(12), Some(16), Some(40)];
    let offset = |(stride, residue)| Offset::strided(stride, residue);
    let (mut all, mut confined) = (0, 0);
    for slot in slots.map(offset) {
        for start in starts.map(offset) {
            for to in targets.map(offset) {
                for length in lengths {
                    for size in [None, Some(24), Some(50), Some(64)] {
                        let copy = BlockCopy {
                            source: Object(0),
                            start,
                            target: Object(1),
                            to,
                            length,
                        };
                        for window in [8, 4096] {
                            let image = copy.image_in(&Extent::memory(size), window, slot);
                            let reached = reached(&copy, slot, size);
                            for at in &reached {
                                let at = Offset::exact(*at);
                                let covered = image.iter().any(|slot| slot.covers(at));
                                assert!(covered, "{slot} to {at}, not in {image:?}: {copy:?}");
                            }
                            let exact = image.iter().all(|slot| slot.is_exact());
                            let unknown = !(slot.is_exact() && start.is_exact());
                            confined += usize::from(unknown && exact && !reached.is_empty());
                            all += 1;
                        }
                    }
                }
            }
        }
    }
    // Blocks of known length at a known place in the target say where unknown slots go.
    assert!(confined * 8 > all, "{confined} of {all}");
}

/// A class of slots, of starts or of places goes wherever each of its members goes.
#[test]
fn images_of_wider_classes_are_no_less() {
    let offsets = |strides: &[u64], most| -> Vec<Offset> {
        let strides = strides.iter();
        let all = strides.flat_map(|&stride| (0..most).map(move |at| Offset::strided(stride, at)));
        all.collect()
    };
    let slots = offsets(&[0, 1, 2, 3], 5);
    let places: Vec<Offset> = offsets(&[0, 1, 4, 8, 12, 16, 24], 7)
        .into_iter()
        .map(|at| Offset::strided(u64::from(at.stride), 4 * i64::from(at.residue)))
        .collect();
    let wider = |all: &[Offset]| -> Vec<[Offset; 2]> {
        let pairs = all.iter().flat_map(|&a| all.iter().map(move |&b| [a, b]));
        pairs.filter(|[a, b]| a != b && a.covers(*b)).collect()
    };
    let covers = |[wide, narrow]: [(Offset, Offset, Offset); 2]| {
        for length in [None, Some(8), Some(12), Some(16), Some(40)] {
            for size in [None, Some(8), Some(24), Some(50)] {
                let [wider, narrower] = [wide, narrow].map(|(slot, start, to)| {
                    let copy = BlockCopy {
                        source: Object(0),
                        start,
                        target: Object(1),
                        to,
                        length,
                    };
                    copy.image_in(&Extent::memory(size), 4096, slot)
                });
                for slot in narrower {
                    let there = wider.iter().any(|one| one.covers(slot));
                    assert!(there, "{slot}, {wide:?}, {narrow:?}, {length:?}, {size:?}");
                }
            }
        }
    };
    for &place in &places {
        for &start in &places {
            for [wide, narrow] in wider(&slots) {
                covers([(wide, start, place), (narrow, start, place)]);
            }
        }
        for [wide, narrow] in wider(&places) {
            for &slot in &slots {
                covers([(slot, wide, place), (slot, narrow, place)]);
                covers([(slot, place, wide), (slot, place, narrow)]);
            }
        }
    }
}
