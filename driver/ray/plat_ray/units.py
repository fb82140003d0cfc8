"""Spans and sizes, as plat's own options have them."""

UNITS = (("min", 60), ("ms", 0.001), ("h", 3600), ("s", 1))


def spans(text):
    """Seconds of 90, 90s, 10min, 1h."""
    for unit, seconds in UNITS:
        if text.endswith(unit):
            return float(text[: -len(unit)]) * seconds
    return float(text)


def sizes(text):
    """Bytes of 2G, 500M; a number alone is MiB, as --max-memory has it."""
    units = {"G": 1 << 30, "M": 1 << 20, "K": 1 << 10}
    unit = units.get(text[-1:].upper())
    return int(float(text[:-1]) * unit) if unit else int(float(text) * units["M"])


def some(text):
    """A number of things of which there is at least one."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
