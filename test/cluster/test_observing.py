"""Tests requests to the daemon through the API server's proxy, and the daemon's data about Pods."""

import json

import cluster as clusters
import waiting

DISK = "lab.example.com/disk"


def asked(lab, path: str) -> str:
    pod = lab.daemon_pods()[0]["metadata"]["name"]
    return lab.control.kubectl(
        "get", "--raw", f"/api/v1/namespaces/{clusters.NAMESPACE}/pods/{pod}:9405/proxy/{path}"
    )


def test_metrics_and_health_through_the_api_server(lab):
    metrics = asked(lab, "metrics").splitlines()
    assert 'patchbay_units{resource="lab.example.com/disk",state="healthy"} 3' in metrics
    assert asked(lab, "healthz").splitlines()[0] == "ok"
    assert asked(lab, "readyz").splitlines()[0] == "ready"


def test_the_status_in_the_daemons_pod_names_who_holds_a_disk(lab):
    lab.control.apply(clusters.pod("holder", {DISK: 1}))
    lab.wait_running("holder")
    pod = lab.daemon_pods()[0]["metadata"]["name"]

    def told():
        line = ["exec", f"--namespace={clusters.NAMESPACE}", pod, "--"]
        status = lab.control.kubectl(*line, "/usr/local/bin/patchbay", "status", "--output=json")
        return json.dumps(json.loads(status)).count('"pod": "holder"') == 1

    waiting.until(told, "the Pod's name in the status", 30, 1)
