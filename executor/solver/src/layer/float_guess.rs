//! Guesses a model for conditions on unknown floats.
//!
//! Back ends do not finish on a product of two unknown doubles, but a program that compares it with
//! 6 is often satisfied by simple numbers such as 1 and 6. The inputs of floating-point operations
//! get a few numbers: the query's constants, their neighbours, doubles and halves, and 0, 1 and -1,
//! in all combinations within the work limit. Other input bytes are zero. If no combination
//! satisfies the query, it is passed on.

use plat_expr::{ExprId, FloatFormat, FloatOp, Node, Pool, SymbolId, fold_float};
use rustc_hash::FxHashSet;

use super::decide::Decide;
use super::enumeration::{Evaluator, assignment, bytes_of};
use super::intervals::word_bytes;
use crate::answer::{Answer, Query};

/// The most nodes evaluated for a query.
const WORK: u64 = 1 << 21;
/// Guesses between two clock reads.
const GUESSES_PER_CLOCK_READ: u64 = 1 << 8;
/// The most numbers for an input.
const NUMBERS: usize = 64;

/// An input of a floating-point operation.
struct Input {
    /// Positions of its bytes among the query's, lowest first.
    bytes: Vec<usize>,
    /// The bit patterns to try.
    patterns: Vec<u64>,
}

/// The operands of a query's floating-point operations.
#[derive(Default)]
struct Operands {
    /// Words of the input, with the operation that reads each and its format.
    terms: Vec<(ExprId, FloatOp, FloatFormat)>,
    /// Constants as doubles.
    numbers: Vec<f64>,
}

/// The layer.
#[derive(Default)]
pub struct FloatGuess;

plat_expr::holder!(FloatGuess {});

impl Decide for FloatGuess {
    const NAME: &'static str = "float_guess";

    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer> {
        let constraints = query.constraints;
        let operands = operands_of(pool, constraints);
        if operands.terms.is_empty() {
            return None;
        }
        let bytes = bytes_of(pool, constraints);
        let inputs = inputs(pool, &operands, &bytes);
        let (mut evaluator, size) = Evaluator::new(pool, constraints, &bytes, &[], None)?;
        let mut values = vec![0; bytes.len()];
        let mut chosen = vec![0; inputs.len()];
        for tried in 0..=WORK / size.cost.max(1) {
            if tried.is_multiple_of(GUESSES_PER_CLOCK_READ) && query.deadline.is_over() {
                return None;
            }
            for (input, &at) in inputs.iter().zip(&chosen) {
                for (part, &byte) in input.bytes.iter().enumerate() {
                    values[byte] = (input.patterns[at] >> (8 * part)) as u8;
                }
            }
            if evaluator.holds(&values) {
                return Some(Answer::Sat(assignment(&bytes, &values)));
            }
            if !advance(&mut chosen, &inputs) {
                break;
            }
        }
        None
    }
}

/// Advances to the next combination, the likeliest numbers first. False after the last.
fn advance(chosen: &mut [usize], inputs: &[Input]) -> bool {
    for (at, input) in chosen.iter_mut().zip(inputs) {
        *at += 1;
        if *at < input.patterns.len() {
            return true;
        }
        *at = 0;
    }
    false
}

/// The operands of a query's floating-point operations.
fn operands_of(pool: &Pool, constraints: &[ExprId]) -> Operands {
    let (mut found, mut seen) = (Operands::default(), FxHashSet::default());
    let mut stack = constraints.to_vec();
    while let Some(e) = stack.pop() {
        if !pool.has_symbol(e) || !seen.insert(e) {
            continue;
        }
        let node = pool.node(e);
        node.for_each_operand(|operand| stack.push(operand));
        let Node::Float(op, format, operands) = node else {
            continue;
        };
        for &operand in &operands[..op.operands()] {
            let width = pool.width(operand);
            let constant = match pool.as_limbs(operand) {
                Some(limbs) if !op.is_from_integer() => limbs,
                _ if width <= 64 && word_bytes(pool, operand).is_some() => {
                    found.terms.push((operand, op, format));
                    continue;
                }
                _ => continue,
            };
            let high = constant.get(1).copied().unwrap_or(0);
            let pattern = u128::from(constant[0]) | u128::from(high) << 64;
            let to = FloatOp::ToFormat(FloatFormat::Double);
            let double = fold_float(to, format, width, 64, [pattern, 0, 0]);
            found.numbers.push(f64::from_bits(double as u64));
        }
    }
    found.terms.sort_unstable_by_key(|&(term, ..)| term);
    found.terms.dedup_by_key(|&mut (term, ..)| term);
    found
}

