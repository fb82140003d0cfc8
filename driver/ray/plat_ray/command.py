"""The command `plat-ray`."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .piece import Task
from .store import Store

# Options of `plat explore` that `plat run` has not: they say how the program is made.
OF_STAGES = {
    "--analysis-budget": True,
    "--libc-dir": True,
    "--link-llvm-lib": True,
    "--unify": True,
    "--optimize": False,
}
WITH_VALUE = {name for name, value in OF_STAGES.items() if value}


def spans(text):
    """Seconds of 90, 90s, 10min, 1h."""
    for unit, seconds in (("min", 60), ("h", 3600), ("s", 1)):
        if text.endswith(unit):
            return float(text[: -len(unit)]) * seconds
    return float(text)


def parser():
    parser = argparse.ArgumentParser(
        prog="plat-ray", description="Explore a program on the machines of a Ray cluster."
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
    resume = commands.add_parser("resume", help="go on with an exploration that was ended")
    resume.add_argument("directory", metavar="DIR")
    for command in (explore, resume):
        command.add_argument("--address", metavar="ADDRESS",
                             help="of the cluster: auto, ray://HOST:PORT [one on this machine]")
        command.add_argument("--plat", metavar="FILE", default="plat",
                             help="the command plat; must be there on every node")
        command.add_argument("--slots", type=int, metavar="N",
                             help="pieces at once [the processors of the cluster]")
        command.add_argument("--budget", type=spans, default=5.0, metavar="SPAN",
                             help="time of a piece at first; adapted while it goes on [5s]")
        command.add_argument("--max-time", type=spans, metavar="SPAN", help="end after this time")
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


def stages(plat, program, options, arguments):
    """Takes the program through plat's stages. Returns the bitcode that is run."""
    with tempfile.TemporaryDirectory() as room:
        out = Path(room) / "out"
        command = [plat, "explore", "--quiet", "--save-temps", "--write-no-tests",
                   "--max-instructions", "1", "--output-dir", str(out)]
        done = subprocess.run(command + options + [program] + arguments, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise SystemExit(done.returncode)
        return (out / "transformed.bc").read_bytes()


def begin(asked, words):
    """The store of a new exploration."""
    at = program_at(words)
    options, program, arguments = words[:at], words[at], words[at + 1:]
    if not Path(program).is_file():
        raise SystemExit(f"plat-ray: {program}: there is no such file")
    directory = Path(asked.output_dir or Path(program).with_suffix("").as_posix() + "-ray")
    if directory.exists():
        raise SystemExit(f"plat-ray: {directory}: exists already; name another --output-dir")
    bitcode = stages(asked.plat, program, options, arguments)
    what = {
        "program": Path(program).name,
        "run_in": os.getcwd(),
        "options": without_stages(options),
        "arguments": arguments,
    }
    return Store.create(directory, what, bitcode)


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
    if asked.command == "explore":
        store = begin(asked, rest)
    else:
        store = Store(asked.directory)
        if not (store.path / "exploration.json").is_file():
            raise SystemExit(f"plat-ray: {store.path}: is no directory of an exploration")
    sys.exit(run(asked, store))


def run(asked, store):
    import ray

    from .cluster import explore

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(address=asked.address, include_dashboard=None if asked.address else False,
             log_to_driver=False, logging_level="ERROR")
    slots = asked.slots or int(ray.cluster_resources().get("CPU", 1))
    task = Task(plat=asked.plat, **store.asked())
    try:
        whole = explore(store, task, slots, asked.budget, asked.max_time, asked.quiet)
    except KeyboardInterrupt:
        whole = False
    finally:
        ray.shutdown()
    if store.done():
        print(store.merge(asked.plat))
    for name in store.failed():
        print(f"plat-ray: piece {name} could not be done: {store.path / 'failed' / name}",
              file=sys.stderr)
    if not whole:
        print(f"plat-ray: not all paths were explored; plat-ray resume {store.path} goes on",
              file=sys.stderr)
    return 0


if __name__ == "__main__":
    main()
