"""Counts what pieces of an exploration would save if they shared the solver's answers.

    cd driver/ray && python3 -m tests.answers

Each program of `tests.measure` is explored in the pieces that the scheduler makes for so many workers, one after
the other. What no cache or other layer of a piece has answered is logged (`--log-queries solver`). A question that
another piece has asked before it is one that shared answers would have saved; how much time, its share of the
back end's time says. Those that one process asks are beside it.
"""

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from plat_ray.piece import stages
from plat_ray.scheduler import Scheduler

from .measure import CASES, parser

LOG = "solver-queries.smt2"
# Seconds of a piece, as on slots that have nothing to do otherwise.
BUDGET = 2.0


def questions(log):
    """The hash of each question in a log, and how often it was asked."""
    found, text = {}, hashlib.sha256()
    with log.open("rb") as lines:
        for line in lines:
            if line.startswith(b"; query "):
                continue
            if line.rstrip() != b"(reset)":
                text.update(line)
                continue
            found[text.digest()] = found.get(text.digest(), 0) + 1
            text = hashlib.sha256()
    return found


class Pieces:
    """A program, explored in pieces in a directory."""

    def __init__(self, plat, program, options, arguments, room):
        self.plat, self.room = plat, room
        self.program = room / Path(program).name
        self.program.write_bytes(stages(plat, program, options, arguments))
        self.options, self.arguments = options, arguments

    def explore(self, name, work, budget):
        """Explores a piece: its questions, and its summary."""
        results = self.room / name
        command = [self.plat, "run", "--quiet", "--results", str(results), "--test-files", "none",
                   "--dump-states-on-halt=false", "--log-queries", "solver"]
        command += ["--work", str(work)] if work else []
        command += ["--budget", f"{budget}s"] if budget else []
        subprocess.run([*command, *self.options, self.program.name, *self.arguments], cwd=self.room,
                       check=True, stdin=subprocess.DEVNULL, capture_output=True)
        asked = questions(results / LOG)
        (results / LOG).unlink()
        return asked, json.loads((results / "summary.json").read_text())

    def divide(self, name, pieces):
        to = self.room / f"{name}-work"
        done = subprocess.run([self.plat, "trie", "divide", str(self.room / name), "--pieces", str(pieces),
                               "-o", str(to)], check=True, capture_output=True, text=True)
        return [Path(line.rsplit(" ", 2)[0]) for line in done.stdout.splitlines()]

    def all(self, workers):
        """Explores all pieces: the questions of each, and seconds of all, and of the back end."""
        scheduler, works = Scheduler(slots=workers, budget=BUDGET), {"0": None}
        scheduler.add(["0"])
        asked, took, back_end = [], 0.0, 0.0
        while not scheduler.is_done():
            name, budget, pieces = scheduler.next(0.0)
            questions, summary = self.explore(name, works.pop(name), budget)
            asked.append(questions)
            took += summary["wall_s"]
            back_end += summary["solver"]["backend_wall_s"]
            left = self.divide(name, pieces) if summary["stop"] != "finished" else []
            parts = {f"{name}-{work.stem}": work for work in left}
            works.update(parts)
            scheduler.ended(name, 0.0, list(parts))
        return asked, took, back_end


def saved(pieces):
    """How many questions another piece has asked before."""
    known, count = set(), 0
    for asked in pieces:
        count += sum(asked[question] for question in asked.keys() & known)
        known |= asked.keys()
    return count


def main():
    asked = parser().parse_args()
    plat = str(asked.plat.resolve())
    print("| program | workers | pieces | questions of one process | of pieces | asked before % | back end % of time |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in asked.only or CASES:
        bitcode, template, arguments = CASES[name]
        room = Path(tempfile.mkdtemp(prefix="plat-answers-"))
        try:
            options = ["--program-name", name]
            if template:
                (room / "template").write_text(template)
                options += ["--stdin-template", str(room / "template")]
            program = str((asked.build / bitcode).resolve())
            pieces = Pieces(plat, program, options, asked.input or arguments, room)
            alone, _ = pieces.explore("alone", None, None)
            for workers in asked.workers:
                found, took, back_end = pieces.all(workers)
                count = sum(sum(of.values()) for of in found)
                print(f"| {name} | {workers} | {len(found)} | {sum(alone.values())} | {count} | "
                      f"{100 * saved(found) / max(count, 1):.1f} | {100 * back_end / took:.1f} |", flush=True)
                for piece in room.glob("0*"):
                    shutil.rmtree(piece)
        finally:
            shutil.rmtree(room, ignore_errors=True)


if __name__ == "__main__":
    main()
