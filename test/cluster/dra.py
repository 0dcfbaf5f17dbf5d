"""Objects of Dynamic Resource Allocation, and the driver's state on the node."""

import json
import pathlib
import threading
import time

import cluster as clusters
import machine
import waiting

HERE = pathlib.Path(__file__).resolve().parent

DRIVER = "patchbay.lab.example.com"
CLASS = "disk.lab.example.com"  # `patchbay deviceclasses` makes it.
SERVED = (HERE / "dra.yaml").read_text()
# The same resources, all of them with device plugins.
PLUGINS = "".join(line for line in SERVED.splitlines(True) if "dra" not in line)
API = "resource.k8s.io/v1"
SECTORS = 2048  # of a MiB


def with_steps(directory: pathlib.Path, key: str = "preStart") -> str:
    """The configuration, with steps that write `runs` and then wait for `gate` in the directory."""
    steps = f"""\
    {key}:
      - write: {{path: {directory}/runs, value: ran}}
      - wait: {{path: {directory}/gate, for: 20s}}
"""
    return SERVED.replace("    serve: dra\n", f"    serve: dra\n{steps}")


# Objects of the API.


def request(name: str = "disk", mebibytes: int = 0, device_class: str = CLASS) -> dict:
    """A request for a disk of at least this size."""
    exactly = {"deviceClassName": device_class}
    if mebibytes:
        size = f'device.attributes["{DRIVER}"].?size.orValue(0)'
        exactly["selectors"] = [{"cel": {"expression": f"{size} >= {mebibytes * SECTORS}"}}]
    return {"name": name, "exactly": exactly}


def claim(name: str, *requests: dict, **devices) -> dict:
    """A ResourceClaim. `devices` is added to its spec."""
    return {
        "apiVersion": API,
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"devices": {"requests": list(requests or [request()]), **devices}},
    }


def template(name: str, *requests: dict) -> dict:
    made = claim(name, *requests)
    return made | {"kind": "ResourceClaimTemplate", "spec": {"spec": made["spec"]}}


def pod(name: str, *, is_scheduled: bool = False, **source: str) -> dict:
    """A Pod whose container uses one ResourceClaim: `resourceClaimName` or
    `resourceClaimTemplateName`. With `is_scheduled`, the scheduler does not see it."""
    uses = {"claims": [{"name": "disk"}]}
    container = clusters.container("main", {}, resources=uses)
    more = {"nodeName": "node"} if is_scheduled else {}
    return clusters.pod_of(name, [container], resourceClaims=[{"name": "disk", **source}], **more)


def resource_slice(name: str, node: str = "node", driver: str = DRIVER, pool: str = "node") -> dict:
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {
            "driver": driver,
            "nodeName": node,
            "pool": {"name": pool, "generation": 1, "resourceSliceCount": 1},
            "devices": [],
        },
    }


class Steps:
    """A directory on the node that survives a reboot, with what the steps of disks use."""

    def __init__(self, node: machine.Machine):
        self.directory = node.state / "steps"
        self.directory.mkdir(exist_ok=True)
        self.runs = self.directory / "runs"
        self._gate = self.directory / "gate"
        self.forget()
        self.close()

    def forget(self) -> None:
        self.runs.write_text("")

    def ran(self) -> bool:
        """Whether steps ran since the last forget()."""
        return self.runs.read_text() != ""

    def break_(self) -> None:
        """Steps fail until forget(), because they write to an existing file only."""
        self.runs.unlink()

    def open(self) -> None:
        """Ends the steps that wait, and all later ones at once."""
        self._gate.touch()

    def close(self) -> None:
        self._gate.unlink(missing_ok=True)


