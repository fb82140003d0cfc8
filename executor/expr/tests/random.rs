//! Random expressions against brute force: the simplifying constructors must give, on every
//! input, the value of the plain tree, computed here independently with 128-bit integers; facts
//! must hold on every input; readings must agree with each other.

use plat_expr::{
    Assignment, BinaryOp, EvalMemo, ExprId, IntPredicate, ObjectId, Pool, SymbolId, Value, holder,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

#[path = "common/arithmetic.rs"]
mod arithmetic;
use arithmetic::{divide, mask, signed};
use fastrand::Rng;

#[derive(Debug)]
enum Tree {
    Const(u128),
    Symbol(u32),
    Base(usize),
    Binary(BinaryOp, Box<Sized>, Box<Sized>),
    Compare(IntPredicate, Box<Sized>, Box<Sized>),
    Not(Box<Sized>),
    Ite(Box<Sized>, Box<Sized>, Box<Sized>),
    Extract(Box<Sized>, u32),
    Concat(Box<Sized>, Box<Sized>),
    ZExt(Box<Sized>),
    SExt(Box<Sized>),
    Read(Vec<Sized>, Box<Sized>),
}

#[derive(Debug)]
struct Sized {
    tree: Tree,
    width: u32,
}

const OPS: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::UDiv,
    BinaryOp::SDiv,
    BinaryOp::URem,
    BinaryOp::SRem,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::AShr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
];
const PREDICATES: [IntPredicate; 10] = [
    IntPredicate::Eq,
    IntPredicate::Ne,
    IntPredicate::Ult,
    IntPredicate::Ule,
    IntPredicate::Ugt,
    IntPredicate::Uge,
    IntPredicate::Slt,
    IntPredicate::Sle,
    IntPredicate::Sgt,
    IntPredicate::Sge,
];
const WIDTHS: [u32; 12] = [1, 3, 8, 8, 8, 16, 32, 32, 64, 64, 65, 128];
const NUMBERS: [u64; 3] = [0x5000_0000_0010, 0x5000_0000_0100, 0x6000_0000_1003];

fn constant(random: &mut Rng, width: u32) -> u128 {
    let bit = random.u64(..u64::from(width));
    let value = match random.u64(..9) {
        0 => 0,
        1 => 1,
        2 => u128::MAX,
        3 => 1 << bit,
        4 => mask(bit as u32),
        5 => !mask(bit as u32),
        6 => u128::from(random.u64(..10)),
        7 => 0xff << (random.u64(..4) * 8),
        _ => u128::from(random.u64(..)) << 64 | u128::from(random.u64(..)),
    };
    value & mask(width)
}

fn boxed(random: &mut Rng, width: u32, depth: u32, symbols: u32, bases: bool) -> Box<Sized> {
    Box::new(random_tree(random, width, depth, symbols, bases))
}

fn leaf(random: &mut Rng, width: u32, symbols: u32, bases: bool) -> Tree {
    match random.u64(..4) {
        0 => Tree::Const(constant(random, width)),
        _ if width == 8 => Tree::Symbol(random.u32(..symbols)),
        _ if width == 64 && bases => Tree::Base(random.usize(..3)),
        _ => {
            let byte = Box::new(Sized {
                tree: Tree::Symbol(random.u32(..symbols)),
                width: 8,
            });
            if width < 8 {
                Tree::Extract(byte, random.u32(..8 - width + 1))
            } else if random.bool() {
                Tree::SExt(byte)
            } else {
                Tree::ZExt(byte)
            }
        }
    }
}

