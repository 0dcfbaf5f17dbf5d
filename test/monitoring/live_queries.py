"""Runs every query of the dashboard and of the alerts in a Prometheus that scrapes daemons."""

import re
import unittest

import yaml

import dashboard
from fleet import HEAD, LINE, OTHERS, PORT, PRE_START, Node
from kubelet import PodResources, RefusingKubelet
from metrics import documented, family, selectors, used
from prometheus import Prometheus
from test_rules import MONITORING, RULES, alerts

# The alerts that these daemons cause, as (alert, node). No other alert fires.
FIRING = {
    ("PatchbayDown", "bench-4"),
    ("PatchbayRestarts", "bench-2"),
    ("PatchbayKubeletAway", "bench-2"),
    ("PatchbayResourceNotRegistered", "bench-3"),
    ("PatchbayStreamsEnd", "bench-1"),
    ("PatchbayConfigurationRefused", "bench-1"),
    ("PatchbayUnitsUnhealthy", "bench-1"),
    ("PatchbayNoUnitHealthy", "bench-1"),
    ("PatchbayUnitsMissing", "bench-1"),
    ("PatchbayUnitsLost", "bench-1"),
    ("PatchbayNothingFound", None),
    ("PatchbayDevicesRefused", "bench-1"),
    ("PatchbayAllocateRefused", "bench-1"),
    ("PatchbayPreStartFails", "bench-1"),
}
# This panel shows only non-zero values, but no event is lost here. So the test removes the filter.
ASKED_WITHOUT_FILTER = {"Events lost A": " > 0"}

CHOSEN = {"cluster": "lab", "node": "bench-1", "resource": "lab[.]example[.]com/line"}
ALL = {"cluster": ".*", "node": ".*", "resource": ".*"}


def filled(expression, choice=ALL):
    """The expression as Grafana sends it, with a scrape each second."""
    for name, value in {"__rate_interval": "10s", "__range": "1m", **choice}.items():
        expression = re.sub(rf"\${name}\b", value, expression)
    return expression


def has_series(expression):
    """Whether these daemons have the metrics. They have no DRA driver: alerts.yaml has the tests of
    its alerts."""
    return "patchbay_dra_" not in expression


def target(node, **changed):
    """A Pod as Kubernetes reports it."""
    pod = {
        "namespace": "patchbay", "pod_name": node.pod, "pod_phase": "Running",
        "pod_node_name": node.name, "pod_label_app_kubernetes_io_name": "patchbay",
        "pod_container_name": "patchbay", "pod_container_port_name": "http", **changed,
    }
    labels = {f"__meta_kubernetes_{key}": value for key, value in pod.items()}
    return {"targets": [f"{node.address}:{PORT}"], "labels": {"cluster": "lab", **labels}}


def configuration(nodes):
    """deploy/monitoring/scrape-config.yaml with the addresses of the Pods."""
    config = yaml.safe_load((MONITORING / "scrape-config.yaml").read_text())
    (job,) = config["scrape_configs"]
    del job["kubernetes_sd_configs"]
    job["static_configs"] = [
        *map(target, nodes),
        target(nodes[0], pod_phase="Succeeded", pod_name="ended"),
        target(nodes[0], pod_container_port_name="other", pod_name="other-port"),
        target(nodes[0], pod_label_app_kubernetes_io_name="other", pod_name="other"),
    ]
    job["scrape_interval"] = "1s"
    config["global"] = {"evaluation_interval": "1s"}
    return config