class Driver:
    """The cluster with Patchbay's chart and its DRA driver."""

    def __init__(self, lab: clusters.Cluster):
        self.lab = lab

    def install(
        self, configuration: str, *, writable: tuple = (), environment: dict | None = None
    ) -> None:
        """Installs the chart. The daemon can write to the directories `writable` of the node."""
        lab = self.lab
        lab.uninstall()
        lab.configuration = configuration
        namespace, config_map, _ = lab.manifest(configuration)
        lab.control.apply(namespace, config_map)
        values = {
            "image": {"repository": "registry.example.com/patchbay"},
            "existingConfigMap": "patchbay-config",
            "dra": {"enabled": True, "driver": DRIVER},
            "hostPaths": [{"path": str(path), "writable": True} for path in writable],
            "extraArgs": ["--api-server", lab.control.server],
            "extraEnv": [
                {"name": key, "value": value} for key, value in (environment or {}).items()
            ],
        }
        lab.helm("install", "patchbay", clusters.CHART, "--values=-", stdin=json.dumps(values))
        lab.wait_installed()

    def apply_classes(self, configuration: str = SERVED) -> None:
        """Makes the DeviceClasses, as an administrator does."""
        file = self.lab.directory / "dra.yaml"
        file.write_text(configuration)
        text = self.lab.node.run(self.lab.binary, "deviceclasses", file)
        self.lab.control.kubectl("apply", "--filename=-", stdin=text)

    def edit(self, configuration: str, driver: str = DRIVER) -> None:
        """Edits the ConfigMap. Another driver also needs another policy."""
        if driver != DRIVER:
            self.lab.helm(
                "upgrade", "patchbay", clusters.CHART, "--reuse-values",
                f"--set=dra.driver={driver}",
            )  # fmt: skip
        self.lab.configure(configuration)

    def stop_daemon(self) -> None:
        """Lets the DaemonSet run on no node."""
        self._select_nodes({"patchbay": "stopped"})
        waiting.until(lambda: self.lab.daemon_pods() == [], "the end of the daemon", 60)

    def start_daemon(self) -> None:
        self._select_nodes({"patchbay": None})
        self.lab.wait_installed()

    def _select_nodes(self, labels: dict) -> None:
        patch = json.dumps({"spec": {"template": {"spec": {"nodeSelector": labels}}}})
        self.lab.control.kubectl(
            "patch", "daemonset", "patchbay", f"--namespace={clusters.NAMESPACE}",
            f"--patch={patch}",
        )  # fmt: skip

    def remove(self) -> None:
        self.lab.delete_pods()
        for kind in ("resourceclaims", "resourceclaimtemplates", "deviceclasses"):
            self.lab.control.kubectl("delete", kind, "--all", check=False)
        self.lab.helm("uninstall", "patchbay", "--wait", "--ignore-not-found")
        self.lab.uninstall()

    # The API.

    def slices(self) -> list:
        """The driver's ResourceSlices."""
        selector = f"--field-selector=spec.driver={DRIVER}"
        return self.lab.control.get("resourceslices", selector)["items"]

    def devices(self) -> dict:
        """The published devices by the id of their unit."""
        found = [each for part in self.slices() for each in part["spec"].get("devices") or []]
        return {device["attributes"]["id"]["string"]: device for device in found}

    def wait_published(self, *ids: str, seconds: float = 60) -> None:
        waiting.until(
            lambda: sorted(self.devices()) == sorted(ids), f"{ids} in the slices", seconds
        )

    def allocated(self, name: str) -> list:
        """The names of the devices of a ResourceClaim."""
        status = self.lab.control.get("resourceclaim", name)["status"]
        return [result["device"] for result in status["allocation"]["devices"]["results"]]

    def allocate(self, name: str, device: str) -> None:
        """Allocates a device to a ResourceClaim in place of the scheduler. The controller reserves
        it for Pods that are scheduled."""
        result = {"request": "disk", "driver": DRIVER, "pool": "node", "device": device}
        term = {"key": "metadata.name", "operator": "In", "values": ["node"]}
        allocation = {
            "devices": {"results": [result]},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [term]}]},
        }
        patch = json.dumps({"status": {"allocation": allocation}})
        self.lab.control.kubectl(
            "patch", "resourceclaim", name, "--subresource=status", "--type=merge",
            f"--patch={patch}",
        )  # fmt: skip

    # The node.

    def age_records(self) -> None:
        """Moves the records to an earlier boot. A container sees the kernel's own boot id, which is
        the same after a simulated reboot."""
        for file in (self.lab.node.state / "kubelet/plugins/patchbay/claims").iterdir():
            record = json.loads(file.read_text())
            file.write_text(json.dumps(record | {"bootId": "earlier"}))

    def records(self) -> list:
        """The uids of the ResourceClaims that the driver has on the node."""
        files = self.lab.node.run("ls", "/var/lib/kubelet/plugins/patchbay/claims").split()
        return sorted(file.removesuffix(".json") for file in files)

    def specs(self, uid: str) -> list:
        """The CDI specs of a ResourceClaim."""
        files = self.lab.node.run("ls", "/var/run/cdi").split()
        return [file for file in files if uid in file]

    def status(self) -> str:
        """The output of `patchbay status` in the daemon's Pod."""
        line = ["exec", "daemonset/patchbay", f"--namespace={clusters.NAMESPACE}", "--"]
        return self.lab.control.kubectl(*line, "patchbay", "status")

    def token(self) -> str:
        """The token that the kubelet has mounted in the daemon's container."""
        (daemon,) = self.lab.daemon_numbers()
        # /var/run is a link, which would lead out of the container's root here.
        directory = "run/secrets/kubernetes.io/serviceaccount"
        return self.lab.node.run("cat", f"/proc/{daemon}/root/{directory}/token")

    def resident(self, program: str) -> float:
        """The resident memory of a program, in MB."""
        (process,) = self.lab.daemon_numbers(program)
        status = self.lab.node.run("cat", f"/proc/{process}/status")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) * 1024 / 1e6

    def watch(self) -> "SliceWatch":
        return SliceWatch(self.lab)


class SliceWatch:
    """The ids in the driver's slices over time. It expects one slice, so at most 64 devices."""

    def __init__(self, lab: clusters.Cluster):
        # Without a range: with one, kubectl exits at the second object.
        ids = '{.spec.devices[*].attributes.id.string}{"\\n"}'
        self._stream = lab.control_machine.stream(
            lab.control.directory / "kubectl", f"--kubeconfig={lab.control.configuration}",
            "get", "resourceslices", f"--field-selector=spec.driver={DRIVER}", "--watch",
            f"--output=jsonpath={ids}",
        )  # fmt: skip
        self.moments = []  # (seconds, ids)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._stream.lines:
            self.moments.append((time.time(), line.split()))

    def wait(self, *ids: str, seconds: float = 30) -> float:
        """Waits until the slice has these ids, and returns the time of that."""

        def reached():
            at, now = self.moments[-1]
            if sorted(now) != sorted(ids):
                raise ValueError(f"in the slice: {now}")
            return at

        return waiting.until(reached, f"{ids} in the slice", seconds, 0.005)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.kill()
        self._reader.join(10)
        self._stream.lines.close()
