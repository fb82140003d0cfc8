"""The exploration on a Ray cluster."""

import json
import sys
import time

import ray

from .piece import PieceFailed, do_piece
from .scheduler import Scheduler
from .store import FIRST

# The first piece is the whole program; it is short, so that there is something to divide.
FIRST_BUDGET = 2.0


@ray.remote(num_cpus=1, max_retries=0)
def remote_piece(task, bitcode, work, budget):
    return do_piece(task, bitcode, work, budget)


class Progress:
    """One line while the exploration goes on."""

    def __init__(self, quiet):
        self.quiet = quiet or not sys.stderr.isatty()
        self.begun = time.monotonic()
        self.pieces = self.tests = self.instructions = self.faults = 0

    def add(self, summary):
        self.pieces += 1
        self.tests += summary.get("tests", 0)
        self.instructions += summary.get("instructions", 0)
        self.faults += summary.get("paths", {}).get("faults", 0)

    def show(self, scheduler):
        if self.quiet:
            return
        seconds = time.monotonic() - self.begun
        sys.stderr.write(
            f"\r\x1b[K{seconds:.0f} s  {self.pieces} pieces done, {len(scheduler.running)} run, "
            f"{len(scheduler.waiting)} wait  {self.tests} tests  {self.faults} faults  "
            f"{self.instructions / 1e6:.0f} M instructions"
        )
        sys.stderr.flush()

    def end(self):
        if not self.quiet:
            sys.stderr.write("\n")


def take_up(store, task, scheduler, progress):
    """Finds out what an exploration has done already, and gives what is left to the scheduler."""
    done, failed = set(store.done()), set(store.failed())
    for name in done:
        progress.add(store.summary(name))
    stack = [FIRST]
    while stack:
        name = stack.pop()
        if name in done:
            stack.extend(store.divide(task.plat, name, scheduler.slots))
        elif name not in failed:
            scheduler.add([name])


def explore(store, task, slots, budget, max_time, quiet):
    """Explores until nothing is left, or the time is over. Returns whether nothing is left."""
    scheduler, progress = Scheduler(slots=slots, budget=budget), Progress(quiet)
    take_up(store, task, scheduler, progress)
    bitcode = ray.put(store.bitcode())
    end = None if max_time is None else time.monotonic() + max_time
    running = {}
    while not scheduler.is_done():
        late = end is not None and time.monotonic() >= end
        while not late and (begun := scheduler.next()):
            name, span = begun
            span = FIRST_BUDGET if name == FIRST else span
            span = span if end is None else max(0.1, min(span, end - time.monotonic()))
            running[remote_piece.remote(task, bitcode, store.work(name), span)] = name
        if late and not running:
            break
        ready, _ = ray.wait(list(running), num_returns=1, timeout=1.0)
        for reference in ready:
            collect(store, task, scheduler, progress, running.pop(reference), reference)
        progress.show(scheduler)
    progress.end()
    return scheduler.is_done() and not store.failed()


def collect(store, task, scheduler, progress, name, reference):
    """Takes what a piece has left."""
    try:
        files = ray.get(reference)
    except (ray.exceptions.RayError, PieceFailed) as why:
        lost = not isinstance(why, ray.exceptions.RayTaskError)
        again = scheduler.lost(name) if lost else scheduler.failed(name)
        said = str(why).strip().splitlines()
        what = "is tried again alone" if again else "is left out"
        print(f"plat-ray: piece {name} {what}: {said[-1] if said else why!r}", file=sys.stderr)
        if not again:
            store.fail(name, str(why))
        return
    store.keep(name, files)
    progress.add(json.loads(files["summary.json"]))
    scheduler.add(store.divide(task.plat, name, scheduler.ended(name)))
