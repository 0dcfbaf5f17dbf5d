"""Tests the plugin of kubectl with the real kubectl."""

import json
import subprocess

import pytest

import cluster as clusters
import waiting

PLUGIN = clusters.ROOT / "deploy" / "kubectl" / "kubectl-patchbay"


@pytest.fixture
def shell(lab, tmp_path):
    """A function that runs commands with kubectl and the plugin. It returns all output."""
    (tmp_path / "kubectl").symlink_to(lab.control.directory / "kubectl")
    (tmp_path / "kubectl-patchbay").symlink_to(PLUGIN)
    (tmp_path / "patchbay").symlink_to(lab.binary.resolve())

    def run(commands: str) -> str:
        return lab.control_machine.run(
            "env",
            f"PATH={tmp_path}:/usr/bin:/bin",
            f"KUBECONFIG={lab.control.configuration}",
            f"HOME={tmp_path}",
            *("bash", "-c", f"cd {tmp_path}\n{{ {commands}\n}} 2>&1"),
        )

    return run


def test_one_table_of_all_nodes(shell):
    def table():
        rows = [row.split() for row in shell("kubectl patchbay status --all-nodes").splitlines()]
        assert ["NODE", "PATCHBAY", "GENERATION", "SINCE"] == rows[0]
        assert ["NODE", "RESOURCE", "UNITS"] in [row[:3] for row in rows]
        assert ["node", "lab.example.com/disk", "3"] in [row[:3] for row in rows]

    waiting.until(lambda: table() or True, "the disks in the table", 30, 1)


def test_commands_in_the_pod_of_a_node(shell):
    status = json.loads(shell("kubectl patchbay status node -o json"))
    assert status["node"] == "node"
    assert "registered" in shell("kubectl patchbay events node")
    assert "loop910" in shell("kubectl patchbay discover node")
    assert "lab.example.com/disk" in shell("kubectl patchbay explain node /dev/loop910")
    suggested = shell("kubectl patchbay suggest node /dev/loop910 --this-one")
    assert "#   example.com/loop  loop910  /dev/loop910  offered\n" in suggested


def test_watch_leaves_no_process_in_the_pod(shell):
    shown = shell("timeout 5 kubectl patchbay events node --watch </dev/null; echo code $?")
    assert "registered" in shown
    assert shown.endswith("code 124\n")

    def is_gone():
        words = ["pgrep", "--full", "^patchbay events --watch"]
        return subprocess.run(words, check=False, capture_output=True).returncode == 1

    waiting.until(is_gone, "the end of the process", 30, 1)


def test_an_edit_is_tried_on_the_node(lab, shell, tmp_path):
    (tmp_path / "edit.yaml").write_text(lab.configuration.replace("name: disk", "name: drive"))
    shown = shell("kubectl patchbay discover node -- --config - <edit.yaml")
    assert "lab.example.com/drive" in shown


def test_a_machine_file_of_a_node(lab, shell, tmp_path):
    (tmp_path / "lab.yaml").write_text(lab.configuration)
    shell("kubectl patchbay snapshot node >machine.txt")
    assert "loop910" in shell("patchbay discover --machine machine.txt lab.yaml")


def test_a_node_without_patchbay_and_the_exit_codes(shell):
    shown = shell("kubectl patchbay status other; echo code $?")
    assert "node other: no Pod of Patchbay runs there" in shown
    assert shown.endswith("code 2\n")
    shown = shell("kubectl patchbay status node -- no-such-unit; echo code $?")
    assert shown.endswith("code 2\n")
    shown = shell("kubectl patchbay status --all-nodes --namespace default; echo code $?")
    assert "no Pod of Patchbay exists" in shown
    assert shown.endswith("code 2\n")
