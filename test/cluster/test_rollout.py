"""Another version, another kubelet, two daemons at once: measures the time without the resource."""

import json
import time

import pytest

import cluster as clusters
import waiting

DISK = "lab.example.com/disk"


@pytest.mark.upstream(22)
def test_a_rolling_update_with_surge(lab, figure):
    with lab.kubelet.watch() as watch:
        lab.roll_out()
        waiting.until(lambda: watch.count(DISK) == 3, "the disks", 30, 0.02)
        without = watch.without(DISK, 3, time.time())
    figure(f"rolling update: no disks for {1000 * without:.0f} ms")
    # Without a standby daemon, the gap would be more than a second.
    assert without < 0.5
    lab.wait_count(DISK, 3, 3)


@pytest.mark.upstream(23, 24)
def test_a_second_daemon_in_standby_exits_without_effect(lab, figure):
    with lab.kubelet.watch() as watch:
        second = lab.start_daemon("second")
        waiting.until(lambda: "standby" in second.tail(100), "the second to stand by", 30)
        second.stop()
        without = watch.without(DISK, 3, time.time())
    assert without == 0
    figure("start and exit of a second daemon: no disks for 0 ms")
    lab.control.apply(clusters.pod("one", {DISK: 3}))
    lab.wait_running("one")


@pytest.mark.upstream(23)
def test_a_second_daemon_takes_over_when_the_first_is_killed(lab, figure):
    second = lab.start_daemon("second")
    waiting.until(lambda: "standby" in second.tail(100), "the second to stand by", 30)
    with lab.kubelet.watch() as watch:
        lab.kill_daemon_of_pod()
        waiting.until(
            lambda: watch.count(DISK) == 3 and "standby" in lab.daemon_log(),
            "the Pod's daemon, started anew, to stand by",
            60,
        )
        without = watch.without(DISK, 3, time.time())
    figure(f"takeover from a killed daemon: no disks for {1000 * without:.0f} ms")
    second.stop()
    waiting.until(lambda: len(lab.kubelet.allocatable().get(DISK, [])) == 3, "the disks", 30)


def test_a_kubelet_that_is_upgraded_in_place(lab, upgraded_kubelet, figure):
    """Upgrade from an older version: Pods keep running with their devices."""
    lab.control.apply(clusters.pod("one", {DISK: 2}))
    lab.wait_running("one")
    held = lab.kubelet.held()["one"]["main"][DISK]
    uid = lab.pod("one")["metadata"]["uid"]
    before = lab.kubelet.version
    lab.kubelet.down()
    lab.kubelet.version = upgraded_kubelet
    lab.kubelet.up()
    begun = time.time()
    waiting.until(lambda: len(lab.kubelet.allocatable().get(DISK, [])) == 3, "the disks", 60, 0.05)
    figure(f"kubelet {before} to {upgraded_kubelet}: disks after {time.time() - begun:.1f} s")
    lab.wait_ready()
    waiting.until(
        lambda: lab.control.get("node", "node")["status"]["nodeInfo"]["kubeletVersion"]
        == upgraded_kubelet,
        "the node to tell its new version",
    )
    waiting.until(lambda: lab.kubelet.held()["one"]["main"][DISK] == held, "the same disks", 30)
    pod = lab.wait_running("one")
    assert pod["metadata"]["uid"] == uid
    assert json.dumps(pod["status"]["containerStatuses"]).count('"restartCount": 0') == 1
