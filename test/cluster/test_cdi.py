"""Devices that the runtime injects by specs of Patchbay."""

import pytest

import cluster as clusters
import waiting

DISK = "lab.example.com/disk"
# Any disk loop910 to loop919 is the unit `slot`. So a replugged disk can have another name, like a
# ttyUSB.
CONFIGURATION = """\
apiVersion: patchbay/v1
kind: Config
resources:
  - name: lab.example.com/disk
    linger: 1h
    match: {subsystem: block, name: "loop91?", attribute: {loop/backing_file: {exists: true}}}
    id: slot
    cdi: write
    devices: [{hostPath: $(devnode), containerPath: /dev/cdi-disk}]
    envs: {CDI_DISK: $(id)}
"""


def with_cdi(daemon_set: dict) -> None:
    """Adds what the manifest has in comments for CDI."""
    spec = daemon_set["spec"]["template"]["spec"]
    spec["containers"][0]["volumeMounts"].append({"name": "cdi", "mountPath": "/var/run/cdi"})
    path = {"path": "/var/run/cdi", "type": "DirectoryOrCreate"}
    spec["volumes"].append({"name": "cdi", "hostPath": path})


@pytest.mark.needs_containerd("2")
@pytest.mark.upstream(2)
def test_a_restarted_container_has_the_disk_that_came_instead(lab):
    lab.disks.reset(1)
    lab.install(CONFIGURATION, with_cdi)
    lab.wait_count(DISK, 1, 1)
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    lab.wait_running("one")
    shown = "head -c 8 /dev/cdi-disk; echo $CDI_DISK; ls /dev | grep -c disk"
    assert lab.inside("one", shown) == "loop910\nslot\n1\n"
    # Another disk becomes the same unit.
    lab.disks[0].unplug()
    lab.wait_count(DISK, 1, 0)
    lab.disks[1].plug()
    lab.wait_count(DISK, 1, 1)
    lab.inside("one", "kill 1", check=False)
    waiting.until(
        lambda: lab.inside("one", "head -c 8 /dev/cdi-disk", check=False) == "loop911\n",
        "the container with the disk that came instead",
    )
    assert lab.kubelet.held()["one"]["main"][DISK] == ["slot"]
