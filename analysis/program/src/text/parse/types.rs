//! Types.

use super::lexer::Kind;
use super::{Parser, Result};
use crate::constant::FloatKind;
use crate::ids::TypeId;
use crate::layout;
use crate::text::words::Worded as _;
use crate::types::{MOST_BITS, Type};

impl Parser<'_> {
    /// Whether a type begins at the cursor.
    pub fn is_type(&self) -> bool {
        match self.cursor.peek() {
            Kind::Word("void" | "ptr") => true,
            Kind::Word(word) => FloatKind::from_word(word).is_some() || width_of(word).is_some(),
            Kind::Mark(mark) => ["{", "[", "<"].contains(mark),
            _ => false,
        }
    }

    /// A type.
    pub fn ty(&mut self) -> Result<TypeId> {
        let ty = match self.cursor.peek() {
            Kind::Word(word) => self.scalar_type(word)?,
            Kind::Mark("{") => self.nested(Self::structure)?,
            Kind::Mark("[") => self.nested(Self::array)?,
            Kind::Mark("<") => match self.cursor.ahead(1) {
                Kind::Mark("{") => self.nested(Self::packed)?,
                _ => self.nested(Self::vector)?,
            },
            _ => return self.cursor.unexpected("a type"),
        };
        Ok(self.program.types.intern(ty))
    }

    /// The type of a value.
    pub fn value_type(&mut self) -> Result<TypeId> {
        let start = self.cursor.start();
        let ty = self.ty()?;
        match self.program.types.get(ty) {
            Type::Void => self.cursor.fail_at(start, "there is no value of this type"),
            _ => Ok(ty),
        }
    }

    fn scalar_type(&mut self, word: &str) -> Result<Type> {
        let ty = match (word, FloatKind::from_word(word), width_of(word)) {
            ("void", ..) => Type::Void,
            ("ptr", ..) => Type::Pointer,
            (_, Some(kind), _) => Type::Float(kind),
            (_, _, Some(width)) if (1..=MOST_BITS).contains(&width) => Type::Int(width),
            (_, _, Some(_)) => {
                let what = format!("integers have 1 to {MOST_BITS} bits");
                return self.cursor.fail(what);
            }
            _ => return self.cursor.unexpected("a type"),
        };
        self.cursor.bump();
        Ok(ty)
    }

    /// The width of an integer.
    pub fn width(&mut self) -> Result<u32> {
        let start = self.cursor.start();
        let ty = self.ty()?;
        match self.program.types.get(ty) {
            Type::Int(width) => Ok(*width),
            _ => self.cursor.fail_at(start, "this is no type of integers"),
        }
    }

    fn structure(&mut self) -> Result<Type> {
        let start = self.cursor.start();
        self.cursor.expect("{")?;
        let (mut fields, mut placed, mut first) = (Vec::new(), Vec::new(), true);
        while self.cursor.is_next(&mut first, "}")? {
            if !placed.is_empty() && self.cursor.eat_word("size") {
                let size = self.cursor.number()?;
                self.cursor.expect("}")?;
                return self.placed_structure(start, placed, size);
            }
            let field = self.value_type()?;
            if placed.len() == fields.len() && self.cursor.eat_word("at") {
                placed.push((self.cursor.number()?, field));
            }
            fields.push(field);
        }
        if !placed.is_empty() {
            return self
                .cursor
                .fail_at(start, "the size of this structure is missing");
        }
        self.laid_out(start, layout::structure(&self.program.types, &fields))
    }

    fn packed(&mut self) -> Result<Type> {
        let start = self.cursor.start();
        self.cursor.expect("<")?;
        self.cursor.expect("{")?;
        let (mut fields, mut first) = (Vec::new(), true);
        while self.cursor.is_next(&mut first, "}")? {
            fields.push(self.value_type()?);
        }
        self.cursor.expect(">")?;
        self.laid_out(start, layout::packed(&self.program.types, &fields))
    }

    /// A structure whose fields say where they are.
    fn placed_structure(
        &self,
        start: usize,
        fields: Vec<(u64, TypeId)>,
        size: u64,
    ) -> Result<Type> {
        let inside = fields.iter().all(|&(offset, ty)| {
            let end = offset.checked_add(self.program.types.store_size(ty));
            end.is_some_and(|end| end <= size)
        });
        if !inside {
            return self.cursor.fail_at(start, "a field leaves the structure");
        }
        Ok(Type::Struct { fields, size })
    }

    fn laid_out(&self, start: usize, layout: Option<layout::Fields>) -> Result<Type> {
        match layout {
            Some((fields, size)) => Ok(Type::Struct { fields, size }),
            None => self.cursor.fail_at(start, "this structure is too large"),
        }
    }

    fn array(&mut self) -> Result<Type> {
        let start = self.cursor.start();
        self.cursor.expect("[")?;
        let count: u64 = self.cursor.number()?;
        self.cursor.expect_word("x")?;
        let element = self.value_type()?;
        let stride = if self.cursor.eat_word("stride") {
            Some(self.cursor.number()?)
        } else {
            layout::stride(&self.program.types, element)
        };
        self.cursor.expect("]")?;
        let least = self.program.types.store_size(element);
        match stride {
            Some(stride) if stride >= least && stride.checked_mul(count).is_some() => {
                Ok(Type::Array(element, stride, count))
            }
            _ => self.cursor.fail_at(start, "this array has no size"),
        }
    }

    fn vector(&mut self) -> Result<Type> {
        self.cursor.expect("<")?;
        let count = self.cursor.number()?;
        self.cursor.expect_word("x")?;
        let start = self.cursor.start();
        let element = self.value_type()?;
        if self.program.types.bits(element).is_none() {
            let what = "elements of vectors are integers, floats or pointers";
            return self.cursor.fail_at(start, what);
        }
        self.cursor.expect(">")?;
        Ok(Type::Vector(element, count))
    }
}

/// The width in a word such as `i32`.
fn width_of(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('i')?;
    let canonical = !digits.starts_with(['0', '+']);
    canonical.then(|| digits.parse().ok()).flatten()
}
