"""The documented ways of installation: the manifest, a kustomize overlay and the chart."""

import time

import pytest

import cluster as clusters
import waiting

DISK = "lab.example.com/disk"
MORE = """\
  - name: more
    match: {glob: /dev/tty, type: char}
"""


@pytest.fixture
def empty(lab):
    """The cluster without Patchbay."""
    lab.uninstall()
    lab.wait_count(DISK, 3, 0, 30)
    yield lab


def nothing_is_left(lab) -> None:
    waiting.until(
        lambda: lab.node.run("ls", "/var/lib/kubelet/device-plugins").split()
        == ["kubelet.sock", "kubelet_internal_checkpoint"],
        "the daemon's sockets to be gone",
        30,
    )
    assert lab.daemon_numbers() == []


def config_data(lab) -> dict:
    where = f"--namespace={clusters.NAMESPACE}"
    return lab.control.get("configmap", "patchbay-config", where)["data"]


def test_the_manifest_unchanged_is_applied_and_deleted(empty):
    empty.control.apply_file(clusters.MANIFEST)
    waiting.until(lambda: empty.daemon_pods()[0]["status"]["phase"] == "Pending", "a waiting Pod")
    empty.control.apply_file(clusters.EXAMPLE_CONFIG)
    empty.wait_installed()
    empty.wait_count("devices.example.com/fuse", 1, 1)
    # When the manifest is applied again, the user's configuration stays.
    empty.configure(config_data(empty)["lab.yaml"] + "# mine\n")
    before = config_data(empty)
    empty.control.apply_file(clusters.MANIFEST)
    empty.wait_installed()
    assert config_data(empty) == before
    empty.control.kubectl("delete", "--filename=-", stdin=clusters.MANIFEST.read_text())
    empty.wait_count("devices.example.com/fuse", 1, 0, 30)
    nothing_is_left(empty)


def test_an_overlay_is_applied(empty):
    overlay = clusters.ROOT / "deploy" / "kustomize" / "overlays" / "cdi"
    empty.control.kubectl("apply", "--kustomize", overlay)
    empty.control.apply_file(clusters.EXAMPLE_CONFIG)
    empty.wait_installed()
    mounts = empty.daemon_pods()[0]["spec"]["containers"][0]["volumeMounts"]
    assert "/var/run/cdi" in [mount["mountPath"] for mount in mounts]


def test_the_chart_is_installed_edited_rolled_out_and_uninstalled(empty, lab_text, figure):
    lab = empty
    file = lab.directory / "lab.yaml"
    file.write_text(lab_text)
    image = "--set=image.repository=registry.example.com/patchbay"
    checked = "--set=validateBeforeUpgrade=true"
    chart = ["patchbay", clusters.CHART, f"--set-file=config={file}", image, checked]
    lab.helm("install", *chart, "--create-namespace", "--wait", "--timeout=90s")
    lab.wait_count(DISK, 3, 3)
    lab.helm("test", "patchbay", "--timeout=90s")
    lab.control.apply(clusters.pod("one", {DISK: 1}))
    lab.wait_running("one")

    before = lab.daemon_pods()[0]["metadata"]["uid"]
    file.write_text(lab_text + MORE)
    lab.helm("upgrade", *chart)
    lab.wait_count("lab.example.com/more", 1, 1, 180)
    assert [pod["metadata"]["uid"] for pod in lab.daemon_pods()] == [before]

    with lab.kubelet.watch() as watch:
        lab.helm("upgrade", *chart, "--set=http.page=true")
        lab.wait_installed()
        assert [pod["metadata"]["uid"] for pod in lab.daemon_pods()] != [before]
        without = watch.without(DISK, 3, time.time())
    figure(f"helm upgrade that replaces the Pods: no disks for {1000 * without:.0f} ms")
    pod = lab.daemon_pods()[0]["metadata"]["name"]
    page = f"/api/v1/namespaces/{clusters.NAMESPACE}/pods/{pod}:9405/proxy/status"
    assert "lab.example.com/disk" in lab.control.kubectl("get", "--raw", page)

    lab.helm("uninstall", "patchbay", "--wait")
    lab.wait_count(DISK, 3, 0, 30)
    nothing_is_left(lab)
    assert "running" in lab.pod("one")["status"]["containerStatuses"][0]["state"]
