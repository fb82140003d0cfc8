"""Many programs at once, from a file:

    max-time = "10min"              # of each program
    options = ["--max-memory", "1000"]

    [[program]]
    bitcode = "sort.bc"             # relative to the file
    arguments = ["--sym-arg", "3", "--sym-stdin", "8"]
    share = 2                       # twice the processors of the others [1]

    [[program]]
    name = "wc-long"                # [the name of the bitcode]
    bitcode = "wc.bc"
    arguments = ["--sym-stdin", "20"]
    options = ["--search", "bfs"]   # beside those of all
    max-time = "1h"
"""

import json
import os
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10 and older
    import tomli as tomllib

from .units import spans

OF_ALL = {"max-time", "options"}
OF_ONE = {"name", "bitcode", "arguments", "options", "max-time", "share"}
SUITE = "suite.json"


def wrong(file, what):
    raise SystemExit(f"plat-ray: {file}: {what}")


def words(file, table, key):
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        wrong(file, f"{key} is a list of words")
    return found


def read(path):
    """The programs of a file: a list of tables with all that each one needs."""
    file = Path(path)
    try:
        with open(file, "rb") as text:
            suite = tomllib.load(text)
    except OSError as why:
        wrong(file, why.strerror)
    except tomllib.TOMLDecodeError as why:
        wrong(file, why)
    for key in suite.keys() - OF_ALL - {"program"}:
        wrong(file, f"there is no key {key}; there are: {', '.join(sorted(OF_ALL))}, [[program]]")
    programs = [entry(file, suite, table) for table in suite.get("program", [])]
    if not programs:
        wrong(file, "no [[program]]")
    names = [program["name"] for program in programs]
    for name in names:
        if names.count(name) > 1:
            wrong(file, f"two programs are {name}; name one of them (name = ...)")
    return programs


def entry(file, suite, table):
    for key in table.keys() - OF_ONE:
        wrong(file, f"[[program]] has no key {key}; it has: {', '.join(sorted(OF_ONE))}")
    if not isinstance(table.get("bitcode"), str):
        wrong(file, "[[program]] needs bitcode")
    bitcode = file.parent / table["bitcode"]
    if not bitcode.is_file():
        wrong(file, f"{bitcode}: there is no such file")
    share = table.get("share", 1)
    if not isinstance(share, (int, float)) or share <= 0:
        wrong(file, "share is a number above 0")
    max_time = table.get("max-time", suite.get("max-time"))
    if max_time is not None:
        try:
            spans(max_time)
        except (AttributeError, ValueError):
            wrong(file, f'max-time is a span like "10min", not {max_time!r}')
    name = table.get("name", bitcode.stem)
    if not name or "/" in name or name.startswith("."):
        wrong(file, f"{name!r} cannot be the name of a directory")
    return {
        "name": name,
        "bitcode": str(bitcode.absolute()),
        "arguments": words(file, table, "arguments"),
        "options": words(file, suite, "options") + words(file, table, "options"),
        "max_time": max_time,
        "share": share,
    }


def keep(directory, programs):
    """Begins the directory of a batch."""
    directory.mkdir(parents=True)
    making = directory / f".{SUITE}"
    making.write_text(json.dumps({"run_in": os.getcwd(), "programs": programs}, indent=1))
    os.rename(making, directory / SUITE)


def kept(directory):
    """What a directory of a batch was begun with."""
    return json.loads((Path(directory) / SUITE).read_text())


def is_at(directory):
    return (Path(directory) / SUITE).is_file()
