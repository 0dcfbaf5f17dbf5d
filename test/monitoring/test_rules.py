"""Tests the alerts: Prometheus accepts them, each fires when it should, and their texts are true.
live_queries.py tests them with real daemons."""

import os
import re
import shutil
import subprocess
import unittest

import yaml

from metrics import PROMETHEUS, ROOT, documented, used
from documents import Document, table_marked

MONITORING = ROOT / "deploy/monitoring"
RULES = MONITORING / "rules.yaml"
OF_THE_OPERATOR = MONITORING / "prometheus-rule.yaml"
TESTS = ROOT / "test/monitoring/alerts.yaml"


def alerts():
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    return group["rules"]


def promtool(*arguments):
    if not shutil.which("promtool"):
        raise AssertionError("there is no promtool: scripts/setup --test installs it")
    return subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True)


def for_the_operator():
    """The expected prometheus-rule.yaml: its header, and the rules below `spec`."""
    head = OF_THE_OPERATOR.read_text().split("\nspec:\n")[0]
    rules = re.sub(r"\A(?:#.*\n)+", "", RULES.read_text())
    lines = (f"  {line}" if line else "" for line in rules.splitlines())
    return head + "\nspec:\n" + "\n".join(lines) + "\n"


class Rules(unittest.TestCase):
    def test_prometheus_accepts_them(self):
        result = promtool("check", "rules", RULES)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_they_fire_and_resolve(self):
        result = promtool("test", "rules", TESTS)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_each_has_such_a_test(self):
        tests = yaml.safe_load(TESTS.read_text())["tests"]
        fires = set()
        for test in tests:
            for asked in test.get("promql_expr_test", []):
                for sample in asked["exp_samples"]:
                    fires |= set(re.findall(r'alertname="(\w+)"', sample["labels"]))
            for asked in test.get("alert_rule_test", []):
                if asked["exp_alerts"]:
                    fires.add(asked["alertname"])
            # At the last check of each test, no alert fires.
            last = max(test["promql_expr_test"], key=lambda asked: int(asked["eval_time"][:-1]))
            self.assertEqual((last["expr"], last["exp_samples"]), ("ALERTS", []), test["name"])
            self.assertEqual(test["promql_expr_test"][0]["exp_samples"], [], test["name"])
        self.assertEqual(fires, {alert["alert"] for alert in alerts()})
        self.assertGreater(len(tests), len(fires))

    def test_the_operator_gets_the_same(self):
        if os.environ.get("PATCHBAY_UPDATE_GOLDEN"):
            OF_THE_OPERATOR.write_text(for_the_operator())
        self.assertEqual(OF_THE_OPERATOR.read_text(), for_the_operator())
        rule = yaml.safe_load(OF_THE_OPERATOR.read_text())
        self.assertEqual(rule["spec"], yaml.safe_load(RULES.read_text()))
        self.assertEqual(rule["kind"], "PrometheusRule")
        self.assertEqual(rule["apiVersion"], "monitoring.coreos.com/v1")

    def test_each_says_what_it_means_and_where_more_stands(self):
        for alert in alerts():
            with self.subTest(alert["alert"]):
                self.assertRegex(alert["alert"], r"^Patchbay[A-Z]\w+$")
                self.assertIn(alert["labels"]["severity"], ("critical", "warning"))
                self.assertEqual(
                    list(alert["annotations"]), ["summary", "description", "runbook"]
                )
                self.assertLess(len(alert["annotations"]["summary"]), 100)

    def test_runbooks_exist(self):
        for alert in alerts():
            with self.subTest(alert["alert"]):
                name, _, section = alert["annotations"]["runbook"].partition("#")
                self.assertEqual((name, section), ("docs/alerts.md", alert["alert"].lower()))
                self.assertIn(section, Document(ROOT / name).anchors())

    def test_log_lines_and_options_that_they_name_exist(self):
        messages = " ".join(row[0] for row in table_marked("log lines: warning").rows)
        options = " ".join(row[0] for row in table_marked("options: run").rows)
        for alert in alerts():
            with self.subTest(alert["alert"]):
                text = alert["annotations"]["description"]
                for message in re.findall(r'log has the reason: "([^"]+)"', text):
                    self.assertIn(message, messages)
                for option in re.findall(r"--max-\w+", text):
                    self.assertIn(option, options)

    def test_their_metrics_are_documented(self):
        for alert in alerts():
            with self.subTest(alert["alert"]):
                known = set(documented()) | PROMETHEUS
                self.assertLessEqual(used(alert["expr"]), known)

    def test_they_are_documented(self):
        text = (ROOT / "docs/alerts.md").read_text()
        shown = {
            alert: severity.lower()
            for alert, severity in re.findall(r"^## (Patchbay\w+)\n\n\*\*(\w+):\*\* ", text, re.M)
        }
        self.assertEqual(shown, {a["alert"]: a["labels"]["severity"] for a in alerts()})

    def test_commands_that_the_document_shows_change_runbooks_and_severities(self):
        links, severity = [
            subprocess.run(
                ["sh", "-c", line.split(" | kubectl")[0]],
                cwd=ROOT, capture_output=True, text=True, check=True,
            ).stdout
            for block in Document(ROOT / "docs/alerts.md").blocks
            for line in block.text.splitlines()
            if line.startswith("sed ")
        ]
        for line in links.splitlines():
            if "docs/alerts.md#" in line:
                self.assertRegex(line, r"runbook_url: https://\S+/docs/alerts.md#[\w-]+$|^#")
        self.assertEqual(links.count("runbook_url: https://"), len(alerts()))
        (group,) = yaml.safe_load(severity)["spec"]["groups"]
        changed = [a["alert"] for a, b in zip(group["rules"], alerts()) if a != b]
        self.assertEqual(changed, ["PatchbayUnitsLost"])


if __name__ == "__main__":
    unittest.main()
