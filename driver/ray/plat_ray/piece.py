"""One piece of work, done by plat on some node.

A node keeps the program under its hash, so that it is sent once. plat runs in that directory and gets
the program by its bare name: what a path does depends on the name of the program, which must be the
same on every node.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

# What a piece leaves that the exploration needs.
RESULTS = ("run.tests", "run.trie", "summary.json")


@dataclass
class Task:
    """What plat is told, the same for all pieces."""

    plat: str
    program: str  # the name of the program
    run_in: str  # the directory in which the program runs (--run-in-dir)
    options: list = field(default_factory=list)  # of `plat run`
    arguments: list = field(default_factory=list)  # of the program


class PieceFailed(Exception):
    """plat could not do a piece."""


def node_directory():
    return Path(tempfile.gettempdir()) / f"plat-ray-{os.getuid()}"


def keep_program(name, bitcode):
    """The directory on this node that has the program."""
    directory = node_directory() / hashlib.sha256(bitcode).hexdigest()[:32]
    file = directory / name
    if not file.exists():
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=directory)
        with os.fdopen(handle, "wb") as out:
            out.write(bitcode)
        os.rename(temporary, file)
    return directory


def do_piece(task, bitcode, work, budget):
    """Explores a piece for `budget` seconds. Returns the files that it leaves, by name."""
    here = keep_program(task.program, bitcode)
    room = Path(tempfile.mkdtemp(dir=here))
    try:
        results = room / "results"
        command = [task.plat, "run", "--quiet", "--results", str(results)]
        command += ["--budget", f"{budget:.3f}s", "--run-in-dir", task.run_in]
        # Live paths are work for others: they get no tests here.
        command += ["--test-files", "none", "--dump-states-on-halt=false"]
        if work is not None:
            (room / "piece.work").write_bytes(work)
            command += ["--work", str(room / "piece.work")]
        command += task.options + [task.program] + task.arguments
        done = subprocess.run(
            command, cwd=here, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, errors="replace",
        )
        if done.returncode != 0 or not (results / "summary.json").exists():
            raise PieceFailed(f"plat ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
        files = ((name, results / name) for name in RESULTS)
        return {name: path.read_bytes() for name, path in files if path.exists()}
    finally:
        shutil.rmtree(room, ignore_errors=True)
