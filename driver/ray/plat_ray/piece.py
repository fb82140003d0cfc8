"""One piece of work, done by plat on some node.

A node keeps the program under its hash, so that it is sent once. plat runs in that directory and gets
the program by its bare name: what a path does depends on the name of the program, which must be the
same on every node.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

SUMMARY = "summary.json"
# A key in the summary of a piece: how many paths each of the pieces has that its rest was divided into.
OPEN = "open"
# What a piece leaves that the exploration needs, beside the pieces of what it has not explored.
RESULTS = ("run.tests", "run.trie", SUMMARY)
COVERAGE = "coverage.json"
FAULTS = "faults.jsonl"

# plat ends by itself when its budget is over; a query to the solver may take longer.
GRACE = 120.0


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


def run_plat(command, here, limit=None):
    """Runs plat to its end. Returns what it printed."""
    try:
        done = subprocess.run(
            command, cwd=here, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, errors="replace", timeout=limit,
        )
    except subprocess.TimeoutExpired:
        raise PieceFailed(f"plat has not ended after {limit:.0f} s") from None
    if done.returncode != 0:
        raise PieceFailed(f"plat ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def do_piece(task, bitcode, job, covered=None):
    """Explores a piece. Returns the files that it leaves, by name."""
    here = keep_program(task.program, bitcode)
    room = Path(tempfile.mkdtemp(dir=here))
    try:
        results = room / "results"
        command = [task.plat, "run", "--quiet", "--results", str(results)]
        command += ["--budget", f"{job.budget:.3f}s", "--run-in-dir", task.run_in]
        # Live paths are work for others: they get no tests here.
        command += ["--test-files", "none", "--dump-states-on-halt=false"]
        # Nobody reads these: what the pieces leave is put together at the end.
        command += [f"--output-{what}=false" for what in ("source", "istats", "stats", "lcov", "test-lines")]
        if job.work is not None:
            (room / "piece.work").write_bytes(job.work)
            command += ["--work", str(room / "piece.work")]
            if covered is not None:
                (room / COVERAGE).write_bytes(covered)
                command += ["--covered", str(room / COVERAGE)]
        command += task.options + [task.program] + task.arguments
        run_plat(command, here, limit=2 * job.budget + GRACE)
        return left(task.plat, results, here, job.pieces)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def left(plat, results, here, pieces):
    """What a piece has left in its directory."""
    files = {name: results / name for name in RESULTS}
    files = {name: path.read_bytes() for name, path in files.items() if path.exists()}
    if SUMMARY not in files:
        raise PieceFailed("plat has left no summary")
    summary = json.loads(files[SUMMARY])
    files[COVERAGE] = run_plat([plat, "trie", "coverage", str(results)], here).encode()
    if summary["paths"]["faults"]:
        found = [plat, "tests", "list", str(results), "--fault", "any", "--json"]
        files[FAULTS] = run_plat(found, here).encode()
    if not is_explored(summary):
        to = results / "work"
        divide = [plat, "trie", "divide", str(results), "--pieces", str(pieces), "-o", str(to)]
        told = (line.rsplit(" ", 1) for line in run_plat(divide, here).splitlines())
        open_paths = {Path(file).name: int(count) for file, count in told}
        for work in open_paths:
            files[f"work/{work}"] = (to / work).read_bytes()
        files[SUMMARY] = json.dumps(without_open(summary, open_paths), indent=1).encode()
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
