"""Disks that Pods get by Dynamic Resource Allocation (DRA) instead of a device plugin."""

import json
import signal
import time

import pytest

import cluster as clusters
import dra as objects
import machine
import waiting

pytestmark = [pytest.mark.needs_containerd("2"), pytest.mark.needs_kubernetes(34)]

DISK = "lab.example.com/disk"
FULL = "lab.example.com/full"
FIRST_BYTES = "head -c 8 /dev/disk0"


@pytest.fixture
def served(driver, plug):
    """The driver with the configuration dra.yaml and three disks of 1, 2 and 1 MiB."""
    plug(1, 2, 1)
    driver.install(objects.SERVED)
    driver.apply_classes()
    driver.wait_published("loop910", "loop911", "loop912")
    return driver


def test_an_edit_moves_disks_from_the_device_plugin_to_dra(driver, plug, figure):
    lab = driver.lab
    plug(1, 2, 1)
    driver.install(objects.PLUGINS)
    lab.wait_count(DISK, 3, 3)
    before = lab.daemon_pods()[0]
    driver.apply_classes()
    with lab.kubelet.watch() as watch, driver.watch() as slices:
        begun = time.time()
        lab.configure(objects.SERVED)
        waiting.until(lambda: watch.count(DISK) == 0, "the edit at the daemon", 60, 0.01)
        read = time.time()
        stored = slices.wait("loop910", "loop911", "loop912", seconds=60)
        figure(f"from the edit to the slice: {stored - begun:.1f} s")
        assert stored - read < 5
        assert watch.without(FULL, 1, time.time()) == 0, watch.moments
    after = lab.daemon_pods()[0]
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["status"]["containerStatuses"][0]["restartCount"] == 0
    sizes = {name: device["attributes"]["size"] for name, device in driver.devices().items()}
    assert sizes == {"loop910": {"int": 2048}, "loop911": {"int": 4096}, "loop912": {"int": 2048}}
    (part,) = driver.slices()
    assert part["spec"]["pool"]["name"] == part["spec"]["nodeName"] == "node"
    assert part["metadata"]["ownerReferences"][0]["kind"] == "Node"

    lab.control.apply(
        objects.template("large", objects.request(mebibytes=2)),
        objects.pod("one", resourceClaimTemplateName="large"),
    )
    lab.wait_running("one")
    assert lab.inside("one", f"echo $DISKS; {FIRST_BYTES}; ls /dev | grep -c disk") == (
        "loop911\nloop911\n1\n"
    )
    refused = "head: /tmp/loop910: Operation not permitted\n"
    assert lab.opened_by_number("one", lab.disks[0]) == refused
    memory = [f"{name} {driver.resident(name):.1f} MB" for name in ("patchbay", "patchbay-kube")]
    figure(f"resident memory: {', '.join(memory)}")
    (uid,) = driver.records()
    assert driver.specs(uid)
    lab.delete("one")
    waiting.until(lambda: driver.records() == [], "the end of the ResourceClaim", 60)
    assert driver.specs(uid) == []


def test_two_requests_in_one_container_get_two_paths(served):
    lab = served.lab
    lab.control.apply(
        objects.claim("pair", objects.request("first"), objects.request("second")),
        objects.pod("one", resourceClaimName="pair"),
    )
    lab.wait_running("one")
    shown = lab.inside("one", "head -c 8 /dev/disk0; head -c 8 /dev/disk1; ls /dev | grep -c disk")
    first, second, count = shown.split()
    assert (first != second, count) == (True, "2")
    devices = served.devices()
    names = [devices[disk]["name"] for disk in (first, second)]
    assert sorted(served.allocated("pair")) == sorted(names)


def test_a_plugged_disk_starts_a_pod_and_an_unplugged_one_leaves_the_slice(served, figure):
    lab = served.lab
    lab.control.apply(
        objects.template("huge", objects.request(mebibytes=4)),
        objects.pod("late", resourceClaimTemplateName="huge"),
    )
    waiting.until(
        lambda: "cannot allocate all claims" in json.dumps(lab.pod("late")["status"]),
        "the Pod to be pending for want of a disk",
    )
    with served.watch() as slices:
        slices.wait("loop910", "loop911", "loop912")
        begun = time.time()
        lab.disks[3].plug(4)
        stored = slices.wait("loop910", "loop911", "loop912", "loop913")
        figure(f"from the plug to the slice: {1000 * (stored - begun):.0f} ms")
        lab.wait_running("late")
        figure(f"from the plug to a running Pod: {time.time() - begun:.1f} s")
        assert lab.inside("late", FIRST_BYTES) == "loop913\n"
        lab.disks[0].unplug()
        slices.wait("loop911", "loop912", "loop913")