fn random_tree(random: &mut Rng, width: u32, depth: u32, symbols: u32, bases: bool) -> Sized {
    if depth == 0 {
        return Sized {
            tree: leaf(random, width, symbols, bases),
            width,
        };
    }
    let sub = |random: &mut Rng, width| boxed(random, width, depth - 1, symbols, bases);
    let tree = match random.u64(..14) {
        0..=4 => {
            let op = random.choice(OPS).unwrap();
            Tree::Binary(op, sub(random, width), sub(random, width))
        }
        5 => Tree::Not(sub(random, width)),
        6 | 7 => Tree::Ite(sub(random, 1), sub(random, width), sub(random, width)),
        8 => {
            let wider: Vec<u32> = WIDTHS.into_iter().filter(|&w| w >= width).collect();
            let from = random.choice(wider).unwrap();
            Tree::Extract(sub(random, from), random.u32(..from - width + 1))
        }
        9 | 10 if width > 1 => {
            let low = if width.is_multiple_of(8) && random.bool() {
                (random.u32(..width / 8) * 8).clamp(1, width - 1)
            } else {
                random.u32(..width - 1) + 1
            };
            Tree::Concat(sub(random, width - low), sub(random, low))
        }
        11 if width > 1 => {
            let narrower: Vec<u32> = WIDTHS.into_iter().filter(|&w| w <= width).collect();
            let from = random.choice(narrower).unwrap();
            let inner = sub(random, from);
            if random.bool() {
                Tree::ZExt(inner)
            } else {
                Tree::SExt(inner)
            }
        }
        12 => {
            let len = random.choice([1, 2, 3, 5, 8, 16, 40]).unwrap();
            let symbolic = random.u64(..3) == 0;
            let elements = (0..len).map(|_| {
                if symbolic && random.u64(..3) == 0 {
                    return random_tree(random, width, depth.min(2) - 1, symbols, bases);
                }
                let value = if random.bool() {
                    7
                } else {
                    constant(random, width)
                };
                Sized {
                    tree: Tree::Const(value & mask(width)),
                    width,
                }
            });
            let elements = elements.collect();
            Tree::Read(elements, boxed(random, 64, depth - 1, symbols, bases))
        }
        _ if width == 1 => {
            let from = random.choice(WIDTHS).unwrap();
            let predicate = random.choice(PREDICATES).unwrap();
            Tree::Compare(predicate, sub(random, from), sub(random, from))
        }
        _ => leaf(random, width, symbols, bases),
    };
    Sized { tree, width }
}

fn evaluate(e: &Sized, input: &[u8]) -> u128 {
    let width = e.width;
    let value = match &e.tree {
        Tree::Const(value) => *value,
        Tree::Symbol(index) => u128::from(input[*index as usize]),
        Tree::Base(at) => u128::from(NUMBERS[*at]),
        Tree::Binary(op, a, b) => {
            let (a, b) = (evaluate(a, input), evaluate(b, input));
            match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::Shl if b < u128::from(width) => a << b,
                BinaryOp::LShr if b < u128::from(width) => a >> b,
                BinaryOp::Shl | BinaryOp::LShr => 0,
                BinaryOp::AShr => (signed(a, width) >> b.min(127)) as u128,
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                _ => divide(*op, width, a, b),
            }
        }
        Tree::Compare(predicate, a, b) => {
            let from = a.width;
            let (a, b) = (evaluate(a, input), evaluate(b, input));
            let (sa, sb) = (signed(a, from), signed(b, from));
            u128::from(match predicate {
                IntPredicate::Eq => a == b,
                IntPredicate::Ne => a != b,
                IntPredicate::Ult => a < b,
                IntPredicate::Ule => a <= b,
                IntPredicate::Ugt => a > b,
                IntPredicate::Uge => a >= b,
                IntPredicate::Slt => sa < sb,
                IntPredicate::Sle => sa <= sb,
                IntPredicate::Sgt => sa > sb,
                IntPredicate::Sge => sa >= sb,
            })
        }
        Tree::Not(a) => !evaluate(a, input),
        Tree::Ite(c, a, b) => evaluate(if evaluate(c, input) == 1 { a } else { b }, input),
        Tree::Extract(a, low) => evaluate(a, input) >> low,
        Tree::Concat(h, l) => evaluate(h, input) << l.width | evaluate(l, input),
        Tree::ZExt(a) => evaluate(a, input),
        Tree::SExt(a) => signed(evaluate(a, input), a.width) as u128,
        Tree::Read(elements, index) => {
            let at = evaluate(index, input).min(elements.len() as u128 - 1);
            evaluate(&elements[at as usize], input)
        }
    };
    value & mask(width)
}

