"""Runs the commands of documents unchanged: docs/install.md and others."""

import json
import pathlib
import re
import sys

import pytest

import cluster as clusters
import go_programs
import images
import waiting

sys.path.append(str(clusters.ROOT / "test" / "docs"))
import walkthrough  # noqa: E402

DISK = "lab.example.com/disk"
OTHER_IMAGE = "debian:12-slim"  # The image of the documents' Pods; no registry is used here.
IMAGE_FILE = "/var/tmp/first.img"


class Reader:
    """Follows a document: one user has a shell on the node, another has kubectl, and both have the
    document's files."""

    def __init__(self, lab, name: str, directory: pathlib.Path):
        self.lab = lab
        self.walk = walkthrough.Walkthrough(name)
        self.directory = directory
        self.names = {"NODE": "node", "NAMESPACE": "default"}
        self.walk.write_files(directory)
        for file in self.walk.files:
            path = directory / file
            path.write_text(path.read_text().replace(OTHER_IMAGE, images.SHELL))
        (directory / "bin").mkdir()
        programs = {
            "patchbay": lab.binary.resolve(),
            "helm": go_programs.build(go_programs.helm()),
            "kubectl": lab.control.directory / "kubectl",
        }
        for program, path in programs.items():
            (directory / "bin" / program).symlink_to(path)

    def follow(self, step: walkthrough.Step) -> None:
        # Repeats `patchbay status` until its output matches.
        looks = re.fullmatch(r"kubectl [^\n]* -- patchbay status [^\n]*", step.commands.strip())
        if looks:
            waiting.until(lambda: self.try_once(step) or True, step.commands, 60, 1)
        else:
            self.try_once(step)

    def try_once(self, step: walkthrough.Step) -> None:
        commands = step.commands
        for word, meant in self.names.items():
            commands = re.sub(rf"\b{word}\b", meant, commands)
        # Replaces the path of the image, which may be outside this repository.
        commands = re.sub(r"build/image/\S*\.oci\.tar", str(self.lab.image), commands)
        machine = self.lab.node if step.where == "node" else self.lab.control_machine
        text = machine.run(
            "env",
            f"PATH={self.directory}/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            f"KUBECONFIG={self.lab.control.configuration}",
            f"HOME={self.directory}",
            *("bash", "-euo", "pipefail", "-c"),
            f"cd {self.directory}\n{{ {commands}}} 2>&1",
            seconds=300,
        )
        step.check(text)

    def follow_all(self, steps: list) -> None:
        assert steps
        for step in steps:
            self.follow(step)


@pytest.fixture
def reader(lab, tmp_path):
    def tidy() -> None:
        # Runs in the node, which has its own /var/tmp.
        listed = lab.node.run("losetup", "--noheadings", "--output=NAME", "-j", IMAGE_FILE)
        for disk in listed.split():
            lab.node.run("losetup", "--detach", disk)
        lab.node.run("rm", "--force", IMAGE_FILE)

    tidy()
    yield lambda name: Reader(lab, name, tmp_path)
    tidy()


@pytest.mark.parametrize("way", ["The manifest", "Kustomize", "Helm"])
def test_installed_as_documented_it_serves_and_leaves_nothing(lab, reader, way):
    lab.uninstall()
    lab.wait_count(DISK, 3, 0, 30)
    install = reader("install.md")
    install.follow_all([s for s in install.walk.under("The image") if s.where == "node"])
    sections = [way] if way == "Helm" else [way, "Your configuration"]
    install.follow_all(install.walk.under(*sections, "See that it works"))
    (away,) = [s for s in install.walk.under("Uninstall") if s.way.lower() == way.lower()]
    install.follow(away)
    lab.wait_count("lab.example.com/fuse", 1, 0, 30)
    assert lab.daemon_numbers() == []


def test_the_first_device(lab, reader):
    # The cluster has the state after install.md. The lab's own configuration also has a resource
    # `disk`.
    lab.configure(walkthrough.Walkthrough("install.md").files["lab.yaml"])
    lab.wait_count("lab.example.com/fuse", 1, 1, 180)
    first = reader("first-device.md")
    first.follow_all(first.walk.steps)


@pytest.mark.needs_containerd("2")
@pytest.mark.needs_kubernetes(34)
def test_the_first_device_by_dra(lab, reader):
    # The cluster has no kube-proxy, so the daemon gets the API server's own address.
    lab.uninstall()
    install = walkthrough.Walkthrough("install.md")
    values = {
        "image": {"repository": "registry.example.com/patchbay"},
        "config": install.files["lab.yaml"],
        "extraArgs": ["--api-server", lab.control.server],
    }
    lab.helm(
        "install", "patchbay", clusters.CHART, "--create-namespace", "--values=-",
        stdin=json.dumps(values),
    )  # fmt: skip
    lab.wait_installed()
    try:
        dra = reader("dra.md")
        dra.follow_all(dra.walk.steps)
    finally:
        lab.helm("uninstall", "patchbay", "--wait", "--ignore-not-found")
        lab.uninstall()


def test_rejected_pods_are_found_and_removed(reader):
    operations = reader("operations.md")
    operations.follow_all(operations.walk.under("After a reboot"))


def test_the_commands_of_symptoms(lab, reader):
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    lab.wait_running("one")
    symptoms = reader("symptoms.md")
    symptoms.names |= {"POD": "one", "DAEMON": lab.daemon_pods()[0]["metadata"]["name"]}
    symptoms.follow_all(symptoms.walk.steps)
