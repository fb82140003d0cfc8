//! The exceptions of a path.

use plat_expr::Value;

/// An exception that has been thrown and not been destroyed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exception {
    /// What was thrown.
    pub object: Value,
    /// Its type; null for one of another language.
    pub ty: Value,
    /// Destroys it; may be null.
    pub destructor: Value,
    /// What the handler gets that catches it.
    pub adjusted: Value,
    /// Handlers that it is in.
    pub handlers: u32,
    /// Whether the innermost of them has thrown it again.
    pub rethrown: bool,
}

/// The exceptions of a path.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Exceptions {
    pub alive: Vec<Exception>,
    /// The objects of those that are being handled, the innermost last.
    pub caught: Vec<Value>,
    /// How many are on their way.
    pub uncaught: u64,
}

plat_expr::holder!(Exception { object, ty, destructor, adjusted } plain { handlers, rethrown });
plat_expr::holder!(Exceptions { alive, caught } plain { uncaught });

impl Exceptions {
    /// Whether none is thrown or handled.
    pub fn none(&self) -> bool {
        self.alive.is_empty() && self.caught.is_empty() && self.uncaught == 0
    }

    pub fn of(&mut self, object: Value) -> Option<&mut Exception> {
        self.alive.iter_mut().find(|one| one.object == object)
    }
}