fn build(pool: &mut Pool, e: &Sized, symbol: SymbolId, objects: &[ObjectId]) -> ExprId {
    let sub = |pool: &mut Pool, e: &Sized| build(pool, e, symbol, objects);
    let built = match &e.tree {
        Tree::Const(value) => pool.constant_u128(e.width, *value),
        Tree::Symbol(index) => pool.symbol_byte(symbol, *index),
        Tree::Base(at) => pool.base(objects[*at]),
        Tree::Binary(op, a, b) => {
            let (a, b) = (sub(pool, a), sub(pool, b));
            pool.binary(*op, a, b)
        }
        Tree::Compare(predicate, a, b) => {
            let (a, b) = (sub(pool, a), sub(pool, b));
            pool.compare(*predicate, a, b)
        }
        Tree::Not(a) => {
            let a = sub(pool, a);
            pool.not(a)
        }
        Tree::Ite(c, a, b) => {
            let (c, a, b) = (sub(pool, c), sub(pool, a), sub(pool, b));
            pool.ite(c, a, b)
        }
        Tree::Extract(a, low) => {
            let a = sub(pool, a);
            pool.extract(a, *low, e.width)
        }
        Tree::Concat(h, l) => {
            let (h, l) = (sub(pool, h), sub(pool, l));
            pool.concat(h, l)
        }
        Tree::ZExt(a) => {
            let a = sub(pool, a);
            pool.zext(a, e.width)
        }
        Tree::SExt(a) => {
            let a = sub(pool, a);
            pool.sext(a, e.width)
        }
        Tree::Read(elements, index) => {
            let elements: Vec<ExprId> = elements.iter().map(|e| sub(pool, e)).collect();
            let table = pool.table(&elements);
            let index = sub(pool, index);
            pool.read(table, index)
        }
    };
    assert_eq!(pool.width(built), e.width, "width of {e:?}");
    built
}

fn value(pool: &Pool, e: ExprId, assignment: &Assignment, memo: &mut EvalMemo) -> u128 {
    let limbs = pool.eval_limbs(e, assignment, memo);
    u128::from(limbs[0]) | u128::from(limbs.get(1).copied().unwrap_or(0)) << 64
}

/// Builds one random expression and compares it with its tree on all inputs. Whether it has
/// straight-line code, which is compared then too.
fn check(pool: &mut Pool, random: &mut Rng, depth: u32, symbols: u32, bases: bool) -> bool {
    let symbol = pool.symbol("x", 0, 2);
    let objects: Vec<ObjectId> = NUMBERS.iter().map(|&n| pool.new_object(n)).collect();
    let width = random.choice(WIDTHS).unwrap();
    let tree = random_tree(random, width, depth, symbols, bases);
    let e = build(pool, &tree, symbol, &objects);
    let number = pool.number(e);
    assert!(!pool.has_base(number));
    let readings = pointer_readings(pool, e);
    let wanted = evaluate(&tree, &[0x5a, 0xc3]);
    let constant = pool.constant_u128(width, wanted);
    let condition = pool.eq(e, constant);
    let its = [(symbol, 0), (symbol, 1)];
    let mut code = pool.straight(&[condition], &its, 4096);
    // The same when the second byte gets its value before the first one.
    let mut staged = pool.straight_in_stages(&[condition], &its, &[1, 0], 4096);
    let mut early = true;
    let mut reread = Pool::new();
    let script = pool.smtlib(&[condition]);
    let read = reread.read_smtlib(&script).expect("what was written")[0];
    let byte_symbols = [0, 1].map(|at| reread.symbol(&format!("s{}_{at}", symbol.0), 0, 1));
    for input in 0..1u32 << (8 * symbols) {
        let bytes = [input as u8, (input >> 8) as u8];
        let mut assignment = Assignment::new();
        assignment.set(symbol, bytes);
        let mut memo = EvalMemo::new();
        let expected = evaluate(&tree, &bytes);
        let found = value(pool, e, &assignment, &mut memo);
        assert_eq!(
            found,
            expected,
            "input {bytes:?}, {} of {tree:?}",
            pool.display(e)
        );
        assert_eq!(
            value(pool, number, &assignment, &mut memo),
            expected,
            "number"
        );
        if input % 85 == 0 {
            let mut again = Assignment::new();
            again.set(byte_symbols[0], [bytes[0]]);
            again.set(byte_symbols[1], [bytes[1]]);
            let holds = reread.holds(read, &again, &mut EvalMemo::new());
            assert_eq!(holds, expected == wanted, "reread: {script}");
        }
        if let Some(staged) = &mut staged {
            if bytes[0] == 0 {
                early = staged.stage_holds(0, &bytes);
            }
            let holds = early && staged.stage_holds(1, &bytes);
            assert_eq!(holds, expected == wanted, "in stages: {tree:?}");
        }
        if let Some(code) = &mut code {
            assert_eq!(code.holds(&bytes), expected == wanted, "straight");
        }
        if width <= 64 {
            let (lo, hi) = pool.range(e);
            let known = pool.known_bits(e);
            let v = expected as u64;
            assert!(
                lo <= v && v <= hi,
                "{lo} <= {v} <= {hi}: {}",
                pool.display(e)
            );
            assert!(
                v & known.zeros == 0 && v & known.ones == known.ones,
                "{}",
                pool.display(e)
            );
            let (lo, hi) = pool.signed_range(e);
            let v = signed(expected, width) as i64;
            assert!(
                lo <= v && v <= hi,
                "signed {lo} <= {v} <= {hi}: {}",
                pool.display(e)
            );
        }
        if let Some((offset, base)) = readings {
            let offset = pool.eval(offset, &assignment, &mut memo);
            let base = pool.eval(base, &assignment, &mut memo);
            assert_eq!(
                base.wrapping_add(offset),
                expected as u64,
                "{}",
                pool.display(e)
            );
        }
    }
    for byte in 0..symbols {
        if !pool.symbols(e).contains(symbol, byte) {
            let at = |v: u8| if byte == 0 { [v, 5] } else { [5, v] };
            let first = evaluate(&tree, &at(0));
            assert!(
                (0..=255).all(|v| evaluate(&tree, &at(v)) == first),
                "dependence"
            );
        }
    }
    code.is_some()
}

