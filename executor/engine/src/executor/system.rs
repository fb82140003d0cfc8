//! What is outside of the program under test.

use plat_env::{Environment, Host};
use std::rc::Rc;

/// The host, and what calls of it need.
pub struct System {
    /// The host's files, read only; out during a system call.
    pub host: Option<Host>,
    /// Stands in for a state's environment during a system call.
    pub(crate) idle_environment: Option<Rc<Environment>>,
    /// Makes external calls, if they are asked for.
    pub(crate) external: Option<plat_external::Client>,
    /// Whether the program can see floating-point exception flags.
    pub(crate) float_flags: bool,
}

plat_expr::holder!(System { idle_environment } plain { host, external, float_flags });

impl System {
    /// Without a helper for external calls.
    pub(crate) fn new(host: Host, float_flags: bool) -> Self {
        System {
            host: Some(host),
            idle_environment: None,
            external: None,
            float_flags,
        }
    }
}
