//! Constants and operands.

use super::lexer::Kind;
use super::symbols::{Symbol, is_symbol};
use super::{Parser, Result, numbers};
use crate::constant::Constant;
use crate::ids::{ConstId, Reg, TypeId};
use crate::inst::{BinaryOp, CastOp, IntPredicate, Operand};
use crate::text::words::Worded as _;
use crate::types::Type;

impl Parser<'_> {
    fn intern(&mut self, constant: Constant) -> ConstId {
        if let Some(&known) = self.constant_ids.get(&constant) {
            return known;
        }
        let id = ConstId::new(self.program.constants.len());
        self.program.constants.push(constant.clone());
        self.constant_ids.insert(constant, id);
        id
    }

    /// A register or a constant; `expected` is the type of a constant that does not say its own.
    pub fn operand(&mut self, expected: Option<TypeId>) -> Result<Operand> {
        match self.cursor.peek() {
            Kind::Register(_) => {
                let start = self.cursor.start();
                let register = self.cursor.register()?;
                if register >= 1 << 31 {
                    let what = "registers have numbers up to 2147483647";
                    return self.cursor.fail_at(start, what);
                }
                self.uses.push((register, start));
                Ok(Operand::reg(Reg(register)))
            }
            _ => self.constant(expected).map(Operand::constant),
        }
    }

    /// A constant; `expected` is its type if it does not say its own.
    pub fn constant(&mut self, expected: Option<TypeId>) -> Result<ConstId> {
        let constant = match self.cursor.peek() {
            Kind::Word("null") => {
                self.cursor.bump();
                Constant::Null
            }
            Kind::Word("unsupported") => {
                self.cursor.bump();
                Constant::Unsupported(self.cursor.string()?)
            }
            Kind::Mark("(") => self.nested(Self::operation)?,
            kind if is_symbol(kind) => self.address()?,
            _ if self.is_type() => {
                let ty = self.value_type()?;
                self.literal(ty)?
            }
            _ => match expected {
                Some(ty) => self.literal(ty)?,
                None => {
                    return self
                        .cursor
                        .unexpected("a register, or a constant with its type");
                }
            },
        };
        Ok(self.intern(constant))
    }

    fn address(&mut self) -> Result<Constant> {
        match self.reference()? {
            Symbol::Function(id) => Ok(Constant::Function(id)),
            Symbol::Global(id) => match self.cursor.peek() {
                Kind::Number(text) if text.starts_with(['+', '-']) => {
                    Ok(Constant::Global(id, self.cursor.number()?))
                }
                _ => Ok(Constant::Global(id, 0)),
            },
        }
    }

    /// A constant of type `ty` that does not say its type.
    fn literal(&mut self, ty: TypeId) -> Result<Constant> {
        let kind = self.cursor.peek();
        let constant = match kind {
            Kind::Word("undef") => Constant::Undef(ty),
            Kind::Word("poison") => Constant::Poison(ty),
            Kind::Word("zero") => Constant::Zero(ty),
            Kind::Word("aggregate") => return self.nested(|parser| parser.aggregate(ty)),
            Kind::Number(text) => {
                let number = match *self.program.types.get(ty) {
                    Type::Int(width) if width <= 128 => {
                        numbers::integer(text, width).map(|value| Constant::Int { width, value })
                    }
                    Type::Int(width) => numbers::wide_integer(text, width)
                        .map(|limbs| Constant::WideInt(width, limbs)),
                    Type::Float(kind) => {
                        numbers::float(text, kind).map(|bits| Constant::Float(kind, bits))
                    }
                    _ => None,
                };
                match number {
                    Some(number) => number,
                    None => return self.cursor.unexpected("a constant of another type"),
                }
            }
            _ => return self.cursor.unexpected("a constant"),
        };
        self.cursor.bump();
        Ok(constant)
    }

    fn aggregate(&mut self, ty: TypeId) -> Result<Constant> {
        let start = self.cursor.start();
        self.cursor.expect_word("aggregate")?;
        self.cursor.expect("(")?;
        let (mut elements, mut first) = (Vec::new(), true);
        while self.cursor.is_next(&mut first, ")")? {
            let element = self.program.types.element(ty, elements.len() as u64);
            let Some(element) = element else {
                return self.cursor.fail("the type has fewer elements");
            };
            elements.push(self.constant(Some(element))?);
        }
        if self
            .program
            .types
            .element(ty, elements.len() as u64)
            .is_some()
        {
            return self.cursor.fail_at(start, "the type has more elements");
        }
        Ok(Constant::Aggregate(ty, elements.into()))
    }

    /// An operation on constants: `(add i64 A, B)`, `(ptrtoint i64 A to i64)`, `(eq i64 A, B)`.
    fn operation(&mut self) -> Result<Constant> {
        self.cursor.expect("(")?;
        let word = self.cursor.word()?;
        let (binary, cast) = (BinaryOp::from_word(word), CastOp::from_word(word));
        let predicate = IntPredicate::from_word(word);
        if binary.is_none() && cast.is_none() && predicate.is_none() {
            self.cursor.back();
            return self.cursor.unexpected("an operation on constants");
        }
        let width = self.width()?;
        let lhs = self.constant(None)?;
        if let Some(op) = cast {
            self.cursor.expect_word("to")?;
            let to = self.width()?;
            self.cursor.expect(")")?;
            return Ok(Constant::Cast(op, width, to, lhs));
        }
        self.cursor.expect(",")?;
        let rhs = self.constant(None)?;
        self.cursor.expect(")")?;
        Ok(match (binary, predicate) {
            (Some(op), _) => Constant::Binary(op, width, lhs, rhs),
            (None, predicate) => {
                let predicate = predicate.unwrap_or(IntPredicate::Eq);
                Constant::Compare(predicate, width, lhs, rhs)
            }
        })
    }
}