/// The offset and the base of a pointer-shaped expression all of whose leaves are bases.
fn pointer_readings(pool: &mut Pool, e: ExprId) -> Option<(ExprId, ExprId)> {
    let shape = pool.shape(e)?;
    assert!(!shape.objects.is_empty() && shape.objects.is_sorted());
    if shape.loose {
        return None;
    }
    let numbers: Vec<u64> = (0..)
        .map_while(|at| shape.objects.get(at).map(|&o| pool.object_number(o)))
        .collect();
    let find = |object: ObjectId| {
        let at = shape
            .objects
            .binary_search(&object)
            .expect("a leaf outside the shape");
        numbers[at]
    };
    let offset = pool.offset_reading(e, &mut |_| 0, &mut FxHashMap::default());
    let base = pool.select_reading(
        e,
        &mut |object| find(object.expect("a loose leaf")),
        &mut FxHashMap::default(),
    );
    assert!(!pool.has_base(offset) && !pool.has_base(base));
    let itself = pool.place_reading(e, &mut |o| find(o), &mut FxHashMap::default());
    let number = pool.number(e);
    let mut memo = EvalMemo::new();
    let zeros = Assignment::new();
    assert_eq!(
        pool.eval(itself, &zeros, &mut memo),
        pool.eval(number, &zeros, &mut memo)
    );
    Some((offset, base))
}

