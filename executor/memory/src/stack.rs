//! Stack objects that come again.
//!
//! Addresses on the stack are used again and again, and an object at an address has one of a few
//! identities in turn: so most objects that a call makes have been there before, and every table
//! has their entries. Such an object begins to live again, without a look at anything else.

use crate::cx::Cx;
use crate::direct::alone;
use crate::memory::{LIVES, Memory};
use crate::model::Isolation;
use crate::objects::{Kin, Kind, Site};
use crate::request::Request;
use plat_allocator::Region;
use plat_expr::{ObjectId, Value};
use plat_program::InstId;

/// The stack objects of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct StackPlan {
    request: Request,
    kin: Option<Kin>,
}

impl StackPlan {
    /// Objects of a size and an alignment, a power of two.
    pub fn new(size: u64, align: u64, inst: InstId) -> Self {
        let request = Request {
            kind: Kind::Stack,
            size,
            align,
            site: Site::Inst(inst),
            group: None,
            context: None,
            zero: false,
        };
        Self {
            request,
            kin: Kin::of(&request.info(0, 0)),
        }
    }

    /// Their size in bytes.
    #[inline(always)]
    pub fn size(&self) -> u64 {
        self.request.size
    }
}

impl Memory {
    /// As [`Memory::allocate`]; `None` if the stack's address space is exhausted.
    pub fn allocate_planned(&mut self, cx: &mut Cx<'_>, plan: &StackPlan) -> Option<ObjectId> {
        let Request { size, align, .. } = plan.request;
        let (number, slot) = (self.allocator).allocate_slot(Region::Stack, size, align)?;
        if let Some(slot) = slot
            && let Some(object) = self.revive(cx, plan, (number, slot))
        {
            return Some(object);
        }
        match self.enter(cx, &plan.request, (number, slot)) {
            Value::Pointer(object, _) => Some(object),
            _ => None,
        }
    }

    /// The object of a plan that was in a slot before and is to be there next, alive again. If there is
    /// none, or more is to be done, nothing has changed.
    #[inline(always)]
    fn revive(
        &mut self,
        cx: &mut Cx<'_>,
        plan: &StackPlan,
        (number, slot): (u64, u32),
    ) -> Option<ObjectId> {
        let kin = plan.kin?;
        let size = plan.request.size;
        if self.isolation == Isolation::None {
            return None;
        }
        let object = self.addresses.follow(Region::Stack, slot, size, |before| {
            let life = (before.life + 1) % LIVES;
            let object = cx.objects.recall(kin, number, life)?;
            let state = self.states.get_mut(object.index())?;
            let dead = !state.live && state.place == alone(object);
            if !dead || !self.segments.enter_alone(object, size, true) {
                return None;
            }
            (state.live, state.writable, state.freed_at) = (true, true, None);
            state.size = size;
            Some((object, life))
        })?;
        cx.stats.allocations += 1;
        self.stack_live += size;
        Some(object)
    }
}
