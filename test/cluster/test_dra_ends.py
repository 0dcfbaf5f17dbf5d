"""ResourceClaims that end, whatever happens to the driver, its configuration and the API server."""

import json
import signal
import time
from concurrent import futures

import pytest

import cluster as clusters
import dra as objects
import waiting

pytestmark = [pytest.mark.needs_containerd("2"), pytest.mark.needs_kubernetes(34)]
newest = pytest.mark.needs_kubernetes(37)

DISK = "lab.example.com/disk"
FIRST_BYTES = "head -c 8 /dev/disk0"
OTHER = "other.lab.example.com"

# The configuration after an edit, its driver, and the class by which another Pod asks for the disk.
HEAD, _, RESOURCES = objects.PLUGINS.partition("  - name: disk")
WITHOUT_DRA = HEAD + RESOURCES[RESOURCES.index("  - name: full"):]
EDITS = {
    "dra removed": (WITHOUT_DRA, objects.DRIVER, ""),
    "driver changed": (objects.SERVED.replace(objects.DRIVER, OTHER), OTHER, objects.CLASS),
    "resource renamed": (
        objects.SERVED.replace("name: disk", "name: drive"),
        objects.DRIVER,
        "drive.lab.example.com",
    ),
}


@pytest.fixture
def only_disk(driver, plug):
    """The driver with the configuration dra.yaml and one disk."""
    plug(1)
    driver.install(objects.SERVED)
    driver.apply_classes()
    driver.wait_published("loop910")
    return driver


def run_pod(driver, name: str = "one") -> None:
    """A Pod with a disk. Its ResourceClaim ends with it."""
    driver.lab.control.apply(
        objects.template("any"), objects.pod(name, resourceClaimTemplateName="any")
    )
    driver.lab.wait_running(name, 90)


def begin_delete(lab, name: str) -> None:
    lab.control.kubectl("delete", "pod", name, "--grace-period=1", "--wait=false")


def is_gone(lab, name: str) -> bool:
    return lab.control.kubectl("get", "pod", name, "--ignore-not-found") == ""


def wait_gone(lab, name: str, seconds: float = 90) -> None:
    waiting.until(lambda: is_gone(lab, name), f"the end of the Pod {name}", seconds)


def wait_pending(lab, name: str) -> None:
    waiting.until(
        lambda: "cannot allocate all claims" in json.dumps(lab.pod(name)["status"]),
        f"the Pod {name} to be pending for want of a disk",
    )


# Steps.


def with_release(driver, plug, steps) -> None:
    plug(1)
    driver.install(objects.with_steps(steps.directory, "release"), writable=(steps.directory,))
    driver.apply_classes()
    driver.wait_published("loop910")
    run_pod(driver)
    assert not steps.ran()


def test_the_steps_of_release_run_before_the_pod_is_gone(driver, plug, steps):
    with_release(driver, plug, steps)
    begin_delete(driver.lab, "one")
    waiting.until(steps.ran, "the steps to begin", 60)
    assert driver.lab.pod("one")["metadata"]["deletionTimestamp"]
    assert driver.records() != []
    steps.open()
    wait_gone(driver.lab, "one")
    assert driver.records() == []


def test_a_pod_stays_until_a_failed_release_step_works(driver, plug, steps):
    lab = driver.lab
    with_release(driver, plug, steps)
    steps.open()
    steps.break_()
    begin_delete(lab, "one")
    # The kubelet sends no event.
    failed = f"step 1, write {steps.runs}: it does not exist"
    waiting.until(lambda: failed in driver.status(), "the step in the status", 60)
    assert lab.pod("one")["metadata"]["deletionTimestamp"]
    steps.forget()
    wait_gone(lab, "one", 150)
    assert steps.ran()
    assert driver.records() == []


# Edits while a Pod has the disk.


def have_effect(driver, edit: str) -> None:
    """Waits until the daemon has applied the edit: it does not publish the disk any more, or it
    withholds the one with the new name."""
    if edit == "resource renamed":
        waiting.until(lambda: "unit is withheld" in driver.lab.daemon_log(), "the edit", 90)
    else:
        waiting.until(lambda: driver.slices() == [], "the end of the slices", 90)


