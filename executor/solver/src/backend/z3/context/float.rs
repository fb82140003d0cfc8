//! The floating-point part of Z3's interface. Floating-point terms are terms of a sort of their
//! own; conversions to and from bit-vectors are explicit.

use plat_expr::{FloatFormat, FloatOp, Rounding};
use z3_sys as sys;

use super::{Context, Made, Term};

impl Context {
    /// The sort of a format, by its bits of exponent and significand.
    fn float_sort(&mut self, format: FloatFormat) -> Made<sys::Z3_sort> {
        let (exponent, significand) = (format.exponent_bits(), format.fraction_bits() + 1);
        // SAFETY: the context is alive; both sizes are those of a format, so large enough.
        let sort = unsafe { sys::Z3_mk_fpa_sort(self.raw, exponent, significand) };
        sort.ok_or_else(|| self.failure("a sort"))
    }

    fn rounding(&mut self, rounding: Rounding) -> Made<Term> {
        let make = match rounding {
            Rounding::NearestEven => sys::Z3_mk_fpa_rne,
            Rounding::NearestAway => sys::Z3_mk_fpa_rna,
            Rounding::Zero => sys::Z3_mk_fpa_rtz,
            Rounding::Down => sys::Z3_mk_fpa_rtn,
            Rounding::Up => sys::Z3_mk_fpa_rtp,
        };
        // SAFETY: the context is alive.
        let term = unsafe { make(self.raw) };
        self.made(term)
    }

    /// The float whose IEEE pattern is a bit-vector (not of the format with a stored integer
    /// bit).
    pub fn float_of_bits(&mut self, format: FloatFormat, pattern: Term) -> Made<Term> {
        let sort = self.float_sort(format)?;
        // SAFETY: the context is alive, term and sort are its own; a wrong width gives null.
        let term = unsafe { sys::Z3_mk_fpa_to_fp_bv(self.raw, pattern, sort) };
        self.made(term)
    }

    /// The float of sign, exponent and fraction, each a bit-vector.
    pub fn float_of_parts(&mut self, sign: Term, exponent: Term, fraction: Term) -> Made<Term> {
        // SAFETY: the context is alive and the terms its own.
        let term = unsafe { sys::Z3_mk_fpa_fp(self.raw, sign, exponent, fraction) };
        self.made(term)
    }

    pub fn float_nan(&mut self, format: FloatFormat) -> Made<Term> {
        let sort = self.float_sort(format)?;
        // SAFETY: the context is alive and the sort its own.
        let term = unsafe { sys::Z3_mk_fpa_nan(self.raw, sort) };
        self.made(term)
    }

    /// The IEEE pattern of a float; any NaN's for a NaN.
    pub fn float_bits(&mut self, float: Term) -> Made<Term> {
        // SAFETY: the context is alive and the term its own.
        let term = unsafe { sys::Z3_mk_fpa_to_ieee_bv(self.raw, float) };
        self.made(term)
    }

    pub fn float_is_nan(&mut self, float: Term) -> Made<Term> {
        // SAFETY: the context is alive and the term its own.
        let term = unsafe { sys::Z3_mk_fpa_is_nan(self.raw, float) };
        self.made(term)
    }

    /// An operation on floats (of `format`) that is neither to nor from an integer. Comparisons
    /// give truth values.
    pub fn float(&mut self, op: FloatOp, format: FloatFormat, operands: &[Term]) -> Made<Term> {
        let rounding = match op {
            FloatOp::Round(rounding) => self.rounding(rounding)?,
            _ => self.rounding(Rounding::NearestEven)?,
        };
        let target = match op {
            FloatOp::ToFormat(to) => self.float_sort(to)?,
            _ => self.float_sort(format)?,
        };
        let raw = self.raw;
        // SAFETY: the context is alive, terms and sorts are its own; a wrong sort gives null.
        let term = unsafe {
            match (op, operands) {
                (FloatOp::Add, &[a, b]) => sys::Z3_mk_fpa_add(raw, rounding, a, b),
                (FloatOp::Sub, &[a, b]) => sys::Z3_mk_fpa_sub(raw, rounding, a, b),
                (FloatOp::Mul, &[a, b]) => sys::Z3_mk_fpa_mul(raw, rounding, a, b),
                (FloatOp::Div, &[a, b]) => sys::Z3_mk_fpa_div(raw, rounding, a, b),
                (FloatOp::Fma, &[a, b, c]) => sys::Z3_mk_fpa_fma(raw, rounding, a, b, c),
                (FloatOp::Sqrt, &[a]) => sys::Z3_mk_fpa_sqrt(raw, rounding, a),
                (FloatOp::Round(_), &[a]) => sys::Z3_mk_fpa_round_to_integral(raw, rounding, a),
                (FloatOp::ToFormat(_), &[a]) => {
                    sys::Z3_mk_fpa_to_fp_float(raw, rounding, a, target)
                }
                (FloatOp::Eq, &[a, b]) => sys::Z3_mk_fpa_eq(raw, a, b),
                (FloatOp::Lt, &[a, b]) => sys::Z3_mk_fpa_lt(raw, a, b),
                (FloatOp::Le, &[a, b]) => sys::Z3_mk_fpa_leq(raw, a, b),
                _ => None,
            }
        };
        self.made(term)
    }

    /// The integral part of a float as a bit-vector; any, where it does not fit.
    pub fn float_to_integer(&mut self, float: Term, signed: bool, width: u32) -> Made<Term> {
        let rounding = self.rounding(Rounding::Zero)?;
        let make = if signed {
            sys::Z3_mk_fpa_to_sbv
        } else {
            sys::Z3_mk_fpa_to_ubv
        };
        // SAFETY: the context is alive and the terms its own.
        let term = unsafe { make(self.raw, rounding, float, width) };
        self.made(term)
    }

    /// The float nearest to an integer.
    pub fn float_of_integer(
        &mut self,
        format: FloatFormat,
        integer: Term,
        signed: bool,
    ) -> Made<Term> {
        let rounding = self.rounding(Rounding::NearestEven)?;
        let sort = self.float_sort(format)?;
        let make = if signed {
            sys::Z3_mk_fpa_to_fp_signed
        } else {
            sys::Z3_mk_fpa_to_fp_unsigned
        };
        // SAFETY: the context is alive, terms and sort are its own.
        let term = unsafe { make(self.raw, rounding, integer, sort) };
        self.made(term)
    }
}
