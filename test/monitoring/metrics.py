"""The metrics in queries, and those that docs/observing.md lists."""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/docs"))
from documents import table_marked

# Series of Prometheus itself.
PROMETHEUS = {"up", "ALERTS"}

NAME = re.compile(r"(?<![\w$])(?:(?:patchbay|process)_\w+|up|ALERTS)\b")


@functools.cache
def documented():
    """The type of each metric by its name, from the table of the reference."""
    return table_marked("metrics").column("Type")


def family(name, types):
    """The metric of a series: without the suffix of a histogram, if it has one."""
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    return base if types.get(base) == "histogram" else name


def used(expression):
    """The metrics in a PromQL expression."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    types = documented()
    return {family(name, types) for name in NAME.findall(bare)}


def selectors(expression):
    """Each metric in a PromQL expression, with its conditions: `up{job="patchbay"}`."""
    return set(re.findall(NAME.pattern + r'(?:\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})?', expression))
