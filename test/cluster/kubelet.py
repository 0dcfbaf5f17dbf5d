"""The kubelet of a machine, and its PodResources answers."""

import collections
import json
import threading

import control_plane
import go_programs
import machine
import runtime
import waiting

CONFIGURATION = """\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /{cgroup}
failSwapOn: false
enforceNodeAllocatable: [pods]
makeIPTablesUtilChains: false
authentication: {{anonymous: {{enabled: true}}, webhook: {{enabled: false}}}}
authorization: {{mode: AlwaysAllow}}
nodeStatusUpdateFrequency: 1s
syncFrequency: 5s
configMapAndSecretChangeDetectionStrategy: Watch
resolvConf: ""
imageGCHighThresholdPercent: 100
evictionHard: {{imagefs.available: 0%, nodefs.available: 0%, nodefs.inodesFree: 0%}}
topologyManagerPolicy: {topology}
"""


class Kubelet:
    """A kubelet of any version that the control plane allows. Its data is in `machine.state`."""

    def __init__(self, place: machine.Machine, control: "control_plane.ControlPlane", version: str):
        self.machine = place
        self.version = version
        self.topology = "none"
        self._control = control
        self._process = None

    @property
    def _program(self):
        directory = self.machine.state / f"kubelet-{self.version}"
        directory.mkdir(exist_ok=True)
        built = go_programs.build(go_programs.kubernetes(self.version))
        for name in ("kubelet", "pod-resources"):
            if not (directory / name).exists():
                (directory / name).symlink_to(built)
        return directory / "kubelet"

    def up(self) -> None:
        file = self.machine.state / "kubelet.yaml"
        text = CONFIGURATION.format(cgroup=self.machine.cgroup, topology=self.topology)
        minor = control_plane.minor(self.version)
        if minor in range(31, 36):
            text += "featureGates: {ResourceHealthStatus: true}\n"
        if minor >= 31:
            text += "failCgroupV1: false\n"
        file.write_text(text)
        self._process = self.machine.start(
            "kubelet",
            self._program,
            f"--config={file}",
            f"--kubeconfig={self._control.configuration}",
            f"--hostname-override={self.machine.name}",
            f"--node-ip={self.machine.address}",
            "--v=2",
        )

    def down(self, *arguments) -> None:
        self._process.stop(*arguments)

    def restart(self) -> None:
        self.down()
        self.up()

    def tail(self) -> str:
        return self._process.tail() if self._process else "not started"

    def log(self) -> str:
        return self._process.log.read_text(errors="replace")

    def _pod_resources(self, *arguments) -> list:
        socket = "/var/lib/kubelet/pod-resources/kubelet.sock"
        return [self._program.parent / "pod-resources", socket, *arguments]

    def _asked(self) -> dict:
        return json.loads(self.machine.run(*self._pod_resources()))

    def allocatable(self) -> dict:
        """The healthy ids by resource."""
        return _by_resource(self._asked()["allocatable"].get("devices"))

    def held(self) -> dict:
        """The allocated ids: Pod's name → container's name → resource → ids."""
        found = {}
        for pod in self._asked()["held"].get("pod_resources") or []:
            for container in pod.get("containers") or []:
                devices = _by_resource(container.get("devices"))
                if devices:
                    found.setdefault(pod["name"], {})[container["name"]] = devices
        return found

    def numa_nodes(self) -> dict:
        """The NUMA nodes of each id, as the kubelet reports them."""
        found = {}
        for device in self._asked()["allocatable"].get("devices") or []:
            nodes = (device.get("topology") or {}).get("nodes") or []
            for unit in device["device_ids"]:
                # The JSON omits zeros, so node 0 has no ID.
                found[unit] = [int(node.get("ID", 0)) for node in nodes]
        return found

    def watch(self) -> "AllocatableWatch":
        return AllocatableWatch(self.machine.stream(*self._pod_resources("watch")))


def _by_resource(devices: list | None) -> dict:
    found = collections.defaultdict(list)
    for device in devices or []:
        found[device["resource_name"]] += device.get("device_ids") or []
    return {name: sorted(ids) for name, ids in found.items()}


class AllocatableWatch:
    """The kubelet's allocatable devices over time, requested a hundred times per second."""

    def __init__(self, stream):
        self._stream = stream
        self.moments = []  # (seconds, resource → ids, or None without an answer)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._stream.lines:
            at, text = line.split(" ", 1)
            told = json.loads(text)
            now = None if told is None else _by_resource(told)
            self.moments.append((int(at) / 1000, now))

    def close(self) -> None:
        self._stream.kill()
        self._reader.join(10)
        self._stream.lines.close()

    def __enter__(self):
        waiting.until(lambda: self.moments, "a first answer of PodResources", 20, 0.01)
        return self

    def __exit__(self, *_):
        self.close()

    def count(self, resource: str) -> int:
        """The number of ids of the resource in the newest answer."""
        return len((self.moments[-1][1] or {}).get(resource, []))

    def without(self, resource: str, count: int, until: float) -> float:
        """For how many seconds, until `until`, the kubelet reported fewer than `count` ids."""
        missing = 0.0
        moments = [*self.moments, (until, None)]
        for (at, now), (then, _) in zip(moments, moments[1:]):
            if now is not None and len(now.get(resource, [])) < count:
                missing += then - at
        return missing
