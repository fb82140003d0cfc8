//! The exceptions of a path.

use plat_expr::Value;

/// An exception that has been thrown and not been destroyed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exception {
    /// What unwinding carries: the thrown object, or, of an exception that stands for one that is there
    /// already (`std::rethrow_exception`), a number.
    pub object: Value,
    /// What was thrown.
    pub thrown: Value,
    /// Its type; null for one of another language.
    pub ty: Value,
    /// Destroys it; may be null.
    pub destructor: Value,
    /// What the handler gets that catches it.
    pub adjusted: Value,
    /// Handlers that it is in.
    pub handlers: u32,
    /// Who keeps it alive: the throw itself, and every `std::exception_ptr`.
    pub references: u32,
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
    /// How many have stood for others.
    pub dependents: u64,
    /// The one that the call under way has made to stand for another.
    pub rethrown: Option<Value>,
    /// Whether the program's own handler of its end has been called.
    pub terminates: bool,
    /// What an exception that nobody catches has said of itself: itself, and the text.
    pub described: Option<(Value, Value)>,
}

plat_expr::holder!(Exception { object, thrown, ty, destructor, adjusted }
    plain { handlers, references, rethrown });
plat_expr::holder!(Exceptions { alive, caught, rethrown, described } plain { uncaught, dependents, terminates });

impl Exceptions {
    /// Whether none is thrown or handled.
    pub fn none(&self) -> bool {
        self.alive.is_empty() && self.caught.is_empty() && self.uncaught == 0
    }

    /// Takes what belongs to the running thread. What was thrown and not destroyed belongs to all: a
    /// `std::exception_ptr` goes from thread to thread.
    pub fn of_thread(&mut self) -> Self {
        let shared = Exceptions {
            alive: std::mem::take(&mut self.alive),
            dependents: self.dependents,
            ..Exceptions::default()
        };
        std::mem::replace(self, shared)
    }

    /// Takes up what belongs to the thread that runs now.
    pub fn for_thread(&mut self, own: Self) {
        *self = Exceptions {
            alive: std::mem::take(&mut self.alive),
            dependents: self.dependents,
            ..own
        };
    }

    /// Takes what the exception that was asked says of itself.
    pub fn say(&mut self, text: Option<Value>) {
        if let (Some((_, said)), Some(text)) = (&mut self.described, text) {
            *said = text;
        }
    }

    /// Keeps an exception alive for one more.
    pub fn keep(&mut self, object: Value) {
        if let Some(exception) = self.of(object) {
            exception.references += 1;
        }
    }

    /// The exception that unwinding carries so.
    pub fn of(&mut self, object: Value) -> Option<&mut Exception> {
        self.alive.iter_mut().find(|one| one.object == object)
    }
}
