"""Tests a unit on a NUMA node with a kubelet that aligns Pods to NUMA nodes."""

import pytest

import cluster as clusters
import devices
import waiting

CONFIGURATION = """\
  - name: accelerator
    match: {subsystem: pci, name: "%s"}
    devices: []
    envs: {ACCELERATOR: $(pci.address)}
"""


@pytest.fixture
def aligning(lab, lab_text):
    """The kubelet with the Topology Manager's strictest policy, and a PCI function on node 0."""
    function = devices.NumaNode()
    function.set(0)
    try:
        lab.configure(lab_text + CONFIGURATION % function.address)
        lab.wait_count("lab.example.com/accelerator", 1, 1, 180)
        lab.kubelet.topology = "single-numa-node"
        lab.kubelet.restart()
        lab.wait_ready()
        # Asks the kubelet, because the API server's data may be from before the restart.
        waiting.until(
            lambda: len(lab.kubelet.allocatable().get("lab.example.com/accelerator", [])) == 1
            and len(lab.kubelet.allocatable().get("lab.example.com/full", [])) == 1,
            "the kubelet to have the lists again",
        )
        yield function
    finally:
        function.restore()
        lab.kubelet.topology = "none"
        lab.kubelet.restart()
        lab.wait_ready()


def test_an_aligned_pod_is_admitted(lab, aligning):
    waiting.until(
        lambda: lab.kubelet.numa_nodes()[aligning.address] == [0], "the kubelet to know the node"
    )
    # Requests no disk, because a starting kubelet reads assignments from a file until it has
    # received all Pods.
    limits = {"lab.example.com/accelerator": 1, "lab.example.com/full": 1}
    limits |= {"cpu": "100m", "memory": "16Mi"}
    lab.control.apply(clusters.pod("aligned", limits))
    lab.wait_running("aligned")
    assert lab.inside("aligned", "echo $ACCELERATOR") == f"{aligning.address}\n"
