"""The metrics that queries use, and those that docs/observing.md lists."""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/docs"))
from documents import table_marked

# Used by dashboard and alerts, and not there yet. Once one is, the tests fail until it is taken out
# of here, and from then on it must return data as all others.
NOT_YET = {
    "patchbay_event_to_list_seconds",
    "patchbay_probes_running",
    "patchbay_probes_late",
    "patchbay_units_held",
    "patchbay_unit_holder_info",
}

# Of Prometheus itself.
PROMETHEUS = {"up", "ALERTS"}

NAME = re.compile(r"(?<![\w$])(?:(?:patchbay|process)_\w+|up|ALERTS)\b")


@functools.cache
def documented():
    """Name -> type, by the table of the reference."""
    return table_marked("metrics").column("Type")


def family(name, types):
    """A series of a histogram belongs to it: without its suffix, if that is one."""
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    return base if types.get(base) == "histogram" or base in NOT_YET else name


def used(expression):
    """The metrics that a PromQL expression asks for."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    types = documented()
    return {family(name, types) for name in NAME.findall(bare)}


def selectors(expression):
    """Each metric that a PromQL expression asks for, with its conditions: `up{job="patchbay"}`."""
    return set(re.findall(NAME.pattern + r'(?:\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})?', expression))
