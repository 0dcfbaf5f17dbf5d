"""A Pod with a disk keeps it over restarts of the kubelet, the daemon and Pods in any order."""

import json
import signal
import time

import pytest

import cluster as clusters
import waiting

DISK = "lab.example.com/disk"


@pytest.fixture
def running(lab):
    """A running Pod with a disk; returns (uid, id of the disk)."""
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    pod = lab.wait_running("one")
    return pod["metadata"]["uid"], lab.kubelet.held()["one"]["main"][DISK]


def kept(lab, before) -> None:
    """Expects that the same Pod runs with the same disk, according to the API and PodResources."""
    uid, held = before
    waiting.until(lambda: lab.kubelet.held()["one"]["main"][DISK] == held, "the same disk", 30)
    assert lab.wait_running("one")["metadata"]["uid"] == uid
    shown = "echo $DISKS; head -c 8 /dev/disk0"
    # The container in state running may be the previous one.
    expected = f"{held[0]}\n{held[0]}\n"
    waiting.until(lambda: lab.inside("one", shown) == expected, "the disk in the container", 30)


def restart_container(lab) -> None:
    count = lab.pod("one")["status"]["containerStatuses"][0]["restartCount"]

    def restarted():
        if lab.pod("one")["status"]["containerStatuses"][0]["restartCount"] > count:
            return True
        # A starting kubelet answers after a moment.
        lab.inside("one", "kill 1", check=False)
        return False

    waiting.until(restarted, "the container to start again", every=1)


@pytest.mark.upstream(3)
def test_of_the_container(lab, running):
    restart_container(lab)
    kept(lab, running)


@pytest.mark.upstream(4)
def test_of_the_kubelet(lab, running, figure):
    lab.kubelet.down()
    lab.kubelet.up()
    begun = time.time()
    waiting.until(lambda: len(lab.kubelet.allocatable().get(DISK, [])) == 3, "the disks", 30, 0.02)
    figure(f"from the start of the kubelet to the disks: {time.time() - begun:.1f} s")
    kept(lab, running)
    lab.wait_count(DISK, 3, 3)


@pytest.mark.upstream(5)
def test_of_the_kubelet_and_the_container(lab, running):
    lab.kubelet.down()
    lab.kubelet.up()
    lab.wait_ready()
    waiting.until(lambda: len(lab.kubelet.allocatable().get(DISK, [])) == 3, "the disks", 30)
    restart_container(lab)
    kept(lab, running)


@pytest.mark.upstream(7)
def test_of_the_daemon_and_the_container(lab, running, figure):
    with lab.kubelet.watch() as watch:
        lab.kill_daemon(signal.SIGKILL)
        lab.wait_new_daemon()
        waiting.until(lambda: watch.count(DISK) == 3, "the disks", 60, 0.02)
        figure(f"after SIGKILL of the daemon: no disks for {watch.without(DISK, 3, time.time()):.2f} s")
    restart_container(lab)
    kept(lab, running)


@pytest.mark.upstream(8)
def test_of_the_kubelet_and_the_daemon(lab, running):
    lab.kubelet.down()
    lab.kill_daemon()
    lab.kubelet.up()
    waiting.until(lambda: len(lab.kubelet.allocatable().get(DISK, [])) == 3, "the disks", 60)
    kept(lab, running)


@pytest.mark.upstream(6)
def test_a_pod_that_has_ended_is_not_admitted_again_without_the_daemon(lab):
    container = clusters.container("main", {DISK: 1}, command="echo $DISKS")
    lab.control.apply(clusters.pod_of("done", [container], restartPolicy="Never"))
    waiting.until(lambda: lab.pod("done")["status"]["phase"] == "Succeeded", "the Pod's end")
    lab.uninstall()
    lab.kubelet.restart()
    lab.wait_ready()
    lab.control.apply(clusters.pod("later"))
    lab.wait_running("later")
    assert lab.pod("done")["status"]["phase"] == "Succeeded"


@pytest.mark.upstream(9)
def test_a_pod_that_was_deleted_while_the_kubelet_was_down_gives_its_disk_back(lab, running):
    lab.kubelet.down()
    lab.control.kubectl("delete", "pod", "one", "--force", "--grace-period=0")
    lab.kubelet.up()
    lab.wait_ready()
    waiting.until(lambda: not lab.runtime.running("one"), "the orphan's end", 60)
    waiting.until(lambda: "one" not in lab.kubelet.held(), "the disk to be free", 60)
    lab.wait_count(DISK, 3, 3)
    lab.control.apply(clusters.pod("all", {DISK: 3}))
    lab.wait_running("all")


@pytest.mark.upstream(18)
def test_a_removed_daemon_leaves_no_allocatable_devices(lab, running):
    lab.uninstall()
    lab.wait_count(DISK, 3, 0, 30)
    assert "running" in lab.pod("one")["status"]["containerStatuses"][0]["state"]


def test_a_restart_of_the_container_runtime(lab, running):
    lab.runtime.restart()
    lab.wait_ready()
    restart_container(lab)
    kept(lab, running)


@pytest.mark.upstream(21)
def test_a_pod_that_is_admitted_before_the_daemon_fails_and_says_why(lab):
    lab.uninstall()
    lab.kubelet.restart()
    lab.wait_ready()
    # Names the node, so that no scheduler delays the Pod. A restarted kubelet admits Pods so, too.
    lab.control.apply(clusters.pod("early", {DISK: 1}, nodeName="node"))
    waiting.until(lambda: lab.pod("early")["status"]["phase"] == "Failed", "the Pod to fail")
    status = json.dumps(lab.pod("early")["status"])
    assert "UnexpectedAdmissionError" in status or "OutOflab.example.com/disk" in status
