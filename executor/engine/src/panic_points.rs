//! Places at which tests let the engine panic.

/// A place at which a test may let the engine panic. Nothing outside of this crate's tests.
macro_rules! may_panic {
    () => {
        #[cfg(test)]
        $crate::panic_points::pass(concat!(file!(), ":", line!()));
    };
}

#[cfg(test)]
pub(crate) use passing::{Passed, pass, watched};

#[cfg(test)]
mod passing {
    use std::cell::RefCell;

    /// What the thread has passed.
    #[derive(Default)]
    pub struct Passed {
        /// The places, in order.
        pub places: Vec<&'static str>,
        /// At which of them it panics.
        at: Option<usize>,
    }

    thread_local! {
        static PASSED: RefCell<Option<Passed>> = const { RefCell::new(None) };
    }

    /// A place is passed.
    pub fn pass(place: &'static str) {
        let panics = PASSED.with_borrow_mut(|passed| {
            let Some(passed) = passed else {
                return false;
            };
            passed.places.push(place);
            passed.at == Some(passed.places.len() - 1)
        });
        assert!(!panics, "injected at {place}");
    }

    /// Does something that panics at the place that is passed as the `at`th, and says what was
    /// passed.
    pub fn watched<R>(at: Option<usize>, work: impl FnOnce() -> R) -> (R, Passed) {
        let new = Passed {
            at,
            ..Passed::default()
        };
        PASSED.set(Some(new));
        let result = work();
        (result, PASSED.take().unwrap_or_default())
    }
}
