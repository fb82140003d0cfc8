//! What the memory model is asked about fresh and dead objects, and which objects it need not be asked
//! about.

use crate::cx::Cx;
use crate::direct::alone;
use crate::memory::Memory;
use crate::model::Isolation;
use crate::objects::Kind;
use crate::request::Request;
use crate::state::{ObjectState, Place};
use plat_expr::ObjectId;
use plat_program::GroupId;

impl Memory {
    /// Whether an object is alone in its segment whatever the model knows.
    #[inline(always)]
    pub(crate) fn is_isolated(&self, kind: Kind, group: Option<GroupId>) -> bool {
        match self.isolation {
            Isolation::None => false,
            Isolation::Ungrouped => group.is_none() && kind != Kind::Function,
            Isolation::All => kind != Kind::Function,
        }
    }

    /// Asks the model where an object goes.
    #[inline(never)]
    pub(crate) fn place_by_model(
        &mut self,
        cx: &mut Cx<'_>,
        request: &Request,
        (object, writable): (ObjectId, bool),
    ) -> Place {
        self.segments.announce(object, writable);
        let place = self.model.place(cx.pool, request, &mut self.segments);
        if place != alone(object) {
            self.note_usage(cx);
        }
        place
    }

    /// Gives the model back the place of an object.
    #[inline(never)]
    pub(crate) fn release_by_model(&mut self, cx: &mut Cx<'_>, object: ObjectId, size: u64) {
        let Some(state) = self.states.get(object.index()) else {
            return;
        };
        let state = ObjectState { size, ..*state };
        (self.model).release(cx.pool, &state, state.kind, &mut self.segments);
        // The contents of an object that was alone are gone.
        if state.place != alone(object) && self.segments.of(object).is_some() {
            self.admit(object);
        }
    }

    /// Counts how the model uses its segments.
    pub(crate) fn note_usage(&self, cx: &mut Cx<'_>) {
        let usage = self.model.usage();
        cx.stats.segments = cx.stats.segments.max(usage.segments);
        cx.stats.largest_segment = cx.stats.largest_segment.max(usage.largest);
    }
}
