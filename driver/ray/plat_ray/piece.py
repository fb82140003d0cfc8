"""One piece of work, done by plat on some node.

A node keeps the program under its hash, so that it is sent once. plat runs in that directory and gets
the program by its bare name: what a path does depends on the name of the program, which must be the
same on every node.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from .coverage import beyond
from .resident import PieceFailed, resident_for

SUMMARY = "summary.json"
# Keys in the summary of a piece: how many paths each of the pieces has that its rest was divided into, and its share
# of the tree.
OPEN, SHARES = "open", "shares"
# What a piece leaves that the exploration needs, beside the pieces of what it has not explored.
RESULTS = ("run.tests", "run.trie", SUMMARY)
COVERAGE = "coverage.json"
FAULTS = "faults.jsonl"
# The seconds that plat has taken, with its start; what came behind it; from when it was asked to end until it had. The
# driver adds when the piece has begun, by its clock, and what all of it has taken.
TIMES = "times.json"
# What plat says while it goes on, with the errors that it finds.
MESSAGES = "messages.txt"

# plat ends by itself when its budget is over; a query to the solver may take longer.
GRACE = 120.0
# The shortest budget.
LEAST = 0.1
# How plat ends if it is interrupted before its run has begun.
INTERRUPTED = (130, -signal.SIGTERM)


@dataclass
class Task:
    """What plat is told, the same for all pieces."""

    plat: str
    program: str  # the name of the program
    run_in: str  # the directory in which the program runs (--run-in-dir)
    options: list = field(default_factory=list)  # of `plat run`
    arguments: list = field(default_factory=list)  # of the program


@dataclass
class Job:
    """A piece, and how it is done."""

    name: str
    work: bytes  # None is the whole program
    budget: float  # seconds
    pieces: int  # at most so many what it leaves is divided into


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


class Errors:
    """The errors that plat announces in a run directory while it goes on."""

    ANNOUNCED = b": ERROR: "

    def __init__(self, results):
        self.messages, self.read = results / MESSAGES, 0

    def new(self):
        """Those since the last call: place and message of each."""
        try:
            with self.messages.open("rb") as messages:
                messages.seek(self.read)
                lines = messages.read()
        except OSError:
            return []
        whole = lines[: lines.rfind(b"\n") + 1]
        self.read += len(whole)
        announced = (line.partition(self.ANNOUNCED)[2] for line in whole.splitlines())
        return [error.decode(errors="replace") for error in announced if error]


def run_plat(command, here):
    """Runs plat to its end. Returns what it printed."""
    done = subprocess.run(command, cwd=here, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace")
    if done.returncode != 0:
        why = f"plat ended with {done.returncode}: {done.stderr.strip()[-2000:]}"
        raise PieceFailed(why, done.returncode)
    return done.stdout


class Piece:
    """A piece while plat explores it."""

    def __init__(self, job, results, asked, tell):
        self.errors, self.asked, self.tell = Errors(results), asked, tell
        self.pieces, self.ends, self.asked_at = job.pieces, False, None

    def look(self, plat):
        """Tells the errors that are new, and has plat end if that is asked for."""
        for error in self.errors.new():
            self.tell(error)
        pieces = None if self.ends else self.asked()
        if pieces is not None:
            self.pieces, self.ends, self.asked_at = pieces, True, time.monotonic()
            plat.end_piece()


def command_of(task):
    """What does the pieces of a task."""
    command = [task.plat, "run", "--quiet", "--pieces-from-stdin", "--run-in-dir", task.run_in]
    # Live paths are work for others: they get no tests here.
    command += ["--test-files", "none", "--dump-states-on-halt=false"]
    # Nobody reads these: what the pieces leave is put together at the end.
    command += [f"--output-{what}=false" for what in ("source", "istats", "stats", "lcov", "test-lines")]
    return command + task.options + [task.program] + task.arguments


def do_piece(task, bitcode, job, covered=None, asked=lambda: None, tell=lambda error: None):
    """Explores a piece. Returns the files that it leaves, by name. `asked` says into how many pieces what is left
    is to be divided, once it is to end; errors are told as they are found."""
    begun = time.monotonic()
    here = keep_program(task.program, bitcode)
    room = Path(tempfile.mkdtemp(dir=here))
    try:
        results = room / "results"
        options = ["--results", str(results)]
        if job.work is not None:
            (room / "piece.work").write_bytes(job.work)
            options += ["--work", str(room / "piece.work")]
            if covered is not None:
                (room / COVERAGE).write_bytes(covered)
                options += ["--covered", str(room / COVERAGE)]
        piece = Piece(job, results, asked, tell)
        try:
            explore(task, here, options, job.budget, piece.look)
        except PieceFailed as why:
            if why.code not in INTERRUPTED or not piece.ends:
                raise
            # It had not begun yet: what there was is divided all the same.
            shutil.rmtree(results, ignore_errors=True)
            explore(task, here, options, LEAST)
        explored = time.monotonic()
        files = left(task, results, here, piece.pieces)
        if covered is not None:
            files[COVERAGE] = beyond(files[COVERAGE], covered).encode()
        ended = time.monotonic()
        ends = None if piece.asked_at is None else explored - piece.asked_at
        files[TIMES] = json.dumps({"plat": explored - begun, "left": ended - explored, "asked": ends}).encode()
        return files
    finally:
        shutil.rmtree(room, ignore_errors=True)


def start(task, bitcode):
    """Loads the program, for pieces to come."""
    resident_for(command_of(task), keep_program(task.program, bitcode))


def explore(task, here, options, budget, look=lambda plat: None):
    """Has plat explore for a time."""
    plat = resident_for(command_of(task), here)
    plat.do(["--budget", f"{budget:.3f}s", *options], 2 * budget + GRACE, look)


def left(task, results, here, pieces):
    """What a piece has left in its directory."""
    files = {name: results / name for name in RESULTS}
    files = {name: path.read_bytes() for name, path in files.items() if path.exists()}
    if SUMMARY not in files:
        raise PieceFailed("plat has left no summary")
    summary = json.loads(files[SUMMARY])
    if summary["paths"]["faults"]:
        found = [task.plat, "tests", "list", str(results), "--fault", "any", "--json"]
        files[FAULTS] = run_plat(found, here).encode()
    work, listed, covered = results / "work", results / "work.txt", results / COVERAGE
    divide = ["trie", "divide", str(results), "--pieces", str(pieces), "-o", str(work),
              "--list", str(listed), "--coverage", str(covered)]
    resident_for(command_of(task), here).do(divide, GRACE)
    files[COVERAGE] = covered.read_bytes()
    if not is_explored(summary):
        told = [line.rsplit(" ", 2) for line in listed.read_text().splitlines()]
        open_paths = {Path(file).name: int(count) for file, count, _ in told}
        shares = {Path(file).name: float(share) for file, _, share in told}
        for name in open_paths:
            files[f"work/{name}"] = (work / name).read_bytes()
        summary = without_open(summary, open_paths) | {SHARES: shares}
        files[SUMMARY] = json.dumps(summary, indent=1).encode()
    return files


def without_open(summary, open_paths):
    """What was live at the end is no path that a limit has ended: it is work for others."""
    summary["paths"]["limits"] -= min(summary["paths"]["limits"], sum(open_paths.values()))
    return summary | {OPEN: open_paths}


def is_explored(summary):
    """Whether a piece has left nothing to explore."""
    return summary["stop"] == "finished" and not summary["lost_paths"]


def stages(plat, program, options, arguments):
    """Takes a program through plat's stages. Returns the bitcode that is run."""
    with tempfile.TemporaryDirectory() as room:
        out = Path(room) / "out"
        command = [plat, "explore", "--quiet", "--save-temps", "--write-no-tests",
                   "--max-instructions", "1", "--output-dir", str(out)]
        run_plat(command + options + [program] + arguments, here=None)
        return (out / "transformed.bc").read_bytes()


def stages_of(plat, name, bitcode, options, arguments):
    """The same on some node, for bitcode that was sent there."""
    with tempfile.TemporaryDirectory() as room:
        program = Path(room) / name
        program.write_bytes(bitcode)
        return stages(plat, str(program), options, arguments)
