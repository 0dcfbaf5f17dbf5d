"""The devices of a container: its own and no others, in the requested number."""

import json

import pytest

import cluster as clusters
import waiting

DISK = "lab.example.com/disk"


@pytest.mark.upstream(1)
def test_a_pod_gets_a_disk_with_its_node_and_env(lab):
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    lab.wait_running("one")
    held = lab.kubelet.held()["one"]["main"][DISK]
    assert len(held) == 1
    name = held[0]
    assert lab.inside("one", "echo $DISKS; head -c 8 /dev/disk0; ls /dev | grep -c disk") == (
        f"{name}\n{name}\n1\n"
    )


def test_a_container_can_open_no_disk_but_its_own(lab):
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    lab.wait_running("one")
    mine = lab.kubelet.held()["one"]["main"][DISK][0]
    other = next(disk for disk in lab.disks.all if disk.exists() and disk.name != mine)
    refused = f"head: /tmp/{other.name}: Operation not permitted\n"
    assert lab.opened_by_number("one", other) == refused


def test_an_unprivileged_user_opens_a_character_device(lab):
    nobody = {"runAsUser": 65534, "capabilities": {"drop": ["ALL"]}}
    nobody |= {"allowPrivilegeEscalation": False}
    container = clusters.container("main", {"lab.example.com/full": 1}, securityContext=nobody)
    lab.control.apply(clusters.pod_of("sink", [container]))
    lab.wait_running("sink")
    said = lab.inside("sink", "echo x >/dev/sink", check=False)
    assert said.endswith("No space left on device\n")


def test_several_resources_in_one_container_and_several_containers_in_a_pod(lab):
    lab.control.apply(
        clusters.pod_of(
            "many",
            [
                clusters.container("main", {DISK: 2, "lab.example.com/full": 1}),
                clusters.container("second", {DISK: 1, "lab.example.com/shared": 1}),
            ],
        )
    )
    lab.wait_running("many")
    held = lab.kubelet.held()["many"]
    disks = held["main"][DISK] + held["second"][DISK]
    assert sorted(disks) == ["loop910", "loop911", "loop912"]
    assert len(held["main"][DISK]) == 2
    assert lab.inside("many", "ls /dev/disk0 /dev/disk1 /dev/sink") == (
        "/dev/disk0\n/dev/disk1\n/dev/sink\n"
    )
    assert lab.inside("many", "ls /dev/disk0 && echo $DISKS", "second") == (
        f"/dev/disk0\n{held['second'][DISK][0]}\n"
    )


def test_a_shared_node_serves_as_many_as_it_has_shares_and_no_more(lab):
    shared = "lab.example.com/shared"
    assert lab.count(shared) == (3, 3)
    names = [f"share{number}" for number in range(3)]
    lab.control.apply(*(clusters.pod(name, {shared: 1}) for name in names))
    for name in names:
        lab.wait_running(name)
        assert lab.inside(name, "head -c 1 /dev/zero | wc -c") == "1\n"
    lab.control.apply(clusters.pod("share3", {shared: 1}))
    waiting.until(
        lambda: "Insufficient lab.example.com/shared" in json.dumps(lab.pod("share3")["status"]),
        "the fourth to be refused",
    )
    lab.delete("share0")
    lab.wait_running("share3")


def test_the_kubelet_takes_what_is_preferred(lab):
    # Without a preference, all four shares are of one device in 2 of 70 cases.
    for name in ("first", "second"):
        lab.control.apply(clusters.pod(name, {"lab.example.com/part": 4}))
        lab.wait_running(name)
        ids = lab.kubelet.held()[name]["main"]["lab.example.com/part"]
        assert len({each.split("::")[0] for each in ids}) == 1, ids
    assert lab.inside("first", "echo $PARTS") != lab.inside("second", "echo $PARTS")


def test_a_failed_step_blocks_the_container_and_shows_the_reason(lab):
    gate = lab.gate()
    gate.unlink(missing_ok=True)
    lab.control.apply(clusters.pod("gated", {"lab.example.com/gate": 1}))

    def told():
        field = "--field-selector=involvedObject.name=gated"
        return "/dev/patchbay-gate" in json.dumps(lab.control.get("events", field))

    waiting.until(told, "an event that names the path that was waited for")
    assert "running" not in lab.pod("gated")["status"]["containerStatuses"][0]["state"]
    gate.touch()
    try:
        lab.wait_running("gated", 90)
        assert lab.inside("gated", "echo $GATE") == "open\n"
    finally:
        gate.unlink()


@pytest.mark.upstream(10)
def test_a_sidecar_keeps_its_disk_while_the_container_gets_another(lab):
    sidecar = clusters.container("sidecar", {DISK: 1}, restartPolicy="Always")
    step = clusters.container("step", {DISK: 1}, command="echo $DISKS")
    main = clusters.container("main", {DISK: 1})
    lab.control.apply(clusters.pod_of("side", [main], initContainers=[step, sidecar]))
    lab.wait_running("side")
    first = lab.control.kubectl("logs", "side", "--container=step").strip()
    beside = lab.inside("side", "echo $DISKS", "sidecar").strip()
    mine = lab.inside("side", "echo $DISKS").strip()
    assert beside != mine
    # Devices of an init container are reused for later containers.
    assert first in (beside, mine)
