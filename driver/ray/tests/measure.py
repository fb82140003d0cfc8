"""Measures plat-ray on a cluster of this machine, on real programs, against one process of plat.

    make -C benchmarks/programs m4 make coreutils sqlite
    cd driver/ray && ../../target/ray/bin/python -m tests.measure

Each program is explored to its end by `plat explore`, and by `plat-ray` with 1, 2 and 4 workers, of which all but
the one of the head node are on a second node; with several workers that node is killed when half of the time of
one worker is over, and another one takes its place. The tests must be those of one process, byte for byte. Then a
table has the times: by the clock, of processors over all processes, and how much of the workers' time was idle.
`--alone` measures without clusters: how long `plat-ray` takes that starts one of its own, for one worker.
"""

import argparse
import ctypes
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from .nodes import QUIET, Nodes, Processors, kill

ROOT = Path(__file__).resolve().parents[3]
SQL = "CREATE TABLE t(a,b);INSERT INTO t VALUES(1,'one'),(2,'two'),(3,NULL)"
# What each program is given: standard input, each ? of it a symbolic byte, and arguments.
CASES = {
    "m4": ("m4.bc", "", ["-H37", "-G", "--sym-stdin", "5"]),
    "make": ("make.bc", "a?=?\nb:$?", ["-n", "-r", "-R", "-f", "-", "--"]),
    "sqlite": ("sqlite.bc", "select ??? from t", [SQL, "-"]),
    "wc": ("coreutils/wc.bc", "", ["--sym-stdin", "6"]),
}


def parser():
    parser = argparse.ArgumentParser(prog="python -m tests.measure", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plat", type=Path, default=ROOT / "target/release/plat")
    parser.add_argument("--build", type=Path, default=ROOT / "benchmarks/programs/build",
                        help="where the programs are")
    parser.add_argument("--only", action="append", choices=CASES, help="this program (repeatable)")
    parser.add_argument("--input", nargs=argparse.REMAINDER, help="in place of its arguments")
    parser.add_argument("--workers", type=lambda text: [int(part) for part in text.split(",")],
                        default=[1, 2, 4])
    parser.add_argument("--whole", action="store_true", help="kill no node")
    parser.add_argument("--alone", action="store_true", help="without nodes of one's own")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what was explored")
    return parser


# prctl(2): processes whose parents have ended become children of this one.
SUBREAPER = 36
# So long may what a cluster has left take to end.
SECONDS_TO_END = 30


def orphans():
    """Waits until all children have ended, so that the time of processors has theirs."""
    late = time.monotonic() + SECONDS_TO_END
    while time.monotonic() < late:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.05)
        except ChildProcessError:
            return
    raise SystemExit(f"the processes of a cluster have not ended after {SECONDS_TO_END} s")


