"""Holds the simulation of a cluster (`plat-bench cluster`) against real runs of plat-ray on this machine.

    make -C benchmarks/programs m4 make
    cargo build --release -p plat-command -p plat-benchmarks
    cd driver/ray && ../../target/ray/bin/python -m tests.validate

Each program is explored to its end by one process, depth first, and by plat-ray with 1, 2 and 4 workers in the same
order. What the pieces have taken beside exploring (times.json) gives the simulation its costs: how long a start
takes, a worker's first one, and an end that is asked for. A node costs as many times what it has cost in the one
process as all of them have taken of processors: that is about the machine, which is not what is simulated. Both
columns of a figure count the first piece, which plat-ray explores alone.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from plat_ray.resident import LOOK_EVERY

from .measure import CASES, ROOT, run

# Programs that take one process half a minute, or a minute.
LONGER = {
    "m4": ("m4.bc", "", ["-H37", "-G", "--sym-stdin", "6"]),
    "make": ("make.bc", "a:?\n\t?$?", CASES["make"][2]),
}

PROCESSORS = len(os.sched_getaffinity(0))


def parser():
    parser = argparse.ArgumentParser(prog="python -m tests.validate", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plat", type=Path, default=ROOT / "target/release/plat")
    parser.add_argument("--bench", type=Path, default=ROOT / "target/release/plat-bench")
    parser.add_argument("--build", type=Path, default=ROOT / "benchmarks/programs/build",
                        help="where the programs are")
    parser.add_argument("--only", action="append", choices=LONGER, help="this program (repeatable)")
    parser.add_argument("--workers", type=lambda text: [int(part) for part in text.split(",")],
                        default=[1, 2, 4])
    return parser


class Piece:
    """What a piece has taken."""

    def __init__(self, directory):
        self.times = json.loads((directory / "times.json").read_text())
        summary = json.loads((directory / "summary.json").read_text())
        self.name, self.explored = directory.name, summary["wall_s"]
        self.processors = sum(summary["workers_cpu_s"])
        # The first one is not given out.
        self.took = self.times.get("took", self.times["plat"] + self.times["left"])

    def beside(self):
        """What it took beside exploring."""
        return self.took - self.explored


class Real:
    """A run of plat-ray, by what its pieces have taken."""

    def __init__(self, directory, slots):
        pieces = [Piece(piece) for piece in (directory / "pieces").iterdir()]
        (self.first,) = [piece for piece in pieces if piece.name == "0"]
        others = [piece for piece in pieces if piece.name != "0"]
        self.others = sorted(others, key=lambda piece: piece.times["begun"])
        self.slots, self.count = slots, len(pieces)
        begun = self.others[0].times["begun"]
        self.seconds = self.first.took + max(piece.times["begun"] + piece.took for piece in others) - begun
        self.idle = 100 * (1 - sum(piece.took for piece in pieces) / (self.seconds * slots))
        self.processors = sum(piece.processors for piece in pieces)

    def costs(self):
        """Seconds of a start on a processor of its own, of what a worker's first one takes beside, and from the wish
        that a piece ends to its end."""
        share = min(1, PROCESSORS / self.slots)
        firsts, others = self.others[:self.slots], self.others[self.slots:]
        start = share * statistics.median(piece.beside() for piece in others)
        first = share * statistics.median(piece.beside() for piece in firsts) - start
        asked = [piece.times["asked"] for piece in self.others if piece.times["asked"] is not None]
        return start, max(first, 0.0), LOOK_EVERY / 2 + (statistics.median(asked) if asked else 0.0)


class Validating:
    def __init__(self, asked, room, name):
        bitcode, template, arguments = LONGER[name]
        self.asked, self.room, self.name = asked, room, name
        self.plat = str(asked.plat.resolve())
        # The program runs in an empty directory, under a name that does not tell where it is.
        options = ["--search", "dfs", "--program-name", name]
        if template:
            (room / name).write_text(template)
            options += ["--stdin-template", str(room / name)]
        self.words = [*options, str((asked.build / bitcode).resolve()), *arguments]

    def explore(self, how, *command):
        here = self.room / f"{self.name}-{how}"
        here.mkdir()
        run([*command, "--output-dir", str(here / "out"), *self.words], here)
        return here / "out"

    def validate(self):
        alone = self.explore("alone", self.plat, "explore", "--quiet")
        summary = json.loads((alone / "summary.json").read_text())
        for slots in self.asked.workers:
            command = [sys.executable, "-m", "plat_ray.command", "explore", "--plat", self.plat, "--quiet"]
            out = self.explore(f"ray-{slots}", *command, "--slots", str(slots))
            real = Real(out, slots)
            slower = real.processors / sum(summary["workers_cpu_s"])
            simulated = self.simulate(alone, slots, slower, real.costs())
            self.row(real, slower, simulated)

    def simulate(self, tree, slots, slower, costs):
        """The row of plat-bench, by its columns."""
        start, first, ask = (f"{seconds:.3f}" for seconds in costs)
        processors = str(min(slots, PROCESSORS))
        command = [str(self.asked.bench.resolve()), "cluster", str(tree), "--workers", str(slots), "--processors",
                   processors, "--scale", f"{slower:.3f}", "--start", start, "--first", first, "--ask", ask]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        head, row = (re.split(r" {2,}", line.strip()) for line in said.splitlines()[-2:])
        return dict(zip(head, row)) | {"costs": costs}

    def row(self, real, slower, simulated):
        costs = " / ".join(f"{seconds:.2f}" for seconds in simulated["costs"])
        off = 100 * (float(simulated["s"]) / real.seconds - 1)
        print(f"| {self.name} | {real.slots} | {costs} | {slower:.2f} | {real.seconds:.1f} | {simulated['s']} "
              f"| {off:+.1f} | {real.idle:.1f} | {simulated['idle %']} | {real.count} | {simulated['pieces']} |",
              flush=True)


def main():
    asked = parser().parse_args()
    room = Path(tempfile.mkdtemp(prefix="plat-validate-"))
    print("| program | workers | start / first / end s | node costs | s | simulated s | off by % | idle % "
          "| simulated idle % | pieces | simulated pieces |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    try:
        for name in asked.only or LONGER:
            Validating(asked, room, name).validate()
    finally:
        shutil.rmtree(room, ignore_errors=True)


if __name__ == "__main__":
    main()
