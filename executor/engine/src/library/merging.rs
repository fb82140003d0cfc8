//! `klee_open_merge` and `klee_close_merge`: what they do to the path that calls them. What becomes
//! of paths that have closed a merge is in [`crate::fork::merge`].

use super::{Invocation, Reply};
use crate::api::config::Merging;
use crate::api::observe::Observer;
use crate::executor::Executor;
use crate::report::blame::place_text;
use crate::state::State;
use crate::state::merging::OpenMerge;
use crate::state::stop::Step;
use std::rc::Rc;

pub(super) fn open(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    if exec.config.search.merging != Merging::Off {
        let opened = OpenMerge {
            number: exec.counters.counts.order.merges_opened,
            since: state.instructions,
        };
        exec.counters.counts.order.merges_opened += 1;
        if exec.config.search.log_merges {
            let text = format!("open merge: {} by path {}", opened.number, state.id);
            exec.events.observer.message(&text);
        }
        state.history.merging.open.push(Rc::new(opened));
    }
    Ok(Reply::Nothing)
}

pub(super) fn close(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    if exec.config.search.merging == Merging::Off {
        return Ok(Reply::Nothing);
    }
    let Some(opened) = state.history.merging.open.pop() else {
        let id = state.id;
        let line = exec.line_outside_libraries(exec.calling_inst(state));
        let place = place_text(&line).unwrap_or_default();
        exec.events.warn_once(match exec.config.start.as_klee {
            true => format!("{id} ran into a close at {place} without a preceding open"),
            false => "klee_close_merge without a klee_open_merge before it".to_string(),
        });
        return Ok(Reply::Nothing);
    };
    if exec.config.search.log_merges {
        let text = format!("close merge: {} by path {}", opened.number, state.id);
        exec.events.observer.message(&text);
    }
    state.history.merging.closing = Some(opened);
    // The path is looked at when the call is over.
    exec.batch.end = 0;
    Ok(Reply::Nothing)
}