class LiveQueries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pods = PodResources("lab", "camera-0", "main", "lab.example.com/line", ["line1"])
        cls.addClassCleanup(cls.pods.close)
        cls.served = Node("bench-1", "--standalone", "--pod-resources", cls.pods.path)
        cls.away = Node("bench-2")
        cls.refused = Node("bench-3")
        # The second Pod of a node during an upgrade. One of the two daemons is on standby.
        cls.surge = Node("bench-3", pod="patchbay-surge")
        cls.gone = Node("bench-4")  # No daemon runs on this node.
        cls.running = [cls.served, cls.away, cls.refused, cls.surge]
        cls.nodes = [*cls.running, cls.gone]
        for node in cls.nodes:
            cls.addClassCleanup(node.close)
        for node, of in (
            (cls.away, cls.away), (cls.refused, cls.refused), (cls.surge, cls.refused),
        ):
            node.options = ("--kubelet-dir", str(of.kubelet))
        kubelet = RefusingKubelet(cls.refused.kubelet)
        cls.addClassCleanup(kubelet.close)
        cls.served.config.write_text(HEAD + LINE + OTHERS)
        for node in cls.running:
            node.start()

        rules = yaml.safe_load(RULES.read_text())
        for alert in rules["groups"][0]["rules"]:
            alert["for"] = "0s"
        cls.prometheus = Prometheus(configuration(cls.nodes), rules)
        cls.addClassCleanup(cls.prometheus.close)
        cls.prometheus.wait_until(cls.prometheus.is_ready, lambda: "prometheus is not ready")
        cls.starts, cls.edits = 1, 0
        cls.prometheus.wait_until(cls.stirred_enough, lambda: "edits and starts are not seen")
        cls.served.unplug("line2")  # This device stays unplugged.
        cls.served.config.write_text("what is this\n")

    @classmethod
    def stir(cls):
        """Causes an event of each kind."""
        cls.served.replug()
        line, door = "lab.example.com/line", "lab.example.com/door"
        cls.served.call("allocate", line, "line1")
        cls.served.call("allocate", line, "none")
        cls.served.call("prefer", line, "1", "line1")
        cls.served.call("start", line, "line1")
        cls.served.call("start", door, "door1")

    @classmethod
    def stirred_enough(cls):
        """Restarts daemons and edits configurations, each after Prometheus has seen the previous
        change, as often as the alerts require."""
        cls.stir()
        seen = cls.prometheus.query(
            'changes(process_start_time_seconds{instance="bench-2"}[1h]) + 1')
        if seen and seen[0][1] >= cls.starts and cls.starts <= 4:
            cls.away.stop()
            cls.away.start()
            cls.starts += 1
        seen = cls.prometheus.query('patchbay_config_generation{instance="bench-1"}')
        taken = bool(seen) and seen[0][1] > cls.edits
        if taken and cls.edits < 7:
            cls.edits += 1
            taken = False
            more = PRE_START if cls.edits % 2 else ""
            cls.served.config.write_text(HEAD + LINE + more + OTHERS)
        return cls.starts > 4 and taken

    def wait_for(self, holds, what):
        def asked():
            self.stir()
            return holds()

        self.prometheus.wait_until(
            asked, lambda: f"{what()}\n" + "\n".join(node.log() for node in self.running))

    def all_have_data(self, expressions):
        """Waits until each of the named expressions returns data. Returns the data by name."""
        found = {}

        def ask():
            for name in expressions.keys() - found.keys():
                result = self.prometheus.query(expressions[name])
                if result:
                    found[name] = result
            return len(found) == len(expressions)

        self.wait_for(ask, lambda: f"no data: {sorted(expressions.keys() - found.keys())}")
        return found

    def test_every_query_of_the_dashboard(self):
        loaded = dashboard.load()
        asked = {}
        for query in dashboard.queries(loaded):
            if not has_series(query.expression):
                continue
            unfiltered = query.expression.removesuffix(ASKED_WITHOUT_FILTER.get(str(query), ""))
            asked[str(query)] = filled(unfiltered)
        found = self.all_have_data(asked)
        # Checks that the labels in legends and column headings exist.
        for panel in dashboard.panels(loaded):
            if not has_series(panel["targets"][0]["expr"]):
                continue
            labels = set()
            for query in panel["targets"]:
                for metric, _ in found.get(f"{panel['title']} {query['refId']}", []):
                    labels |= metric.keys()
            wanted = set()
            for query in panel["targets"]:
                wanted |= set(re.findall(r"\{\{(\w+)\}\}", query.get("legendFormat", "")))
                if panel["type"] == "table":
                    columns = panel["transformations"][1]["options"]["renameByName"]
                    wanted |= {name for name in columns if not name.startswith("Value")}
            with self.subTest(panel["title"]):
                self.assertLessEqual(wanted - {"le"}, labels)

    def test_what_is_chosen_is_shown_alone(self):
        shown = 0
        for query in dashboard.queries(dashboard.load()):
            with self.subTest(query.where):
                for labels, _ in self.prometheus.query(filled(query.expression, CHOSEN)):
                    self.assertIn(labels.get("instance"), (None, "bench-1"))
                    if "ALERTS" not in query.expression:
                        self.assertIn(labels.get("resource"), (None, "lab.example.com/line"))
                    shown += 1
        self.assertGreater(shown, 50)

    def test_every_variable_has_values(self):
        def values(variable):
            return lambda: self.prometheus.label_values(label, filled(selector))

        for variable in dashboard.variables(dashboard.load()).values():
            if variable["type"] != "query":
                continue
            selector, label = re.fullmatch(
                r"label_values\((.+), (\w+)\)", variable["definition"]).groups()
            with self.subTest(variable["name"]):
                self.wait_for(values(variable), lambda: "there is nothing to choose")

    def test_figures(self):
        figures = {
            "Nodes A": 3, "Kubelets unavailable A": 1, "Rejected configurations A": 1,
            # One on bench-2, and one on bench-3, which has two daemons.
            "Not registered A": 2,
        }
        expressions = {
            str(query): filled(query.expression) for query in dashboard.queries(dashboard.load())
        }
        for name, figure in figures.items():
            with self.subTest(name):
                self.wait_for(
                    lambda: [v for _, v in self.prometheus.query(expressions[name])] == [figure],
                    lambda: str(self.prometheus.query(expressions[name])),
                )

    def test_what_every_alert_asks_for_is_there(self):
        asked = {
            f"{alert['alert']}: {selector}": selector
            for alert in alerts()
            for selector in selectors(alert["expr"])
            if has_series(selector)
        }
        self.all_have_data(asked)

    def test_alerts_fire(self):
        def firing():
            return {
                (alert["labels"]["alertname"], alert["labels"].get("instance"))
                for alert in self.prometheus.alerts()
                if alert["state"] == "firing"
            }

        self.wait_for(lambda: FIRING <= firing(), lambda: f"not firing: {FIRING - firing()}")
        self.wait_for(lambda: firing() == FIRING, lambda: f"firing: {firing() - FIRING}")
        for alert in self.prometheus.alerts():
            for text in alert["annotations"].values():
                self.assertNotIn("<no value>", text)
                self.assertNotRegex(text, r"  |^ | $|\{\{|error")

    def test_a_daemon_that_stands_by_is_shown(self):
        self.wait_for(
            lambda: {(labels["instance"], value) for labels, value in self.prometheus.query(
                "max by (instance) (patchbay_resource_standby)")} >= {("bench-3", 1)},
            lambda: "nobody stands by",
        )

    def test_every_alert_can_be_evaluated(self):
        def health():
            return {rule["name"]: rule["health"] for rule in self.prometheus.rules()}

        expected = {alert["alert"]: "ok" for alert in alerts()}
        self.wait_for(lambda: health() == expected, lambda: str(health()))

    def test_the_daemons_alone_are_scraped(self):
        def shown():
            return {
                (t["labels"]["instance"], t["labels"]["pod"], t["health"])
                for t in self.prometheus.targets()
            }

        expected = {
            (node.name, node.pod, "down" if node is self.gone else "up")
            for node in self.nodes
        }
        self.wait_for(lambda: shown() == expected, lambda: str(shown()))

    def test_what_is_documented_is_there(self):
        types = {name: kind for name, kind in documented().items() if has_series(name)}

        def names():
            return {family(name, types) for name in self.prometheus.label_values("__name__")}

        self.wait_for(lambda: types.keys() <= names(), lambda: str(types.keys() - names()))


if __name__ == "__main__":
    unittest.main()
