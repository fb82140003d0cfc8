//! A hook that somebody keeps and lends to a run, to read what it has gathered afterwards.

use super::{
    Access, AcrossWorkers, Allocated, Call, CallCommand, Command, Decision, EndCommand, Forked,
    Hook, IndirectCall, Interest, MemoryAccess, Reached, Resolved, Returned, Split, Step, View,
};
use crate::api::outcome::PathEnd;
use crate::api::summary::Summary;
use plat_expr::{ExprId, Pool};
use plat_program::Program;

impl<H: Hook + ?Sized> Hook for &mut H {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn interest(&self) -> Interest {
        (**self).interest()
    }

    fn started(&mut self, access: &mut Access<'_, '_>) -> Step<Command> {
        (**self).started(access)
    }

    fn forked(&mut self, access: &mut Access<'_, '_>, event: &Forked) -> Step<Command> {
        (**self).forked(access, event)
    }

    fn resolved(&mut self, access: &mut Access<'_, '_>, event: &Resolved<'_>) -> Step<Command> {
        (**self).resolved(access, event)
    }

    fn accessed(&mut self, access: &mut Access<'_, '_>, event: &MemoryAccess) -> Step<Command> {
        (**self).accessed(access, event)
    }

    fn called(&mut self, access: &mut Access<'_, '_>, event: &Call<'_>) -> Step<CallCommand> {
        (**self).called(access, event)
    }

    fn returned(&mut self, access: &mut Access<'_, '_>, event: &Returned<'_>) -> Step<CallCommand> {
        (**self).returned(access, event)
    }

    fn called_indirectly(
        &mut self,
        access: &mut Access<'_, '_>,
        event: &IndirectCall,
    ) -> Step<Command> {
        (**self).called_indirectly(access, event)
    }

    fn reached(&mut self, access: &mut Access<'_, '_>, event: &Reached<'_>) -> Step<Command> {
        (**self).reached(access, event)
    }

    fn paused(&mut self, access: &mut Access<'_, '_>) -> Step<Command> {
        (**self).paused(access)
    }

    fn decides(&mut self, access: &mut Access<'_, '_>, event: &Decision) -> Step<ExprId> {
        (**self).decides(access, event)
    }

    fn prepared(&mut self, access: &mut Access<'_, '_>) {
        (**self).prepared(access);
    }

    fn keeps_whole(&self, pool: &Pool, expr: ExprId) -> bool {
        (**self).keeps_whole(pool, expr)
    }

    fn allocated(&mut self, access: &mut Access<'_, '_>, event: &Allocated) {
        (**self).allocated(access, event);
    }

    fn watch_access(&mut self, view: &View<'_, '_>, event: &MemoryAccess) {
        (**self).watch_access(view, event);
    }

    fn watch_split(&mut self, view: &View<'_, '_>, event: &Split) {
        (**self).watch_split(view, event);
    }

    fn ended(&mut self, access: &mut Access<'_, '_>, end: &PathEnd) -> Step<EndCommand> {
        (**self).ended(access, end)
    }

    fn across_workers(&self) -> AcrossWorkers {
        (**self).across_workers()
    }

    fn save(&mut self) -> Vec<u8> {
        (**self).save()
    }

    fn merge(&mut self, saved: &[u8]) {
        (**self).merge(saved);
    }

    fn worker_started(&mut self) {
        (**self).worker_started();
    }

    fn finished(&mut self, program: &Program, summary: &mut Summary) {
        (**self).finished(program, summary);
    }
}
