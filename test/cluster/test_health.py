"""Devices that appear, disappear and fail: the states of the node, the scheduler and the Pod."""

import json
import time

import pytest

import cluster as clusters
import waiting

DISK = "lab.example.com/disk"


def health(lab, pod: str) -> dict:
    """The health of each id in the Pod's status."""
    found = {}
    for state in lab.pod(pod)["status"].get("containerStatuses", []):
        for resource in state.get("allocatedResourcesStatus", []):
            for unit in resource["resources"]:
                found[unit["resourceID"]] = unit["health"]
    return found


def test_a_plugged_disk_starts_the_pod_that_waits_for_it(lab, figure):
    lab.control.apply(clusters.pod("all", {DISK: 3}))
    lab.wait_running("all")
    lab.control.apply(clusters.pod("late", {DISK: 1}))
    waiting.until(
        lambda: "Insufficient lab.example.com/disk" in json.dumps(lab.pod("late")["status"]),
        "the Pod to be pending for want of a disk",
    )
    with lab.kubelet.watch() as watch:
        begun = time.time()
        lab.disks[3].plug()
        waiting.until(
            lambda: "loop913" in (watch.moments[-1][1] or {}).get(DISK, []),
            "the disk at the kubelet",
            every=0.002,
        )
        seen = next(at for at, now in watch.moments if "loop913" in (now or {}).get(DISK, []))
    lab.wait_running("late")
    figure(f"from the plug to the kubelet's list: {1000 * (seen - begun):.0f} ms")
    figure(f"from the plug to a running Pod: {time.time() - begun:.1f} s")
    assert lab.inside("late", "echo $DISKS") == "loop913\n"
    lab.wait_count(DISK, 4, 4)


@pytest.mark.upstream(13, 14, 15)
def test_an_unplugged_disk_is_unhealthy_then_gone_and_the_pod_runs_on(lab):
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    lab.wait_running("one")
    held = lab.kubelet.held()["one"]["main"][DISK][0]
    free = next(disk for disk in lab.disks.all if disk.exists() and disk.name != held)
    with lab.kubelet.watch() as watch:
        free.unplug()
        # While the disk is unhealthy, the capacity stays and fewer disks are allocatable. After
        # `linger` the capacity is lower, too.
        lab.wait_count(DISK, 3, 2, 20)
        lab.wait_count(DISK, 2, 2, 20)
        free.plug()
        lab.wait_count(DISK, 3, 3, 20)
        counts = [len((now or {}).get(DISK, [])) for _, now in watch.moments]
    changes = [now for before, now in zip([None, *counts], counts) if before != now]
    assert changes == [3, 2, 3]
    assert "running" in lab.pod("one")["status"]["containerStatuses"][0]["state"]


@pytest.mark.upstream(13)
def test_the_only_disk_fails_and_comes_back(lab):
    lab.disks.reset(1)
    lab.wait_count(DISK, 1, 1)
    lab.disks[0].unplug()
    lab.wait_count(DISK, 1, 0, 20)
    lab.disks[0].plug()
    lab.wait_count(DISK, 1, 1, 20)


@pytest.mark.needs_kubernetes(31)
@pytest.mark.upstream(19)
def test_the_pods_status_says_that_its_disk_is_unhealthy(lab):
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    lab.wait_running("one")
    held = lab.kubelet.held()["one"]["main"][DISK][0]
    waiting.until(lambda: health(lab, "one") == {held: "Healthy"}, "the disk's health", 30)
    disk = next(disk for disk in lab.disks.all if disk.name == held)
    lab.configure_linger("1h")
    disk.unplug()
    waiting.until(lambda: health(lab, "one") == {held: "Unhealthy"}, "the disk's fault", 30)
    disk.plug()
    waiting.until(lambda: health(lab, "one") == {held: "Healthy"}, "the disk's return", 30)


@pytest.mark.needs_kubernetes(31)
@pytest.mark.upstream(20)
def test_the_status_of_a_pod_without_its_image_has_the_disk_too(lab):
    container = clusters.container("main", {DISK: 1})
    container["image"] = "patchbay.test/none:1"
    lab.control.apply(clusters.pod_of("without", [container]))
    waiting.until(
        lambda: list(health(lab, "without").values()) == ["Healthy"], "the disk's health", 30
    )
    assert "waiting" in lab.pod("without")["status"]["containerStatuses"][0]["state"]
