"""One program: its store, its scheduler, its figures."""

import json
import sys
import time

from .coverage import Coverage
from .piece import COVERAGE, FAULTS, LEAST, OPEN, SHARES, SUMMARY, TIMES, Job
from .scheduler import LONGEST, Scheduler
from .store import FIRST, of_parts
from .summary import joined


class Figures:
    """What all pieces have done."""

    def __init__(self):
        self.pieces = self.paths = self.tests = self.instructions = 0
        self.seconds = 0.0
        self.program = 0

    def add(self, summary):
        self.pieces += 1
        self.tests += summary["tests"]
        self.paths += sum(summary["paths"][end] for end in ("completed", "faults", "unsupported"))
        self.instructions += summary["instructions"]
        self.seconds += summary["wall_s"]
        self.program = summary["coverage"]["instructions"]


def has_done_little(summary, begun_with):
    """Whether a piece that has begun with so many paths has spent most of its work on the walk to them, or
    has come to no decision at all."""
    ended = sum(count for end, count in summary["paths"].items() if end != "late")
    left = sum(summary.get(OPEN, {}).values())
    walked = summary["led"]["instructions"]
    return 2 * walked > summary["instructions"] or (ended == 0 and left <= begun_with)


def walk_of(summary):
    """The seconds that a piece has taken for the walk to its open paths."""
    return summary["wall_s"] * summary["led"]["instructions"] / max(summary["instructions"], 1)


class Exploration:
    def __init__(self, name, store, task, slots, budget=LONGEST, max_time=None, share=1.0, width=1):
        self.name, self.store, self.task, self.share = name, store, task, share
        # Processes that explore a piece; `slots` are pieces at once.
        self.width = width
        self.scheduler = Scheduler(slots=slots, budget=budget)
        self.coverage, self.figures = Coverage(), Figures()
        self.faults, self.shown = set(), set()
        # How many open paths each piece begins with that is not done.
        self.open = {FIRST: 1}
        self.max_time, self.end = max_time, None
        # Seconds of processors that it was given.
        self.given = 0.0
        self.stopped = False

    def take_up(self):
        """Finds out what has been done already, and what is left."""
        done, failed = set(self.store.done()), set(self.store.failed())
        shares = {}
        for name in sorted(done):
            summary = self.store.summary(name)
            self._count(name, summary, self.store.told(name))
            shares.update(of_parts(name, summary.get(SHARES, {})))
        for name in done:
            self.open.pop(name, None)
        stack = [FIRST]
        while stack:
            name = stack.pop()
            if name in done:
                stack.extend(reversed(self.store.parts(name)))
            elif name not in failed:
                self.scheduler.add([name], shares=[shares.get(name, 1.0)])

    def next(self):
        """The job to begin now, or none."""
        now = time.monotonic()
        if self.end is None and self.max_time is not None:
            self.end = now + self.max_time
        left = None if self.end is None else self.end - now
        if self.stopped or (left is not None and left <= 0):
            return None
        begun = self.scheduler.next(now)
        if begun is None:
            return None
        name, budget, pieces = begun
        if left is not None:
            budget = max(LEAST, min(budget, left))
        return Job(name, self.store.work(name), budget, pieces)

    def to_end(self, idle):
        """The pieces to ask to end, with the most pieces that what each leaves is divided into."""
        if self.stopped:
            return self.scheduler.all_to_end()
        return self.scheduler.to_end(time.monotonic(), idle)

    def waits(self):
        """Whether it has a piece that could begin, or one that runs."""
        late = self.end is not None and time.monotonic() >= self.end
        if self.stopped or late:
            return bool(self.scheduler.running)
        return not self.scheduler.is_done()

    def ended(self, name, files, begun, took):
        """A piece is done. Returns the seconds of processors that it has explored for."""
        times = json.loads(files[TIMES]) | {"begun": begun, "took": took}
        files[TIMES] = json.dumps(times).encode()
        parts = self.store.keep(name, files)
        begun_with = self.open.get(name, 0)
        summary = json.loads(files[SUMMARY])
        self._count(name, summary, files)
        little = has_done_little(summary, begun_with)
        shares = of_parts(name, summary.get(SHARES, {}))
        self.scheduler.ended(name, time.monotonic(), parts, walk_of(summary), little,
                             [shares[part] for part in parts])
        return sum(summary["workers_cpu_s"])

    def failed(self, name, why, lost):
        """A piece could not be done, as plat could not or its node is lost."""
        again = self.scheduler.lost(name) if lost else self.scheduler.failed(name)
        lines = str(why).strip().splitlines()
        what = "is tried again" if again else "is left out"
        self.say(f"piece {name} {what}: {lines[-1] if lines else repr(why)}")
        if not again:
            self.open.pop(name, None)
            self.store.fail(name, str(why))

    def whole(self):
        """Whether all paths are explored."""
        return self.scheduler.is_done() and not self.store.failed()

    def show(self, error):
        """Shows an error, once."""
        if error not in self.shown:
            self.shown.add(error)
            self.say(error)

    def say(self, what):
        print(f"\r\x1b[Kplat-ray: {self.name}: {what}" if sys.stderr.isatty()
              else f"plat-ray: {self.name}: {what}", file=sys.stderr)

    def summary(self):
        """Of all that is done."""
        summaries = [self.store.summary(name) for name in sorted(self.store.done())]
        return joined(summaries, len(self.coverage.instructions), self.whole())

    def _count(self, name, summary, files):
        self.open.pop(name, None)
        self.open.update(of_parts(name, summary.get(OPEN, {})))
        self.figures.add(summary)
        self.coverage.add(files[COVERAGE])
        for line in files.get(FAULTS, b"").splitlines():
            what = "{file}:{line}: {message}".format_map(json.loads(line)["fault"])
            self.faults.add(what)
            self.show(what)
