"""Which piece is done next, for how long, and when what it leaves is divided.

This knows of no cluster: `Scheduler` is told of what has ended and says what is to begin, so that a
simulation can ask it as well.

Work is plentiful or scarce. While fewer pieces wait than there are slots, what a piece leaves is
divided into as many pieces as there are slots, and budgets get shorter, so that idle slots get work
soon. While many wait, what a piece leaves stays one piece, and budgets get longer, so that neither starts
of plat nor the walk to the first open path cost much.
"""

from collections import deque
from dataclasses import dataclass, field

SHORTEST = 1.0
LONGEST = 60.0


@dataclass
class Scheduler:
    slots: int
    budget: float = 5.0
    waiting: deque = field(default_factory=deque)
    running: set = field(default_factory=set)
    tried: dict = field(default_factory=dict)
    # Pieces that have failed once: each is tried again when nothing else runs.
    suspect: deque = field(default_factory=deque)

    def add(self, names):
        self.waiting.extend(names)

    def next(self):
        """The piece to begin now, with its budget in seconds; None while there is none."""
        if len(self.running) >= self.slots:
            return None
        if self.waiting:
            name = self.waiting.popleft()
        elif self.suspect and not self.running:
            name = self.suspect.popleft()
        else:
            return None
        self.running.add(name)
        return name, self.budget

    def ended(self, name):
        """A piece is done. Returns into how many what it leaves is to be divided."""
        self.running.discard(name)
        scarce = len(self.waiting) < self.slots
        plenty = len(self.waiting) > 4 * self.slots
        if scarce:
            self.budget = max(SHORTEST, self.budget * 0.8)
        elif plenty:
            self.budget = min(LONGEST, self.budget * 1.25)
        return max(2, self.slots) if scarce else 1

    def failed(self, name):
        """A piece could not be done. Whether it is tried again."""
        self.running.discard(name)
        self.tried[name] = self.tried.get(name, 0) + 1
        if self.tried[name] > 1:
            return False
        self.suspect.append(name)
        return True

    def lost(self, name):
        """The node of a piece has gone: it is given out again, and counts as one try."""
        return self.failed(name)

    def is_done(self):
        return not (self.waiting or self.running or self.suspect)