/// How many times the usual number of rounds: `PLAT_TEST_ROUNDS`, 1 by default. The first rounds
/// are the same for every value.
fn effort() -> u32 {
    std::env::var("PLAT_TEST_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

#[test]
fn one_byte() {
    let mut random = Rng::with_seed(0x1234_5678_9abc_def1);
    let mut with_code = 0;
    for round in 0..60 * effort() {
        let mut pool = Pool::new();
        for _ in 0..100 {
            let code = check(&mut pool, &mut random, 1 + round % 6, 1, round % 3 == 0);
            with_code += u32::from(code);
        }
    }
    assert!(with_code > 1000, "{with_code} with straight-line code");
}

#[test]
fn two_bytes() {
    let mut random = Rng::with_seed(0xfeed_5678_9abc_def1);
    for round in 0..40 * effort() {
        check(
            &mut Pool::new(),
            &mut random,
            2 + round % 4,
            2,
            round % 4 == 0,
        );
    }
}

/// Something that holds expressions in several ways.
#[derive(Clone)]
struct Held {
    e: ExprId,
    shared: Rc<Vec<ExprId>>,
    value: Value,
    text: String,
    range: (u64, u64),
}

holder!(Held { e, shared, value } plain { text, range });

/// What is held stays what it is over collections, in its order, and what is not held goes.
#[test]
fn collections_keep_what_is_held() {
    let mut random = Rng::with_seed(38);
    let mut pool = Pool::new();
    pool.test_collections();
    let symbol = pool.symbol("x", 0, 2);
    let objects: Vec<ObjectId> = NUMBERS.iter().map(|&n| pool.new_object(n)).collect();
    let mut assignment = Assignment::new();
    assignment.set(symbol, vec![0x5a, 0xc3]);
    let (mut held, mut most, mut freed): (Vec<Held>, usize, usize) = (Vec::new(), 0, 0);
    for round in 0..60u64 {
        for _ in 0..20 {
            let width = random.choice(WIDTHS).unwrap();
            let tree = random_tree(&mut random, width, 4, 2, true);
            let e = build(&mut pool, &tree, symbol, &objects);
            pool.shape(e);
            let number = pool.number(e);
            let list = pool.aggregate(&[Value::Expr(e), Value::Int(round)]);
            let nested = pool.aggregate(&[Value::Aggregate(list), Value::Expr(number)]);
            let one = Held {
                e,
                shared: Rc::new(vec![number, e]),
                value: Value::Aggregate(nested),
                text: text(&pool, e),
                range: pool.range(e),
            };
            // Some have their list from another one.
            if let Some(last) = held.last()
                && random.bool()
            {
                let shared = Rc::clone(&last.shared);
                held.push(Held { shared, ..one });
            } else {
                held.push(one);
            }
        }
        while held.len() > 50 {
            held.remove(random.usize(..held.len()));
        }
        let wanted: Vec<u128> = values(&pool, &held, &assignment);
        let mut order: Vec<usize> = (0..held.len()).collect();
        order.sort_by_key(|&at| held[at].e);
        let before = pool.len();
        pool.collect(&mut held);
        freed += usize::from(pool.len() < before);
        most = most.max(pool.len());
        assert_eq!(values(&pool, &held, &assignment), wanted);
        assert!(order.is_sorted_by_key(|&at| held[at].e), "the order of ids");
        for one in &held {
            assert_eq!(text(&pool, one.e), one.text);
            assert_eq!(pool.range(one.e), one.range);
            let number = pool.number(one.e);
            let mut memo = EvalMemo::new();
            assert_eq!(
                value(&pool, number, &assignment, &mut memo),
                value(&pool, one.e, &assignment, &mut memo)
            );
        }
    }
    assert!(
        freed > 20,
        "{freed} of 60 collections have made the pool smaller"
    );
    assert!(most < 40_000, "{most} expressions");
}

/// What an expression looks like, with tables under one name: theirs are numbers, which change.
fn text(pool: &Pool, e: ExprId) -> String {
    let text = pool.display(e).to_string();
    let words = text.split(' ').map(|word| match word.strip_prefix('t') {
        Some(number) if number.parse::<u32>().is_ok() => "t",
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The values of everything that is held.
fn values(pool: &Pool, held: &[Held], assignment: &Assignment) -> Vec<u128> {
    let mut memo = EvalMemo::new();
    let mut all = Vec::new();
    for one in held {
        all.push(value(pool, one.e, assignment, &mut memo));
        let shared = one.shared.iter();
        all.extend(shared.map(|&e| value(pool, e, assignment, &mut memo)));
        let Value::Aggregate(nested) = one.value else {
            panic!("a list");
        };
        let &[Value::Aggregate(list), Value::Expr(number)] = pool.aggregate_values(nested) else {
            panic!("a list and an expression");
        };
        all.push(value(pool, number, assignment, &mut memo));
        let &[Value::Expr(e), Value::Int(round)] = pool.aggregate_values(list) else {
            panic!("an expression and a number");
        };
        assert_eq!(e, one.e);
        all.push(u128::from(round));
    }
    all
}
