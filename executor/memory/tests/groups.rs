//! Contents of several groups of pages against a plain list of bytes.

use fastrand::Rng;
use plat_expr::Pool;
use plat_memory::storage::Storage;

const SIZE: u64 = (9 << 20) + 300;

/// A range that often begins and ends where pages and groups do.
fn range(random: &mut Rng) -> (u64, u64) {
    let mut position = || {
        let unit = [1, 1024, 1 << 20, 4 << 20][random.usize(..4)];
        random.u64(..SIZE / unit + 1) * unit
    };
    let (a, b) = (position(), position());
    (a.min(b), a.abs_diff(b))
}

fn slice(bytes: &[u8], at: u64, n: u64) -> &[u8] {
    &bytes[at as usize..(at + n) as usize]
}

#[test]
fn long_ranges_are_filled_copied_and_moved_as_bytes_are() {
    let (mut pool, mut random) = (Pool::new(), Rng::with_seed(7));
    let mut storages = [Storage::zeros(SIZE), Storage::zeros(1000)];
    storages[1].grow(SIZE);
    let mut bytes = [vec![0u8; SIZE as usize], vec![0u8; SIZE as usize]];
    for _ in 0..150 {
        let this = random.usize(..2);
        let (at, n) = range(&mut random);
        let from = random.u64(..SIZE - n + 1) / 1024 * [1, 1024][random.usize(..2)];
        match random.u64(..5) {
            0 => {
                let byte = [0, 0, 7][random.usize(..3)];
                storages[this].fill(&mut pool, at, n, byte);
                bytes[this][at as usize..(at + n) as usize].fill(byte);
            }
            1 => {
                let source = storages[1 - this].clone();
                storages[this].copy(&mut pool, at, &source, from, n);
                let source = slice(&bytes[1 - this], from, n).to_vec();
                bytes[this][at as usize..(at + n) as usize].copy_from_slice(&source);
            }
            2 => {
                storages[this].copy_within(&mut pool, at, from, n);
                bytes[this].copy_within(from as usize..(from + n) as usize, at as usize);
            }
            3 => {
                let few: Vec<u8> = (0..n.min(3000)).map(|_| random.u8(..)).collect();
                storages[this].write_plain(&mut pool, at, &few);
                bytes[this][at as usize..at as usize + few.len()].copy_from_slice(&few);
            }
            // What is shared with a clone stays what it was there.
            _ => {
                let before = storages[this].clone();
                storages[this].fill(&mut pool, at, n, 9);
                assert_eq!(
                    before.read_concrete(at, n).as_deref(),
                    Some(slice(&bytes[this], at, n))
                );
                storages[this] = before;
            }
        }
        let (at, n) = range(&mut random);
        let read = storages[this].read_concrete(at, n);
        assert_eq!(read.as_deref(), Some(slice(&bytes[this], at, n)));
        let absent = storages[this].absent(at, n);
        assert!(
            absent <= n
                && slice(&bytes[this], at, absent)
                    .iter()
                    .all(|&byte| byte == 0)
        );
    }
}
