"""Explorations on a Ray cluster, each with its share of the processors."""

import asyncio
import signal
import sys
import time

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from .piece import PieceFailed, do_piece, stages_of, start

# Coverage is sent along anew when it has changed, and no more often.
COVERAGE_EVERY = 1.0
# While slots have nothing to do: whether a piece can be asked to end.
LOOK_EVERY = 0.05
# Errors that pieces have found while they go on are asked for so often.
HEAR_EVERY = 1.0


@ray.remote(max_retries=0)
def remote_piece(task, bitcode, job, covered, desk, exploration):
    asked = desk.asked.remote(exploration, job.name)

    def told():
        """Into how many what the piece leaves is to be divided, if it was asked to end."""
        try:
            return ray.get(asked) if ray.wait([asked], timeout=0)[0] else None
        except ray.exceptions.RayActorError:
            return None

    try:
        return do_piece(task, bitcode, job, covered, told,
                        lambda error: desk.tell.remote(exploration, error))
    finally:
        desk.ask.remote(exploration, job.name, 0)


@ray.remote(max_retries=0)
def remote_start(task, bitcode):
    start(task, bitcode)


@ray.remote(num_cpus=0)
class Desk:
    """Where pieces tell what they find, and hear whether they are to end."""

    def __init__(self):
        self.told, self.ends = [], {}

    async def tell(self, exploration, error):
        self.told.append((exploration, error))

    async def take(self):
        told, self.told = self.told, []
        return told

    async def asked(self, *piece):
        """Waits until a piece is asked to end."""
        end = self._end(piece)
        try:
            return await end
        finally:
            self.ends.pop(piece, None)

    async def ask(self, exploration, name, pieces):
        end = self._end((exploration, name))
        if not end.done():
            end.set_result(pieces)

    def _end(self, piece):
        return self.ends.setdefault(piece, asyncio.get_running_loop().create_future())


class Speaking:
    """With pieces that run, without waiting for them. Where that is lost, errors are shown when their pieces end,
    and pieces end when their time is over."""

    def __init__(self, slots):
        # Where this process is: other nodes may be lost.
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        # Each piece waits, and tells something now and then.
        options = {"scheduling_strategy": here, "max_concurrency": 2 * slots + 100}
        self.desk = Desk.options(**options).remote()
        self.asked, self.taken = None, time.monotonic()

    def errors(self):
        """Those that were told since the last time, each with the name of its exploration."""
        now = time.monotonic()
        if self.asked is None and now - self.taken >= HEAR_EVERY:
            self.asked = self.desk.take.remote()
        if self.asked is None or not ray.wait([self.asked], timeout=0)[0]:
            return []
        asked, self.asked, self.taken = self.asked, None, now
        try:
            return ray.get(asked)
        except ray.exceptions.RayActorError:
            return []

    def end(self, exploration, name, pieces):
        """Asks a piece to end."""
        self.desk.ask.remote(exploration, name, pieces)


@ray.remote(num_cpus=1)
def remote_stages(plat, name, bitcode, options, arguments):
    return stages_of(plat, name, bitcode, options, arguments)


class Shared:
    """What all pieces of an exploration are sent: once each, not with every piece."""

    def __init__(self, exploration):
        self.exploration = exploration
        self.bitcode = ray.put(exploration.store.bitcode())
        self.covered, self.sent = None, 0.0

    def coverage(self):
        coverage, now = self.exploration.coverage, time.monotonic()
        if coverage.changed and now - self.sent >= COVERAGE_EVERY:
            self.covered, self.sent = ray.put(coverage.text()), now
            coverage.changed = False
        return self.covered


