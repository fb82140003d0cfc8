"""Which piece is done next, for how long, and which is asked to end.

It knows nothing of Ray or plat: it is told what has begun and ended and when, and says what is to begin, so that a
simulation can ask it as well (`python -m plat_ray.scheduler`).

Pieces go on for long, so that neither starts nor walks to open paths cost much. When slots have nothing to do and
no piece waits, some that run are asked to end, those with the largest shares of the tree first: what they leave
is divided among all. A share is what a piece's open paths would be of the tree if all sides of each split had the
same: most of what is left is behind few paths, and shares tell which. Of pieces that wait, that with the largest share begins
first, so that large ones are not begun when all others are done.
"""

import json
import sys
from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush, nlargest

LONGEST = 60.0
# The first piece is the whole program, and all slots wait for what it leaves.
FIRST_BUDGET = 1.0
# Pieces for each slot that what the first one leaves is divided into.
FIRST_PIECES = 4
# Pieces that what a piece leaves is divided into. If it stayed one piece, whoever explores it next would
# walk to all of its open paths again, and explore a few.
PIECES = 4
# A piece is asked to end when it has gone on for so long: below that, starts would take most of the time.
SHORTEST = 0.5
# Nor before it has gone on for so many times as long as the walk to its open paths.
WALKS = 4
# A piece whose node is lost is given out again so often before it is tried alone.
LOSSES = 2


@dataclass
class Running:
    begun: float
    # It is not asked to end before it has gone on for so long.
    least: float
    share: float
    asked: bool = False


@dataclass
class Scheduler:
    slots: int
    budget: float = LONGEST
    # A heap: the largest share first, and of the same share those that have waited for longest.
    waiting: list = field(default_factory=list)
    added: int = 0
    running: dict = field(default_factory=dict)
    begun: int = 0
    losses: dict = field(default_factory=dict)
    # Pieces that have failed once: each is tried again when nothing else runs.
    suspect: deque = field(default_factory=deque)
    alone: set = field(default_factory=set)
    # The time that pieces need at least whose way takes longer than others'.
    least: dict = field(default_factory=dict)
    # The shares of the tree of pieces that are not done.
    shares: dict = field(default_factory=dict)

    def add(self, names, least=0.0, shares=()):
        """Pieces that wait, with a time that they need at least, and their shares of the tree."""
        self.shares.update(zip(names, shares))
        for name in names:
            self._wait(name, self.shares.get(name, 0.0))
        if least:
            self.least.update((name, least) for name in names)

    def next(self, now):
        """The piece to begin now, with its budget in seconds, and the most pieces that what it leaves is
        divided into; None while there is none."""
        if len(self.running) >= self.slots or self.running.keys() & self.alone:
            return None
        if self.waiting:
            *_, name = heappop(self.waiting)
        elif self.suspect and not self.running:
            name = self.suspect.popleft()
            self.alone.add(name)
        else:
            return None
        self.begun += 1
        if self.begun == 1 and not self.waiting:
            budget, pieces = min(FIRST_BUDGET, self.budget), FIRST_PIECES * self.slots
        else:
            budget, pieces = max(self.budget, self.least.get(name, 0.0)), PIECES
        least = max(SHORTEST, self.least.pop(name, 0.0))
        self.running[name] = Running(now, least, self.shares.get(name, 0.0))
        return name, budget, pieces

    def coming(self):
        """How many slots will get something of the pieces that were asked to end, beside their own."""
        return sum(PIECES - 1 for piece in self.running.values() if piece.asked)

    def to_end(self, now, idle):
        """The pieces to ask to end while so many slots have nothing to do, beside those for which something is
        coming; each with the most pieces that what it leaves is divided into."""
        if idle <= 0 or self.waiting or self.suspect:
            return []
        could = [name for name, piece in self.running.items()
                 if not piece.asked and now - piece.begun >= piece.least]
        asked = nlargest(-(-idle // (PIECES - 1)), could, key=lambda name: self.running[name].share)
        for name in asked:
            self.running[name].asked = True
        each = max(PIECES, 1 + -(-2 * idle // max(len(asked), 1)))
        return [(name, each) for name in asked]

    def all_to_end(self):
        """All that run and were not asked yet, as no more begin."""
        asked = [name for name, piece in self.running.items() if not piece.asked]
        for name in asked:
            self.running[name].asked = True
        return [(name, PIECES) for name in asked]

    def ended(self, name, now, parts=(), walked=0.0, little=False, shares=()):
        """A piece is done, and what it has left was divided into parts with these shares. They go on for so long that the walk to
        their open paths, which may take what this one's has taken, is a small part of it. If the piece has come
        to little, they get twice its time: else they might come to nothing for ever."""
        piece = self.running.pop(name)
        self.shares.pop(name, None)
        least = max(WALKS * walked, 2 * (now - piece.begun) if little else 0.0)
        self.add(parts, least, shares)

    def failed(self, name):
        """A piece could not be done. Whether it is tried again, alone."""
        self.running.pop(name, None)
        if name in self.alone:
            return False
        self.suspect.append(name)
        return True

    def lost(self, name):
        """The node of a piece has gone. Whether it is tried again."""
        self.losses[name] = self.losses.get(name, 0) + 1
        if self.losses[name] > LOSSES:
            return self.failed(name)
        self.running.pop(name)
        # Before all others.
        self._wait(name, float("inf"))
        return True

    def _wait(self, name, share):
        self.added += 1
        heappush(self.waiting, (-share, self.added, name))

    def is_done(self):
        return not (self.waiting or self.running or self.suspect)


def serve():
    """Answers a simulation: a line of JSON for each line, a list with the event and what it is about."""
    scheduler = None
    for line in sys.stdin:
        event, *about = json.loads(line)
        if event == "slots":
            scheduler, answer = Scheduler(*about), None
        elif event == "add":
            answer = scheduler.add(*about)
        elif event == "next":
            answer = scheduler.next(*about)
        elif event == "to_end":
            now, idle = about
            answer = scheduler.to_end(now, idle - scheduler.coming())
        elif event == "ended":
            answer = scheduler.ended(*about)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
