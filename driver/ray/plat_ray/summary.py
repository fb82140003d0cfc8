"""The summary of all pieces together, with the keys that `summary.json` of a run has.

Figures are added up, but for those that are the most that some process or path has had. Times by the clock
are therefore times of workers, and not of the exploration.
"""

from .piece import OPEN, SHARES

# The most of any piece.
MOST = {"peak_rss_bytes", "peak_bytes", "max_targets", "heap_peak_bytes", "segments",
        "max_segment_bytes", "max_alternatives", "max_bytes", "processes", "version", "seed"}
# What tells the entries of a list apart.
NAMES = ("file", "line", "reason", "choice", "kind", "function", "message", "target")


def joined(summaries, covered, whole):
    """The summary of pieces that have covered so many instructions together, and are all that there are or
    not. Words are those of the first."""
    first, *others = summaries
    for other in others:
        first = both(first, other)
    for of_parts in (OPEN, SHARES):
        first.pop(of_parts, None)
    first["coverage"]["covered"], first["coverage"]["instructions"] = (
        covered, max(summary["coverage"]["instructions"] for summary in summaries))
    first["stop"] = "finished" if whole else "interrupted"
    return first


def both(one, other, key=None):
    if isinstance(one, dict):
        return {name: both(one[name], other[name], name) if name in one and name in other
                else one.get(name, other.get(name)) for name in {**one, **other}}
    if isinstance(one, bool):
        return one or other
    if isinstance(one, (int, float)):
        return max(one, other) if key in MOST else one + other
    if isinstance(one, list):
        return both_lists(one, other)
    return one


def both_lists(one, other):
    if all(isinstance(entry, (int, float)) for entry in one + other):
        longer, shorter = sorted((one, other), key=len, reverse=True)
        return [figure + (shorter[at] if at < len(shorter) else 0) for at, figure in enumerate(longer)]
    found = {}
    for entry in one + other:
        name = tuple(entry.get(part) for part in NAMES)
        known = found.get(name)
        # What names an entry is no figure.
        found[name] = entry if known is None else {
            **both(known, entry), **{part: entry[part] for part in NAMES if part in entry}}
    return sorted(found.values(), key=lambda entry: -entry.get("count", 0))
