//! A chain of table reads is one read of a table as long as the first one, and agrees with the
//! chain on every input.

use plat_expr::{Assignment, EvalMemo, ExprId, Node, Pool};

/// A table of constants of `width` bits.
fn constants(pool: &mut Pool, width: u32, values: &[u64]) -> plat_expr::TableId {
    let elements: Vec<ExprId> = values.iter().map(|&v| pool.constant(width, v)).collect();
    pool.table(&elements)
}

#[test]
fn read_through_a_read_is_one_read() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("i", 0, 1);
    let byte = pool.symbol_byte(symbol, 0);
    let five = pool.constant(8, 5);
    let small = pool.urem(byte, five);
    let index = pool.zext(small, 64);

    let places = [16u64, 40, 8, 0, 24];
    let contents: Vec<u64> = (0..64).map(|at| at * 7 % 50).collect();
    let inner = constants(&mut pool, 64, &places);
    let outer = constants(&mut pool, 8, &contents);
    let place = pool.read(inner, index);
    let three = pool.constant(64, 3);
    let place = pool.add(place, three);
    let loaded = pool.read(outer, place);

    let Node::Read(table, at) = pool.node(loaded) else {
        panic!("not one read")
    };
    assert_eq!(
        (pool.table_elements(table).len(), at),
        (places.len(), index)
    );
    for input in 0..=255u8 {
        let mut assignment = Assignment::new();
        assignment.set(symbol, vec![input]);
        let value = pool.eval(loaded, &assignment, &mut EvalMemo::new());
        let place = places[usize::from(input % 5)] + 3;
        assert_eq!(value, contents[place as usize]);
    }
}

#[test]
fn bounds_that_every_entry_meets_need_no_solver() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("i", 0, 1);
    let byte = pool.symbol_byte(symbol, 0);
    let index = pool.zext(byte, 64);
    let sizes = constants(&mut pool, 64, &[24; 7].map(|s| s + 8));
    let offsets = constants(&mut pool, 64, &[0, 8, 16, 8, 0, 0, 16]);
    let (size, offset) = (pool.read(sizes, index), pool.read(offsets, index));
    let eight = pool.constant(64, 8);
    let end = pool.add(offset, eight);
    let inside = pool.ule(end, size);
    assert!(pool.is_true(inside));
}
