"""A power failure of the node. The starting kubelet admits Pods with disks again."""

import json
import time

import pytest

import cluster as clusters
import waiting

DISK = "lab.example.com/disk"


@pytest.mark.upstream(11)
def test_with_the_daemonset_a_pod_that_held_a_disk_has_failed_and_says_why(lab, figure):
    """A limit of Kubernetes: the Pod fails, because it is admitted before the daemon's Pod runs."""
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    lab.wait_running("one")
    lab.reboot()
    lab.kubelet.up()
    lab.wait_ready()
    waiting.until(lambda: lab.pod("one")["status"]["phase"] == "Failed", "the Pod to have failed")
    status = lab.pod("one")["status"]
    assert status["reason"] == "UnexpectedAdmissionError", json.dumps(status)
    figure(status["message"].splitlines()[0][:160])
    # The disks are back when the DaemonSet's Pod runs, and a new Pod gets them.
    lab.wait_installed()
    lab.wait_count(DISK, 3, 3)
    lab.control.apply(clusters.pod("again", {DISK: 3}))
    lab.wait_running("again")


def test_with_the_daemon_as_a_service_the_pod_starts_again(lab, figure):
    """The daemon waits for the kubelet and registers before the first Pod is admitted."""
    lab.uninstall()
    service = lab.start_daemon("service")
    lab.wait_count(DISK, 3, 3)
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    uid = lab.wait_running("one")["metadata"]["uid"]
    held = lab.kubelet.held()["one"]["main"][DISK]
    for _ in range(3):
        lab.reboot()
        service = lab.start_daemon("service")
        begun = time.time()
        lab.kubelet.up()
        waiting.until(lambda: lab.runtime.running("one"), "the Pod's container to run again", 60)
        figure(f"from the start of the kubelet to the container: {time.time() - begun:.1f} s")
        pod = lab.wait_running("one")
        assert pod["metadata"]["uid"] == uid
        assert lab.kubelet.held()["one"]["main"][DISK] == held
        shown = f"{held[0]}\n"
        waiting.until(
            lambda: lab.inside("one", "head -c 8 /dev/disk0") == shown, "the disk inside", 30
        )
    service.stop()
