"""Compares Prometheus' discovery of the daemons with the manifest."""

import unittest

import yaml

from metrics import ROOT

MONITORING = ROOT / "deploy/monitoring"


def one(path, kind):
    (found,) = [o for o in yaml.safe_load_all(path.read_text()) if o and o["kind"] == kind]
    return found


class Scraping(unittest.TestCase):
    def setUp(self):
        self.daemon_set = one(ROOT / "deploy/patchbay.yaml", "DaemonSet")
        self.template = self.daemon_set["spec"]["template"]
        (self.port,) = self.template["spec"]["containers"][0]["ports"]
        self.namespace = self.daemon_set["metadata"]["namespace"]
        self.name = self.template["metadata"]["labels"]["app.kubernetes.io/name"]

    def test_the_operator_finds_the_port(self):
        monitor = one(MONITORING / "pod-monitor.yaml", "PodMonitor")
        self.assertEqual(monitor["apiVersion"], "monitoring.coreos.com/v1")
        # Without a namespaceSelector, the PodMonitor selects Pods of its own namespace.
        self.assertEqual(monitor["metadata"]["namespace"], self.namespace)
        self.assertNotIn("namespaceSelector", monitor["spec"])
        self.assertEqual(
            monitor["spec"]["selector"]["matchLabels"], self.template["metadata"]["labels"]
        )
        (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
        self.assertEqual((endpoint["port"], endpoint["path"]), (self.port["name"], "/metrics"))

    def test_the_job_has_the_name_that_the_alerts_know(self):
        monitor = one(MONITORING / "pod-monitor.yaml", "PodMonitor")
        label = monitor["spec"]["jobLabel"]
        self.assertEqual(self.template["metadata"]["labels"][label], "patchbay")
        (job,) = yaml.safe_load((MONITORING / "scrape-config.yaml").read_text())["scrape_configs"]
        self.assertEqual(job["job_name"], "patchbay")
        self.assertIn('job="patchbay"', (MONITORING / "rules.yaml").read_text())

    def test_prometheus_alone_finds_the_same(self):
        (job,) = yaml.safe_load((MONITORING / "scrape-config.yaml").read_text())["scrape_configs"]
        (discovery,) = job["kubernetes_sd_configs"]
        self.assertEqual(discovery["role"], "pod")
        self.assertEqual(discovery["namespaces"]["names"], [self.namespace])
        kept = {r["source_labels"][0]: r["regex"] for r in job["relabel_configs"]
                if r.get("action") == "keep"}
        self.assertEqual(
            kept,
            {
                "__meta_kubernetes_pod_label_app_kubernetes_io_name": self.name,
                "__meta_kubernetes_pod_container_port_name": self.port["name"],
            },
        )

    def test_the_node_is_the_instance_in_both(self):
        monitor = one(MONITORING / "pod-monitor.yaml", "PodMonitor")
        (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
        (job,) = yaml.safe_load((MONITORING / "scrape-config.yaml").read_text())["scrape_configs"]
        node = "__meta_kubernetes_pod_node_name"
        self.assertIn({"sourceLabels": [node], "targetLabel": "instance"}, endpoint["relabelings"])
        self.assertIn({"source_labels": [node], "target_label": "instance"}, job["relabel_configs"])
        self.assertEqual(endpoint["interval"], job["scrape_interval"])


if __name__ == "__main__":
    unittest.main()