# Programs that are killed.


@pytest.fixture
def waiting_pod(driver, plug, steps):
    """The driver with a Pod whose disk has a step that waits."""
    lab = driver.lab
    plug(1, 1)
    driver.install(objects.with_steps(steps.directory), writable=(steps.directory,))
    driver.apply_classes()
    driver.wait_published("loop910", "loop911")
    lab.control.apply(objects.claim("kept"), objects.pod("one", resourceClaimName="kept"))
    waiting.until(steps.ran, "the steps to begin")
    return driver


def a_pod_starts_and_ends(driver, name: str) -> None:
    lab = driver.lab
    before = driver.records()
    lab.control.apply(
        objects.template("any"), objects.pod(name, resourceClaimTemplateName="any")
    )
    lab.wait_running(name, 90)
    lab.delete(name)
    waiting.until(lambda: driver.records() == before, "the end of the ResourceClaim", 60)


def another_pod_of_the_prepared_claim_runs(driver, steps) -> None:
    """The restarted kubelet asks for the ResourceClaim again. The driver runs no step for it."""
    steps.forget()
    steps.close()
    driver.lab.control.apply(objects.pod("two", resourceClaimName="kept"))
    driver.lab.wait_running("two", 90)
    assert not steps.ran()
    steps.open()


def test_the_daemon_is_killed_while_a_step_waits(waiting_pod, steps, figure):
    driver, lab = waiting_pod, waiting_pod.lab
    steps.forget()
    begun = time.time()
    lab.kill_daemon(signal.SIGKILL)
    waiting.until(steps.ran, "the steps from the first", 120)
    figure(f"from SIGKILL of the daemon to the steps again: {time.time() - begun:.1f} s")
    steps.open()
    uid = lab.wait_running("one", 90)["metadata"]["uid"]
    assert lab.inside("one", "echo $DISKS") == lab.inside("one", FIRST_BYTES)

    lab.kill_daemon(signal.SIGKILL)
    lab.kubelet.restart()
    lab.wait_ready()
    another_pod_of_the_prepared_claim_runs(driver, steps)
    a_pod_starts_and_ends(driver, "three")
    assert lab.wait_running("one")["metadata"]["uid"] == uid


def test_the_api_client_is_killed(served):
    lab = served.lab
    lab.control.apply(objects.claim("kept"), objects.pod("one", resourceClaimName="kept"))
    uid = lab.wait_running("one")["metadata"]["uid"]
    (killed,) = lab.daemon_numbers("patchbay-kube")
    lab.kill_daemon(signal.SIGKILL, "patchbay-kube")
    waiting.until(
        lambda: lab.daemon_numbers("patchbay-kube") not in ([], [killed]), "a new API client", 30
    )
    lab.disks[3].plug()
    served.wait_published("loop910", "loop911", "loop912", "loop913")
    a_pod_starts_and_ends(served, "two")
    assert lab.wait_running("one")["metadata"]["uid"] == uid
    states = lab.daemon_pods()[0]["status"]["containerStatuses"]
    assert states[0]["restartCount"] == 0


def test_the_kubelet_is_killed(waiting_pod, steps, figure):
    driver, lab = waiting_pod, waiting_pod.lab
    steps.open()
    uid = lab.wait_running("one", 90)["metadata"]["uid"]
    lab.kubelet.down(signal.SIGKILL)
    begun = time.time()
    lab.kubelet.up()
    lab.wait_ready()
    another_pod_of_the_prepared_claim_runs(driver, steps)
    figure(f"from the start of the kubelet to the next Pod: {time.time() - begun:.1f} s")
    # The starting kubelet has deleted the slices.
    driver.wait_published("loop910", "loop911")
    a_pod_starts_and_ends(driver, "three")
    assert lab.wait_running("one")["metadata"]["uid"] == uid


