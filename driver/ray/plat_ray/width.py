"""How many processes of plat explore a piece together, on one node (`plat run --workers`).

They share its paths without the driver: a process that has nothing left gets half of another's paths by a fork, in
some hundredths of a second. On many processors the driver would have too many pieces to give out, one by one. On few,
it divides better: it sees which piece has most left, and processes of different pieces help each other.
"""

# Pieces at once that the driver keeps up with. It takes 4 ms for each, and pieces end after half a second where
# slots wait for work.
AT_ONCE = 100
# Of one run of plat.
MOST = 64
WORKERS = "--workers"
# A run with one of these has one process, as its results depend on the order of paths (`plat explore --help`).
ONE_PROCESS = {
    "--check-points-to",
    "--exit-on-error",
    "--exit-on-error-type",
    "--fuzzer-corpus",
    "--log-queries",
    "--max-forks",
    "--max-instructions",
    "--max-tests",
    "--only-output-states-covering-new",
    "--seed-dir",
    "--seed-file",
    "--target",
    "--use-merge",
    "--write-cov",
    "--write-exec-tree",
}


def asked_for(options):
    """The value of --workers among the options of plat, if it is there."""
    found = None
    for at, option in enumerate(options):
        name, equals, value = option.partition("=")
        if name == WORKERS:
            found = int(value if equals else options[at + 1])
    return found


def width_of(options, smallest, slots):
    """How many processes explore a piece with these options of plat, on a cluster whose smallest node has so many
    processors, and of which so many may be used."""
    asked = asked_for(options)
    if asked is not None:
        return asked
    if any(option.partition("=")[0] in ONE_PROCESS for option in options):
        return 1
    return max(1, min(-(-slots // AT_ONCE), smallest, MOST))


def with_width(options, width):
    """The options with that many processes."""
    return list(options) if asked_for(options) is not None else [*options, WORKERS, str(width)]
