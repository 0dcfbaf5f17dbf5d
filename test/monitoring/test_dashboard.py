"""The dashboard as Grafana reads it. live_queries.py tests its queries."""

import json
import re
import unittest

import dashboard
from metrics import PROMETHEUS, documented, used
from documents import table_marked

# Names in the version of Grafana's format that the dashboard declares.
SCHEMA_VERSION = 39
TYPES = {"heatmap", "row", "stat", "state-timeline", "table", "timeseries"}
UNITS = {"bytes", "cps", "dateTimeFromNow", "eps", "percentunit", "s", "short"}
TRANSFORMATIONS = {"merge", "organize"}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}

# Grafana's own variables.
OWN = {"__all", "__rate_interval", "__range", "__url_time_range", "__value", "__field"}


def texts(value):
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)


def named(value, key):
    """The values of this key, anywhere in a JSON value."""
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from named(inner, key)


class Dashboard(unittest.TestCase):
    def setUp(self):
        self.dashboard = dashboard.load()
        self.panels = dashboard.panels(self.dashboard)
        self.variables = dashboard.variables(self.dashboard)
        self.queries = dashboard.queries(self.dashboard)

    def test_it_can_be_imported(self):
        self.assertEqual(self.dashboard["schemaVersion"], SCHEMA_VERSION)
        # An id is valid in one database only. With it, an import could replace another dashboard.
        self.assertIsNone(self.dashboard["id"])
        self.assertEqual(self.dashboard["uid"], "patchbay")
        self.assertEqual(self.dashboard["title"], "Patchbay")
        self.assertNotIn("__inputs", self.dashboard)
        self.assertIn("patchbay", self.dashboard["tags"])
        self.assertEqual(set(self.dashboard["time"]), {"from", "to"})

    def test_ids_are_there_once(self):
        ids = [p["id"] for p in self.panels]
        ids += [row["id"] for row, _ in dashboard.rows(self.dashboard)]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertTrue(all(isinstance(i, int) and i > 0 for i in ids))
        titles = [p["title"] for p in self.panels]
        self.assertEqual(len(titles), len(set(titles)))

    def test_no_panel_lies_on_another(self):
        outside = {}
        for row, inner in dashboard.rows(self.dashboard):
            # Panels of a collapsed row do not share space with other panels.
            taken = {} if row["collapsed"] else outside
            self.assertEqual(bool(row["panels"]), row["collapsed"], row["title"])
            self.place(row, outside)
            for panel in inner:
                self.place(panel, taken)
                self.assertGreater(panel["gridPos"]["y"], row["gridPos"]["y"], panel["title"])

    def place(self, panel, taken):
        at = panel["gridPos"]
        self.assertEqual(set(at), {"x", "y", "w", "h"})
        self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
        for x in range(at["x"], at["x"] + at["w"]):
            for y in range(at["y"], at["y"] + at["h"]):
                other = taken.setdefault((x, y), panel["title"])
                self.assertEqual(other, panel["title"], "lie on each other")

    def test_panels_are_of_known_types(self):
        for panel in self.panels:
            with self.subTest(panel["title"]):
                self.assertIn(panel["type"], TYPES)
                for transformation in panel.get("transformations", []):
                    self.assertIn(transformation["id"], TRANSFORMATIONS)

    def test_units_are_known(self):
        for panel in self.panels:
            with self.subTest(panel["title"]):
                units = list(named(panel["fieldConfig"]["defaults"], "unit"))
                for override in panel["fieldConfig"]["overrides"]:
                    units += [p["value"] for p in override["properties"] if p["id"] == "unit"]
                units += named(panel["options"], "unit")
                self.assertLessEqual(set(units), UNITS)
                if panel["type"] not in ("table", "state-timeline"):
                    self.assertTrue(units, "a figure without a unit")

    def test_thresholds_go_up(self):
        for panel in self.panels:
            with self.subTest(panel["title"]):
                for thresholds in named(panel["fieldConfig"], "thresholds"):
                    values = [step["value"] for step in thresholds["steps"]]
                    self.assertIsNone(values[0])
                    self.assertEqual(values[1:], sorted(values[1:]))

    def test_every_panel_says_what_it_means_and_what_to_do(self):
        for panel in self.panels:
            with self.subTest(panel["title"]):
                self.assertGreater(len(panel["description"].split()), 8)
                self.assertTrue(panel["description"].endswith("."))
                # A description must say more than the title.
                self.assertNotEqual(panel["description"], panel["title"])

    def test_log_lines_that_they_name_exist(self):
        messages = " ".join(row[0] for row in table_marked("log lines: warning").rows)
        named_lines = re.findall(r"the (?:daemon's )?log says `([^`]+)`", " ".join(
            panel["description"] for panel in self.panels))
        self.assertTrue(named_lines)
        for message in named_lines:
            self.assertIn(message, messages)

    def test_every_query_asks_the_source_that_was_chosen(self):
        self.assertEqual(self.variables["datasource"]["type"], "datasource")
        self.assertEqual(self.variables["datasource"]["query"], "prometheus")
        for panel in self.panels:
            with self.subTest(panel["title"]):
                self.assertEqual(panel["datasource"], SOURCE)
                self.assertTrue(panel["targets"])
                for target in panel["targets"]:
                    self.assertEqual(target["datasource"], SOURCE)
        for annotation in dashboard.annotations(self.dashboard):
            self.assertEqual(annotation["datasource"], SOURCE)
        for name, variable in self.variables.items():
            if name != "datasource":
                self.assertEqual(variable["datasource"], SOURCE)

    def test_queries_of_a_panel_have_names_of_their_own(self):
        for panel in self.panels:
            with self.subTest(panel["title"]):
                names = [target["refId"] for target in panel["targets"]]
                self.assertEqual(len(names), len(set(names)))

    def test_every_variable_that_is_used_exists_and_is_used(self):
        asked = set()
        for text in texts(self.dashboard):
            asked |= set(re.findall(r"\$\{?([A-Za-z_]\w*)", text))
        self.assertEqual(asked - OWN, set(self.variables))

    def test_one_can_choose_several_or_all(self):
        for name in ("cluster", "node", "resource"):
            variable = self.variables[name]
            self.assertTrue(variable["multi"] and variable["includeAll"])
            # `All` must also match series without the label, as with a single cluster.
            self.assertEqual(variable["allValue"], ".*")
            self.assertEqual(variable["current"]["value"], ["$__all"])
            self.assertEqual(variable["query"]["query"], variable["definition"])

    def test_every_query_is_of_what_was_chosen(self):
        for query in self.queries:
            with self.subTest(query.where):
                self.assertIn('cluster=~"$cluster", instance=~"$node"', query.expression)
                if re.search(r"\bresource\b", re.sub(r"\{[^}]*\}", "", query.expression)):
                    if "ALERTS" not in query.expression:  # Some alerts have no resource.
                        self.assertIn('resource=~"$resource"', query.expression)

    def test_two_clusters_are_told_apart(self):
        for query in self.queries:
            with self.subTest(query.where):
                for labels in re.findall(r"(?:by|on) \(([^)]*)\)", query.expression):
                    if "instance" in labels:
                        self.assertIn("cluster", labels)

    def test_a_rate_is_over_the_interval_that_grafana_gives(self):
        for query in self.queries:
            with self.subTest(query.where):
                for window in re.findall(r"\[([^]]*)\]", query.expression):
                    self.assertIn(window, ("$__rate_interval", "$__range"))

    def test_columns_are_called_by_what_they_have(self):
        for panel in self.panels:
            with self.subTest(panel["title"]):
                if panel["type"] != "table":
                    continue
                organize = panel["transformations"][1]["options"]
                values = {f"Value #{target['refId']}" for target in panel["targets"]}
                if len(panel["targets"]) == 1:
                    values = {"Value"}
                shown = set(organize["renameByName"]) | set(organize["excludeByName"])
                self.assertLessEqual(values, shown, "a column without a name")
                for target in panel["targets"]:
                    self.assertEqual((target["format"], target["instant"]), ("table", True))
                # Overrides and sort orders must name existing headings.
                headings = set(organize["renameByName"].values())
                for override in panel["fieldConfig"]["overrides"]:
                    self.assertIn(override["matcher"]["options"], headings)
                for column in panel["options"].get("sortBy", []):
                    self.assertIn(column["displayName"], headings)

    def test_what_needs_a_series_for_each_unit_says_so(self):
        for panel in self.panels:
            with self.subTest(panel["title"]):
                metrics = set().union(*(used(target["expr"]) for target in panel["targets"]))
                if metrics & {"patchbay_unit_healthy", "patchbay_unit_allocation_info"}:
                    self.assertIn("--metrics-per-unit", panel["description"])

    def test_links_lead_to_the_dashboard(self):
        for url in named(self.dashboard, "url"):
            if url:
                self.assertTrue(url.startswith(f"/d/{self.dashboard['uid']}?"), url)

    def test_it_is_json_that_people_can_read(self):
        text = dashboard.PATH.read_text()
        self.assertTrue(text.startswith("{\n  ") and text.endswith("}\n"))
        self.assertEqual(json.loads(text), self.dashboard)


class Metrics(unittest.TestCase):
    def setUp(self):
        loaded = dashboard.load()
        asked = [query.expression for query in dashboard.queries(loaded)]
        for variable in dashboard.variables(loaded).values():
            asked.append(variable.get("definition", ""))
        self.used = set().union(*map(used, asked))

    def test_what_it_shows_is_documented(self):
        self.assertEqual(self.used - set(documented()) - PROMETHEUS, set())

    def test_what_is_documented_is_shown(self):
        self.assertEqual(set(documented()) - self.used, set())


if __name__ == "__main__":
    unittest.main()
