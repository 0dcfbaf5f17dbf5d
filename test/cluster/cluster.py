"""A node with its control plane, each a machine of its own, and Patchbay's DaemonSet on the node."""

import json
import pathlib
import shutil
import signal
import tempfile

import yaml

import control_plane
import devices
import images
import kubelet
import machine
import runtime
import waiting

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MANIFEST = ROOT / "deploy" / "patchbay.yaml"
IMAGE = "patchbay.test/patchbay:1"
NAMESPACE = "patchbay"


class Cluster:
    """One node named `node`. What it writes lies in one directory, which goes with it."""

    def __init__(self, version: str, runtime_version: str, binary: pathlib.Path):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="pbc-"))
        self.binary = binary
        self.disks = devices.Disks(self.directory / "disks")
        self.control_machine = machine.Machine("control", self.directory, "10.99.0.2")
        self.node = machine.Machine("node", self.directory, "10.99.0.1")
        self.control = control_plane.ControlPlane(self.control_machine, version)
        self.runtime = runtime.Runtime(self.node, runtime_version)
        self.kubelet = kubelet.Kubelet(self.node, self.control, version)

    def up(self) -> None:
        self.control_machine.up()
        self.boot()
        archives = images.make(self.directory / "images")
        archives.append(
            images.make_daemon(self.directory / "images", IMAGE, self.binary)
        )
        self.control.up()
        self.runtime.load(*archives)
        self.kubelet.up()
        self.wait_ready()

    def boot(self) -> None:
        """The node up to its runtime; the kubelet comes last, as on a node that starts."""
        self.node.up()
        machine.connect(self.control_machine, self.node)
        self.node.run("ip", "route", "add", "default", "via", self.control_machine.address)
        self.control_machine.run("ip", "route", "replace", "10.98.0.0/24", "via", self.node.address)
        self.node.run("/lib/systemd/systemd-udevd", "--daemon")
        self.node.run("udevadm", "trigger", "--action=add", "--subsystem-match=block")
        self.node.run("udevadm", "settle")
        self.runtime.up()

    def wait_ready(self) -> None:
        def ready():
            conditions = self.control.get("node", "node")["status"]["conditions"]
            return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

        waiting.until(ready, "the node to be ready", 90)
        # Nothing here takes it off as a cloud's controller would.
        self.control.kubectl("taint", "node", "node", "node.kubernetes.io/not-ready-", check=False)

    def down(self, keep: bool = False) -> None:
        self.node.down()
        self.control_machine.down()
        self.disks.reset(0)
        if not keep:
            shutil.rmtree(self.directory, ignore_errors=True)

    # What the API says.

    def count(self, resource: str) -> tuple:
        """Capacity and allocatable of the node."""
        status = self.control.get("node", "node")["status"]
        return int(status["capacity"].get(resource, 0)), int(status["allocatable"].get(resource, 0))

    def wait_count(self, resource: str, capacity: int, allocatable: int, seconds: float = 60):
        waiting.until(
            lambda: self.count(resource) == (capacity, allocatable),
            f"{resource} {capacity} of capacity, {allocatable} allocatable",
            seconds,
        )

    def pod(self, name: str) -> dict:
        return self.control.get("pod", name)

    def wait_running(self, name: str, seconds: float = 60) -> dict:
        def running():
            pod = self.pod(name)
            states = pod["status"].get("containerStatuses", [])
            if pod["status"].get("phase") == "Failed":
                raise AssertionError(f"{name} has failed: {json.dumps(pod['status'])[:1000]}")
            if states and all("running" in state["state"] for state in states):
                return pod
            raise ValueError(json.dumps(pod["status"])[:1500])

        return waiting.until(running, f"the Pod {name} to run", seconds)

    def inside(self, pod: str, command: str, container: str = "main", check: bool = True) -> str:
        """What a shell command prints in a container, errors too."""
        line = ["exec", pod, f"--container={container}", "--", "sh", "-c", f"{command} 2>&1"]
        return self.control.kubectl(*line, check=check)

    def delete(self, *names: str) -> None:
        for name in names:
            self.control.kubectl(
                "delete", "pod", name, "--grace-period=1", "--ignore-not-found", "--wait=true"
            )

    # Patchbay.

    def manifest(self, configuration: str) -> list:
        """The objects of deploy/patchbay.yaml with another image and configuration."""
        objects = list(yaml.safe_load_all(MANIFEST.read_text()))
        for each in objects:
            if each["kind"] == "ConfigMap":
                each["data"] = {"lab.yaml": configuration}
            elif each["kind"] == "DaemonSet":
                container = each["spec"]["template"]["spec"]["containers"][0]
                container["image"] = IMAGE
                container["imagePullPolicy"] = "Never"
        return objects

    def install(self, configuration: str, change=None) -> None:
        """Applies the manifest, and waits until its Pod is ready. `change` gets the DaemonSet."""
        objects = self.manifest(configuration)
        if change:
            change(next(each for each in objects if each["kind"] == "DaemonSet"))
        self.control.apply(*objects)
        self.wait_installed()

    def wait_installed(self) -> None:
        self.control.kubectl(
            "rollout", "status", "daemonset/patchbay", f"--namespace={NAMESPACE}", "--timeout=90s"
        )

    def uninstall(self) -> None:
        self.control.kubectl(
            "delete", "namespace", NAMESPACE, "--ignore-not-found", "--wait=true", seconds=180
        )

    def configure(self, configuration: str) -> None:
        """Edits the ConfigMap, as `kubectl edit` would."""
        patch = json.dumps({"data": {"lab.yaml": configuration}})
        self.control.kubectl(
            "patch", "configmap", "patchbay-config", f"--namespace={NAMESPACE}", f"--patch={patch}"
        )

    def daemon_pods(self) -> list:
        return self.control.get("pods", f"--namespace={NAMESPACE}")["items"]

    def daemon_numbers(self) -> list:
        """The processes of daemons on the node."""
        found = self.node.run("pidof", "patchbay", check=False).split()
        return [int(number) for number in found]

    def kill_daemon(self, number: int = signal.SIGKILL) -> None:
        for process in self.daemon_numbers():
            self.node.run("kill", f"-{int(number)}", str(process))


def pod(name: str, limits: dict | None = None, **more) -> dict:
    """A Pod of one unprivileged container `main` that stays; `more` is put into its spec."""
    return pod_of(name, [container("main", limits or {})], **more)


def container(name: str, limits: dict, command: str = "", **more) -> dict:
    stay = "trap exit TERM; while :; do sleep 1; done"
    return {
        "name": name,
        "image": images.SHELL,
        "imagePullPolicy": "Never",
        "command": ["sh", "-c", command or stay],
        "resources": {"limits": limits},
        **more,
    }


def pod_of(name: str, containers: list, **more) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "containers": containers,
            "terminationGracePeriodSeconds": 1,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            **more,
        },
    }
