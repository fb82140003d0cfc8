//! Expressions in C's terms: a C compiler must give the text the value of the expression, on random inputs;
//! and what people read is as short as they would write it.

use fastrand::Rng;
use plat_expr::{
    Assignment, BinaryOp, EvalMemo, ExprId, FloatFormat, FloatOp, IntPredicate, Pool, SymbolId,
};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const BYTES: u32 = 8;
const WIDTHS: [u32; 5] = [1, 8, 16, 32, 64];
const LENGTH: usize = 4000;

struct Random<'a> {
    pool: &'a mut Pool,
    random: Rng,
    input: SymbolId,
}

impl Random<'_> {
    fn leaf(&mut self, width: u32) -> ExprId {
        let at = self.random.u32(..BYTES);
        let byte = self.pool.symbol_byte(self.input, at);
        match (width, self.random.u32(..4)) {
            (_, 0) => {
                let near = [0, 1, 2, 10, 31, 97, 255, u64::MAX, 1 << 31, u64::MAX >> 1];
                let value = match self.random.bool() {
                    true => near[self.random.usize(..near.len())],
                    false => self.random.u64(..) >> self.random.u32(..64),
                };
                self.pool.constant(width, value & u64::MAX >> (64 - width))
            }
            (1, _) => self.pool.extract(byte, self.random.u32(..8), 1),
            (8, _) => byte,
            (_, 1) => self.pool.sext(byte, width),
            (_, 2) => self.pool.zext(byte, width),
            _ => {
                let bytes = width / 8;
                let first = self.random.u32(..BYTES - bytes + 1);
                let mut word = self.pool.symbol_byte(self.input, first);
                for at in 1..bytes {
                    let byte = self.pool.symbol_byte(self.input, first + at);
                    word = self.pool.concat(byte, word);
                }
                word
            }
        }
    }

    fn expr(&mut self, width: u32, depth: u32) -> ExprId {
        if depth == 0 {
            return self.leaf(width);
        }
        let depth = depth - 1;
        match self.random.u32(..8) {
            0..=2 => self.binary(width, depth),
            3 => {
                let inner = self.expr(width, depth);
                self.pool.not(inner)
            }
            4 => {
                let condition = self.expr(1, depth);
                let (a, b) = (self.expr(width, depth), self.expr(width, depth));
                self.pool.ite(condition, a, b)
            }
            5 if width == 1 => self.compare(depth),
            5 => {
                let from = WIDTHS[self.random.usize(..5)];
                let inner = self.expr(from, depth);
                match self.random.bool() {
                    true => self.pool.sext_or_trunc(inner, width),
                    false => self.pool.zext_or_trunc(inner, width),
                }
            }
            6 if width < 64 => {
                let inner = self.expr(64, depth);
                self.pool
                    .extract(inner, self.random.u32(..=64 - width), width)
            }
            7 if width >= 16 => {
                let (high, low) = (self.expr(width / 2, depth), self.expr(width / 2, depth));
                self.pool.concat(high, low)
            }
            _ if width == 1 => self.compare(depth),
            _ => self.binary(width, depth),
        }
    }

    fn compare(&mut self, depth: u32) -> ExprId {
        let width = WIDTHS[self.random.usize(..5)];
        let (a, b) = (self.expr(width, depth), self.expr(width, depth));
        let predicates = [
            IntPredicate::Eq,
            IntPredicate::Ne,
            IntPredicate::Ult,
            IntPredicate::Uge,
            IntPredicate::Slt,
            IntPredicate::Sle,
        ];
        self.pool.compare(predicates[self.random.usize(..6)], a, b)
    }

    /// An operation that C defines: divisors are positive, shifts are below the width.
    fn binary(&mut self, width: u32, depth: u32) -> ExprId {
        use BinaryOp::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
        let ops = [
            Add, Sub, Mul, And, Or, Xor, UDiv, URem, SDiv, SRem, Shl, LShr, AShr,
        ];
        let few = if width == 1 { 6 } else { ops.len() };
        let op = ops[self.random.usize(..few)];
        let (a, mut b) = (self.expr(width, depth), self.expr(width, depth));
        match op {
            UDiv | URem | SDiv | SRem => {
                let (below, one) = (u64::MAX >> (65 - width), self.pool.constant(width, 1));
                let below = self.pool.constant(width, below);
                b = self.pool.and(b, below);
                b = self.pool.or(b, one);
            }
            Shl | LShr | AShr => {
                let most = self.pool.constant(width, u64::from(width) - 1);
                b = self.pool.and(b, most);
            }
            _ => {}
        }
        self.pool.binary(op, a, b)
    }
}

