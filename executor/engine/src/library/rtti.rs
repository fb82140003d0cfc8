//! The types of C++ at run time, as the Itanium ABI lays them out: which class is a base of
//! which, where the base lies in an object, and what a handler catches.
//!
//! A type's description is a constant: the table of a class of `__cxxabiv1`, whose name says what
//! kind of type it is, and the type's mangled name; for a class with bases, these. Of a type that
//! is only declared no more is known than the name.

use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Step;
use crate::values;
use plat_expr::Value;
use plat_memory::Site;

/// What a description says about bases.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bases {
    None,
    One,
    Many,
}

/// A subobject of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Subobject {
    address: Value,
    public: bool,
}

impl Executor<'_> {
    /// The mangled name of a type.
    pub(super) fn type_name(&mut self, state: &mut State, ty: Value) -> Step<String> {
        if let Some(name) = self.global_name(ty)
            && let Some(name) = name.strip_prefix("_ZTI")
        {
            return Ok(name.to_string());
        }
        let name = self.word_at(state, ty, 8)?;
        let name = self.c_string(state, name)?;
        Ok(String::from_utf8_lossy(&name).into_owned())
    }

    /// The global that a pointer points into.
    fn global_name(&self, pointer: Value) -> Option<&str> {
        let Value::Pointer(object, _) = pointer else {
            return None;
        };
        match self.memory.objects.get(object).site {
            Site::Global(global) => Some(&self.program.global(global).name),
            _ => None,
        }
    }

    fn same_type(&mut self, state: &mut State, a: Value, b: Value) -> Step<bool> {
        Ok(a == b || self.type_name(state, a)? == self.type_name(state, b)?)
    }

    pub(super) fn word_at(
        &mut self,
        state: &mut State,
        pointer: Value,
        distance: i64,
    ) -> Step<Value> {
        let at = self.displaced(pointer, distance.cast_unsigned());
        self.load_word(state, at, 64)
    }

    /// A number in a description or a table.
    fn number_at(&mut self, state: &mut State, pointer: Value, distance: i64) -> Step<u64> {
        let word = self.word_at(state, pointer, distance)?;
        self.concrete(state, ForkKind::Library, word, 64)
    }

    fn bases(&mut self, state: &mut State, ty: Value) -> Step<Bases> {
        let table = self.word_at(state, ty, 0)?;
        Ok(match self.global_name(table) {
            Some(name) if name.ends_with("__si_class_type_infoE") => Bases::One,
            Some(name) if name.ends_with("__vmi_class_type_infoE") => Bases::Many,
            _ => Bases::None,
        })
    }

    /// The subobjects of type `wanted` in the object of type `ty` at `address`.
    fn subobjects(
        &mut self,
        state: &mut State,
        ty: Value,
        whole: Subobject,
        wanted: Value,
        found: &mut Vec<Subobject>,
    ) -> Step<()> {
        if self.same_type(state, ty, wanted)? {
            match found.iter_mut().find(|one| one.address == whole.address) {
                Some(known) => known.public |= whole.public,
                None => found.push(whole),
            }
            return Ok(());
        }
        match self.bases(state, ty)? {
            Bases::None => {}
            Bases::One => {
                let base = self.word_at(state, ty, 16)?;
                self.subobjects(state, base, whole, wanted, found)?;
            }
            Bases::Many => {
                let counts = self.number_at(state, ty, 16)?;
                for at in 0..(counts >> 32).cast_signed() {
                    let base = self.word_at(state, ty, 24 + 16 * at)?;
                    let flags = self.number_at(state, ty, 32 + 16 * at)?;
                    let public = whole.public && flags & 2 != 0;
                    let offset = flags.cast_signed() >> 8;
                    let address = self.base_at(state, whole.address, offset, flags & 1)?;
                    let part = Subobject { address, public };
                    self.subobjects(state, base, part, wanted, found)?;
                }
            }
        }
        Ok(())
    }

    /// Where a base lies: at a distance, or, if it is virtual, where the object's table says.
    fn base_at(
        &mut self,
        state: &mut State,
        object: Value,
        offset: i64,
        virtual_base: u64,
    ) -> Step<Value> {
        if virtual_base == 0 {
            return Ok(self.displaced(object, offset.cast_unsigned()));
        }
        let table = self.word_at(state, object, 0)?;
        let offset = self.number_at(state, table, offset)?;
        Ok(self.displaced(object, offset))
    }

    /// The one public base of type `wanted` in the object of type `ty` at `address`.
    pub(super) fn upcast(
        &mut self,
        state: &mut State,
        ty: Value,
        address: Value,
        wanted: Value,
    ) -> Step<Option<Value>> {
        let whole = Subobject {
            address,
            public: true,
        };
        let mut found = Vec::new();
        self.subobjects(state, ty, whole, wanted, &mut found)?;
        Ok(match found.as_slice() {
            [only] if only.public => Some(only.address),
            _ => None,
        })
    }

    /// What a handler for `wanted` (null: for all) gets of an exception of type `thrown` in
    /// `object`, if it catches that.
    pub(super) fn caught(
        &mut self,
        state: &mut State,
        wanted: Value,
        thrown: Value,
        object: Value,
    ) -> Step<Option<Value>> {
        if values::number(&self.pool, thrown) == Some(0) {
            return Ok((values::number(&self.pool, wanted) == Some(0)).then_some(object));
        }
        let name = self.type_name(state, thrown)?;
        let pointer = name.starts_with('P');
        let value = match pointer {
            true => self.word_at(state, object, 0)?,
            false => object,
        };
        if values::number(&self.pool, wanted) == Some(0) || self.same_type(state, thrown, wanted)? {
            return Ok(Some(value));
        }
        let sought = self.type_name(state, wanted)?;
        if name == "Dn" && sought.starts_with('P') {
            return Ok(Some(Value::Int(0)));
        }
        if pointer {
            return self.caught_pointer(state, (wanted, &sought), (thrown, &name), value);
        }
        self.upcast(state, thrown, value, wanted)
    }

    /// The same for pointers: qualifications may be added, the pointee may be a base or `void`.
    fn caught_pointer(
        &mut self,
        state: &mut State,
        (wanted, sought): (Value, &str),
        (thrown, name): (Value, &str),
        value: Value,
    ) -> Step<Option<Value>> {
        let (Some((qualifiers, pointee)), Some((allowed, target))) =
            (pointed(name), pointed(sought))
        else {
            return Ok(None);
        };
        if !qualifiers.chars().all(|one| allowed.contains(one)) {
            return Ok(None);
        }
        if target == pointee || (target == "v" && !pointee.starts_with('F')) {
            return Ok(Some(value));
        }
        let from = self.word_at(state, thrown, 24)?;
        let to = self.word_at(state, wanted, 24)?;
        if values::number(&self.pool, value) == Some(0) {
            return Ok(None);
        }
        self.upcast(state, from, value, to)
    }

    /// `dynamic_cast` of a pointer to the subobject of type `from` at `source`.
    pub(super) fn dynamic_cast(
        &mut self,
        state: &mut State,
        source: Value,
        from: Value,
        to: Value,
    ) -> Step<Option<Value>> {
        let table = self.word_at(state, source, 0)?;
        let top = self.number_at(state, table, -16)?;
        let ty = self.word_at(state, table, -8)?;
        let whole = Subobject {
            address: self.displaced(source, top),
            public: true,
        };
        let mut targets = Vec::new();
        self.subobjects(state, ty, whole, to, &mut targets)?;
        let mut around = Vec::new();
        for target in &targets {
            let mut parts = Vec::new();
            let part = Subobject {
                address: target.address,
                public: true,
            };
            self.subobjects(state, to, part, from, &mut parts)?;
            if parts
                .iter()
                .any(|part| part.public && part.address == source)
            {
                around.push(target.address);
            }
        }
        Ok(match (around.as_slice(), targets.as_slice()) {
            ([only], _) => Some(*only),
            ([], [only]) if only.public => Some(only.address),
            _ => None,
        })
    }
}

/// The qualifiers and the pointee of a pointer's mangled name.
fn pointed(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix('P')?;
    let at = rest.find(|c| !matches!(c, 'r' | 'V' | 'K'))?;
    Some(rest.split_at(at))
}

/// A mangled type name for people.
pub(super) fn readable(name: &str) -> String {
    let symbol = cpp_demangle::Symbol::new(format!("_ZTI{name}"));
    let text = symbol.ok().and_then(|symbol| symbol.demangle().ok());
    let text = text
        .as_deref()
        .and_then(|text| text.strip_prefix("typeinfo for "));
    text.unwrap_or(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::{pointed, readable};

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(pointed("PKc"), Some(("K", "c")));
        assert_eq!(pointed("Pv"), Some(("", "v")));
        assert_eq!(pointed("i"), None);
        assert_eq!(readable("PKc"), "char const*");
        assert_eq!(readable("St9bad_alloc"), "std::bad_alloc");
        assert_eq!(readable("5Error"), "Error");
        assert_eq!(readable("N3app5ErrorE"), "app::Error");
        assert_eq!(readable("!"), "!");
    }
}
