//! Types as text.

use super::{Printer, Text, list};
use crate::ids::TypeId;
use crate::layout;
use crate::text::words::Worded as _;
use crate::types::Type;
use std::fmt::{self, Display, Formatter};

impl Printer<'_> {
    /// A type.
    pub fn ty(&self, id: TypeId) -> impl Display + '_ {
        Text(move |out: &mut Formatter<'_>| self.write_type(out, id))
    }

    fn write_type(&self, out: &mut Formatter<'_>, id: TypeId) -> fmt::Result {
        let types = &self.program.types;
        match types.get(id) {
            Type::Void => write!(out, "void"),
            Type::Int(bits) => write!(out, "i{bits}"),
            Type::Float(kind) => write!(out, "{}", kind.word()),
            Type::Pointer => write!(out, "ptr"),
            Type::Struct { fields, size } => self.write_structure(out, fields, *size),
            Type::Array(element, stride, count) => {
                write!(out, "[{count} x {}", self.nested(*element))?;
                if layout::stride(types, *element) != Some(*stride) {
                    write!(out, " stride {stride}")?;
                }
                write!(out, "]")
            }
            Type::Vector(element, count) => {
                write!(out, "<{count} x {}>", self.nested(*element))
            }
        }
    }

    /// A type inside another one.
    fn nested(&self, id: TypeId) -> impl Display + '_ {
        let text: Box<dyn Display + '_> = Box::new(self.ty(id));
        text
    }

    fn write_structure(
        &self,
        out: &mut Formatter<'_>,
        fields: &[(u64, TypeId)],
        size: u64,
    ) -> fmt::Result {
        let ids: Vec<TypeId> = fields.iter().map(|field| field.1).collect();
        let types = &self.program.types;
        let is = |layout: Option<layout::Fields>| {
            layout.is_some_and(|(placed, whole)| placed == fields && whole == size)
        };
        if is(layout::structure(types, &ids)) {
            write!(out, "{{")?;
            list(out, ids.iter().map(|&id| self.nested(id)))?;
            return write!(out, "}}");
        }
        if is(layout::packed(types, &ids)) {
            write!(out, "<{{")?;
            list(out, ids.iter().map(|&id| self.nested(id)))?;
            return write!(out, "}}>");
        }
        write!(out, "{{")?;
        for &(offset, id) in fields {
            write!(out, "{} at {offset}, ", self.nested(id))?;
        }
        write!(out, "size {size}}}")
    }
}
