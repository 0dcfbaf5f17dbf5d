"""Parses deploy/monitoring/dashboard.json."""

import json
from dataclasses import dataclass

from metrics import ROOT

PATH = ROOT / "deploy/monitoring/dashboard.json"


@dataclass
class Query:
    where: str
    expression: str
    instant: bool

    def __str__(self):
        return self.where


def load():
    return json.loads(PATH.read_text())


def rows(dashboard):
    """(row, its panels) for each row. A collapsed row contains its panels; otherwise they follow
    it."""
    found = []
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            found.append((panel, list(panel["panels"])))
        else:
            found[-1][1].append(panel)
    return found


def panels(dashboard):
    """All panels that are not rows."""
    return [panel for _, inner in rows(dashboard) for panel in inner]


def variables(dashboard):
    return {variable["name"]: variable for variable in dashboard["templating"]["list"]}


def annotations(dashboard):
    """The annotations that query Prometheus."""
    return [a for a in dashboard["annotations"]["list"] if not a.get("builtIn")]


def queries(dashboard):
    """The queries of panels and annotations."""
    found = [
        Query(f"{panel['title']} {target['refId']}", target["expr"], target.get("instant", False))
        for panel in panels(dashboard)
        for target in panel["targets"]
    ]
    return found + [Query(a["name"], a["expr"], False) for a in annotations(dashboard)]