def test_after_a_reboot_the_pod_has_the_same_disk_with_another_number(driver, plug, steps, figure):
    lab = driver.lab
    plug(1, 2)
    text = objects.with_steps(steps.directory)
    by_size = text.replace("    serve: dra\n", "    serve: dra\n    id: $(attribute.size)\n")
    driver.install(by_size, writable=(steps.directory,))
    driver.apply_classes()
    driver.wait_published("2048", "4096")
    steps.open()
    lab.control.apply(
        objects.claim("large", objects.request(mebibytes=2)),
        objects.pod("one", resourceClaimName="large"),
    )
    uid = lab.wait_running("one")["metadata"]["uid"]
    shown = f"echo $DISKS; {FIRST_BYTES}"
    assert lab.inside("one", shown) == "loop911\nloop911\n"

    lab.node.down()
    lab.disks.reset(0)
    plug(2, 1)
    driver.age_records()
    steps.forget()
    lab.boot()
    begun = time.time()
    lab.kubelet.up()
    lab.wait_ready()
    waiting.until(lambda: lab.runtime.running("one"), "the Pod's container to run again", 180)
    figure(f"from the start of the kubelet to the container: {time.time() - begun:.1f} s")
    assert lab.wait_running("one")["metadata"]["uid"] == uid

    def has_moved() -> bool:
        assert lab.inside("one", shown) == "loop910\nloop910\n"
        return True

    waiting.until(has_moved, "the disk inside", 30)
    assert steps.ran()


# Rights and mistakes.


def test_the_token_of_a_node_writes_no_slice_of_another_node_driver_or_pool(driver, plug):
    """All writes are dry runs: the server checks them, but stores nothing."""
    lab = driver.lab
    plug(1)
    driver.install(objects.PLUGINS)
    token = f"--token={driver.token()}"

    def write(verb: str, **differing: str) -> str:
        text = json.dumps(objects.resource_slice("made", **differing))
        return lab.control.kubectl(verb, token, "--dry-run=server", "--filename=-", stdin=text)

    assert "created" in write("create")
    others = {"node": "other", "driver": "gpu.example.com", "pool": "other"}
    for key, value in others.items():
        with pytest.raises(machine.CommandFailed, match=f"denied.*not of the {key}"):
            write("create", **{key: value})
    # Slices that another account has stored.
    for key, value in others.items():
        lab.control.apply(objects.resource_slice("made", **{key: value}))
        try:
            for verb in ("delete", "replace"):
                with pytest.raises(machine.CommandFailed, match=f"denied.*not of the {key}"):
                    write(verb, **{key: value})
        finally:
            lab.control.kubectl("delete", "resourceslice", "made")
    with pytest.raises(machine.CommandFailed, match="cannot list resource"):
        lab.control.kubectl("get", "pods", token)


def test_the_events_of_a_pod_have_the_reason_and_the_action(served):
    lab = served.lab
    lab.control.apply(objects.claim("kept"), objects.pod("one", resourceClaimName="kept"))
    lab.wait_running("one")
    (used,) = served.allocated("kept")

    lab.control.apply(objects.claim("gone"), objects.claim("taken"))
    served.allocate("gone", "disk-loop915-00000000")
    served.allocate("taken", used)
    parameters = {"opaque": {"driver": objects.DRIVER, "parameters": {"mode": "fast"}}}
    lab.control.apply(
        objects.claim("tuned", config=[parameters]),
        objects.pod("two", is_scheduled=True, resourceClaimName="gone"),
        objects.pod("three", is_scheduled=True, resourceClaimName="taken"),
        objects.pod("four", resourceClaimName="tuned"),
    )
    for pod, texts in {
        "two": ("device disk-loop915-00000000: not on this node any more", "delete the Pod"),
        "three": (f"device {used}", "in use by", "default/kept", "delete the Pods"),
        "four": (f"parameters for the driver {objects.DRIVER}", "remove 'config'"),
    }.items():
        message = waiting.until(lambda: lab.event_with(pod, texts[0]), f"the event of {pod}", 60)
        assert [text for text in texts if text not in message] == [], message
    assert lab.inside("one", FIRST_BYTES) == lab.inside("one", "echo $DISKS")


@pytest.mark.needs_kubernetes(30, before=34)
def test_an_older_kubernetes_costs_one_line_in_the_log(driver, plug):
    lab = driver.lab
    plug(1)
    driver.install(objects.PLUGINS)
    lab.wait_count(FULL, 1, 1)

    def warnings() -> list:
        line = ["logs", "daemonset/patchbay", f"--namespace={clusters.NAMESPACE}"]
        entries = [json.loads(text) for text in lab.control.kubectl(*line).splitlines()]
        return [entry for entry in entries if entry["level"] not in ("debug", "info")]

    with lab.kubelet.watch() as watch:
        lab.configure(objects.SERVED)
        waiting.until(warnings, "a line about Kubernetes", 120)
        # Meanwhile the kubelet and the daemon try again.
        lab.control.apply(clusters.pod("one", {FULL: 1}))
        lab.wait_running("one")
        assert watch.without(FULL, 1, time.time()) == 0, watch.moments
    (line,) = warnings()
    assert line["message"] == "the DRA driver is not registered"
    assert line["reason"].endswith("; check that Kubernetes is 1.34 or newer"), line