class Cluster:
    """Gives pieces out while there are free slots, and collects what they leave. A slot is room for a process of
    plat; a piece takes as many as explore it."""

    def __init__(self, explorations, slots, memory=None, smallest=1):
        self.explorations, self.slots, self.smallest = list(explorations), slots, smallest
        self.shared = {}
        self.running = {}  # reference -> (exploration, job, begun)
        self.memory = memory
        self.speaking = Speaking(slots)
        self.stopped = False
        # Seconds of slots that were given to pieces, and of processors that these took.
        self.busy = self.processors = 0.0

    def free(self):
        """Slots without a piece."""
        return self.slots - sum(exploration.width for exploration, *_ in self.running.values())

    def explore(self, show=lambda cluster: None):
        """Explores until nothing is left, or all have ended."""
        before = signal.signal(signal.SIGINT, self._stop)
        begun = time.monotonic()
        try:
            self._give_out()
            self._start_others()
            while True:
                self._give_out()
                if not self.running:
                    break
                self._ask_to_end()
                self._collect()
                self._hear()
                show(self)
        finally:
            signal.signal(signal.SIGINT, before)
        return time.monotonic() - begun

    def _stop(self, *_):
        if self.stopped:
            raise KeyboardInterrupt
        self.stopped = True
        for exploration in self.explorations:
            exploration.stopped = True
        print("plat-ray: no more pieces begin, and those that run are asked to end; once more does not wait",
              file=sys.stderr)

    def _give_out(self):
        while self.free() > 0:
            # Whoever has had the least for its share comes first.
            waiting = sorted(self.explorations, key=self._given)
            begun = next(filter(self._begin, waiting), None)
            if begun is None:
                break

    def _start_others(self):
        """While the first piece of a program goes on, all others wait for it: workers load the program."""
        if len(self.explorations) > 1 or len(self.running) != 1:
            return
        (exploration, *_), = self.running.values()
        begin = remote_start.options(**self._resources(exploration))
        for _ in range(self.slots // exploration.width - 1):
            begin.remote(exploration.task, self.shared[exploration].bitcode)

    def _given(self, exploration):
        now = time.monotonic()
        runs = sum(exploration.width * (now - begun) for of, _, begun in self.running.values() if of is exploration)
        return (exploration.given + runs) / exploration.share, len(exploration.scheduler.running)

    def _resources(self, exploration):
        """What a piece asks Ray for: that is how it places pieces, not a limit. No node has to have room for
        more processes than processors."""
        asked = {"num_cpus": min(exploration.width, self.smallest)}
        return asked if self.memory is None else asked | {"memory": self.memory}

    def _begin(self, exploration):
        # More than all slots are as good as all.
        if min(exploration.width, self.slots) > self.free():
            return False
        job = exploration.next()
        if job is None:
            return False
        if exploration not in self.shared:
            self.shared[exploration] = Shared(exploration)
        shared = self.shared[exploration]
        piece = remote_piece.options(**self._resources(exploration))
        reference = piece.remote(exploration.task, shared.bitcode, job, shared.coverage(),
                                 self.speaking.desk, exploration.name)
        self.running[reference] = (exploration, job, time.monotonic())
        return True

    def _ask_to_end(self):
        """Asks pieces to end while slots have nothing to do, or all at the end."""
        idle = self.free()
        idle -= sum(exploration.width * exploration.scheduler.coming() for exploration in self.explorations)
        for exploration in self.explorations:
            for name, pieces in exploration.to_end(idle // exploration.width):
                idle -= pieces * exploration.width
                self.speaking.end(exploration.name, name, pieces)

    def _hear(self):
        for name, error in self.speaking.errors():
            for exploration in self.explorations:
                if exploration.name == name:
                    exploration.show(error)

    def _collect(self):
        references = list(self.running)
        idle = self.free() > 0
        ready, _ = ray.wait(references, num_returns=1, timeout=LOOK_EVERY if idle else HEAR_EVERY)
        if ready:
            ready, _ = ray.wait(references, num_returns=len(references), timeout=0)
        for reference in ready:
            exploration, job, begun = self.running.pop(reference)
            took = time.monotonic() - begun
            exploration.given += took * exploration.width
            self.busy += took * exploration.width
            try:
                files = ray.get(reference)
            except (ray.exceptions.RayError, PieceFailed) as why:
                # Ray ends a piece itself that uses up the memory of its node.
                own = isinstance(why, (ray.exceptions.RayTaskError, ray.exceptions.OutOfMemoryError))
                exploration.failed(job.name, why, lost=not own and not isinstance(why, PieceFailed))
                continue
            self.processors += exploration.ended(job.name, files, begun, took)


class Progress:
    """A line while explorations go on."""

    def __init__(self, quiet):
        self.quiet = quiet or not sys.stderr.isatty()
        self.begun = time.monotonic()
        self.shown = 0.0

    def show(self, cluster):
        now = time.monotonic()
        if self.quiet or now - self.shown < 0.2:
            return
        self.shown = now
        of = cluster.explorations
        figures = [exploration.figures for exploration in of]
        covered = sum(len(exploration.coverage.instructions) for exploration in of)
        program = sum(figure.program for figure in figures)
        parts = [
            f"{now - self.begun:.0f} s",
            f"{sum(figure.paths for figure in figures)} paths",
            f"{sum(sum(exploration.open.values()) for exploration in of)} states",
            f"{sum(figure.tests for figure in figures)} tests",
            f"{sum(len(exploration.faults) for exploration in of)} faults",
            f"{100 * covered / max(program, 1):.1f} % covered",
            f"{cluster.slots - cluster.free()} of {cluster.slots} workers",
            f"{sum(len(exploration.scheduler.waiting) for exploration in of)} pieces wait",
        ]
        if len(of) > 1:
            left = sum(exploration.waits() for exploration in of)
            parts.insert(1, f"{left} of {len(of)} programs")
        sys.stderr.write("\r\x1b[K" + "  ".join(parts))
        sys.stderr.flush()

    def end(self):
        if not self.quiet:
            sys.stderr.write("\n")
