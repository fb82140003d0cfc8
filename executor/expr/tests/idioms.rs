//! What compilers make of C, and what must be left of it: one plain comparison, one value.

use plat_expr::{BinaryOp, ExprId, FALSE, IntPredicate, Node, Pool, TRUE, Value};

fn bytes(pool: &mut Pool, name: &str, count: u32) -> Vec<ExprId> {
    let symbol = pool.symbol(name, 0, count);
    (0..count).map(|at| pool.symbol_byte(symbol, at)).collect()
}

/// An integer of symbolic bytes, as a load makes it.
fn integer(pool: &mut Pool, name: &str, count: u32) -> ExprId {
    let bytes = bytes(pool, name, count);
    bytes
        .into_iter()
        .reduce(|low, high| pool.concat(high, low))
        .expect("a byte")
}

#[test]
fn conditions_lose_their_widenings() {
    let mut pool = Pool::new();
    let (a, b) = (integer(&mut pool, "a", 4), integer(&mut pool, "b", 4));
    let less = pool.slt(a, b);
    let zero = pool.constant(32, 0);
    // icmp ne (zext (icmp slt a b)), 0, and its negation
    let wide = pool.zext(less, 32);
    assert_eq!(pool.ne(wide, zero), less);
    let not_less = pool.not(less);
    assert_eq!(pool.eq(wide, zero), not_less);
    assert_eq!(pool.sle(b, a), not_less);
    // !!x, as zext (xor (icmp ne x, 0), true) twice
    let one = pool.constant(32, 1);
    let flipped = pool.xor(wide, one);
    let flipped = pool.extract(flipped, 0, 1);
    assert_eq!(flipped, not_less);
    // select c, 1, 0; select c, -1, 0 compared
    let minus = pool.constant(32, u64::MAX);
    let choice = pool.ite(less, minus, one);
    assert_eq!(pool.slt(choice, zero), less);
    // a && b as a chain of selects
    let (x, y) = (pool.ult(a, b), pool.eq(a, zero));
    assert_eq!(pool.ite(x, y, FALSE), pool.and(x, y));
    assert_eq!(pool.ite(x, TRUE, y), pool.or(x, y));
    let not_x = pool.not(x);
    assert_eq!(pool.and(x, not_x), FALSE);
    assert_eq!(pool.or(x, not_x), TRUE);
}

#[test]
fn characters_are_compared_as_bytes() {
    let mut pool = Pool::new();
    let c = bytes(&mut pool, "c", 1)[0];
    // (int)c == 'x', with c signed; c is promoted and the constant fits
    let wide = pool.sext(c, 32);
    let x = pool.constant(32, u64::from(b'x'));
    let narrow_x = pool.constant(8, u64::from(b'x'));
    let narrow = pool.eq(c, narrow_x);
    assert_eq!(pool.eq(wide, x), narrow);
    // An impossible character
    let impossible = pool.constant(32, 200);
    assert_eq!(pool.eq(wide, impossible), FALSE);
    // (char)(c + 1) - 1 == 'x'
    let (one, minus_one) = (pool.constant(32, 1), pool.constant(8, 255));
    let next = pool.add(wide, one);
    let next = pool.extract(next, 0, 8);
    let back = pool.add(next, minus_one);
    assert_eq!(back, c);
    // isdigit as (unsigned)c - '0' <= 9 against c >= '0' && c <= '9' have the same answers, but
    // a comparison with what cannot be reached folds
    let unsigned = pool.zext(c, 32);
    let big = pool.constant(32, 256);
    assert_eq!(pool.ult(unsigned, big), TRUE);
    assert_eq!(pool.slt(unsigned, big), TRUE);
}

#[test]
fn bytes_taken_apart_and_put_together() {
    let mut pool = Pool::new();
    let x = integer(&mut pool, "x", 4);
    // memcpy byte by byte, low byte first and high byte first
    let pieces: Vec<ExprId> = (0..4).map(|at| pool.extract(x, at * 8, 8)).collect();
    let up = pieces
        .iter()
        .copied()
        .reduce(|low, high| pool.concat(high, low));
    let down = pieces
        .iter()
        .rev()
        .copied()
        .reduce(|high, low| pool.concat(high, low));
    assert_eq!((up, down), (Some(x), Some(x)));
    // b0 | b1 << 8 | b2 << 16 | b3 << 24, and with +
    for op in [BinaryOp::Or, BinaryOp::Add, BinaryOp::Xor] {
        let mut joined = pool.constant(32, 0);
        for (at, &piece) in pieces.iter().enumerate() {
            let (wide, by) = (pool.zext(piece, 32), pool.constant(32, 8 * at as u64));
            let shifted = pool.shl(wide, by);
            joined = pool.binary(op, joined, shifted);
        }
        assert_eq!(joined, x, "{op:?}: {}", pool.display(joined));
    }
    // A byte swap twice
    let swap = |pool: &mut Pool, x| {
        let pieces: Vec<ExprId> = (0..4).map(|at| pool.extract(x, at * 8, 8)).collect();
        pieces
            .into_iter()
            .reduce(|high, low| pool.concat(high, low))
            .expect("bytes")
    };
    let swapped = swap(&mut pool, x);
    assert_ne!(swapped, x);
    assert_eq!(swap(&mut pool, swapped), x);
}

