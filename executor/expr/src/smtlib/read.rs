//! Reading the scripts that [`Pool::smtlib`] writes, so that logged queries can be asked again.
//! It reads that dialect and no more: names that say what they stand for (`s` input bytes, `e`
//! nodes, `f` the same as floats, `t` tables), operands that are names.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::float::{FloatFormat, FloatOp, Rounding};
use crate::ids::ExprId;
use crate::node::{BinaryOp, IntPredicate};
use crate::pool::Pool;

/// How deep lists are nested at most; what is written is far below.
const DEPTH: usize = 100;
/// The most bits of a node.
const BITS: u32 = 1 << 16;

/// A word or a list in parentheses.
enum Term<'a> {
    Word(&'a str),
    List(Vec<Term<'a>>),
}

/// For messages: what a script has. A list is shown as a list of Rust.
impl fmt::Debug for Term<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word(word) => f.write_str(word),
            List(terms) => terms.fmt(f),
        }
    }
}

use Term::{List, Word};

/// The lists of a script.
fn parse(script: &str) -> Result<Vec<Term<'_>>, String> {
    let mut open = vec![Vec::new()];
    for line in script.lines() {
        let mut rest = line.split(';').next().unwrap_or("").trim_start();
        while let Some(first) = rest.chars().next() {
            let end = match first {
                '(' if open.len() > DEPTH => return Err("lists are nested too deep".to_owned()),
                '(' => {
                    open.push(Vec::new());
                    1
                }
                ')' => {
                    let list = List(open.pop().unwrap_or_default());
                    open.last_mut().ok_or("a parenthesis too many")?.push(list);
                    1
                }
                _ => {
                    let ends = |c: char| c == '(' || c == ')' || c.is_whitespace();
                    let end = rest.find(ends).unwrap_or(rest.len());
                    let outer = open.last_mut().ok_or("a parenthesis too many")?;
                    outer.push(Word(&rest[..end]));
                    end
                }
            };
            rest = rest[end..].trim_start();
        }
    }
    match (open.pop(), open.is_empty()) {
        (Some(lists), true) => Ok(lists),
        _ => Err("a parenthesis is missing".to_owned()),
    }
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("{word} is no number"))
}

fn sort(exponent: &str, significand: &str) -> Result<FloatFormat, String> {
    let (exponent, significand): (u32, u32) = (number(exponent)?, number(significand)?);
    let is = |format: &FloatFormat| {
        (format.exponent_bits(), format.fraction_bits() + 1) == (exponent, significand)
    };
    let format = FloatFormat::ALL.into_iter().find(is);
    format.ok_or_else(|| format!("no float has {exponent} and {significand} bits"))
}

fn rounding(mode: &str) -> Result<Rounding, String> {
    Ok(match mode {
        "RNE" => Rounding::NearestEven,
        "RNA" => Rounding::NearestAway,
        "RTZ" => Rounding::Zero,
        "RTN" => Rounding::Down,
        "RTP" => Rounding::Up,
        _ => return Err(format!("rounding {mode}")),
    })
}

/// A node has one name as bits and one as a float.
fn key(name: &str) -> &str {
    name.strip_prefix(['e', 'f']).unwrap_or(name)
}

/// A script under way.
struct Script<'p, 'a> {
    pool: &'p mut Pool,
    /// By [`key`].
    nodes: FxHashMap<&'a str, ExprId>,
    /// The formats of nodes that are floats, by [`key`].
    floats: FxHashMap<&'a str, FloatFormat>,
    tables: FxHashMap<&'a str, Vec<ExprId>>,
    constraints: Vec<ExprId>,
}

impl Pool {
    /// The constraints of a script that [`Pool::smtlib`] wrote. Its input bytes are symbols of one
    /// byte, the same for the same names in several scripts.
    ///
    /// # Errors
    /// What is not of its dialect.
    pub fn read_smtlib(&mut self, script: &str) -> Result<Vec<ExprId>, String> {
        let commands = parse(script)?;
        let mut script = Script {
            pool: self,
            nodes: FxHashMap::default(),
            floats: FxHashMap::default(),
            tables: FxHashMap::default(),
            constraints: Vec::new(),
        };
        for command in &commands {
            let List(words) = command else {
                return Err("a word outside commands".to_owned());
            };
            script.command(words).map_err(|wrong| match &words[..] {
                [Word(command), Word(name), ..] => format!("{command} {name}: {wrong}"),
                [Word(command), ..] => format!("{command}: {wrong}"),
                _ => wrong,
            })?;
        }
        Ok(script.constraints)
    }
}

