//! Descriptors that are still open at the end of a path, as an option.
//!
//! A number says not whether anything refers to it, so every open descriptor counts but the three
//! that a program starts with, as valgrind's `--track-fds` counts them. Where one was opened is
//! noted as system calls return.

use crate::api::config::Config;
use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::hook::{Access, AcrossWorkers, CallCommand, EndCommand, Hook, Interest, Returned, Step};
use plat_env::OpenId;
use plat_memory::Site;
use plat_program::{InstId, Program};
use std::collections::BTreeMap;

/// The function by which the C library asks the model of the system.
const SYSTEM_CALL: &str = "__plat_syscall";

/// Standard input, output and error.
const STANDARD: u32 = 3;

/// Descriptors that a report lists.
const LISTED: usize = 16;

/// The check, if the configuration asks for it.
pub(super) fn make<'a>(program: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    let calls = program.function_named(SYSTEM_CALL).is_some();
    (config.checks.descriptors).then(|| Box::new(DescriptorCheck { calls }) as Box<dyn Hook>)
}

/// Ends paths that leave descriptors open in a fault.
struct DescriptorCheck {
    /// Whether the program makes system calls.
    calls: bool,
}

/// Where the open descriptors of a process were opened, by number.
#[derive(Clone, Default)]
struct Opened(BTreeMap<u32, (OpenId, InstId)>);

plat_expr::plain!(Opened);

impl Hook for DescriptorCheck {
    fn name(&self) -> &str {
        "descriptor check"
    }

    fn interest(&self) -> Interest {
        let interest = Interest::new().ends();
        match self.calls {
            true => interest.returns(SYSTEM_CALL),
            false => interest,
        }
    }

    fn returned(
        &mut self,
        access: &mut Access<'_, '_>,
        _event: &Returned<'_>,
    ) -> Step<CallCommand> {
        let at = access.exec.calling_inst(access.state);
        let open: Vec<(u32, OpenId)> = access
            .state
            .environment
            .descriptors
            .numbered_files()
            .collect();
        let before = std::mem::take(access.data::<Opened>());
        let place = |(number, file)| match before.0.get(&number) {
            Some(known) if known.0 == file => (number, *known),
            _ => (number, (file, at)),
        };
        *access.data() = Opened(open.into_iter().map(place).collect());
        Ok(CallCommand::Continue)
    }

    fn ended(&mut self, access: &mut Access<'_, '_>, end: &PathEnd) -> Step<EndCommand> {
        if !end.is_complete() {
            return Ok(EndCommand::Keep);
        }
        let open = access.state.environment.descriptors.numbers();
        let left: Vec<u32> = open.filter(|&number| number >= STANDARD).collect();
        if left.is_empty() {
            return Ok(EndCommand::Keep);
        }
        let opened = std::mem::take(access.data::<Opened>());
        let place = |number: &u32| opened.0.get(number).map(|&(_, at)| at);
        let mut fault = Fault::new(FaultKind::Descriptor, "descriptor left open at the end");
        fault.at = left.iter().find_map(place);
        for number in left.iter().take(LISTED) {
            let site = place(number).map(|at| access.exec.describe_site(Site::Inst(at)));
            let site = site.map_or_else(String::new, |site| format!(", opened at {site}"));
            fault
                .info
                .push(format!("left open: descriptor {number}{site}"));
        }
        if left.len() > LISTED {
            fault.info.push(format!("and {} more", left.len() - LISTED));
        }
        Ok(EndCommand::Replace(PathEnd::Fault(fault)))
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Independent
    }
}
