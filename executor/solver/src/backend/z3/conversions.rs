//! Conversions to floats that the z3 crate does not expose.
//!
//! Z3's SMT-LIB parser knows them. For each pair of sorts, a script with the conversion is parsed
//! once; the function declaration is extracted from it and applied from then on.

use ::z3::ast::{Ast, BV, Bool, Float, RoundingMode};
use ::z3::{FuncDecl, Solver};
use plat_expr::FloatFormat;
use rustc_hash::FxHashMap;

use super::terms::{Failure, Made};

/// What a float is made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    /// Its bit pattern, in a format without an explicit integer bit.
    Pattern,
    /// Sign, exponent and fraction.
    Parts,
    Integer {
        width: u32,
        signed: bool,
    },
}

/// The declarations of the conversions used so far.
#[derive(Default)]
pub(super) struct Conversions(FxHashMap<(FloatFormat, Source), FuncDecl>);

impl Conversions {
    /// The float whose IEEE pattern is a bit-vector.
    pub fn of_pattern(&mut self, format: FloatFormat, pattern: &BV) -> Made<Float> {
        self.apply(format, Source::Pattern, &[pattern])
    }

    /// The float of sign, exponent and fraction.
    pub fn of_parts(&mut self, format: FloatFormat, parts: [&BV; 3]) -> Made<Float> {
        self.apply(format, Source::Parts, &parts.map(|part| part as &dyn Ast))
    }

    /// The float nearest to an integer.
    pub fn of_integer(
        &mut self,
        format: FloatFormat,
        integer: &BV,
        width: u32,
        signed: bool,
    ) -> Made<Float> {
        let nearest = RoundingMode::round_nearest_ties_to_even();
        self.apply(
            format,
            Source::Integer { width, signed },
            &[&nearest, integer],
        )
    }

    fn apply(&mut self, format: FloatFormat, source: Source, operands: &[&dyn Ast]) -> Made<Float> {
        let missing = || Failure("Z3 does not know a conversion to floats".to_owned());
        let known = self.0.get(&(format, source));
        let declaration = match known {
            Some(known) => known,
            None => {
                let parsed = parse(&text(format, source)).ok_or_else(missing)?;
                self.0.entry((format, source)).or_insert(parsed)
            }
        };
        declaration.apply(operands).as_float().ok_or_else(missing)
    }
}

/// A script that asserts something about the result of a conversion.
fn text(format: FloatFormat, source: Source) -> String {
    let (exponent, fraction) = (format.exponent_bits(), format.fraction_bits());
    let significand = fraction + 1;
    let variable = |name: &str, width| format!("(declare-const {name} (_ BitVec {width}))");
    let (variables, converted) = match source {
        Source::Pattern => (
            variable("a", exponent + significand),
            format!("((_ to_fp {exponent} {significand}) a)"),
        ),
        Source::Parts => (
            variable("a", 1) + &variable("b", exponent) + &variable("c", fraction),
            "(fp a b c)".to_owned(),
        ),
        Source::Integer { width, signed } => {
            let name = if signed { "to_fp" } else { "to_fp_unsigned" };
            let converted = format!("((_ {name} {exponent} {significand}) RNE a)");
            (variable("a", width), converted)
        }
    };
    format!("{variables}(assert (fp.isNaN {converted}))")
}

/// The declaration of the conversion in such a script.
fn parse(script: &str) -> Option<FuncDecl> {
    let solver = Solver::new();
    solver.from_string(script);
    let assertion: Bool = solver.get_assertions().pop()?;
    assertion.nth_child(0)?.safe_decl().ok()
}
