"""The metrics that queries use, and those that docs/observing.md lists."""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/docs"))
from documents import table_marked

# Series that Prometheus itself makes.
PROMETHEUS = {"up", "ALERTS"}

NAME = re.compile(r"(?<![\w$])(?:(?:patchbay|process)_\w+|up|ALERTS)\b")


@functools.cache
def documented():
    """Name -> type, by the table of the reference."""
    return table_marked("metrics").column("Type")


def family(name, types):
    """A series of a histogram belongs to it: without its suffix, if that is one."""
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    return base if types.get(base) == "histogram" else name


def used(expression):
    """The metrics that a PromQL expression asks for."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    types = documented()
    return {family(name, types) for name in NAME.findall(bare)}


def selectors(expression):
    """Each metric that a PromQL expression asks for, with its conditions: `up{job="patchbay"}`."""
    return set(re.findall(NAME.pattern + r'(?:\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})?', expression))
