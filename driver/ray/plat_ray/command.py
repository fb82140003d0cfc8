"""The command `plat-ray`."""

import argparse
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from . import batch
from .piece import Job, PieceFailed, Task, do_piece, stages
from .resident import close_resident
from .scheduler import FIRST_BUDGET, FIRST_PIECES, LONGEST
from .store import FIRST, Store
from .units import sizes, some, spans
from .width import width_of, with_width

# Options of `plat explore` that `plat run` has not: they say how the program is made.
OF_STAGES = {
    "--analysis-budget": True,
    "--function-alias": True,
    "--libc-dir": True,
    "--link-llvm-lib": True,
    "--unify": True,
    "--optimize": False,
}
# Exit codes, those of plat: a program could not be begun; paths are lost.
UNUSABLE = 2
LOST_PATHS = 4
# And that of a process that SIGINT ends.
INTERRUPTED = 130
WITH_VALUE = {name for name, value in OF_STAGES.items() if value}


def parser():
    parser = argparse.ArgumentParser(
        prog="plat-ray", description="Explore programs on the machines of a Ray cluster."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    explore = commands.add_parser(
        "explore",
        help="explore a program",
        usage="plat-ray explore [options] [options of plat explore] PROG.bc [PROGRAM ARGS]",
        epilog="Example: plat-ray explore --address auto sort.bc --sym-arg 2 --sym-stdin 8",
        allow_abbrev=False,
    )
    explore.add_argument("--output-dir", metavar="DIR", help="must not exist [PROG-ray beside it]")
    many = commands.add_parser(
        "batch",
        help="explore many programs at once, each with its share of the processors",
        description="Explore the programs of a file.",
        epilog=batch.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    many.add_argument("suite", metavar="SUITE.toml")
    many.add_argument("--output-dir", metavar="DIR", help="must not exist [SUITE-ray beside it]")
    resume = commands.add_parser("resume", help="go on with what was ended")
    resume.add_argument("directory", metavar="DIR")
    for command in (explore, many, resume):
        command.add_argument("--address", metavar="ADDRESS",
                             help="of the cluster: auto, ray://HOST:PORT [one on this machine]")
        command.add_argument("--plat", metavar="FILE", default="plat",
                             help="the command plat; must be there on every node")
        command.add_argument("--slots", type=some, metavar="N",
                             help="processes of plat at once [the processors of the cluster]; beyond 100 several "
                             "explore a piece together, on one node (--workers N, an option of plat, says how many)")
        command.add_argument("--budget", type=spans, metavar="SPAN", default=LONGEST,
                             help="longest time of a piece; it ends earlier when slots have nothing "
                             "to do [1min]")
        command.add_argument("--piece-memory", type=sizes, metavar="SIZE",
                             help="as many pieces on a node as its memory has room for with this much "
                             "for each; plat keeps to its own --max-memory")
        command.add_argument("--max-time", type=spans, metavar="SPAN",
                             help="of each program: no piece begins after it")
        command.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def program_at(words):
    """The position of the program among the words of `plat explore`."""
    for at, word in enumerate(words):
        of_option = at > 0 and words[at - 1] in WITH_VALUE
        if word.endswith(".bc") and not word.startswith("-") and not of_option:
            return at
    raise SystemExit("plat-ray: no program: name bitcode, PROG.bc")


def without_stages(words):
    """The options that `plat run` has."""
    kept, words = [], iter(words)
    for word in words:
        name = word.split("=", 1)[0]
        if name not in OF_STAGES:
            kept.append(word)
        elif OF_STAGES[name] and "=" not in word:
            next(words, None)
    return kept


def asked_for(program, options, arguments, run_in):
    return {
        "program": Path(program).name,
        "run_in": run_in,
        "options": without_stages(options),
        "arguments": arguments,
    }


def begin(asked, words):
    """A new exploration: a function that makes its store."""
    at = program_at(words)
    options, program, arguments = words[:at], words[at], words[at + 1:]
    if not Path(program).is_file():
        raise SystemExit(f"plat-ray: {program}: there is no such file")
    directory = Path(asked.output_dir or Path(program).with_suffix("").as_posix() + "-ray")
    if directory.exists():
        raise SystemExit(f"plat-ray: {directory}: exists already; name another --output-dir")

    def make():
        try:
            bitcode = stages(asked.plat, program, options, arguments)
        except PieceFailed as why:
            raise SystemExit(f"plat-ray: {program}: {why}") from None
        what = asked_for(program, options, arguments, os.getcwd())
        store = Store.create(directory, what, bitcode)
        if asked.address is None:
            explore_first(asked, store, bitcode)
        return store

    return directory.name, make


def explore_first(asked, store, bitcode):
    """Explores the first piece here: a cluster of one's own takes longer to start than it lasts."""
    slots = asked.slots or len(os.sched_getaffinity(0))
    task, width = task_of(asked, store, Room(slots, slots))
    limits = [FIRST_BUDGET, asked.budget] + ([] if asked.max_time is None else [asked.max_time])
    job = Job(FIRST, None, min(limits), FIRST_PIECES * max(1, slots // width))
    try:
        store.keep(FIRST, do_piece(task, bitcode, job))
    except PieceFailed:
        pass  # It is tried on the cluster, which says why.
    finally:
        close_resident()


def main(words=None):
    words = sys.argv[1:] if words is None else words
    at = next((at for at, word in enumerate(words) if word.endswith(".bc")), len(words))
    if words[:1] == ["explore"] and at < len(words):
        # Words behind the program are the program's.
        at = 1 + program_at(words[1:])
        asked, rest = parser().parse_known_args(words[:at])
        rest += words[at:]
    else:
        asked, rest = parser().parse_args(words), []
    plat = shutil.which(asked.plat)
    if plat is None:
        raise SystemExit(f"plat-ray: {asked.plat}: there is no such command; name it by --plat")
    asked.plat = str(Path(plat).absolute())
    try:
        sys.exit(run(asked, explorations(asked, rest)))
    except KeyboardInterrupt:
        print("plat-ray: interrupted: pieces that are done are kept; plat-ray resume DIR goes on, where DIR is "
              "the directory of the exploration", file=sys.stderr)
        sys.exit(INTERRUPTED)


def explorations(asked, words):
    """What is to be explored: a function that makes it, once there is a cluster. It returns the
    explorations, and whether they are all that was asked for."""
    if asked.command == "explore":
        # While Ray starts.
        name, make = begin(asked, words)
        store = ThreadPoolExecutor().submit(make)
        return lambda room: ([one(asked, name, store.result(), room)], True)
    if asked.command == "batch":
        programs = batch.read(asked.suite)
        directory = Path(asked.output_dir or Path(asked.suite).with_suffix("").as_posix() + "-ray")
        if directory.exists():
            raise SystemExit(f"plat-ray: {directory}: exists already; name another --output-dir, "
                             f"or go on with it: plat-ray resume {directory}")
        batch.keep(directory, programs)
        return lambda room: of_batch(asked, directory, room)
    directory = Path(asked.directory)
    if batch.is_at(directory):
        return lambda room: of_batch(asked, directory, room)
    if not Store.is_at(directory):
        raise SystemExit(f"plat-ray: {directory}: is no directory of an exploration")
    return lambda room: ([one(asked, directory.name, Store(directory), room)], True)


@dataclass
class Room:
    """What there is of a cluster."""

    slots: int  # processes at once
    smallest: int  # processors of the smallest node


def task_of(asked, store, room):
    """What plat is told, and how many processes explore a piece together."""
    what = store.asked()
    width = width_of(what["options"], room.smallest, room.slots)
    what["options"] = with_width(what["options"], width)
    return Task(plat=asked.plat, **what), width


def one(asked, name, store, room, max_time=None, share=1.0):
    """An exploration, with what it has done already."""
    from .exploration import Exploration

    task, width = task_of(asked, store, room)
    max_time = asked.max_time if max_time is None else max_time
    pieces = max(1, room.slots // width)
    made = Exploration(name, store, task, pieces, asked.budget, max_time, share, width)
    made.take_up()
    return made


def of_batch(asked, directory, room):
    """The explorations of a batch: there are enough programs for all processors, so that pieces have one process.
    Programs go through the stages on the cluster."""
    import ray

    from .cluster import remote_stages

    suite = batch.kept(directory)
    pending = {}
    for program in suite["programs"]:
        if not Store.is_at(directory / program["name"]):
            bitcode = Path(program["bitcode"])
            reference = remote_stages.remote(asked.plat, bitcode.name, bitcode.read_bytes(),
                                             program["options"], program["arguments"])
            pending[reference] = program
    while pending:
        ready, _ = ray.wait(list(pending), num_returns=1)
        program = pending.pop(ready[0])
        what = asked_for(program["bitcode"], program["options"], program["arguments"],
                         suite["run_in"])
        try:
            Store.create(directory / program["name"], what, ray.get(ready[0]))
        except (ray.exceptions.RayError, PieceFailed) as why:
            said = str(why).strip().splitlines()
            print(f"plat-ray: {program['name']}: is left out: {said[-1] if said else why!r}",
                  file=sys.stderr)
    there = [program for program in suite["programs"] if Store.is_at(directory / program["name"])]
    room = Room(room.slots, smallest=1)
    made = [
        one(asked, program["name"], Store(directory / program["name"]), room,
            None if program["max_time"] is None else spans(program["max_time"]), program["share"])
        for program in there
    ]
    return made, len(made) == len(suite["programs"])


def run(asked, make):
    import ray

    from .cluster import Cluster, Progress

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    own = {} if asked.address else {"include_dashboard": False, "num_cpus": asked.slots}
    ray.init(address=asked.address, log_to_driver=False, logging_level="ERROR", **own)
    processors = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    slots = asked.slots or max(1, sum(processors))
    room = Room(slots, min(filter(None, processors), default=1))
    found, all_begun, took, cluster = [], True, 0.0, None
    try:
        found, all_begun = make(room)
        cluster = Cluster(found, slots, asked.piece_memory, room.smallest)
        progress = Progress(asked.quiet)
        took = cluster.explore(progress.show)
        progress.end()
    except KeyboardInterrupt:
        pass
    finally:
        # The first is put together while Ray ends.
        merging = [begin_merging(asked, exploration) for exploration in found[:1]]
        ray.shutdown()
    for exploration in found:
        merged = merging.pop() if merging else begin_merging(asked, exploration)
        tell(exploration, merged, name=len(found) > 1)
    if cluster is not None and took:
        print(f"workers were busy for {100 * cluster.busy / (took * slots):.0f} % of {took:.1f} s, and took "
              f"{cluster.processors:.1f} s of processors",
              file=sys.stderr)
    if not all_begun:
        return UNUSABLE
    return LOST_PATHS if any(exploration.store.failed() for exploration in found) else 0


def begin_merging(asked, exploration):
    """Puts together what an exploration has come to, if anything is done."""
    store = exploration.store
    return store.merge(asked.plat) if store.done() else None


def tell(exploration, merging, name):
    """What has come of an exploration."""
    store = exploration.store
    before = f"{exploration.name}: " if name else ""
    if merging is not None:
        print(before + merging.finish(exploration.summary()))
    for piece in store.failed():
        print(f"plat-ray: {before}piece {piece} could not be done: {store.path / 'failed' / piece}",
              file=sys.stderr)
    if not exploration.whole():
        print(f"plat-ray: {before}not all paths were explored; plat-ray resume {store.path} goes on",
              file=sys.stderr)


if __name__ == "__main__":
    main()
