"""A node and its control plane, each in namespaces of its own, with Patchbay on the node."""

import json
import pathlib
import shutil
import signal
import tempfile

import yaml

import control_plane
import devices
import go_programs
import images
import kubelet
import machine
import runtime
import waiting

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MANIFEST = ROOT / "deploy" / "patchbay.yaml"
EXAMPLE_CONFIG = ROOT / "deploy" / "example-config.yaml"
CHART = ROOT / "deploy" / "chart" / "patchbay"
NAMESPACE = "patchbay"


class Cluster:
    """One node named `node`. Its files are in one directory, which is removed with it."""

    def __init__(
        self, version: str, runtime_version: str, binary: pathlib.Path, image: pathlib.Path
    ):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="pbc-"))
        self.binary = binary
        self.image = image
        self.configuration = ""
        self.disks = devices.Disks(self.directory / "disks")
        self.control_machine = machine.Machine("control", self.directory, "10.99.0.2")
        self.node = machine.Machine("node", self.directory, "10.99.0.1")
        self.control = control_plane.ControlPlane(self.control_machine, version)
        self.runtime = runtime.Runtime(self.node, runtime_version)
        self.kubelet = kubelet.Kubelet(self.node, self.control, version)

    def up(self) -> None:
        self.control_machine.up()
        self.boot()
        self.control.up()
        self.runtime.load(*images.make(self.directory / "images"), self.image)
        self.kubelet.up()
        self.wait_ready()

    def boot(self) -> None:
        """Boots the node up to its runtime. The kubelet starts last, as on a real node."""
        self.node.up()
        machine.connect(self.control_machine, self.node)
        self.node.run("ip", "route", "add", "default", "via", self.control_machine.address)
        self.control_machine.run("ip", "route", "replace", "10.98.0.0/24", "via", self.node.address)
        self.node.run("/lib/systemd/systemd-udevd", "--daemon")
        self.node.run("udevadm", "trigger", "--action=add", "--subsystem-match=block")
        self.node.run("udevadm", "settle")
        self.runtime.up()

    def reboot(self) -> None:
        """Simulates a power failure and a boot. Everything runs again except the kubelet."""
        self.node.down()
        self.boot()

    def wait_ready(self) -> None:
        def ready():
            conditions = self.control.get("node", "node")["status"]["conditions"]
            return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

        waiting.until(ready, "the node to be ready", 90)
        # Removes the taint of a starting node, because no cloud controller does it.
        self.control.kubectl("taint", "node", "node", "node.kubernetes.io/not-ready-", check=False)

    def down(self, keep: bool = False) -> None:
        self.node.down()
        self.control_machine.down()
        self.disks.reset(0)
        if not keep:
            shutil.rmtree(self.directory, ignore_errors=True)

    # Objects of the API.

    def count(self, resource: str) -> tuple:
        """The capacity and the allocatable number of the resource on the node."""
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
        """The output of a shell command in a container, including errors."""
        line = ["exec", pod, f"--container={container}", "--", "sh", "-c", f"{{ {command}; }} 2>&1"]
        return self.control.kubectl(*line, check=check)

    def opened_by_number(self, pod: str, disk: devices.Disk) -> str:
        """The output of a container that makes a node of the disk and reads it."""
        major, minor = disk.number().split(":")
        command = f"mknod /tmp/{disk.name} b {major} {minor} && head -c 8 /tmp/{disk.name}"
        return self.inside(pod, command, check=False)

    def event_with(self, pod: str, text: str) -> str:
        """The first event of the Pod whose message contains the text; fails without one."""
        events = self.control.get("events", f"--field-selector=involvedObject.name={pod}")["items"]
        messages = [event["message"] for event in events]
        found = [message for message in messages if text in message]
        if not found:
            raise ValueError(json.dumps(messages)[-1500:])
        return found[0]

    def delete(self, *names: str) -> None:
        for name in names:
            self.control.kubectl(
                "delete", "pod", name, "--grace-period=1", "--ignore-not-found", "--wait=true"
            )

    # Patchbay.

    def delete_pods(self) -> None:
        """Deletes all Pods of tests."""
        self.delete(*(each["metadata"]["name"] for each in self.control.get("pods")["items"]))

    def reset(self, configuration: str, disks: int) -> None:
        """Restores the initial state: no Pod of a test, this number of disks, and the shipped
        DaemonSet."""
        self.delete_pods()
        self.disks.reset(disks)
        # `kubectl apply` keeps the keys that a case has added.
        self.control.kubectl(
            "delete", "configmap", "patchbay-config", f"--namespace={NAMESPACE}",
            "--ignore-not-found",
        )  # fmt: skip
        self.install(configuration)
        self.wait_count("lab.example.com/disk", disks, disks)

    def gate(self) -> pathlib.Path:
        """The file for which the steps of the resource `gate` wait, in the /dev of all machines."""
        return pathlib.Path("/dev/patchbay-gate")

    def daemon_log(self) -> str:
        line = ["logs", "daemonset/patchbay", f"--namespace={NAMESPACE}", "--tail=20"]
        return self.control.kubectl(*line, check=False)

    def kubectl_hint(self) -> str:
        return " ".join(
            map(str, self.control_machine.entering(self.control.directory / "kubectl"))
        ) + f" --kubeconfig={self.control.configuration}"

    def manifest(self, configuration: str) -> list:
        """The objects of deploy/patchbay.yaml, and a ConfigMap with the configuration."""
        config_map = yaml.safe_load(EXAMPLE_CONFIG.read_text())
        config_map["data"] = {"lab.yaml": configuration}
        namespace, daemon_set = yaml.safe_load_all(MANIFEST.read_text())
        return [namespace, config_map, daemon_set]

    def install(self, configuration: str, change=None) -> None:
        """Applies the manifest, and waits until its Pod is ready. `change` modifies the DaemonSet."""
        self.configuration = configuration
        objects = self.manifest(configuration)
        if change:
            change(next(each for each in objects if each["kind"] == "DaemonSet"))
        self.control.apply(*objects)
        self.wait_installed()

    def helm(self, *arguments, stdin: str = "") -> str:
        program = go_programs.build(go_programs.helm())
        return self.control_machine.run(
            "env",
            f"KUBECONFIG={self.control.configuration}",
            f"HOME={self.directory}",
            program,
            *arguments,
            f"--namespace={NAMESPACE}",
            stdin=stdin,
        )

    def wait_installed(self) -> None:
        self.control.kubectl(
            "rollout", "status", "daemonset/patchbay", f"--namespace={NAMESPACE}", "--timeout=90s"
        )
        waiting.until(lambda: len(self.daemon_pods()) == 1, "the old Pod to be gone")

    def uninstall(self) -> None:
        self.control.kubectl(
            "delete", "namespace", NAMESPACE, "--ignore-not-found", "--wait=true", seconds=180
        )

    def configure_linger(self, duration: str) -> None:
        """Installs the same configuration with this linger time for disks."""
        self.install(self.configuration.replace("linger: 3s", f"linger: {duration}"))
        self.roll_out()

    def roll_out(self) -> None:
        self.control.kubectl("rollout", "restart", "daemonset/patchbay", f"--namespace={NAMESPACE}")
        self.wait_installed()

    def configure(self, configuration: str) -> None:
        """Edits the ConfigMap, as `kubectl edit` does."""
        patch = json.dumps({"data": {"lab.yaml": configuration}})
        self.control.kubectl(
            "patch", "configmap", "patchbay-config", f"--namespace={NAMESPACE}", f"--patch={patch}"
        )

    def daemon_pods(self) -> list:
        return self.control.get("pods", f"--namespace={NAMESPACE}")["items"]

    def daemon_numbers(self, program: str = "patchbay") -> list:
        """The process ids of the daemons, or of another program, on the node."""
        return [int(number) for number in self.node.run("pidof", program, check=False).split()]

    def wait_new_daemon(self) -> None:
        """Waits until the daemon's container was restarted and is ready."""

        def ready():
            states = self.daemon_pods()[0]["status"]["containerStatuses"]
            return states[0]["ready"] and states[0]["restartCount"] > 0

        waiting.until(ready, "a new daemon", 60)

    def start_daemon(self, name: str) -> machine.Process:
        """Starts a daemon beside the DaemonSet's, as a user would for debugging."""
        file = self.node.state / f"{name}.yaml"
        file.write_text(self.configuration)
        return self.node.start(name, self.binary, "run", file, "--status-socket=none")

    def kill_daemon_of_pod(self) -> None:
        for process in self.daemon_numbers():
            if "/etc/patchbay" in self.node.run("cat", f"/proc/{process}/cmdline"):
                self.node.run("kill", "-KILL", str(process))

    def kill_daemon(self, number: int = signal.SIGKILL, program: str = "patchbay") -> None:
        for process in self.daemon_numbers(program):
            self.node.run("kill", f"-{int(number)}", str(process))


def pod(name: str, limits: dict | None = None, **more) -> dict:
    """A Pod with one unprivileged container `main` that keeps running. `more` is added to its spec."""
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
