//! Scripts that are written and read again: of every operation on floats, what is read has the
//! value of what was written.

use plat_expr::{Assignment, EvalMemo, ExprId, FloatFormat, FloatOp, Pool, Rounding};

fn symbolic(pool: &mut Pool, name: &str, width: u32) -> ExprId {
    let symbol = pool.symbol(name, 0, width / 8);
    let first = pool.symbol_byte(symbol, 0);
    (1..width / 8).fold(first, |low, at| {
        let byte = pool.symbol_byte(symbol, at);
        pool.concat(byte, low)
    })
}

/// An operation with the widths of its integers: from and to.
fn operations(format: FloatFormat) -> Vec<(FloatOp, u32, u32)> {
    let bits = format.bits();
    let plain = |op| (op, bits, bits);
    let mut list = vec![
        plain(FloatOp::Add),
        plain(FloatOp::Sub),
        plain(FloatOp::Mul),
        plain(FloatOp::Div),
        plain(FloatOp::Sqrt),
        plain(FloatOp::Round(Rounding::Down)),
        plain(FloatOp::Round(Rounding::NearestAway)),
        (FloatOp::Eq, bits, 1),
        (FloatOp::Lt, bits, 1),
        (FloatOp::Le, bits, 1),
        (FloatOp::ToSigned, bits, 32),
        (FloatOp::ToUnsigned, bits, 64),
        (FloatOp::FromSigned, 64, bits),
        (FloatOp::FromUnsigned, 32, bits),
    ];
    if !matches!(format, FloatFormat::Extended | FloatFormat::Quad) {
        list.push(plain(FloatOp::Fma));
    }
    list.extend(FloatFormat::ALL.map(|to| (FloatOp::ToFormat(to), bits, to.bits())));
    list
}

#[test]
fn floats_come_back() {
    let patterns = [
        0u64,
        0x3c00_3f80_0000_3ff8,
        0x7ff0_0000_8000_0001,
        !0,
        0x4049_0fdb_5444_2d18,
    ];
    for format in FloatFormat::ALL {
        for (op, from, to) in operations(format) {
            let mut pool = Pool::new();
            let operands: Vec<ExprId> = (0..op.operands())
                .map(|at| symbolic(&mut pool, &format!("x{at}"), from))
                .collect();
            let result = pool.float(op, format, &operands, to);
            // The result is an operand too, so that its name as a float is read.
            let constant = symbolic(&mut pool, "y", to.max(8));
            let constant = pool.zext_or_trunc(constant, to);
            let mut conditions = vec![pool.eq(result, constant)];
            if let Some(format) = op.result(format) {
                conditions.push(pool.float(FloatOp::Lt, format, &[result, constant], 1));
            }
            let script = pool.smtlib(&conditions);
            let mut other = Pool::new();
            let read = other.read_smtlib(&script);
            let read = read.unwrap_or_else(|wrong| panic!("{op:?} {format:?}: {wrong}\n{script}"));
            for (round, &pattern) in patterns.iter().enumerate() {
                let (mut here, mut there) = (Assignment::new(), Assignment::new());
                let bytes = conditions.iter().flat_map(|&c| pool.symbols(c).iter());
                for (at, (symbol, index)) in bytes.enumerate() {
                    let value = (pattern >> (8 * ((at + round) % 8))) as u8;
                    here.set_byte(symbol, index, value);
                    let same = other.symbol(&format!("s{}_{index}", symbol.0), 0, 1);
                    there.set_byte(same, 0, value);
                }
                for (&c, &d) in conditions.iter().zip(&read) {
                    assert_eq!(
                        pool.holds(c, &here, &mut EvalMemo::new()),
                        other.holds(d, &there, &mut EvalMemo::new()),
                        "{op:?} {format:?}\n{script}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_not_of_the_dialect_is_refused() {
    for script in [
        "(assert",
        ")",
        "word",
        "(assert (= e1 #b1))",
        "(declare-const s0_0 (_ BitVec 16))",
        "(define-fun e1 () (_ BitVec 8) (bvfoo e0 e0))",
        "(push)",
        "(define-fun e1 () (_ BitVec 0) (_ bv0 0))",
        // Elements of two widths; an index that has not 64 bits.
        "(define-fun e1 () (_ BitVec 8) (_ bv1 8))(define-fun e2 () (_ BitVec 9) (_ bv1 9))\
         (define-fun e4 () (_ BitVec 64) (_ bv1 64))(declare-const t0 (Array (_ BitVec 64) (_ BitVec 8)))\
         (assert (= (select t0 (_ bv0 64)) e1))(assert (= (select t0 (_ bv1 64)) e2))\
         (define-fun e3 () (_ BitVec 8) (select t0 (ite (bvult e4 (_ bv1 64)) e4 (_ bv1 64))))",
        "(define-fun e1 () (_ BitVec 8) (_ bv1 8))(declare-const t0 (Array (_ BitVec 64) (_ BitVec 8)))\
         (assert (= (select t0 (_ bv0 64)) e1))(define-fun e3 () (_ BitVec 8) \
         (select t0 (ite (bvult e1 (_ bv1 64)) e1 (_ bv1 64))))",
        "(define-fun e1 () (_ BitVec 8) #b1)(assert (= e1 #b1))",
        "(define-fun e1 () (_ BitVec 8) #b1)(define-fun f2 () (_ FloatingPoint 8 24) \
         (fp.sqrt RNE ((_ to_fp 8 24) e1)))",
        "(define-fun e1 () (_ BitVec 8) #b1)(define-fun e2 () (_ BitVec 4) e1)",
        "(define-fun e1 () (_ BitVec 8) #b1)(define-fun e2 () (_ BitVec 4) ((_ extract 9 6) e1))",
        "(define-fun e1 () (_ BitVec 8) #b1)(define-fun e2 () (_ BitVec 4) ((_ zero_extend 1) e1))",
        "(define-fun e1 () (_ BitVec 8) #b1)(define-fun e2 () (_ BitVec 4) #b1)\
         (define-fun e3 () (_ BitVec 8) (bvadd e1 e2))",
        &"(".repeat(1_000_000),
    ] {
        assert!(Pool::new().read_smtlib(script).is_err(), "{script}");
    }
    let wrong = Pool::new().read_smtlib("(define-fun e1 () (_ BitVec 8) (bvfoo (e0) 5))");
    assert_eq!(wrong, Err("define-fun e1: [bvfoo, [e0], 5]".to_owned()));
}
