//! What the code knows of functions that the executor carries out itself.

/// When such a function is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Whether the function has a body or not.
    Always,
    /// Only if the function has no body.
    Declared,
}

/// What the fast paths can do in its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing at all.
    Nothing,
    /// Copy bytes from the second argument to the first, which is the result.
    Copies,
    /// Something else: they decline.
    Other,
}

/// A function that the executor carries out itself.
#[derive(Clone, Copy, Debug)]
pub struct Native {
    /// When.
    pub when: When,
    /// What it does.
    pub effect: Effect,
}
