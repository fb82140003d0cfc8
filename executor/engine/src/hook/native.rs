//! Functions of the program that are carried out by code from outside the engine.
//!
//! A native function takes the place of what the program, the C library or plat has for a name. It
//! gets the call and an [`Access`] to the state, and owes what a hook owes: it asks before it acts,
//! and passes on a [`Stop`](super::Stop) with `?`.

use super::event::Call;
use super::{Access, Step};
use plat_expr::Value;
use std::fmt;
use std::rc::Rc;

/// How a native function has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reply {
    /// With a result: a word of the width that the call has, or a pointer.
    Value(Value),
    /// Without one. Zero, if the program uses it.
    Nothing,
    /// It does not apply: what would run without it runs.
    Body,
}

/// What runs in place of a function.
pub trait NativeFunction {
    /// Carries out a call.
    ///
    /// # Errors
    /// The path must end or split first.
    fn call(&self, access: &mut Access<'_, '_>, call: &Call<'_>) -> Step<Reply>;
}

impl<F: Fn(&mut Access<'_, '_>, &Call<'_>) -> Step<Reply>> NativeFunction for F {
    fn call(&self, access: &mut Access<'_, '_>, call: &Call<'_>) -> Step<Reply> {
        self(access, call)
    }
}

/// A native function to register: a name, the number of parameters, and what it does.
#[derive(Clone)]
pub struct Native<'a> {
    name: String,
    parameters: usize,
    optional: bool,
    run: Rc<dyn NativeFunction + 'a>,
}

impl<'a> Native<'a> {
    /// Stands for the function of this name, which must have so many parameters (those before `...`).
    pub fn new(
        name: impl Into<String>,
        parameters: usize,
        run: impl Fn(&mut Access<'_, '_>, &Call<'_>) -> Step<Reply> + 'a,
    ) -> Self {
        Self::with(name, parameters, run)
    }

    /// The same for any [`NativeFunction`].
    pub fn with(name: impl Into<String>, parameters: usize, run: impl NativeFunction + 'a) -> Self {
        Native {
            name: name.into(),
            parameters,
            optional: false,
            run: Rc::new(run),
        }
    }

    /// Is left out without an error if the program has no function of this name.
    #[must_use]
    pub fn if_present(self) -> Self {
        Native {
            optional: true,
            ..self
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn parameters(&self) -> usize {
        self.parameters
    }

    pub(super) fn is_optional(&self) -> bool {
        self.optional
    }

    pub(super) fn run(self) -> Rc<dyn NativeFunction + 'a> {
        self.run
    }
}

impl fmt::Debug for Native<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Native")
            .field("name", &self.name)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}
