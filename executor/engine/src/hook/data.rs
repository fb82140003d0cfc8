//! What a state keeps for hooks: their data of the path, and events that they have not heard yet.

use crate::hook::event::{Forked, MemoryAccess};
use crate::hook::pause::Pause;
use crate::state::State;
use plat_expr::{Holder, Marks, Moves};
use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::fmt;

/// Data of one path of one hook.
trait PathData: Any + Holder {
    fn copied(&self) -> Box<dyn PathData>;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<T: Any + Clone + Holder> PathData for T {
    fn copied(&self) -> Box<dyn PathData> {
        Box::new(self.clone())
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// An event that is heard between two instructions.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    Started,
    Forked(Forked),
    Accessed(MemoryAccess),
}

/// One hook's data of one type.
pub(crate) struct Datum {
    hook: usize,
    kind: TypeId,
    data: Box<dyn PathData>,
}

impl Clone for Datum {
    fn clone(&self) -> Self {
        Datum {
            hook: self.hook,
            kind: self.kind,
            // Of what is in the box: the box itself could be copied as data, too.
            data: (*self.data).copied(),
        }
    }
}

/// What a state keeps for hooks.
#[derive(Clone, Default)]
pub struct PathHooks {
    data: Vec<Datum>,
    /// Events in order, each with the number of hooks that have heard it.
    pub(super) pending: VecDeque<(Pending, usize)>,
    /// The number of the instruction on the path that the next two are about.
    instruction: u64,
    /// Hooks that have answered at its location.
    reached: usize,
    /// Hooks that have answered at its call.
    called: usize,
    /// Where the path is to pause, by hook.
    pauses: Vec<(usize, Pause)>,
    /// Where it has paused last: behind so many instructions.
    paused: Option<u64>,
}

plat_expr::holder!(Datum { data } plain { hook, kind });
plat_expr::holder!(PathHooks { data, pending } plain { instruction, reached, called, pauses, paused });

impl Holder for Pending {
    fn mark(&self, marks: &mut Marks<'_>) {
        match self {
            Pending::Started | Pending::Forked(_) => {}
            Pending::Accessed(access) => access.mark(marks),
        }
    }

    fn relocate(&mut self, moves: &mut Moves) {
        match self {
            Pending::Started | Pending::Forked(_) => {}
            Pending::Accessed(access) => access.relocate(moves),
        }
    }
}

impl fmt::Debug for PathHooks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PathHooks")
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}

/// Events of one instruction that each hook hears once, even if the instruction is tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Once {
    Reached,
    Called,
}

impl PathHooks {
    /// A copy of all data, for a process.
    pub(crate) fn copied(&self) -> Vec<Datum> {
        self.data.clone()
    }

    /// The data of another process take the place of those of the running one.
    pub(crate) fn exchange(&mut self, other: &mut Vec<Datum>) {
        std::mem::swap(&mut self.data, other);
    }

    /// A hook's data of one type, made when it is first asked for.
    pub fn data<T: Any + Clone + Default + Holder>(&mut self, hook: usize) -> &mut T {
        let kind = TypeId::of::<T>();
        let found = self
            .data
            .iter()
            .position(|one| (one.hook, one.kind) == (hook, kind));
        let at = found.unwrap_or_else(|| {
            let data = Box::new(T::default());
            self.data.push(Datum { hook, kind, data });
            self.data.len() - 1
        });
        let data = (*self.data[at].data).as_any_mut().downcast_mut::<T>();
        data.expect("data of a type are kept under that type")
    }

    /// Whether there are events that hooks have not heard.
    pub fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// How many hooks have answered to an event of an instruction of the path.
    pub(super) fn answered(&mut self, instruction: u64, which: Once) -> &mut usize {
        if self.instruction != instruction {
            (self.instruction, self.reached, self.called) = (instruction, 0, 0);
        }
        match which {
            Once::Reached => &mut self.reached,
            Once::Called => &mut self.called,
        }
    }

    /// Says where the path is to pause for a hook.
    pub(super) fn set_pause(&mut self, hook: usize, pause: Pause) {
        self.pauses.retain(|one| one.0 != hook);
        self.pauses.push((hook, pause));
        self.pauses.sort_unstable_by_key(|one| one.0);
    }

    /// A hook has been asked at a pause: its number of instructions is over, if the hook has asked for
    /// no other.
    pub(super) fn end_pause(&mut self, hook: usize, told: Pause, instructions: u64) {
        for (number, pause) in &mut self.pauses {
            if (*number, *pause) == (hook, told) && told.at <= instructions {
                pause.at = u64::MAX;
            }
        }
    }

    /// Where it is to pause, by hook.
    pub(super) fn pauses(&self) -> &[(usize, Pause)] {
        &self.pauses
    }

    /// The next pause of all hooks. Where several of them watch blocks, every block is one.
    pub(super) fn pause(&self) -> Pause {
        let mut all = self.pauses.iter().map(|one| one.1);
        let first = all.next().unwrap_or_default();
        all.fold(first, |mine, other| Pause {
            at: mine.at.min(other.at),
            block: mine.block.or(other.block),
            blocks: mine.blocks
                || other.blocks
                || (mine.block != other.block && mine.block.is_some() && other.block.is_some()),
        })
    }

    /// Whether the path has paused behind so many instructions.
    pub(super) fn has_paused(&self, instructions: u64) -> bool {
        self.paused == Some(instructions)
    }

    /// Notes that it has.
    pub(super) fn note_paused(&mut self, instructions: u64) {
        self.paused = Some(instructions);
    }

    /// Forgets accesses of an instruction that is tried again.
    pub fn forget_accesses(&mut self) {
        self.pending
            .retain(|(event, _)| !matches!(event, Pending::Accessed(_)));
    }
}

/// What a state keeps for hooks.
pub(super) fn path_hooks(state: &mut State) -> &mut PathHooks {
    state.history.hooks.get_or_insert_default()
}