def end_after(driver, edit: str) -> None:
    """The Pod `one` runs on and ends. Only then another Pod can have the disk."""
    lab = driver.lab
    text, name, device_class = EDITS[edit]
    have_effect(driver, edit)
    if device_class:
        driver.apply_classes(text)
        lab.control.apply(
            objects.template("next", objects.request(device_class=device_class)),
            objects.pod("two", resourceClaimTemplateName="next"),
        )
        wait_pending(lab, "two")
    assert lab.inside("one", FIRST_BYTES) == "loop910\n"
    begin_delete(lab, "one")
    wait_gone(lab, "one")
    waiting.until(lambda: len(driver.records()) == bool(device_class), "the end of the record", 60)
    if device_class:
        lab.wait_running("two", 90)
        assert lab.inside("two", FIRST_BYTES) == "loop910\n"
    if name != objects.DRIVER or not device_class:
        waiting.until(lambda: driver.slices() == [], "the end of the driver", 60)


@pytest.mark.parametrize("edit", EDITS)
def test_a_pod_outlives_an_edit(only_disk, edit):
    run_pod(only_disk)
    text, name, _ = EDITS[edit]
    only_disk.edit(text, name)
    end_after(only_disk, edit)


def unit_is_unhealthy_until_the_pod_ends(driver) -> None:
    lab = driver.lab
    lab.wait_count(DISK, 1, 0, 90)
    assert lab.inside("one", FIRST_BYTES) == "loop910\n"
    begin_delete(lab, "one")
    wait_gone(lab, "one")
    lab.wait_count(DISK, 1, 1)
    lab.control.apply(clusters.pod("two", {DISK: 1}))
    lab.wait_running("two")


@newest
def test_an_edit_back_to_the_device_plugin(only_disk):
    run_pod(only_disk)
    only_disk.edit(objects.PLUGINS)
    unit_is_unhealthy_until_the_pod_ends(only_disk)


@newest
@pytest.mark.parametrize("edit", EDITS)
def test_a_pod_outlives_an_edit_while_the_daemon_is_stopped(only_disk, edit):
    run_pod(only_disk)
    text, name, _ = EDITS[edit]
    only_disk.stop_daemon()
    only_disk.edit(text, name)
    only_disk.start_daemon()
    end_after(only_disk, edit)


@newest
def test_an_edit_back_to_the_device_plugin_while_the_daemon_is_stopped(only_disk):
    run_pod(only_disk)
    only_disk.stop_daemon()
    only_disk.edit(objects.PLUGINS)
    only_disk.start_daemon()
    unit_is_unhealthy_until_the_pod_ends(only_disk)


# Programs that are away.


@newest
def test_the_api_server_is_away_for_five_minutes(only_disk, figure):
    lab = only_disk.lab
    slow = "trap 'touch /tmp/ending; sleep 10; exit' TERM; while :; do sleep 1; done"
    pod = objects.pod("one", resourceClaimTemplateName="any")
    pod["spec"]["containers"][0]["command"] = ["sh", "-c", slow]
    lab.control.apply(objects.template("any"), pod)
    lab.wait_running("one")
    lab.control.kubectl("delete", "pod", "one", "--grace-period=60", "--wait=false")
    waiting.until(lambda: "ending" in lab.inside("one", "ls /tmp"), "the signal", 30)
    lab.control.stop_server()
    begun = time.monotonic()
    waiting.until(lambda: not lab.runtime.running("one"), "the end of the container", 60)
    waiting.until(lambda: only_disk.records() == [], "the end of the record", 60)
    figure(f"without the API server, unprepared after {time.monotonic() - begun:.0f} s")
    waiting.until(lambda: time.monotonic() - begun > 300, "five minutes", 330, 1)
    lab.control.start_server()
    begun = time.monotonic()
    wait_gone(lab, "one", 180)
    figure(f"the Pod is gone {time.monotonic() - begun:.0f} s after the return")
    only_disk.wait_published("loop910")
    lab.wait_ready()
    run_pod(only_disk, "two")


