"""The directory of an exploration.

    exploration.json   what was asked for
    program.bc         the program, through plat's stages
    pieces/NAME/       what a piece has left: run.tests, run.trie, summary.json, times.json (what it has
                       taken), coverage.json, faults.jsonl if there are any, and in work/ the pieces that what it has not explored was divided
                       into; work/K.work is the piece NAME-K, or HASH-K if NAME is long
    failed/NAME        why a piece could not be done
    merged             the pieces that were put together, a line each
    tests/             the run that all pieces together are, at the end

Directories appear whole (they are renamed into place), so the state of an exploration is what is
there: a piece whose directory is in `pieces` is done. An exploration that was ended at any moment is
taken up from it.
"""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from .piece import COVERAGE, FAULTS, SUMMARY

FIRST = "0"
# Names of files have 255 bytes at most.
LONGEST_NAME = 100
ASKED = "exploration.json"


def short(name):
    """What the names of a piece's parts begin with: its name, or a hash of it if that is long."""
    if len(name) <= LONGEST_NAME:
        return name
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def of_parts(name, told):
    """What a piece has told of the files that what it has left was divided into, by the names of these pieces."""
    return {f"{short(name)}-{work.removesuffix('.work')}": what for work, what in told.items()}


def parts_of(name, works):
    """The pieces that what a piece has left was divided into, by their files."""
    return [f"{short(name)}-{number}" for number in sorted(int(file.stem) for file in works)]


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
        return parts_of(name, (Path(file) for file in files if file.startswith("work/")))

    def parts(self, name):
        """The pieces that what a piece has left was divided into."""
        return parts_of(name, (self.piece(name) / "work").glob("*.work"))

    def summary(self, name):
        return json.loads((self.piece(name) / SUMMARY).read_text())

    def told(self, name):
        """What a piece has left of which others learn: its coverage, and faults if there are any."""
        files = {file: self.piece(name) / file for file in (COVERAGE, FAULTS)}
        return {file: path.read_bytes() for file, path in files.items() if path.exists()}

    def work(self, name):
        """The work of a piece; none is the whole program."""
        if name == FIRST:
            return None
        parent, _, number = name.rpartition("-")
        if not self.piece(parent).is_dir():
            parent = next(long for long in self.done() if short(long) == parent)
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
        """Begins to put all pieces together: tests, and decisions. `finish` of what it returns waits for
        that."""
        return Merging(self, plat)

    def merged(self):
        """What all pieces together are."""
        return self.path / "tests"


class Merging:
    """Tests and decisions are put together at the same time, by a process each."""

    def __init__(self, store, plat):
        self.store, self.trie = store, store.path / ".trie"
        for directory in (store.merged(), self.trie):
            shutil.rmtree(directory, ignore_errors=True)
        # The first one before it was divided.
        pieces = sorted(store.done(), key=lambda name: (name != FIRST, name))
        # There may be more than a command line has room for.
        listed = store.path / "merged"
        listed.write_text("".join(shlex.quote(str(store.piece(name))) + "\n" for name in pieces))
        begin = lambda what, to: subprocess.Popen(
            [plat, what, "merge", "-o", str(to), f"@{listed}"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.running = [begin("tests", store.merged()), begin("trie", self.trie)]

    def finish(self, summary):
        """Writes the summary of all beside them. Returns what plat says about the tests."""
        said = [self._end(process) for process in self.running]
        os.rename(self.trie / "run.trie", self.store.merged() / "run.trie")
        self.trie.rmdir()
        (self.store.merged() / SUMMARY).write_text(json.dumps(summary, indent=2) + "\n")
        return said[0]

    def _end(self, process):
        said, errors = process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"plat-ray: {self.store.path}: {errors.strip()[-2000:]}")
        return said.strip()
