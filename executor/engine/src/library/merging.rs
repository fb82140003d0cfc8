//! `klee_open_merge` and `klee_close_merge`: what they do to the path that calls them. What becomes
//! of paths that have closed a merge is in [`crate::merge`].

use super::{Invocation, Reply};
use crate::config::Merging;
use crate::engine::Engine;
use crate::merge::Opened;
use crate::state::State;
use crate::stop::Step;
use std::rc::Rc;

pub(super) fn open(engine: &mut Engine<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    if engine.config.merging != Merging::Off {
        let opened = Opened {
            number: engine.counts.merges_opened,
            since: state.instructions,
        };
        engine.counts.merges_opened += 1;
        if engine.config.log_merges {
            let text = format!("open merge: {} by path {}", opened.number, state.id);
            engine.observer.message(&text);
        }
        state.merges.push(Rc::new(opened));
    }
    Ok(Reply::Nothing)
}

pub(super) fn close(engine: &mut Engine<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    if engine.config.merging == Merging::Off {
        return Ok(Reply::Nothing);
    }
    let Some(opened) = state.merges.pop() else {
        engine.warn_once("klee_close_merge without a klee_open_merge before it");
        return Ok(Reply::Nothing);
    };
    if engine.config.log_merges {
        let text = format!("close merge: {} by path {}", opened.number, state.id);
        engine.observer.message(&text);
    }
    state.closing = Some(opened);
    // The path is looked at when the call is over.
    engine.batch_end = 0;
    Ok(Reply::Nothing)
}