@newest
def test_a_pod_and_its_claim_are_deleted_by_force(driver, plug, figure):
    """The kubelet has lost its state, too, so it never calls Unprepare."""
    lab = driver.lab
    plug(1)
    driver.install(objects.SERVED, environment={"PATCHBAY_DRA_CHECK_SECONDS": "2"})
    driver.apply_classes()
    driver.wait_published("loop910")
    run_pod(driver)
    (uid,) = driver.records()
    driver.stop_daemon()
    lab.kubelet.down(signal.SIGKILL)
    lab.control.kubectl("delete", "pod", "one", "--force", "--grace-period=0")
    waiting.until(lambda: not claims(lab), "the end of the ResourceClaim", 60)
    (lab.node.state / "kubelet/dra_manager_state").unlink()
    assert lab.runtime.running("one")
    lab.control.apply(objects.pod("two", resourceClaimTemplateName="any"))
    lab.kubelet.up()
    lab.wait_ready()
    begun = time.monotonic()
    driver.start_daemon()

    both = []  # Moments at which both Pods had the disk.

    def has_moved() -> bool:
        two = lab.runtime.running("two")
        one = lab.runtime.running("one")
        if two and (one or uid in driver.records()):
            both.append((one, two))
        return bool(two) and not one

    waiting.until(has_moved, "the other Pod", 120)
    assert both == []
    figure(f"from the start of the daemon to the next Pod: {time.monotonic() - begun:.0f} s")
    assert uid not in driver.records()


def claims(lab) -> list:
    return lab.control.get("resourceclaims")["items"]


@newest
def test_pods_start_and_end_during_a_rolling_update(driver, plug, figure):
    lab = driver.lab
    plug(1, 1)
    driver.install(objects.SERVED)
    driver.apply_classes()
    driver.wait_published("loop910", "loop911")
    lab.control.apply(objects.template("any"))
    delays = {"start": [], "end": []}

    def one_more(number: int) -> None:
        name = f"pod-{number}"
        begun = time.monotonic()
        lab.control.apply(objects.pod(name, resourceClaimTemplateName="any"))
        lab.wait_running(name, 120)
        started = time.monotonic()
        begin_delete(lab, name)
        wait_gone(lab, name, 120)
        delays["start"].append(started - begun)
        delays["end"].append(time.monotonic() - started)

    for number in range(3):
        one_more(number)
    quiet = {what: max(found) for what, found in delays.items()}
    roll_outs = futures.ThreadPoolExecutor().submit(lambda: [lab.roll_out() for _ in range(3)])
    number = 3
    while not roll_outs.done() or number < 8:
        one_more(number)
        number += 1
    roll_outs.result()
    for what, found in delays.items():
        figure(
            f"longest {what} of {number - 3} Pods {max(found[3:]):.1f} s, before"
            f" {quiet[what]:.1f} s"
        )
    waiting.until(lambda: driver.records() == [], "the end of the records", 60)


# Names that the author of a Pod chooses.


@newest
def test_two_claims_of_a_pod_get_paths_by_their_names(driver, plug):
    lab = driver.lab
    plug(1, 1)
    driver.install(objects.SERVED.replace("/dev/disk$(slot)", "/dev/$(claim)"))
    driver.apply_classes()
    driver.wait_published("loop910", "loop911")
    names = ["left", "right"]
    container = clusters.container(
        "main", {}, resources={"claims": [{"name": name} for name in names]}
    )
    sources = [{"name": name, "resourceClaimTemplateName": "any"} for name in names]
    lab.control.apply(
        objects.template("any"), clusters.pod_of("one", [container], resourceClaims=sources)
    )
    lab.wait_running("one")
    shown = lab.inside("one", "head -c 8 /dev/left; head -c 8 /dev/right").split()
    assert sorted(shown) == ["loop910", "loop911"]
