//! Which release goes with which allocation: `malloc` with `free`, `new` with `delete`, `new[]`
//! with `delete[]`.

use super::Invocation;
use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Step;
use plat_expr::ObjectId;
use plat_memory::Site;
use plat_program::{Callee, FuncId, Inst};

/// The families of functions of the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Malloc,
    New,
    NewArray,
}

impl Family {
    /// The family of a function, by its name.
    fn of(name: &str) -> Option<Self> {
        match name {
            _ if name.starts_with("_Znw") || name.starts_with("_Zdl") => Some(Family::New),
            _ if name.starts_with("_Zna") || name.starts_with("_Zda") => Some(Family::NewArray),
            "aligned_alloc" | "calloc" | "cfree" | "free" | "malloc" | "memalign"
            | "posix_memalign" | "pvalloc" | "realloc" | "reallocarray" | "valloc" => {
                Some(Family::Malloc)
            }
            _ => None,
        }
    }

    const fn allocates(self) -> &'static str {
        match self {
            Family::Malloc => "malloc",
            Family::New => "operator new",
            Family::NewArray => "operator new[]",
        }
    }

    const fn releases(self) -> &'static str {
        match self {
            Family::Malloc => "free",
            Family::New => "operator delete",
            Family::NewArray => "operator delete[]",
        }
    }
}

/// Whether a function, by its name, is one that allocates or releases.
pub(crate) fn allocates(name: &str) -> bool {
    Family::of(name).is_some()
}

impl Executor<'_> {
    /// Whether a release is one of the family that the object was allocated by. Objects of which
    /// that is not known fit all.
    pub(super) fn check_family(
        &self,
        state: &State,
        call: &Invocation<'_>,
        object: ObjectId,
    ) -> Step<()> {
        if !self.config.checks.families {
            return Ok(());
        }
        let released = Family::of(&self.program.function(call.callee).name);
        let allocated = self.allocator_of(object);
        let allocated = allocated.and_then(|by| Family::of(&self.program.function(by).name));
        let (Some(allocated), Some(released)) = (allocated, released) else {
            return Ok(());
        };
        if allocated == released {
            return Ok(());
        }
        let wrong = plat_memory::Fault {
            kind: plat_memory::FaultKind::InvalidFree,
            object: Some(object),
            address: self.memory.objects.get(object).number,
            offset: 0,
            access: 0,
            freed_at: state.memory.object(object).and_then(|known| known.freed_at),
            info: Some(*self.memory.objects.get(object)),
        };
        let mut info = self.describe(&wrong);
        info.push(format!(
            "allocated by {}, released by {}",
            allocated.allocates(),
            released.releases()
        ));
        Err(PathEnd::Fault(Fault {
            info,
            ..Fault::new(FaultKind::Free, "memory error: mismatched deallocation")
        })
        .into())
    }

    /// The function that was called to allocate an object, where the call says which.
    fn allocator_of(&self, object: ObjectId) -> Option<FuncId> {
        let Site::Call(inst, _) = self.memory.objects.get(object).site else {
            return None;
        };
        match self.program.inst(inst) {
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => match call.callee {
                Callee::Direct(callee) => Some(callee),
                _ => None,
            },
            _ => None,
        }
    }
}