def run(command, here, during=None, with_orphans=False):
    """Runs a command to its end: seconds by the clock, and of processors with those of its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    with open(here / "said", "w+") as said:
        process = subprocess.Popen(command, cwd=here, env=QUIET, stdin=subprocess.DEVNULL, stdout=said,
                                   stderr=said)
        if during:
            during(process)
        if process.wait() != 0:
            said.seek(0)
            raise SystemExit(f"{command[:4]}: {said.read()[-2000:]}")
        took = time.monotonic() - begun
        said.seek(0)
        text = said.read()
    if with_orphans:
        orphans()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, text


def tests(plat, directory):
    """The tests of a run: inputs, ends, and what was printed. Not which came first to something, as that
    depends on the order; nor those that another test stands for."""
    def said(*words):
        return subprocess.run([plat, "tests", *words, directory], capture_output=True, text=True,
                              check=True).stdout

    inputs = re.findall(r"(?m)^num objects: .*\n(?:object +\d+: .*\n)*", said("show"))
    lines = said("list", "--json").splitlines()
    assert len(inputs) == len(lines), (len(inputs), len(lines))
    found = {}
    for shown, line in zip(inputs, lines):
        line = json.loads(line)
        if line.pop("repeats", False) or line["end"] == "limit":
            continue
        del line["test"]
        line.pop("covers_new", None)
        key = shown, json.dumps(line)
        found[key] = found.get(key, 0) + 1
    return found


class Losing(threading.Thread):
    """Kills the second node after a time, and adds another one, while a command runs."""

    def __init__(self, nodes, after):
        super().__init__()
        self.nodes, self.after = nodes, after
        self.lost, self.process = False, None

    def __call__(self, process):
        self.process = process
        self.start()

    def run(self):
        time.sleep(self.after)
        if self.process.poll() is None:
            node = self.nodes.all[1]
            kill(node)
            self.lost = True
            self.nodes.add(node.cpus)


class Measuring:
    def __init__(self, asked, room, name):
        self.plat, self.room, self.name = str(asked.plat.resolve()), room, name
        bitcode, template, arguments = CASES[name]
        self.program = str((asked.build / bitcode).resolve())
        self.arguments = asked.input or arguments
        # The program runs in an empty directory, under a name that does not tell where it is.
        self.options = ["--program-name", name]
        if template:
            (room / name).write_text(template)
            self.options += ["--stdin-template", str(room / name)]

    def directory(self, name):
        here = self.room / f"{self.name}-{name}"
        here.mkdir()
        return here

    def explore(self):
        here = self.directory("plat")
        command = [self.plat, "explore", "--quiet", "--output-dir", str(here / "out"), *self.options]
        took, processors, _ = run([*command, self.program, *self.arguments], here)
        self.expected = tests(self.plat, here / "out")
        self.took = took
        self.row("plat explore", took, processors, None, 0)

    def ray(self, slots, address=None, during=None, with_orphans=False):
        here = self.directory(f"ray-{slots}")
        command = [sys.executable, "-m", "plat_ray.command", "explore", "--plat", self.plat, "--quiet",
                   "--slots", str(slots), "--output-dir", str(here / "out")]
        if address:
            command += ["--address", address]
        command += [*self.options, self.program, *self.arguments]
        took, processors, said = run(command, here, during, with_orphans)
        found = tests(self.plat, here / "out" / "tests")
        if found != self.expected:
            raise SystemExit(f"{self.name}: {slots} workers: {len(self.expected)} tests, now {len(found)}; "
                             f"{len(self.expected.keys() - found.keys())} are missing")
        busy = re.search(r"busy for (\d+) %", said)
        pieces = len(list((here / "out" / "pieces").iterdir()))
        return took, processors, int(busy[1]) if busy else None, pieces

    def alone(self):
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
        took, processors, busy, pieces = self.ray(1, with_orphans=True)
        self.row("plat-ray, a cluster of its own", took, processors, busy, pieces)

    def on_nodes(self, slots, whole):
        """With a worker on the head, and the others on a node that is lost."""
        nodes = Nodes()
        losing = None
        try:
            if slots > 1:
                nodes.add(slots - 1)
            if slots > 1 and not whole:
                losing = Losing(nodes, after=self.took / 2 / slots)
            of_nodes = Processors(nodes)
            took, processors, busy, pieces = self.ray(slots, nodes.address, losing)
            if losing:
                losing.join()
            processors += of_nodes.seconds()
            how = f"plat-ray, {slots} worker" + ("s" if slots > 1 else "")
            if losing:
                how += ", a node killed" if losing.lost else ", ended before a node was killed"
            self.row(how, took, processors, busy, pieces)
        finally:
            nodes.end()

    def row(self, how, took, processors, busy, pieces):
        idle = "-" if busy is None else 100 - busy
        shown = "-" if processors is None else f"{processors:.1f}"
        print(f"| {self.name} | {how} | {len(self.expected)} | {took:.1f} | {shown} | {idle} | {pieces or '-'} |",
              flush=True)


def main():
    asked = parser().parse_args()
    room = asked.keep or Path(tempfile.mkdtemp(prefix="plat-measure-"))
    room.mkdir(exist_ok=True)
    room = room.resolve()
    print("| program | by | tests | s | processor s | idle % | pieces |\n|---|---|---:|---:|---:|---:|---:|")
    try:
        for name in asked.only or CASES:
            measuring = Measuring(asked, room, name)
            measuring.explore()
            if asked.alone:
                measuring.alone()
                continue
            for slots in asked.workers:
                measuring.on_nodes(slots, asked.whole)
    finally:
        if not asked.keep:
            shutil.rmtree(room, ignore_errors=True)


if __name__ == "__main__":
    main()
