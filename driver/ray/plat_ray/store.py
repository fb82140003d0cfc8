"""The directory of an exploration.

    exploration.json   what was asked for
    program.bc         the program, through plat's stages
    pieces/NAME/       what a piece has left: run.tests, run.trie, summary.json, and in work/ the pieces
                       that what it has not explored was divided into; work/K.work is the piece NAME-K
    failed/NAME        why a piece could not be done
    merged             the pieces that were put together, a line each
    tests/             the run that all pieces together are, at the end

Directories appear whole (they are renamed into place), so the state of an exploration is what is
there: a piece whose directory is in `pieces` is done. An exploration that was ended at any moment is
taken up from it.
"""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from .piece import COVERAGE

FIRST = "0"
ASKED = "exploration.json"


class Store:
    def __init__(self, path):
        self.path = Path(path)

    @classmethod
    def create(cls, path, asked, bitcode):
        """Makes it, whole."""
        path = Path(path)
        making = path.with_name(f".{path.name}.{os.getpid()}")
        for name in ("pieces", "failed"):
            (making / name).mkdir(parents=True)
        (making / "program.bc").write_bytes(bitcode)
        (making / ASKED).write_text(json.dumps(asked, indent=1))
        os.rename(making, path)
        return cls(path)

    @classmethod
    def is_at(cls, path):
        return (Path(path) / ASKED).is_file()

    def asked(self):
        return json.loads((self.path / ASKED).read_text())

    def bitcode(self):
        return (self.path / "program.bc").read_bytes()

    def piece(self, name):
        return self.path / "pieces" / name

    def keep(self, name, files):
        """Keeps what a piece has left. Returns the names of the pieces of what is not explored."""
        temporary = self.piece("." + name)
        shutil.rmtree(temporary, ignore_errors=True)
        (temporary / "work").mkdir(parents=True)
        for file, data in files.items():
            (temporary / file).write_bytes(data)
        os.rename(temporary, self.piece(name))
        return self.parts(name)

    def parts(self, name):
        """The pieces that what a piece has left was divided into."""
        numbers = sorted(int(file.stem) for file in (self.piece(name) / "work").glob("*.work"))
        return [f"{name}-{number}" for number in numbers]

    def summary(self, name):
        return json.loads((self.piece(name) / "summary.json").read_text())

    def faults(self, name):
        """The faults that a piece has found."""
        file = self.piece(name) / "tests.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        tests = (json.loads(line) for line in lines)
        return [test["fault"] for test in tests if test["end"] == "fault"]

    def coverage(self, name):
        return (self.piece(name) / COVERAGE).read_bytes()

    def work(self, name):
        """The work of a piece; none is the whole program."""
        if name == FIRST:
            return None
        parent, _, number = name.rpartition("-")
        return (self.piece(parent) / "work" / f"{number}.work").read_bytes()

    def fail(self, name, why):
        (self.path / "failed" / name).write_text(why)

    def done(self):
        """The pieces that are done."""
        names = (entry.name for entry in (self.path / "pieces").iterdir())
        return [name for name in names if not name.startswith(".")]

    def failed(self):
        return sorted(entry.name for entry in (self.path / "failed").iterdir())

    def merge(self, plat):
        """Puts all pieces together: tests, and decisions. Returns what plat says about the tests."""
        to = self.path / "tests"
        shutil.rmtree(to, ignore_errors=True)
        pieces = sorted(self.done(), key=lambda name: [int(part) for part in name.split("-")])
        # There may be more than a command line has room for.
        listed = self.path / "merged"
        listed.write_text("".join(shlex.quote(str(self.piece(name))) + "\n" for name in pieces))
        said = self._plat([plat, "tests", "merge", "-o", str(to), f"@{listed}"])
        self._plat([plat, "trie", "merge", "-o", str(to), f"@{listed}"])
        return said

    def _plat(self, command):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"plat-ray: {self.path}: {done.stderr.strip()[-2000:]}")
        return done.stdout.strip()
