"""Which piece is done next, for how long, and into how many pieces what it leaves is divided.

This knows of no cluster: `Scheduler` is told of what has ended and says what is to begin, so that a
simulation can ask it as well (`python -m plat_ray.scheduler`).

Work is plentiful or scarce. While fewer pieces wait than there are slots, what a piece leaves is
divided into many, and budgets get shorter, so that idle slots get work soon. While many wait, what a
piece leaves is divided into few, and budgets get longer, so that neither starts of plat nor the walk to the
first open path cost much.
"""

import json
import sys
from collections import deque
from dataclasses import dataclass, field

SHORTEST = 1.0
LONGEST = 60.0
# Of the pieces behind the first, until it is adapted.
BUDGET = 5.0
# The first piece is the whole program, and all slots wait for what it leaves.
FIRST_BUDGET = 1.0
# Pieces for each slot that what the first one leaves is divided into.
FIRST_PIECES = 4
# Pieces that what a piece leaves is divided into while many wait. If it stayed one piece, whoever explores
# it next would walk to all of its open paths again, and explore a few.
WHILE_PLENTY = 4
# A piece whose node is lost is given out again so often before it is tried alone.
LOSSES = 2


@dataclass
class Scheduler:
    slots: int
    budget: float = None
    waiting: deque = field(default_factory=deque)
    running: set = field(default_factory=set)
    begun: int = 0
    losses: dict = field(default_factory=dict)
    # Pieces that have failed once: each is tried again when nothing else runs.
    suspect: deque = field(default_factory=deque)
    alone: set = field(default_factory=set)
    # The budgets of pieces that run, and the least of those whose way takes longer than others'.
    given: dict = field(default_factory=dict)
    least: dict = field(default_factory=dict)

    def __post_init__(self):
        if self.budget is None:
            # With one slot nobody waits for what a piece leaves.
            self.budget = BUDGET if self.slots > 1 else LONGEST

    def add(self, names, least=0.0):
        """Pieces that wait, with a budget that they need at least."""
        self.waiting.extend(names)
        if least:
            self.least.update((name, least) for name in names)

    def next(self):
        """The piece to begin now, with its budget in seconds, and the most pieces that what it leaves is
        divided into; None while there is none."""
        if len(self.running) >= self.slots or self.running & self.alone:
            return None
        if self.waiting:
            name = self.waiting.popleft()
        elif self.suspect and not self.running:
            name = self.suspect.popleft()
            self.alone.add(name)
        else:
            return None
        self.running.add(name)
        self.begun += 1
        if self.begun == 1 and not self.waiting:
            budget, pieces = FIRST_BUDGET, FIRST_PIECES * self.slots
        else:
            budget, pieces = self.budget, self._pieces()
        self.given[name] = max(budget, self.least.get(name, 0.0))
        return name, self.given[name], pieces

    def _pieces(self):
        if len(self.waiting) >= self.slots:
            return WHILE_PLENTY
        # What runs is to leave two pieces for each slot.
        return max(4, 2 * self.slots // len(self.running))

    def ended(self, name, parts=(), little=False):
        """A piece is done, and what it has left was divided into parts. If it has come to little, as the
        walk to its open paths has taken most of its time, they get twice that time: else they might come to
        nothing for ever."""
        self.running.discard(name)
        self.least.pop(name, None)
        budget = self.given.pop(name, 0.0)
        self._adapt()
        self.add(parts, least=2 * budget if little else 0.0)

    def _adapt(self):
        if self.slots == 1:
            return
        if len(self.waiting) < self.slots:
            self.budget = max(SHORTEST, self.budget * 0.8)
        elif len(self.waiting) > 4 * self.slots:
            self.budget = min(LONGEST, self.budget * 1.25)

    def failed(self, name):
        """A piece could not be done. Whether it is tried again, alone."""
        self.running.discard(name)
        if name in self.alone:
            return False
        self.suspect.append(name)
        return True

    def lost(self, name):
        """The node of a piece has gone. Whether it is tried again."""
        self.losses[name] = self.losses.get(name, 0) + 1
        if self.losses[name] > LOSSES:
            return self.failed(name)
        self.running.discard(name)
        self.waiting.appendleft(name)
        return True

    def is_done(self):
        return not (self.waiting or self.running or self.suspect)


def serve():
    """Answers a simulation: a line of JSON for each line, a list with the event and what it is about."""
    scheduler = None
    for line in sys.stdin:
        event, *about = json.loads(line)
        if event == "slots":
            scheduler, answer = Scheduler(*about), None
        elif event == "next":
            answer = scheduler.next()
        elif event == "ended":
            answer = scheduler.ended(*about)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
