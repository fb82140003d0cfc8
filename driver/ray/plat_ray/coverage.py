"""What all pieces of an exploration have covered.

A piece begins with what was known when it was divided off. What others have covered since is sent along,
so that its searcher does not go after it.
"""

import json


def beyond(text, known):
    """What a piece has covered, without what was known before the piece: the driver reads only what is
    new."""
    told, known = json.loads(text), json.loads(known)
    instructions, branches = set(known["instructions"]), dict(map(tuple, known["branches"]))
    new = {
        "program": told["program"],
        "instructions": [number for number in told["instructions"] if number not in instructions],
        "branches": [[branch, directions] for branch, directions in told["branches"]
                     if directions & ~branches.get(branch, 0)],
    }
    return json.dumps(new, separators=(",", ":"))


class Coverage:
    def __init__(self):
        self.program = None
        self.instructions = set()
        self.branches = {}
        self.changed = False

    def add(self, text):
        """Adds what a piece has covered. Returns how many instructions are new."""
        told = json.loads(text)
        self.program = told["program"]
        before = len(self.instructions)
        self.instructions.update(told["instructions"])
        new = len(self.instructions) - before
        for branch, directions in told["branches"]:
            known = self.branches.get(branch, 0)
            self.branches[branch] = known | directions
            self.changed |= known | directions != known
        self.changed |= new > 0
        return new

    def text(self):
        """In the form in which plat reads it."""
        told = {
            "program": self.program,
            "instructions": sorted(self.instructions),
            "branches": sorted(self.branches.items()),
        }
        return json.dumps(told, separators=(",", ":")).encode()