#[test]
fn addresses_keep_their_object() {
    let mut pool = Pool::new();
    let (o, p) = (
        pool.new_object(0x1_0000_0010),
        pool.new_object(0x1_0000_0100),
    );
    let (base, other) = (pool.base(o), pool.base(p));
    let index = bytes(&mut pool, "i", 1)[0];
    let index = pool.zext(index, 64);
    let eight = pool.constant(64, 8);
    let scaled = pool.mul(index, eight);
    // &a[i + 1] == &a[i] + 1, whichever way it is written
    let one = pool.constant(64, 1);
    let next = pool.add(index, one);
    let next = pool.mul(next, eight);
    let (left, right) = (pool.add(base, next), pool.add(base, scaled));
    let right = pool.add(right, eight);
    assert_eq!(left, right);
    // Differences and comparisons within an object, and between two
    assert_eq!(pool.sub(left, base), pool.add(scaled, eight));
    let plain = pool.add(base, eight);
    assert_eq!(pool.compare(IntPredicate::Eq, plain, base), FALSE);
    assert_eq!(pool.compare(IntPredicate::Ult, base, plain), TRUE);
    assert_eq!(pool.compare(IntPredicate::Eq, base, other), FALSE);
    let distance = pool.sub(other, base);
    assert_eq!(pool.as_u64(distance), Some(0xf0));
    // Alignment and tags: the base is a multiple of 16
    let mask = pool.constant(64, !15);
    let (five, tag) = (pool.constant(64, 5), pool.constant(64, 1));
    let inside = pool.add(base, five);
    assert_eq!(pool.and(inside, mask), base);
    let tagged = pool.or(base, tag);
    assert_eq!(Value::from_expr(&pool, tagged), Value::Pointer(o, 1));
    let low = pool.constant(64, 7);
    let masked = pool.and(inside, low);
    assert_eq!(pool.as_u64(masked), Some(5));
    // A pointer through its bytes
    let pieces: Vec<ExprId> = (0..8).map(|at| pool.extract(left, at * 8, 8)).collect();
    assert_eq!(
        pieces
            .into_iter()
            .reduce(|low, high| pool.concat(high, low)),
        Some(left)
    );
}

#[test]
fn hashes_stay_small() {
    let mut pool = Pool::new();
    let key = bytes(&mut pool, "k", 8);
    let (mut h, five) = (pool.constant(64, 5381), pool.constant(64, 5));
    let before = pool.len();
    for byte in key {
        let byte = pool.zext(byte, 64);
        let shifted = pool.shl(h, five);
        let product = pool.add(shifted, h);
        h = pool.add(product, byte);
    }
    let symbols = pool.symbols(h).len();
    assert_eq!(symbols, 8);
    // A product and a sum for each byte, not one for each byte and round.
    assert!(
        pool.len() - before < 100,
        "{} nodes: {}",
        pool.len() - before,
        pool.display(h)
    );
    let buckets = pool.constant(64, 300);
    let bucket = pool.urem(h, buckets);
    assert_eq!(pool.range(bucket), (0, 299));
}

#[test]
fn tables_are_answered_from_their_contents() {
    let mut pool = Pool::new();
    let index = bytes(&mut pool, "i", 1)[0];
    let index = pool.zext(index, 64);
    // A class of characters, as in ctype.h
    let class = |value: u64| {
        if (48..58).contains(&value) {
            4
        } else {
            value % 2
        }
    };
    let elements: Vec<ExprId> = (0..256).map(|v| pool.constant(16, class(v))).collect();
    let table = pool.table(&elements);
    let read = pool.read(table, index);
    let four = pool.constant(16, 4);
    let masked = pool.and(read, four);
    let zero = pool.constant(16, 0);
    let digit = pool.ne(masked, zero);
    let mut reads = 0;
    for e in pool.postorder(&[digit]) {
        reads += u32::from(matches!(pool.node(e), Node::Read(..)));
    }
    assert_eq!(reads, 0, "{}", pool.display(digit));
    // What no element equals
    let absent = pool.constant(16, 77);
    assert_eq!(pool.eq(read, absent), FALSE);
}