/// Whether a compiler takes a text: nothing was left out, and no constant is too large for C.
fn is_c(text: &str) -> bool {
    let mut hex = text.split("0x").skip(1);
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_hexdigit).count();
    !text.contains('…') && hex.all(|rest| digits(rest) <= 16)
}

/// The types of odd widths, which simplification makes.
fn odd_types() -> String {
    let odd = (2..=128).filter(|width| ![8, 16, 32, 64].contains(width));
    let types = odd.map(|width| {
        format!("typedef unsigned _BitInt({width}) uint{width}_t;\ntypedef _BitInt({width}) int{width}_t;\n")
    });
    types.collect()
}

#[test]
fn a_compiler_gives_the_text_its_value() {
    let mut pool = Pool::new();
    let input = pool.symbol("in", 0, BYTES);
    let mut random = Rng::with_seed(20);
    let inputs: Vec<[u8; 8]> = (0..16).map(|_| random.u64(..).to_le_bytes()).collect();
    let mut made = Random {
        pool: &mut pool,
        random,
        input,
    };
    let exprs: Vec<ExprId> = (0..1500)
        .map(|at| made.expr(WIDTHS[at % 5], 1 + at as u32 % 4))
        .collect();

    let mut source =
        String::from("#include <stdint.h>\n#include <stdio.h>\ntypedef unsigned char B;\n");
    source += &odd_types();
    let mut calls = String::new();
    let mut expected = String::new();
    let mut written = 0;
    for (at, &e) in exprs.iter().enumerate() {
        let (text, width) = (pool.c_text(e, LENGTH), pool.width(e));
        if !is_c(&text) {
            continue;
        }
        written += 1;
        let ty = if width == 1 { 8 } else { width };
        let _ = writeln!(
            source,
            "static uint{ty}_t f{at}(B *in) {{ return {text}; }}"
        );
        let _ = writeln!(
            calls,
            "\t\tprintf(\"{at} %llu\\n\", (unsigned long long)f{at}(in));"
        );
    }
    for bytes in &inputs {
        let mut model = Assignment::new();
        model.set(input, *bytes);
        for (at, &e) in exprs.iter().enumerate() {
            if is_c(&pool.c_text(e, LENGTH)) {
                let value = pool.eval(e, &model, &mut EvalMemo::new());
                let _ = writeln!(expected, "{at} {value}");
            }
        }
    }
    assert!(written > 1400, "{written} of {}", exprs.len());
    let rows: Vec<String> = inputs
        .iter()
        .map(|bytes| format!("{{{}}}", bytes.map(|b| b.to_string()).join(",")))
        .collect();
    let _ = write!(
        source,
        "static B all[][8] = {{{}}};\nint main(void) {{\n\tfor (int i = 0; i < 16; i++) {{\n\t\tB *in = all[i];\n{calls}\t}}\n}}\n",
        rows.join(",")
    );
    let printed = run(&source);
    for (printed, expected) in printed.lines().zip(expected.lines()) {
        let at: usize = expected
            .split(' ')
            .next()
            .and_then(|at| at.parse().ok())
            .expect("a number");
        assert_eq!(printed, expected, "{}", pool.c_text(exprs[at], LENGTH));
    }
    assert_eq!(printed.lines().count(), expected.lines().count());
}

