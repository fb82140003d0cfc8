"""Explorations on a Ray cluster, each with its share of the processors."""

import signal
import sys
import time

import ray

from .piece import PieceFailed, do_piece, stages_of

# Coverage is sent along anew when it has changed, and no more often.
COVERAGE_EVERY = 1.0


@ray.remote(max_retries=0)
def remote_piece(task, bitcode, job, covered):
    return do_piece(task, bitcode, job, covered)


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
    """Gives pieces out while there are free slots, and collects what they leave."""

    def __init__(self, explorations, slots, memory=None):
        self.explorations, self.slots = list(explorations), slots
        self.shared = {}
        self.running = {}  # reference -> (exploration, job, begun)
        # What a piece asks Ray for: that is how it places pieces, not a limit.
        self.resources = {"num_cpus": 1}
        if memory is not None:
            self.resources["memory"] = memory
        self.stopped = False
        self.busy = 0.0

    def explore(self, show=lambda cluster: None):
        """Explores until nothing is left, or all have ended."""
        before = signal.signal(signal.SIGINT, self._stop)
        begun = time.monotonic()
        try:
            while True:
                self._give_out()
                if not self.running:
                    break
                self._collect()
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
        print("plat-ray: no more pieces begin; once more does not wait for those that run",
              file=sys.stderr)

    def _give_out(self):
        while len(self.running) < self.slots:
            # Whoever has had the least for its share comes first.
            waiting = sorted(self.explorations, key=self._given)
            begun = next(filter(self._begin, waiting), None)
            if begun is None:
                break

    def _given(self, exploration):
        now = time.monotonic()
        runs = sum(now - begun for of, _, begun in self.running.values() if of is exploration)
        return (exploration.given + runs) / exploration.share, len(exploration.scheduler.running)

    def _begin(self, exploration):
        job = exploration.next()
        if job is None:
            return False
        if exploration not in self.shared:
            self.shared[exploration] = Shared(exploration)
        shared = self.shared[exploration]
        piece = remote_piece.options(**self.resources)
        reference = piece.remote(exploration.task, shared.bitcode, job, shared.coverage())
        self.running[reference] = (exploration, job, time.monotonic())
        return True

    def _collect(self):
        references = list(self.running)
        ready, _ = ray.wait(references, num_returns=1, timeout=1.0)
        if ready:
            ready, _ = ray.wait(references, num_returns=len(references), timeout=0)
        for reference in ready:
            exploration, job, begun = self.running.pop(reference)
            took = time.monotonic() - begun
            exploration.given += took
            self.busy += took
            try:
                files = ray.get(reference)
            except (ray.exceptions.RayError, PieceFailed) as why:
                # Ray ends a piece itself that uses up the memory of its node.
                own = isinstance(why, (ray.exceptions.RayTaskError, ray.exceptions.OutOfMemoryError))
                exploration.failed(job.name, why, lost=not own and not isinstance(why, PieceFailed))
                continue
            exploration.ended(job.name, files)


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
            f"{len(cluster.running)} of {cluster.slots} workers",
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
