//! (module head to come)