/// What a C program prints.
fn run(source: &str) -> String {
    let directory = std::env::temp_dir().join(format!("plat-c-text-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let (file, program) = (directory.join("t.c"), directory.join("t"));
    std::fs::write(&file, source).expect("written");
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    let mut compile = Command::new(clang);
    compile
        .args(["-w", "-fwrapv", "-fno-strict-aliasing", "-O0", "-o"])
        .arg(&program)
        .arg(&file);
    let done = compile.output().expect("clang-22");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let output = Command::new(Path::new(&program)).output().expect("run");
    std::fs::remove_dir_all(&directory).expect("removed");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn texts_are_what_people_would_write() {
    let mut pool = Pool::new();
    let input = pool.symbol("stdin", 0, 64);
    let again = pool.symbol("n", 2, 1);
    let (a, b) = (pool.symbol_byte(input, 0), pool.symbol_byte(input, 1));
    let (wide_a, wide_b) = (pool.zext(a, 32), pool.zext(b, 32));
    let check = |pool: &Pool, e, text: &str| assert_eq!(pool.c_text(e, 200), text);

    let letter = pool.constant(8, u64::from(b'x'));
    let is_letter = pool.eq(a, letter);
    check(&pool, is_letter, "stdin[0] == 'x'");
    let differs = pool.not(is_letter);
    check(&pool, differs, "stdin[0] != 'x'");
    let newline = pool.constant(8, 10);
    let after = pool.ult(newline, b);
    check(&pool, after, "stdin[1] >= 11");
    let two = pool.and(is_letter, after);
    check(&pool, two, "stdin[0] == 'x' && stdin[1] >= 11");

    let ten = pool.constant(32, 10);
    let product = pool.mul(wide_a, ten);
    let sum = pool.add(product, wide_b);
    let limit = pool.constant(32, 1000);
    let small = pool.ult(sum, limit);
    let text = pool.c_text(small, 200);
    assert!(
        text.contains("stdin[0]") && text.contains("* 10") && text.ends_with("< 1000"),
        "{text}"
    );

    let bytes: Vec<ExprId> = (4..8).map(|at| pool.symbol_byte(input, at)).collect();
    let word = bytes[1..]
        .iter()
        .fold(bytes[0], |low, &high| pool.concat(high, low));
    check(&pool, word, "*(uint32_t *)&stdin[4]");
    let zero = pool.constant(32, 0);
    let negative = pool.slt(word, zero);
    let text = pool.c_text(negative, 200);
    assert!(
        text.contains("stdin[7]") || text.contains("(int32_t)*(uint32_t *)&stdin[4] < 0"),
        "{text}"
    );
    let late = pool.symbol_byte(again, 0);
    check(&pool, late, "n_2[0]");

    let elements: Vec<ExprId> = b"abcdefghijklmnopqrstuvwxyz"
        .iter()
        .map(|&c| pool.constant(8, u64::from(c)))
        .collect();
    let table = pool.table(&elements);
    let index = pool.zext(a, 64);
    let read = pool.read(table, index);
    check(&pool, read, "\"abcdefghijklmnop…\"[(uint64_t)stdin[0]]");

    let double = bytes
        .iter()
        .chain(&bytes)
        .copied()
        .reduce(|low, high| pool.concat(high, low))
        .expect("bytes");
    let half = pool.constant(64, 0.5f64.to_bits());
    let less = pool.float(FloatOp::Lt, FloatFormat::Double, &[double, half], 1);
    let text = pool.c_text(less, 300);
    assert!(
        text.starts_with("as_double(") && text.ends_with(" < 0.5"),
        "{text}"
    );

    // However large an expression is, its text is short.
    let mut deep = word;
    for at in 0..5000 {
        let byte = pool.symbol_byte(input, at % 64);
        let wide = pool.zext(byte, 32);
        let mixed = pool.xor(deep, wide);
        deep = pool.mul(mixed, deep);
    }
    let text = pool.c_text(deep, 200);
    assert!(text.len() < 1500 && text.contains('…'), "{}", text.len());
    assert_eq!(
        text.matches('(').count(),
        text.matches(')').count(),
        "{text}"
    );
}