/// Inputs that share no byte, with their patterns.
fn inputs(pool: &Pool, operands: &Operands, bytes: &[(SymbolId, u32)]) -> Vec<Input> {
    let mut numbers = vec![0.0, 1.0];
    numbers.extend(&operands.numbers);
    numbers.push(-1.0);
    for &c in &operands.numbers {
        numbers.extend([
            2.0 * c,
            c / 2.0,
            c.next_up(),
            c.next_down(),
            c + 1.0,
            c - 1.0,
            -c,
        ]);
    }
    numbers.push(f64::NAN);
    let (mut inputs, mut used) = (Vec::<Input>::new(), FxHashSet::default());
    for &(term, op, format) in &operands.terms {
        let positions: Option<Vec<usize>> = word_bytes(pool, term).and_then(|of| {
            let positions = of.iter().map(|byte| bytes.binary_search(byte).ok());
            positions.collect()
        });
        let Some(positions) = positions else { continue };
        if positions.iter().any(|&at| !used.insert(at)) {
            continue;
        }
        let width = pool.width(term);
        let conversion = match op {
            FloatOp::FromSigned => FloatOp::ToSigned,
            FloatOp::FromUnsigned => FloatOp::ToUnsigned,
            _ => FloatOp::ToFormat(format),
        };
        let mut patterns = Vec::new();
        for number in &numbers {
            let double = u128::from(number.to_bits());
            let pattern =
                fold_float(conversion, FloatFormat::Double, 64, width, [double, 0, 0]) as u64;
            if patterns.len() < NUMBERS && !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        inputs.push(Input {
            bytes: positions,
            patterns,
        });
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_expr::EvalMemo;

    /// Equations of two unknown doubles that have simple solutions, and one that has none.
    #[test]
    fn simple_numbers_are_found() {
        use FloatOp::{Add, Div, Lt, Mul};
        let mut pool = Pool::new();
        let mut double = |name: &str| {
            let symbol = pool.symbol(name, 0, 8);
            let first = pool.symbol_byte(symbol, 0);
            (1..8).fold(first, |low, at| {
                let byte = pool.symbol_byte(symbol, at);
                pool.concat(byte, low)
            })
        };
        let (x, y) = (double("x"), double("y"));
        let mut apply = |op, a, b| {
            let width = if op == Lt { 1 } else { 64 };
            pool.float(op, FloatFormat::Double, &[a, b], width)
        };
        let (product, sum) = (apply(Mul, x, y), apply(Add, x, y));
        let (quotient, harmonic) = (apply(Div, x, y), apply(Div, product, sum));
        let (square, less) = (apply(Mul, x, x), apply(Lt, x, y));
        let mut is = |e, number: f64| {
            let number = pool.constant(64, number.to_bits());
            pool.float(FloatOp::Eq, FloatFormat::Double, &[e, number], 1)
        };
        let simple = [
            vec![is(product, 6.0)],
            vec![is(quotient, 2.5), less],
            vec![is(sum, 0.1), less],
            vec![is(harmonic, 2.5)],
        ];
        let impossible = [is(square, -4.0)];
        for constraints in simple {
            let Some(Answer::Sat(model)) = FloatGuess.decide(&mut pool, &Query::new(&constraints))
            else {
                panic!("{}", pool.display(constraints[0]));
            };
            let memo = &mut EvalMemo::new();
            assert!(constraints.iter().all(|&c| pool.holds(c, &model, memo)));
        }
        assert!(
            FloatGuess
                .decide(&mut pool, &Query::new(&impossible))
                .is_none()
        );
    }
}
