"""The directory of an exploration.

    exploration.json   what was asked for
    program.bc         the program, through plat's stages
    pieces/NAME/       what a piece has left: run.tests, run.trie, summary.json
    work/NAME/K.work   the pieces that what NAME has left was divided into; K.work is the piece NAME-K
    failed/NAME        why a piece could not be done, twice
    tests/             the tests of all, at the end

Directories appear whole (they are renamed into place), so the state of an exploration is what is
there: a piece whose directory is in `pieces` is done, one with a directory in `work` is divided. An
exploration that was ended at any moment is taken up from it.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

FIRST = "0"


class Store:
    def __init__(self, path):
        self.path = Path(path)

    @classmethod
    def create(cls, path, asked, bitcode):
        path = Path(path)
        path.mkdir(parents=True)
        store = cls(path)
        for name in ("pieces", "work", "failed"):
            (path / name).mkdir()
        (path / "program.bc").write_bytes(bitcode)
        store._put(path / "exploration.json", json.dumps(asked, indent=1).encode())
        return store

    def asked(self):
        return json.loads((self.path / "exploration.json").read_text())

    def bitcode(self):
        return (self.path / "program.bc").read_bytes()

    def _put(self, path, data):
        temporary = path.with_name("." + path.name)
        temporary.write_bytes(data)
        os.rename(temporary, path)

    def keep(self, name, files):
        """Keeps what a piece has left."""
        temporary = self.path / "pieces" / ("." + name)
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        for file, data in files.items():
            (temporary / file).write_bytes(data)
        os.rename(temporary, self.path / "pieces" / name)

    def summary(self, name):
        return json.loads((self.path / "pieces" / name / "summary.json").read_text())

    def divide(self, plat, name, pieces):
        """Divides what a piece has left. Returns the names of the new pieces."""
        to = self.path / "work" / name
        if not to.exists():
            temporary = self.path / "work" / ("." + name)
            shutil.rmtree(temporary, ignore_errors=True)
            command = [plat, "trie", "divide", str(self.path / "pieces" / name)]
            command += ["--pieces", str(pieces), "-o", str(temporary)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            os.rename(temporary, to)
        return [f"{name}-{file.stem}" for file in sorted(to.glob("*.work"))]

    def work(self, name):
        """The work of a piece; none is the whole program."""
        if name == FIRST:
            return None
        parent, _, number = name.rpartition("-")
        return (self.path / "work" / parent / f"{number}.work").read_bytes()

    def fail(self, name, why):
        self._put(self.path / "failed" / name, why.encode())

    def done(self):
        """The pieces that are done."""
        names = (entry.name for entry in (self.path / "pieces").iterdir())
        return [name for name in names if not name.startswith(".")]

    def failed(self):
        return [entry.name for entry in (self.path / "failed").iterdir()]

    def divided(self, name):
        return (self.path / "work" / name).exists()

    def merge(self, plat):
        """Puts the tests of all pieces together. Returns the line that plat says about them."""
        to = self.path / "tests"
        shutil.rmtree(to, ignore_errors=True)
        pieces = [str(self.path / "pieces" / name) for name in sorted(self.done())]
        command = [plat, "tests", "merge", "-o", str(to)] + pieces
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