impl<'a> Script<'_, 'a> {
    fn command(&mut self, words: &[Term<'a>]) -> Result<(), String> {
        match words {
            [Word("declare-const"), Word(name), List(sort)] => match &sort[..] {
                // The bits of a float, which are known with the float.
                [Word("_"), Word("BitVec"), _] if self.nodes.contains_key(key(name)) => {}
                [Word("_"), Word("BitVec"), Word("8")] => {
                    let symbol = self.pool.symbol(name, 0, 1);
                    let byte = self.pool.symbol_byte(symbol, 0);
                    self.nodes.insert(key(name), byte);
                }
                [Word("_"), Word("BitVec"), _] => return Err(format!("{name} is no byte")),
                _ => {
                    self.tables.insert(name, Vec::new());
                }
            },
            [Word("define-fun"), Word(name), _, List(sort), term] => {
                if let [Word("_"), Word("FloatingPoint"), ..] = sort[..] {
                    self.define_float(name, term)?;
                } else if let [Word("_"), Word("BitVec"), Word(width)] = sort[..] {
                    let node = self.node(term, number(width)?)?;
                    self.nodes.insert(key(name), node);
                }
            }
            [Word("assert"), List(term)] => self.assert(term)?,
            [
                Word("set-logic" | "check-sat" | "get-model" | "reset" | "exit"),
                ..,
            ] => {}
            _ => return Err(format!("{words:?}")),
        }
        Ok(())
    }

    fn assert(&mut self, term: &[Term<'a>]) -> Result<(), String> {
        match term {
            [Word("="), Word(name), Word("#b1")] => {
                let constraint = self.wide(name, 1)?;
                self.constraints.push(constraint);
            }
            [Word("="), List(select), Word(element)] => {
                let [Word("select"), Word(table), _] = select[..] else {
                    return Err(format!("{term:?}"));
                };
                let element = self.named(element)?;
                let elements = self.tables.get_mut(table);
                elements.ok_or("a table without a name")?.push(element);
            }
            // The bits of a float, which are known with the float.
            [Word("ite"), List(test), ..] if matches!(test[..], [Word("fp.isNaN"), ..]) => {}
            _ => return Err(format!("{term:?}")),
        }
        Ok(())
    }

    fn named(&self, name: &str) -> Result<ExprId, String> {
        let known = self.nodes.get(key(name)).copied();
        known.ok_or_else(|| format!("{name} has no definition"))
    }

    /// A node of `width` bits.
    fn wide(&self, name: &str, width: u32) -> Result<ExprId, String> {
        let node = self.named(name)?;
        if self.pool.width(node) == width {
            Ok(node)
        } else {
            Err(format!("{name} has not {width} bits"))
        }
    }

    /// Two nodes of one width.
    fn pair(&self, a: &str, b: &str) -> Result<(ExprId, ExprId), String> {
        let left = self.named(a)?;
        Ok((left, self.wide(b, self.pool.width(left))?))
    }

    /// A bit-vector of `width` bits.
    fn node(&mut self, term: &Term<'a>, width: u32) -> Result<ExprId, String> {
        if !(1..=BITS).contains(&width) {
            return Err(format!("{width} bits"));
        }
        let node = self.any_node(term, width)?;
        if self.pool.width(node) == width {
            Ok(node)
        } else {
            Err(format!("{term:?} has not {width} bits"))
        }
    }

    /// A bit-vector that should have `width` bits.
    fn any_node(&mut self, term: &Term<'a>, width: u32) -> Result<ExprId, String> {
        let words = match term {
            Word(name) => {
                let Some(digits) = name.strip_prefix("#b") else {
                    return self.named(name);
                };
                let mut limbs = vec![0u64; digits.len().div_ceil(64)];
                for (at, digit) in digits.bytes().rev().enumerate() {
                    limbs[at / 64] |= u64::from(digit == b'1') << (at % 64);
                }
                return Ok(self.pool.constant_limbs(width, &limbs));
            }
            List(words) => words,
        };
        match &words[..] {
            [Word("_"), Word(value), _] => {
                let value = value.strip_prefix("bv").unwrap_or(value);
                Ok(self.pool.constant_u128(width, number(value)?))
            }
            [Word("ite"), List(test), then, otherwise] => self.choice(test, then, otherwise, width),
            [Word("bvnot"), Word(a)] => {
                let a = self.named(a)?;
                Ok(self.pool.not(a))
            }
            [Word("concat"), Word(high), Word(low)] => {
                let (high, low) = (self.named(high)?, self.named(low)?);
                Ok(self.pool.concat(high, low))
            }
            [Word("select"), Word(table), List(index)] => {
                let [Word("ite"), _, Word(index), _] = index[..] else {
                    return Err(format!("{words:?}"));
                };
                let elements = self.tables.get(table).ok_or("a table without a name")?;
                if elements.is_empty() {
                    return Err(format!("{table} has no elements"));
                }
                if elements.iter().any(|&e| self.pool.width(e) != width) {
                    return Err(format!("{table} has elements that are not of {width} bits"));
                }
                let table = self.pool.table(elements);
                let index = self.wide(index, 64)?;
                Ok(self.pool.read(table, index))
            }
            [Word(op), Word(a), Word(b)] => {
                let op = binary(op)?;
                let (a, b) = self.pair(a, b)?;
                Ok(self.pool.binary(op, a, b))
            }
            [List(op), Word(a)] => {
                let a = self.named(a)?;
                match op[..] {
                    [Word("_"), Word("extract"), _, Word(low)] => {
                        let low = number(low)?;
                        if width
                            .checked_add(low)
                            .is_none_or(|end| end > self.pool.width(a))
                        {
                            return Err(format!("{op:?} is beyond its operand"));
                        }
                        Ok(self.pool.extract(a, low, width))
                    }
                    [Word("_"), Word("zero_extend" | "sign_extend"), _]
                        if self.pool.width(a) > width =>
                    {
                        Err(format!("{op:?} makes its operand narrower"))
                    }
                    [Word("_"), Word("zero_extend"), _] => Ok(self.pool.zext(a, width)),
                    [Word("_"), Word("sign_extend"), _] => Ok(self.pool.sext(a, width)),
                    _ => Err(format!("{op:?}")),
                }
            }
            _ => Err(format!("{words:?}")),
        }
    }

    /// A choice between nodes, a comparison, or what is written as a choice for floats.
    fn choice(
        &mut self,
        test: &[Term<'a>],
        then: &Term<'a>,
        otherwise: &Term<'a>,
        width: u32,
    ) -> Result<ExprId, String> {
        if let List(conversion) = then
            && let [List(op), Word("RTZ"), a] = &conversion[..]
        {
            let (a, format) = self.float(a)?;
            let op = match op[..] {
                [Word("_"), Word("fp.to_sbv"), _] => FloatOp::ToSigned,
                [Word("_"), Word("fp.to_ubv"), _] => FloatOp::ToUnsigned,
                _ => return Err(format!("{op:?}")),
            };
            return Ok(self.pool.float(op, format, &[a], width));
        }
        match test {
            [Word("="), Word(c), Word("#b1")] => {
                let c = self.wide(c, 1)?;
                let (then, otherwise) = (self.node(then, width)?, self.node(otherwise, width)?);
                Ok(self.pool.ite(c, then, otherwise))
            }
            [Word(op @ ("=" | "bvult" | "bvslt")), Word(a), Word(b)] => {
                let predicate = match *op {
                    "=" => IntPredicate::Eq,
                    "bvult" => IntPredicate::Ult,
                    _ => IntPredicate::Slt,
                };
                let (a, b) = self.pair(a, b)?;
                Ok(self.pool.compare(predicate, a, b))
            }
            [Word(op), a, b] => {
                let op = match *op {
                    "fp.eq" => FloatOp::Eq,
                    "fp.lt" => FloatOp::Lt,
                    "fp.leq" => FloatOp::Le,
                    _ => return Err(format!("{test:?}")),
                };
                let ((a, format), (b, other)) = (self.float(a)?, self.float(b)?);
                if other != format {
                    return Err(format!("{test:?} compares floats of two formats"));
                }
                Ok(self.pool.float(op, format, &[a, b], 1))
            }
            _ => Err(format!("{test:?}")),
        }
    }

    /// A float as its bits, and its format.
    fn float(&self, term: &Term<'a>) -> Result<(ExprId, FloatFormat), String> {
        match term {
            Word(name) => {
                let format = self.floats.get(key(name)).copied();
                let format = format.ok_or_else(|| format!("{name} has no definition"))?;
                Ok((self.named(name)?, format))
            }
            List(words) => match &words[..] {
                [List(to), Word(bits)] => match to[..] {
                    [Word("_"), Word("to_fp"), Word(exponent), Word(significand)] => {
                        let format = sort(exponent, significand)?;
                        Ok((self.wide(bits, format.bits())?, format))
                    }
                    _ => Err(format!("{to:?}")),
                },
                // An x87 pattern: not a number if the bit in front of the point is wrong.
                [Word("ite"), List(test), List(nan), _] => match (&test[..], &nan[..]) {
                    (
                        [Word("and"), List(integer_bit), _],
                        [Word("_"), Word("NaN"), Word(exponent), Word(significand)],
                    ) => match &integer_bit[..] {
                        [Word("="), List(bit), _] if let [_, Word(bits)] = bit[..] => {
                            let format = sort(exponent, significand)?;
                            Ok((self.wide(bits, format.bits())?, format))
                        }
                        _ => Err(format!("{integer_bit:?}")),
                    },
                    _ => Err(format!("{test:?}")),
                },
                _ => Err(format!("{words:?}")),
            },
        }
    }

    fn define_float(&mut self, name: &'a str, term: &Term<'a>) -> Result<(), String> {
        let unreadable = || format!("{term:?}");
        let List(words) = term else {
            return Err(unreadable());
        };
        let (op, format, operands) = match &words[..] {
            [List(to), Word("RNE"), a] => {
                let (format, unsigned) = match to[..] {
                    [Word("_"), Word("to_fp"), Word(e), Word(s)] => (sort(e, s)?, false),
                    [Word("_"), Word("to_fp_unsigned"), Word(e), Word(s)] => (sort(e, s)?, true),
                    _ => return Err(unreadable()),
                };
                match a {
                    Word(integer) if !integer.starts_with('f') => {
                        let op = if unsigned {
                            FloatOp::FromUnsigned
                        } else {
                            FloatOp::FromSigned
                        };
                        (op, format, vec![self.named(integer)?])
                    }
                    _ => {
                        let (a, from) = self.float(a)?;
                        (FloatOp::ToFormat(format), from, vec![a])
                    }
                }
            }
            [Word(op), Word(mode), operands @ ..] => {
                let op = match *op {
                    "fp.add" => FloatOp::Add,
                    "fp.sub" => FloatOp::Sub,
                    "fp.mul" => FloatOp::Mul,
                    "fp.div" => FloatOp::Div,
                    "fp.fma" => FloatOp::Fma,
                    "fp.sqrt" => FloatOp::Sqrt,
                    "fp.roundToIntegral" => FloatOp::Round(rounding(mode)?),
                    _ => return Err(unreadable()),
                };
                let operands: Result<Vec<_>, String> =
                    operands.iter().map(|operand| self.float(operand)).collect();
                let operands = operands?;
                let format = operands.first().ok_or_else(unreadable)?.1;
                if operands.iter().any(|(_, other)| *other != format) {
                    return Err(unreadable());
                }
                (op, format, operands.into_iter().map(|(e, _)| e).collect())
            }
            _ => return Err(unreadable()),
        };
        if operands.len() != op.operands() {
            return Err(unreadable());
        }
        let result = op.result(format).ok_or_else(unreadable)?;
        let e = self.pool.float(op, format, &operands, result.bits());
        self.nodes.insert(key(name), e);
        self.floats.insert(key(name), result);
        Ok(())
    }
}

fn binary(op: &str) -> Result<BinaryOp, String> {
    use BinaryOp::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    let all = [
        Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor,
    ];
    let found = all.into_iter().find(|&known| super::smtlib_op(known) == op);
    found.ok_or_else(|| format!("operation {op}"))
}
