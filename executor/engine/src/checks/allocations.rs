//! Allocations of more than `--max-allocation`, as an option: requests whose size an input can make
//! as large as it likes. They are judged as they are asked for, whether they would succeed or not.

use crate::api::config::Config;
use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::hook::{Access, AcrossWorkers, Call, CallCommand, Hook, Interest, Step};
use plat_expr::{IntPredicate, Value};
use plat_program::Program;

/// The functions of C that allocate, with the arguments whose product is the size.
const FUNCTIONS: &[(&str, &[usize])] = &[
    ("aligned_alloc", &[1]),
    ("calloc", &[0, 1]),
    ("malloc", &[0]),
    ("memalign", &[1]),
    ("posix_memalign", &[2]),
    ("pvalloc", &[0]),
    ("realloc", &[1]),
    ("reallocarray", &[1, 2]),
    ("valloc", &[0]),
];

/// What the names of `operator new` and `operator new[]` begin with; the size is the first argument.
const OPERATORS: [&str; 2] = ["_Znw", "_Zna"];

/// The check, if the configuration asks for it.
pub(super) fn make<'a>(program: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    let most = config.checks.max_allocation?;
    let names = program.functions.iter().map(|function| &function.name);
    let functions = names.filter(|name| sizes(name).is_some()).cloned();
    Some(Box::new(AllocationCheck {
        most,
        functions: functions.collect(),
    }))
}

/// Which arguments of a function have the size that it allocates, if it does.
fn sizes(name: &str) -> Option<&'static [usize]> {
    if OPERATORS.iter().any(|operator| name.starts_with(operator)) {
        return Some(&[0]);
    }
    let known = FUNCTIONS.iter().find(|(known, _)| *known == name);
    known.map(|(_, arguments)| *arguments)
}

/// Ends the inputs for which an allocation is too large in a fault.
struct AllocationCheck {
    most: u64,
    /// The program's functions that allocate.
    functions: Vec<String>,
}

impl Hook for AllocationCheck {
    fn name(&self) -> &str {
        "allocation check"
    }

    fn interest(&self) -> Interest {
        let functions = self.functions.iter();
        functions.fold(Interest::new(), |interest, name| interest.call(name))
    }

    fn called(&mut self, access: &mut Access<'_, '_>, event: &Call<'_>) -> Step<CallCommand> {
        let Some(size) = self.requested(access, event)? else {
            return Ok(CallCommand::Continue);
        };
        let large = match size {
            Value::Int(size) => size > self.most,
            size => {
                let size = access.expression(size, 64);
                let pool = access.pool();
                let most = pool.constant(64, self.most);
                let large = pool.compare(IntPredicate::Ugt, size, most);
                access.decide(large)?
            }
        };
        if !large {
            return Ok(CallCommand::Continue);
        }
        let asked = access.evaluate(size);
        let what = format!("allocation of more than {} bytes", self.most);
        let mut fault = Fault::new(FaultKind::Allocation, what);
        fault.info.push(format!("asked for: {asked} bytes"));
        Ok(CallCommand::End(PathEnd::Fault(fault)))
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Independent
    }
}

impl AllocationCheck {
    /// The size that a call asks for.
    fn requested(&self, access: &mut Access<'_, '_>, event: &Call<'_>) -> Step<Option<Value>> {
        let size = match sizes(event.name) {
            Some(&[at]) => event.arg(at),
            Some(&[count, each]) => {
                let (count, each) = (event.arg(count), event.arg(each));
                access.exec.size_product(access.state, count, each)?
            }
            _ => return Ok(None),
        };
        Ok(Some(size))
    }
}
